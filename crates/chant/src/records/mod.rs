//! Records: reading those of a kind, with what follows from each other, from history and from trust.
//!
//! [`read`] lists the files of a kind in a tree, parses and validates each, and follows their links: who replaces
//! whom, which pinned files drifted, which verdicts count, what a work item waits for. A record is *valid* when it
//! has no reasons against it; a warning leaves it valid.

mod answers;
mod attest;
mod checkout;
mod cycles;
mod decided;
mod digest;
mod document;
mod links;
mod list;
mod memory;
mod pins;
mod print;
mod read;
mod record;
mod reviews;
mod sessions;
pub mod since;
mod source;
mod times;
mod work;

pub use attest::code as seal_code;
pub use checkout::Checkout;
pub use digest::{digest, whole_seal};
pub use document::{
    Declared, Document, Failure, KindHead, Listing, Outcome, SCHEMA, Set, Spec, SpecRecord, Summary,
    TrustView,
};
pub use links::Index;
pub(crate) use links::index;
pub use list::{Query, around, declared, list, named};
pub use memory::Memory;
pub use pins::{Asset, PinState, is_workspace_path};
pub use read::{Reading, Records, content, located, parse, parsed, read};
pub use record::{DecidedIn, Nullable, Provenance, Record, Worktree};
pub use reviews::{Attestation, Concern, Judge, Judged, Need, NeedFrom, Quorum, Verdict, count};
pub use sessions::Citation;
pub use source::{is_harvest, problem as source_problem};
pub use times::{GitTimes, NoTimes, Times};
pub use work::{AcceptanceView, AnswerView, Criterion, DecisionWork, Lease, LinkState};

#[cfg(test)]
mod tests;
