//! The journal of writes: who last wrote a file of this working tree, with which command.
//!
//! `chant-writes.json` in the working tree's git directory is a cache. It speaks of a file only while the file holds
//! the very bytes that were written; a journal that is missing or damaged says nothing and is written anew.

use std::path::PathBuf;

use canon::{Sha256, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use store::file::{self, FileError, Staged};
use store::git::{Layout, RepoPath};

/// How many files the journal remembers; the ones written longest ago go first.
const MOST: usize = 2000;

/// The last write of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LastWrite {
    /// The command.
    pub verb: String,
    /// The person that the command named.
    pub by: Option<String>,
    /// The agent session.
    pub agent: Option<String>,
    /// When, ISO 8601.
    pub at: String,
}

/// A write that was made.
#[derive(Debug, Clone, Copy)]
pub struct Write<'a> {
    /// The command, as in `records amend`.
    pub verb: &'a str,
    /// The person that the command named.
    pub by: Option<&'a str>,
    /// The agent session.
    pub agent: Option<&'a str>,
    /// When.
    pub at: Timestamp,
}

/// The journal of one working tree, as it was read.
#[derive(Debug, Clone)]
pub struct Journal {
    path: PathBuf,
    document: Map<String, Value>,
}

impl Journal {
    /// Reads the journal of the working tree.
    pub fn read(layout: &Layout) -> Self {
        let path = layout.git_dir.join("chant-writes.json");
        let bytes = file::read(&path).ok().flatten().unwrap_or_default();
        let document = match serde_json::from_slice(&bytes) {
            Ok(Value::Object(document)) if is_sound(&document) => document,
            _ => Map::from_iter([("version".to_owned(), json!(1)), ("files".to_owned(), json!({}))]),
        };
        Self { path, document }
    }

    /// The last write of `path`, a file named from the top of the repository, whose bytes have the digest that `digest`
    /// gives. It is asked only where the journal knows the file.
    pub fn last_write(&self, path: &RepoPath, digest: impl FnOnce() -> Sha256) -> Option<LastWrite> {
        let entry = self.document.get("files")?.get(path.as_str()?)?;
        let noted: Sha256 = entry.get("sha256")?.as_str()?.parse().ok()?;
        let last: LastWrite = serde_json::from_value(entry.clone()).ok()?;
        (noted == digest()).then_some(last)
    }

    /// Notes that `bytes` were written to `path`. A name that is not UTF-8 can't be noted.
    ///
    /// The caller holds the write lock and has read the journal under it. The write that is noted has been made, so an
    /// error here is no reason to call that write failed.
    pub fn note(&mut self, path: &RepoPath, bytes: &[u8], write: &Write<'_>) -> Result<(), FileError> {
        let Some(name) = path.as_str() else { return Ok(()) };
        let Some(Value::Object(files)) = self.document.get_mut("files") else { return Ok(()) };
        let mut entry = match files.shift_remove(name) {
            Some(Value::Object(entry)) => entry,
            _ => Map::new(),
        };
        for (key, value) in [
            ("sha256", json!(Sha256::of(bytes))),
            ("verb", json!(write.verb)),
            ("by", json!(write.by)),
            ("agent", json!(write.agent)),
            ("at", json!(write.at)),
        ] {
            entry.insert(key.to_owned(), value);
        }
        files.insert(name.to_owned(), Value::Object(entry));
        let surplus = files.len().saturating_sub(MOST);
        if surplus > 0 {
            *files = std::mem::take(files).into_iter().skip(surplus).collect();
        }
        let mut text = serde_json::to_vec(&self.document).unwrap_or_default();
        text.push(b'\n');
        // One name, so that a writer that was killed leaves nothing which the next one doesn't use.
        Staged::write_as(&self.path, "next", &text)?.commit()
    }
}

/// Whether this is a journal of the one version there is.
fn is_sound(document: &Map<String, Value>) -> bool {
    document.get("version") == Some(&json!(1)) && document.get("files").is_some_and(Value::is_object)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    const WRITE: Write<'_> = Write {
        verb: "records amend",
        by: Some("ada"),
        agent: None,
        at: Timestamp::from_millis(1_800_000_000_000),
    };

    fn repository() -> (tempfile::TempDir, Layout) {
        let folder = tempfile::tempdir().unwrap();
        for name in [".git/objects", ".git/refs"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        fs::write(folder.path().join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        let layout = Layout::discover(folder.path()).unwrap().unwrap();
        (folder, layout)
    }

    fn text(folder: &Path) -> String {
        fs::read_to_string(folder.join(".git/chant-writes.json")).unwrap()
    }

    #[test]
    fn a_write_is_known_while_the_file_holds_it() {
        let (folder, layout) = repository();
        let path = RepoPath::from("docs/d-1.md");
        Journal::read(&layout).note(&path, b"text", &WRITE).unwrap();
        assert_eq!(
            text(folder.path()),
            format!(
                "{{\"version\":1,\"files\":{{\"docs/d-1.md\":{{\"sha256\":\"{}\",\"verb\":\"records amend\",\
                 \"by\":\"ada\",\"agent\":null,\"at\":\"2027-01-15T08:00:00.000Z\"}}}}}}\n",
                Sha256::of("text")
            )
        );
        let journal = Journal::read(&layout);
        let last = journal.last_write(&path, || Sha256::of("text")).unwrap();
        assert_eq!((last.verb.as_str(), last.by.as_deref()), ("records amend", Some("ada")));
        assert_eq!(journal.last_write(&path, || Sha256::of("edited")), None);
        assert_eq!(journal.last_write(&"other".into(), || unreachable!()), None);
    }

    #[test]
    fn a_damaged_journal_says_nothing_and_is_written_anew() {
        for damaged in ["", "{", "[]", r#"{"version":2,"files":{}}"#, r#"{"version":1,"files":[]}"#] {
            let (folder, layout) = repository();
            fs::write(folder.path().join(".git/chant-writes.json"), damaged).unwrap();
            let path = RepoPath::from("a");
            assert_eq!(Journal::read(&layout).last_write(&path, || Sha256::of("")), None);
            Journal::read(&layout).note(&path, b"", &WRITE).unwrap();
            assert!(Journal::read(&layout).last_write(&path, || Sha256::of("")).is_some(), "{damaged}");
        }
    }

    #[test]
    fn a_damaged_entry_says_nothing() {
        let (folder, layout) = repository();
        for entry in
            ["1", "{}", r#"{"sha256":"x","verb":"v","by":null,"agent":null,"at":"t"}"#, r#"{"sha256":1}"#]
        {
            let journal = format!(r#"{{"version":1,"files":{{"a":{entry}}}}}"#);
            fs::write(folder.path().join(".git/chant-writes.json"), journal).unwrap();
            assert_eq!(Journal::read(&layout).last_write(&"a".into(), || Sha256::of("")), None, "{entry}");
        }
    }

    #[test]
    fn what_is_not_known_stays_and_a_rewritten_file_moves_to_the_end() {
        let (folder, layout) = repository();
        let before = r#"{"x":1,"version":1,"files":{"a":{"y":2,"sha256":"old"},"b":{}},"z":[]}"#;
        fs::write(folder.path().join(".git/chant-writes.json"), before).unwrap();
        Journal::read(&layout).note(&"a".into(), b"", &WRITE).unwrap();
        let text = text(folder.path());
        assert!(text.starts_with(r#"{"x":1,"version":1,"files":{"b":{},"a":{"y":2,"sha256":""#), "{text}");
        assert!(text.ends_with("}},\"z\":[]}\n"), "{text}");
    }

    #[test]
    fn the_files_written_longest_ago_are_forgotten() {
        let (folder, layout) = repository();
        let files: Map<_, _> = (0..MOST).map(|n| (format!("f{n}"), json!({}))).collect();
        let before = json!({ "version": 1, "files": files }).to_string();
        fs::write(folder.path().join(".git/chant-writes.json"), before).unwrap();
        Journal::read(&layout).note(&"new".into(), b"", &WRITE).unwrap();
        let after: Value = serde_json::from_str(&text(folder.path())).unwrap();
        let names: Vec<_> = after["files"].as_object().unwrap().keys().collect();
        assert_eq!(names.len(), MOST);
        assert_eq!((names[0].as_str(), names[MOST - 1].as_str()), ("f1", "new"));
    }

    #[cfg(unix)]
    #[test]
    fn a_name_that_is_no_text_is_not_noted_and_a_link_is_not_followed() {
        let (folder, layout) = repository();
        Journal::read(&layout).note(&RepoPath::new(b"\xff"), b"", &WRITE).unwrap();
        let journal = folder.path().join(".git/chant-writes.json");
        assert!(!journal.exists());
        std::os::unix::fs::symlink(folder.path().join("outside"), &journal).unwrap();
        assert!(Journal::read(&layout).note(&"a".into(), b"", &WRITE).is_err());
        assert!(!folder.path().join("outside").exists());
    }
}
