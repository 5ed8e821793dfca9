//! Reading a declaration, in the contract's order.

use canon::jsonc::{Content, Dialect, Document, Node, Position, pointer_step};
use gate::{ReasonCode, Refusal};
use serde::Deserialize;
use serde_json::{Number, Value};
use store::git::RepoPath;
use store::tree::Tree;

use super::discover::{Found, unreadable};
use super::form::DECLARATION;
use super::model::Declaration;
use super::rules::Broken;
use super::shape::{deepest, whole};
use super::version::Version;
use super::{pins, placement, rules};
use crate::{LEVEL, codes};

/// Who asks. The commands that print the contract's first documents leave a declaration to the program that it pins;
/// the others read it, since a member's own toolchain writes its ledger whatever the root pins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// `ls`, `graph`, `check` and `status`.
    Root,
    /// Every other command.
    Any,
}

/// A declaration that was read, and the text that it stands in.
#[derive(Debug, Clone)]
pub struct Workspace {
    /// The workspace root, from the top of the tree.
    pub root: RepoPath,
    /// The file's name.
    pub file: &'static str,
    /// What it says.
    pub declaration: Declaration,
    /// The text with its places.
    pub document: Document,
}

impl Workspace {
    /// The declaration's file, from the top of the tree.
    pub fn path(&self) -> RepoPath {
        self.root.join(self.file)
    }

    /// A path that is named from the workspace root, from the top of the tree.
    pub fn at(&self, path: &str) -> RepoPath {
        self.root.join(path)
    }

    /// Where the declaration has the value that a JSON pointer names, or what is nearest to it.
    pub fn position(&self, pointer: &str) -> Position {
        self.document.position_of(pointer)
    }

    /// A refusal that points at a value of the declaration.
    pub fn refuse(&self, code: ReasonCode, message: impl Into<String>, pointer: &str) -> Refusal {
        let at = self.position(pointer);
        Refusal::new(code, message).at(self.path().to_path(), Some(at.line), Some(at.column))
    }
}

/// Reads the declaration that was found.
///
/// # Errors
/// The first of these that applies: `declaration-unparseable`; `declaration-invalid` for what is no object;
/// `root-chant-required`; `reader-too-old`; `declaration-invalid` for a shape or a name that is not allowed;
/// `placement-invalid`; `declaration-invalid` for the other rules.
pub fn read(tree: &dyn Tree, found: &Found, reader: Reader) -> Result<Workspace, Refusal> {
    let path = found.path();
    let Some(bytes) = tree.read(&path).map_err(|error| unreadable(&path, &error))? else {
        return Err(Refusal::new(codes::DECLARATION_MISSING, format!("`{path}` is gone")));
    };
    parse(&bytes, found, reader)
}

/// Reads the text of a declaration that stands, or would stand, where `found` says.
///
/// # Errors
/// As for [`read`].
pub fn parse(bytes: &[u8], found: &Found, reader: Reader) -> Result<Workspace, Refusal> {
    let dialect = if found.file.ends_with('c') { Dialect::Comments } else { Dialect::Json };
    let path = found.path().to_path();
    let document = Document::parse(bytes, dialect).map_err(|damage| {
        Refusal::new(codes::DECLARATION_UNPARSEABLE, damage.message).at(
            path.clone(),
            Some(damage.line),
            Some(damage.column),
        )
    })?;
    let refuse = |code, message: String, at: Position| {
        Refusal::new(code, message).at(path.clone(), Some(at.line), Some(at.column))
    };

    let root = document.root();
    if !matches!(root.content, Content::Object(_)) {
        let message = "the declaration must be a JSON object".to_owned();
        return Err(refuse(codes::DECLARATION_INVALID, message, document.position_of("")));
    }
    if let Some(pin) = pins::chant(root).filter(|pin| reader == Reader::Root && pin.version != LEVEL) {
        let message = format!(
            "the declaration pins {} {}, which reads it in place of this program at level {LEVEL}",
            pins::CHANT,
            pin.version
        );
        let at = document.position_of(&format!("/pins/{}/version", pin.index));
        return Err(refuse(codes::ROOT_CHANT_REQUIRED, message, at).hint(format!(
            "install {}@{} at the workspace root",
            pins::CHANT,
            pin.version
        )));
    }
    if let Some(needed) = too_new(root) {
        let message =
            format!("the declaration needs level {needed} or newer, and this program reads level {LEVEL}");
        return Err(refuse(codes::READER_TOO_OLD, message, document.position_of("/minReader")));
    }
    shape(&document).map_err(|(message, at)| refuse(codes::DECLARATION_INVALID, message, at))?;

    let declaration = Declaration::deserialize(value(root)).map_err(|error| {
        // The shape leaves no room for this; should it happen, the file is refused and not misread.
        refuse(codes::DECLARATION_INVALID, error.to_string(), document.position_of(""))
    })?;
    let broken = |code| {
        let (document, refuse) = (&document, &refuse);
        move |broken: Broken| refuse(code, broken.message, document.position_of(&broken.pointer))
    };
    rules::names(&declaration).map_err(broken(codes::DECLARATION_INVALID))?;
    placement::members(&declaration).map_err(broken(codes::PLACEMENT_INVALID))?;
    placement::generated(&declaration).map_err(|(code, found)| broken(code)(found))?;
    rules::rest(&declaration).map_err(broken(codes::DECLARATION_INVALID))?;
    Ok(Workspace { root: found.root.clone(), file: found.file, declaration, document })
}

/// The level that a declaration asks for, where it is a version newer than ours.
fn too_new(root: &Node) -> Option<&str> {
    let text = root.get("minReader")?.as_str()?;
    let newer = Version::parse(text)? > Version::parse(LEVEL)?;
    newer.then_some(text)
}

/// What the shape forbids: a message and its place.
fn shape(document: &Document) -> Result<(), (String, Position)> {
    let problems = DECLARATION.problems(document.root());
    let Some(problem) = deepest(&problems) else { return Ok(()) };
    let at = match &problem.key {
        Some(key) => document.position_of_key(&format!("{}/{}", problem.pointer, pointer_step(key))),
        None => document.position_of(&problem.pointer),
    };
    let place = if problem.pointer.is_empty() { String::new() } else { format!(" (at {})", problem.pointer) };
    let more = match problems.len() - 1 {
        0 => String::new(),
        1 => "; 1 more problem after this one".to_owned(),
        more => format!("; {more} more problems after this one"),
    };
    Err((format!("{}{place}{more}", problem.message), at))
}

/// The value as JavaScript would have it, where `1.0` is the same number as `1`.
fn value(node: &Node) -> Value {
    match &node.content {
        Content::Number(number) if number.is_f64() => match whole(&node.content) {
            Some(whole) => Value::Number(Number::from(whole)),
            None => Value::Number(number.clone()),
        },
        Content::Array(items) => Value::Array(items.iter().map(value).collect()),
        Content::Object(members) => {
            Value::Object(members.iter().map(|member| (member.key.clone(), value(&member.value))).collect())
        }
        _ => node.to_value(),
    }
}
