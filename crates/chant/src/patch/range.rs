//! What a range means.

use gate::Refusal;
use store::git::{Git, MergeBase, ObjectFormat, Objects, Oid};

use super::document::Form;
use super::refuse;
use crate::codes;

/// What is to be compared, as given.
#[derive(Debug, Clone, Copy)]
pub enum Asked<'a> {
    /// `<base>..<head>`, `<base>...<head>` or one commit. A side that is left empty is `HEAD`.
    Range(&'a str),
    /// The working tree against this commit, or against `HEAD`.
    Worktree(Option<&'a str>),
}

/// A range whose ends are commits.
pub(super) struct Resolved {
    pub(super) spec: String,
    pub(super) form: Form,
    pub(super) base: Oid,
    pub(super) head: Option<Oid>,
}

pub(super) fn resolve(git: &Git, asked: Asked<'_>) -> Result<Resolved, Refusal> {
    let objects = git.objects().map_err(refuse)?;
    let (spec, form, base, head) = match asked {
        Asked::Worktree(rev) => (rev.unwrap_or("HEAD"), Form::Worktree, start(git, &objects, rev)?, None),
        Asked::Range(spec) => {
            let (form, base, head) = commits(git, &objects, spec)?;
            (spec, form, base, Some(head))
        }
    };
    Ok(Resolved { spec: spec.to_owned(), form, base, head })
}

fn commits(git: &Git, objects: &Objects, spec: &str) -> Result<(Form, Oid, Oid), Refusal> {
    let or_head = |rev: &str| commit(objects, if rev.is_empty() { "HEAD" } else { rev });
    if let Some((left, right)) = spec.split_once("...") {
        let (left, right) = (or_head(left)?, or_head(right)?);
        return Ok((Form::MergeBase, merge_base(git, spec, &left, &right)?, right));
    }
    if let Some((left, right)) = spec.split_once("..") {
        return Ok((Form::Range, or_head(left)?, or_head(right)?));
    }
    let head = commit(objects, spec)?;
    let base = match objects.first_parent(&head).map_err(refuse)? {
        None => ObjectFormat::of(&head).empty_tree(),
        // Git would show the commit at which a shallow clone ends as if it were the first of all.
        Some(parent) if objects.read(&parent).map_err(refuse)?.is_none() => {
            return Err(cut_off(&format!("the parent of `{}`", spec.escape_debug())));
        }
        Some(parent) => parent,
    };
    Ok((Form::Commit, base, head))
}

/// What the working tree is compared with: before the first commit, nothing.
fn start(git: &Git, objects: &Objects, rev: Option<&str>) -> Result<Oid, Refusal> {
    if let Some(rev) = rev {
        return commit(objects, rev);
    }
    match objects.commit("HEAD").map_err(refuse)? {
        Some(head) => Ok(head),
        None => Ok(git.object_format().map_err(refuse)?.empty_tree()),
    }
}

fn commit(objects: &Objects, rev: &str) -> Result<Oid, Refusal> {
    objects.commit(rev).map_err(refuse)?.ok_or_else(|| {
        let message = format!("`{}` names no commit of this repository", rev.escape_debug());
        Refusal::new(codes::REVISION_UNKNOWN, message)
    })
}

fn merge_base(git: &Git, spec: &str, left: &Oid, right: &Oid) -> Result<Oid, Refusal> {
    match git.merge_base(left.as_str(), right.as_str()).map_err(refuse)? {
        MergeBase::Found(base) => Ok(base),
        MergeBase::None => {
            let message = format!("the two sides of `{}` have no commit in common", spec.escape_debug());
            Err(Refusal::new(codes::REVISION_UNKNOWN, message)
                .hint("compare the two as they are, with `..` between them"))
        }
        MergeBase::CutOff => {
            Err(cut_off(&format!("where the two sides of `{}` parted", spec.escape_debug())))
        }
    }
}

fn cut_off(what: &str) -> Refusal {
    Refusal::new(codes::REVISION_UNKNOWN, format!("{what} lies behind the end of this shallow clone"))
        .hint("fetch the history first: `git fetch --unshallow`")
}
