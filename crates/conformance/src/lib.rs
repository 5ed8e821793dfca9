//! Executable conformance: vectors as data, and the harness that holds any implementation against them.
//!
//! A [`Corpus`] is the published vectors ([`vector`]), each with a digest. A [`Subject`] is a program that answers cases
//! over its standard streams ([`protocol`]); [`run`] sends it each case without what is expected, compares canonical
//! bytes, and gives every vector a [`Class`] and every [`Level`] a verdict ([`Report`]). [`attest`] signs a report, and
//! checks one that a second party signed.
//!
//! The harness knows no gate: what a vector says is data, and what a subject answers is bytes. Honesty is checked both
//! ways: a subject that answers what it does not claim is refused, one that does not answer what it claims fails.
//!
//! Source of the rules: agent-governance workflow 1.1, section 24.

pub mod attest;
pub mod codes;
mod control;
mod corpus;
mod digests;
mod judge;
mod player;
pub mod protocol;
mod report;
mod run;
mod subject;
pub mod vector;

pub use control::Control;
pub use corpus::{Corpus, published};
pub use digests::{Change, Manifest};
pub use judge::Class;
pub use report::{Count, LevelVerdict, Problem, Report, Tested, Under};
pub use run::{Options, run};
pub use subject::Subject;
pub use vector::{Level, Vector};
