//! Coding agents: each agent's own payloads, answers and settings, one file an agent.
//!
//! An adapter reads an agent's payload into the neutral [`gate::event::Event`], and writes a
//! [`gate::event::Verdict`] as the smallest answer that the agent accepts. It judges nothing.
