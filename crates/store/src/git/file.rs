//! Questions about single files and settings.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;

use super::listing::records;
use super::process::revision;
use super::{Disk, Git, GitError, Impartial, Oid, RepoPath};

/// How many bytes of paths one command takes; Windows allows 32 KiB for all arguments together.
const ARGUMENTS: usize = 16 * 1024;

impl Git {
    /// Every file that a commit of everything would hold: tracked, and untracked but not ignored. Sorted.
    ///
    /// Ignored is what a `.gitignore` of the work tree names. What one person alone ignores (`.git/info/exclude`,
    /// `core.excludesFile`) is listed.
    ///
    /// A tracked file that was deleted on disk is still listed. A submodule, or a repository nested within this one,
    /// is one entry: its folder. Linked worktrees of this repository that stand within it are left out.
    pub fn files(&self) -> Result<Vec<RepoPath>, GitError> {
        let mut files: Vec<_> =
            Impartial::new(self)?.listing()?.into_iter().map(|listed| listed.path).collect();
        files.dedup();
        Ok(files)
    }

    /// Every file in the index, sorted.
    pub fn tracked(&self) -> Result<Vec<RepoPath>, GitError> {
        let (_, output) = self.call(["ls-files", "-z", "--cached"]).answer()?;
        let files: BTreeSet<_> = records(&output).map(RepoPath::new).collect();
        Ok(files.into_iter().collect())
    }

    /// For each path, whether the index has this file. Case counts as git has it set (`core.ignoreCase`).
    pub fn is_tracked(&self, paths: &[RepoPath]) -> Result<Vec<bool>, GitError> {
        let asked = self.inside(paths)?;
        let found = self.matching(&asked, ":(literal)")?;
        if asked.iter().flatten().all(|path| found.contains(path)) || !self.ignore_case()? {
            return Ok(which(&asked, &found));
        }
        let lower = |path: &RepoPath| RepoPath::new(path.as_bytes().to_ascii_lowercase());
        let found = self.matching(&asked, ":(literal,icase)")?.iter().map(lower).collect();
        let asked: Vec<_> = asked.iter().map(|path| path.as_ref().map(lower)).collect();
        Ok(which(&asked, &found))
    }

    /// The files of the index at or below these paths, taken with this pathspec magic.
    fn matching(&self, asked: &[Option<RepoPath>], magic: &str) -> Result<BTreeSet<RepoPath>, GitError> {
        let asked: Vec<&RepoPath> = asked.iter().flatten().collect();
        let mut found = BTreeSet::new();
        for batch in batches(&asked) {
            let specs = batch.iter().map(|path| {
                let mut spec = OsString::from(magic);
                spec.push(path.to_os());
                spec
            });
            let (_, output) = self.call(["ls-files", "-z", "--cached", "--"]).args(specs).answer()?;
            found.extend(records(&output).map(RepoPath::new));
        }
        Ok(found)
    }

    /// For each path, whether git ignores it. A tracked file is never ignored.
    pub fn ignored(&self, paths: &[RepoPath]) -> Result<Vec<bool>, GitError> {
        let asked = self.inside(paths)?;
        // This command takes a leading `:` for pathspec magic and refuses to be told otherwise.
        let input: Vec<u8> =
            asked.iter().flatten().flat_map(|path| [b"./", path.as_bytes(), b"\0"].concat()).collect();
        if input.is_empty() {
            return Ok(vec![false; paths.len()]);
        }
        match self.call(["check-ignore", "-z", "--stdin"]).input(&input).accept(&[0, 1]).answer() {
            Ok((_, output)) => Ok(which(&asked, &records(&output).map(RepoPath::new).collect())),
            // Git gives up at a path behind a symbolic link or in a submodule, which its rules do not reach.
            Err(GitError::Failed { stderr, .. }) if is_out_of_reach(&stderr) => {
                if paths.len() == 1 {
                    return Ok(vec![false]);
                }
                let each = paths.iter().map(|path| self.ignored(std::slice::from_ref(path)));
                Ok(each.collect::<Result<Vec<_>, _>>()?.concat())
            }
            Err(error) => Err(error),
        }
    }

    /// The bytes of a file in a revision, as stored; `None` where the revision has no such file.
    ///
    /// # Errors
    ///
    /// [`GitError::Revision`] when there is no such revision.
    pub fn blob(&self, rev: &str, path: &RepoPath) -> Result<Option<Vec<u8>>, GitError> {
        match self.entry(rev, path)? {
            Some((_, oid)) => Ok(Some(self.call(["cat-file", "blob", oid.as_str()]).answer()?.1)),
            None => Ok(None),
        }
    }

    /// Whether the file on disk is the one at `HEAD`, but for line ends that git would take away when adding.
    ///
    /// False where either is missing. The permission to execute does not count; a symbolic link is equal to the
    /// same link only.
    pub fn equals_head(&self, path: &RepoPath) -> Result<bool, GitError> {
        if self.head()?.oid().is_none() {
            return Ok(false);
        }
        let Some((mode, oid)) = self.entry("HEAD", path)? else { return Ok(false) };
        let Some((file, metadata)) = Disk::new(self.dir()).find(path)? else { return Ok(false) };
        let is_link = mode == "120000";
        if metadata.is_symlink() != is_link || !(metadata.is_file() || is_link) {
            return Ok(false);
        }
        if is_link {
            let target = fs::read_link(&file).map_err(|source| GitError::File { path: file, source })?;
            let target = RepoPath::link_target(&target);
            let call = self.call(["hash-object", "--no-filters", "--stdin"]).input(&target);
            return Ok(Oid::from_bytes(&call.answer()?.1) == Some(oid));
        }
        let bytes = fs::read(&file).map_err(|source| GitError::File { path: file, source })?;
        if self.stored_as(&bytes)?.as_ref() == Some(&oid) {
            return Ok(true);
        }
        // Line ends are the one thing that may differ, and only where git would take them away when adding. Git's own
        // answer is not enough: a filter of the user's can make it say anything.
        let added = Oid::from_bytes(&self.call(os(&["hash-object", "--"], path)).answer()?.1);
        if added.as_ref() != Some(&oid) || !bytes.contains(&b'\r') {
            return Ok(false);
        }
        let mut plain = Vec::with_capacity(bytes.len());
        for (index, &byte) in bytes.iter().enumerate() {
            if byte != b'\r' || bytes.get(index + 1) != Some(&b'\n') {
                plain.push(byte);
            }
        }
        Ok(self.stored_as(&plain)? == Some(oid))
    }

    /// The name of the blob with exactly these bytes.
    fn stored_as(&self, bytes: &[u8]) -> Result<Option<Oid>, GitError> {
        let call = self.call(["hash-object", "--no-filters", "--stdin"]).input(bytes);
        Ok(Oid::from_bytes(&call.answer()?.1))
    }

    /// The value of a setting, the last one where it has several; `None` where it is not set.
    pub fn config(&self, key: &str) -> Result<Option<String>, GitError> {
        self.setting(&["config", "-z", "--get"], key)
    }

    /// Whether this repository takes names that differ in case alone for one file.
    pub fn ignore_case(&self) -> Result<bool, GitError> {
        Ok(self.setting(&["config", "-z", "--type=bool", "--get"], "core.ignorecase")?.as_deref()
            == Some("true"))
    }

    fn setting(&self, ask: &[&str], key: &str) -> Result<Option<String>, GitError> {
        let (code, value) = self.call(ask.iter().copied().chain([key])).accept(&[0, 1]).answer()?;
        let value = value.strip_suffix(b"\0").unwrap_or(&value);
        Ok((code == 0).then(|| String::from_utf8_lossy(value).into_owned()))
    }

    /// Mode and name of a file's blob in a revision.
    fn entry(&self, rev: &str, path: &RepoPath) -> Result<Option<(String, Oid)>, GitError> {
        let rev = revision(rev)?;
        let [Some(path)] = &self.inside(std::slice::from_ref(path))?[..] else { return Ok(None) };
        let call = self.call(["ls-tree", "-z"]).args([rev]).args(["--".into(), path.to_os()]).literal();
        let (_, output) = match call.answer() {
            // Git's message does not tell a missing revision from other trouble.
            Err(GitError::Failed { .. }) if self.resolve(&rev.to_string_lossy())?.is_none() => {
                return Err(GitError::Revision { rev: rev.to_string_lossy().into_owned() });
            }
            answer => answer?,
        };
        // `<mode> <type> <oid>` TAB `<path>`
        let entry = String::from_utf8_lossy(output.split(|&byte| byte == b'\t').next().unwrap_or_default())
            .into_owned();
        let mut fields = entry.split(' ');
        let (mode, kind, oid) = (fields.next(), fields.next(), fields.next().and_then(Oid::parse));
        Ok(match (mode, kind, oid) {
            (Some(mode), Some("blob"), Some(oid)) => Some((mode.to_owned(), oid)),
            _ => None,
        })
    }

    /// Each path that lies in this work tree, in the shortest form as seen from the folder, which is the form of
    /// git's answers. Git refuses a whole command for a path that lies outside.
    fn inside(&self, paths: &[RepoPath]) -> Result<Vec<Option<RepoPath>>, GitError> {
        let leads_out = |path: &RepoPath| path.is_within(&"..".into());
        let prefix = if paths.iter().any(leads_out) { self.prefix()? } else { RepoPath::new("") };
        let inside = |path: &RepoPath| {
            let from_top = path.below(&prefix);
            let seen = from_top.seen_from(&prefix);
            let outside = leads_out(&from_top) || seen.as_bytes().is_empty() || path.to_path().has_root();
            (!outside).then_some(seen)
        };
        Ok(paths.iter().map(inside).collect())
    }
}

/// For each path asked, whether it was found.
fn which(asked: &[Option<RepoPath>], found: &BTreeSet<RepoPath>) -> Vec<bool> {
    asked.iter().map(|path| path.as_ref().is_some_and(|path| found.contains(path))).collect()
}

fn is_out_of_reach(stderr: &str) -> bool {
    stderr.contains("beyond a symbolic link") || stderr.contains("is in submodule")
}

fn os(args: &[&str], path: &RepoPath) -> Vec<OsString> {
    args.iter().map(OsString::from).chain([path.to_os()]).collect()
}

/// Cuts a list of paths into runs that fit a command line.
fn batches<'a>(mut paths: &'a [&'a RepoPath]) -> impl Iterator<Item = &'a [&'a RepoPath]> {
    std::iter::from_fn(move || {
        let mut room = ARGUMENTS;
        let fits = |path: &&&RepoPath| {
            let fits = room > 0;
            room = room.saturating_sub(path.as_bytes().len() + 32);
            fits
        };
        let count = paths.iter().take_while(fits).count();
        let (batch, rest) = paths.split_at(count);
        paths = rest;
        (!batch.is_empty()).then_some(batch)
    })
}

#[cfg(test)]
mod tests;
