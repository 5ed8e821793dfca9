//! The Chant workspace, Workspace Read Contract 1: records that are files of the repository, and the documents that
//! tools read.
//!
//! A workspace is declared by `chant.workspace.json` ([`declaration`]). It names *kinds* of records ([`kind`]); each
//! record is a file ([`records`]), which only this program writes ([`write`](mod@write)). A command reads a
//! [`store::tree::Tree`], the working tree or a commit, and answers with a document that follows a published schema, or
//! with a refusal that carries one code of the closed list ([`codes`]).
//!
//! Nothing here prints, reads the environment by itself, or knows the command line.

pub mod check;
pub mod codes;
pub mod declaration;
mod document;
pub mod duration;
#[cfg(test)]
mod fixture;
pub mod init;
pub mod journal;
pub mod kind;
pub mod lock;
pub mod ls;
pub mod members;
pub mod patch;
mod place;
pub mod points;
pub mod protect;
#[cfg(test)]
mod published;
pub mod records;
pub mod sarif;
pub mod signers;
pub mod verify;
pub mod write;

pub use document::{CONTRACT, Cairn, LEVEL, Problem};
pub use place::Place;
