//! What a coding agent may not write or read while it works under these gates, in the one form that every layer has.

use std::path::{Path, PathBuf};

use gate::Refusal;
use gate::protected::{Access, Guard, Protected, Scope};

use crate::Session;
use crate::held_out::HeldOut;
use crate::locks;
use crate::model::{State, Task};
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
    let mut trees = vec![session.spine.root.as_path()];
    if session.spine.tree != session.spine.root {
        trees.push(&session.spine.tree);
    }
    for task in session.all_tasks()? {
        for lock in &task.tests {
            for tree in &trees {
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

/// Whether a protected file is as Chalk has it on record, whoever changed it: the state as a command left it or git
/// brought it, a locked test as it is locked.
pub fn is_in_order(session: &Session<'_>, top: &Path, path: &str) -> bool {
    let is = |name: &str| named(&session.path(name), top) == path;
    if is(".lock") {
        // It comes and goes with every command.
        return true;
    }
    if WATCHED.iter().any(|name| is(name)) {
        return !matches!(
            standing::examine(session),
            Ok(Standing::Edited { .. } | Standing::Broken(_)) | Err(_)
        );
    }
    let trees = [&session.spine.root, &session.spine.tree];
    let holds = |task: &Task| {
        trees.iter().all(|tree| {
            let locks = locks::check(session, task, tree).unwrap_or_default();
            task.tests
                .iter()
                .zip(&locks)
                .all(|(lock, state)| state.holds() || named(&locks::on_disk(tree, &lock.path), top) != path)
        })
    };
    session.all_tasks().is_ok_and(|tasks| tasks.iter().all(holds))
}

/// The path as the rules have it.
fn named(path: &Path, top: &Path) -> String {
    let path = store::file::plain(path);
    let shown = path.strip_prefix(top).unwrap_or(&path).to_string_lossy().into_owned();
    if cfg!(windows) { shown.replace('\\', "/") } else { shown }
}
