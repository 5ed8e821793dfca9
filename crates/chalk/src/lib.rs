//! Chalk Protocol v0: a spine of project state in `.chalk/`, and gates that refuse to move a task on
//! until a rule is met.
//!
//! - [`Session`]: one command's view of the spine;
//! - [`Draft`](draft::Draft): a change of the spine, written at once or not at all;
//! - [`model`]: the spine's files as values;
//! - [`codes`]: the closed list of reasons for a refusal;
//! - [`source`]: what source text says of itself, for the gates that need it.
//!
//! Everything else is one module a command or gate. A gate decides from values and gives back a document
//! or a [`gate::Refusal`]; nothing here prints, and no lock is held while an external command runs.

pub mod codes;
pub mod timeline;
pub mod task;
pub mod question;
pub mod preset;
pub mod init;
pub mod accept;
pub mod content;
pub mod draft;
pub mod exec;
pub mod model;
pub mod root;
pub mod session;
pub mod source;
pub mod standing;
pub mod tasks;

pub use session::Session;
