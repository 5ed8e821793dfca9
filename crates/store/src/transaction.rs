//! Several files changed as one: replacements, appended lines and a chain record, all or none of them,
//! whatever interrupts the write.
//!
//! The order is what makes it safe. First every new content is written beside its target and synced.
//! Then a journal names all steps. From here a killed writer's work is finished by the next one
//! ([`recover`]). Lines are appended before files are replaced, since an append can fail on a full disk
//! and be undone, and a rename hardly fails. Writers hold the write lock over all of it.

use std::fs;
use std::path::{Path, PathBuf};

use canon::json;
use serde::{Deserialize, Serialize};

use crate::chain::{Chain, ChainError, Head, Link as _, Record};
use crate::fault;
use crate::file::{self, Appender, FileError, Staged};

/// What to change. Paths are absolute.
#[derive(Debug, Default)]
pub struct Transaction {
    replacements: Vec<(PathBuf, Content)>,
    appends: Vec<(PathBuf, String)>,
    record: Option<(Chain, Record)>,
    mark: Option<String>,
}

/// What a file becomes.
#[derive(Debug)]
enum Content {
    Whole(Vec<u8>),
    /// Its first bytes as they are, so many, and then these.
    Extended(u64, Vec<u8>),
}

impl Content {
    fn stage(&self, path: &Path, mark: Option<&str>) -> Result<Staged, FileError> {
        match self {
            Self::Whole(bytes) => match mark {
                Some(mark) => Staged::write_as(path, mark, bytes),
                None => Staged::write(path, bytes),
            },
            Self::Extended(keep, tail) => Staged::extend(path, *keep, tail),
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Journal {
    appends: Vec<PendingAppend>,
    renames: Vec<PendingRename>,
    record: Option<(PathBuf, Record)>,
}

#[derive(Serialize, Deserialize)]
struct PendingAppend {
    path: PathBuf,
    offset: u64,
    text: String,
}

#[derive(Serialize, Deserialize)]
struct PendingRename {
    from: PathBuf,
    to: PathBuf,
}

impl Transaction {
    /// Nothing to change yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// With replacements staged as `<file>.<mark>.tmp`.
    pub fn marked(mut self, mark: impl Into<String>) -> Self {
        self.mark = Some(mark.into());
        self
    }

    /// Replaces or creates the file at `path`.
    pub fn replace(&mut self, path: impl Into<PathBuf>, bytes: impl Into<Vec<u8>>) {
        self.replacements.push((path.into(), Content::Whole(bytes.into())));
    }

    /// Keeps the first `keep` bytes of the file at `path` and puts `tail` behind them.
    pub fn extend(&mut self, path: impl Into<PathBuf>, keep: u64, tail: impl Into<Vec<u8>>) {
        self.replacements.push((path.into(), Content::Extended(keep, tail.into())));
    }

    /// Adds whole lines at the end of the file at `path`; a last line without its end gets one first.
    pub fn append(&mut self, path: impl Into<PathBuf>, lines: impl Into<String>) {
        self.appends.push((path.into(), lines.into()));
    }

    /// Adds a record to a chain.
    pub fn record(&mut self, chain: Chain, record: Record) {
        self.record = Some((chain, record));
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.replacements.is_empty() && self.appends.is_empty() && self.record.is_none()
    }

    /// Carries everything out. After an error nothing is changed, or a journal is left with which the
    /// next writer finishes the change.
    ///
    /// `journal` is where the steps are noted; the caller has [recovered](recover) what an earlier
    /// journal held, and holds the write lock.
    pub fn commit(self, journal: &Path) -> Result<(), FileError> {
        let staged = self
            .replacements
            .iter()
            .map(|(path, content)| content.stage(path, self.mark.as_deref()))
            .collect::<Result<Vec<_>, _>>()?;
        let mut appenders = Vec::new();
        for (path, lines) in &self.appends {
            let appender = Appender::open(path)?;
            let text = if appender.torn { format!("\n{lines}") } else { lines.clone() };
            appenders.push((appender, path, text, true));
        }
        if let Some((chain, record)) = &self.record {
            // Not synced: after a power cut the log is behind, and says so as it does for a foreign write.
            appenders.push((chain.open()?, &chain.path, record.line(), false));
        }
        let steps = staged.len() + appenders.len();
        if steps > 1 {
            self.write_journal(journal, &staged, &appenders)
                .inspect_err(|_| drop(fs::remove_file(journal)))?;
        }
        let appended = append_all(&mut appenders).inspect_err(|_| drop(fs::remove_file(journal)));
        if let Err(error) = appended.and_then(|()| rename_all(staged, journal)) {
            // A journal that stays has steps behind it that are visible: the next writer goes on from there.
            if !journal.exists() {
                for (appender, ..) in &mut appenders {
                    appender.undo();
                }
            }
            return Err(error);
        }
        if let Some((path, _)) = self.replacements.first() {
            file::sync_folder(path)?;
        }
        if let Some((chain, record)) = &self.record {
            chain.write_head(Head::of(Some(record)))?;
        }
        if steps > 1 {
            let fail = |error| FileError::new("remove", journal, error);
            fault::point("clear").map_err(fail)?;
            fs::remove_file(journal).map_err(fail)?;
        }
        Ok(())
    }

    fn write_journal(
        &self,
        journal: &Path,
        staged: &[Staged],
        appenders: &[(Appender, &PathBuf, String, bool)],
    ) -> Result<(), FileError> {
        let fail = |error| FileError::new("write", journal, error);
        let content = Journal {
            appends: appenders
                .iter()
                .map(|(appender, path, text, _)| PendingAppend {
                    path: (*path).clone(),
                    offset: appender.offset,
                    text: text.clone(),
                })
                .collect(),
            renames: staged
                .iter()
                .zip(&self.replacements)
                .map(|(staged, (path, _))| PendingRename {
                    from: staged.temporary().to_owned(),
                    to: path.clone(),
                })
                .collect(),
            record: self.record.as_ref().map(|(chain, record)| (chain.path.clone(), record.clone())),
        };
        fault::point("journal").map_err(fail)?;
        let text = serde_json::to_vec(&content).map_err(|error| fail(error.into()))?;
        // A reader of the journal must find it whole, so it appears by rename. It need not survive a
        // power cut, only this process.
        let mut temporary = journal.as_os_str().to_owned();
        temporary.push(".tmp");
        fs::write(&temporary, text).map_err(fail)?;
        fs::rename(&temporary, journal).map_err(fail)?;
        fault::point("journaled").map_err(fail)
    }
}

/// Renames every staged file; where none could be, the journal goes, since nothing has happened yet.
fn rename_all(staged: Vec<Staged>, journal: &Path) -> Result<(), FileError> {
    let mut staged = staged.into_iter();
    let mut visible = false;
    while let Some(mut next) = staged.next() {
        if let Err(error) = next.commit() {
            if visible || next.is_committed() {
                next.keep();
                staged.for_each(Staged::keep);
            } else {
                let _ = fs::remove_file(journal);
            }
            return Err(error);
        }
        visible = true;
    }
    Ok(())
}

fn append_all(appenders: &mut [(Appender, &PathBuf, String, bool)]) -> Result<(), FileError> {
    for index in 0..appenders.len() {
        let (appender, _, text, sync) = &mut appenders[index];
        if let Err(error) = appender.append(text.as_bytes(), *sync) {
            appenders[..index].iter_mut().for_each(|(done, ..)| done.undo());
            return Err(error);
        }
    }
    Ok(())
}

/// Finishes what a killed writer had journaled; false where there was nothing. The caller holds the
/// write lock.
///
/// # Errors
/// A journal that can't be read, or a step that can't be finished. The journal stays then.
pub fn recover(journal: &Path) -> Result<bool, ChainError> {
    let Some(bytes) = file::read(journal)? else { return Ok(false) };
    let broken = |why| ChainError::Broken { path: journal.to_owned(), line: 1, why };
    let content: Journal =
        json::read(&bytes).map_err(|_| broken("the journal of an interrupted write is damaged"))?;
    for append in &content.appends {
        finish_append(append)?;
    }
    for rename in &content.renames {
        if fs::symlink_metadata(&rename.from).is_ok() {
            let fail = |error| FileError::new("replace", &rename.to, error);
            fs::rename(&rename.from, &rename.to).map_err(fail)?;
            file::sync_folder(&rename.to)?;
        }
    }
    if let Some((path, record)) = &content.record {
        Chain::at(path).write_head(Head::of(Some(record)))?;
    }
    fs::remove_file(journal).map_err(|error| FileError::new("remove", journal, error))?;
    Ok(true)
}

fn finish_append(append: &PendingAppend) -> Result<(), FileError> {
    let bytes = file::read(&append.path)?.unwrap_or_default();
    let start = usize::try_from(append.offset).unwrap_or(usize::MAX).min(bytes.len());
    let (found, text) = (&bytes[start..], append.text.as_bytes());
    let wanted = text.strip_prefix(b"\n").unwrap_or(text);
    if found.windows(wanted.len()).any(|window| window == wanted) {
        return Ok(());
    }
    let mut appender = Appender::open(&append.path)?;
    if text.starts_with(found) {
        return appender.append(&text[found.len()..], true);
    }
    // Another program appended meanwhile, without the lock.
    let mut line = if appender.torn { vec![b'\n'] } else { Vec::new() };
    line.extend_from_slice(wanted);
    appender.append(&line, true)
}

#[cfg(test)]
mod tests {
    use canon::Timestamp;
    use serde_json::json;

    use super::*;

    fn transaction(folder: &Path) -> Transaction {
        let chain = Chain::at(folder.join("chain.jsonl"));
        let record =
            Chain::next(chain.last().unwrap().as_ref(), Timestamp::from_millis(0), "write", json!({}));
        let mut transaction = Transaction::new();
        transaction.replace(folder.join("a"), "new a");
        transaction.replace(folder.join("b"), "new b");
        transaction.append(folder.join("log"), "second\n");
        transaction.record(chain, record);
        transaction
    }

    fn before(folder: &Path) {
        fs::write(folder.join("a"), "old a").unwrap();
        fs::write(folder.join("log"), "first\n").unwrap();
    }

    fn state(folder: &Path) -> [String; 3] {
        ["a", "b", "log"].map(|name| fs::read_to_string(folder.join(name)).unwrap_or_default())
    }

    const OLD: [&str; 3] = ["old a", "", "first\n"];
    const NEW: [&str; 3] = ["new a", "new b", "first\nsecond\n"];

    #[test]
    fn all_of_it_happens() {
        let folder = tempfile::tempdir().unwrap();
        before(folder.path());
        transaction(folder.path()).commit(&folder.path().join("journal")).unwrap();
        assert_eq!(state(folder.path()), NEW);
        assert_eq!(Chain::at(folder.path().join("chain.jsonl")).records().unwrap().len(), 1);
        assert!(!folder.path().join("journal").exists());
    }

    #[test]
    fn a_failing_append_undoes_the_others() {
        let folder = tempfile::tempdir().unwrap();
        before(folder.path());
        let mut transaction = transaction(folder.path());
        fs::create_dir(folder.path().join("dir")).unwrap();
        transaction.append(folder.path().join("dir"), "x\n");
        assert!(transaction.commit(&folder.path().join("journal")).is_err());
        assert_eq!(state(folder.path()), OLD);
        assert_eq!(Chain::at(folder.path().join("chain.jsonl")).records().unwrap().len(), 0);
        assert!(fs::read_dir(folder.path()).unwrap().all(|e| !e.unwrap().path().ends_with(".tmp")));
    }

    #[test]
    fn recovery_finishes_half_an_append_and_the_renames() {
        let folder = tempfile::tempdir().unwrap();
        before(folder.path());
        let path = |name: &str| folder.path().join(name);
        fs::write(path("log"), "first\nsec").unwrap();
        fs::write(path("a.1.tmp"), "new a").unwrap();
        fs::write(path("b"), "new b").unwrap();
        let journal = Journal {
            appends: vec![PendingAppend { path: path("log"), offset: 6, text: "second\n".to_owned() }],
            renames: vec![
                PendingRename { from: path("a.1.tmp"), to: path("a") },
                PendingRename { from: path("b.1.tmp"), to: path("b") },
            ],
            record: None,
        };
        fs::write(path("journal"), serde_json::to_vec(&journal).unwrap()).unwrap();
        assert!(recover(&path("journal")).unwrap());
        assert_eq!(state(folder.path()), NEW);
        assert!(!recover(&path("journal")).unwrap());
    }

    #[test]
    fn recovery_does_not_lose_what_another_program_appended() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        fs::write(&log, "first\nother\n").unwrap();
        let append = PendingAppend { path: log.clone(), offset: 6, text: "second\n".to_owned() };
        finish_append(&append).unwrap();
        finish_append(&append).unwrap();
        assert_eq!(fs::read_to_string(&log).unwrap(), "first\nother\nsecond\n");
    }
}
