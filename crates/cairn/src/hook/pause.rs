//! A pause: for a while a person lets pass what gates would deny. It ends by itself.

use std::fmt;
use std::io;
use std::path::PathBuf;

use canon::Timestamp;
use govern::State;
use govern::codes::PROTECTED_PATH;
use govern::gates::Found;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::file;

/// The longest pause, in milliseconds.
pub const LONGEST: i64 = 24 * 60 * 60 * 1000;

/// One pause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pause {
    /// When it ends.
    pub until: Timestamp,
    /// The reason.
    pub why: String,
    /// When it began.
    pub at: Timestamp,
}

impl fmt::Display for Pause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "paused until {}: {}", self.until, self.why)
    }
}

fn path(state: &State) -> PathBuf {
    state.folder().join("pause.json")
}

/// The pause at this moment. What can't be read is none.
pub fn running(state: &State, now: Timestamp) -> Option<Pause> {
    let pause: Pause = serde_json::from_slice(&file::read(&path(state)).ok()??).ok()?;
    let is_short = pause.until.as_millis().saturating_sub(pause.at.as_millis()) <= LONGEST;
    (is_short && pause.at <= now && now < pause.until).then_some(pause)
}

/// Begins a pause, in the place of the one before.
///
/// # Errors
/// The state can't be written.
pub fn begin(state: &State, pause: &Pause) -> Result<(), String> {
    super::make_folder(state.folder())?;
    let text = serde_json::to_vec(pause).map_err(|error| error.to_string())?;
    file::replace(&path(state), &text).map_err(|error| error.to_string())
}

/// Ends the pause, if there is one.
///
/// # Errors
/// The state can't be written.
pub fn end(state: &State) -> io::Result<()> {
    match std::fs::remove_file(path(state)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Whether a pause lets this pass. What is kept from the agent's eyes stays so, and so does the state in which the
/// pause itself lies.
pub(super) fn lifts(found: &Found) -> bool {
    match found.gate {
        "plan" | "G1" | "G2" | "G5" => true,
        _ => found.reason == PROTECTED_PATH && !matches!(&*found.rule, "cairn:git" | "cairn:state"),
    }
}
