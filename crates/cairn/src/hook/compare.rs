//! After a call: what changed that nobody announced.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use gate::protected::{Access, Damaged, Guard, Kept, Scope};
use govern::State;
use serde::{Deserialize, Serialize};
use store::file::{self, Identity};
use store::git::{Git, Layout};

/// What the last look saw.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Seen {
    /// Whether git was ever asked. Before that, a file that it sees as changed may have been so all along.
    whole: bool,
    /// Protected files, and files that git sees as changed, each as it lay on disk.
    files: BTreeMap<String, Option<Identity>>,
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Paths that changed since the call before, from the top.
    pub changed: Vec<String>,
    /// Of these, the protected ones with their rules.
    pub protected: Vec<(String, Guard)>,
    /// Protected files that the rules did not know at the last look.
    pub fresh: Vec<(String, Guard)>,
    /// Whether what the last look saw could not be read: what changed since is not known.
    pub is_blind: bool,
}

impl Found {
    /// Takes what is new to the rules and not as its record has it for changed: it was, while no rule was about it.
    pub fn add_fresh(&mut self, in_order: &BTreeSet<String>) {
        for (path, guard) in std::mem::take(&mut self.fresh) {
            if !in_order.contains(&path) {
                self.changed.push(path.clone());
                self.protected.push((path, guard));
            }
        }
    }

    /// Takes out what is as its own record has it: a command changed it, of the agent's or of a person's. A locked test
    /// that was locked anew is none of the protected any more, and changed all the same.
    pub fn settle(&mut self, in_order: &BTreeSet<String>) {
        let mut settled = BTreeSet::new();
        self.protected.retain(|(path, guard)| {
            let is_settled = in_order.contains(path);
            if is_settled && guard.rule != "chalk:locked-test" {
                settled.insert(path.clone());
            }
            !is_settled
        });
        self.changed.retain(|path| !settled.contains(path));
    }
}

/// Compares the protected files, and with `all` whatever git sees, with how they lay when they were last looked at.
/// The first look finds nothing. What a look left damaged is put aside with `stamp` behind its name.
///
/// # Errors
/// The kept rules are not what was kept; nothing was compared.
pub(super) fn compare(
    state: &State,
    layout: Option<&Layout>,
    git: &Git,
    rules: &Kept<'_>,
    all: bool,
    stamp: i64,
) -> Result<Found, Damaged> {
    let guards = rules.all()?;
    let path = state.folder().join("seen.json");
    let root = state.root();
    let kept = file::read(&path).map(|bytes| bytes.map(|bytes| serde_json::from_slice(&bytes)));
    let is_blind = matches!(kept, Err(_) | Ok(Some(Err(_))));
    let known: Option<Seen> = kept.ok().flatten().and_then(Result::ok);
    if is_blind {
        // A folder or a link in its place would make every look the first one.
        let _ = fs::rename(&path, path.with_extension(format!("json.broken-{stamp}")));
    }
    let path_of = |guard: &'_ Guard| match &guard.scope {
        Scope::Path(name) => Some(name.clone()),
        // A pattern that names one file, which outside git nothing else would find.
        Scope::Glob(name) if !name.contains(['*', '?', '[', '\\']) && !root.join(name).is_dir() => {
            Some(name.clone())
        }
        _ => None,
    };
    let guarded: BTreeSet<String> = guards.iter().filter_map(path_of).collect();
    let written = guards.iter().filter(|guard| guard.access == Access::Write);
    let as_it_lies = |name: String| {
        let identity = Identity::of(&root.join(&name));
        (name, identity)
    };
    let mut seen = Seen { whole: known.as_ref().is_some_and(|known| known.whole), ..Seen::default() };
    seen.files.extend(written.filter_map(path_of).map(as_it_lies));
    // Where git does not answer, the rest is as it was.
    let dirty = if all && layout.is_some() { dirty(git) } else { None };
    let is_whole = dirty.is_some();
    if let Some(dirty) = dirty {
        seen.files.extend(dirty.into_iter().map(as_it_lies));
        seen.whole = true;
    } else if let Some(known) = &known {
        // What was not looked at is as it was.
        for (name, identity) in &known.files {
            seen.files.entry(name.clone()).or_insert_with(|| identity.clone());
        }
    }
    let mut found = Found { is_blind, ..Found::default() };
    if let Some(known) = &known {
        let is_other = |name: &str, now: &Option<Identity>| match known.files.get(name) {
            Some(then) => then != now,
            // A protected file that was never seen is new to the rules, not changed.
            None => known.whole && !guarded.contains(name),
        };
        let changed = seen.files.iter().filter(|(name, now)| is_other(name, now));
        found.changed = changed.map(|(name, _)| name.clone()).collect();
        if is_whole {
            // What was changed and is now as committed was changed back, unless it lies there as it did: then it was
            // committed.
            let is_gone = |name: &str| !seen.files.contains_key(name);
            let is_back = |(name, then): &(&String, &Option<Identity>)| {
                is_gone(name) && Identity::of(&root.join(name)) != **then
            };
            found.changed.extend(known.files.iter().filter(is_back).map(|(name, _)| name.clone()));
        }
    }
    if let Some(known) = &known {
        let fresh = guards.iter().filter(|guard| guard.rule == "chalk:locked-test");
        let fresh = fresh.filter_map(|guard| Some((path_of(guard)?, guard.clone())));
        found.fresh = fresh.filter(|(name, _)| !known.files.contains_key(name)).collect();
    }
    for name in &found.changed {
        let guard = rules.on(name)?.into_iter().find(|guard| guard.rule != "cairn:git");
        found.protected.extend(guard.map(|guard| (name.clone(), guard)));
    }
    if known.as_ref() != Some(&seen)
        && let Ok(text) = serde_json::to_vec(&seen)
        && super::make_folder(state.folder()).is_ok()
    {
        let _ = file::replace_unsynced(&path, &text);
    }
    Ok(found)
}

/// The paths that git sees as changed or untracked, from the top.
pub(super) fn dirty(git: &Git) -> Option<Vec<String>> {
    let output =
        git.output(["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=normal"]).ok()?;
    let entries = output.stdout.split(|&byte| byte == 0).filter(|entry| entry.len() > 3);
    Some(entries.map(|entry| String::from_utf8_lossy(&entry[3..]).into_owned()).collect())
}
