//! Keys and people: who signed what, and whom a repository believes.
//!
//! Nothing here knows a protocol's reason codes, prints, or reads the environment by itself.
