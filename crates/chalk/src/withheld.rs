//! What an implementer must not be shown: the held-out set, neither its content nor its names (P7).
//!
//! A context is put together from files that people write, and those mention what they like. So text goes
//! through [`Withheld::redact`] before it is shown, and paths through [`Withheld::hides`].

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use store::git::RepoPath;

use crate::content::{held_out_folder, is_left_out};
use crate::model::Config;
use crate::session::Session;

/// Stands where a path into the held-out set stood.
const PATH: &str = "[held out]";
/// Stands where a line about one held-out test stood.
const LINE: &str = "[a line about a held-out test is left out]";
/// How many entries of the folder are looked at.
const MOST: usize = 5000;

/// The held-out set by its names.
#[derive(Debug, Clone, Default)]
pub struct Withheld {
    /// How many tests are locked.
    pub count: usize,
    /// The folder relative to the root, where it lies inside.
    inside: Option<String>,
    /// The parts of the folder's path, in lower case.
    folders: Vec<Vec<String>>,
    /// The folder's path as it is written, in lower case, where it has characters that end a word.
    odd: Option<String>,
    /// Names of its files, in lower case, as they stand in a text without a folder.
    names: BTreeSet<String>,
}

impl Withheld {
    /// The held-out set of a spine. `task_paths` are the paths that tasks name as theirs.
    pub fn of<'a>(
        session: &Session<'_>,
        config: &'a Config,
        task_paths: impl IntoIterator<Item = &'a String>,
    ) -> Self {
        let regression = &config.protocol.regression;
        let dir = regression.dir.trim();
        let mut withheld = Self {
            count: regression.tests.len(),
            inside: held_out_folder(config),
            folders: vec![parts(dir)],
            odd: Some(dir.trim_matches('/').to_lowercase()).filter(|dir| !dir.chars().all(in_path)),
            names: BTreeSet::new(),
        };
        let folder = match dir.strip_prefix('~') {
            Some(rest) => {
                let home = PathBuf::from(session.world.env.get("HOME").unwrap_or_default());
                let folder = home.join(rest.trim_start_matches('/'));
                withheld.folders.push(parts(&folder.to_string_lossy()));
                folder
            }
            None => session.spine.root.join(dir),
        };
        withheld.folders.retain(|parts| parts.iter().any(|part| part.chars().any(char::is_alphanumeric)));
        let locked = regression.tests.iter().map(|lock| &lock.path);
        for path in locked.chain(task_paths) {
            withheld.add(path.rsplit(['/', '\\']).next().unwrap_or_default());
        }
        for name in file_names(&folder) {
            withheld.add(&name);
        }
        withheld
    }

    fn add(&mut self, name: &str) {
        let name = name.to_lowercase();
        // Words such as `fixtures` and files that every folder has are no secret.
        if name.contains('.') && name.len() >= 4 && !name.contains("readme") {
            self.names.insert(name);
        }
    }

    /// Takes names for visible that files outside the set have, too: a text that mentions one of them bare
    /// means that file as likely as the held-out one.
    pub fn allow<'a>(&mut self, visible: impl IntoIterator<Item = &'a RepoPath>) {
        for path in visible {
            if !self.hides(path.as_bytes()) {
                let name = path.as_bytes().rsplit(|&byte| byte == b'/').next().unwrap_or_default();
                self.names.remove(&String::from_utf8_lossy(name).to_lowercase());
            }
        }
    }

    /// Whether a path relative to the root lies in the set, or is state of the spine, which is no content.
    pub fn hides(&self, path: &[u8]) -> bool {
        is_left_out(path, self.inside.as_ref().map(String::as_bytes))
            || self
                .folders
                .iter()
                .any(|folder| folder.len() > 1 && contains(&parts(&String::from_utf8_lossy(path)), folder))
    }

    /// `text` without what it says of the set: a line that names one of its files goes, a path to its
    /// folder is struck out.
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if !text.lines().any(|line| self.names_a_file(line) || words(line).any(|word| self.mentions(word))) {
            return Cow::Borrowed(text);
        }
        let mut shown = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            if self.names_a_file(line) {
                shown.push_str(LINE);
                shown.push_str(&line[line.trim_end().len()..]);
                continue;
            }
            let mut rest = line;
            for word in words(line).filter(|word| self.mentions(word)) {
                // The words come in their order, so the first match is this one.
                if let Some((before, after)) = rest.split_once(word) {
                    shown.push_str(before);
                    shown.push_str(PATH);
                    rest = after;
                }
            }
            shown.push_str(rest);
        }
        Cow::Owned(shown)
    }

    fn names_a_file(&self, line: &str) -> bool {
        self.odd.as_ref().is_some_and(|folder| line.replace('\\', "/").to_lowercase().contains(folder))
            || words(line).any(|word| self.mention(word) == Some(Mention::File))
    }

    fn mentions(&self, word: &str) -> bool {
        self.mention(word).is_some()
    }

    fn mention(&self, word: &str) -> Option<Mention> {
        // Underscores may be emphasis or part of the name.
        [word, word.trim_matches('_')].into_iter().find_map(|word| {
            let path = word.contains(['/', '\\']);
            let found = parts(word);
            for folder in &self.folders {
                // A folder called `tests` is a word like any other unless it stands in a path.
                if (path || folder.len() > 1) && contains(&found, folder) {
                    let ends = found.ends_with(folder);
                    return Some(if ends { Mention::Folder } else { Mention::File });
                }
            }
            (found.len() == 1 && self.names.contains(&found[0])).then_some(Mention::File)
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mention {
    Folder,
    File,
}

/// The parts of a path in lower case, without `.`.
fn parts(path: &str) -> Vec<String> {
    path.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".").map(str::to_lowercase).collect()
}

fn contains(path: &[String], folder: &[String]) -> bool {
    !folder.is_empty() && path.windows(folder.len()).any(|window| window == folder)
}

/// What may be a path in a line, without the full stop of a sentence.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|c| !in_path(c)).map(|word| word.trim_end_matches('.'));
    words.filter(|word| !word.is_empty())
}

fn in_path(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '\\' | '~' | '+' | '@')
}

/// Names of the files below a folder.
fn file_names(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(folder) else { continue };
        for entry in entries.flatten() {
            if names.len() >= MOST {
                return names;
            }
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                _ => names.push(OsStr::to_string_lossy(&entry.file_name()).into_owned()),
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn withheld(dir: &str) -> Withheld {
        let mut withheld = Withheld {
            count: 1,
            inside: Some(dir.to_owned()),
            folders: vec![parts(dir)],
            odd: Some(dir.to_lowercase()).filter(|dir| !dir.chars().all(in_path)),
            names: BTreeSet::new(),
        };
        withheld.add("h1.test.mjs");
        withheld
    }

    #[test]
    fn lines_that_name_a_held_out_test_go() {
        let withheld = withheld(".chalk/held-out");
        for line in [
            "see [h1](.chalk/held-out/h1.test.mjs) for rounding",
            "- rounds half to even (h1.test.mjs).",
            "[h1]: ./.chalk/held-out/deep/other.py",
            "path:.chalk/held-out/x",
            "__.chalk/held-out/x__",
            "C:\\work\\.chalk\\held-out\\h9.rs",
            "`/home/me/project/.chalk/Held-Out/x`",
            "H1.Test.mjs: half to even",
        ] {
            let shown = withheld.redact(&format!("before\n{line}\r\nafter")).into_owned();
            assert_eq!(shown, format!("before\n{LINE}\r\nafter"), "{line}");
        }
    }

    #[test]
    fn a_mention_of_the_folder_alone_is_struck_out() {
        let withheld = withheld(".chalk/held-out");
        assert_eq!(
            withheld.redact("Never read .chalk/held-out/. The API answers 404."),
            "Never read [held out]. The API answers 404."
        );
        assert_eq!(withheld.redact("held-out tests, test/h1.test.mjs"), "held-out tests, test/h1.test.mjs");
    }

    #[test]
    fn a_folder_with_a_space_in_its_name_is_found() {
        let withheld = withheld("kept/held out");
        assert_eq!(withheld.redact("see `kept\\Held out\\a.rs`"), LINE);
    }

    #[test]
    fn a_folder_with_a_common_name_does_not_eat_prose() {
        let withheld = withheld("tests");
        assert_eq!(withheld.redact("write tests for it"), "write tests for it");
        assert_eq!(withheld.redact("see tests/a.rs"), LINE);
    }

    #[test]
    fn names_that_visible_files_share_are_no_secret() {
        let mut withheld = withheld(".chalk/held-out");
        withheld.allow(&[RepoPath::from(".chalk/held-out/h1.test.mjs")]);
        assert_eq!(withheld.redact("h1.test.mjs"), LINE);
        withheld.allow(&[RepoPath::from("test/h1.test.mjs")]);
        assert_eq!(withheld.redact("h1.test.mjs"), "h1.test.mjs");
    }

    #[test]
    fn paths_of_the_set_are_hidden() {
        let withheld = withheld(".chalk/held-out");
        assert!(withheld.hides(b".chalk/held-out/h1.test.mjs"));
        assert!(withheld.hides(b"sub/.chalk/held-out/h1.test.mjs"));
        assert!(withheld.hides(b".chalk/tasks.json"));
        assert!(!withheld.hides(b"test/h1.test.mjs"));
        assert!(!withheld.hides(b".chalk/tests/a.mjs"));
    }
}
