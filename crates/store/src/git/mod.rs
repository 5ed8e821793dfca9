//! One way to git: where a repository keeps its parts, and questions to the user's own `git`.
//!
//! - [`Layout`] finds the folders of a repository in microseconds, without starting a process;
//! - [`Git`] runs the user's `git` in one folder: [`Git::output`] for any command, and one method for
//!   each question that a gate asks;
//! - [`RepoPath`] and [`Oid`] are what those questions are about.
//!
//! Whatever repository git itself can read is read: linked worktrees, submodules, SHA-256 and reftable
//! repositories, shallow clones, a detached or unborn `HEAD`, names of any bytes.
//!
//! No question writes to the repository. What needs an index of its own (the text of a change with
//! its untracked files, the export of a revision) has it in the temporary folder, so a read-only
//! `.git` or an `index.lock` held by someone else is no obstacle.
//!
//! What a gate sees (the files, their digest, the change) is asked with a git directory of our own in
//! which nobody's private rules are; see [`impartial`].

mod aside;
mod change;
mod disk;
mod export;
mod file;
#[cfg(test)]
pub(crate) mod fixture;
mod history;
mod impartial;
mod layout;
mod lfs;
mod listing;
mod log;
mod machine;
mod objects;
mod oid;
mod overlay;
mod patch;
mod path;
mod process;
mod scratch;
mod settings;
mod versions;

pub use aside::{Aside, Nested, Unshown};
pub use change::{Change, ChangeKind, Comparison, Snapshot};
pub use history::{Ancestry, Head, MergeBase};
pub use layout::Layout;
pub use log::{Lineage, Touched};
pub use objects::{Object, ObjectKind, Objects, TreeItem};
pub use oid::{ObjectFormat, Oid};
pub use patch::{Edit, FilePatch, Hunk, Span};
pub use path::RepoPath;
pub use process::{Git, GitError};
pub use scratch::Scratch;
pub use versions::{Stamp, Version, is_one_line};

pub(crate) use disk::Disk;
pub(crate) use impartial::Impartial;
pub(crate) use layout::canonical;
pub(crate) use listing::{Listed, State, records};
pub(crate) use machine::Machine;
use settings::parse_bool;
