//! The files of a deployment below its target: report, plan, state, receipts and evidence. Each is written whole, and
//! none through a link.

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

/// The report of the probe.
pub const REPORT: &str = "portability-report.json";
/// The plan.
pub const PLAN: &str = "deploy-plan.json";
/// The state.
pub const STATE: &str = "deploy-state.json";
const RECEIPTS: &str = "deploy-receipts.jsonl";

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

    /// Every receipt, the chain checked from the first to the last, and the evidence files held against it.
    ///
    /// # Errors
    /// One is not as it was written.
    pub fn receipts(&self) -> Result<Vec<Receipt>, DeskError> {
        self.read(RECEIPTS)?;
        let lines = self.chain().records()?;
        let mut checked: Vec<&str> = Vec::new();
        for line in lines.iter().rev().filter(|line| line.kind == Kind::Research) {
            if checked.contains(&line.tool.as_str()) {
                continue;
            }
            checked.push(&line.tool);
            let name = evidence(&line.tool);
            if self.read(&name)?.as_deref() != Some(line.line().as_bytes()) {
                let why = format!("it is not what receipt {} has", line.seq);
                return Err(DeskError::Damaged { path: self.path(&name), why });
            }
        }
        Ok(lines)
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

fn evidence(step: &str) -> String {
    format!("evidence/{step}.json")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::research::{Method, Needs, Observation};

    const NOW: Timestamp = Timestamp::from_millis(0);

    fn desk() -> (tempfile::TempDir, Desk) {
        let folder = tempfile::tempdir().unwrap();
        let desk = Desk::at(folder.path());
        (folder, desk)
    }

    fn research(finding: &str) -> Research {
        Research {
            question: "What is there?".to_owned(),
            needs: Needs::Local,
            method: Method::Local,
            local_evidence: vec![Observation {
                at: REPORT.to_owned(),
                seen: "19 checks".to_owned(),
                digest: None,
            }],
            online_sources: Vec::new(),
            findings: vec![finding.to_owned()],
            used_in: vec![PLAN.to_owned()],
        }
    }

    #[test]
    fn research_stands_in_the_chain_and_beside_it() {
        let (_folder, desk) = desk();
        let mut state = Deployment::new(1, NOW);
        desk.record(&mut state, NOW, Entry::new(Kind::Feasibility, "probe", "partial")).unwrap();
        desk.found_out(&mut state, NOW, "analysis", research("one")).unwrap();
        desk.found_out(&mut state, NOW, "analysis", research("two")).unwrap();
        assert_eq!((state.receipt_seq, state.research.len()), (3, 1));
        let lines = desk.receipts().unwrap();
        let written = desk.read("evidence/analysis.json").unwrap().unwrap();
        assert_eq!(written, lines[2].line().into_bytes());
        assert_eq!(lines[2].prev_hash, lines[1].hash());
        desk.write("evidence/analysis.json", &lines[1].line()).unwrap();
        assert!(desk.receipts().unwrap_err().to_string().contains("receipt 3"));
    }

    #[test]
    fn research_that_bears_nothing_is_not_put_on_record() {
        let (_folder, desk) = desk();
        let mut state = Deployment::new(1, NOW);
        let external = Research { needs: Needs::External, ..research("one") };
        let error = desk.found_out(&mut state, NOW, "analysis", external).unwrap_err();
        assert!(error.to_string().starts_with("G3-2"), "{error}");
        assert!(!desk.folder().exists());
    }

    #[test]
    fn a_state_is_read_as_it_was_written() {
        let (_folder, desk) = desk();
        assert_eq!(desk.state().unwrap(), None);
        let state = Deployment::new(3, NOW);
        desk.keep(&state).unwrap();
        assert_eq!(desk.state().unwrap(), Some(state));
        desk.write(STATE, "{").unwrap();
        assert!(desk.state().unwrap_err().to_string().contains("deploy-state.json"));
    }

    #[test]
    #[cfg(unix)]
    fn nothing_is_read_or_written_through_a_link() {
        let (folder, desk) = desk();
        let outside = folder.path().join("outside");
        fs::create_dir_all(&outside).unwrap();
        fs::write(outside.join(STATE), Deployment::new(1, NOW).text()).unwrap();
        std::os::unix::fs::symlink(&outside, desk.folder()).unwrap();
        assert!(desk.state().unwrap_err().to_string().contains("symbolic link"));
        assert!(desk.keep(&Deployment::new(2, NOW)).is_err());
        let mut state = Deployment::new(1, NOW);
        let entry = Entry::new(Kind::Feasibility, "probe", "x");
        assert!(desk.record(&mut state, NOW, entry).is_err());
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    }

    /// A killed writer left half a line, and the next one could not go on.
    #[test]
    fn half_a_line_is_cut_off() {
        let (_folder, desk) = desk();
        let mut state = Deployment::new(1, NOW);
        let entry = |tool: &str| Entry::new(Kind::Step, tool, "done");
        desk.record(&mut state, NOW, entry("one")).unwrap();
        let path = desk.path(RECEIPTS);
        let mut bytes = fs::read(&path).unwrap();
        bytes.extend(b"{\"fact\":\"ha");
        fs::write(&path, bytes).unwrap();
        desk.record(&mut state, NOW, entry("two")).unwrap();
        assert_eq!(desk.receipts().unwrap().len(), 2);
    }
}
