//! Files and git: everything that touches a disk, once.
//!
//! - [`file`]: reading and writing without following links, whole or not at all;
//! - [`lock`]: the write lock that each protocol publishes, with a holder judged by its process;
//! - [`transaction`]: several files changed as one, finished by the next writer after a crash;
//! - [`chain`]: append-only logs in which every line names the one before;
//! - [`git`]: where the repository lies, and questions to the user's git;
//! - [`digest`]: the one content digest that every bound result names;
//! - [`tree`]: files by name, on disk or in a commit;
//! - [`state`]: where results lie, outside the work tree;
//! - [`World`]: what a library may know of the machine.
//!
//! Nothing here knows a protocol, prints, or reads the environment by itself.

pub mod chain;
pub mod digest;
pub mod fault;
pub mod file;
pub mod git;
pub mod lock;
pub mod parallel;
pub mod state;
pub mod transaction;
pub mod tree;
mod world;

pub use world::{Entropy, Env, SystemClock, SystemEntropy, World};
