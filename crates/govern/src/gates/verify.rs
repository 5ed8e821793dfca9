//! Verify by execution (G2): what changed is checked by running it, before anything else is done.
//!
//! A check that failed since would lock the session for good if nothing but the check passed: what it is about may then
//! be mended, until it passes.

use std::path::{Path, PathBuf};

use gate::event::{Decision, Event, Tool};
use gate::protected::Scope;

use super::{Act, Found, Known, Touched, plan};
use crate::classify::{Certainty, Effects, Place};
use crate::codes;
use crate::policy::{Check, Policy};

/// The marks that say which checks are due: `due:<name>`.
const DUE: &str = "due:";

/// What such a mark carries once the check ran and failed.
pub const RED: &str = "red";

pub(super) fn judge(act: &Act<'_>, known: &Known<'_>) -> Option<Found> {
    if !act.effects.is_acting() || plan::is_about_plans(act) {
        return None;
    }
    let marks = known.session.marks.iter();
    let due: Vec<(&str, &Check, bool)> = marks
        .filter_map(|(mark, value)| {
            let name = mark.strip_prefix(DUE)?;
            Some((name, known.policy.checks.get(name)?, value == RED))
        })
        .collect();
    // The check itself passes, or nothing ever would (G2-4).
    if due.iter().any(|(_, check, _)| is_check(check, act.event, act.effects, known.root)) {
        return None;
    }
    // One that did not run yet comes before those that failed.
    let (name, check, is_red) = due.iter().find(|(.., is_red)| !is_red).or_else(|| due.first())?;
    let patterns: Vec<&str> = due.iter().flat_map(|(_, check, _)| &check.paths).map(String::as_str).collect();
    if *is_red && mends(act, known, &patterns) {
        return None;
    }
    let command = shown(check);
    let run = match act.event.cwd.as_deref() {
        Some(cwd) if cwd != known.root => {
            format!("cd {} && {command}", gate::words::quote(&known.root.to_string_lossy()))
        }
        _ => command.clone(),
    };
    let (fact, next) = if *is_red {
        (
            format!("`{command}` failed since what the check {name} is about changed"),
            format!("run `{run}` again, by itself, or mend what it is about: {}", patterns.join(", ")),
        )
    } else {
        (
            format!("what the check {name} is about changed, and `{command}` did not pass since"),
            format!("run `{run}` by itself"),
        )
    };
    Some(unverified(fact, next))
}

/// The denial of a step that comes before what changed was verified (G2-1).
pub(super) fn unverified(fact: String, next: String) -> Found {
    Found {
        decision: Decision::Deny,
        gate: "G2",
        rule: "G2-1".to_owned(),
        reason: codes::UNVERIFIED,
        fact,
        next,
        ticket: false,
    }
}

/// The command as a shell takes it.
fn shown(check: &Check) -> String {
    check.command.iter().map(|word| gate::words::quote(word)).collect::<Vec<_>>().join(" ")
}

/// The mark of a check that is due.
pub fn due(name: &str) -> String {
    format!("{DUE}{name}")
}

/// The names of the checks that a change of these paths makes due.
pub fn dirty(policy: &Policy, paths: &[String]) -> Vec<String> {
    let is_about = |check: &Check| {
        check.paths.iter().any(|pattern| {
            let guard = Scope::Glob(pattern.clone());
            paths.iter().any(|path| guard.holds(path))
        })
    };
    policy.checks.iter().filter(|(_, check)| is_about(check)).map(|(name, _)| name.clone()).collect()
}

/// The names of the checks that a call is.
pub fn ran(policy: &Policy, event: &Event, effects: &Effects, root: &Path) -> Vec<String> {
    let checks = policy.checks.iter().filter(|(_, check)| is_check(check, event, effects, root));
    checks.map(|(name, _)| name.clone()).collect()
}

/// Whether the call is this check and nothing beside it: its words, with perhaps more behind them, at the top of the
/// repository, and no way for a failure to pass as a success.
fn is_check(check: &Check, event: &Event, effects: &Effects, root: &Path) -> bool {
    let tool = event.call.as_ref().map(|call| &call.tool);
    let (Some(Tool::Shell { background: false, .. }), Some(alone)) = (tool, &effects.alone) else {
        return false;
    };
    !check.command.is_empty()
        && alone.folder.as_deref().is_none_or(|folder| folder == root)
        && alone.words.starts_with(&check.command)
}

/// Whether the call changes only what these patterns match.
fn mends(act: &Act<'_>, known: &Known<'_>, patterns: &[&str]) -> bool {
    let effects = act.effects;
    let is_plain =
        effects.certainty == Certainty::Known && !effects.acts && !effects.starts_agent && !effects.network;
    let is_back = puts_back(act, known);
    let is_within = |change: &Touched<'_>| match &change.target.place {
        Place::Path(_) => {
            let is_tree = change.target.tree;
            let is_held = |path: &PathBuf| {
                let name = known.name(path);
                let is_file = !is_tree || is_back || (known.file)(path).is_some();
                is_file && holds(patterns, &name) || is_tree && holds_below(patterns, &name)
            };
            // Where links lead is where it is written.
            let places = if change.paths.len() > 1 { &change.paths[1..] } else { &change.paths[..] };
            !places.is_empty() && places.iter().all(is_held)
        }
        // Git goes through no link; another program might.
        Place::Pattern(pattern) => {
            let is_open = |part: &&str| part.contains(['*', '?', '[', '\\']);
            let start: Vec<&str> = pattern.split('/').take_while(|part| !is_open(part)).collect();
            is_back && holds_below(patterns, &known.name(Path::new(&start.join("/"))))
        }
        Place::Unknown => false,
    };
    (is_plain || is_back) && !act.changes.is_empty() && act.changes.iter().all(is_within)
}

fn holds(patterns: &[&str], name: &str) -> bool {
    patterns.iter().any(|pattern| Scope::Glob((*pattern).to_owned()).holds(name))
}

/// Whether whatever lies below a folder is matched.
fn holds_below(patterns: &[&str], name: &str) -> bool {
    let is_relative = !Path::new(name).is_absolute();
    patterns.iter().any(|pattern| match pattern.strip_suffix("/**") {
        Some(above) => Path::new(name).ancestors().any(|folder| holds(&[above], &folder.to_string_lossy())),
        None => *pattern == "**" && is_relative,
    })
}

/// `git restore` and `git checkout` of paths, which bring them back as git has them.
fn puts_back(act: &Act<'_>, known: &Known<'_>) -> bool {
    let Some(alone) = &act.effects.alone else { return false };
    let words: Vec<&str> = alone.words.iter().map(String::as_str).collect();
    let ["git", verb, rest @ ..] = words.as_slice() else { return false };
    // Such a pathspec names more than is listed.
    if rest.iter().any(|word| word.starts_with(':')) {
        return false;
    }
    let behind = rest.iter().position(|word| *word == "--");
    let before = &rest[..behind.unwrap_or(rest.len())];
    let is_harmless = |word: &&str| {
        !word.starts_with('-')
            || matches!(*word, "-s" | "--source" | "-W" | "--worktree" | "-S" | "--staged" | "-q" | "--quiet")
            || word.starts_with("--source=")
    };
    match *verb {
        "restore" => act.effects.certainty == Certainty::Known && before.iter().all(is_harmless),
        "checkout" if behind.is_some() => {
            matches!(before, [] | [_]) && !before.iter().any(|word| word.starts_with('-'))
        }
        // A word that names no file may be a branch.
        "checkout" => {
            let is_file = |change: &Touched<'_>| change.paths.iter().any(|path| (known.file)(path).is_some());
            !before.iter().any(|word| word.starts_with('-')) && act.changes.iter().all(is_file)
        }
        _ => false,
    }
}
