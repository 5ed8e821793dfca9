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
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::thread;

use canon::{Sha256, Timestamp};
use store::file::{self, Staged};
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

/// A file of the memory: the text, the head, the length of the head in eight bytes.
///
/// The head is a line of the kinds' folders, a line with how git stood, and the trace. Of a question that was asked
/// once there are the folders alone.
struct Kept {
    file: File,
    folders: Vec<RepoPath>,
    /// What the head says behind the folders.
    rest: Vec<u8>,
    /// The length of the text.
    text: u64,
    /// How git stands now, once asked.
    stand: Option<Sha256>,
}

/// A text that was kept.
pub struct Text {
    file: File,
    length: u64,
}

/// A text to be kept, or at least that it was asked for.
pub struct Keep {
    file: PathBuf,
    head: Vec<u8>,
    with_text: bool,
}

impl Memory {
    /// Where the answer to `query` is kept; none where answers are not kept.
    pub fn open(place: &Place, query: &Query) -> Option<Self> {
        let layout = place.layout().filter(|_| query.at.is_none())?;
        let begun = place.world.now();
        let folder = store::state::folder(Some(layout), &layout.work_tree, "records", &place.world.env)?;
        let asked = format!("{query:?} {:?} {}", place.folder(), layout.work_tree.display());
        let file = folder.join(Sha256::of(asked).short());
        let kept = file::open(&file).ok().flatten().and_then(|(file, length)| Kept::read(file, length));
        place.traced();
        Some(Self { file, kept, begun })
    }

    /// The text that was printed last, where it is the answer now.
    pub fn recall(&mut self, place: &Place, query: &Query) -> Option<Text> {
        let kept = self.kept.as_mut()?;
        let trace = kept.trace();
        let tree = place.work_tree();
        // Both take their time: one asks git, the other the disk.
        let holds = thread::scope(|scope| {
            let trace = trace.as_ref().map(|(_, trace)| scope.spawn(|| trace.holds(&tree)));
            kept.stand = stand(place, query, &kept.folders);
            trace.is_some_and(|trace| trace.join().unwrap_or_default())
        });
        let is_as_it_was = holds && trace.is_some_and(|(stand, _)| stand == kept.stand && stand.is_some());
        let file = is_as_it_was.then(|| kept.file.try_clone().ok()).flatten()?;
        Some(Text { file, length: kept.text })
    }

    /// How `document` is to be kept; none where it isn't.
    ///
    /// The first time only the question is noted, so that what is asked once costs nothing more.
    pub fn keep(self, place: &Place, document: &Document) -> Option<Keep> {
        let folders = folders(place, document)?;
        let names: Option<Vec<&str>> = folders
            .iter()
            .map(|folder| folder.as_str().filter(|name| !name.contains(['\n', '\0'])))
            .collect();
        let mut head = names?.join("\0").into_bytes();
        head.push(b'\n');
        let known = self.kept.filter(|kept| kept.folders == folders);
        let with_text = known.is_some();
        if let Some(kept) = known {
            let trace = place.traced().trace(&place.work_tree(), self.begun)?;
            head.extend(format!("{}\n", kept.stand?).bytes());
            head.extend(trace.to_bytes());
        }
        Some(Keep { file: self.file, head, with_text })
    }
}

impl Text {
    /// Writes the text to `out`.
    pub fn write(mut self, out: &mut dyn Write) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(0))?;
        // Large pieces, which a buffer on the way lets pass.
        let mut piece = vec![0; 256 * 1024];
        let mut rest = self.file.take(self.length);
        loop {
            match rest.read(&mut piece)? {
                0 => return Ok(()),
                read => out.write_all(&piece[..read])?,
            }
        }
    }
}

impl Keep {
    /// Writes a text to `out` and keeps it. Where it can't be kept, nothing is lost.
    pub fn write(
        self,
        out: &mut dyn Write,
        text: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let Some(folder) = self.file.parent().filter(|folder| std::fs::create_dir_all(folder).is_ok()) else {
            return text(out);
        };
        let length = (self.head.len() as u64).to_le_bytes();
        let mut text = Some(text);
        let mut printed = Ok(());
        let staged = Staged::write_with(&folder.join(self.file.file_name().unwrap_or_default()), |file| {
            let mut both = Both { file: BufWriter::with_capacity(256 * 1024, file), out, kept: Ok(()) };
            if let Some(text) = text.take_if(|_| self.with_text) {
                printed = text(&mut both);
            }
            let Both { mut file, kept, .. } = both;
            kept?;
            file.write_all(&self.head)?;
            file.write_all(&length)?;
            file.flush()
        });
        let is_kept = printed.is_ok();
        if let Some(text) = text {
            printed = text(out);
        }
        if let Some(mut staged) = staged.ok().filter(|_| is_kept) {
            let _ = staged.commit();
        }
        printed
    }
}

/// What is printed and kept at once. That it can't be kept does not hinder printing.
struct Both<'a, 'o> {
    file: BufWriter<&'a mut File>,
    out: &'o mut dyn Write,
    kept: io::Result<()>,
}

impl Write for Both<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        if self.kept.is_ok() {
            self.kept = self.file.write_all(&bytes[..written]);
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Kept {
    fn read(mut file: File, length: u64) -> Option<Self> {
        let mut size = [0; 8];
        let behind = length.checked_sub(8)?;
        file.seek(SeekFrom::Start(behind)).ok()?;
        file.read_exact(&mut size).ok()?;
        let text = behind.checked_sub(u64::from_le_bytes(size))?;
        file.seek(SeekFrom::Start(text)).ok()?;
        let mut head = vec![0; usize::try_from(behind - text).ok()?];
        file.read_exact(&mut head).ok()?;
        let (names, rest) = line(&head)?;
        let folders = names.split('\0').map(RepoPath::new).collect();
        Some(Self { file, folders, rest: rest.to_vec(), text, stand: None })
    }

    /// How git stood, and the trace; none of a question that was asked once.
    fn trace(&self) -> Option<(Option<Sha256>, Trace)> {
        let (stand, trace) = line(&self.rest)?;
        Some((stand.parse().ok(), Trace::from_bytes(trace)?))
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
    let head = place.objects().ok()??.head(layout).ok()?;
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
