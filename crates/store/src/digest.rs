//! Content digest.
