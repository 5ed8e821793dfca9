//! Verify by execution (G2): what changed is checked by running it, before anything else is done.

use gate::event::{Decision, Event, Tool};

use super::{Act, Found, Known};
use crate::codes;
use crate::policy::{Check, Policy};

/// The marks that say which checks are due: `due:<name>`.
const DUE: &str = "due:";

pub(super) fn judge(act: &Act<'_>, known: &Known<'_>) -> Option<Found> {
    if !act.effects.is_acting() {
        return None;
    }
    let due = known.session.marks.keys().filter_map(|mark| mark.strip_prefix(DUE));
    for name in due {
        let Some(check) = known.policy.checks.get(name) else { continue };
        // The check itself passes, or nothing ever would (G2-4).
        if is_check(check, act.event) {
            return None;
        }
        let command = check.command.join(" ");
        return Some(Found {
            decision: Decision::Deny,
            gate: "G2",
            rule: "G2-1".to_owned(),
            reason: codes::UNVERIFIED,
            fact: format!("what the check {name} is about changed, and `{command}` did not pass since"),
            next: format!("run `{command}` by itself"),
            ticket: false,
        });
    }
    None
}

/// The marks of the checks that a change of these paths makes due.
pub fn dirty(policy: &Policy, paths: &[String]) -> Vec<String> {
    let is_about = |check: &Check| {
        check.paths.iter().any(|pattern| {
            let guard = gate::protected::Scope::Glob(pattern.clone());
            paths.iter().any(|path| guard.holds(path))
        })
    };
    policy
        .checks
        .iter()
        .filter(|(_, check)| is_about(check))
        .map(|(name, _)| format!("{DUE}{name}"))
        .collect()
}

/// Whether the call is this check and nothing beside it: its words, with perhaps more behind them, and no way for a
/// failure to pass as a success.
pub fn is_check(check: &Check, event: &Event) -> bool {
    let Some(Tool::Shell { command, background: false, .. }) = event.call.as_ref().map(|call| &call.tool)
    else {
        return false;
    };
    // Whatever joins, hides or sends away is no plain run.
    if command.contains(['|', ';', '&', '>', '<', '`', '$', '\n', '(']) {
        return false;
    }
    let words: Vec<&str> = command.split_whitespace().collect();
    !check.command.is_empty()
        && words.len() >= check.command.len()
        && words.iter().zip(&check.command).all(|(word, wanted)| word.trim_matches(['"', '\'']) == wanted)
}
