//! What `init` wrote and nobody has committed yet, or committed first of all: there, but no work on any task.

use std::fs;
use std::path::Path;

use store::git::{Change, ChangeKind};

/// Files of the spine that are content once they are committed.
const SPINE: [&[u8]; 2] = [b".chalk/.gitignore", b".chalk/spec.md"];
/// Files that hold the managed block.
const CONTRACT: [&[u8]; 3] = [b"AGENTS.md", b"CLAUDE.md", b"GEMINI.md"];

/// Whether `init` made the file in `tree` and nobody has written in it or committed it since; where there is no
/// commit before the change (`unborn`), whether or not it is committed.
pub(super) fn is_left(tree: &Path, change: &Change, unborn: bool) -> bool {
    // Before the first commit all that git has is the index.
    let uncommitted = change.kind == ChangeKind::Untracked || unborn && change.kind == ChangeKind::Added;
    if !uncommitted {
        return false;
    }
    let path = change.path.as_bytes();
    let is_agent = path.starts_with(b".claude/agents/chalk-") && path.ends_with(b".md");
    is_agent
        || SPINE.contains(&path)
        || CONTRACT.contains(&path)
            && fs::read_to_string(tree.join(change.path.to_path())).is_ok_and(|text| is_block(&text))
}

/// Whether a text is the managed block and nothing else.
fn is_block(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim();
    let whole = text.starts_with("<!-- chalk:begin") && text.ends_with("<!-- chalk:end -->");
    whole && text.matches("chalk:end").count() == 1
}
