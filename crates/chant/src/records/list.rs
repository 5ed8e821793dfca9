//! `records`: one kind, or every kind that the workspace declares.

use std::collections::HashSet;
use std::{panic, thread};

use gate::Refusal;
use store::git::RepoPath;
use store::tree::Tree;

use super::document::{
    Declared, Document, Failure, KindHead, Listing, Outcome, SCHEMA, Set, Spec, SpecRecord, Summary,
    TrustView,
};
use super::read::{Reading, read};
use super::record::Worktree;
use super::reviews::Need;
use super::times::{GitTimes, NoTimes, Times};
use super::{checkout, decided};
use crate::declaration::{self, Found, Reader, Workspace};
use crate::kind::{self, Kind};
use crate::place::{Place, tree_failed};
use crate::{CONTRACT, codes};

/// What `records` is asked.
#[derive(Debug, Clone, Copy, Default)]
pub struct Query<'q> {
    /// The kind file, as typed; none is every declared kind.
    pub kind: Option<&'q str>,
    /// Leaves superseded records out.
    pub current: bool,
    /// The revision; none is the working tree.
    pub at: Option<&'q str>,
    /// The revision that trust is read at.
    pub base: Option<&'q str>,
    /// Lists only records that `HEAD` does not hold as they are.
    pub uncommitted: bool,
}

/// Lists records.
///
/// # Errors
/// Only what stands before any kind: no `--kind` and no kinds declared, or a declaration that can't be read. What is
/// wrong with a kind is part of the document.
pub fn list(place: &Place, query: &Query) -> Result<Document, Refusal> {
    if let Some(typed) = query.kind {
        return Ok(Document::One(Box::new(one(place, query, &place.typed(typed), None))));
    }
    let workspace = match declared(place, query.at) {
        Ok(workspace) => workspace,
        // What any kind would answer, since nothing of the revision can be read.
        Err(refusal) if matches!(refusal.code, codes::NOT_A_GIT_REPOSITORY | codes::REVISION_UNKNOWN) => {
            return Ok(Document::One(Box::new(Outcome::Failure(Failure::of(&refusal, None)))));
        }
        Err(refusal) if refusal.code == codes::DECLARATION_MISSING => return Err(no_kind()),
        Err(refusal) => return Err(refusal),
    };
    let kinds = workspace.declaration.kinds();
    if kinds.is_empty() {
        return Err(no_kind());
    }
    let mut outcomes = Vec::new();
    for kind in &kinds {
        let declared = Declared {
            member: kind.member.map(str::to_owned),
            path: kind.path.clone(),
            name: kind.name.map(str::to_owned),
        };
        outcomes.push(one(place, query, &workspace.at(&kind.path), Some(declared)));
    }
    let spec = query.current.then(|| spec(&outcomes));
    Ok(Document::Set(Set { schema: SCHEMA, contract: CONTRACT, kinds: outcomes, spec }))
}

/// The declaration around the folder that the command stands in, in the tree that is read.
pub fn declared(place: &Place, at: Option<&str>) -> Result<Workspace, Refusal> {
    let tree = place.tree(at)?;
    let found = place.declared(&*tree)?;
    declaration::read(&*tree, &found, Reader::Any)
}

fn no_kind() -> Refusal {
    Refusal::new(codes::WRITE_USAGE_INVALID, "--kind <kind file> is required")
        .hint("or declare the workspace's kinds under `records` in chant.workspace.json")
}

fn one(place: &Place, query: &Query, file: &RepoPath, declared: Option<Declared>) -> Outcome {
    match listing(place, query, file) {
        Ok(listing) => Outcome::Listing(Box::new(Listing { declared, ..listing })),
        Err(refusal) => Outcome::Failure(Failure::of(&refusal, declared)),
    }
}

/// The workspace around a kind file: the nearest declaration above it, or the top of the repository.
pub fn around(tree: &dyn Tree, file: &RepoPath) -> Result<(RepoPath, Need), Refusal> {
    let found: Option<Found> = declaration::discover(tree, &file.parent()).ok();
    let Some(found) = found else { return Ok((RepoPath::default(), Need::declared(None))) };
    // A declaration that can't be read still says where its workspace is.
    let quorum =
        declaration::read(tree, &found, Reader::Any).ok().and_then(|workspace| workspace.declaration.quorum);
    Ok((found.root, Need::declared(quorum)))
}

fn listing(place: &Place, query: &Query, file: &RepoPath) -> Result<Listing, Refusal> {
    if query.uncommitted {
        place.repository()?;
    }
    let tree = place.tree(query.at)?;
    let kinds = place.kinds(query.at)?;
    let kind = kind::load(&*kinds, file)?;
    let trust = place.trust(query.base)?;
    let (workspace, need) = around(&*tree, file)?;
    let head = place.head()?;
    let rev = tree.commit().cloned().or(head);
    let reading = Reading {
        tree: &*tree,
        kinds: &*kinds,
        workspace: &workspace,
        need,
        judge: &trust,
        env: &place.world.env,
    };
    let mut times: Box<dyn Times> = match &rev {
        Some(rev) => Box::new(GitTimes::new(place.git(), rev.as_str())),
        None => Box::new(NoTimes),
    };
    // Git answers while the records are read.
    let git = place.git();
    let (mut found, history, changed) = thread::scope(|scope| {
        let history = scope.spawn(|| decided::folder(&kind, git, rev.as_ref()));
        let changed = scope.spawn(|| match query.at {
            None if rev.is_some() => checkout::changed(git, &kind.folder),
            _ => Ok(HashSet::new()),
        });
        let found = read(&reading, &kind, &mut *times);
        let joined = (history.join(), changed.join());
        let (Ok(history), Ok(changed)) = joined else { panic::resume_unwind(Box::new("git was not asked")) };
        Ok::<_, Refusal>((found?, history?, changed?))
    })?;
    let checkout = match query.at {
        None => checkout::compare(place, &kind, &mut found.records, &trust, &changed)?,
        Some(_) => None,
    };
    let is_repository = place.objects()?.is_some();
    if let (Some(objects), Some(rev)) = (place.objects()?, &rev) {
        let revision = place.revision(rev.as_str())?;
        decided::fill(&kind, &mut found.records, git, objects, &revision, history)?;
        checkout::provenance(&trust, rev.as_str(), &mut found.records)?;
    } else if is_repository {
        decided::none(&kind, &mut found.records);
    }
    let superseded = found.records.iter().filter(|record| record.superseded_by.is_some()).count();
    let mut records = found.records;
    records.retain(|record| {
        (!query.current || record.superseded_by.is_none())
            && (!query.uncommitted || record.worktree != Some(Worktree::Committed))
    });
    let valid = records.iter().filter(|record| record.valid).count();
    Ok(Listing {
        schema: SCHEMA,
        contract: CONTRACT,
        declared: None,
        kind: KindHead::of(&kind),
        at: tree.commit().map(ToString::to_string),
        workspace_root: if workspace.is_empty() { ".".to_owned() } else { workspace.to_string() },
        current: query.current,
        uncommitted: query.uncommitted,
        checkout,
        trust: is_repository.then(|| TrustView::of(&trust)),
        summary: Summary { total: records.len(), valid, invalid: records.len() - valid, superseded },
        records,
        decisions: found.decisions,
    })
}

fn spec(outcomes: &[Outcome]) -> Spec {
    let mut spec = Spec { kinds: Vec::new(), records: Vec::new() };
    for outcome in outcomes {
        let Outcome::Listing(listing) = outcome else { continue };
        let (Some(declared), true) = (&listing.declared, listing.kind.spec) else { continue };
        spec.kinds.push(declared.clone());
        spec.records.extend(listing.records.iter().map(|record| SpecRecord {
            kind: listing.kind.name.clone(),
            id: record.id.clone(),
            path: record.path.to_string(),
            state: record.state.clone(),
            valid: record.valid,
            digest: record.digest.map(|digest| digest.to_string()).unwrap_or_default(),
            assets: record.assets.clone(),
        }));
    }
    spec
}

impl Document {
    /// Whether a kind could not be read.
    pub fn is_failure(&self) -> bool {
        self.outcomes().any(|outcome| matches!(outcome, Outcome::Failure(_)))
    }

    /// Whether every record's file is attested at base.
    pub fn is_attested(&self) -> bool {
        let attested = |record: &super::Record| {
            record.provenance.as_ref().is_some_and(|provenance| provenance.level == "attested")
        };
        self.outcomes().all(|outcome| match outcome {
            Outcome::Listing(listing) => listing.records.iter().all(attested),
            Outcome::Failure(_) => false,
        })
    }

    pub(super) fn outcomes(&self) -> Box<dyn Iterator<Item = &Outcome> + '_> {
        match self {
            Self::One(outcome) => Box::new(std::iter::once(&**outcome)),
            Self::Set(set) => Box::new(set.kinds.iter()),
        }
    }
}

/// The kind that a command line names: a file, or the name of a declared kind.
pub fn named(place: &Place, typed: &str) -> Result<Kind, Refusal> {
    let tree = place.work_tree();
    let file = place.typed(typed);
    if tree.is_file(&file).map_err(tree_failed)? || typed.contains('.') {
        return kind::load(&tree, &file);
    }
    let workspace = declared(place, None)?;
    let kinds = workspace.declaration.kinds();
    let is_named = |kind: &&declaration::DeclaredKind<'_>| {
        let file = kind.path.rsplit('/').next().unwrap_or_default();
        kind.name == Some(typed) || file.strip_suffix(".kind.mjs") == Some(typed)
    };
    if let Some(kind) = kinds.iter().find(is_named) {
        return kind::load(&tree, &workspace.at(&kind.path));
    }
    let known: Vec<&str> = kinds.iter().map(|kind| kind.name.unwrap_or(&kind.path)).collect();
    let message = format!("`{typed}` is no kind of this workspace; it declares {}", known.join(", "));
    Err(Refusal::new(codes::WRITE_USAGE_INVALID, message))
}
