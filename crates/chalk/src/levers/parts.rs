//! The implementation in a copy of the tree: as it is, taken back, or without its behaviour.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gate::Refusal;
use store::git::{Change, ChangeKind, RepoPath};

use super::copy::{Copy, copy_file, remove};
use super::files::text;
use crate::change::{ChangeSet, shown};
use crate::codes;
use crate::source::language::Language;
use crate::source::stub;

/// What a test runs over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Over {
    /// The change.
    Whole,
    /// Changed files as they were, new ones emptied where that is possible, else gone.
    Reverted,
    /// The change with every body emptied.
    Emptied,
    /// Changed files as they were, new ones gone.
    Removed,
}

impl Over {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Reverted => "reverted",
            Self::Emptied => "emptied",
            Self::Removed => "removed",
        }
    }
}

/// A file of the implementation.
pub(super) struct Part {
    path: RepoPath,
    /// The file as it is.
    now: Option<PathBuf>,
    /// The file as it was before the change.
    before: Option<PathBuf>,
    /// The file as it is, without its behaviour.
    stub: Option<String>,
    /// The stub keeps constants, so that a test of constants alone passes over it.
    keeps_constants: bool,
}

impl Part {
    pub(super) fn is_new(&self) -> bool {
        self.before.is_none()
    }

    pub(super) fn can_be_emptied(&self) -> bool {
        self.stub.is_some()
    }

    pub(super) fn is_emptied_but_for_constants(&self) -> bool {
        self.stub.is_some() && self.keeps_constants
    }
}

/// The files of the implementation.
pub(super) struct Parts {
    parts: Vec<Part>,
    /// What lies in the copy now.
    at: Over,
}

impl Parts {
    /// Keeps the files of the implementation beside the copy, as they are and as they were; or says why they can't
    /// be taken back.
    pub(super) fn take(
        set: &ChangeSet,
        copy: &Copy,
        changes: &[&Change],
    ) -> Result<Result<Self, String>, Refusal> {
        let paths: Vec<RepoPath> = changes.iter().map(|change| change.path.clone()).collect();
        let base = set.export_base(&copy.beside("base"), &paths)?;
        let mut parts = Vec::new();
        for Change { path, kind, .. } in changes {
            let was = base.join(path.to_path());
            let before = match fs::symlink_metadata(&was) {
                // An export makes an empty folder of a submodule; one with files in it was no file before.
                Ok(metadata) if metadata.is_dir() && is_empty(&was) => {
                    return Ok(Err(format!("the submodule `{}` can't be taken back", shown(path))));
                }
                Ok(metadata) => (!metadata.is_dir()).then_some(was),
                Err(_) => None,
            };
            let now = if *kind == ChangeKind::Deleted { None } else { Some(copy.tree.join(path.to_path())) };
            let now = match now.map(|now| (fs::symlink_metadata(&now), now)) {
                Some((Ok(metadata), _)) if metadata.is_dir() => {
                    return Ok(Err(format!("the repository `{}` can't be taken back", shown(path))));
                }
                Some((Ok(_), now)) => {
                    let kept = copy.beside("now").join(path.to_path());
                    copy_file(&now, &kept).map_err(|error| unwritten(path, &error))?;
                    Some(kept)
                }
                _ => None,
            };
            let language = Language::of(&text(path));
            let source =
                now.as_ref().filter(|now| now.is_file()).and_then(|now| fs::read_to_string(now).ok());
            let stub = language.zip(source).and_then(|(language, source)| stub::stub(language, &source));
            let keeps_constants = matches!(language, Some(Language::Rust | Language::Go));
            parts.push(Part { path: path.clone(), now, before, stub, keeps_constants });
        }
        Ok(Ok(Self { parts, at: Over::Whole }))
    }

    pub(super) fn any(&self, is: impl Fn(&Part) -> bool) -> bool {
        self.parts.iter().any(is)
    }

    /// Puts the files into the form that the next run is over.
    pub(super) fn lay_out(&mut self, copy: &Copy, over: Over) -> Result<(), Refusal> {
        if self.at == over {
            return Ok(());
        }
        for part in &self.parts {
            let target = copy.tree.join(part.path.to_path());
            if !copy.holds(&target) {
                // Behind a folder that became a link. Where the link is taken back, it goes before its files come,
                // since paths are sorted.
                continue;
            }
            let source = if over == Over::Whole { part.now.as_deref() } else { part.before.as_deref() };
            let done = match (over, source, &part.stub) {
                (Over::Emptied, _, Some(stub)) | (Over::Reverted, None, Some(stub)) => write(&target, stub),
                (_, Some(source), _) => copy_file(source, &target),
                (_, None, _) => remove(&target),
            };
            done.map_err(|error| unwritten(&part.path, &error))?;
        }
        self.at = over;
        Ok(())
    }
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

fn write(target: &Path, content: &str) -> io::Result<()> {
    // The permissions of a file stay, since some of these files are run.
    if fs::symlink_metadata(target).is_ok_and(|metadata| !metadata.is_file()) {
        remove(target)?;
    }
    if let Some(folder) = target.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(target, content)
}

fn unwritten(path: &RepoPath, error: &io::Error) -> Refusal {
    Refusal::new(codes::IO, format!("cannot change the copy of `{}`: {error}", shown(path)))
}
