//! Commands that are for a person alone, and commands that go round a gate.

use gate::event::{Decision, Tool};

use super::{Act, Found};
use crate::classify::{Argv, Effects, Fed, OWN};
use crate::codes;

pub(super) fn judge(act: &Act<'_>) -> Vec<Found> {
    act.effects
        .commands
        .iter()
        .filter_map(|argv| person_only(argv).or_else(|| handed_on(argv)).or_else(|| bypass(argv)))
        .chain(act.effects.fed.iter().filter_map(fed))
        .chain(by_environment(act))
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
    "make",
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

/// `approve` with the name of a ticket, by whatever name the program is called.
fn grants(words: &[&str]) -> bool {
    matches!(words, ["approve", id, ..] if id.len() == 8 && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

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
    // A program that can't be told, or of another name, may be this one.
    let is_own = argv.program().is_none_or(|program| OWN.contains(&program));
    if !is_own && !grants(&words(argv)) {
        return None;
    }
    let asks_for_help = argv.arguments().take_while(|word| *word != "--").any(|word| word == "--help");
    let words = words(argv);
    // A word that can't be told may be any of these.
    let is_open = argv.program().is_some()
        && matches!(
            words.as_slice(),
            [] | ["hook" | "govern"] | ["govern", "deploy" | "knowledge" | "queue"]
        )
        && argv.has_unknown();
    if asks_for_help && !argv.has_unknown() || !is_for_people(&words) && !is_open {
        return None;
    }
    Some(denied(&typed(argv), "is for a person at a terminal"))
}

/// A person-only command in the words of a program that runs what it is given.
fn handed_on(argv: &Argv) -> Option<Found> {
    let text = argv.arguments().collect::<Vec<_>>().join(" ");
    let program = plain(argv)?;
    // git runs what an alias, an editor and a rebase are given.
    let is_runner = RUNNERS.contains(&program) || program == "git" && argv.arguments().any(is_code_of_git);
    (is_runner && runs_for_people(&text))
        .then(|| denied(&typed(argv), "runs a command that is for a person at a terminal"))
}

fn is_code_of_git(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    word == "-x"
        || lower.starts_with("--exec")
        || lower.starts_with("alias.") && lower.contains("=!")
        || lower.starts_with("core.") && lower.contains('=')
        || lower.starts_with("sequence.editor=")
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
    let holds =
        |at: usize| OWN.contains(&words[at]) && is_for_people(&words[at + 1..]) || grants(&words[at..]);
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
    // Another file of settings may hold it.
    let names_hooks = |word: &&str| {
        let word = word.to_ascii_lowercase();
        word.contains("core.hookspath")
            || word == "include.path"
            || word.starts_with("include.path=")
            || word.starts_with("includeif.")
    };
    let sets_hooks = all.iter().any(names_hooks) && {
        let words = words(argv);
        let reads = all.iter().any(|word| matches!(*word, "--get" | "--get-all" | "get" | "-l" | "--list"));
        let in_config = words.first() == Some(&"config");
        // `git config core.hooksPath` alone asks for the value.
        !(in_config && (reads || words.len() == 2 && !all.iter().any(|word| word.starts_with("--unset"))))
    };
    let verb = words(argv).into_iter().next();
    // git takes a long flag by its first letters.
    let is_no_verify = |word: &&str| word.len() > "--no-v".len() && "--no-verify".starts_with(*word);
    let skips_hooks = all.iter().any(is_no_verify)
        || verb == Some("commit") && all.iter().any(|word| is_short_with(word, 'n'));
    if !sets_hooks && !skips_hooks {
        return None;
    }
    let fact =
        if sets_hooks { "it would take git's hooks elsewhere" } else { "it would go past git's hooks" };
    Some(Found { fact: fact.to_owned(), ..past_hooks() })
}

fn past_hooks() -> Found {
    Found {
        decision: Decision::Deny,
        gate: "protected",
        rule: "git-hooks".to_owned(),
        reason: codes::GATE_BYPASS,
        fact: "it gives git other settings, which may take its hooks elsewhere".to_owned(),
        next: "run the command without it, and mend what the hook finds".to_owned(),
        ticket: true,
    }
}

/// git's settings given in its environment, where they may switch its hooks off.
fn by_environment(act: &Act<'_>) -> Option<Found> {
    const SETTINGS: [&str; 5] = [
        "GIT_CONFIG_COUNT=",
        "GIT_CONFIG_PARAMETERS=",
        "GIT_CONFIG_GLOBAL=",
        "GIT_CONFIG_SYSTEM=",
        "GIT_CONFIG=",
    ];
    const WITH_HOOKS: [&str; 9] =
        ["am", "cherry-pick", "checkout", "commit", "merge", "pull", "push", "rebase", "revert"];
    let Some(Tool::Shell { command, .. }) = act.event.call.as_ref().map(|call| &call.tool) else {
        return None;
    };
    let runs_hooks = |argv: &Argv| {
        argv.program() == Some("git") && words(argv).iter().any(|word| WITH_HOOKS.contains(word))
    };
    let is_set = SETTINGS.iter().any(|name| command.contains(name));
    (is_set && act.effects.commands.iter().any(runs_hooks)).then(past_hooks)
}

/// Whether a bundle of short flags holds this one: `-n`, `-an`, but not in the value of `-m`.
fn is_short_with(word: &str, flag: char) -> bool {
    let Some(flags) = word.strip_prefix('-').filter(|flags| !flags.starts_with('-')) else { return false };
    let flags = flags.split(['m', 'F', 'C', 'c', 't']).next().unwrap_or_default();
    flags.contains(flag)
}
