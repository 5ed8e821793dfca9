//! cairn
