//! What may not be written or read, and why: the rules about paths that every layer states in one form.
//!
//! A protocol exports its rules as [`Protected`]; the program joins them and keeps them beside the repository, so that
//! a tool call is judged without reading the protocols' own files. Kept rules are looked up in place ([`Kept`]): ten
//! thousand of them cost no more than ten.

mod glob;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization as _;

/// Whether this system takes names for one that differ in the case of letters, or in how letters with marks are encoded,
/// as its file systems usually do.
pub const FOLDS: bool = cfg!(any(target_os = "macos", windows));

/// A name as such a system compares it: composed (NFC) and in lower case.
pub fn folded(name: &str) -> String {
    name.nfc().flat_map(char::to_lowercase).nfc().collect()
}

fn as_compared(name: &str, fold: bool) -> Cow<'_, str> {
    if fold { Cow::Owned(folded(name)) } else { Cow::Borrowed(name) }
}

/// Which access a rule shuts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// Writing, and whatever replaces or removes.
    Write,
    /// Reading as well.
    Any,
}

/// Which paths a rule is about, from the top of the repository, with forward slashes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// This path.
    Path(String),
    /// This folder and everything below it.
    Below(String),
    /// Whatever a pattern matches, and everything below that.
    Glob(String),
    /// Everything outside of these folders.
    Outside(Vec<String>),
}

/// One rule about paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guard {
    /// Which paths.
    pub scope: Scope,
    /// Which access is shut.
    pub access: Access,
    /// The rule's name, as in `chalk:locked-test`.
    pub rule: String,
    /// Why, as a fact: "it is a locked test of task-1".
    pub fact: String,
    /// The one step that is allowed.
    pub next: String,
    /// Whether a person may let one call pass.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ticket: bool,
}

impl Scope {
    /// Whether this path is meant. `path` is in plain form: no `.`, no `..`, no doubled slash.
    pub fn holds(&self, path: &str) -> bool {
        match self {
            Self::Path(own) => own == path,
            Self::Below(folder) => is_below(path, folder),
            Self::Glob(pattern) => {
                let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
                ends.into_iter().any(|end| glob::matches(pattern.as_bytes(), &path.as_bytes()[..end]))
            }
            Self::Outside(folders) => !folders.iter().any(|folder| is_below(path, folder)),
        }
    }

    /// The same with its names as they are compared where that is without regard to case.
    fn folded(&self) -> Self {
        match self {
            Self::Path(path) => Self::Path(folded(path)),
            Self::Below(folder) => Self::Below(folded(folder)),
            Self::Glob(pattern) => Self::Glob(folded(pattern)),
            Self::Outside(folders) => Self::Outside(folders.iter().map(|folder| folded(folder)).collect()),
        }
    }

    /// Whether this is about something below this folder.
    fn is_within(&self, folder: &str) -> bool {
        match self {
            Self::Path(own) | Self::Below(own) => is_below(own, folder),
            Self::Glob(pattern) => {
                let fixed = pattern.split(['*', '?', '[', '\\']).next().unwrap_or_default();
                let start = fixed.rsplit_once('/').map_or("", |(start, _)| start);
                is_below(start, folder) || is_below(folder, start)
            }
            Self::Outside(_) => false,
        }
    }
}

impl Guard {
    /// Whether the rule is about this path. `path` is in plain form: no `.`, no `..`, no doubled slash.
    pub fn holds(&self, path: &str) -> bool {
        self.scope.holds(path)
    }

    /// Whether the rule is about something below this folder, so that removing or reading the folder as a whole
    /// touches it.
    pub fn is_within(&self, folder: &str) -> bool {
        self.scope.is_within(folder)
    }
}

/// Whether `path` is `folder` or lies below it; the empty folder holds everything.
fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty()
        || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The rules of one layer, or of all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Protected {
    guards: Vec<Guard>,
}

impl Protected {
    /// No rules.
    pub fn new() -> Self {
        Self::default()
    }

    /// One more rule.
    pub fn push(&mut self, guard: Guard) {
        self.guards.push(guard);
    }

    /// The rules of another layer as well.
    pub fn extend(&mut self, other: Self) {
        self.guards.extend(other.guards);
    }

    /// Every rule.
    pub fn guards(&self) -> &[Guard] {
        &self.guards
    }

    /// The rules in the form in which they are kept: first the rules that are asked for every path, as one line of
    /// JSON, then a line for each rule about a single path, sorted. With `fold`, paths are compared as by [`folded`].
    pub fn keep(&self, fold: bool) -> Vec<u8> {
        let (paths, others): (Vec<&Guard>, Vec<&Guard>) =
            self.guards.iter().partition(|guard| matches!(guard.scope, Scope::Path(_)));
        // A rule is made of texts, so it can be written.
        let mut kept = serde_json::to_vec(&others).unwrap_or_default();
        kept.push(b'\n');
        let mut lines: Vec<Vec<u8>> = paths
            .into_iter()
            .filter_map(|guard| {
                let Scope::Path(path) = &guard.scope else { return None };
                let mut line = as_compared(path, fold).into_owned().into_bytes();
                line.push(0);
                line.extend(serde_json::to_vec(guard).ok()?);
                Some(line)
            })
            .filter(|line| !line.contains(&b'\n'))
            .collect();
        lines.sort_unstable();
        for line in lines {
            kept.extend(line);
            kept.push(b'\n');
        }
        kept
    }
}

/// Rules as they are kept, looked up in place.
#[derive(Debug)]
pub struct Kept<'k> {
    others: Vec<(Scope, Guard)>,
    lines: &'k [u8],
    fold: bool,
}

impl<'k> Kept<'k> {
    /// The rules that [`Protected::keep`] wrote with the same `fold`; none where the bytes are something else.
    pub fn read(bytes: &'k [u8], fold: bool) -> Option<Self> {
        let end = bytes.iter().position(|&byte| byte == b'\n')?;
        let others: Vec<Guard> = serde_json::from_slice(&bytes[..end]).ok()?;
        let compared = |guard: &Guard| if fold { guard.scope.folded() } else { guard.scope.clone() };
        let others = others.into_iter().map(|guard| (compared(&guard), guard)).collect();
        let lines = &bytes[end + 1..];
        (lines.is_empty() || lines.ends_with(b"\n")).then_some(Self { others, lines, fold })
    }

    fn others(&self, is_meant: impl Fn(&Scope) -> bool) -> Vec<Guard> {
        let others = self.others.iter().filter(|(scope, _)| is_meant(scope));
        others.map(|(_, guard)| guard.clone()).collect()
    }

    /// Every rule about this path.
    pub fn on(&self, path: &str) -> Vec<Guard> {
        let path = &*as_compared(path, self.fold);
        let mut found = self.others(|scope| scope.holds(path));
        let mut at = self.first_from(&[path.as_bytes(), b"\0"].concat());
        while let Some((own, guard)) = self.line(at) {
            if own != path.as_bytes() {
                break;
            }
            found.extend(guard);
            at = self.next(at);
        }
        found
    }

    /// Every rule about something below this folder.
    pub fn within(&self, folder: &str) -> Vec<Guard> {
        let folder = &*as_compared(folder, self.fold);
        let mut found = self.others(|scope| scope.is_within(folder));
        let start = if folder.is_empty() { Vec::new() } else { [folder.as_bytes(), b"/"].concat() };
        let mut at = self.first_from(&start);
        while let Some((own, guard)) = self.line(at) {
            if !own.starts_with(&start) {
                break;
            }
            found.extend(guard);
            at = self.next(at);
        }
        found.extend(self.on(folder).into_iter().filter(|guard| matches!(guard.scope, Scope::Path(_))));
        found
    }

    /// Every rule.
    pub fn all(&self) -> Vec<Guard> {
        let mut found = self.others(|_| true);
        let mut at = 0;
        while let Some((_, guard)) = self.line(at) {
            found.extend(guard);
            at = self.next(at);
        }
        found
    }

    /// The rule of the line that begins at `at`, with its path.
    fn line(&self, at: usize) -> Option<(&'k [u8], Option<Guard>)> {
        let line =
            self.lines.get(at..)?.split(|&byte| byte == b'\n').next().filter(|line| !line.is_empty())?;
        let end = line.iter().position(|&byte| byte == 0)?;
        Some((&line[..end], serde_json::from_slice(&line[end + 1..]).ok()))
    }

    fn next(&self, at: usize) -> usize {
        let rest = &self.lines[at..];
        at + rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |end| end + 1)
    }

    /// Where the first line that is not before `key` begins.
    fn first_from(&self, key: &[u8]) -> usize {
        let (mut low, mut high) = (0, self.lines.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            let start = self.lines[low..middle]
                .iter()
                .rposition(|&byte| byte == b'\n')
                .map_or(low, |at| low + at + 1);
            let next = self.next(start);
            if &self.lines[start..next.saturating_sub(1).max(start)] < key {
                low = next;
            } else {
                high = start;
            }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(scope: Scope) -> Guard {
        Guard {
            scope,
            access: Access::Write,
            rule: "r".into(),
            fact: "f".into(),
            next: "n".into(),
            ticket: false,
        }
    }

    fn rules() -> Protected {
        let mut rules = Protected::new();
        for n in 0..1000 {
            rules.push(guard(Scope::Path(format!("tests/t{n}.py"))));
        }
        rules.push(guard(Scope::Path("tests/t5.py".into())));
        rules.push(guard(Scope::Path("tests".into())));
        rules.push(guard(Scope::Below(".git".into())));
        rules.push(guard(Scope::Glob("src/**/*.lock".into())));
        rules
    }

    #[test]
    fn kept_rules_are_the_rules() {
        let kept = rules().keep(false);
        let kept = Kept::read(&kept, false).unwrap();
        for path in [
            "tests/t0.py",
            "tests/t5.py",
            "tests/t999.py",
            "tests",
            "tests/x",
            ".git",
            ".git/config",
            ".github",
            "src/a/x.lock",
            "src/x.lock/below",
            "a",
        ] {
            let expected: Vec<&Guard> =
                rules().guards.leak().iter().filter(|guard| guard.holds(path)).collect();
            let found = kept.on(path);
            assert_eq!(found.len(), expected.len(), "{path}: {found:?}");
        }
        assert_eq!(kept.within("tests").len(), 1002);
        assert_eq!(kept.within("").len(), 1004);
        assert_eq!(kept.within("src").len(), 1);
        assert_eq!(kept.within("src/deep").len(), 1);
        assert_eq!(kept.within("docs").len(), 0);
    }

    /// Names were looked up in lower case among rules that were not: with a capital in its name no file was protected.
    #[test]
    fn names_that_a_file_system_takes_for_one_are_one() {
        let mut rules = Protected::new();
        rules.push(guard(Scope::Path("Tests/R\u{e9}sum\u{e9}.py".into())));
        rules.push(guard(Scope::Below("Held-Out".into())));
        rules.push(guard(Scope::Glob("SRC/**/*.Lock".into())));
        let (plain, fold) = (rules.keep(false), rules.keep(true));
        let (plain, fold) = (Kept::read(&plain, false).unwrap(), Kept::read(&fold, true).unwrap());
        let own = ["Tests/R\u{e9}sum\u{e9}.py", "Held-Out/x", "SRC/a/X.Lock"];
        let others =
            ["tests/r\u{e9}sum\u{e9}.PY", "Tests/Re\u{301}sume\u{301}.py", "held-out/X", "src/A/x.lock"];
        for path in own {
            assert_eq!((plain.on(path).len(), fold.on(path).len()), (1, 1), "{path}");
        }
        for path in others {
            assert_eq!((plain.on(path).len(), fold.on(path).len()), (0, 1), "{path}");
        }
        assert_eq!((plain.within("tests").len(), fold.within("tests").len()), (0, 1));
        assert_eq!(fold.on("tests/resume.py").len(), 0);
        assert!(
            fold.all().iter().any(|guard| guard.scope == Scope::Below("Held-Out".into())),
            "as they were given"
        );
    }

    #[test]
    fn outside_is_everything_but_the_folders() {
        let outside = guard(Scope::Outside(vec!["app".into(), "docs".into()]));
        assert!(outside.holds("lib/x") && outside.holds("application/x") && outside.holds(""));
        assert!(!outside.holds("app/x") && !outside.holds("docs"));
    }

    #[test]
    fn what_was_not_kept_is_not_read() {
        for bytes in [&b""[..], b"{}\n", b"[]", b"[]\ncut"] {
            assert!(Kept::read(bytes, false).is_none());
        }
        assert!(Kept::read(b"[]\n", false).unwrap().on("a").is_empty());
    }
}
