//! The last words of a turn, for agents whose stop does not tell them: kept when they are said, and reviewed at the stop.

use std::fs;
use std::path::{Path, PathBuf};

use agents::Said;
use store::World;
use store::file;

use super::course::Course;

/// The most characters that are kept and reviewed.
const LONGEST: usize = 100_000;

/// Where the last words of a session are kept, beside what is known of it.
fn place(session_file: &Path) -> PathBuf {
    session_file.with_extension("said")
}

/// Keeps what an agent said until its turn ends; what it said before is not its last word. A subagent's own stop tells
/// its words.
pub(super) fn keep(said: &Said, mut world: World) -> Result<(), String> {
    if said.subagent.is_some() {
        return Ok(());
    }
    if let Some(cwd) = said.cwd.as_ref().filter(|cwd| cwd.is_dir()) {
        world.cwd.clone_from(cwd);
    }
    let state = super::state(&world).map_err(|refusal| refusal.message)?;
    let session = state.session(said.agent.as_str(), said.session.as_deref().unwrap_or("none"));
    if let Some(folder) = session.parent() {
        super::make_folder(folder)?;
    }
    let text = canon::text::clip(&said.text, LONGEST);
    file::replace(&place(&session), text.as_bytes()).map_err(|error| error.to_string())
}

impl Course<'_> {
    /// What the agent said last in the turn that ends, where it was told apart from the stop. It is reviewed once.
    pub(super) fn last_words(&self) -> Option<String> {
        if self.event.subagent.is_some() {
            return None;
        }
        let bytes = file::read(&place(&self.session_file)).ok().flatten()?;
        self.forget_words();
        String::from_utf8(bytes).ok()
    }

    pub(super) fn forget_words(&self) {
        let _ = fs::remove_file(place(&self.session_file));
    }
}
