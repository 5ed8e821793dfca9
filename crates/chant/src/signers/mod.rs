//! `workspace signers`: the sets of signers that base has had, and the file that lets the next set follow.

mod document;
mod rotate;

use std::sync::Arc;

use gate::Refusal;
use trust::{History, Trust};

use crate::codes;
use crate::place::{Place, tree_failed};

pub use document::{Broken, Document, Failure, Version, code};
pub use rotate::{Rotated, Signed, rotate, sign};

/// What was read, and what people should know of it.
#[derive(Debug)]
pub struct Listed {
    /// The document.
    pub document: Document,
    /// What counts for nothing although it stands there: lines of the signers file, machines of the policy.
    pub notes: Vec<String>,
}

/// Lists the sets of signers up to `base`, or to the usual base.
///
/// # Errors
/// Every code that the document of `signers` lists.
pub fn list(place: &Place<'_>, base: Option<&str>) -> Result<Listed, Refusal> {
    let (trust, history) = read(place, base)?;
    let base = at(&trust)?;
    Ok(Listed {
        notes: notes(&trust),
        document: Document::new(base, trust.signers_path().legible().into_owned(), &history),
    })
}

/// What is believed at base, and the sets of signers there, also where they were taken out since.
fn read(place: &Place<'_>, base: Option<&str>) -> Result<(Trust, History), Refusal> {
    let objects = place.repository()?;
    let trust = place.trust(base)?;
    let Some(base) = trust.base() else { return Err(no_base(&trust)) };
    if trust.is_active() {
        let history = trust.history().clone();
        return Ok((trust, history));
    }
    let path = trust.signers_path();
    let history =
        History::read(place.git(), &Arc::clone(objects), &base.commit, path).map_err(tree_failed)?;
    if history.versions.is_empty() && history.broken.is_none() {
        let message = format!("there is no signers file (`{path}`) at base {:.8}", base.commit.as_str());
        return Err(Refusal::new(codes::SIGNERS_FILE_MISSING, message)
            .hint("commit one, a line `<principal> <key type> <public key>` for each signer, and merge it"));
    }
    Ok((trust, history))
}

fn at(trust: &Trust) -> Result<String, Refusal> {
    trust.base().map(|base| base.commit.to_string()).ok_or_else(|| no_base(trust))
}

fn no_base(trust: &Trust) -> Refusal {
    let message = trust.no_base().map(ToString::to_string).unwrap_or_default();
    Refusal::new(codes::REVISION_UNKNOWN, message)
}

/// What stands in the files of trust and counts for nothing.
pub(crate) fn notes(trust: &Trust) -> Vec<String> {
    let policy = trust.policy_problem().map(str::to_owned);
    let lines = trust.signers().map(|signers| refused(&trust.signers_path().legible(), signers));
    let runners = trust.refused_runners().iter().map(ToString::to_string);
    let notes = policy.into_iter().chain(lines.unwrap_or_default()).chain(runners);
    notes.map(|note| canon::text::one_line(&note)).collect()
}

/// The lines of a signers file that are not used.
fn refused(path: &str, signers: &trust::Signers) -> Vec<String> {
    signers.refused().iter().map(|line| format!("`{path}`: {line}")).collect()
}

#[cfg(test)]
mod tests;
