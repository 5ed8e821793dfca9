//! The bridge files of opencode: JavaScript that starts the program for each event and denies when it does not answer.

use canon::json::compact;
use gate::Refusal;
use serde_json::Value;

use super::{Origin, Target, Undo, install_command};
use crate::codes;

const FIRST: &str = include_str!("bridge/opencode.js");
const SECOND: &str = include_str!("bridge/opencode2.js");
const CALL: &str = include_str!("bridge/call.js");

/// With what a bridge file begins, whatever version of cairn wrote it.
const MARK: &str = "// cairn bridge";

/// The bridge for a version of opencode that starts `program`.
pub(super) fn text(version: u8, program: &str) -> String {
    let (agent, plugin) = if version == 2 { ("opencode2", SECOND) } else { ("opencode", FIRST) };
    format!(
        "{MARK} for {agent}. Written by `cairn hook install {agent}`, removed by `cairn hook uninstall {agent}`.\n\
         import {{ spawn }} from \"node:child_process\"\n\n\
         const PROGRAM = {}\n\
         const AGENT = \"{agent}\"\n\
         {CALL}\n{plugin}",
        compact(&Value::from(program))
    )
}

pub(super) fn is_ours(bytes: &[u8]) -> bool {
    bytes.starts_with(MARK.as_bytes())
}

/// The program that a bridge file starts.
pub(super) fn program(bytes: &[u8]) -> Option<String> {
    if !is_ours(bytes) {
        return None;
    }
    let text = String::from_utf8_lossy(bytes);
    let named = text.lines().find_map(|line| line.strip_prefix("const PROGRAM = "))?;
    serde_json::from_str(named).ok()
}

pub(super) fn install(
    target: &Target,
    existing: Option<&[u8]>,
    program: &str,
    version: u8,
) -> Result<(Vec<u8>, Option<Undo>), Refusal> {
    if existing.is_some_and(|bytes| !is_ours(bytes)) {
        return Err(Refusal::new(
            codes::SETTINGS_FOREIGN,
            "a file that is not cairn's stands where the bridge belongs",
        )
        .at(target.path, None, None)
        .hint("move it away, then install again")
        .next(install_command(target.agent, target.scope)));
    }
    let undo = Undo { file: Origin::Absent, made: Vec::new(), inside: std::collections::BTreeMap::new() };
    Ok((text(version, program).into_bytes(), Some(undo)))
}

pub(super) fn uninstall(existing: &[u8]) -> Option<Vec<u8>> {
    (!is_ours(existing)).then(|| existing.to_vec())
}

#[cfg(test)]
mod tests;
