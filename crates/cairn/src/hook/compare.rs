//! After a call: what changed that nobody announced.

use std::collections::BTreeMap;
use std::path::Path;

use gate::protected::{Access, Guard, Kept, Scope};
use govern::State;
use store::file::{self, Identity};
use store::git::{Git, Layout};

/// Files that git sees as changed, and protected files, each as it lay on disk.
type Seen = BTreeMap<String, Option<Identity>>;

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Paths that changed since the call before, from the top.
    pub changed: Vec<String>,
    /// Of these, the protected ones with their rules.
    pub protected: Vec<(String, Guard)>,
}

/// Compares the protected files, and with `all` whatever git sees, with how they lay when they were last looked at.
/// The first look finds nothing.
pub(super) fn compare(
    state: &State,
    layout: Option<&Layout>,
    git: &Git,
    rules: &Kept<'_>,
    all: bool,
) -> Found {
    let path = state.folder().join("seen.json");
    let root = state.root();
    let known: Option<Seen> =
        file::read(&path).ok().flatten().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let guards = rules.all();
    let mut seen: Seen = Seen::new();
    for guard in guards.iter().filter(|guard| guard.access == Access::Write) {
        if let Scope::Path(name) = &guard.scope {
            seen.insert(name.clone(), Identity::of(&root.join(name)));
        }
    }
    if all && layout.is_some() {
        for name in dirty(git).unwrap_or_default() {
            let identity = Identity::of(&root.join(&name));
            seen.insert(name, identity);
        }
    } else if let Some(known) = &known {
        // What was not looked at is as it was.
        for (name, identity) in known {
            seen.entry(name.clone()).or_insert_with(|| identity.clone());
        }
    }
    let mut found = Found::default();
    if let Some(known) = &known {
        let is_other = |name: &str, now: &Option<Identity>| match known.get(name) {
            Some(then) => then != now,
            // A protected file that was never seen is new to the rules, not changed.
            None => !guards.iter().any(|guard| guard.scope == Scope::Path(name.to_owned())),
        };
        found.changed =
            seen.iter().filter(|(name, now)| is_other(name, now)).map(|(name, _)| name.clone()).collect();
        if all {
            // What was changed and is now as committed was changed back.
            found.changed.extend(known.keys().filter(|name| !seen.contains_key(*name)).cloned());
        }
    }
    for name in &found.changed {
        let guard = rules.on(name).into_iter().find(|guard| guard.rule != "cairn:git");
        found.protected.extend(guard.map(|guard| (name.clone(), guard)));
    }
    if known.as_ref() != Some(&seen)
        && let Ok(text) = serde_json::to_vec(&seen)
        && file::create_folder(state.folder().parent().unwrap_or(Path::new("/")), state.folder()).is_ok()
    {
        let _ = file::replace(&path, &text);
    }
    found
}

/// The paths that git sees as changed or untracked, from the top.
pub(super) fn dirty(git: &Git) -> Option<Vec<String>> {
    let output =
        git.output(["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=normal"]).ok()?;
    let entries = output.stdout.split(|&byte| byte == 0).filter(|entry| entry.len() > 3);
    Some(entries.map(|entry| String::from_utf8_lossy(&entry[3..]).into_owned()).collect())
}
