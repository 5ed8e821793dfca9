//! Append-only logs in which each line holds the digest of the line before it.
//!
//! A line is a [`Link`]: it knows its number, its own hash and that of the line before it. Most logs have [`Record`]s,
//! one JSON object each: `n` (from 1), `at`, `kind`, `body`, `prev` (the `hash` of the line before,
//! 64 zeros for the first) and `hash` (SHA-256 over the RFC 8785 form of the object without `hash`).
//! Beside the log lies `<log>.head`, with number and hash of the last line, so that a log whose end was
//! cut off does not pass for a whole one. The chain shows an edit to whoever kept a hash; it can't stop
//! one who rewrites the log and the head together, unless the lines are signed.

pub mod canonical;

use std::fmt;
use std::fs;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use canon::{Sha256, Timestamp, json};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::fault;
use crate::file::{self, Appender, FileError};

/// A line of a chain.
pub trait Link: Sized {
    /// Reads a line, without its end, and checks what can be told from it alone.
    fn read(line: &[u8]) -> Result<Self, BadLine>;

    /// The line's number, from 1.
    fn number(&self) -> u64;

    /// The hash of the line before.
    fn previous(&self) -> Sha256;

    /// The hash of this line.
    fn hash(&self) -> Sha256;

    /// The line as it stands in the log, with its end.
    fn line(&self) -> String;

    /// The line and its hash, for kinds that make both at once.
    fn sealed(&self) -> (String, Sha256) {
        (self.line(), self.hash())
    }
}

/// What is wrong with a line by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadLine {
    /// The number that it gives itself, where it can be read.
    pub number: Option<u64>,
    /// What is wrong with it.
    pub why: &'static str,
}

/// The common line of a chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The line's number, from 1.
    pub n: u64,
    /// When it was written.
    pub at: Timestamp,
    /// What it records.
    pub kind: String,
    /// The record itself.
    pub body: Value,
    /// The hash of the line before.
    pub prev: Sha256,
    /// The hash of this line.
    pub hash: Sha256,
}

#[derive(Serialize)]
struct Unhashed<'a> {
    n: u64,
    at: Timestamp,
    kind: &'a str,
    body: &'a Value,
    prev: Sha256,
}

impl Record {
    fn new(head: Head, at: Timestamp, kind: &str, body: Value) -> Self {
        let unhashed = Unhashed { n: head.n + 1, at, kind, body: &body, prev: head.hash };
        let hash = Sha256::of(json::canonical(&unhashed).unwrap_or_default());
        Self { n: head.n + 1, at, kind: kind.to_owned(), prev: head.hash, hash, body }
    }

    fn is_sound(&self) -> bool {
        let Self { n, at, kind, body, prev, hash } = self;
        let unhashed = Unhashed { n: *n, at: *at, kind, body, prev: *prev };
        json::canonical(&unhashed).is_ok_and(|bytes| Sha256::of(bytes) == *hash)
    }
}

impl Link for Record {
    fn read(line: &[u8]) -> Result<Self, BadLine> {
        let record: Self =
            json::read(line).map_err(|_| BadLine { number: None, why: "not a record of this chain" })?;
        if !record.is_sound() {
            let number = Some(record.n);
            return Err(BadLine { number, why: "the record's hash doesn't fit its content" });
        }
        Ok(record)
    }

    fn number(&self) -> u64 {
        self.n
    }

    fn previous(&self) -> Sha256 {
        self.prev
    }

    fn hash(&self) -> Sha256 {
        self.hash
    }

    fn line(&self) -> String {
        let mut line = serde_json::to_string(self).unwrap_or_default();
        line.push('\n');
        line
    }
}

/// Number and hash of the last line; of an empty chain, zero and zeros.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// How many lines there are.
    pub n: u64,
    /// The hash of the last one.
    pub hash: Sha256,
}

impl Head {
    /// The head of a chain without lines.
    pub fn empty() -> Self {
        Self { n: 0, hash: [0; 32].into() }
    }

    /// The head that `last` makes.
    pub fn of(last: Option<&impl Link>) -> Self {
        last.map_or(Self::empty(), |last| Self { n: last.number(), hash: last.hash() })
    }
}

/// As the head file has it: the number, a blank, the hash.
impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.n, self.hash)
    }
}

/// The text is no head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAHead;

impl FromStr for Head {
    type Err = NotAHead;

    fn from_str(text: &str) -> Result<Self, NotAHead> {
        let mut words = text.split_whitespace();
        let n = words.next().and_then(|word| word.parse().ok());
        let hash = words.next().and_then(|word| word.parse().ok());
        n.zip(hash).map(|(n, hash)| Self { n, hash }).ok_or(NotAHead)
    }
}

/// What lies at the end of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End<L> {
    /// The last line.
    pub last: Option<L>,
    /// What the head file says.
    pub head: Head,
    /// The word that its writer put behind it; see [`Chain::write_sealed`].
    pub seal: Option<String>,
}

/// How many lines the head may be behind: those that were written while a reader came by.
pub const LAG: u64 = 64;

/// What is wrong with a chain.
#[derive(Debug)]
pub enum ChainError {
    /// The file can't be read or written.
    File(FileError),
    /// The log isn't what was written.
    Broken {
        /// The log.
        path: PathBuf,
        /// The first line that is wrong, from 1.
        line: u64,
        /// What is wrong with it.
        why: &'static str,
    },
}

impl fmt::Display for ChainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(error) => error.fmt(f),
            Self::Broken { path, line, why } => write!(f, "`{}` line {line}: {why}", path.display()),
        }
    }
}

impl std::error::Error for ChainError {}

impl From<FileError> for ChainError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

/// A log and its head. Writers hold the write lock of what the log is about.
#[derive(Debug, Clone)]
pub struct Chain<L = Record> {
    pub(crate) path: PathBuf,
    links: PhantomData<fn() -> L>,
}

impl Chain {
    /// The chain whose log lies at `path`; nothing is opened.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self::of(path)
    }

    /// The record that would follow `last`, not yet written.
    pub fn next(last: Option<&Record>, at: Timestamp, kind: &str, body: Value) -> Record {
        Record::new(Head::of(last), at, kind, body)
    }

    /// Writes a record that follows the last one.
    pub fn append(&self, at: Timestamp, kind: &str, body: Value) -> Result<Record, ChainError> {
        let record = Self::next(self.last()?.as_ref(), at, kind, body);
        self.write(&record, true)?;
        Ok(record)
    }
}

impl<L: Link> Chain<L> {
    /// The chain of such lines whose log lies at `path`; nothing is opened.
    pub fn of(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), links: PhantomData }
    }

    /// The log.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn head_path(&self) -> PathBuf {
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        name.push(".head");
        self.path.with_file_name(name)
    }

    fn broken(&self, line: u64, why: &'static str) -> ChainError {
        ChainError::Broken { path: self.path.clone(), line, why }
    }

    /// The last record; see [`Self::end`].
    pub fn last(&self) -> Result<Option<L>, ChainError> {
        self.end().map(|end| end.last)
    }

    /// The last record, after a look at the end of the log alone: its own hash, and that the head names it or
    /// one shortly before it. A half line that a crash left at the very end is passed over.
    ///
    /// A reader holds no lock. It reads the head first, so that a writer at work makes the log look longer than
    /// the head says, never shorter.
    pub fn end(&self) -> Result<End<L>, ChainError> {
        let (head, seal) = self.sealed_head()?;
        let mut window = 16 * 1024;
        loop {
            let (tail, cut) = file::read_tail(&self.path, window)?;
            let whole = tail.iter().rposition(|&b| b == b'\n').map_or(&tail[..0], |end| &tail[..end]);
            let mut lines = whole.rsplit(|&b| b == b'\n').filter(|line| !line.is_empty()).peekable();
            // The first line of a cut tail is half a line.
            let complete = |more: bool| more || !cut;
            let last = match lines.next() {
                Some(line) if complete(lines.peek().is_some()) => Some(self.parse(line, 0)?),
                None if !cut => None,
                _ => {
                    window *= 8;
                    continue;
                }
            };
            let n = last.as_ref().map_or(0, L::number);
            if head.n > n {
                return Err(self.broken(n + 1, "the log's end was cut off"));
            }
            // Behind by one after a crash, by a few while others write.
            if n - head.n > LAG {
                return Err(self.broken(head.n, "the head file is far behind the log"));
            }
            let mut at = Head::of(last.as_ref());
            let mut before = last.as_ref().map(L::previous);
            while at.n > head.n {
                at = Head { n: at.n - 1, hash: before.unwrap_or_else(|| Head::empty().hash) };
                before = match lines.next() {
                    Some(line) if complete(lines.peek().is_some()) => Some(self.parse(line, 0)?.previous()),
                    _ => None,
                };
                if before.is_none() && at.n > head.n && at.n > 0 {
                    break;
                }
            }
            if at.n > head.n {
                window *= 8;
                continue;
            }
            return if at == head {
                Ok(End { last, head, seal })
            } else {
                Err(self.broken(head.n, "the head file names another line"))
            };
        }
    }

    /// What the head file says; of an empty chain where there is none.
    pub fn head(&self) -> Result<Head, ChainError> {
        self.sealed_head().map(|(head, _)| head)
    }

    /// What the head file says, and the word that its writer put behind it.
    pub fn sealed_head(&self) -> Result<(Head, Option<String>), ChainError> {
        let Some(bytes) = file::read(&self.head_path())? else { return Ok((Head::empty(), None)) };
        let text = String::from_utf8_lossy(&bytes);
        let head = text.parse().map_err(|NotAHead| self.broken(0, "the head file is damaged"))?;
        Ok((head, text.split_whitespace().nth(2).map(str::to_owned)))
    }

    fn parse(&self, line: &[u8], number: u64) -> Result<L, ChainError> {
        L::read(line).map_err(|bad| self.broken(bad.number.unwrap_or(number), bad.why))
    }

    /// Every record, checked from the first to the last.
    pub fn records(&self) -> Result<Vec<L>, ChainError> {
        let bytes = file::read(&self.path)?.unwrap_or_default();
        let whole = bytes.iter().rposition(|&b| b == b'\n').map_or(&bytes[..0], |end| &bytes[..end]);
        let mut records: Vec<L> = Vec::new();
        let mut head = Head::empty();
        for (line, number) in whole.split(|&b| b == b'\n').zip(1..) {
            if whole.is_empty() {
                break;
            }
            let record = self.parse(line, number)?;
            if record.number() != number || record.previous() != head.hash {
                return Err(self.broken(number, "the record doesn't follow the one before it"));
            }
            head = Head::of(Some(&record));
            records.push(record);
        }
        self.last()?;
        Ok(records)
    }

    /// Whether something other than a file lies in the place of the log or its head.
    pub fn is_misplaced(&self) -> bool {
        let is_other = |path: &Path| fs::symlink_metadata(path).is_ok_and(|found| !found.is_file());
        is_other(&self.path) || is_other(&self.head_path())
    }

    /// Renames log and head to `<name>.<stamp>`, so that a new chain can begin.
    pub fn put_aside(&self, stamp: &str) -> Result<(), FileError> {
        for path in [self.path.clone(), self.head_path()] {
            let mut aside = path.clone().into_os_string();
            aside.push(format!(".{stamp}"));
            match fs::rename(&path, &aside) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(FileError::new("rename", &path, error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Cuts off the half line that a crash left at the log's end, and gives it back.
    pub fn repair(&self) -> Result<Vec<u8>, FileError> {
        if fs::symlink_metadata(&self.path).is_err() {
            return Ok(Vec::new());
        }
        Appender::open_whole(&self.path).map(|(_, half)| half)
    }

    /// Writes `link`, which follows the last line; after an error the log is as it was. Not synced, it may be lost when the power goes, and then the log
    /// is shorter than the head says.
    ///
    /// Gives back the new head.
    pub fn write(&self, link: &L, sync: bool) -> Result<Head, FileError> {
        self.write_sealed(link, sync, |_| String::new())
    }

    /// The same with a word, without blanks, that is put behind the new head in the head file.
    pub fn write_sealed(
        &self,
        link: &L,
        sync: bool,
        seal: impl FnOnce(Head) -> String,
    ) -> Result<Head, FileError> {
        let (text, hash) = link.sealed();
        let head = Head { n: link.number(), hash };
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).map_err(|error| FileError::new("create", folder, error))?;
        }
        let mut appender = self.open()?;
        appender.append(text.as_bytes(), sync)?;
        self.write_head_sealed(head, &seal(head)).inspect_err(|_| appender.undo())?;
        Ok(head)
    }

    /// The log opened for one more line, without the half line that a crash left at its end.
    pub(crate) fn open(&self) -> Result<Appender, FileError> {
        Appender::open_whole(&self.path).map(|(appender, _)| appender)
    }

    /// Makes the head file say `head`.
    pub(crate) fn write_head(&self, head: Head) -> Result<(), FileError> {
        self.write_head_sealed(head, "")
    }

    fn write_head_sealed(&self, head: Head, seal: &str) -> Result<(), FileError> {
        let path = self.head_path();
        let fail = |error| FileError::new("write", &path, error);
        fault::point("chain").map_err(fail)?;
        // Not synced: after a power cut the head may be one line behind, which is accepted.
        let mut temporary = path.clone().into_os_string();
        temporary.push(format!(".{}.tmp", std::process::id()));
        let text = format!("{head} {seal}");
        fs::write(&temporary, text.trim_end().to_owned() + "\n").map_err(fail)?;
        fs::rename(&temporary, &path).map_err(fail)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(0);

    fn chain_of(lines: u64) -> (tempfile::TempDir, Chain) {
        let folder = tempfile::tempdir().unwrap();
        let chain = Chain::at(folder.path().join("log.jsonl"));
        for n in 0..lines {
            chain.append(NOW, "note", json!({ "x": n })).unwrap();
        }
        (folder, chain)
    }

    #[test]
    fn records_follow_one_another() {
        let (_folder, chain) = chain_of(3);
        let records = chain.records().unwrap();
        assert_eq!(records.iter().map(|r| r.n).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(chain.last().unwrap().unwrap(), records[2]);
        assert_eq!(records[1].prev, records[0].hash);
    }

    #[test]
    fn an_edited_line_is_named() {
        let (_folder, chain) = chain_of(3);
        let text = fs::read_to_string(chain.path()).unwrap().replacen("\"x\":1", "\"x\":7", 1);
        fs::write(chain.path(), text).unwrap();
        let error = chain.records().unwrap_err().to_string();
        assert!(error.contains("line 2: the record's hash doesn't fit"), "{error}");
    }

    #[test]
    fn a_missing_line_is_named() {
        let (_folder, chain) = chain_of(3);
        let text = fs::read_to_string(chain.path()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        fs::write(chain.path(), format!("{}\n{}\n", lines[0], lines[2])).unwrap();
        assert!(chain.records().unwrap_err().to_string().contains("line 2: the record doesn't follow"));
    }

    #[test]
    fn a_cut_end_is_noticed() {
        let (_folder, chain) = chain_of(3);
        let text = fs::read_to_string(chain.path()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        fs::write(chain.path(), format!("{}\n", lines[0])).unwrap();
        assert!(chain.last().unwrap_err().to_string().contains("cut off"));
        fs::remove_file(chain.path()).unwrap();
        assert!(chain.last().unwrap_err().to_string().contains("cut off"));
    }

    #[test]
    fn a_crash_between_line_and_head_is_no_break() {
        let (_folder, chain) = chain_of(2);
        let last = chain.last().unwrap();
        let next = Chain::next(last.as_ref(), NOW, "note", json!({}));
        chain.open().unwrap().append(next.line().as_bytes(), false).unwrap();
        assert_eq!(chain.last().unwrap().unwrap(), next);
        chain.append(NOW, "note", json!({})).unwrap();
        assert_eq!(chain.records().unwrap().len(), 4);
    }

    #[test]
    fn a_head_that_was_read_before_others_wrote_is_no_break() {
        let (folder, chain) = chain_of(2);
        let head = folder.path().join("log.jsonl.head");
        let early = fs::read(&head).unwrap();
        for size in [1, 40_000] {
            chain.append(NOW, "note", json!({ "x": "y".repeat(size) })).unwrap();
        }
        let last = chain.last().unwrap().unwrap();
        fs::write(&head, &early).unwrap();
        assert_eq!(chain.last().unwrap().unwrap(), last);
        fs::write(&head, format!("2 {}\n", Sha256::of("other"))).unwrap();
        assert!(chain.last().unwrap_err().to_string().contains("names another line"));
        fs::remove_file(&head).unwrap();
        assert_eq!(chain.last().unwrap().unwrap().n, 4);
    }

    #[test]
    fn half_a_line_at_the_end_is_taken_away() {
        let (_folder, chain) = chain_of(2);
        let mut text = fs::read_to_string(chain.path()).unwrap();
        text.push_str("{\"n\":3,\"at");
        fs::write(chain.path(), text).unwrap();
        assert_eq!(chain.last().unwrap().unwrap().n, 2);
        chain.append(NOW, "note", json!({})).unwrap();
        assert_eq!(chain.records().unwrap().len(), 3);
    }

    #[test]
    fn a_long_last_line_is_read_whole() {
        let (_folder, chain) = chain_of(1);
        chain.append(NOW, "note", json!({ "x": "y".repeat(50_000) })).unwrap();
        assert_eq!(chain.last().unwrap().unwrap().n, 2);
    }
}
