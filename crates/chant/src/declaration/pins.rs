//! The program that a declaration pins.

use std::fs;
use std::path::{Component, Path, PathBuf};

use canon::jsonc::{Content, Dialect, Document, Node};
use serde_json::Value;
use store::tree::Tree;

use super::discover::Found;
use crate::LEVEL;

/// The package that reads workspaces.
pub const CHANT: &str = "@intentius/chant";

/// The variable that a program started by a handover finds in its environment, so that it hands over no further.
pub const HANDED_OVER: &str = "CHANT_WORKSPACE_ROOT_CHANT";

/// A pin of the program.
pub(super) struct ChantPin<'a> {
    pub index: usize,
    pub version: &'a str,
}

/// The first pin of the program, found before the declaration's shape is judged.
pub(super) fn chant(root: &Node) -> Option<ChantPin<'_>> {
    let Content::Array(pins) = &root.get("pins")?.content else { return None };
    pins.iter().enumerate().find_map(|(index, pin)| {
        let named = pin.get("package")?.as_str()? == CHANT;
        let version = pin.get("version")?.as_str()?;
        named.then_some(ChantPin { index, version })
    })
}

/// A program that answers in our place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handover {
    /// The program.
    pub program: PathBuf,
    /// Its version, which goes into [`HANDED_OVER`].
    pub version: String,
}

/// The program that a declaration pins, where it is another version than ours and installed for the workspace root.
///
/// `root` is the workspace root on disk and `top` the repository's; packages are looked for from the one up to the
/// other. What can't be read hands nothing over: reading it then tells what is wrong.
pub fn handover(tree: &dyn Tree, found: &Found, root: &Path, top: &Path) -> Option<Handover> {
    let dialect = if found.file.ends_with('c') { Dialect::Comments } else { Dialect::Json };
    let bytes = tree.read(&found.path()).ok()??;
    let document = Document::parse(&bytes, dialect).ok()?;
    let pin = chant(document.root()).filter(|pin| pin.version != LEVEL)?;
    let package = installed(CHANT, root, top)?;
    let manifest = manifest(&package)?;
    if manifest.get("version").and_then(Value::as_str) != Some(pin.version) {
        return None;
    }
    let bin = manifest.get("bin")?;
    let program = inner(&package, bin.as_str().or_else(|| bin.get("chant")?.as_str())?)?;
    program.is_file().then(|| Handover { program, version: pin.version.to_owned() })
}

/// The folder of an installed package, as a bare import finds it.
pub(crate) fn installed(package: &str, root: &Path, top: &Path) -> Option<PathBuf> {
    let folders = root.ancestors().take_while(|folder| folder.starts_with(top) || *folder == root);
    let mut candidates = folders.map(|folder| folder.join("node_modules").join(package));
    candidates.find(|folder| folder.join("package.json").is_file())
}

/// The `package.json` of a package.
pub(crate) fn manifest(package: &Path) -> Option<Value> {
    canon::json::read(&fs::read(package.join("package.json")).ok()?).ok()
}

/// A file that a package names within itself; none for a name that leads out of it.
pub(crate) fn inner(package: &Path, name: &str) -> Option<PathBuf> {
    let name = Path::new(name);
    let plain = name.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    plain.then(|| package.join(name))
}
