//! The files of a git work tree, as a commit of everything would hold them.

use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use canon::Sha256;

use super::hashing::{Job, hash_all};
use super::line_ends::LineEnds;
use super::{ContentDigest, DigestError, Entry, Exclude, walk};
use crate::Env;
use crate::git::{Disk, Git, Impartial, Layout, Listed, Machine, RepoPath, State, records};

const SYMLINK: u32 = 0o120_000;
const GITLINK: u32 = 0o160_000;

/// Up to this many files are asked for by name; beyond, it is cheaper to ask for all.
const BY_NAME: usize = 64;

/// The entries of all files below `root`; `None` where the repository ignores `root` itself, and so knows nothing.
pub(super) fn entries(
    root: &Path,
    layout: &Layout,
    env: &Env,
    exclude: Exclude,
) -> Result<Option<Vec<Entry>>, DigestError> {
    let mut git = Impartial::new(&Git::new(root, env))?;
    let mut listing = git.listing()?;
    if listing.is_empty() && is_ignored(root, layout, env)? {
        return Ok(None);
    }
    // A path in conflict is listed once for each side; on disk it is one file.
    listing.dedup_by(|later, kept| later.path == kept.path);
    listing.retain(|listed| !exclude(listed.path.as_bytes()));

    let machine = &git.machine;
    let mut disk = Disk::new(root);
    let (mut entries, mut files) = (Vec::new(), Vec::new());
    for listed in listing {
        let Some((file, metadata)) = disk.find(&listed.path)? else { continue };
        let index_mode = match &listed.state {
            State::Tracked { mode, .. } => Some(*mode),
            State::Untracked | State::Nested => None,
        };
        let kind = metadata.file_type();
        if kind.is_dir() {
            if index_mode == Some(GITLINK) || listed.state == State::Nested {
                let sha256 = submodule(&file, &listed, env, exclude)?;
                entries.push(Entry { path: listed.path, mode: GITLINK, sha256 });
            }
            // Any other folder in the place of a file: its files are listed by their own names.
        } else if kind.is_symlink() {
            match fs::read_link(&file) {
                Ok(target) => {
                    let sha256 = Sha256::of(RepoPath::link_target(&target));
                    entries.push(Entry { path: listed.path, mode: SYMLINK, sha256 });
                }
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(source) => return Err(DigestError::File { path: file, source }),
            }
        } else if kind.is_file() {
            let mode = match index_mode {
                // Without links on disk, git keeps the target in a plain file.
                Some(SYMLINK) if !machine.symlinks => SYMLINK,
                Some(mode @ (0o100_644 | 0o100_755)) if !machine.file_mode => mode,
                _ if machine.file_mode => walk::mode(&metadata),
                _ => 0o100_644,
            };
            files.push(Plain { path: listed.path, mode, tracked: index_mode.is_some(), file });
        }
    }
    hash_files(&git.git, files, machine, &mut entries)?;
    Ok(Some(entries))
}

/// Whether the repository ignores this folder, as a repository over a whole home folder does with projects in it.
fn is_ignored(root: &Path, layout: &Layout, env: &Env) -> Result<bool, DigestError> {
    match root.strip_prefix(&layout.work_tree) {
        Ok(relative) if !relative.as_os_str().is_empty() => {
            let path = RepoPath::from_path(relative);
            Ok(Git::new(&layout.work_tree, env).ignored(&[path])? == [true])
        }
        _ => Ok(false),
    }
}

/// What a submodule's folder amounts to.
fn submodule(folder: &Path, listed: &Listed, env: &Env, exclude: Exclude) -> Result<Sha256, DigestError> {
    let failed = |source| DigestError::File { path: folder.to_owned(), source };
    let excluded = |path: &[u8]| exclude(RepoPath::new(path).below(&listed.path).as_bytes());
    // Asked of the folder's own repository only: the one around it would answer for a folder that has none.
    let own = Layout::discover(folder).map_err(failed)?.filter(|layout| layout.work_tree == folder);
    let found = match own {
        Some(layout) => entries(folder, &layout, env, &excluded)?.unwrap_or_default(),
        // Nobody's rules are known, and git shows none of these files.
        None => walk::entries(folder, walk::Take::All, &excluded)?,
    };
    match &listed.state {
        // Not checked out. Were there stray files, git would not show them, but they would be in `found`.
        State::Tracked { oid, .. } if found.is_empty() => Ok(Sha256::of(oid.as_str())),
        _ => Ok(ContentDigest::new(found).digest),
    }
}

/// A regular file to read.
struct Plain {
    path: RepoPath,
    mode: u32,
    tracked: bool,
    file: PathBuf,
}

/// Reads the regular files, with line ends as git takes them.
fn hash_files(
    git: &Git,
    files: Vec<Plain>,
    machine: &Machine,
    entries: &mut Vec<Entry>,
) -> Result<(), DigestError> {
    let rules = line_ends(git, &files, machine)?;
    let jobs =
        files.iter().zip(&rules).map(|(plain, rule)| Job { file: plain.file.clone(), line_ends: *rule });
    let digests = hash_all(&jobs.collect::<Vec<_>>())?;

    // Of these files the version in the index decides: where it has CRLF, git leaves CRLF alone.
    let mut open = Vec::new();
    for ((plain, rule), digests) in files.iter().zip(&rules).zip(&digests) {
        let converted = digests.is_some_and(|digests| digests.converted.is_some());
        if converted && *rule == LineEnds::Guess && plain.tracked {
            open.push(&plain.path);
        }
    }
    let keep = with_crlf_in_index(git, &open)?;

    for (Plain { path, mode, .. }, digests) in files.into_iter().zip(digests) {
        let Some(digests) = digests else { continue };
        let converted = digests.converted.filter(|_| !keep.contains(&path));
        entries.push(Entry { path, mode, sha256: converted.unwrap_or(digests.as_is) });
    }
    Ok(())
}

/// The rule for each file, by its attributes.
fn line_ends(git: &Git, files: &[Plain], machine: &Machine) -> Result<Vec<LineEnds>, DigestError> {
    let mut names = Vec::new();
    for plain in files {
        names.extend_from_slice(plain.path.as_bytes());
        names.push(0);
    }
    let call = git.call(["check-attr", "-z", "--stdin", "text", "eol", "crlf"]).input(&names);
    let (_, output) = call.answer()?;
    // Three records for each attribute: path, attribute, value; three attributes for each path.
    let fields: Vec<&[u8]> = records(&output).collect();
    if fields.len() != 9 * files.len() {
        return Err(call.malformed("not three attributes for each path").into());
    }
    let rule = |(plain, of): (&Plain, &[&[u8]])| match plain.mode {
        SYMLINK => LineEnds::Keep,
        _ => LineEnds::of(of[2], of[5], of[8], machine.auto_crlf),
    };
    Ok(files.iter().zip(fields.chunks_exact(9)).map(rule).collect())
}

/// Those of the paths whose version in the index is a text with CRLF.
fn with_crlf_in_index(git: &Git, paths: &[&RepoPath]) -> Result<HashSet<RepoPath>, DigestError> {
    if paths.is_empty() {
        return Ok(HashSet::new());
    }
    let wanted: HashSet<&RepoPath> = paths.iter().copied().collect();
    let names = if paths.len() > BY_NAME { &[] } else { paths };
    let call =
        git.call(["ls-files", "-z", "--eol", "--"]).args(names.iter().map(|path| path.to_os())).literal();
    let (_, output) = call.answer()?;
    let mut found = HashSet::new();
    // `i/<index> w/<on disk> attr/<attributes>` TAB `<path>`
    for record in records(&output) {
        let tab = record.iter().position(|&byte| byte == b'\t');
        let tab = tab.ok_or_else(|| call.malformed("an entry without line ends"))?;
        let path = RepoPath::new(&record[tab + 1..]);
        let crlf = record.starts_with(b"i/crlf") || record.starts_with(b"i/mixed");
        if crlf && wanted.contains(&path) {
            found.insert(path);
        }
    }
    Ok(found)
}
