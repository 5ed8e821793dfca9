//! The files of a deployment below its target: report, plan, state, receipts and evidence. Each is written whole, and
//! none through a link.

mod mend;

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use canon::Timestamp;
use store::chain::{Chain, ChainError, Head, Link as _};
use store::file::{self, FileError};

use super::FOLDER;
use super::receipt::{Entry, Kind, Receipt};
use super::state::Deployment;
use crate::research::{Fault, Research, judge};

pub use mend::Mended;

/// The report of the probe.
pub const REPORT: &str = "portability-report.json";
/// The plan.
pub const PLAN: &str = "deploy-plan.json";
/// The state.
pub const STATE: &str = "deploy-state.json";
/// The counters before the first idle pass.
pub const HEALTH: &str = "health.json";
const RECEIPTS: &str = "deploy-receipts.jsonl";
const EVIDENCE: &str = "evidence";

/// Why a file of a deployment can't be used.
#[derive(Debug)]
pub enum DeskError {
    /// A file can't be read or written.
    File(FileError),
    /// The receipts are not as they were written.
    Receipts(ChainError),
    /// A file is damaged.
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// What would be put on record as found out bears nothing.
    Research(Fault),
}

impl fmt::Display for DeskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(error) => error.fmt(f),
            Self::Receipts(error) => error.fmt(f),
            Self::Damaged { path, why } => write!(f, "`{}` is damaged: {why}", path.display()),
            Self::Research(fault) => write!(f, "{}: {}", fault.rule, fault.fact),
        }
    }
}

impl std::error::Error for DeskError {}

impl From<FileError> for DeskError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl From<ChainError> for DeskError {
    fn from(error: ChainError) -> Self {
        Self::Receipts(error)
    }
}

/// What a deployment rests on that is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// The state at its end.
    pub state: Deployment,
    /// The report of the probe.
    pub report: Vec<u8>,
    /// The plan.
    pub plan: Vec<u8>,
}

/// The files of one target's deployment. Whoever writes holds a lock.
#[derive(Debug, Clone)]
pub struct Desk {
    target: PathBuf,
    folder: PathBuf,
}

impl Desk {
    /// The files below this target; nothing is opened.
    pub fn at(target: &Path) -> Self {
        Self { target: target.to_owned(), folder: target.join(FOLDER) }
    }

    /// The target.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// The governance folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A file of the governance folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The bytes of a file of the governance folder; none where nothing is there.
    ///
    /// # Errors
    /// It can't be read, or the way to it is a link.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, DeskError> {
        let path = self.path(name);
        let way = path.ancestors().skip(1).take_while(|folder| folder.starts_with(&self.folder));
        for folder in way {
            if fs::symlink_metadata(folder).is_ok_and(|metadata| metadata.is_symlink()) {
                let source = io::Error::new(io::ErrorKind::InvalidInput, "it is a symbolic link");
                return Err(FileError { path: folder.to_owned(), doing: "read", source }.into());
            }
        }
        Ok(file::read(&path)?)
    }

    /// Writes a file of the governance folder.
    ///
    /// # Errors
    /// It can't be written.
    pub fn write(&self, name: &str, text: &str) -> Result<(), DeskError> {
        let path = self.path(name);
        file::create_folder(&self.target, path.parent().unwrap_or(&self.folder))?;
        Ok(file::replace(&path, text.as_bytes())?)
    }

    /// Whether every file of the governance folder could be written.
    ///
    /// # Errors
    /// What keeps one from it.
    pub fn check(&self) -> Result<(), DeskError> {
        let (folders, files): (Vec<&str>, Vec<&str>) = super::OWN.iter().partition(|name| **name == EVIDENCE);
        for name in folders {
            file::check_folder(&self.target, &self.path(name))?;
        }
        for name in files.into_iter().chain([HEALTH]) {
            file::check_replace(&self.target, &self.path(name))?;
        }
        Ok(())
    }

    /// The state, where there is one.
    ///
    /// # Errors
    /// It is damaged.
    pub fn state(&self) -> Result<Option<Deployment>, DeskError> {
        let Some(bytes) = self.read(STATE)? else { return Ok(None) };
        let damaged = |why| DeskError::Damaged { path: self.path(STATE), why };
        Deployment::read(&bytes).map(Some).map_err(damaged)
    }

    /// Writes the state.
    ///
    /// # Errors
    /// It can't be written.
    pub fn keep(&self, state: &Deployment) -> Result<(), DeskError> {
        self.write(STATE, &state.text())
    }

    fn chain(&self) -> Chain<Receipt> {
        Chain::of(self.path(RECEIPTS))
    }

    /// Keeps what a deployment rests on that is done, so that a newer report or plan leaves it as it is.
    ///
    /// # Errors
    /// It can't be read or written.
    pub fn finish(&self, state: &Deployment) -> Result<(), DeskError> {
        for name in [REPORT, PLAN] {
            let bytes = self.read(name)?.unwrap_or_default();
            self.write(&of_run(state.run, name), &String::from_utf8_lossy(&bytes))?;
        }
        self.write(&of_run(state.run, STATE), &state.text())
    }

    /// What a deployment rests on that is done; none where that was not kept.
    ///
    /// # Errors
    /// It can't be read, or is damaged.
    pub fn finished(&self, run: u32) -> Result<Option<Finished>, DeskError> {
        let name = of_run(run, STATE);
        let Some(state) = self.read(&name)? else { return Ok(None) };
        let damaged = |why| DeskError::Damaged { path: self.path(&name), why };
        Ok(Some(Finished {
            state: Deployment::read(&state).map_err(damaged)?,
            report: self.read(&of_run(run, REPORT))?.unwrap_or_default(),
            plan: self.read(&of_run(run, PLAN))?.unwrap_or_default(),
        }))
    }

    /// Every receipt, the chain checked from the first to the last, and the evidence files held against it.
    ///
    /// # Errors
    /// One is not as it was written.
    pub fn receipts(&self) -> Result<Vec<Receipt>, DeskError> {
        self.read(RECEIPTS)?;
        let lines = self.chain().records()?;
        if let Ok(Some(state)) = self.state()
            && is_cut(&lines, &state)
        {
            let why = format!("it ends before receipt {}, which the state names", state.receipt_seq);
            return Err(DeskError::Damaged { path: self.path(RECEIPTS), why });
        }
        match self.changed_evidence(&lines)?.first() {
            None => Ok(lines),
            Some(line) => {
                let why = format!("it is not what receipt {} has", line.seq);
                Err(DeskError::Damaged { path: self.path(&evidence(&line.tool)), why })
            }
        }
    }

    /// The latest receipts of each research whose file in the evidence is another.
    fn changed_evidence<'l>(&self, lines: &'l [Receipt]) -> Result<Vec<&'l Receipt>, DeskError> {
        let mut checked: Vec<&str> = Vec::new();
        let mut changed = Vec::new();
        for line in lines.iter().rev().filter(|line| line.kind == Kind::Research) {
            if checked.contains(&line.tool.as_str()) {
                continue;
            }
            checked.push(&line.tool);
            if self.read(&evidence(&line.tool))?.as_deref() != Some(line.line().as_bytes()) {
                changed.push(line);
            }
        }
        Ok(changed)
    }

    /// The last receipt. A half line that a crash left is cut off.
    ///
    /// # Errors
    /// The end of the chain is not as it was written.
    pub fn last(&self) -> Result<Option<Receipt>, DeskError> {
        self.read(RECEIPTS)?;
        self.chain().repair()?;
        Ok(self.chain().last()?)
    }

    /// Adds a receipt, and notes its number in the state, which is not yet written.
    ///
    /// # Errors
    /// It can't be written.
    pub fn record(&self, state: &mut Deployment, now: Timestamp, entry: Entry) -> Result<Receipt, DeskError> {
        file::create_folder(&self.target, &self.folder)?;
        let head = Head::of(self.last()?.as_ref());
        let receipt = Receipt::after(head, now, state.run, entry);
        self.chain().write(&receipt, true)?;
        state.receipt_seq = receipt.seq;
        Ok(receipt)
    }

    /// Adds what was found out at `step` to the receipts and to the evidence, and notes it in the state, which is not yet
    /// written.
    ///
    /// # Errors
    /// It bears nothing, or can't be written.
    pub fn found_out(
        &self,
        state: &mut Deployment,
        now: Timestamp,
        step: &str,
        research: Research,
    ) -> Result<(), DeskError> {
        if let Some(fault) = judge(&research) {
            return Err(DeskError::Research(fault));
        }
        let fact = research.findings.join("; ");
        let receipt = self.record(state, now, Entry::new(Kind::Research, step, fact).research(research))?;
        let name = evidence(step);
        self.write(&name, &receipt.line())?;
        let path = format!("{FOLDER}/{name}");
        if !state.research.contains(&path) {
            state.research.push(path);
        }
        Ok(())
    }
}

/// Whether the end of the receipts is gone, together with the head that would tell.
fn is_cut(lines: &[Receipt], state: &Deployment) -> bool {
    lines.last().map_or(0, |last| last.seq) < state.receipt_seq
}

fn evidence(step: &str) -> String {
    format!("{EVIDENCE}/{step}.json")
}

fn of_run(run: u32, name: &str) -> String {
    format!("{EVIDENCE}/run-{run}/{name}")
}

#[cfg(test)]
mod tests;
