//! Reading and writing files without ever going through a symbolic link, and without a reader ever
//! seeing half of a write.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use crate::fault;

/// A file operation that failed, with the file's name.
#[derive(Debug)]
pub struct FileError {
    /// The file or folder.
    pub path: PathBuf,
    /// What was being done, as in "cannot read".
    pub doing: &'static str,
    /// Why it failed.
    pub source: io::Error,
}

impl FileError {
    pub(crate) fn new(doing: &'static str, path: &Path, source: io::Error) -> Self {
        Self { path: path.to_owned(), doing, source }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot {} `{}`: {}", self.doing, self.path.display(), self.source)
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

/// A symbolic link where a file is expected.
fn link_error() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is a symbolic link")
}

pub(crate) fn options() -> OpenOptions {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "links are checked by metadata there"))]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // Non-blocking, or a named pipe left in the place of a file would hold the program for ever.
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.custom_flags(flags.bits().cast_signed());
    }
    options
}

pub(crate) fn explain(path: &Path, error: io::Error) -> io::Error {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => link_error(),
        Ok(metadata) if metadata.is_dir() => io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"),
        _ => error,
    }
}

/// The whole content of a regular file, or none where nothing is there.
///
/// # Errors
/// A symbolic link, a folder, a device, or a file that can't be read.
pub fn read(path: &Path) -> Result<Option<Vec<u8>>, FileError> {
    read_at_most(path, u64::MAX)
}

/// As [`read`]; none also where the file has more than `most` bytes.
///
/// # Errors
/// As [`read`].
pub fn read_at_most(path: &Path, most: u64) -> Result<Option<Vec<u8>>, FileError> {
    let Some((mut file, length)) = open(path)?.filter(|(_, length)| *length <= most) else {
        return Ok(None);
    };
    read_all(&mut file, length).map(Some).map_err(|error| FileError::new("read", path, error))
}

/// A regular file, open for reading, and its length in bytes; none where nothing is there.
///
/// # Errors
/// As [`read`].
pub fn open(path: &Path) -> Result<Option<(File, u64)>, FileError> {
    let fail = |error| FileError::new("read", path, error);
    let file = match options().read(true).open(path) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(fail(explain(path, error))),
    };
    let metadata = file.metadata().map_err(fail)?;
    if !metadata.is_file() {
        let what = if metadata.is_dir() { "it is a folder" } else { "it is not a regular file" };
        return Err(fail(io::Error::new(io::ErrorKind::InvalidInput, what)));
    }
    Ok(Some((file, metadata.len())))
}

/// From this size on, a file is read in two halves at once: most of the time goes into fresh memory pages.
#[cfg(unix)]
const LARGE: u64 = 1024 * 1024;

fn read_all(file: &mut File, length: u64) -> io::Result<Vec<u8>> {
    #[cfg(unix)]
    if length >= LARGE {
        use std::os::unix::fs::FileExt;
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(usize::MAX)];
        let half = bytes.len() / 2;
        let (front, back) = bytes.split_at_mut(half);
        let at = &*file;
        let (first, second) = std::thread::scope(|scope| {
            let second = scope.spawn(move || at.read_exact_at(back, half as u64));
            (at.read_exact_at(front, 0), second.join())
        });
        // A file that shrank meanwhile is read again, as it is now.
        if first.is_ok() && matches!(second, Ok(Ok(()))) {
            use std::io::{Seek, SeekFrom};
            file.seek(SeekFrom::Start(length))?;
            file.read_to_end(&mut bytes)?;
            return Ok(bytes);
        }
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0) + 1);
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What tells a file that nobody touched: place, size and times. Two equal identities mean equal content,
/// but for a write within one tick of the system's clock; [`Staged`] marks what it writes against that.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Identity {
    place: (u64, u64),
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

/// Nanoseconds that a mark adds to a file's time. The system's clock ticks in milliseconds, so no later write
/// gives the same time.
const MARK: u32 = 613;

impl Identity {
    /// The identity of a regular file; none where there is none, or where the system doesn't tell.
    #[cfg(unix)]
    pub fn of(path: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let metadata = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
        Some(Self {
            place: (metadata.dev(), metadata.ino()),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        })
    }

    /// The identity of a regular file; none where there is none, or where the system doesn't tell.
    #[cfg(not(unix))]
    pub fn of(_: &Path) -> Option<Self> {
        None
    }

    /// The file's size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Whether the file was last changed before `other` was: then no write that `other` didn't see can hide
    /// behind the same times.
    pub fn is_older_than(&self, other: &Self) -> bool {
        self.changed < other.modified
    }

    /// Whether [`Staged`] wrote the file and nobody wrote to it since.
    pub fn is_marked(&self) -> bool {
        let below = self.modified.1 % 1000;
        below == i64::from(MARK) || below == i64::from(MARK) + 1
    }
}

/// Sets the file's time off from every tick of the clock.
fn mark(file: &File) -> io::Result<()> {
    let modified = file.metadata()?.modified()?;
    let since = modified.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let below = u64::from(since.subsec_nanos() % 1000);
    // Not the time it has: a write in this very tick would give that again.
    let mark = u64::from(MARK) + u64::from(below == u64::from(MARK));
    let marked = since.saturating_sub(Duration::from_nanos(below)) + Duration::from_nanos(mark);
    file.set_modified(std::time::UNIX_EPOCH + marked)
}

/// A new content that lies beside its target, complete and on disk, and takes the target's place
/// when committed. Dropped before that, it leaves no trace.
#[derive(Debug)]
pub struct Staged {
    temporary: PathBuf,
    target: PathBuf,
    done: bool,
}

/// What is special about a staged content.
#[derive(Debug, Clone, Copy, Default)]
struct How {
    /// Nobody but its owner may ever read it.
    private: bool,
    /// It need not outlive a power failure.
    unsynced: bool,
}

impl Staged {
    /// Writes `bytes` to `<target>.<pid>.tmp` and syncs it. The target's permissions carry over.
    pub fn write(target: &Path, bytes: &[u8]) -> Result<Self, FileError> {
        Self::write_as(target, &own_mark(), bytes)
    }

    /// The same for a content that is written bit by bit.
    pub fn write_with(
        target: &Path,
        content: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> Result<Self, FileError> {
        Self::stage(target, &own_mark(), How::default(), content)
    }

    /// The same under the name `<target>.<mark>.tmp`, where a protocol says how temporary files are called.
    pub fn write_as(target: &Path, mark: &str, bytes: &[u8]) -> Result<Self, FileError> {
        Self::stage(target, mark, How::default(), |file| file.write_all(bytes))
    }

    /// The same for a file that nobody but its owner may ever read.
    pub fn write_private(target: &Path, mark: &str, bytes: &[u8]) -> Result<Self, FileError> {
        Self::stage(target, mark, How { private: true, ..How::default() }, |file| file.write_all(bytes))
    }

    /// The same for a content that begins with the target's first `keep` bytes and ends with `tail`: the system
    /// copies what stays, without bringing it into memory.
    pub fn extend(target: &Path, keep: u64, tail: &[u8]) -> Result<Self, FileError> {
        let fail = |error| FileError::new("read", target, error);
        let source = options().read(true).open(target).map_err(|error| fail(explain(target, error)))?;
        Self::stage(target, &own_mark(), How::default(), |file| {
            let copied = io::copy(&mut (&source).take(keep), file)?;
            if copied < keep {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it became shorter meanwhile"));
            }
            file.write_all(tail)
        })
    }

    fn stage(
        target: &Path,
        suffix: &str,
        how: How,
        content: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> Result<Self, FileError> {
        let fail = |error| FileError::new("write", target, error);
        let mode = replaceable(target).map_err(fail)?;
        let mut name = target.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{suffix}.tmp"));
        let temporary = target.with_file_name(name);
        fault::point("stage").map_err(fail)?;
        let open = || {
            let mut options = options();
            options.write(true).create_new(true);
            #[cfg(unix)]
            if how.private {
                use std::os::unix::fs::OpenOptionsExt;
                options.mode(0o600);
            }
            options.open(&temporary)
        };
        let opened = open().or_else(|error| {
            if error.kind() != io::ErrorKind::AlreadyExists {
                return Err(error);
            }
            // Left behind by a dead process that had this process's number.
            fs::remove_file(&temporary)?;
            open()
        });
        let mut file = opened.map_err(fail)?;
        let staged = Self { temporary: temporary.clone(), target: target.to_owned(), done: false };
        content(&mut file).map_err(fail)?;
        if let Some(mode) = mode {
            file.set_permissions(mode).map_err(fail)?;
        }
        // A system that can't set times leaves the file unmarked, and nobody trusts its time.
        let _ = mark(&file);
        if !how.unsynced {
            file.sync_data().map_err(fail)?;
        }
        fault::point("staged").map_err(fail)?;
        Ok(staged)
    }

    /// Where the content lies until it is committed.
    pub fn temporary(&self) -> &Path {
        &self.temporary
    }

    /// Puts the content in the target's place.
    pub fn commit(&mut self) -> Result<(), FileError> {
        let fail = |error| FileError::new("replace", &self.target, error);
        fault::point("rename").map_err(fail)?;
        fs::rename(&self.temporary, &self.target).map_err(fail)?;
        self.done = true;
        fault::point("renamed").map_err(fail)
    }

    /// Puts the content where nothing lies yet.
    ///
    /// # Errors
    /// Something lies there; it stays as it is.
    pub fn commit_new(&mut self) -> Result<(), FileError> {
        let fail = |error| FileError::new("create", &self.target, error);
        fault::point("rename").map_err(fail)?;
        match fs::hard_link(&self.temporary, &self.target) {
            Ok(()) => {
                // From here on it is written. Its other name is in nobody's way.
                self.done = true;
                fault::point("renamed").map_err(fail)?;
                let _ = fs::remove_file(&self.temporary);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(fail(error)),
            // A file system without hard links: looking first is the best that is left.
            Err(_) if fs::symlink_metadata(&self.target).is_ok() => {
                return Err(fail(io::ErrorKind::AlreadyExists.into()));
            }
            Err(_) => fs::rename(&self.temporary, &self.target).map_err(fail)?,
        }
        self.done = true;
        Ok(())
    }

    /// Whether the content is in the target's place.
    pub fn is_committed(&self) -> bool {
        self.done
    }

    /// Leaves the temporary file where it is, for a later process to commit.
    pub fn keep(mut self) {
        self.done = true;
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if !self.done {
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// What tells the temporary files of one process from those of another.
fn own_mark() -> String {
    std::process::id().to_string()
}

/// Replaces or creates one file: temporary file, sync, rename, sync of the folder.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    Staged::write(path, bytes)?.commit()?;
    sync_folder(path)
}

/// The same without waiting for the disk, for what can be made anew: after a power failure the file may be empty, or
/// that which it replaced.
pub fn replace_unsynced(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let how = How { unsynced: true, ..How::default() };
    Staged::stage(path, &own_mark(), how, |file| file.write_all(bytes))?.commit()
}

/// Makes the names in the folder of `path` durable. Systems that can't do that are left alone.
pub fn sync_folder(path: &Path) -> Result<(), FileError> {
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        let fail = |error| FileError::new("sync", folder, error);
        File::open(folder).map_err(fail)?.sync_all().map_err(fail)?;
    }
    Ok(())
}

/// An append-only file opened for one more write.
#[derive(Debug)]
pub struct Appender {
    file: File,
    path: PathBuf,
    /// The file's length before the write.
    pub offset: u64,
    /// Whether the last line lacks its line end, which a new line must not continue.
    pub torn: bool,
}

impl Appender {
    /// Opens `path` for appending, and creates it where it is missing.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let fail = |error| FileError::new("append to", path, error);
        let file = options()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(|error| fail(explain(path, error)))?;
        let metadata = file.metadata().map_err(fail)?;
        if !metadata.is_file() {
            return Err(fail(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")));
        }
        let offset = metadata.len();
        let torn = offset > 0 && last_byte(&file, offset).map_err(fail)? != b'\n';
        Ok(Self { file, path: path.to_owned(), offset, torn })
    }

    /// Opens `path` for appending after its last whole line. The half line that a crash left behind it is cut off and
    /// given back.
    pub fn open_whole(path: &Path) -> Result<(Self, Vec<u8>), FileError> {
        let appender = Self::open(path)?;
        if !appender.torn {
            return Ok((appender, Vec::new()));
        }
        let mut window = 16 * 1024;
        let half = loop {
            let (mut tail, cut) = read_tail(path, window)?;
            match tail.iter().rposition(|&byte| byte == b'\n') {
                Some(end) => break tail.split_off(end + 1),
                None if !cut => break tail,
                None => window *= 8,
            }
        };
        let fail = |error| FileError::new("repair", path, error);
        // Through a handle that does not append: some systems refuse to shorten such a file.
        let file = options().write(true).open(path).map_err(|error| fail(explain(path, error)))?;
        file.set_len(appender.offset.saturating_sub(half.len() as u64)).map_err(fail)?;
        Ok((Self::open(path)?, half))
    }

    /// Writes `bytes` at the end; on failure the file gets its old length back.
    pub fn append(&mut self, bytes: &[u8], sync: bool) -> Result<(), FileError> {
        let mut write = || {
            fault::point("append")?;
            self.file.write_all(bytes)?;
            fault::point("appended")?;
            if sync { self.file.sync_data() } else { Ok(()) }
        };
        write().map_err(|error| {
            let _ = self.file.set_len(self.offset);
            FileError::new("append to", &self.path, error)
        })
    }

    /// Gives the file its old length back.
    pub fn undo(&mut self) {
        let _ = self.file.set_len(self.offset);
    }
}

fn last_byte(file: &File, length: u64) -> io::Result<u8> {
    use std::io::{Seek, SeekFrom};
    let mut file = file;
    let mut byte = [0];
    file.seek(SeekFrom::Start(length - 1))?;
    file.read_exact(&mut byte)?;
    Ok(byte[0])
}

/// The last `bytes` bytes of a file, or all of a shorter one; empty where nothing is there. The
/// boolean says whether the beginning was cut off.
pub fn read_tail(path: &Path, bytes: u64) -> Result<(Vec<u8>, bool), FileError> {
    use std::io::{Seek, SeekFrom};
    let fail = |error| FileError::new("read", path, error);
    let mut file = match options().read(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((Vec::new(), false)),
        Err(error) => return Err(fail(explain(path, error))),
    };
    let length = file.metadata().map_err(fail)?.len();
    let start = length.saturating_sub(bytes);
    file.seek(SeekFrom::Start(start)).map_err(fail)?;
    let mut tail = Vec::with_capacity(usize::try_from(length - start).unwrap_or(0) + 1);
    file.take(bytes).read_to_end(&mut tail).map_err(fail)?;
    Ok((tail, start > 0))
}

/// The path without `.` and `x/..`, by its letters alone: nothing of it needs to exist.
pub fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

/// Whether the user may write a file or folder that is there. Nothing is written to find out.
#[cfg(unix)]
pub fn is_writable(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok()
}

/// Whether the user may write a file or folder that is there. Nothing is written to find out.
#[cfg(not(unix))]
pub fn is_writable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.permissions().readonly())
}

/// Whether a folder is there and can be written, or can be made; a link on the way below `root` counts as neither.
pub fn can_hold(root: &Path, folder: &Path) -> bool {
    let mut at = folder;
    loop {
        let is_below = at.starts_with(root) && at != root;
        let found = if is_below { fs::symlink_metadata(at) } else { fs::metadata(at) };
        match found {
            Ok(metadata) if metadata.is_dir() => {
                let is_link =
                    |path: &&Path| fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
                let mut way = at.ancestors().take_while(|above| above.starts_with(root) && *above != root);
                return is_writable(at) && !way.any(|path| is_link(&path));
            }
            Ok(_) => return false,
            Err(_) => match at.parent() {
                Some(above) => at = above,
                None => return false,
            },
        }
    }
}

/// Whether so many bytes are free where a file or folder lies; `None` where the system doesn't tell.
#[cfg(unix)]
pub fn has_room(path: &Path, bytes: u64) -> Option<bool> {
    let found = rustix::fs::statvfs(path).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize) >= bytes)
}

/// Whether so many bytes are free where a file or folder lies; `None` where the system doesn't tell.
#[cfg(not(unix))]
pub fn has_room(_: &Path, _: u64) -> Option<bool> {
    None
}

/// The permissions of the file that would be replaced; none where nothing is there.
fn replaceable(target: &Path) -> io::Result<Option<fs::Permissions>> {
    match fs::symlink_metadata(target) {
        Ok(metadata) if metadata.is_symlink() => Err(link_error()),
        Ok(metadata) if metadata.is_dir() => {
            Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"))
        }
        Ok(metadata) => Ok(Some(metadata.permissions())),
        Err(_) => Ok(None),
    }
}

/// Whether a folder is there; what is there and no folder is an error.
fn is_folder(at: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(at) {
        Ok(metadata) if metadata.is_dir() => Ok(true),
        Ok(metadata) if metadata.is_symlink() => Err(link_error()),
        Ok(_) => Err(io::Error::new(io::ErrorKind::NotADirectory, "a file is in the way")),
        Err(_) => Ok(false),
    }
}

/// Creates a folder and its parents, none of which below `root` may be a symbolic link.
pub fn create_folder(root: &Path, folder: &Path) -> Result<(), FileError> {
    let mut at = root.to_owned();
    for part in folder.strip_prefix(root).unwrap_or(folder).components() {
        at.push(part);
        let fail = |error| FileError::new("create", &at, error);
        if is_folder(&at).map_err(fail)? {
            continue;
        }
        match fs::create_dir(&at) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(fail(error)),
            _ => {}
        }
    }
    Ok(())
}

/// Whether [`create_folder`] would make this folder, and files in it could be written. Nothing is written to find out.
///
/// # Errors
/// What would keep it from that.
pub fn check_folder(root: &Path, folder: &Path) -> Result<(), FileError> {
    let (mut at, mut nearest) = (root.to_owned(), root.to_owned());
    for part in folder.strip_prefix(root).unwrap_or(folder).components() {
        at.push(part);
        if !is_folder(&at).map_err(|error| FileError::new("create", &at, error))? {
            break;
        }
        nearest.clone_from(&at);
    }
    if is_writable(&nearest) {
        return Ok(());
    }
    let error = io::Error::new(io::ErrorKind::PermissionDenied, "the folder can't be written");
    Err(FileError::new("write", &nearest, error))
}

/// Whether [`replace`] would write this file, with the folders that it needs below `root`. Nothing is written to find out.
///
/// # Errors
/// What would keep it from that.
pub fn check_replace(root: &Path, path: &Path) -> Result<(), FileError> {
    check_folder(root, path.parent().unwrap_or(root))?;
    replaceable(path).map(|_| ()).map_err(|error| FileError::new("write", path, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said beforehand is what comes of it.
    #[test]
    #[cfg(unix)]
    fn a_check_says_what_writing_does() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir(root.join("folder")).unwrap();
        fs::write(root.join("file"), "x").unwrap();
        std::os::unix::fs::symlink(root.join("folder"), root.join("link")).unwrap();
        std::os::unix::fs::symlink(root.join("file"), root.join("folder/linked")).unwrap();
        for (name, can) in [
            ("new", true),
            ("file", true),
            ("folder/new", true),
            ("a/b/new", true),
            ("folder", false),
            ("folder/linked", false),
            ("link/new", false),
            ("link", false),
            ("file/new", false),
        ] {
            let path = root.join(name);
            let said = check_replace(root, &path).map_err(|error| error.source.to_string());
            let done = create_folder(root, path.parent().unwrap()).and_then(|()| replace(&path, b"y"));
            assert_eq!(said.is_ok(), can, "{name}");
            assert_eq!(said, done.map_err(|error| error.source.to_string()), "{name}");
        }
    }

    #[test]
    fn a_replacement_keeps_permissions_and_leaves_no_temporary_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        fs::write(&path, "old").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        }
        replace(&path, b"new").unwrap();
        assert_eq!(read(&path).unwrap().unwrap(), b"new");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_new_overwrites_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.md");
        let mut staged = Staged::write_as(&path, "own-7", b"first").unwrap();
        assert_eq!(staged.temporary(), folder.path().join("a.md.own-7.tmp"));
        staged.commit_new().unwrap();
        drop(staged);
        assert!(Staged::write(&path, b"second").unwrap().commit_new().is_err());
        assert_eq!(read(&path).unwrap().unwrap(), b"first");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    #[cfg(unix)]
    fn no_operation_goes_through_a_symbolic_link() {
        let folder = tempfile::tempdir().unwrap();
        let outside = folder.path().join("outside");
        fs::write(&outside, "kept").unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&outside, &link).unwrap();
        for error in [
            read(&link).unwrap_err(),
            replace(&link, b"x").unwrap_err(),
            Appender::open(&link).unwrap_err(),
            create_folder(folder.path(), &link.join("deeper")).unwrap_err(),
        ] {
            assert!(error.to_string().contains("symbolic link"), "{error}");
        }
        assert_eq!(fs::read(&outside).unwrap(), b"kept");
    }

    #[test]
    #[cfg(unix)]
    fn a_place_that_can_hold_is_told_without_writing() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        assert!(can_hold(root, root) && can_hold(root, &root.join("a/b")));
        fs::write(root.join("file"), "x").unwrap();
        assert!(!can_hold(root, &root.join("file")) && !can_hold(root, &root.join("file/a")));
        fs::create_dir(root.join("real")).unwrap();
        std::os::unix::fs::symlink(root.join("real"), root.join("link")).unwrap();
        assert!(can_hold(root, &root.join("real/a")) && !can_hold(root, &root.join("link/a")));
        assert!(!can_hold(root, &root.join("link")));
        assert_eq!(fs::read_dir(root).unwrap().count(), 3);
        assert_eq!((has_room(root, 1), has_room(root, u64::MAX)), (Some(true), Some(false)));
    }

    #[test]
    fn a_path_is_made_plain_by_its_letters() {
        assert_eq!(plain(Path::new("/a/./b/../c")), Path::new("/a/c"));
        assert_eq!(plain(Path::new("a/../../b")), Path::new("b"));
    }

    #[test]
    fn a_content_is_extended_without_the_rest() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "[1]").unwrap();
        Staged::extend(&path, 2, b",2]").unwrap().commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"[1,2]");
        assert!(Staged::extend(&path, 99, b"]").is_err());
        assert!(Staged::extend(&folder.path().join("none"), 0, b"]").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    #[cfg(unix)]
    fn an_edit_within_one_tick_of_the_clock_is_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        for _ in 0..200 {
            replace(&path, b"12345").unwrap();
            let written = Identity::of(&path).unwrap();
            assert!(written.is_marked());
            // In place, of the same size, at once.
            OpenOptions::new().write(true).open(&path).unwrap().write_all(b"54321").unwrap();
            let edited = Identity::of(&path).unwrap();
            assert_ne!(written, edited);
        }
    }

    #[test]
    fn a_large_file_is_read_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let bytes: Vec<u8> = (0..3_000_001_u32).map(|n| u8::try_from(n % 251).unwrap()).collect();
        fs::write(&path, &bytes).unwrap();
        assert_eq!(read(&path).unwrap().unwrap(), bytes);
    }

    #[test]
    fn an_abandoned_write_leaves_no_trace() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        drop(Staged::write(&path, b"x").unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn an_unfinished_last_line_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        fs::write(&path, "one").unwrap();
        let appender = Appender::open(&path).unwrap();
        assert!(appender.torn);
        assert_eq!(appender.offset, 3);
    }

    #[test]
    fn a_tail_says_whether_it_was_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        fs::write(&path, "0123456789").unwrap();
        assert_eq!(read_tail(&path, 4).unwrap(), (b"6789".to_vec(), true));
        assert_eq!(read_tail(&path, 40).unwrap(), (b"0123456789".to_vec(), false));
        assert_eq!(read_tail(&folder.path().join("none"), 4).unwrap(), (Vec::new(), false));
    }
}
