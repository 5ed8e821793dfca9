//! Adding lines: under a lock, at the log's end, without ever reading more of it than its end.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use canon::{Sha256, Timestamp};
use store::chain::{Chain, ChainError, End, Head};
use store::file;
use store::lock::Guard;
use trust::ed25519::SigningKey;

use super::line::{Kind, Receipt};
use super::{ReceiptError, verify, witness};

/// How much of the log's end is searched for the other lines of a call: some hundred lines.
pub(super) const NEAR: u64 = 96 * 1024;
/// How much more of it, when a result is seen long after the call was judged.
pub(super) const FAR: u64 = 2 * 1024 * 1024;

/// The marker of a note that the head file had no signature when the line before was the last: a program that signs
/// none wrote it, or somebody without the key.
pub(super) const HEAD_UNSIGNED: &str = "head-unsigned";

/// The log, and what is needed to add to it.
#[derive(Debug, Clone)]
pub(super) struct Log {
    chain: Chain<Receipt>,
    witness: PathBuf,
    key: SigningKey,
    id: String,
    wait: Duration,
}

/// The log while this process alone may add to it.
pub(super) struct Writer<'a> {
    log: &'a Log,
    head: Head,
    last: Option<Receipt>,
    _guard: Guard,
}

impl Log {
    pub(super) fn new(path: &Path, witness: PathBuf, key: SigningKey, wait: Duration) -> Self {
        let id = key.public().id();
        Self { chain: Chain::of(path), witness, key, id, wait }
    }

    pub(super) fn key(&self) -> &SigningKey {
        &self.key
    }

    /// Waits for the log. What a crash left half written at its end is cut off and noted; a log that is damaged is put
    /// aside, a new one begun, and the damage is the error.
    pub(super) fn lock(&self, now: Timestamp) -> Result<Writer<'_>, ReceiptError> {
        let guard = Guard::acquire(&self.chain.path().with_extension("lock"), self.wait)?;
        let is_misplaced = self.chain.is_misplaced();
        let half = if is_misplaced { Vec::new() } else { self.chain.repair()? };
        let end = match self.chain.end() {
            _ if is_misplaced => Err("something other than a file lies in its place".to_owned()),
            Ok(end) if end.last.is_none() && witness::read(&self.witness)?.is_some() => {
                Err("the log is gone".to_owned())
            }
            Ok(end) => self.is_signed(&end).map(|is_signed| (end.last, is_signed)),
            Err(ChainError::File(error)) => return Err(error.into()),
            Err(_) if self.is_newer()? => return Err(ReceiptError::Newer(self.chain.path().to_owned())),
            Err(broken @ ChainError::Broken { .. }) => Err(broken.to_string()),
        };
        let mut writer = Writer { log: self, head: Head::empty(), last: None, _guard: guard };
        let is_signed = match end {
            Ok((last, is_signed)) => {
                writer.head = Head::of(last.as_ref());
                writer.last = last;
                is_signed
            }
            Err(why) => return Err(writer.begin_anew(why, now)?),
        };
        if !is_signed {
            let mut note = Receipt::new(Kind::Note, now);
            note.marker = Some(HEAD_UNSIGNED.to_owned());
            writer.add(note, false)?;
        }
        if !half.is_empty() {
            writer.add(repaired(&half, now), false)?;
        }
        Ok(writer)
    }
}

impl Log {
    /// Whether the head file is signed, with the key of the last line where that is this one. That key makes one
    /// signature of a text and no other, so that making it again is the check.
    fn is_signed(&self, end: &End<Receipt>) -> Result<bool, String> {
        let Some(last) = end.last.as_ref().filter(|last| last.key == self.id && end.head.n > 0) else {
            return Ok(true);
        };
        let Some(seal) = &end.seal else {
            // An older program signs none, until a checkpoint by this one.
            return match witness::read(&self.witness).ok().flatten() {
                Some(witness) if witness.signed => Err(format!("the head file is not signed, and {witness}")),
                _ => Ok(false),
            };
        };
        let is_own = *seal == witness::sign(end.head, &self.key);
        // A crash leaves the head behind by a line, and the one before may be of another key.
        if is_own || end.head.n < last.seq {
            return Ok(is_own);
        }
        Err("the head file is not signed with the key of the line that it names".to_owned())
    }

    /// Puts the log aside, which is damaged in this way, and begins a new one. Gives back where the damaged one lies now.
    pub(super) fn renew(&self, why: String, now: Timestamp) -> Result<PathBuf, ReceiptError> {
        let guard = Guard::acquire(&self.chain.path().with_extension("lock"), self.wait)?;
        let mut writer = Writer { log: self, head: Head::empty(), last: None, _guard: guard };
        match writer.begin_anew(why, now)? {
            ReceiptError::Broken { aside, .. } => Ok(aside),
            other => Err(other),
        }
    }

    /// Whether the last line says that it is of a later form than this program writes: then the log is whole, for all
    /// that this program can tell.
    fn is_newer(&self) -> Result<bool, ReceiptError> {
        let (tail, _) = file::read_tail(self.chain.path(), NEAR)?;
        let last = tail.split(|&byte| byte == b'\n').rfind(|line| !line.is_empty());
        Ok(last.is_some_and(verify::is_newer))
    }
}

fn repaired(half: &[u8], now: Timestamp) -> Receipt {
    let mut note = Receipt::new(Kind::Note, now);
    note.marker = Some("half_line_cut".to_owned());
    note.figure("bytes", i64::try_from(half.len()).unwrap_or(i64::MAX));
    note.digests.insert("half_line".to_owned(), Sha256::of(half));
    note
}

impl Writer<'_> {
    /// The number that the next line gets.
    pub(super) fn next(&self) -> u64 {
        self.head.n + 1
    }

    /// The hash of the last line.
    pub(super) fn head(&self) -> Head {
        self.head
    }

    /// The last line.
    pub(super) fn last(&self) -> Option<&Receipt> {
        self.last.as_ref()
    }

    /// The last `window` bytes of the log as text, from the beginning of a line.
    pub(super) fn tail(&self, window: u64) -> Result<String, ReceiptError> {
        let (mut bytes, cut) = file::read_tail(self.log.chain.path(), window)?;
        if cut {
            let half = bytes.iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |end| end + 1);
            bytes.drain(..half);
        }
        Ok(String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
    }

    /// Adds a line; it is on disk, or there was an error and the log is as it was.
    pub(super) fn add(&mut self, mut receipt: Receipt, sync: bool) -> Result<Receipt, ReceiptError> {
        receipt.seal(self.head, &self.log.key, &self.log.id);
        let sign = |head| witness::sign(head, &self.log.key);
        self.head = self.log.chain.write_sealed(&receipt, sync, sign)?;
        self.last = Some(receipt.clone());
        Ok(receipt)
    }

    /// Remembers the present head apart from the log.
    pub(super) fn bear_witness(&self, now: Timestamp) -> Result<(), ReceiptError> {
        witness::write(&self.log.witness, self.head, now).map_err(Into::into)
    }

    /// Holds the log against what was remembered of it at the last checkpoint, before that is replaced. A log that went
    /// back behind it is put aside as a damaged one is.
    pub(super) fn meet_witness(&mut self, now: Timestamp) -> Result<(), ReceiptError> {
        let Some(witness) = witness::read(&self.log.witness)? else { return Ok(()) };
        let then = witness.head;
        if then.n > self.head.n {
            let why =
                format!("it ends before what was witnessed: {witness}, and its last is {}", self.head.n);
            return Err(self.begin_anew(why, now)?);
        }
        // Further back than that it is `verify` that finds it.
        let tail = self.tail(FAR)?;
        let behind = usize::try_from(self.head.n - then.n).unwrap_or(usize::MAX);
        match tail.trim_end().rsplit('\n').nth(behind) {
            Some(line) if then.n > 0 && Sha256::of(line) != then.hash => {
                Err(self.begin_anew(format!("{witness}, and that line is another one now"), now)?)
            }
            _ => Ok(()),
        }
    }

    /// Puts a damaged log aside and begins a new one. Gives back the damage as an error.
    fn begin_anew(&mut self, why: String, now: Timestamp) -> Result<ReceiptError, ReceiptError> {
        let path = self.log.chain.path();
        let millis = now.as_millis();
        let name = |n: u32| if n == 0 { format!("broken-{millis}") } else { format!("broken-{millis}-{n}") };
        let aside = |n: u32| {
            let mut aside = path.as_os_str().to_owned();
            aside.push(format!(".{}", name(n)));
            PathBuf::from(aside)
        };
        let free = (0..1000).find(|&n| fs::symlink_metadata(aside(n)).is_err()).unwrap_or_default();
        let head = self.log.chain.head().ok();
        self.log.chain.put_aside(&name(free))?;
        let mut first = Receipt::new(Kind::Broken, now);
        first.marker = Some(name(free));
        if let Some(head) = head {
            first.figure("lines", i64::try_from(head.n).unwrap_or(i64::MAX));
            first.digests.insert("head".to_owned(), head.hash);
        }
        self.head = Head::empty();
        self.add(first, true)?;
        self.bear_witness(now)?;
        Ok(ReceiptError::Broken { aside: aside(free), why })
    }
}
