//! What a gate is.

pub mod run;
