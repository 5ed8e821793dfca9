//! `guard`: the held-out set is locked file by file, by hand or from what the configured author wrote (P7).

mod author;
mod workshop;

use std::fs;
use std::io;

use canon::Sha256;
use gate::Refusal;
use gate::words::quote;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use store::file;

use crate::code_size::{self, Measured};
use crate::codes;
use crate::content;
use crate::draft::Draft;
use crate::held_out::{HeldOut, HeldOutFile};
use crate::locks;
use crate::model::Lock;
use crate::session::Session;

pub use author::{Authored, author};

/// What `guard add` did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Added {
    /// Files that were locked for the first time.
    pub locked: Vec<String>,
    /// Files that had changed and are locked as they are now, for the reason given.
    pub relocked: Vec<String>,
    /// Files that were locked as they are already.
    pub already: Vec<String>,
    /// How many files the set has now.
    pub count: usize,
}

/// Locks files of the held-out set as they are now. A file whose content moved needs a reason.
///
/// # Errors
/// `test-unreadable` for what is no regular file and for a file in a linked work tree;
/// `reason-missing` where a locked file changed and no reason is given.
pub fn add(session: &Session<'_>, given: &[String], why: Option<&str>) -> Result<Added, Refusal> {
    warn_of_places(session, given)?;
    session.write("guard add", |draft| {
        let set = HeldOut::of(session, draft.config())?;
        let mut locks = Vec::new();
        for given in given {
            let lock = take(session, &set, given)?;
            if !locks.contains(&lock) {
                locks.push(lock);
            }
        }
        let changed = changed(&set, &locks);
        if why.is_none() && !changed.is_empty() {
            return Err(reason_missing(session, &changed));
        }
        lock_all(draft, &set, locks, why)
    })
}

/// Tells of files that the implementer sees because of where they lie.
fn warn_of_places(session: &Session<'_>, given: &[String]) -> Result<(), Refusal> {
    let mut set = HeldOut::of(session, &session.config()?)?;
    set.locks.clear();
    for given in given {
        let lock = take(session, &set, given)?;
        if !set.file(&lock.path).starts_with(&set.folder) {
            let folder = session.shown(&set.folder);
            session.warn(format!("`{}` lies outside of the set's folder, `{folder}`", lock.path));
        }
        set.locks.push(lock);
    }
    let locked: Vec<&str> = set.locks.iter().map(|lock| lock.path.as_str()).collect();
    for path in set.tracked(session)?.iter().filter(|path| locked.contains(&path.as_str())) {
        session.warn(format!(
            "git tracks `{path}`, so every work tree holds it; take it out with `git rm --cached`"
        ));
    }
    Ok(())
}

/// The lock on the file that `given` names, as seen from the caller's folder.
fn take(session: &Session<'_>, set: &HeldOut, given: &str) -> Result<Lock, Refusal> {
    let unreadable = |why: &str| Refusal::new(codes::TEST_UNREADABLE, format!("`{given}` {why}"));
    let named = locks::name(session, given)?;
    let is_in_root = named.file.starts_with(&session.spine.root);
    if named.tree != session.spine.root && !is_in_root && named.file.starts_with(&named.tree) {
        return Err(unreadable("lies in a linked work tree, where the implementer works")
            .hint(format!("held-out files belong into `{}`", set.folder.display())));
    }
    match fs::symlink_metadata(&named.file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(unreadable("doesn't exist")),
        Err(error) => return Err(unreadable(&format!("can't be read: {error}"))),
        Ok(found) if found.is_dir() => {
            return Err(unreadable("is a folder").hint("name its files one by one"));
        }
        Ok(found) if found.is_symlink() => {
            return Err(unreadable("is a symbolic link").hint("lock the file that it leads to"));
        }
        Ok(_) => {}
    }
    let Some(path) = set.name(&named.file) else {
        return Err(unreadable("has a name that is not UTF-8, which `chalk.json` can't hold"));
    };
    if content::is_left_out(path.as_bytes(), None) && !set.file(&path).starts_with(&set.folder) {
        return Err(unreadable("is state of the spine, which every command changes"));
    }
    match file::read(&named.file) {
        Ok(Some(bytes)) => Ok(Lock { path, sha256: Sha256::of(bytes) }),
        Ok(None) => Err(unreadable("doesn't exist")),
        Err(error) => Err(unreadable(&format!("can't be read: {}", error.source))),
    }
}

/// The paths that are locked with another content than `locks` have.
fn changed<'a>(set: &HeldOut, locks: &'a [Lock]) -> Vec<&'a str> {
    let moved = |lock: &&Lock| {
        set.locks.iter().any(|old| locks::is_same(&old.path, &lock.path) && old.sha256 != lock.sha256)
    };
    locks.iter().filter(moved).map(|lock| lock.path.as_str()).collect()
}

fn reason_missing(session: &Session<'_>, changed: &[&str]) -> Refusal {
    let message = match changed {
        [path] => format!("`{path}` changed since it was locked"),
        paths => format!("{} files changed since they were locked", paths.len()),
    };
    let named: Vec<String> = changed.iter().map(|path| quote(path)).collect();
    let refusal = Refusal::new(codes::REASON_MISSING, message);
    let refusal = match changed {
        [_] => refusal,
        paths => refusal.facts(paths.iter().map(|path| format!("`{path}`"))),
    };
    refusal
        .hint("restore what was locked, or give the reason of the change")
        .next(session.cmd(&format!("guard add {} --why \"...\"", named.join(" "))))
}

/// Puts the locks into `chalk.json`, with what is to be logged of it.
fn lock_all(
    draft: &mut Draft<'_, '_>,
    set: &HeldOut,
    locks: Vec<Lock>,
    why: Option<&str>,
) -> Result<Added, Refusal> {
    let mut added =
        Added { locked: Vec::new(), relocked: Vec::new(), already: Vec::new(), count: set.locks.len() };
    for lock in locks {
        match set.locks.iter().position(|old| locks::is_same(&old.path, &lock.path)) {
            None => {
                let value = json!({ "path": lock.path, "sha256": lock.sha256 });
                draft.push_config(&["protocol".into(), "regression".into(), "tests".into()], &value)?;
                added.locked.push(lock.path);
                added.count += 1;
            }
            Some(index) if set.locks[index].sha256 == lock.sha256 => added.already.push(lock.path),
            Some(index) => {
                let step =
                    ["protocol".into(), "regression".into(), "tests".into(), index.into(), "sha256".into()];
                draft.set_config(&step, &json!(lock.sha256))?;
                draft.decision(&format!("Locked the changed held-out file `{}` again", lock.path), why, None);
                added.relocked.push(lock.path);
            }
        }
    }
    if !added.locked.is_empty() {
        let title = format!("Held-out set: {} locked", files(added.locked.len()));
        draft.event("progress-update", &title, &format!("{} in all", added.count), None);
    }
    Ok(added)
}

/// `1 file`, `2 files`.
pub fn files(count: usize) -> String {
    if count == 1 { "1 file".to_owned() } else { format!("{count} files") }
}

/// The held-out set as `guard list` shows it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Listed {
    /// Where the set lies: relative to the root, or absolute.
    pub dir: String,
    /// The locked files.
    pub tests: Vec<HeldOutFile>,
    /// How many there are.
    pub count: usize,
    /// How much code there is, and how many held-out tests it asks for.
    pub size: Measured,
    /// Files in the folder that are not locked: they run with the others, and may change unseen.
    pub unlocked: Vec<String>,
}

/// The held-out set: hashes, paths, and whether they hold.
pub fn list(session: &Session<'_>) -> Result<Listed, Refusal> {
    let config = session.config()?;
    let set = HeldOut::of(session, &config)?;
    let tree = &session.spine.tree;
    let size = code_size::measure(&config, tree, &content::digest(session, &config, tree)?)?;
    Ok(Listed {
        dir: session.shown(&set.folder),
        count: set.locks.len(),
        size,
        unlocked: set.unlocked()?,
        tests: set.examine().files,
    })
}
