//! Where the repository stands, and how its commits relate.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::PathBuf;

use super::path::os_string;
use super::process::revision;
use super::{Git, GitError, ObjectFormat, Oid, RepoPath};

/// What `HEAD` is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Head {
    /// On a branch.
    Branch {
        /// Its name without `refs/heads/`.
        name: String,
        /// Its commit; `None` before the first one.
        oid: Option<Oid>,
    },
    /// On a commit and on no branch.
    Detached {
        /// The commit.
        oid: Oid,
    },
}

impl Head {
    /// The commit, unless there is none yet.
    pub fn oid(&self) -> Option<&Oid> {
        match self {
            Self::Branch { oid, .. } => oid.as_ref(),
            Self::Detached { oid } => Some(oid),
        }
    }

    /// The branch, unless `HEAD` is detached.
    pub fn branch(&self) -> Option<&str> {
        match self {
            Self::Branch { name, .. } => Some(name),
            Self::Detached { .. } => None,
        }
    }
}

/// The best common ancestor of two commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeBase {
    /// This one.
    Found(Oid),
    /// The histories have no commit in common.
    None,
    /// The clone is shallow, and the true answer may lie behind the point where its history is cut.
    CutOff,
}

/// Whether one commit is an ancestor of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ancestry {
    /// It is, or the two are the same.
    Yes,
    /// It is not.
    No,
    /// It does not show, but the clone is shallow and the history is cut.
    CutOff,
}

impl Git {
    /// What `HEAD` is: a branch, also one without a commit yet, or a bare commit.
    pub fn head(&self) -> Result<Head, GitError> {
        let symbolic = self.call(["symbolic-ref", "-q", "HEAD"]).accept(&[0, 1]);
        let (code, name) = symbolic.answer()?;
        let verify = self.call(["rev-parse", "--verify", "-q", "HEAD"]).accept(&[0, 1]);
        let oid = Oid::from_bytes(&verify.answer()?.1);
        if code == 0 {
            let name = String::from_utf8_lossy(name.trim_ascii_end());
            return Ok(Head::Branch {
                name: name.strip_prefix("refs/heads/").unwrap_or(&name).to_owned(),
                oid,
            });
        }
        let oid = oid.ok_or_else(|| verify.malformed("a detached HEAD without a commit"))?;
        Ok(Head::Detached { oid })
    }

    /// The commit that `rev` names, if it names one that is here.
    pub fn resolve(&self, rev: &str) -> Result<Option<Oid>, GitError> {
        let Ok(rev) = revision(rev) else { return Ok(None) };
        let mut commit = rev.to_owned();
        commit.push("^{commit}");
        let verify = [OsString::from("rev-parse"), "--verify".into(), "-q".into(), commit];
        let (_, oid) = self.call(verify).accept(&[0, 1]).answer()?;
        Ok(Oid::from_bytes(&oid))
    }

    /// Whether the object is here, without fetching it into a partial clone.
    pub fn exists(&self, oid: &Oid) -> Result<bool, GitError> {
        let call = self.call(["cat-file", "-e", oid.as_str()]).env("GIT_NO_LAZY_FETCH", "1").accept(&[0, 1]);
        Ok(call.answer()?.0 == 0)
    }

    /// Whether history is cut off, as after `git clone --depth`.
    pub fn is_shallow(&self) -> Result<bool, GitError> {
        Ok(!self.boundary()?.is_empty())
    }

    /// The commits whose parents a shallow clone has cut off.
    pub fn cut_off(&self) -> Result<HashSet<Oid>, GitError> {
        Ok(self.boundary()?.iter().filter_map(|line| Oid::from_bytes(line)).collect())
    }

    /// The best common ancestor of two commits; of several the one that git puts first.
    pub fn merge_base(&self, a: &str, b: &str) -> Result<MergeBase, GitError> {
        let (a, b) = (revision(a)?, revision(b)?);
        let call = self.call(["merge-base", "--all"]).args([a, b]).accept(&[0, 1]);
        let (_, output) = call.answer()?;
        let bases: Option<Vec<Oid>> = output
            .split(|&byte| byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(Oid::from_bytes)
            .collect();
        let bases = bases.ok_or_else(|| call.malformed("a merge base that is no object name"))?;

        // A commit whose parents are cut off and that lies above the base could hide a better base, since what is
        // cut off there is not known to be older. One below the base can hide only the base's own ancestors.
        let mut between = vec![a.to_owned(), b.to_owned()];
        between.extend(bases.iter().map(|base| format!("^{base}").into()));
        if self.cut_within(between)? {
            return Ok(MergeBase::CutOff);
        }
        Ok(bases.into_iter().next().map_or(MergeBase::None, MergeBase::Found))
    }

    /// Whether `a` is `b` or one of its ancestors.
    pub fn is_ancestor(&self, a: &str, b: &str) -> Result<Ancestry, GitError> {
        let (a, b) = (revision(a)?, revision(b)?);
        let (code, _) = self.call(["merge-base", "--is-ancestor"]).args([a, b]).accept(&[0, 1]).answer()?;
        if code == 0 {
            return Ok(Ancestry::Yes);
        }
        Ok(if self.cut_within(vec![b.to_owned()])? { Ancestry::CutOff } else { Ancestry::No })
    }

    /// How this repository names its objects.
    pub fn object_format(&self) -> Result<ObjectFormat, GitError> {
        Ok(self.place()?.0)
    }

    /// The folder's own name below the top of the work tree; empty at the top.
    pub fn prefix(&self) -> Result<RepoPath, GitError> {
        Ok(self.place()?.1)
    }

    pub(super) fn place(&self) -> Result<(ObjectFormat, RepoPath), GitError> {
        let call = self.call(["rev-parse", "--show-object-format", "--show-prefix"]);
        let (_, output) = call.answer()?;
        let mut lines = output.splitn(2, |&byte| byte == b'\n');
        let format = match lines.next() {
            Some(b"sha1") => ObjectFormat::Sha1,
            Some(b"sha256") => ObjectFormat::Sha256,
            _ => return Err(call.malformed("an unknown object format")),
        };
        let prefix = lines.next().unwrap_or_default();
        Ok((format, RepoPath::new(prefix.strip_suffix(b"\n").unwrap_or(prefix))))
    }

    /// The folder with the objects, of a bare repository too.
    fn common_dir(&self) -> Result<PathBuf, GitError> {
        match self.layout() {
            Err(GitError::NoWorkTree { .. }) => {
                let (_, output) = self.call(["rev-parse", "--git-common-dir"]).answer()?;
                Ok(self.dir().join(os_string(output.strip_suffix(b"\n").unwrap_or(&output))))
            }
            layout => Ok(layout?.common_dir),
        }
    }

    /// Whether a commit of this range has lost its parents to a shallow clone.
    fn cut_within(&self, range: Vec<OsString>) -> Result<bool, GitError> {
        let boundary = self.boundary()?;
        if boundary.is_empty() {
            return Ok(false);
        }
        let (_, commits) = self.call(["rev-list"]).args(range).args(["--"]).answer()?;
        Ok(commits.split(|&byte| byte == b'\n').any(|line| boundary.contains(line)))
    }

    fn boundary(&self) -> Result<HashSet<Vec<u8>>, GitError> {
        let path = self.common_dir()?.join("shallow");
        match fs::read(&path) {
            Ok(text) => Ok(text
                .split(|&byte| byte == b'\n')
                .map(<[u8]>::trim_ascii)
                .filter(|line| !line.is_empty())
                .map(<[u8]>::to_vec)
                .collect()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(HashSet::new()),
            Err(source) => Err(GitError::File { path, source }),
        }
    }
}

#[cfg(test)]
mod tests;
