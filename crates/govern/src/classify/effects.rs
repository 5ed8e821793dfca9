//! The answer: what a call touches.

use std::path::{Path, PathBuf};

use super::pattern;

/// What a tool call touches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Effects {
    /// What is created, changed, or given new permissions or a second name.
    pub writes: Vec<Target>,
    /// What is deleted or moved away.
    pub deletes: Vec<Target>,
    /// What is read by name.
    pub reads: Vec<Target>,
    /// What is named and may be read: by git from what it keeps, by code, or by a program that is not known.
    pub mentions: Vec<Target>,
    /// What is read by going through folders.
    pub recursive_reads: Vec<Walk>,
    /// The network is reached.
    pub network: bool,
    /// Another agent is started.
    pub starts_agent: bool,
    /// Something is changed that no target names, as in the repository's refs or another process.
    pub acts: bool,
    /// How far all of this is to be relied on.
    pub certainty: Certainty,
    /// Every simple command that was found, those inside wrappers, substitutions and nested scripts too.
    pub commands: Vec<Argv>,
    /// What commands are given on their standard input, as far as the call itself says.
    pub fed: Vec<Fed>,
    /// The one command that the call is, where it is one.
    pub alone: Option<Alone>,
}

/// One command with nothing beside it, and nothing that hides how it ends or what it prints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alone {
    /// The folder that it runs in; none where the agent does not say.
    pub folder: Option<PathBuf>,
    /// Its words.
    pub words: Vec<String>,
}

/// What a command is given on its standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fed {
    /// The command.
    pub argv: Argv,
    /// The text.
    pub text: String,
    /// Nothing of it is left open.
    pub is_whole: bool,
}

/// How far the listed effects are to be relied on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Certainty {
    /// Nothing is touched but what is listed.
    #[default]
    Known,
    /// What is listed is touched, and more may be: it has to be looked for after the call.
    Opaque,
    /// The call was not understood.
    Unparsable {
        /// What stood in the way.
        why: String,
        /// What passes instead.
        hint: String,
    },
}

/// One file or folder that is touched, or many.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Target {
    /// Where it is.
    pub place: Place,
    /// Everything below it is touched too.
    pub tree: bool,
    /// The absolute path with its `..` still in it, where one of them leaves a folder that is named: if that folder
    /// is a symbolic link, the system goes elsewhere than [`Place::Path`] says.
    pub spelled: Option<PathBuf>,
    /// How the call writes it.
    pub written: String,
    /// What of it stays as it is, by the nature of the program.
    pub spares: Spares,
}

/// What a program leaves alone of what it is given.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Spares {
    /// Nothing.
    #[default]
    Nothing,
    /// Git's own folder: it is git that changes files of the work tree.
    Git,
    /// The same, and what is there is brought to what the index or `HEAD` has.
    Committed,
    /// Git's own folder, what git tracks, what it does not ignore, and what these patterns name.
    Kept(Vec<String>),
}

/// Where a target is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Place {
    /// An absolute path without `.` and `..`; links are not followed.
    Path(PathBuf),
    /// Every absolute path that this pattern matches: `*`, `?` and `[...]` within a name, `**` across folders, a
    /// backslash before a character that stands for itself, a NUL before a wildcard that takes no dot.
    Pattern(String),
    /// It can't be told.
    Unknown,
}

/// A folder that is read through.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Walk {
    /// Where it begins.
    pub root: Target,
    /// Names and globs that are left out, as they are written.
    pub excludes: Vec<String>,
    /// Files are opened; otherwise their names alone are seen.
    pub content: bool,
    /// Names that begin with a dot are left out.
    pub skips_hidden: bool,
    /// What the repository ignores is left out.
    pub skips_ignored: bool,
}

/// The words of one simple command; none stands for a word that can't be told.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Argv(pub Vec<Option<String>>);

impl Argv {
    /// The program without its folder and `.exe`.
    pub fn program(&self) -> Option<&str> {
        let name = gate::words::base_name(self.0.first()?.as_deref()?);
        Some(name.strip_suffix(".exe").unwrap_or(name))
    }

    /// The words after the program that are known.
    pub fn arguments(&self) -> impl Iterator<Item = &str> {
        self.0.iter().skip(1).filter_map(Option::as_deref)
    }

    /// Whether one of its words can't be told.
    pub fn has_unknown(&self) -> bool {
        self.0.iter().any(Option::is_none)
    }
}

impl Effects {
    /// The answer about a call that was not understood.
    pub fn unparsable(why: String, hint: String) -> Self {
        Self { acts: true, certainty: Certainty::Unparsable { why, hint }, ..Self::default() }
    }

    /// It was understood and more may be touched than is listed.
    pub fn is_opaque(&self) -> bool {
        self.certainty == Certainty::Opaque
    }

    /// It was not understood.
    pub fn is_unparsable(&self) -> bool {
        matches!(self.certainty, Certainty::Unparsable { .. })
    }

    /// It may change something.
    pub fn is_acting(&self) -> bool {
        self.acts
            || self.starts_agent
            || self.certainty != Certainty::Known
            || !self.writes.is_empty()
            || !self.deletes.is_empty()
    }

    /// It reads at most.
    pub fn is_read_only(&self) -> bool {
        !self.is_acting()
    }

    /// What is written or deleted.
    pub fn changes(&self) -> impl Iterator<Item = &Target> {
        self.writes.iter().chain(&self.deletes)
    }

    /// Drops what is listed twice, and makes the answer opaque where a change has no known place.
    pub(super) fn settle(&mut self) {
        for list in [&mut self.writes, &mut self.deletes, &mut self.reads, &mut self.mentions] {
            drop_repeated(list);
        }
        drop_repeated(&mut self.recursive_reads);
        let is_open = self.changes().any(Target::is_unknown);
        if is_open && self.certainty == Certainty::Known {
            self.certainty = Certainty::Opaque;
        }
    }
}

fn drop_repeated<T: Eq + std::hash::Hash + Clone>(list: &mut Vec<T>) {
    let mut seen = std::collections::HashSet::new();
    list.retain(|item| seen.insert(item.clone()));
}

impl Target {
    /// A target that can't be told.
    pub fn unknown(written: impl Into<String>) -> Self {
        Self {
            place: Place::Unknown,
            tree: false,
            spelled: None,
            written: written.into(),
            spares: Spares::Nothing,
        }
    }

    /// Whether its place can't be told.
    pub fn is_unknown(&self) -> bool {
        self.place == Place::Unknown
    }

    /// Whether it is, or may be, the file at the absolute `path`, or holds it. With `fold`, letters of either case
    /// are the same. A target that can't be told is never it.
    pub fn may_touch(&self, path: &Path, fold: bool) -> bool {
        let wanted = plain(path, fold);
        match &self.place {
            Place::Path(place) => {
                let place = plain(place, fold);
                place == wanted || self.tree && is_below(&wanted, &place)
            }
            Place::Pattern(pattern) => pattern::matches(pattern, &wanted, self.tree, fold),
            Place::Unknown => false,
        }
    }

    /// Whether it may be something that the absolute pattern `path` matches, or that lies below what it matches.
    pub fn may_touch_match(&self, path: &str, fold: bool) -> bool {
        let below = |pattern: &str| format!("{pattern}/**");
        let Place::Pattern(own) = &self.place else { return false };
        pattern::overlap(own, path, fold)
            || pattern::overlap(own, &below(path), fold)
            || self.tree && pattern::overlap(&below(own), path, fold)
    }

    /// Whether it is, or may be, the folder at the absolute `path`, holds it, or lies in it.
    pub fn may_touch_within(&self, path: &Path, fold: bool) -> bool {
        if self.may_touch(path, fold) {
            return true;
        }
        let wanted = plain(path, fold);
        match &self.place {
            Place::Path(place) => is_below(&plain(place, fold), &wanted),
            Place::Pattern(pattern) => pattern::reaches_into(pattern, &wanted, fold),
            Place::Unknown => false,
        }
    }
}

fn plain(path: &Path, fold: bool) -> String {
    let text = path.to_string_lossy();
    let text = if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() };
    if fold { gate::protected::folded(&text) } else { text }
}

fn is_below(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}
