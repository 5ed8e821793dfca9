//! The files of the spine as values.

pub mod config;
pub mod log;
pub mod task;

pub use config::{Cadence, Config, LastAudit, Protocol, Strictness, VerifyGate};
pub use log::{Event, Question};
pub use task::{Decider, Lock, Own, Review, ReviewFinding, State, Task, TaskHead, display_id};
