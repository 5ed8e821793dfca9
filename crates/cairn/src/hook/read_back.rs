//! After a call: which changed files are to be read back (G2), and which were.

use std::path::{Path, PathBuf};

use canon::Sha256;
use govern::classify::Effects;
use govern::gates::{self, Act, read_back};
use govern::session::Entry;
use govern::written::Written;
use store::file;
use store::git::{Git, RepoPath};

use super::course::Course;
use super::resolve;

/// How many files of a new folder are looked at.
const MOST_ENTRIES: usize = 500;

impl Course<'_> {
    /// What a call that succeeded leaves to be read back, having written `changed`, and what it showed of the rest.
    pub(super) fn read_back(&self, effects: &Effects, changed: &[String]) -> Vec<Entry> {
        let mut entries = self.shown(effects);
        entries.extend(self.to_read_back(changed));
        entries
    }

    /// What is to be read back of files that a call announced.
    pub(super) fn to_read_back(&self, changed: &[String]) -> Vec<Entry> {
        let owed = self.owed(changed);
        let ignored = self.ignored(&owed);
        let owed = owed.into_iter().zip(ignored).filter(|(_, is_ignored)| !is_ignored);
        owed.map(|(path, _)| due(path)).collect()
    }

    /// What is to be read back of files that changed in a call without a word. Git told of them, so it ignores none. What
    /// a command of this very program wrote is the program's.
    pub(super) fn read_back_found(&self, effects: &Effects, changed: &[String]) -> Vec<Entry> {
        let is_by_command = |path: &str| gates::runs_own(effects) && self.is_kept_by_commands(path);
        let owed = self.owed(changed).into_iter();
        let owed: Vec<_> = owed.filter(|path| !self.is_known(path) && !is_by_command(path)).collect();
        if owed.is_empty() {
            return Vec::new();
        }
        let root = self.state.root();
        let places: Vec<PathBuf> = owed.iter().map(|path| root.join(path.trim_end_matches('/'))).collect();
        let written = Written::at(self.state.folder()).are_as_written(places.iter().map(PathBuf::as_path));
        let owed = owed.into_iter().zip(written).filter(|(_, is_written)| !is_written);
        owed.map(|(path, _)| due(path)).collect()
    }

    /// Whether a path lies where commands of this program keep what they write.
    fn is_kept_by_commands(&self, path: &str) -> bool {
        let path = Path::new(path);
        path.components().any(|part| part.as_os_str() == ".chalk")
            || path.starts_with(".governance")
            || path.starts_with(self.snapshot.policy.knowledge.folder())
    }

    /// Those of the changed paths that are still there, and that neither a check nor a rule about paths is about.
    fn owed<'p>(&self, changed: &'p [String]) -> Vec<&'p String> {
        let unchecked = read_back::unchecked(&self.snapshot.policy, changed);
        if unchecked.is_empty() {
            return unchecked;
        }
        // What a rule holds is that rule's; a hidden file could not be read back at all.
        let held = self.by_rules(|rules| {
            unchecked.iter().map(|path| Ok(!rules.on(path)?.is_empty())).collect::<Result<Vec<bool>, _>>()
        });
        let held = held.unwrap_or_else(|_| vec![false; unchecked.len()]);
        let is_there = |path: &str| {
            let found = self.state.root().join(path).symlink_metadata();
            found.is_ok_and(|found| found.is_file() || found.is_dir() && path.ends_with('/'))
        };
        let unheld = unchecked.into_iter().zip(held).filter(|(path, is_held)| !is_held && is_there(path));
        unheld.map(|(path, _)| path).collect()
    }

    /// Whether the file has the very content in which the session read it: it is as it was, or was put back.
    fn is_known(&self, path: &str) -> bool {
        let reads = self.session.reads.get(path);
        reads.is_some_and(|reads| {
            let content = self.content(path);
            content.is_some() && reads.iter().any(|read| read.content == content)
        })
    }

    /// The digest of what a path holds now.
    pub(super) fn content(&self, path: &str) -> Option<Sha256> {
        file::read(&self.state.root().join(path)).ok().flatten().map(Sha256::of)
    }

    /// Whether what lies there is what calls of the session announced and left there: that it changed is no news. Of a
    /// new folder, each file in it. `writes` are those of the call that was made just now.
    pub(super) fn is_own(&self, path: &str, writes: &[String]) -> bool {
        if let Some(folder) = path.strip_suffix('/') {
            return self.is_own_folder(folder, writes);
        }
        writes.iter().any(|own| own == path)
            || self.session.wrote.get(path).is_some_and(|content| *content == self.content(path))
    }

    fn is_own_folder(&self, folder: &str, writes: &[String]) -> bool {
        let mut folders = vec![folder.to_owned()];
        let mut left = MOST_ENTRIES;
        while let Some(folder) = folders.pop() {
            let Ok(entries) = self.state.root().join(&folder).read_dir() else { return false };
            for entry in entries {
                left -= 1;
                let named = entry.ok().and_then(|entry| {
                    let name = entry.file_name().into_string().ok()?;
                    Some((format!("{folder}/{name}"), entry.file_type().ok()?))
                });
                match named {
                    Some(_) if left == 0 => return false,
                    Some((path, kind)) if kind.is_dir() => folders.push(path),
                    Some((path, _)) if self.is_own(&path, writes) => {}
                    _ => return false,
                }
            }
        }
        true
    }

    fn git(&self) -> Option<Git> {
        self.layout.as_ref().map(|_| Git::new(self.state.root(), &self.world.env))
    }

    /// For each path whether git ignores it. Where git does not answer, it ignores nothing.
    fn ignored(&self, paths: &[&String]) -> Vec<bool> {
        let named: Vec<RepoPath> = paths.iter().map(|path| RepoPath::from(path.as_str())).collect();
        let git = self.git().filter(|_| !named.is_empty());
        let ignored = git.and_then(|git| git.ignored(&named).ok());
        ignored.unwrap_or_else(|| vec![false; paths.len()])
    }

    /// What the call showed of the files that were to be read back.
    fn shown(&self, effects: &Effects) -> Vec<Entry> {
        let due: Vec<&str> = read_back::due(&self.session).collect();
        if due.is_empty() {
            return Vec::new();
        }
        let reads: Vec<_> = effects.reads.iter().map(resolve::touched).collect();
        let walks: Vec<Vec<PathBuf>> =
            effects.recursive_reads.iter().map(|walk| resolve::paths(&walk.root)).collect();
        let act =
            Act { event: self.event, effects, changes: &[], reads: &reads, mentions: &[], walks: &walks };
        let by_diff = read_back::diff(&act).map(|diff| self.in_diff(&diff)).unwrap_or_default();
        let is_shown = |name: &&str| {
            read_back::shows(&act, self.state.root(), name) || by_diff.iter().any(|path| path == name)
        };
        let shown: Vec<&str> = due.iter().copied().filter(is_shown).collect();
        let seen = due.into_iter().filter(|name| shown.contains(name) || read_back::lies_in(name, &shown));
        seen.map(|name| Entry::Unmark { name: read_back::mark(name) }).collect()
    }

    /// The files that such a `git diff` shows, from the top: git says, as it alone knows which it tracks.
    fn in_diff(&self, diff: &read_back::Diff) -> Vec<String> {
        let mut args = vec!["diff", "--name-only", "-z", "--no-ext-diff", "--no-renames"];
        args.extend(diff.head.then_some("HEAD"));
        let output = self.git().and_then(|git| git.output(args).ok());
        let bytes = output.map(|output| output.stdout).unwrap_or_default();
        let names = bytes.split(|&byte| byte == 0).filter(|name| !name.is_empty());
        let asked: Vec<PathBuf> =
            diff.paths.iter().map(|path| resolve::real(&self.world.cwd.join(path))).collect();
        let is_asked = |name: &str| {
            let path = self.state.root().join(name);
            asked.is_empty() || asked.iter().any(|asked| path.starts_with(asked))
        };
        names.map(|name| String::from_utf8_lossy(name).into_owned()).filter(|name| is_asked(name)).collect()
    }
}

fn due(path: &str) -> Entry {
    Entry::Mark { name: read_back::mark(path), value: String::new() }
}
