//! Kinds of members.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use super::packages;
use super::pinned::Installed;
use crate::declaration::Pin;
use store::tree::Tree;

/// What reads a member.
#[derive(Debug, Clone, PartialEq)]
pub struct Kind {
    /// The name, as a member's `kind` has it.
    pub name: String,
    /// What a member's directory holds, for messages.
    pub description: String,
    /// How a directory is recognised.
    pub probe: Probe,
    /// Which kind decides where several recognise a directory: the highest.
    pub precedence: u64,
    /// What links may name.
    pub outputs: Outputs,
    /// The fields that a member of the kind may set.
    pub fields: BTreeMap<String, Field>,
    /// How the graph of a member is read: the data of the package, not looked into.
    pub graph: Option<Value>,
    /// The package or the directory that supplies the kind; none where it is built in.
    pub source: Option<String>,
}

/// How a directory is recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Probe {
    /// It is there.
    Directory,
    /// A file of one of these names lies in it, or a file of some name that opens one of some blocks.
    Files {
        /// Names of files; `*` stands for any characters.
        any: Vec<String>,
        /// Names of files that are looked into, and the names of blocks.
        blocks: Option<(Vec<String>, Vec<String>)>,
    },
}

/// What links may name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outputs {
    /// What the member's source declares, which only its own toolchain can tell.
    Source,
    /// Nothing.
    None,
    /// These, and those that the member lists.
    Listed(Vec<String>),
}

/// A field that members of a kind may set.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// What values it takes.
    pub of: FieldType,
    /// The value where the member sets none.
    pub default: Option<Value>,
}

/// What values a field takes.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldType {
    /// Text.
    String,
    /// A whole number.
    Integer,
    /// True or false.
    Boolean,
    /// An object of such fields.
    Object(BTreeMap<String, Field>),
}

/// Why a pin supplies nothing, or less than it could.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinProblem {
    /// The pin's place in `pins`.
    pub pin: usize,
    /// What is wrong.
    pub message: String,
}

/// The kinds that a workspace knows.
#[derive(Debug, Clone)]
pub struct Kinds {
    by_name: BTreeMap<String, Kind>,
    /// What is wrong with the pins.
    pub problems: Vec<PinProblem>,
}

impl Kinds {
    /// The built-in kinds alone.
    pub fn built_in() -> Self {
        let files = |names: [&str; 2]| Probe::Files { any: names.map(str::to_owned).to_vec(), blocks: None };
        let kind = |name: &str, description: &str, probe, precedence, outputs| Kind {
            name: name.to_owned(),
            description: description.to_owned(),
            probe,
            precedence,
            outputs,
            fields: BTreeMap::new(),
            graph: None,
            source: None,
        };
        let kinds = [
            kind(
                "chant",
                "a chant project: no chant.config.ts or chant.config.json lies in it",
                files(super::probe::CONFIGS),
                500,
                Outputs::Source,
            ),
            kind(
                "workspace",
                "a workspace: it has no declaration of its own",
                files(crate::declaration::FILES),
                1000,
                Outputs::None,
            ),
            kind("other", "a directory", Probe::Directory, 0, Outputs::Listed(Vec::new())),
            kind("design", "a directory", Probe::Directory, 0, Outputs::Listed(Vec::new())),
        ];
        let by_name = kinds.into_iter().map(|kind| (kind.name.clone(), kind)).collect();
        Self { by_name, problems: Vec::new() }
    }

    /// The built-in kinds and those that the pins supply.
    ///
    /// Directories are read from `tree`, where `root` is the workspace root; packages from where they are installed. A
    /// kind that two pins supply is supplied by neither.
    pub fn load(
        tree: &dyn Tree,
        root: &store::git::RepoPath,
        pins: &[Pin],
        installed: Option<&Installed>,
    ) -> Self {
        let mut kinds = Self::built_in();
        let mut owners: HashMap<String, String> = HashMap::new();
        for (index, pin) in pins.iter().enumerate() {
            let supplied = packages::supplied(tree, root, pin, installed);
            kinds
                .problems
                .extend(supplied.problems.into_iter().map(|message| PinProblem { pin: index, message }));
            for kind in supplied.kinds {
                let source = kind.source.clone().unwrap_or_default();
                if let Some(first) = owners.get(&kind.name) {
                    let message = format!(
                        "kind {} is supplied by {first} and by {source}, so neither counts",
                        kind.name
                    );
                    kinds.problems.push(PinProblem { pin: index, message });
                    kinds.by_name.remove(&kind.name);
                    continue;
                }
                owners.insert(kind.name.clone(), source);
                kinds.by_name.insert(kind.name.clone(), kind);
            }
        }
        kinds
    }

    /// The kind of this name.
    pub fn get(&self, name: &str) -> Option<&Kind> {
        self.by_name.get(name)
    }

    /// Every kind's name, sorted.
    pub fn names(&self) -> Vec<&str> {
        self.by_name.keys().map(String::as_str).collect()
    }

    /// Every kind, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Kind> {
        self.by_name.values()
    }
}
