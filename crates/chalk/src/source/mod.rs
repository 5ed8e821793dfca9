//! Source.

pub mod imports;
pub mod language;
pub mod size;
mod syntax;
