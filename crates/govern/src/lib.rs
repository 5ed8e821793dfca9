//! The agent-governance workflow 1.1: what may happen at a tool call, and the receipt of what did.
//!
//! [`classify`] says what a call touches; [`gates`] judge it by what is known, under a [`policy`]. Every gate is a pure
//! function of an event and a snapshot of what is known. What was decided and what came of it is kept as [`receipts`],
//! one signed line each in one chain; [`evidence`] holds what an agent says it did against them. [`session`] is what
//! the gates know of one session, [`State`] where all of that lies. [`research`] judges how something was found out, and
//! [`deploy`] brings the whole to another repository.
//!
//! Nothing here knows an agent's own payload, prints, or reads the environment by itself.

pub mod classify;
pub mod codes;
pub mod deploy;
pub mod evidence;
pub mod gates;
pub mod policy;
pub mod receipts;
pub mod research;
pub mod session;
mod state;

pub use state::{NoState, State};
