//! The plan that `cairn plan set` keeps, for agents without a plan tool of their own.

use std::path::PathBuf;

use canon::Timestamp;
use govern::State;
use govern::session::Plan;
use store::file;

fn path(state: &State) -> PathBuf {
    state.folder().join("plan.json")
}

/// The plan that was set last.
pub fn read(state: &State) -> Option<Plan> {
    serde_json::from_slice(&file::read(&path(state)).ok()??).ok()
}

/// The plan, if it was set at or after this instant.
pub(super) fn since(state: &State, at: Option<Timestamp>) -> Option<Plan> {
    read(state).filter(|plan| at.is_none_or(|at| plan.at >= at))
}

/// Keeps a plan, in the place of the one before.
///
/// # Errors
/// The state can't be written.
pub fn keep(state: &State, plan: &Plan) -> Result<(), String> {
    super::make_folder(state.folder())?;
    let text = serde_json::to_vec(plan).map_err(|error| error.to_string())?;
    file::replace(&path(state), &text).map_err(|error| error.to_string())
}
