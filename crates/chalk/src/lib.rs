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

pub mod accept;
pub mod amend;
pub mod audit;
pub mod backlog;
pub mod block;
pub mod board;
pub mod change;
pub mod code_size;
pub mod codes;
pub mod content;
pub mod context;
pub mod contract;
pub mod deciders;
pub mod doctor;
pub mod done;
pub mod draft;
pub mod exec;
mod finished;
pub mod guard;
pub mod handoff;
pub mod held_out;
pub mod init;
pub mod lesson;
pub mod levers;
pub mod locks;
pub mod migrate;
pub mod model;
pub mod next;
pub mod phase;
pub mod pinned;
pub mod preset;
pub mod protect;
pub mod question;
pub mod review;
pub mod root;
mod seen;
pub mod session;
pub mod skill;
pub mod source;
pub mod spec;
pub mod standing;
pub mod start;
pub mod stats;
pub mod status;
pub mod task;
pub mod tasks;
pub mod timeline;
pub mod toolchain;
pub mod tree;
pub mod verify;
pub mod width;
pub mod withheld;
pub mod work;

pub use session::Session;
