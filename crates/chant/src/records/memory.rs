//! The last answer of `records`, kept for as long as it is the answer.
//!
//! A listing of ten thousand records reads and validates each of them. Beside the repository's state lies what a
//! listing printed, with a digest of what git says (the commit, the base, what differs from it) and the [`Trace`] of
//! the files that it was made from. While both are as they were, the kept text is the answer. Anything else, a
//! damaged file as well, is read anew.
//!
//! Only listings of the working tree are kept, and only large ones. What decides anything, as `check`, `verify`,
//! `--require` and every write, reads for itself.

use std::fmt::Write as _;
use std::path::PathBuf;

use canon::{Sha256, Timestamp};
use store::file;
use store::git::RepoPath;
use store::tree::Trace;
use trust::Base;

use super::list::Query;
use super::{Document, Outcome, Record};
use crate::CONTRACT;
use crate::kind;
use crate::place::Place;

/// Below this many records, reading costs little more than asking whether it is needed.
const WORTH: usize = 500;

/// Where the answer to one question is kept, and how the repository stands.
pub struct Memory {
    file: PathBuf,
    kept: Option<Kept>,
    begun: Timestamp,
}

/// What a file of the memory holds: the folders of the kinds, how git stood, the trace and the text. Of a question that
/// was asked once, the folders alone.
struct Kept {
    folders: Vec<RepoPath>,
    /// How git stands now.
    stand: Sha256,
    /// The whole file.
    bytes: Vec<u8>,
    /// Where the line of the folders ends.
    after: usize,
}

impl Memory {
    /// Where the answer to `query` is kept; none where answers are not kept.
    pub fn open(place: &Place, query: &Query) -> Option<Self> {
        let layout = place.layout().filter(|_| query.at.is_none())?;
        let begun = place.world.now();
        let folder = store::state::folder(Some(layout), &layout.work_tree, "records", &place.world.env)?;
        let asked = format!("{query:?} {:?} {}", place.folder(), layout.work_tree.display());
        let file = folder.join(Sha256::of(asked).short());
        let kept = file::read(&file).ok().flatten().and_then(|bytes| Kept::read(place, query, bytes));
        place.traced();
        Some(Self { file, kept, begun })
    }

    /// The text that was printed last, where it is the answer now.
    pub fn recall(&mut self, place: &Place) -> Option<String> {
        let kept = self.kept.as_mut()?;
        let (head, rest) = line(&kept.bytes[kept.after..])?;
        let (trace_size, text_size) = head.strip_prefix(&*format!("{} ", kept.stand))?.split_once(' ')?;
        let (trace, text) = rest.split_at_checked(trace_size.parse().ok()?)?;
        let is_whole = text.len() == text_size.parse::<usize>().ok()?;
        if !is_whole || !Trace::from_bytes(trace)?.holds(&place.work_tree()) {
            return None;
        }
        let start = kept.bytes.len() - text.len();
        let mut bytes = std::mem::take(&mut kept.bytes);
        kept.after = 0;
        // In place, since the text may be tens of megabytes.
        bytes.drain(..start);
        String::from_utf8(bytes).ok()
    }

    /// Keeps `text`, which is what `document` printed. Where it can't be kept, nothing is lost.
    ///
    /// The first time only the question is noted, so that what is asked once costs nothing more.
    pub fn keep(&self, place: &Place, document: &Document, text: &str) {
        let Some(folders) = folders(place, document) else { return };
        let names: Option<Vec<&str>> = folders
            .iter()
            .map(|folder| folder.as_str().filter(|name| !name.contains(['\n', '\0'])))
            .collect();
        let Some(names) = names else { return };
        let mut bytes = names.join("\0").into_bytes();
        bytes.push(b'\n');
        if let Some(kept) = self.kept.as_ref().filter(|kept| kept.folders == folders) {
            let Some(trace) = place.traced().trace(&place.work_tree(), self.begun) else { return };
            let trace = trace.to_bytes();
            bytes.extend(format!("{} {} {}\n", kept.stand, trace.len(), text.len()).bytes());
            bytes.extend(trace);
            bytes.extend(text.bytes());
        }
        let Some(folder) = self.file.parent() else { return };
        if std::fs::create_dir_all(folder).is_ok() {
            let _ = file::replace(&self.file, &bytes);
        }
    }
}

impl Kept {
    fn read(place: &Place, query: &Query, bytes: Vec<u8>) -> Option<Self> {
        let (names, rest) = line(&bytes)?;
        let folders: Vec<RepoPath> = names.split('\0').map(RepoPath::new).collect();
        let stand = stand(place, query, &folders)?;
        Some(Self { folders, stand, after: bytes.len() - rest.len(), bytes })
    }
}

fn line(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let end = bytes.iter().position(|&byte| byte == b'\n')?;
    Some((std::str::from_utf8(&bytes[..end]).ok()?, &bytes[end + 1..]))
}

/// What git says, as far as a listing of these folders depends on it, and which program asks.
fn stand(place: &Place, query: &Query, folders: &[RepoPath]) -> Option<Sha256> {
    let layout = place.layout()?;
    let git = place.git();
    let program = std::env::current_exe().ok().and_then(|path| file::Identity::of(&path))?;
    let base = Base::find(place.objects().ok()??, query.base).ok()?;
    let head = git.head().ok()?;
    let mut cut_off: Vec<_> = git.cut_off().ok()?.into_iter().collect();
    cut_off.sort_unstable();
    let journal = file::read(&layout.git_dir.join("chant-writes.json")).ok()?.map(Sha256::of);
    let mut all = format!("{program:?} {CONTRACT} {head:?} {base:?} {cut_off:?} {journal:?}");
    for folder in folders.iter().filter(|_| head.oid().is_some()) {
        write!(all, " {:?}", git.changed_from_head(folder).ok()?).ok()?;
    }
    Some(Sha256::of(all))
}

/// The folders of the kinds of an answer that follows from the traced files and from what git says alone, and is worth
/// keeping.
fn folders(place: &Place, document: &Document) -> Option<Vec<RepoPath>> {
    let mut folders = Vec::new();
    let mut count = 0;
    let tree = place.work_tree();
    for outcome in document.outcomes() {
        let Outcome::Listing(listing) = outcome else { return None };
        let kind = kind::load(&tree, &RepoPath::new(&listing.kind.file)).ok()?;
        // A transcript lies outside of the tree. Kinds that name others are read from several folders.
        let transcript = |record: &Record| {
            kind.source.as_ref().and_then(|field| record.field(field)?.get("transcript")).is_some()
        };
        if kind.work.is_some() || kind.session.is_some() || listing.records.iter().any(transcript) {
            return None;
        }
        count += listing.records.len();
        folders.push(kind.folder);
    }
    (count >= WORTH).then_some(folders)
}
