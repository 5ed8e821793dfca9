//! The agent-governance workflow 1.1: what may happen at a tool call, and the receipt of what did.
//!
//! Every gate is a pure function of an event and a snapshot of what is known. Nothing here knows an agent's own
//! payload, prints, or reads the environment by itself.

pub mod classify;
