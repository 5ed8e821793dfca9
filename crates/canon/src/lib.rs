//! Bytes to values and back, without files and without a clock.
//!
//! This floor owns the forms that the protocols prescribe byte for byte:
//!
//! - [`json`]: reading JSON with exact positions, editing it in place so that untouched bytes stay
//!   as they were, writing it as JavaScript's `JSON.stringify` does, and RFC 8785 for what is hashed;
//! - [`module`]: data in a JavaScript module, read without running it;
//! - [`front_matter`]: the JSON subset of YAML at the top of a text, read, edited in place and written;
//! - [`jsonc`]: JSON, with comments where a file may have them, as values that know their places;
//! - [`managed`]: the block that a program keeps in a file of the user;
//! - [`outline`]: what any YAML text holds, every scalar as text;
//! - [`Sha256`]: digests as a type;
//! - [`Hashed`]: hashes whose algorithm the text names;
//! - [`base64`]: bytes as text;
//! - [`Timestamp`]: instants in the one text form that all protocols share;
//! - [`text`]: one line out of whatever a caller typed.
//!
//! Nothing here opens a file, asks for the time or prints.

pub mod base64;
pub mod front_matter;
mod hashed;
pub mod json;
pub mod jsonc;
mod layout;
pub mod managed;
pub mod module;
mod outline;
mod sha256;
pub mod text;
mod time;

pub use hashed::{Algorithm, Hashed};
pub use outline::outline;
pub use sha256::{Hasher, NotASha256, Sha256};
pub use time::{Clock, Timestamp};
