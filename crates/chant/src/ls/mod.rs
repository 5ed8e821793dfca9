//! `workspace ls`: what a workspace holds, from its declaration and its directories.
//!
//! A member that can't be read is listed with the reason; only a declaration that can't be read is an error.

mod command;
mod document;
mod generated;
mod jobs;

use gate::Refusal;
use store::git::RepoPath;
use store::tree::{Tree, TreeError};

use crate::declaration::{Declaration, DeclaredKind, Workspace};
use crate::kind::{self, Outline};
use crate::members::{self, Installed, Kinds};
use crate::{CONTRACT, Cairn, LEVEL, Problem, codes};

pub(crate) use generated::{NotedFile, noted};
pub(crate) use jobs::is_pipeline;

pub use command::read;
pub use document::{
    Acceptance, AgentsFrom, Diagram, Failed, Failure, Generated, Group, Listing, Location, Member, Pin,
    RecordKind, Renderer, Role, SCHEMA, Summary, WorkspaceEntry,
};

/// What a listing is made from.
pub struct Query<'a> {
    /// The tree that is read.
    pub tree: &'a dyn Tree,
    /// Where kind files are loaded from: the working tree, also where another tree is read.
    pub loaded: &'a dyn Tree,
    /// The declaration in `tree`.
    pub workspace: &'a Workspace,
    /// The declaration at base, which says what agent sessions there are; none where there is no base, and where a
    /// revision is read.
    pub base: Option<&'a Declaration>,
    /// Where packages are installed; none without a working tree.
    pub installed: Option<&'a Installed>,
    /// The workspace root as the document has it: from the top of the repository with `.` for the top itself, or an
    /// absolute path outside of one.
    pub root: String,
    /// How far the current work items of the kind with this file are; none where they can't be read. Asked only of
    /// kinds with criteria.
    pub acceptance: &'a dyn Fn(&RepoPath) -> Option<Vec<Acceptance>>,
}

/// Lists the workspace.
///
/// # Errors
/// `placement-invalid` where an example group matches what it may not, or a tree that can't be read.
pub fn list(query: &Query<'_>) -> Result<Listing, Refusal> {
    let Query { tree, workspace, .. } = *query;
    let declaration = &workspace.declaration;
    let unreadable =
        |error: TreeError| workspace.refuse(codes::DECLARATION_UNPARSEABLE, error.to_string(), "/members");
    let kinds = Kinds::load(query.loaded, &workspace.root, &declaration.pins, query.installed);
    let groups = members::groups(tree, workspace)?;
    let sessions = query.base.unwrap_or(declaration);
    let records = records(query);

    let mut listed = Vec::new();
    for (_, member) in declaration.members() {
        let reason = members::reason(tree, workspace, member, &kinds).map_err(unreadable)?;
        let agents = sessions.agents.iter().filter(|agent| agent.members.contains(&member.name));
        listed.push(Member {
            name: member.name.clone(),
            dir: member.dir.clone(),
            kind: member.kind.clone(),
            roles: member
                .roles
                .iter()
                .map(|role| Role { name: role.name.clone(), path: role.path.clone() })
                .collect(),
            upstream: member.upstream.clone(),
            because: member.because.clone(),
            readable: reason.is_none(),
            reason,
            records: of(&records, Some(&member.name)),
            generated: generated::files(tree, workspace, member).map_err(unreadable)?,
            agents: agents.map(|agent| agent.name.clone()).collect(),
            extensions: member.extensions(),
        });
    }
    let groups: Vec<Group> = groups.into_iter().map(|matches| group(tree, matches)).collect();
    let summary = Summary {
        members: listed.len(),
        unreadable: listed.iter().filter(|member| !member.readable).count(),
        groups: groups.len(),
        matches: groups.iter().map(|group| group.matches.len()).sum(),
    };
    Ok(Listing {
        schema: SCHEMA,
        contract: CONTRACT,
        chant: LEVEL,
        cairn: Cairn::THIS,
        at: tree.commit().map(ToString::to_string),
        workspace: WorkspaceEntry {
            name: declaration.name.clone(),
            root: query.root.clone(),
            file: workspace.file,
            schema: declaration.schema,
            min_reader: declaration.min_reader.clone(),
            pins: declaration.pins.iter().cloned().map(Pin::from).collect(),
            records: of(&records, None),
            agents_from: match (tree.commit(), query.base) {
                (Some(_), _) => AgentsFrom::At,
                (None, Some(_)) => AgentsFrom::Base,
                (None, None) => AgentsFrom::WorkingTree,
            },
            extensions: declaration.extensions(),
        },
        members: listed,
        groups,
        diagrams: declaration.all_diagrams().into_iter().map(Diagram::from).collect(),
        summary,
    })
}

fn group(tree: &dyn Tree, matches: members::Matches<'_>) -> Group {
    let reason = matches.projects.is_empty().then(|| {
        let globs = matches.group.glob.join(" or ");
        Problem::new(
            codes::NO_MATCHES,
            format!("no directory that {globs} matches{} holds a chant project", members::at(tree)),
        )
    });
    Group {
        name: matches.group.name.clone(),
        kind: matches.group.kind.clone(),
        glob: matches.group.glob.clone(),
        matches: matches.projects,
        skipped: matches.skipped,
        reason,
    }
}

/// A declared kind with the member that declares it.
type Owned = (Option<String>, RecordKind);

fn of(records: &[Owned], member: Option<&str>) -> Vec<RecordKind> {
    records.iter().filter(|(owner, _)| owner.as_deref() == member).map(|(_, record)| record.clone()).collect()
}

fn records(query: &Query<'_>) -> Vec<Owned> {
    let declared = query.workspace.declaration.kinds();
    declared.iter().map(|kind| (kind.member.map(str::to_owned), record_kind(query, kind))).collect()
}

fn record_kind(query: &Query<'_>, declared: &DeclaredKind<'_>) -> RecordKind {
    let file = query.workspace.at(&declared.path);
    let (own, has_criteria, reason) = match outline(query, &file) {
        Ok(Outline { name, has_criteria }) => (Some(name), has_criteria, None),
        Err(problem) => (None, false, Some(problem)),
    };
    RecordKind {
        name: declared.name.map(str::to_owned).or_else(|| own.clone()),
        path: declared.path.clone(),
        kind: own,
        reason,
        acceptance: if has_criteria { (query.acceptance)(&file) } else { None },
    }
}

/// A kind file is looked for in the tree that is read, and loaded from the working tree.
fn outline(query: &Query<'_>, file: &RepoPath) -> Result<Outline, Problem> {
    let there = query.tree.is_file(file);
    if !there.map_err(|error| Problem::new(codes::KIND_UNREADABLE, error.to_string()))? {
        let message = format!("kind file {file} does not exist{}", members::at(query.tree));
        return Err(Problem::new(codes::KIND_UNREADABLE, message));
    }
    kind::outline(query.loaded, file).map_err(|refusal| Problem::from(&refusal))
}

#[cfg(test)]
mod tests;
