//! Chalk Protocol v0.

pub mod source;
