//! The versions of files through history.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::process::revision;
use super::{Git, GitError, Oid, RepoPath};

/// A commit, as far as a version of a file shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    /// The commit.
    pub commit: Oid,
    /// The author date, ISO 8601.
    pub date: String,
    /// The commit time, in seconds since 1970.
    pub time: i64,
    /// The first line of the message.
    pub subject: String,
}

/// One version of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// The commit that made it.
    pub stamp: Arc<Stamp>,
    /// Its content; none where the commit removed the file.
    pub oid: Option<Oid>,
    /// Its content before; none where there was no file, and at a merge.
    pub before: Option<Oid>,
    /// Whether the commit added the file.
    pub is_addition: bool,
}

/// A hash, a date, a time, a subject: what stands before the files of a commit.
const STAMP: usize = 4;

impl Git {
    /// The versions of each of `paths`, files or folders, up to `rev`, newest first. A merge counts where it differs
    /// from every parent. Renames are not followed. Paths are named from the top of the repository.
    ///
    /// A side of a merge that brought nothing of the paths asked for together is left out. So the versions of a file
    /// within a folder may be more than those of the file asked alone: [`is_one_line`] tells.
    pub fn versions(
        &self,
        rev: &str,
        paths: &[RepoPath],
    ) -> Result<HashMap<RepoPath, Vec<Version>>, GitError> {
        let mut found: HashMap<RepoPath, Vec<Version>> = HashMap::new();
        if paths.is_empty() {
            return Ok(found);
        }
        let call = self
            .log(["-c", "--raw", "--no-abbrev", "--no-relative", "-z", "--format=/%H%x00%aI%x00%ct%x00%s"])
            .args([revision(rev)?])
            .args(["--"])
            .args(paths.iter().map(RepoPath::pathspec));
        let (_, output) = call.answer()?;
        let mut tokens = output.split(|&byte| byte == 0);
        let mut stamp: Option<Arc<Stamp>> = None;
        while let Some(token) = tokens.next() {
            let token = token.strip_prefix(b"\n").unwrap_or(token);
            if token.starts_with(b"/") {
                let head: Vec<&[u8]> =
                    std::iter::once(token).chain(tokens.by_ref().take(STAMP - 1)).collect();
                stamp = Some(read_stamp(&head).ok_or_else(|| call.malformed("a commit without its parts"))?);
            } else if token.starts_with(b":") {
                let entry = tokens.next().and_then(|path| Some((read_change(token)?, path, stamp.clone()?)));
                let (change, path, stamp) =
                    entry.ok_or_else(|| call.malformed("a change without its parts"))?;
                let Change { before, oid, is_addition } = change;
                found.entry(RepoPath::new(path)).or_default().push(Version {
                    stamp,
                    oid,
                    before,
                    is_addition,
                });
            }
        }
        Ok(found)
    }
}

/// Whether versions of a file, newest first, lead in one line to the content `now`, each from the one before: then no
/// side of a merge that was dropped is among them.
pub fn is_one_line(versions: &[Version], now: &Oid) -> bool {
    let follows =
        |pair: &[Version]| pair[0].before == pair[1].oid && (pair[0].before.is_some() || pair[0].is_addition);
    // A content that came back may be that of a side which changed it and changed it back.
    let mut seen = HashSet::new();
    versions.first().is_some_and(|newest| newest.oid.as_ref() == Some(now))
        && versions.windows(2).all(follows)
        && versions.iter().filter_map(|version| version.oid.as_ref()).all(|oid| seen.insert(oid))
}

fn read_stamp(head: &[&[u8]]) -> Option<Arc<Stamp>> {
    let [commit, date, time, subject] = head else { return None };
    Some(Arc::new(Stamp {
        commit: Oid::from_bytes(commit.strip_prefix(b"/")?)?,
        date: String::from_utf8_lossy(date).into_owned(),
        time: std::str::from_utf8(time).ok()?.parse().ok()?,
        subject: String::from_utf8_lossy(subject).into_owned(),
    }))
}

struct Change {
    before: Option<Oid>,
    oid: Option<Oid>,
    is_addition: bool,
}

/// `:<mode> <mode> <oid> <oid> <status>`, of a merge with a colon, a mode, an oid and a letter for each parent.
fn read_change(token: &[u8]) -> Option<Change> {
    let parents = token.iter().take_while(|&&byte| byte == b':').count();
    let words: Vec<&[u8]> = token[parents..].split(|&byte| byte == b' ').collect();
    let present = |oid: Oid| (!oid.as_str().bytes().all(|digit| digit == b'0')).then_some(oid);
    let oid = |at: usize| Some(present(Oid::from_bytes(words.get(at)?)?));
    let status = words.get(2 * parents + 2)?;
    Some(Change {
        before: if parents == 1 { oid(2)? } else { None },
        oid: oid(2 * parents + 1)?,
        is_addition: status.iter().all(|&letter| letter == b'A'),
    })
}

#[cfg(test)]
mod tests {
    use crate::git::fixture::{Fixture, ODD_NAMES};

    use super::*;

    #[test]
    fn every_version_with_its_commit_newest_first() {
        for format in ["sha1", "sha256"] {
            let fixture = Fixture::with(&[&format!("--object-format={format}")]);
            fixture.write("folder/a", "1");
            for name in ODD_NAMES {
                fixture.write([b"folder/", *name].concat(), "odd");
            }
            let first = fixture.commit("one: \u{fc}\ttab");
            fixture.write("folder/a", "2");
            fixture.write("elsewhere", "x");
            fixture.commit("two");
            std::fs::remove_file(fixture.root.join("folder/a")).unwrap();
            fixture.commit("three");
            fixture.write("folder/a", "1");
            fixture.commit("four");
            let found = fixture.ask().versions("HEAD", &[RepoPath::from("folder")]).unwrap();
            assert_eq!(found.len(), ODD_NAMES.len() + 1);
            let versions = &found[&RepoPath::from("folder/a")];
            let subjects: Vec<_> = versions.iter().map(|version| &*version.stamp.subject).collect();
            assert_eq!(subjects, ["four", "three", "two", "one: \u{fc}\ttab"]);
            assert_eq!(versions[0].oid, versions[3].oid);
            assert!(versions[1].oid.is_none() && versions[0].is_addition && !versions[2].is_addition);
            assert_eq!(versions[3].stamp.commit.as_str(), first);
            assert_eq!(
                (versions[3].stamp.time, &*versions[3].stamp.date),
                (1_893_456_000, "2030-01-01T00:00:00Z")
            );
        }
    }

    #[test]
    fn a_merge_counts_where_it_differs_from_every_parent() {
        let fixture = Fixture::new();
        fixture.write("a", "base");
        fixture.commit("base");
        fixture.git(&["checkout", "-q", "-b", "side"]);
        fixture.write("a", "side");
        fixture.commit("side");
        fixture.git(&["checkout", "-q", "main"]);
        fixture.write("a", "main");
        fixture.commit("main");
        fixture.git(&["merge", "-q", "--no-commit", "-s", "ours", "side"]);
        fixture.write("a", "both");
        fixture.commit("merge");
        let found = fixture.ask().versions("HEAD", &[RepoPath::from("a")]).unwrap();
        let subjects: Vec<_> =
            found[&RepoPath::from("a")].iter().map(|version| &*version.stamp.subject).collect();
        assert_eq!(subjects[0], "merge");
        assert_eq!(subjects.len(), 4);
    }
}
