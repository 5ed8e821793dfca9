//! Files and git.

pub mod digest;
pub mod git;
mod world;

pub use world::{Entropy, Env, SystemClock, SystemEntropy, World};
