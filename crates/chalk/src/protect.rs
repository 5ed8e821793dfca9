//! What a coding agent may not write or read while it works under these gates, in the one form that every layer has.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use gate::Refusal;
use gate::protected::{Access, Guard, Protected, Scope};

use crate::Session;
use crate::held_out::HeldOut;
use crate::locks;
use crate::model::State;
use crate::standing::{self, Standing, WATCHED};

/// The files that the rules are made from: whoever keeps the rules makes them anew when one of these changed.
pub fn sources(session: &Session<'_>) -> Vec<PathBuf> {
    ["chalk.json", "tasks.json"].iter().map(|name| session.path(name)).collect()
}

/// The rules: locked tests are not written, the held-out set is neither written nor read, and the spine's own state
/// is written by commands alone.
///
/// Paths are relative to `top` where they lie below it, else absolute.
pub fn protected(session: &Session<'_>, top: &Path) -> Result<Protected, Refusal> {
    let config = session.config()?;
    let mut rules = Protected::new();
    for task in session.all_tasks()? {
        for lock in &task.tests {
            for tree in trees(session) {
                let done = if task.state == State::Done { "finished" } else { "open" };
                rules.push(Guard {
                    scope: Scope::Path(named(&locks::on_disk(tree, &lock.path), top)),
                    access: Access::Write,
                    rule: "chalk:locked-test".to_owned(),
                    fact: format!("{} is a locked test of the {done} task {}", lock.path, task.id),
                    next: format!(
                        "change the code until the test passes; if the test itself is wrong, ask a person to grant \
                         one edit, then run `{}`",
                        session.cmd(&format!("amend-spec {} --why \"...\"", task.id))
                    ),
                    ticket: true,
                });
            }
        }
    }
    let held_out = HeldOut::of(session, &config)?;
    let set = Guard {
        scope: Scope::Below(named(&held_out.folder, top)),
        access: Access::Any,
        rule: "chalk:held-out".to_owned(),
        fact: "it belongs to the held-out set, which whoever implements does not see".to_owned(),
        next: "work from the criteria; leave these files alone".to_owned(),
        ticket: false,
    };
    for lock in &held_out.locks {
        let file = held_out.file(&lock.path);
        if !file.starts_with(&held_out.folder) {
            rules.push(Guard { scope: Scope::Path(named(&file, top)), ..set.clone() });
        }
    }
    if !session.spine.root.starts_with(&held_out.folder) {
        rules.push(set);
    }
    for name in ["chalk.json", "tasks.json", ".lock"] {
        rules.push(Guard {
            scope: Scope::Path(named(&session.path(name), top)),
            access: Access::Write,
            rule: "chalk:state".to_owned(),
            fact: format!("`.chalk/{name}` is written by commands alone"),
            next: format!("use the command that makes the change; `{}` lists them", session.cmd("help")),
            ticket: false,
        });
    }
    Ok(rules)
}

/// Those of `paths` that are as Chalk has them on record, whoever changed them: the state as a command left it or git
/// brought it, a locked test as it is locked. Of what is no state and no locked test there is no record.
pub fn in_order<'p>(session: &Session<'_>, top: &Path, paths: &BTreeSet<&'p str>) -> BTreeSet<&'p str> {
    // The lock comes and goes with every command.
    let lock = named(&session.path(".lock"), top);
    let mut fine: BTreeSet<&str> = paths.get(&*lock).copied().into_iter().collect();
    let state: Vec<String> = WATCHED.iter().map(|name| named(&session.path(name), top)).collect();
    let state: Vec<&str> = state.iter().filter_map(|name| paths.get(&**name)).copied().collect();
    let is_clean = || {
        let standing = standing::examine(session);
        !matches!(standing, Ok(Standing::Edited { .. } | Standing::Broken(_)) | Err(_))
    };
    if !state.is_empty() && is_clean() {
        fine.extend(state);
    }
    let mut broken: BTreeSet<&str> = BTreeSet::new();
    let mut locked: BTreeSet<&str> = BTreeSet::new();
    for task in session.all_tasks().unwrap_or_default() {
        for tree in trees(session) {
            let path = |path: &str| paths.get(&*named(&locks::on_disk(tree, path), top)).copied();
            let asked: Vec<&str> = task.tests.iter().filter_map(|lock| path(&lock.path)).collect();
            if asked.is_empty() {
                continue;
            }
            locked.extend(&asked);
            match locks::check(session, &task, tree) {
                Ok(states) => {
                    let is_broken = states.iter().filter(|state| !state.holds());
                    broken.extend(is_broken.filter_map(|state| path(&state.path)));
                }
                Err(_) => broken.extend(&asked),
            }
        }
    }
    fine.extend(locked.difference(&broken));
    fine
}

/// The trees in which the files of the spine's tasks lie.
fn trees<'s>(session: &'s Session<'_>) -> impl Iterator<Item = &'s Path> {
    let spine = &session.spine;
    let other = (spine.tree != spine.root).then_some(spine.tree.as_path());
    std::iter::once(spine.root.as_path()).chain(other)
}

/// The path as the rules have it.
fn named(path: &Path, top: &Path) -> String {
    let path = store::file::plain(path);
    let shown = path.strip_prefix(top).unwrap_or(&path).to_string_lossy().into_owned();
    if cfg!(windows) { shown.replace('\\', "/") } else { shown }
}
