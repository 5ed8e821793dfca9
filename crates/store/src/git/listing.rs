//! All files that git would take into a commit, in one question.

use super::{Git, GitError, Layout, Oid, RepoPath};

/// A file in the index, or one that is neither in the index nor ignored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) path: RepoPath,
    pub(crate) state: State,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum State {
    /// In the index. A path in conflict is listed once for each side.
    Tracked {
        /// As in the index: `0o100644`, `0o100755`, `0o120000` or `0o160000`.
        mode: u32,
        oid: Oid,
        /// Zero, or one to three for a side of a conflict.
        stage: u8,
        /// The index has the file as one that is not checked out, so git does not look for it on disk.
        skip_worktree: bool,
    },
    Untracked,
    /// A repository of its own within this one, not a submodule. Git lists its folder and not its files.
    Nested,
}

impl Git {
    /// Every entry below the folder, as the ignore rules of this git directory have it, sorted by path; without
    /// other worktrees of the repository at `own`.
    pub(super) fn listed(&self, own: &Layout) -> Result<Vec<Listed>, GitError> {
        let call =
            self.call(["ls-files", "-z", "-v", "--stage", "--cached", "--others", "--exclude-standard"]);
        let (_, output) = call.answer()?;
        let mut listing = Vec::new();
        for record in records(&output) {
            listing.push(parse(record).ok_or_else(|| call.malformed("an entry without tag or stage"))?);
        }
        if listing.iter().any(|listed| listed.state == State::Nested) {
            let is_other =
                |layout: Layout| layout.common_dir == own.common_dir && layout.git_dir != own.git_dir;
            let is_sibling = |path: &RepoPath| {
                let found = Layout::discover(&self.dir().join(path.to_path()));
                found.is_ok_and(|found| found.is_some_and(is_other))
            };
            listing.retain(|listed| listed.state != State::Nested || !is_sibling(&listed.path));
        }
        listing.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(listing)
    }

    pub(super) fn layout(&self) -> Result<Layout, GitError> {
        match Layout::discover(self.dir()) {
            Ok(Some(layout)) => Ok(layout),
            Ok(None) => Err(GitError::NoWorkTree { dir: self.dir().to_owned() }),
            Err(source) => Err(GitError::File { path: self.dir().to_owned(), source }),
        }
    }
}

/// The records of an answer in which a NUL ends each.
pub(crate) fn records(output: &[u8]) -> impl Iterator<Item = &[u8]> {
    output.split(|&byte| byte == 0).filter(|record| !record.is_empty())
}

/// `? <path>`, or `<tag> <mode> <oid> <stage>` TAB `<path>`; a tag in lower case marks "assume unchanged".
fn parse(record: &[u8]) -> Option<Listed> {
    let (&tag, rest) = record.split_first()?;
    let rest = rest.strip_prefix(b" ")?;
    if tag == b'?' {
        let state = if rest.ends_with(b"/") { State::Nested } else { State::Untracked };
        return Some(Listed { path: RepoPath::new(rest), state });
    }
    let tab = rest.iter().position(|&byte| byte == b'\t')?;
    let mut fields = rest[..tab].split(|&byte| byte == b' ');
    let mode = u32::from_str_radix(std::str::from_utf8(fields.next()?).ok()?, 8).ok()?;
    let oid = Oid::from_bytes(fields.next()?)?;
    let stage = std::str::from_utf8(fields.next()?).ok()?.parse().ok()?;
    let skip_worktree = tag.eq_ignore_ascii_case(&b'S');
    Some(Listed {
        path: RepoPath::new(&rest[tab + 1..]),
        state: State::Tracked { mode, oid, stage, skip_worktree },
    })
}
