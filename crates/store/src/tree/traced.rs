//! The working tree, with a note of everything that was asked of it.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use canon::{Hasher, Sha256, Timestamp};

use super::{Entry, EntryKind, Tree, TreeError, WorkTree};
use crate::git::{Oid, RepoPath};
use crate::parallel;

/// Seconds within which two changes of a file may leave the same times behind, generously: the clock of a disk ticks
/// in milliseconds to two seconds.
const TICK: i64 = 3;

/// A working tree that notes which names it was asked about.
///
/// Each name's times are taken before its content is read, so a later [`Trace::holds`] sees any change since.
#[derive(Debug)]
pub struct Traced {
    tree: WorkTree,
    asked: Arc<Asked>,
}

/// So many names are looked at in turn.
const PIECE: usize = 64;

/// What was asked of one or more [`Traced`] trees of the same folder.
#[derive(Debug, Default)]
pub struct Asked {
    names: Mutex<Vec<RepoPath>>,
}

impl Traced {
    /// Notes in `asked` what is asked of `tree`.
    pub fn new(tree: WorkTree, asked: Arc<Asked>) -> Self {
        Self { tree, asked }
    }

    fn note<'p>(&self, paths: impl IntoIterator<Item = &'p RepoPath>) {
        if let Ok(mut names) = self.asked.names.lock() {
            names.extend(paths.into_iter().cloned());
        }
    }
}

impl Tree for Traced {
    fn commit(&self) -> Option<&Oid> {
        None
    }

    fn kind(&self, path: &RepoPath) -> Result<Option<EntryKind>, TreeError> {
        self.note([path]);
        self.tree.kind(path)
    }

    fn list(&self, folder: &RepoPath) -> Result<Option<Vec<Entry>>, TreeError> {
        self.note([folder]);
        self.tree.list(folder)
    }

    fn read(&self, path: &RepoPath) -> Result<Option<Vec<u8>>, TreeError> {
        self.note([path]);
        self.tree.read(path)
    }

    fn read_many(&self, paths: &[RepoPath]) -> Result<Vec<Option<Vec<u8>>>, TreeError> {
        self.note(paths);
        self.tree.read_many(paths)
    }
}

/// The names that an answer was made from, and how they stood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    names: Vec<RepoPath>,
    stand: Sha256,
}

impl Asked {
    /// The names that were asked about since `begun`, and how they stand. None where one of them, or a folder that
    /// holds one, changed since or shortly before: then what was read may not be what stands there now, and a later
    /// change could leave the same times.
    pub fn trace(&self, tree: &WorkTree, begun: Timestamp) -> Option<Trace> {
        let mut names = self.names.lock().ok()?.clone();
        names.sort_unstable();
        names.dedup();
        let (stand, newest) = stand(tree, &names)?;
        (newest < begun.as_millis() / 1000 - TICK).then_some(Trace { names, stand })
    }
}

impl Trace {
    /// Whether every name stands as it stood.
    pub fn holds(&self, tree: &WorkTree) -> bool {
        stand(tree, &self.names).is_some_and(|(stand, _)| stand == self.stand)
    }

    /// The trace as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.stand.to_string().into_bytes();
        for name in &self.names {
            bytes.push(0);
            bytes.extend_from_slice(name.as_bytes());
        }
        bytes
    }

    /// A trace from [`Trace::to_bytes`]; none from anything else.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut parts = bytes.split(|&byte| byte == 0);
        let stand = std::str::from_utf8(parts.next()?).ok()?.parse().ok()?;
        Some(Self { names: parts.map(RepoPath::new).collect(), stand })
    }
}

/// How names stand on disk, as a digest, and the last change of one of them or of a folder that holds one, in seconds
/// since 1970. None where the disk does not tell.
fn stand(tree: &WorkTree, names: &[RepoPath]) -> Option<(Sha256, i64)> {
    let pieces = names.chunks(PIECE).collect();
    let parts = parallel::each(pieces, |names| stand_in_turn(tree, names));
    let mut whole = Hasher::new();
    let mut newest = 0;
    for part in parts {
        let (part, changed) = part?;
        whole.update(part.to_string());
        newest = newest.max(changed);
    }
    Some((whole.finish(), newest))
}

fn stand_in_turn(tree: &WorkTree, names: &[RepoPath]) -> Option<(Sha256, i64)> {
    let mut hasher = Hasher::new();
    let mut newest = 0;
    let mut holding: Option<RepoPath> = None;
    for name in names {
        let folder = name.parent();
        if holding.as_ref() != Some(&folder) {
            newest = newest.max(changed(&tree.at(&folder)));
            holding = Some(folder);
        }
        let found = if tree.is_reached(name).ok()? { fs::symlink_metadata(tree.at(name)).ok() } else { None };
        let Some(found) = found else {
            hasher.update(b"-");
            continue;
        };
        let marks = marks(&found)?;
        newest = newest.max(marks[0]).max(marks[2]);
        hasher.update(b"+");
        for mark in marks {
            hasher.update(mark.to_le_bytes());
        }
    }
    Some((hasher.finish(), newest))
}

fn changed(folder: &Path) -> i64 {
    let marks = fs::symlink_metadata(folder).ok().and_then(|found| marks(&found));
    marks.map_or(0, |marks| marks[0].max(marks[2]))
}

/// What tells a file that nobody touched: when it was modified and changed, in seconds and nanoseconds, and its place,
/// size and mode.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems do not tell")]
fn marks(found: &fs::Metadata) -> Option<[i64; 8]> {
    use std::os::unix::fs::MetadataExt;
    let place = [found.dev(), found.ino(), found.size(), u64::from(found.mode())];
    let [device, inode, size, mode] = place.map(u64::cast_signed);
    Some([found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec(), device, inode, size, mode])
}

#[cfg(not(unix))]
fn marks(_: &fs::Metadata) -> Option<[i64; 8]> {
    None
}
