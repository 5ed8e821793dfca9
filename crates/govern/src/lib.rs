//! The agent-governance workflow 1.1: what may happen at a tool call, and the receipt of what did.
//!
//! [`classify`] says what a call touches; [`gates`] judge it by what is known, under a [`policy`]. Every gate is a pure
//! function of an event and a snapshot of what is known. What was decided and what came of it is kept as [`receipts`],
//! one signed line each in one chain; [`evidence`] holds what an agent says it did against them. [`session`] is what
//! the gates know of one session, and its discipline; [`queue`] is what waits for a person, [`health`] what is counted;
//! [`State`] where all of that lies, and [`written`] what this program itself wrote of the files that agents may not write. [`knowledge`] is what a repository learned, and how far it is trusted; [`frozen`] is
//! what was in force when a session began. [`research`] judges how something was found out, and [`deploy`] brings the
//! whole to another repository.
//!
//! Nothing here knows an agent's own payload, prints, or reads the environment by itself.

pub mod classify;
pub mod codes;
pub mod deploy;
pub mod evidence;
pub mod frozen;
pub mod gates;
pub mod health;
pub mod knowledge;
pub mod policy;
pub mod queue;
pub mod receipts;
pub mod research;
pub mod session;
pub mod spec_lint;
mod state;
pub mod written;

pub use state::{NoState, State};
