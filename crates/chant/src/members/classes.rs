//! Classes of principals that pinned packages and directories supply.

use serde::Deserialize;
use store::git::RepoPath;
use store::tree::Tree;
use trust::policy::DomainClass;

use super::pinned::{self, Installed};
use crate::declaration::{Declaration, is_name};

/// The entry of a package's `exports` that names its classes.
const SUBPATH: &str = "./workspace-principals";

/// The classes that every declaration knows.
pub const CORE: [&str; 4] = ["human", "agent", "runner", "service"];

#[derive(Deserialize)]
struct File {
    classes: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    name: String,
    role: String,
}

/// The classes that the pins of a declaration supply, in the order of the pins and of their files.
///
/// What can't be read supplies none: a class of it that the declaration names is then unknown, which refuses.
pub(crate) fn supplied(
    tree: &dyn Tree,
    root: &RepoPath,
    declaration: &Declaration,
    installed: Option<&Installed>,
) -> Vec<DomainClass> {
    let mut classes: Vec<DomainClass> = Vec::new();
    for pin in &declaration.pins {
        let Ok(Some(found)) = pinned::published::<File>(tree, root, pin, installed, SUBPATH) else {
            continue;
        };
        let is_class = |entry: &Entry| {
            let begins = |text: &str| text.starts_with(|letter: char| letter.is_ascii_lowercase());
            is_name(&entry.name)
                && begins(&entry.name)
                && !entry.name.starts_with("x-")
                && !CORE.contains(&&*entry.name)
                && begins(&entry.role)
                && !CORE.contains(&&*entry.role)
        };
        // One that is none spoils its file: nobody can say what else in it is not meant.
        if !found.data.classes.iter().all(is_class) {
            continue;
        }
        for Entry { name, role } in found.data.classes {
            if !classes.iter().any(|class| class.name == name) {
                classes.push(DomainClass { name, role });
            }
        }
    }
    classes
}
