//! What a wrapper script tells by its text.

use super::{Agent, Family, names};

/// Longer scripts are programs of their own.
const LONGEST: usize = 64 * 1024;

/// How a script's text can be read.
pub(super) enum Kind<'a> {
    /// As commands.
    Shell,
    /// Only for the names in it, and for the command that its first line names.
    Other(&'a str),
    /// Not at all.
    Unreadable,
}

pub(super) fn kind<'a>(program: &str, text: &'a str) -> Kind<'a> {
    if text.len() > LONGEST || text.contains('\0') {
        return Kind::Unreadable;
    }
    let first = text.lines().next().unwrap_or_default();
    let Some(interpreter) = first.strip_prefix("#!") else {
        let is_shell =
            program.rsplit('/').next().is_some_and(|name| !name.contains('.') || name.ends_with("sh"));
        return if is_shell { Kind::Shell } else { Kind::Other("") };
    };
    // `/bin/sh -e`, `/usr/bin/env bash`
    if interpreter.split(['/', ' ', '\t']).any(|word| word.ends_with("sh")) {
        Kind::Shell
    } else {
        Kind::Other(interpreter)
    }
}

/// The agent that a script in any language names outside its comment lines, when all names in it
/// point to one maker or there is just one agent.
pub(super) fn mentioned(text: &str) -> Option<Agent> {
    let mut agents: Vec<names::Known> = Vec::new();
    let mut makers: Vec<&'static str> = Vec::new();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with(['#', '/', '*']));
    let is_outside = |c: char| !(c.is_ascii_alphanumeric() || "._-/:@".contains(c));
    for word in lines.flat_map(|line| line.split(is_outside)).map(|word| word.trim_end_matches(['.', ':'])) {
        let maker = match names::agent(word).filter(|known| known.distinct) {
            Some(known) => {
                if !agents.contains(&known) {
                    agents.push(known);
                }
                known.maker
            }
            None if word.contains('-') => names::maker(word),
            None => None,
        };
        if let Some(maker) = maker.filter(|maker| !makers.contains(maker)) {
            makers.push(maker);
        }
    }
    let family = match (makers.as_slice(), agents.len()) {
        ([maker], _) => Family::Known(maker),
        ([], 1) => Family::Unknown,
        _ => return None,
    };
    let program = agents.first().map_or("", |known| known.name).to_owned();
    Some(Agent { program, model: None, family })
}
