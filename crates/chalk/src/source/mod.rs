//! Source.

pub mod impact;
pub mod imports;
pub mod language;
pub mod size;
pub mod stub;
mod syntax;
