//! The cairn program.

fn main() {}
