//! What a gate is.

pub mod family;
pub mod run;
pub mod template;
mod words;
