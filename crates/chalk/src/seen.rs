//! What is known of the watched files without reading them: a cache, rebuilt whenever it doesn't fit.
//!
//! At ten thousand tasks, `tasks.json` is six megabytes: hashing it costs more than everything else that a
//! command does. Beside the chain lies `seen.json`: for each file the [`Identity`] it had, its digest, and the
//! computation of that digest up to where the next task goes, so that adding one costs the same at any size.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use canon::{Hasher, Sha256};
use serde::{Deserialize, Serialize};
use store::file::{self, Identity};

/// Files below this size are not worth remembering.
const WORTH: u64 = 64 * 1024;

/// The cache.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Seen {
    files: BTreeMap<String, Entry>,
    /// The identity of the cache file itself when it was read.
    #[serde(skip)]
    own: Option<Identity>,
}

/// What is known of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    identity: Identity,
    /// A write of ours left it, with a mark against later writes within one tick of the clock.
    #[serde(default)]
    ours: bool,
    /// The digest of its content.
    pub sha256: Sha256,
    /// Where the next task goes; none where the file is laid out another way.
    #[serde(default)]
    pub tail: Option<Tail>,
}

/// The end of an array of tasks, one below the other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Tail {
    /// Bytes before the place where a task is added.
    pub keep: u64,
    /// The digest's computation over those bytes.
    pub state: String,
    /// What follows that place.
    pub rest: String,
}

impl Tail {
    /// The digest of `text`, and its tail where it is an array of tasks that are laid out as usual.
    pub fn of(text: &str) -> (Sha256, Option<Self>) {
        let end = text.trim_end().strip_suffix(']').map_or(0, |body| body.trim_end().len());
        let mut hasher = Hasher::new();
        hasher.update(&text[..end]);
        let usual = text[..end].ends_with("\n  }") && &text[end..] == "\n]\n" && !text.contains("\r\n");
        let tail =
            usual.then(|| Self { keep: end as u64, state: hasher.state(), rest: text[end..].to_owned() });
        hasher.update(&text[end..]);
        (hasher.finish(), tail)
    }

    /// The bytes that replace everything behind [`keep`](Self::keep) when `added` (commas, line ends and all)
    /// is put there; the digest of the new file, and its tail. None where the state is not one.
    pub fn extended(&self, added: &str) -> Option<(String, Sha256, Self)> {
        let mut hasher = Hasher::from_state(&self.state)?;
        hasher.update(added);
        let state = hasher.state();
        hasher.update(&self.rest);
        let tail = Self { keep: self.keep + added.len() as u64, state, rest: self.rest.clone() };
        Some((format!("{added}{}", self.rest), hasher.finish(), tail))
    }
}

impl Seen {
    fn path(state: &Path) -> PathBuf {
        state.join("seen.json")
    }

    /// Reads the cache; a missing or damaged one is empty.
    pub fn load(state: &Path) -> Self {
        let path = Self::path(state);
        let own = Identity::of(&path);
        let bytes = file::read(&path).ok().flatten().unwrap_or_default();
        let seen: Self = serde_json::from_slice(&bytes).unwrap_or_default();
        Self { own, ..seen }
    }

    /// What is known of the file called `name` at `path`, if it is still the one that was seen.
    pub fn entry(&self, name: &str, path: &Path) -> Option<&Entry> {
        let entry = self.files.get(name)?;
        let now = Identity::of(path)?;
        let settled =
            (entry.ours && now.is_marked()) || self.own.as_ref().is_some_and(|own| now.is_older_than(own));
        (entry.identity == now && settled).then_some(entry)
    }

    /// Remembers what was seen of a file whose identity is `identity`, and whether it was written at this moment.
    pub fn remember(
        &mut self,
        name: &str,
        ours: bool,
        identity: Identity,
        sha256: Sha256,
        tail: Option<Tail>,
    ) {
        if identity.size() < WORTH {
            self.files.remove(name);
        } else {
            self.files.insert(name.to_owned(), Entry { identity, ours, sha256, tail });
        }
    }

    /// Writes the cache, if there is anything to remember. It is a cache: a failure costs time alone.
    pub fn save(&self, state: &Path) {
        let path = Self::path(state);
        if self.files.is_empty() && !path.exists() {
            return;
        }
        let temporary = state.join(format!("seen.json.{}.tmp", std::process::id()));
        let written = serde_json::to_vec(self).is_ok_and(|bytes| std::fs::write(&temporary, bytes).is_ok());
        if written {
            let _ = std::fs::rename(&temporary, &path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[\n  {\n    \"id\": \"a\"\n  }\n]\n";

    #[test]
    fn a_tail_goes_on_to_the_same_digest() {
        let (digest, tail) = Tail::of(TEXT);
        assert_eq!(digest, Sha256::of(TEXT));
        let (end, digest, next) = tail.unwrap().extended(",\n  {\n    \"id\": \"b\"\n  }").unwrap();
        let whole = "[\n  {\n    \"id\": \"a\"\n  },\n  {\n    \"id\": \"b\"\n  }\n]\n";
        assert!(whole.ends_with(&end));
        assert_eq!(digest, Sha256::of(whole));
        assert_eq!(Tail::of(whole), (digest, Some(next)));
    }

    #[test]
    fn another_layout_has_no_tail() {
        for text in
            ["", "[]\n", "[{}]", "[\r\n  {\r\n  }\r\n]\r\n", "[\n  {\n    \"id\": \"a\"\n  }\n]", "{}"]
        {
            assert_eq!(Tail::of(text), (Sha256::of(text), None), "{text:?}");
        }
    }

    /// A cache that trusts times is wrong after an edit within one tick of the clock.
    #[test]
    fn an_edit_in_the_same_tick_is_never_missed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tasks.json");
        let a = "a".repeat(100_000);
        let b = "b".repeat(100_000);
        for round in 0..100 {
            if round % 2 == 0 {
                file::replace(&path, a.as_bytes()).unwrap();
            } else {
                std::fs::write(&path, &a).unwrap();
            }
            let mut seen = Seen::default();
            seen.remember("tasks.json", round % 2 == 0, Identity::of(&path).unwrap(), Sha256::of(&a), None);
            seen.save(folder.path());
            // The same size, at once.
            std::fs::write(&path, &b).unwrap();
            assert_eq!(Seen::load(folder.path()).entry("tasks.json", &path), None);
        }
    }

    #[test]
    fn a_file_that_rests_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tasks.json");
        let text = "x".repeat(100_000);
        file::replace(&path, text.as_bytes()).unwrap();
        let mut seen = Seen::load(folder.path());
        seen.remember("tasks.json", true, Identity::of(&path).unwrap(), Sha256::of(&text), None);
        seen.save(folder.path());
        assert_eq!(Seen::load(folder.path()).entry("tasks.json", &path).unwrap().sha256, Sha256::of(&text));
    }
}
