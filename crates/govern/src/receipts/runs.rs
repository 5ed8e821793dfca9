//! Which commands a shell was given, as digests: enough to find out later whether a command that an agent names is
//! among them.

use canon::Sha256;
use gate::words;

/// How many simple commands of a command line are kept.
const COMMANDS: usize = 6;
/// How many of its first words name a command.
const WORDS: usize = 3;

/// The short digest of a text.
pub fn short(text: &str) -> String {
    Sha256::of(text).short()
}

/// The short digests of every simple command of a line: all of its words, and its first one, two and three.
pub(crate) fn of(command: &str) -> Vec<String> {
    let mut found = Vec::new();
    for words in simple(command).into_iter().take(COMMANDS) {
        for count in (1..=WORDS.min(words.len())).chain([words.len()]) {
            let digest = short(&words[..count].join(" "));
            if !found.contains(&digest) {
                found.push(digest);
            }
        }
    }
    found
}

/// The short digest of the one command that an agent names; none where it names nothing that a shell would run.
pub(crate) fn named(command: &str) -> Option<String> {
    let commands = simple(command);
    let words = commands.last()?;
    Some(short(&words.join(" ")))
}

/// The words of each simple command, without assignments before it and with the program's plain name.
pub(crate) fn simple(command: &str) -> Vec<Vec<String>> {
    let mut commands = Vec::new();
    for words in words::commands(command) {
        let mut words: Vec<String> = words.into_iter().skip_while(|word| is_assignment(word)).collect();
        if let Some(program) = words.first_mut() {
            *program = words::base_name(program).to_owned();
            commands.push(words);
        }
    }
    commands
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_found_by_its_beginning_wherever_it_stands() {
        let runs = of("cd sub && RUST_LOG=debug /usr/bin/cargo test -p store --locked 2>&1 | tail -5");
        for named_as in [
            "cargo test",
            "cargo",
            "cargo test -p",
            "cargo test -p store --locked",
            "tail -5",
            "X=1 cargo test",
        ] {
            assert!(runs.contains(&named(named_as).unwrap()), "{named_as}");
        }
        for other in ["cargo build", "test", "cargo test -p canon"] {
            assert!(!runs.contains(&named(other).unwrap()), "{other}");
        }
        assert_eq!(named("  "), None);
    }
}
