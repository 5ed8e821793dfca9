//! Coding agents: each agent's own payloads, answers and settings, one file an agent.
//!
//! - [`read`]: an agent's payload becomes a [`Reading`] with the neutral [`gate::event::Event`], or is
//!   [`Unreadable`]; both know the answer in the form of the agent that really asked;
//! - [`payload`]: bytes to one strict JSON object, without waiting for the end of the input;
//! - [`AgentId`] and [`Capabilities`]: the agents, and what each of them can do, as data; [`AgentId::contracts`]: how
//!   far the capability contracts hold with each;
//! - [`install`]: planned edits of the agents' settings, and what is installed there.
//!
//! Nothing here judges, opens a file or prints. What can't be read before a call is denied; at any other moment it
//! is let go.

mod agent;
mod answer;
mod antigravity;
mod capability;
mod claude;
pub mod codes;
mod codex;
mod contract;
mod copilot;
mod cursor;
mod droid;
mod fields;
mod gemini;
mod generic;
mod grok;
pub mod install;
mod opencode;
mod outcome;
pub mod payload;
mod qwen;
mod reading;
mod shape;
mod sniff;
mod tools;
mod vscode;

pub use agent::{AgentId, Point};
pub use answer::Answer;
pub use capability::{Capabilities, Direction, Lack, Reach};
pub use contract::{Contract, Provision, Standing};
pub use reading::{Heard, Judging, Reading, Unreadable, read, unreadable};

#[cfg(test)]
mod tests;
