//! Commands that are for a person alone, and commands that go round a gate.

use gate::event::Decision;

use super::{Act, Found};
use crate::classify::Argv;
use crate::codes;

pub(super) fn judge(act: &Act<'_>) -> Vec<Found> {
    act.effects.commands.iter().filter_map(|argv| person_only(argv).or_else(|| bypass(argv))).collect()
}

fn words(argv: &Argv) -> Vec<&str> {
    argv.arguments().filter(|word| !word.starts_with('-')).collect()
}

/// `cairn approve`, `cairn hook pause|uninstall|install`, `cairn govern ... approve`, `cairn govern queue resolve`, what a
/// person decides of the vault: whoever is judged does not judge.
fn person_only(argv: &Argv) -> Option<Found> {
    let program = argv.program()?;
    if !matches!(program, "cairn" | "chalk" | "chant") {
        return None;
    }
    let words = words(argv);
    let is_for_people = match words.as_slice() {
        ["approve", ..]
        | ["hook", "pause" | "uninstall" | "install" | "resume", ..]
        | ["govern", "deploy", "approve" | "rollback", ..]
        | ["govern", "knowledge", "promote" | "release" | "erase", ..]
        | ["govern", "queue", "resolve", ..] => true,
        // A word that can't be told may be any of these.
        ["hook"] | [] => argv.has_unknown(),
        _ => false,
    };
    is_for_people.then(|| Found {
        decision: Decision::Deny,
        gate: "protected",
        rule: "person-only".to_owned(),
        reason: codes::PERSON_ONLY,
        fact: format!("`{program} {}` is for a person at a terminal", words.join(" ")),
        next: "say what you need, and let the person run it".to_owned(),
        ticket: false,
    })
}

/// git's own hooks switched off, for one command or for good.
fn bypass(argv: &Argv) -> Option<Found> {
    if argv.program() != Some("git") {
        return None;
    }
    let all: Vec<&str> = argv.arguments().collect();
    let names_hooks = |word: &&str| word.to_ascii_lowercase().contains("core.hookspath");
    let sets_hooks = all.iter().any(names_hooks) && {
        let words = words(argv);
        let reads = all.iter().any(|word| matches!(*word, "--get" | "--get-all" | "get" | "-l" | "--list"));
        let in_config = words.first() == Some(&"config");
        // `git config core.hooksPath` alone asks for the value.
        !(in_config && (reads || words.len() == 2 && !all.iter().any(|word| word.starts_with("--unset"))))
    };
    let verb = words(argv).into_iter().next();
    let skips_hooks = all.contains(&"--no-verify")
        || verb == Some("commit") && all.iter().any(|word| is_short_with(word, 'n'));
    if !sets_hooks && !skips_hooks {
        return None;
    }
    let fact =
        if sets_hooks { "it would take git's hooks elsewhere" } else { "it would commit past git's hooks" };
    Some(Found {
        decision: Decision::Deny,
        gate: "protected",
        rule: "git-hooks".to_owned(),
        reason: codes::GATE_BYPASS,
        fact: fact.to_owned(),
        next: "run the command without it, and mend what the hook finds".to_owned(),
        ticket: true,
    })
}

/// Whether a bundle of short flags holds this one: `-n`, `-an`, but not in the value of `-m`.
fn is_short_with(word: &str, flag: char) -> bool {
    let Some(flags) = word.strip_prefix('-').filter(|flags| !flags.starts_with('-')) else { return false };
    let flags = flags.split(['m', 'F', 'C', 'c', 't']).next().unwrap_or_default();
    flags.contains(flag)
}
