//! Reading and writing files without ever going through a symbolic link, and without a reader ever
//! seeing half of a write.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

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

fn options() -> OpenOptions {
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

fn explain(path: &Path, error: io::Error) -> io::Error {
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
    let fail = |error| FileError::new("read", path, error);
    let mut file = match options().read(true).open(path) {
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
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0) + 1);
    file.read_to_end(&mut bytes).map_err(fail)?;
    Ok(Some(bytes))
}

/// A new content that lies beside its target, complete and on disk, and takes the target's place
/// when committed. Dropped before that, it leaves no trace.
#[derive(Debug)]
pub struct Staged {
    temporary: PathBuf,
    target: PathBuf,
    done: bool,
}

impl Staged {
    /// Writes `bytes` to `<target>.<pid>.tmp` and syncs it. The target's permissions carry over.
    pub fn write(target: &Path, bytes: &[u8]) -> Result<Self, FileError> {
        let fail = |error| FileError::new("write", target, error);
        let mode = match fs::symlink_metadata(target) {
            Ok(metadata) if metadata.is_symlink() => return Err(fail(link_error())),
            Ok(metadata) if metadata.is_dir() => {
                return Err(fail(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder")));
            }
            Ok(metadata) => Some(metadata.permissions()),
            Err(_) => None,
        };
        let mut name = target.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.tmp", std::process::id()));
        let temporary = target.with_file_name(name);
        fault::point("stage").map_err(fail)?;
        let open = || options().write(true).create_new(true).open(&temporary);
        let file = open().or_else(|error| {
            if error.kind() != io::ErrorKind::AlreadyExists {
                return Err(error);
            }
            // Left behind by a dead process that had this process's number.
            fs::remove_file(&temporary)?;
            open()
        });
        let staged = Self { temporary: temporary.clone(), target: target.to_owned(), done: false };
        let mut file = file.map_err(fail)?;
        file.write_all(bytes).map_err(fail)?;
        if let Some(mode) = mode {
            file.set_permissions(mode).map_err(fail)?;
        }
        file.sync_data().map_err(fail)?;
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

/// Replaces or creates one file: temporary file, sync, rename, sync of the folder.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    Staged::write(path, bytes)?.commit()?;
    sync_folder(path)
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
    let mut tail = Vec::new();
    file.take(bytes).read_to_end(&mut tail).map_err(fail)?;
    Ok((tail, start > 0))
}

/// Creates a folder and its parents, none of which below `root` may be a symbolic link.
pub fn create_folder(root: &Path, folder: &Path) -> Result<(), FileError> {
    let fail = |error| FileError::new("create", folder, error);
    let mut at = root.to_owned();
    for part in folder.strip_prefix(root).unwrap_or(folder).components() {
        at.push(part);
        match fs::symlink_metadata(&at) {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(metadata) if metadata.is_symlink() => return Err(FileError::new("create", &at, link_error())),
            Ok(_) => return Err(fail(io::Error::new(io::ErrorKind::NotADirectory, "a file is in the way"))),
            Err(_) => match fs::create_dir(&at) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(fail(error)),
                _ => {}
            },
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

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
