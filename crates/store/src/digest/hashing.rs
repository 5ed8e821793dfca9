//! Reading many files at once, each in pieces.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use super::DigestError;
use super::line_ends::{Digests, LineEndHasher, LineEnds};

/// Below this many files another thread costs more than it brings.
const FILES_PER_THREAD: usize = 32;

const PIECE: usize = 64 * 1024;

/// A regular file to read.
pub(super) struct Job {
    pub(super) file: PathBuf,
    pub(super) line_ends: LineEnds,
}

/// The digests of all files, in their order; `None` for one that has vanished.
pub(super) fn hash_all(jobs: &[Job]) -> Result<Vec<Option<Digests>>, DigestError> {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let workers = processors.min(jobs.len() / FILES_PER_THREAD).max(1);
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let work = || {
        let mut buffer = vec![0; PIECE];
        let mut done = Vec::new();
        while !failed.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(index) else { break };
            let digests = hash(job, &mut buffer);
            failed.fetch_or(digests.is_err(), Ordering::Relaxed);
            done.push((index, digests));
        }
        done
    };
    let mut done = if workers == 1 {
        work()
    } else {
        thread::scope(|scope| {
            let others: Vec<_> = (1..workers).map(|_| scope.spawn(work)).collect();
            let mut done = work();
            for other in others {
                match other.join() {
                    Ok(part) => done.extend(part),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            done
        })
    };
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, digests)| digests).collect()
}

fn hash(job: &Job, buffer: &mut [u8]) -> Result<Option<Digests>, DigestError> {
    let failed = |source| DigestError::File { path: job.file.clone(), source };
    let mut file = match open(&job.file) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(failed(error)),
    };
    let mut hasher = LineEndHasher::new(job.line_ends);
    loop {
        match file.read(buffer) {
            Ok(0) => return Ok(Some(hasher.finish())),
            Ok(count) => hasher.update(&buffer[..count]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(failed(error)),
        }
    }
}

/// Opens what was a regular file a moment ago, and neither a link nor a pipe that took its place.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits().cast_signed());
    }
    let file = options.open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(ErrorKind::InvalidData, "it is no longer a regular file"))
    }
}
