//! Which commits changed which files.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::Path;

use super::process::{Call, revision};
use super::{Git, GitError, Oid, RepoPath, Scratch};

/// From this many paths on, git is asked for their folders instead.
const MANY_PATHS: usize = 100;

/// From this many folders on, git is asked for everything.
const MANY_FOLDERS: usize = 500;

/// A commit and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lineage {
    /// The commit.
    pub commit: Oid,
    /// Its parents, the first one first.
    pub parents: Vec<Oid>,
}

/// A commit and the files that it changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touched {
    /// The commit.
    pub commit: Oid,
    /// Its parents, the first one first.
    pub parents: Vec<Oid>,
    /// The files, from the top of the repository.
    pub paths: Vec<RepoPath>,
}

impl Git {
    /// The commits that are reachable from `from` and not from `without`, newest first, children before parents.
    pub fn lineage(&self, from: &[Oid], without: &[Oid]) -> Result<Vec<Lineage>, GitError> {
        let mut input = String::new();
        for oid in from {
            input.extend([oid.as_str(), "\n"]);
        }
        for oid in without {
            input.extend(["^", oid.as_str(), "\n"]);
        }
        let call = self.call(["rev-list", "--topo-order", "--parents", "--stdin"]).input(input.as_bytes());
        let (_, output) = call.answer()?;
        let line = |line: &[u8]| {
            let mut oids = line.split(|&byte| byte == b' ').map(Oid::from_bytes);
            Some(Lineage { commit: oids.next()??, parents: oids.collect::<Option<_>>()? })
        };
        let lines = output.split(|&byte| byte == b'\n').filter(|text| !text.is_empty());
        lines.map(line).collect::<Option<_>>().ok_or_else(|| call.malformed("a line that is no commit"))
    }

    /// The commits on the first-parent line of `head` that changed one of `paths`, oldest first.
    pub fn first_parent_changes(&self, head: &Oid, paths: &[RepoPath]) -> Result<Vec<Oid>, GitError> {
        let call = self.log(["--first-parent", "--reverse", "--format=%H", head.as_str(), "--"]);
        let call = call.args(paths.iter().map(RepoPath::pathspec));
        let (_, output) = call.answer()?;
        let lines = output.split(|&byte| byte == b'\n').filter(|text| !text.is_empty());
        lines
            .map(Oid::from_bytes)
            .collect::<Option<_>>()
            .ok_or_else(|| call.malformed("a line that is no commit"))
    }

    /// For each of `paths` the last commit up to `rev` that changed it. A merge counts where it differs from every
    /// parent. A path that no commit has is left out. Paths are named from the top of the repository.
    pub fn last_changes(&self, rev: &str, paths: &[RepoPath]) -> Result<HashMap<RepoPath, Oid>, GitError> {
        let mut found = HashMap::new();
        let mut wanted: BTreeSet<&RepoPath> = paths.iter().collect();
        if wanted.is_empty() {
            return Ok(found);
        }
        let rev = revision(rev)?;
        let call = self.log(["-c"]).args(NAMES).args([rev]).args(["--"]).args(places(&wanted));
        let mut child = call.spawn()?;
        drop(child.stdin.take());
        if let Some(stdout) = child.stdout.take() {
            let mut stdout = BufReader::new(stdout);
            let mut token = Vec::new();
            let mut last = None;
            // Most histories are far longer than what is asked of them: the reading ends with the last find.
            while !wanted.is_empty() {
                token.clear();
                match stdout.read_until(0, &mut token) {
                    Ok(0) | Err(_) => break,
                    Ok(_) => {}
                }
                match (Token::read(token.strip_suffix(b"\0").unwrap_or(&token)), &last) {
                    (Some(Token::Commit(commit)), _) => last = Some(commit),
                    (Some(Token::Name(name)), Some(commit)) if wanted.remove(&name) => {
                        found.insert(name, commit.clone());
                    }
                    _ => {}
                }
            }
        }
        if wanted.is_empty() {
            let _ = child.kill();
            let _ = child.wait();
            return Ok(found);
        }
        let ended = child.wait().map_err(|source| GitError::Start { dir: self.dir().to_owned(), source })?;
        if ended.success() { Ok(found) } else { Err(call.malformed("a history that is cut off")) }
    }

    /// The files in `folder` that differ from `HEAD`, staged or not; files that `HEAD` does not hold are no matter.
    /// Paths are named from the top of the repository.
    pub fn changed_from_head(&self, folder: &RepoPath) -> Result<Vec<RepoPath>, GitError> {
        let call = self
            .call([
                "diff",
                "--name-only",
                "-z",
                "--no-renames",
                "--no-ext-diff",
                "--no-textconv",
                "--no-relative",
            ])
            .args(["--ignore-submodules=none", "HEAD", "--"])
            .args([folder.pathspec()]);
        let (_, output) = call.answer()?;
        Ok(super::records(&output).map(RepoPath::new).collect())
    }

    /// The commits of `base..head`, oldest first, each with the files that are its own work: of a merge of two, what
    /// it makes differ from merging them without a hand. Of a merge of more than two, nothing is told.
    pub fn own_changes(&self, base: &Oid, head: &Oid) -> Result<Vec<Touched>, GitError> {
        let mut touched: Vec<Touched> = self
            .lineage(std::slice::from_ref(head), std::slice::from_ref(base))?
            .into_iter()
            .rev()
            .map(|Lineage { commit, parents }| Touched { commit, parents, paths: Vec::new() })
            .collect();
        let range = format!("{base}..{head}");
        // Git forgets the parents of what it has shown, so it must come to a merge before what was merged: in
        // `--reverse` it would merge without a common ancestor.
        let log = self.log(["--topo-order", "--max-parents=2", "--remerge-diff"]);
        let mut call = log.args(NAMES).args([range.as_str(), "--"]);
        // Merging makes objects. They go where nobody keeps them.
        let scratch = Scratch::new(self.env())?;
        if let Ok(layout) = self.layout() {
            let made = scratch.path("objects");
            std::fs::create_dir(&made).map_err(|source| GitError::File { path: made.clone(), source })?;
            call = call
                .env("GIT_OBJECT_DIRECTORY", made)
                .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", quoted(&layout.common_dir.join("objects")));
        }
        let (_, output) = call.answer()?;
        let mut last = None;
        let mut changes: HashMap<Oid, Vec<RepoPath>> = HashMap::new();
        for token in output.split(|&byte| byte == 0) {
            match (Token::read(token), &last) {
                (Some(Token::Commit(commit)), _) => {
                    changes.insert(commit.clone(), Vec::new());
                    last = Some(commit);
                }
                (Some(Token::Name(path)), Some(commit)) => {
                    changes.entry(commit.clone()).or_default().push(path);
                }
                (Some(Token::Name(_)), None) => return Err(call.malformed("a file before any commit")),
                (None, _) => {}
            }
        }
        for one in touched.iter_mut().filter(|one| one.parents.len() <= 2) {
            one.paths = changes.remove(&one.commit).ok_or_else(|| call.malformed("a commit is left out"))?;
        }
        Ok(touched)
    }

    /// `git log` with nothing left to the user's settings.
    pub(super) fn log<'a, const N: usize>(&'a self, args: [&'a str; N]) -> Call<'a> {
        let mut call =
            self.call(["log", "--no-color", "--no-decorate", "--no-notes", "--no-renames"]).args(args);
        for setting in
            ["log.showRoot=true", "log.showSignature=false", "log.follow=false", "log.mailmap=false"]
        {
            call = call.setting(setting);
        }
        call
    }
}

/// Names after each commit. No name of a file begins with a slash, so a commit does.
const NAMES: [&str; 4] = ["--name-only", "--no-relative", "-z", "--format=/%H"];

/// What stands between two NULs of such an answer.
enum Token {
    Commit(Oid),
    Name(RepoPath),
}

impl Token {
    fn read(token: &[u8]) -> Option<Self> {
        if let Some(line) = token.strip_prefix(b"/") {
            return Oid::from_bytes(line).map(Self::Commit);
        }
        // The first name of a commit has a line of its own.
        let name = token.strip_prefix(b"\n").unwrap_or(token);
        (!name.is_empty()).then(|| Self::Name(RepoPath::new(name)))
    }
}

/// A path in a list that colons separate, in which a quoted one may have them too.
fn quoted(path: &Path) -> OsString {
    let mut text = b"\"".to_vec();
    for byte in RepoPath::raw(path) {
        if matches!(byte, b'"' | b'\\') {
            text.push(b'\\');
        }
        text.push(byte);
    }
    text.push(b'"');
    super::path::os_string(&text)
}

/// What to ask git for, so that all of `paths` are among the answer.
fn places(paths: &BTreeSet<&RepoPath>) -> Vec<OsString> {
    if paths.len() <= MANY_PATHS {
        return paths.iter().map(|path| path.pathspec()).collect();
    }
    let folders: BTreeSet<RepoPath> = paths.iter().map(|path| path.parent()).collect();
    if folders.len() > MANY_FOLDERS || folders.iter().any(RepoPath::is_empty) {
        return Vec::new();
    }
    folders.iter().map(RepoPath::pathspec).collect()
}

#[cfg(test)]
mod tests;
