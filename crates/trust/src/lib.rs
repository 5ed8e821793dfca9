//! Keys and people: who signed what, and whom a repository believes.
//!
//! A repository says in two files whom it believes: `.chant/trust.json` ([`policy`]) says who holds which role, and the
//! signers file ([`signers`]), in the form of ssh's `allowed_signers`, whose keys count. Both are read at one revision,
//! the [`Base`], which is the branch that work is merged to and never the work itself: a change is judged by what was
//! believed before it. [`Trust`] is all of that, read.
//!
//! - [`Trust::files`] and [`Trust::commits`] say how far an authorship is established ([`provenance`]);
//! - [`Trust::check_seal`] says what a person's [`seal`](mod@seal) on a record, a verdict or an approval is worth;
//! - [`Trust::verify`] judges every commit of a change ([`verify`]);
//! - [`History`] is how one set of signers handed over to the next ([`rotation`]).
//!
//! Below these lie [`Principal`] (names), [`Key`], [`Signature`] (SSH signatures, checked in process without
//! `ssh-keygen`), [`commit`] (the signature of a commit) and [`keygen`] (signing, by the user's own `ssh-keygen`, so
//! that keys in an agent or on a token work). What a program signs by itself, it signs with an [`ed25519`] key from a
//! PEM file, as a [`dsse`] envelope over an in-toto statement where others are to check it.
//!
//! Reasons are enums; a protocol gives each its code. Nothing here knows a protocol's codes, prints, or reads the
//! environment by itself. No setting of git's, no author name and no date counts.

mod base;
pub mod commit;
pub mod dsse;
pub mod ed25519;
#[cfg(test)]
mod fixture;
mod key;
pub mod keygen;
pub mod policy;
mod position;
pub mod principal;
pub mod provenance;
pub mod rotation;
pub mod seal;
pub mod signers;
mod sshsig;
mod trust;
pub mod verify;

pub use base::{Base, BaseFrom, NoBase};
pub use key::{Key, NotAKey};
pub use policy::{Class, Policy};
pub use principal::Principal;
pub use provenance::{Level, Provenance};
pub use rotation::History;
pub use seal::{Attestation, Seal, SealProblem};
pub use signers::{Signer, Signers};
pub use sshsig::{Fault, Signature, is_armored};
pub use trust::{NameForm, Trust};
pub use verify::Verification;
