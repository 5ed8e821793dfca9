//! `workspace check`: the declaration, the members, records, boxes and diagrams of a workspace against the catalogue of
//! checks, and the lineage lock.
//!
//! Each family of checks has a file and gives [`Finding`](finding::Finding)s; [`settings`] says what becomes of them. A
//! declaration that can't be read is one finding. What only a member's own toolchain can tell is left out, and the
//! [`CATALOGUE`] says which checks those are.

mod boxes;
mod catalogue;
mod diagrams;
mod document;
mod finding;
mod generated;
mod lineage;
mod links;
mod members;
mod records;
mod secrets;
mod settings;
#[cfg(test)]
mod tests;

use std::cell::OnceCell;

use gate::Refusal;
use store::git::RepoPath;
use store::tree::{Tree, TreeError};
use trust::Trust;

use crate::declaration::{self, DeclaredKind, Found, Reader, Severity, Workspace};
use crate::kind::{self, Kind};
use crate::members::{Installed, Kinds, Matches};
use crate::place::{Place, tree_failed};
use crate::sarif::{self, Level};
use crate::{CONTRACT, Cairn, LEVEL, Problem, codes};

use catalogue::Id;
use finding::{Finding, Spot};

pub use catalogue::{CATALOGUE, Check};
pub use document::{
    Declared, Diagnostic, Document, Failure, FailureProblem, Head, LinkRow, LinkStatus, LockFinding, Report,
    SCHEMA, WorkspaceName,
};
pub use lineage::LOCK;

/// What `check` is asked.
#[derive(Debug, Clone, Copy, Default)]
pub struct Query<'q> {
    /// The revision; none is the working tree.
    pub at: Option<&'q str>,
    /// Kind files, as typed, whose records are checked too.
    pub kinds: &'q [String],
    /// Whether generators were asked to run. They are not, and the findings then say so.
    pub generated: bool,
}

/// What the checks look at.
struct Subject<'a> {
    place: &'a Place<'a>,
    tree: &'a dyn Tree,
    /// Where kind files are read from.
    loaded: &'a dyn Tree,
    workspace: &'a Workspace,
    kinds: &'a Kinds,
    groups: &'a [Matches<'a>],
    declared: Vec<Loaded<'a>>,
    asked: &'a [String],
    run_generators: bool,
    trust: OnceCell<Trust>,
}

impl Subject<'_> {
    /// Whether a revision is checked: what belongs to the checkout is then left out.
    fn is_revision(&self) -> bool {
        self.tree.commit().is_some()
    }

    /// Who counts, asked for where a check needs it.
    fn trust(&self) -> Result<&Trust, Refusal> {
        if let Some(trust) = self.trust.get() {
            return Ok(trust);
        }
        let trust = self.place.trust(None)?;
        Ok(self.trust.get_or_init(|| trust))
    }
}

/// A declared kind of records.
struct Loaded<'a> {
    declared: DeclaredKind<'a>,
    file: RepoPath,
    /// The kind; none where a revision is read in which it is there, and the working tree does not have it as a kind.
    kind: Result<Option<Kind>, Problem>,
}

/// Checks the workspace around the folder that the command stands in.
///
/// # Errors
/// `not-a-git-repository` or `revision-unknown` with a revision, and a file that can't be read.
pub fn check(place: &Place<'_>, query: &Query<'_>) -> Result<Report, Refusal> {
    let tree = place.tree(query.at)?;
    let (has_lock, findings) = lineage::check(&*tree, place.folder()).map_err(tree_failed)?;
    let (workspace, declaration) = match place.declared(&*tree) {
        Ok(found) => checked(place, query, &*tree, &found)?,
        Err(refusal) if refusal.code == codes::DECLARATION_MISSING => (None, None),
        Err(refusal) => unreadable(place, None, &refusal),
    };
    let head = Head {
        schema: SCHEMA,
        contract: CONTRACT,
        chant: LEVEL,
        cairn: Cairn::THIS,
        at: tree.commit().map(ToString::to_string),
        workspace,
    };
    Ok(Report {
        head: Some(head),
        lock: has_lock.then_some(LOCK),
        ok: findings.is_empty() && declaration.as_ref().is_none_or(|declared| declared.ok),
        findings,
        declaration,
    })
}

type Checked = (Option<WorkspaceName>, Option<Declared>);

fn checked(place: &Place<'_>, query: &Query<'_>, tree: &dyn Tree, found: &Found) -> Result<Checked, Refusal> {
    let workspace = match declaration::read(tree, found, Reader::Root) {
        Ok(workspace) => workspace,
        Err(refusal) => return Ok(unreadable(place, Some(found), &refusal)),
    };
    let groups = match crate::members::groups(tree, &workspace) {
        Ok(groups) => groups,
        Err(refusal) => return Ok(unreadable(place, Some(found), &refusal)),
    };
    let loaded = place.kinds(query.at)?;
    let installed = Installed::of(place, &workspace.root, query.at);
    let kinds = Kinds::load(&*loaded, &workspace.root, &workspace.declaration.pins, installed.as_ref());
    let subject = Subject {
        place,
        tree,
        loaded: &*loaded,
        workspace: &workspace,
        kinds: &kinds,
        groups: &groups,
        declared: declared_kinds(tree, &*loaded, &workspace).map_err(tree_failed)?,
        asked: query.kinds,
        run_generators: query.generated,
        trust: OnceCell::new(),
    };
    let links = links::table(&workspace.declaration, &kinds);
    let findings = run(&subject, &links)?;

    let (mut diagnostics, mut suppressed) = (Vec::new(), Vec::new());
    for finding in findings {
        let Some((severity, reason)) = settings::judge(&workspace.declaration, &finding) else { continue };
        let into = if reason.is_some() { &mut suppressed } else { &mut diagnostics };
        into.push(diagnostic(place, &workspace, finding, severity, reason));
    }
    for list in [&mut diagnostics, &mut suppressed] {
        list.sort_by(|a, b| {
            (a.line, a.column, a.rule_id, &a.file).cmp(&(b.line, b.column, b.rule_id, &b.file))
        });
    }
    let name = WorkspaceName {
        name: Some(workspace.declaration.name.clone()),
        root: place.named_root(&workspace.root),
    };
    let declared = Declared {
        file: shown(place, &workspace.path()),
        ok: !diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error),
        diagnostics,
        suppressed,
        links,
    };
    Ok((Some(name), Some(declared)))
}

/// Every finding, in the order of the catalogue.
fn run(subject: &Subject<'_>, links: &[LinkRow]) -> Result<Vec<Finding>, Refusal> {
    let mut findings = members::check(subject).map_err(tree_failed)?;
    findings.extend(settings::check(&subject.workspace.declaration));
    findings.extend(generated::check(subject).map_err(tree_failed)?);
    findings.extend(links::check(subject, links));
    findings.extend(records::check(subject)?);
    findings.extend(secrets::check(subject).map_err(tree_failed)?);
    findings.extend(boxes::check(subject));
    findings.extend(diagrams::check(subject).map_err(tree_failed)?);
    findings.sort_by_key(|finding| finding.check);
    Ok(findings)
}

/// The declared kinds. Under a revision it is only looked whether their files are there.
fn declared_kinds<'w>(
    tree: &dyn Tree,
    loaded: &dyn Tree,
    workspace: &'w Workspace,
) -> Result<Vec<Loaded<'w>>, TreeError> {
    let mut kinds = Vec::new();
    for declared in workspace.declaration.kinds() {
        let file = workspace.at(&declared.path);
        let kind = if !tree.is_file(&file)? {
            let at = crate::members::at(tree);
            Err(Problem::new(codes::KIND_UNREADABLE, format!("kind file {file} does not exist{at}")))
        } else if tree.commit().is_some() {
            Ok(kind::load(loaded, &file).ok())
        } else {
            kind::load(loaded, &file).map(Some).map_err(|refusal| Problem::from(&refusal))
        };
        kinds.push(Loaded { declared, file, kind });
    }
    Ok(kinds)
}

/// A declaration that can't be read is one finding, where the refusal says.
fn unreadable(place: &Place<'_>, found: Option<&Found>, refusal: &Refusal) -> Checked {
    let at = refusal.at.as_ref();
    let path = at.map_or_else(
        || found.map(Found::path).unwrap_or_default(),
        |location| RepoPath::from_path(&location.path),
    );
    let root = found.map_or_else(|| path.parent(), |found| found.root.clone());
    let check = Id::DeclarationUnreadable.check();
    let file = shown(place, &path);
    let diagnostic = Diagnostic {
        file: file.clone(),
        line: at.and_then(|at| at.line).unwrap_or(1),
        column: at.and_then(|at| at.column).unwrap_or(1),
        rule_id: check.id,
        severity: check.severity,
        message: format!("{}: {}", refusal.code, refusal.message),
        entity: None,
        code: Some(refusal.code),
        reason: None,
        path,
    };
    let name = WorkspaceName { name: None, root: place.named_root(&root) };
    let declared = Declared {
        file,
        ok: false,
        diagnostics: vec![diagnostic],
        suppressed: Vec::new(),
        links: Vec::new(),
    };
    (Some(name), Some(declared))
}

fn diagnostic(
    place: &Place<'_>,
    workspace: &Workspace,
    finding: Finding,
    severity: Severity,
    reason: Option<String>,
) -> Diagnostic {
    let (path, line, column) = match finding.spot {
        Spot::Declared(pointer) => {
            let at = workspace.position(&pointer);
            (workspace.path(), at.line, at.column)
        }
        Spot::File(path, line, column) => (path, line, column),
    };
    let check = finding.check.check();
    Diagnostic {
        file: shown(place, &path),
        line,
        column,
        rule_id: check.id,
        severity,
        message: finding.message,
        entity: finding.entity,
        code: finding.code,
        reason,
        path,
    }
}

/// A file as it is named in the folder that the command stands in.
fn shown(place: &Place<'_>, path: &RepoPath) -> String {
    path.seen_from(place.folder()).legible().into_owned()
}

impl Declared {
    /// The active findings in the order of the catalogue, in which people read them.
    pub fn by_check(&self) -> Vec<&Diagnostic> {
        in_catalogue_order(&self.diagnostics)
    }
}

fn in_catalogue_order(diagnostics: &[Diagnostic]) -> Vec<&Diagnostic> {
    let mut sorted: Vec<&Diagnostic> = diagnostics.iter().collect();
    sorted.sort_by_key(|diagnostic| diagnostic.rule_id);
    sorted
}

/// The report as a SARIF log. Its places are named from the top of the repository.
pub fn as_sarif(place: &Place<'_>, report: &Report, tool: sarif::Tool<'_>) -> sarif::Log {
    let level = |severity| match severity {
        Severity::Error => Level::Error,
        Severity::Warning => Level::Warning,
        Severity::Info | Severity::Off => Level::Note,
    };
    let lock_rule = |id, description| sarif::Rule { id, name: id, description, level: Level::Error };
    let mut rules = vec![
        lock_rule("lock-invalid", "The lineage lock can be read."),
        lock_rule("manual-step-open", "No scope of the lineage lock has an open manual step."),
    ];
    rules.extend(CATALOGUE.iter().map(|check| sarif::Rule {
        id: check.id,
        name: check.name,
        description: check.description,
        level: level(check.severity),
    }));
    let lock_paths: Vec<RepoPath> = report
        .findings
        .iter()
        .map(|finding| place.folder().join(finding.path.as_deref().unwrap_or(LOCK)))
        .collect();
    let mut findings: Vec<sarif::Finding<'_>> = report
        .findings
        .iter()
        .zip(&lock_paths)
        .map(|(finding, path)| sarif::Finding {
            rule: finding.code.as_str(),
            level: Level::Error,
            message: &finding.message,
            place: Some(sarif::Place { path, at: Some((1, 1)) }),
            because: None,
        })
        .collect();
    if let Some(declared) = &report.declaration {
        let all = declared.by_check().into_iter().chain(in_catalogue_order(&declared.suppressed));
        findings.extend(all.map(|diagnostic| sarif::Finding {
            rule: diagnostic.rule_id,
            level: level(diagnostic.severity),
            message: &diagnostic.message,
            place: Some(sarif::Place {
                path: &diagnostic.path,
                at: Some((diagnostic.line, diagnostic.column)),
            }),
            because: diagnostic.reason.as_deref(),
        }));
    }
    sarif::log(tool, &rules, &findings)
}
