//! Coding agents: each agent's own payloads, answers and settings, one file an agent.
//!
//! - [`read`]: an agent's payload becomes a [`Reading`] with the neutral [`gate::event::Event`], or is
//!   [`Unreadable`]; both know the answer in the form of the agent that really asked;
//! - [`payload`]: bytes to one strict JSON object, without waiting for the end of the input;
//! - [`AgentId`] and [`Capabilities`]: the agents, what each of them can do, and by what it is seen that one is there;
//!   [`AgentId::contracts`]: how far the capability contracts hold with each;
//! - [`Trial`]: a payload as an agent would send it, to see whether an installed hook judges;
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
mod presence;
mod qwen;
mod reading;
mod shape;
mod sniff;
mod tools;
mod trial;
mod vscode;

pub use agent::{AgentId, Point};
pub use answer::Answer;
pub use capability::{Capabilities, Direction, Lack, Reach};
pub use contract::{Provision, Standing};
pub use gate::contract::Contract;
pub use presence::{Basis, VARIABLES, Variable, started_by};
pub use reading::{Heard, Judging, Reading, Said, Unreadable, read, unjudged, unreadable};
pub use trial::{Trial, denies};

#[cfg(test)]
mod tests;
