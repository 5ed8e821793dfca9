//! Objects of the repository, read through one `git cat-file` that stays open.

use std::fmt;
use std::io::{self, BufRead, BufReader, BufWriter, ErrorKind, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout};
use std::sync::Mutex;
use std::thread;

use super::process::revision;
use super::{Git, GitError, Head, Layout, ObjectFormat, Oid};
use crate::file;
use crate::tree::EntryKind;

/// The kind of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectKind {
    /// A file's content.
    Blob,
    /// A folder.
    Tree,
    /// A commit.
    Commit,
    /// An annotated tag.
    Tag,
}

/// An object with its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// Its name.
    pub oid: Oid,
    /// Its kind.
    pub kind: ObjectKind,
    /// Its bytes, without git's own header.
    pub content: Vec<u8>,
}

/// One entry of a folder in a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeItem {
    /// The name within the folder.
    pub name: Vec<u8>,
    /// What it stands for.
    pub kind: EntryKind,
    /// Its object.
    pub oid: Oid,
}

/// The objects that are here; nothing is fetched into a partial clone.
pub struct Objects {
    git: Git,
    process: Mutex<Process>,
}

struct Process {
    child: Child,
    stdin: Option<BufWriter<ChildStdin>>,
    stdout: BufReader<ChildStdout>,
}

impl fmt::Debug for Objects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Objects").field("dir", &self.git.dir()).finish_non_exhaustive()
    }
}

impl Git {
    /// Opens the objects of the repository that the folder lies in, bare or not.
    pub fn objects(&self) -> Result<Objects, GitError> {
        let mut child = self.call(BATCH).env("GIT_NO_LAZY_FETCH", "1").spawn()?;
        let (stdin, stdout) = match (child.stdin.take(), child.stdout.take()) {
            (Some(stdin), Some(stdout)) => (BufWriter::new(stdin), BufReader::new(stdout)),
            _ => return Err(self.call(BATCH).malformed("no pipe")),
        };
        Ok(Objects { git: self.clone(), process: Mutex::new(Process { child, stdin: Some(stdin), stdout }) })
    }
}

/// As much fits into any pipe, so git can take it while nobody reads its answers.
const SHORT: usize = 512;

const BATCH: [&str; 2] = ["cat-file", "--batch"];

impl Objects {
    /// The commit that `rev` names, if it names one that is here.
    pub fn commit(&self, rev: &str) -> Result<Option<Oid>, GitError> {
        Ok(self.commits(&[rev])?.pop().flatten())
    }

    /// The commit that each of `revs` names, if it names one that is here.
    pub fn commits(&self, revs: &[&str]) -> Result<Vec<Option<Oid>>, GitError> {
        let is_name = |rev: &&str| revision(rev).is_ok() && !rev.contains('\n');
        let asked: Vec<String> =
            revs.iter().copied().filter(is_name).map(|rev| format!("{rev}^{{commit}}")).collect();
        let mut found = self.ask(&asked)?.into_iter();
        let answer = |rev: &&str| is_name(rev).then(|| found.next().flatten()).flatten();
        Ok(revs.iter().map(answer).map(|object| object.map(|commit| commit.oid)).collect())
    }

    /// The commit that `rev` names and its top folder, if it names one that is here.
    pub fn commit_and_tree(&self, rev: &str) -> Result<Option<(Oid, Oid)>, GitError> {
        if revision(rev).is_err() || rev.contains('\n') {
            return Ok(None);
        }
        let mut found = self.ask(&[format!("{rev}^{{commit}}"), format!("{rev}^{{tree}}")])?.into_iter();
        let (commit, tree) = (found.next().flatten(), found.next().flatten());
        Ok(commit.zip(tree).map(|(commit, tree)| (commit.oid, tree.oid)))
    }

    /// What `HEAD` is in the work tree of `layout`, whose objects these are. As [`Git::head`], without starting
    /// git where the file `HEAD` says it.
    pub fn head(&self, layout: &Layout) -> Result<Head, GitError> {
        let file = layout.git_dir.join("HEAD");
        // Where refs lie in tables, the file names a branch that can't be; long ago it could be a link.
        let text = file::read(&file).ok().flatten().unwrap_or_default();
        let branch = text
            .strip_prefix(b"ref: refs/heads/")
            .and_then(|name| std::str::from_utf8(name.trim_ascii_end()).ok())
            .filter(|name| *name != ".invalid");
        if let Some(name) = branch
            && let Some(oid) = self.commit("HEAD")?
        {
            return Ok(Head::Branch { name: name.to_owned(), oid: Some(oid) });
        }
        // Before the first commit, or where the branch is damaged: git tells the two apart.
        self.git.head()
    }

    /// The first parent that a commit names, whether it is here or cut off by a shallow clone; none of a root commit.
    pub fn first_parent(&self, commit: &Oid) -> Result<Option<Oid>, GitError> {
        let object = self.read(commit)?.filter(|object| object.kind == ObjectKind::Commit);
        let object = object.ok_or_else(|| self.malformed("a commit that is not in the repository"))?;
        let mut head = object.content.split(|&byte| byte == b'\n').take_while(|line| !line.is_empty());
        Ok(head.find_map(|line| line.strip_prefix(b"parent ")).and_then(Oid::from_bytes))
    }

    /// The entries of a folder, sorted by name.
    pub fn tree(&self, oid: &Oid) -> Result<Vec<TreeItem>, GitError> {
        let object = self.read(oid)?.filter(|object| object.kind == ObjectKind::Tree);
        let object = object.ok_or_else(|| self.malformed("a folder that is not in the repository"))?;
        parse_tree(&object.content, ObjectFormat::of(oid))
            .ok_or_else(|| self.malformed("a folder that cannot be read"))
    }

    /// One object; none where it is not here.
    pub fn read(&self, oid: &Oid) -> Result<Option<Object>, GitError> {
        Ok(self.read_many(std::slice::from_ref(oid))?.pop().flatten())
    }

    /// Many objects, in the order of `oids`.
    pub fn read_many(&self, oids: &[Oid]) -> Result<Vec<Option<Object>>, GitError> {
        self.ask(oids)
    }

    fn ask<Name: fmt::Display>(&self, names: &[Name]) -> Result<Vec<Option<Object>>, GitError> {
        let mut process = self.process.lock().map_err(|_| self.malformed("an interrupted reading"))?;
        let Process { stdin, stdout, .. } = &mut *process;
        let Some(stdin) = stdin.as_mut() else { return Err(self.malformed("an ended process")) };
        let mut questions = String::new();
        for name in names {
            let _ = fmt::Write::write_fmt(&mut questions, format_args!("{name}\n"));
        }
        let mut ask = || stdin.write_all(questions.as_bytes()).and_then(|()| stdin.flush());
        let mut answers = || names.iter().map(|_| answer(stdout)).collect::<io::Result<Vec<_>>>();
        if questions.len() <= SHORT {
            return ask().and_then(|()| answers()).map_err(|_| self.cut_off());
        }
        // Asking and reading at once: either pipe alone could fill up while the other side waits.
        thread::scope(|scope| {
            let asking = scope.spawn(ask);
            match (answers(), asking.join()) {
                (Ok(answers), Ok(Ok(()))) => Ok(answers),
                _ => Err(self.cut_off()),
            }
        })
    }

    /// Why git ended early: what it says against the repository, as when the folder belongs to another person.
    fn cut_off(&self) -> GitError {
        match self.git.output(["rev-parse", "--git-dir"]) {
            Err(error) => error,
            Ok(_) => self.malformed("an answer that is cut off"),
        }
    }

    fn malformed(&self, what: &'static str) -> GitError {
        self.git.call(BATCH).malformed(what)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // At the end of its input git ends by itself; what it says then matters to no one.
        self.stdin = None;
        let _ = self.child.wait();
    }
}

/// One answer; none for an object that is not here.
fn answer(stdout: &mut BufReader<ChildStdout>) -> io::Result<Option<Object>> {
    let mut head = Vec::new();
    stdout.read_until(b'\n', &mut head)?;
    let head = String::from_utf8_lossy(&head);
    let head = head.strip_suffix('\n').ok_or(ErrorKind::UnexpectedEof)?;
    if head.ends_with(" missing") || head.ends_with(" ambiguous") {
        return Ok(None);
    }
    let (oid, kind, size) = described(head).ok_or(ErrorKind::InvalidData)?;
    let mut content = vec![0; size];
    stdout.read_exact(&mut content)?;
    stdout.read_exact(&mut [0])?;
    Ok(Some(Object { oid, kind, content }))
}

/// `<oid> <kind> <size>`.
fn described(head: &str) -> Option<(Oid, ObjectKind, usize)> {
    let mut words = head.split(' ');
    let oid = Oid::parse(words.next()?)?;
    let kind = match words.next()? {
        "blob" => ObjectKind::Blob,
        "tree" => ObjectKind::Tree,
        "commit" => ObjectKind::Commit,
        "tag" => ObjectKind::Tag,
        _ => return None,
    };
    Some((oid, kind, words.next()?.parse().ok()?))
}

fn parse_tree(mut bytes: &[u8], format: ObjectFormat) -> Option<Vec<TreeItem>> {
    let width = format.width();
    let mut items = Vec::new();
    while !bytes.is_empty() {
        let space = bytes.iter().position(|&byte| byte == b' ')?;
        let kind = match &bytes[..space] {
            b"40000" => EntryKind::Folder,
            b"120000" => EntryKind::Link,
            b"160000" => EntryKind::Other,
            mode if mode.starts_with(b"100") => EntryKind::File,
            _ => return None,
        };
        let rest = &bytes[space + 1..];
        let end = rest.iter().position(|&byte| byte == 0)?;
        let oid = Oid::from_binary(rest.get(end + 1..end + 1 + width)?);
        items.push(TreeItem { name: rest[..end].to_vec(), kind, oid });
        bytes = &rest[end + 1 + width..];
    }
    // Git sorts a folder as if its name ended in a slash.
    items.sort_by(|a, b| a.name.cmp(&b.name));
    Some(items)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Env;

    /// Where git would not open a repository of another person, the answer was called cut off, and git's reason and cure
    /// were lost.
    #[test]
    fn what_git_says_against_a_repository_is_passed_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let env: Env = [("PATH", path)].into_iter().collect();
        let objects = Git::new(folder.path(), &env).objects().unwrap();
        let error = objects.commit("HEAD").unwrap_err().to_string();
        assert!(error.contains("not a git repository") && !error.contains("cut off"), "{error}");
    }
}
