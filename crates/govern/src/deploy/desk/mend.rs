//! The way on where the files of a deployment are not as they were written: what is there is kept aside, and the receipts
//! say so.

use std::fs;
use std::path::Path;

use canon::{Sha256, Timestamp};
use store::chain::{ChainError, Link as _};
use store::file::{self, FileError};

use super::{Desk, DeskError, EVIDENCE, RECEIPTS, STATE, evidence, is_cut};
use crate::deploy::FOLDER;
use crate::deploy::receipt::{Entry, Kind, Receipt};
use crate::deploy::state::Deployment;

/// What was mended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mended {
    /// Where what was there is kept, from the target's top.
    pub aside: String,
    /// The files that were put aside or written anew, by their names in the governance folder.
    pub files: Vec<String>,
    /// A new chain of receipts was begun, since the one that was there is broken.
    pub is_new_chain: bool,
    /// The digest of the receipts that were put aside.
    pub receipts: Option<Sha256>,
}

impl Desk {
    /// Puts aside what is not as it was written, and says so in the receipts. Evidence comes back from its receipts. A
    /// broken chain is followed by a new one; the state goes aside with it, unless it tells how a change of the target is
    /// taken back. None where everything is as it was written. `stamp` tells what is put aside now from what was before.
    ///
    /// # Errors
    /// A file can't be read or written.
    pub fn mend(&self, now: Timestamp, stamp: &str) -> Result<Option<Mended>, DeskError> {
        let state = match self.state() {
            Ok(state) => Ok(state),
            Err(DeskError::Damaged { .. }) => Err(()),
            Err(error) => return Err(error),
        };
        let known = state.as_ref().ok().and_then(Option::as_ref);
        let lines = self.whole_chain()?.filter(|lines| known.is_none_or(|state| !is_cut(lines, state)));
        let changed = match &lines {
            Some(lines) => self.changed_evidence(lines)?,
            None => Vec::new(),
        };
        if lines.is_some() && changed.is_empty() && state.is_ok() {
            return Ok(None);
        }
        let log = if lines.is_none() { file::read(&self.path(RECEIPTS)).ok().flatten() } else { None };
        let run = last_run(log.as_deref(), lines.as_deref(), known);
        let aside = format!("{EVIDENCE}/aside-{stamp}");
        let mut files = Vec::new();
        let mut go = |name: &str| -> Result<(), DeskError> {
            self.set_aside(name, &aside)?;
            files.push(name.to_owned());
            Ok(())
        };
        let has_changed = matches!(&state, Ok(Some(state)) if state.phase.has_changed());
        if lines.is_none() {
            for name in self.evidence_files()? {
                go(&name)?;
            }
            // The log last: what is broken off before it is found broken again.
            go(&format!("{RECEIPTS}.head"))?;
            go(RECEIPTS)?;
        }
        if state.is_err() || lines.is_none() && !has_changed {
            go(STATE)?;
        }
        for line in &changed {
            let name = evidence(&line.tool);
            go(&name)?;
            self.write(&name, &line.line())?;
        }
        let mended = Mended {
            aside: format!("{FOLDER}/{aside}"),
            files,
            is_new_chain: lines.is_none(),
            receipts: log.map(Sha256::of),
        };
        let mut kept = state.ok().flatten().filter(|_| has_changed || lines.is_some());
        let mut fresh = Deployment::new(run, now);
        let told = self.record(kept.as_mut().unwrap_or(&mut fresh), now, mended.entry())?;
        if let Some(mut kept) = kept {
            kept.receipt_seq = told.seq;
            self.keep(&kept)?;
        }
        Ok(Some(mended))
    }

    /// The receipts; none where the chain is broken.
    fn whole_chain(&self) -> Result<Option<Vec<Receipt>>, DeskError> {
        match self.chain().records() {
            Ok(lines) => Ok(Some(lines)),
            Err(ChainError::Broken { .. }) => Ok(None),
            Err(_) if self.chain().is_misplaced() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The evidence of the last deployment.
    fn evidence_files(&self) -> Result<Vec<String>, DeskError> {
        let folder = self.path(EVIDENCE);
        let fail = |source| FileError { path: folder.clone(), doing: "list", source };
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(fail(error).into()),
        };
        let mut names = Vec::new();
        for entry in entries {
            let name = entry.map_err(fail)?.file_name();
            if let Some(name) =
                name.to_str().filter(|name| Path::new(name).extension().is_some_and(|it| it == "json"))
            {
                names.push(format!("{EVIDENCE}/{name}"));
            }
        }
        names.sort();
        Ok(names)
    }

    /// Moves a file of the governance folder, if it is there.
    fn set_aside(&self, name: &str, aside: &str) -> Result<(), DeskError> {
        let from = self.path(name);
        let folder = self.path(aside);
        let Some(last) = from.file_name().filter(|_| fs::symlink_metadata(&from).is_ok()) else {
            return Ok(());
        };
        file::create_folder(self.target(), &folder)?;
        let to = folder.join(last);
        Ok(fs::rename(&from, to).map_err(|source| FileError {
            path: from.clone(),
            doing: "rename",
            source,
        })?)
    }
}

impl Mended {
    fn entry(&self) -> Entry {
        let fact = if self.is_new_chain {
            format!("a new chain begins; the one before was broken, and is kept in {}", self.aside)
        } else {
            format!("{} was not as it was written, and is kept in {}", self.files.join(", "), self.aside)
        };
        let entry = Entry::new(Kind::Mend, "mend", fact);
        match self.receipts {
            Some(receipts) => entry.args(receipts),
            None => entry,
        }
    }
}

/// The number of the last deployment, as far as what is there tells it.
fn last_run(log: Option<&[u8]>, lines: Option<&[Receipt]>, state: Option<&Deployment>) -> u32 {
    let readable = log.unwrap_or_default().split(|byte| *byte == b'\n');
    let readable = readable.filter_map(|line| Receipt::read(line).ok()).map(|line| line.run);
    let whole = lines.unwrap_or_default().iter().map(|line| line.run);
    readable.chain(whole).chain(state.map(|state| state.run)).max().unwrap_or(0)
}
