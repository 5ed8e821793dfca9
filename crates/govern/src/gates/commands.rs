//! Commands that are for a person alone, and commands that go round a gate.

use gate::event::Decision;

use super::{Act, Found};
use crate::classify::{Argv, Effects, Fed, OWN};
use crate::codes;

pub(super) fn judge(act: &Act<'_>) -> Vec<Found> {
    act.effects
        .commands
        .iter()
        .filter_map(|argv| person_only(argv).or_else(|| handed_on(argv)).or_else(|| bypass(argv)))
        .chain(act.effects.fed.iter().filter_map(fed))
        .collect()
}

fn words(argv: &Argv) -> Vec<&str> {
    argv.arguments().filter(|word| !word.starts_with('-')).collect()
}

/// Programs that run what they are given, in a terminal of its own or in code.
const RUNNERS: &[&str] = &[
    "abduco",
    "at",
    "awk",
    "bun",
    "byobu",
    "deno",
    "dtach",
    "expect",
    "gawk",
    "lua",
    "luajit",
    "node",
    "nodejs",
    "osascript",
    "parallel",
    "perl",
    "php",
    "pypy",
    "python",
    "ruby",
    "screen",
    "script",
    "socat",
    "ssh",
    "systemd-run",
    "tclsh",
    "tmux",
    "tsx",
    "unbuffer",
    "watch",
    "wish",
    "xargs",
    "zellij",
];

/// Shells, whose code is read word by word elsewhere.
const SHELLS: &[&str] = &["ash", "bash", "dash", "fish", "ksh", "mksh", "pwsh", "sh", "tcsh", "zsh"];

/// `approve`, `hook pause|uninstall|install`, `govern ... approve`, `govern queue resolve`, what a person decides of the
/// vault: whoever is judged does not judge.
fn is_for_people(words: &[&str]) -> bool {
    matches!(
        words,
        ["approve", ..]
            | ["hook", "pause" | "uninstall" | "install" | "resume", ..]
            | ["govern", "deploy", "approve" | "rollback" | "mend", ..]
            | ["govern", "knowledge", "promote" | "release" | "erase", ..]
            | ["govern", "queue", "resolve", ..]
    )
}

/// Whether a call runs commands of this program, and beside them only git and what prints or enters a folder.
pub fn runs_own(effects: &Effects) -> bool {
    let is_own = |argv: &Argv| argv.program().is_some_and(|program| OWN.contains(&program));
    let is_beside = |argv: &Argv| {
        matches!(argv.program(), Some("git" | "cd" | "echo" | "printf" | "cat" | "true" | "head" | "tail"))
    };
    let commands = &effects.commands;
    commands.iter().any(is_own) && commands.iter().all(|argv| is_own(argv) || is_beside(argv))
}

pub(super) fn person_only(argv: &Argv) -> Option<Found> {
    if !OWN.contains(&argv.program()?) {
        return None;
    }
    let asks_for_help = argv.arguments().take_while(|word| *word != "--").any(|word| word == "--help");
    let words = words(argv);
    // A word that can't be told may be any of these.
    let is_open =
        matches!(words.as_slice(), [] | ["hook" | "govern"] | ["govern", "deploy" | "knowledge" | "queue"])
            && argv.has_unknown();
    if asks_for_help && !argv.has_unknown() || !is_for_people(&words) && !is_open {
        return None;
    }
    Some(denied(&typed(argv), "is for a person at a terminal"))
}

/// A person-only command in the words of a program that runs what it is given.
fn handed_on(argv: &Argv) -> Option<Found> {
    let text = argv.arguments().collect::<Vec<_>>().join(" ");
    (RUNNERS.contains(&plain(argv)?) && runs_for_people(&text))
        .then(|| denied(&typed(argv), "runs a command that is for a person at a terminal"))
}

/// A person-only command in the code that an interpreter is given on its standard input. A shell's code was read as
/// what it is, where all of it is known.
fn fed(fed: &Fed) -> Option<Found> {
    let program = plain(&fed.argv)?;
    let reads_code = RUNNERS.contains(&program) || SHELLS.contains(&program) && !fed.is_whole;
    (reads_code && runs_for_people(&fed.text)).then(|| {
        denied(&typed(&fed.argv), "is given code that runs a command which is for a person at a terminal")
    })
}

/// The name of a program without its version.
fn plain(argv: &Argv) -> Option<&str> {
    Some(argv.program()?.trim_end_matches(|last: char| last.is_ascii_digit() || last == '.'))
}

/// Whether code holds a person-only command, word behind word.
fn runs_for_people(text: &str) -> bool {
    let parts = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_')));
    let words: Vec<&str> = parts.filter(|word| !word.is_empty() && !word.starts_with('-')).collect();
    let holds = |at: usize| OWN.contains(&words[at]) && is_for_people(&words[at + 1..]);
    (0..words.len()).any(holds)
}

fn denied(shown: &str, what: &str) -> Found {
    Found {
        decision: Decision::Deny,
        gate: "protected",
        rule: "person-only".to_owned(),
        reason: codes::PERSON_ONLY,
        fact: format!("`{shown}` {what}"),
        next: "say what you need, and let the person run it".to_owned(),
        ticket: false,
    }
}

/// The command as it was written, on one line.
fn typed(argv: &Argv) -> String {
    let word = |word: &Option<String>| match word {
        Some(word) if word.is_empty() || word.contains(char::is_whitespace) => format!("'{word}'"),
        Some(word) => word.clone(),
        None => "...".to_owned(),
    };
    let words: Vec<String> = argv.0.iter().map(word).collect();
    canon::text::clip(&canon::text::one_line(&words.join(" ")), 200)
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
