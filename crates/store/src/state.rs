//! Where the program keeps what must not lie in the work tree: results, logs, chains, journals.

use std::fs;
use std::path::{Path, PathBuf};

use canon::Sha256;

use crate::Env;
use crate::file::is_writable;
use crate::git::Layout;

/// The folder for state about `root`: `<common git directory>/cairn/`, shared by all work trees of the
/// repository; outside git, and where the git directory can't be written, `$XDG_STATE_HOME/cairn/` (or
/// `~/.local/state/cairn/`). Below it, one folder for each protocol and root. Nothing is created.
///
/// None where neither place is known, because no home folder is set.
pub fn folder(layout: Option<&Layout>, root: &Path, protocol: &str, env: &Env) -> Option<PathBuf> {
    if let Some(layout) = layout {
        let base = layout.common_dir.join("cairn");
        let probe = if base.exists() { base.as_path() } else { layout.common_dir.as_path() };
        if is_writable(probe) {
            let within =
                layout.main_work_tree().and_then(|main| root.strip_prefix(main).ok().map(Path::to_owned));
            let within = within.or_else(|| root.strip_prefix(&layout.work_tree).ok().map(Path::to_owned));
            let name = match within {
                Some(within) if within.as_os_str().is_empty() => "root".to_owned(),
                Some(within) => Sha256::of(within.as_os_str().as_encoded_bytes()).short(),
                None => Sha256::of(root.as_os_str().as_encoded_bytes()).short(),
            };
            return Some(base.join(protocol).join(name));
        }
    }
    let home = home(env)?;
    let root = fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
    let name = Sha256::of(root.as_os_str().as_encoded_bytes()).short();
    Some(home.join(protocol).join(name))
}

/// The folder for state of the person rather than of a repository: `$XDG_STATE_HOME/cairn/`, or
/// `~/.local/state/cairn/`. None where no home folder is set.
pub fn home(env: &Env) -> Option<PathBuf> {
    let state = match env.get("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute()) {
        Some(state) => state,
        None => PathBuf::from(env.get("HOME")?).join(".local").join("state"),
    };
    Some(state.join("cairn"))
}
