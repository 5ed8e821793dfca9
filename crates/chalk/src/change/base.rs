//! Where a change begins.

use std::ffi::OsString;

use gate::Refusal;
use schemars::JsonSchema;
use serde::Serialize;
use store::git::{Ancestry, Git, Head, MergeBase, Oid, RepoPath};

use crate::codes;
use crate::content;
use crate::model::{Config, Task};
use crate::session;

/// The commit from which a change is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    /// The commit; none stands for the empty tree.
    pub commit: Option<Oid>,
    /// Why it is this one.
    pub origin: Origin,
}

/// Why a change begins where it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// The task was started there.
    Start,
    /// The branch left the branch that changes go to there.
    Branch,
    /// Nothing else is known, so what is not committed counts.
    Head,
    /// Nothing changed since, so the last commit with content counts.
    LastCommit,
    /// There is no commit before.
    Beginning,
}

impl Origin {
    /// What the change is, in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Start => "everything since the task was started",
            Self::Branch => "everything on this branch",
            Self::Head => "what is not committed",
            Self::LastCommit => "the last commit, as nothing changed since",
            Self::Beginning => "everything, as there is no commit before it",
        }
    }
}

/// What one source says of the base.
enum Said {
    Nothing,
    At(Oid),
    /// The shallow clone does not have it.
    Cut,
}

/// The base that is on record: where the task was started, or where the branch left the branch that changes go to.
/// Of two the later one, so that commits of others that were merged in don't count.
pub(super) fn known(git: &Git, config: &Config, task: &Task, head: &Head) -> Result<Option<Base>, Refusal> {
    let Some(tip) = head.oid() else { return Ok(None) };
    let started = started(git, task, tip)?;
    let branched = match &started {
        // On the branch itself its own commits are the change, also those that are already pushed.
        Said::At(_) | Said::Cut if is_target(config, head) => Said::Nothing,
        _ => branched(git, config, head, tip)?,
    };
    match (started, branched) {
        (Said::At(started), Said::At(branched)) => {
            let later = is_ancestor(git, &branched, &started)?;
            let (commit, origin) = if later { (started, Origin::Start) } else { (branched, Origin::Branch) };
            Ok(Some(Base { commit: Some(commit), origin }))
        }
        // A branch point behind the cut is either before the start, or leaves the change too large at worst.
        (Said::At(commit), _) => Ok(Some(Base { commit: Some(commit), origin: Origin::Start })),
        // All between this commit and HEAD is here, so a start behind the cut lies before it.
        (_, Said::At(commit)) => Ok(Some(Base { commit: Some(commit), origin: Origin::Branch })),
        (Said::Cut, _) | (_, Said::Cut) => Err(cut()),
        (Said::Nothing, Said::Nothing) => Ok(None),
    }
}

/// Whether the commit where the task was started is on record and lies behind `tip`.
pub(super) fn is_started(git: &Git, task: &Task, tip: &Oid) -> Result<bool, Refusal> {
    Ok(matches!(started(git, task, tip)?, Said::At(_)))
}

/// The commit before the last one on this line of history that changed content; none where none did.
pub(super) fn before_last_commit(git: &Git, exclude: &[RepoPath]) -> Result<Option<Base>, Refusal> {
    let mut args: Vec<OsString> =
        ["rev-list", "-1", "--first-parent", "HEAD", "--", "."].map(OsString::from).to_vec();
    args.extend(exclude.iter().map(|path| {
        let mut spec = OsString::from(":(exclude,literal)");
        spec.push(path.to_path());
        spec
    }));
    args.extend(content::left_out_patterns().map(|pattern| format!(":(exclude,glob){pattern}").into()));
    let output = git.output(args).map_err(session::git)?;
    let Some(last) = Oid::parse(String::from_utf8_lossy(&output.stdout).trim()) else { return Ok(None) };
    // Not `HEAD~1`: a commit at the cut of a shallow clone would look like the first one.
    let commit = git.output(["cat-file", "commit", last.as_str()]).map_err(session::git)?.stdout;
    let mut header = commit.split(|&byte| byte == b'\n').take_while(|line| !line.is_empty());
    let parent = header.find_map(|line| line.strip_prefix(b"parent "));
    let Some(parent) = parent.and_then(|oid| Oid::parse(&String::from_utf8_lossy(oid))) else {
        return Ok(Some(Base { commit: None, origin: Origin::Beginning }));
    };
    match git.resolve(parent.as_str()).map_err(session::git)? {
        Some(parent) => Ok(Some(Base { commit: Some(parent), origin: Origin::LastCommit })),
        None => Err(cut()),
    }
}

fn started(git: &Git, task: &Task, tip: &Oid) -> Result<Said, Refusal> {
    let Some(recorded) = task.base().and_then(Oid::parse) else { return Ok(Said::Nothing) };
    let gone =
        |git: &Git| Ok(if git.is_shallow().map_err(session::git)? { Said::Cut } else { Said::Nothing });
    if git.resolve(recorded.as_str()).map_err(session::git)?.is_none() {
        return gone(git);
    }
    match git.is_ancestor(recorded.as_str(), tip.as_str()).map_err(session::git)? {
        Ancestry::Yes => Ok(Said::At(recorded)),
        // Rewritten, rebased away, or another branch is checked out. What both have in common is where the change
        // begins at the latest: an amended start commit must not hide the work that it took in.
        Ancestry::No => match git.merge_base(tip.as_str(), recorded.as_str()).map_err(session::git)? {
            MergeBase::Found(oid) => Ok(Said::At(oid)),
            MergeBase::CutOff => Ok(Said::Cut),
            MergeBase::None => Ok(Said::Nothing),
        },
        Ancestry::CutOff => Ok(Said::Cut),
    }
}

fn branched(git: &Git, config: &Config, head: &Head, tip: &Oid) -> Result<Said, Refusal> {
    let target = config.protocol.github.base.trim();
    if target.is_empty() {
        return Ok(Said::Nothing);
    }
    let mut names = vec![format!("refs/remotes/origin/{target}")];
    if !is_target(config, head) {
        names.insert(0, format!("refs/heads/{target}"));
    }
    let (mut said, mut seen) = (Said::Nothing, false);
    for name in names {
        let Some(other) = git.resolve(&name).map_err(session::git)? else { continue };
        seen = true;
        match (git.merge_base(tip.as_str(), other.as_str()).map_err(session::git)?, &said) {
            // A local branch that lags behind its remote gives an older one.
            (MergeBase::Found(oid), Said::At(before)) if !is_ancestor(git, before, &oid)? => {}
            (MergeBase::Found(oid), _) => said = Said::At(oid),
            (MergeBase::CutOff, Said::Nothing) => said = Said::Cut,
            (MergeBase::CutOff | MergeBase::None, _) => {}
        }
    }
    // A shallow clone has one branch alone, so the absence of the other says nothing.
    if !seen && !is_target(config, head) && git.is_shallow().map_err(session::git)? {
        return Ok(Said::Cut);
    }
    Ok(said)
}

fn is_target(config: &Config, head: &Head) -> bool {
    head.branch() == Some(config.protocol.github.base.trim())
}

fn is_ancestor(git: &Git, a: &Oid, b: &Oid) -> Result<bool, Refusal> {
    Ok(git.is_ancestor(a.as_str(), b.as_str()).map_err(session::git)? == Ancestry::Yes)
}

fn cut() -> Refusal {
    Refusal::new(codes::HISTORY_CUT, "the clone is shallow, and the change begins beyond the cut")
        .hint("fetch the rest with `git fetch --unshallow`, and the branch that changes go to with it")
}
