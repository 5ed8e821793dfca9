//! Rules as they are kept: an index that is read with each call, and blocks of lines of which a call reads the few that
//! its paths lie in. Each block is held against its digest when it is read, so that no half of the rules lets pass what
//! the other half forbids.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt;
use std::ops::Range;

use canon::Sha256;
use serde::{Deserialize, Serialize};

use super::{Guard, Scope, as_compared};

/// How many bytes of lines a block has, but for the line that fills it.
const BLOCK: usize = 8 * 1024;

/// What finds kept rules: the rules that are asked for every path, and the blocks of those about a single path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Index {
    others: Vec<Guard>,
    blocks: Vec<Block>,
    digest: Sha256,
    /// Whether paths are compared as by [`super::folded`].
    fold: bool,
}

/// Lines that stand together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Block {
    /// The path of the first line, as it is compared.
    first: String,
    start: usize,
    end: usize,
    digest: Sha256,
}

impl Index {
    /// The digest of all rules.
    pub fn digest(&self) -> Sha256 {
        self.digest
    }

    /// How many bytes the lines have.
    pub fn bytes(&self) -> usize {
        self.blocks.last().map_or(0, |block| block.end)
    }
}

/// Where the lines of kept rules lie.
pub trait Lines {
    /// The bytes in this range; none where they can't be read.
    fn read(&self, range: Range<usize>) -> Option<Vec<u8>>;
}

impl Lines for Vec<u8> {
    fn read(&self, range: Range<usize>) -> Option<Vec<u8>> {
        self.get(range).map(<[u8]>::to_vec)
    }
}

/// Kept rules that are not what was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damaged;

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the kept rules are damaged")
    }
}

impl std::error::Error for Damaged {}

pub(super) fn keep(guards: &[Guard], fold: bool) -> (Index, Vec<u8>) {
    let mut singles: Vec<(Cow<'_, str>, Vec<u8>)> = Vec::new();
    let mut others = Vec::new();
    for guard in guards {
        match &guard.scope {
            // A rule is made of texts, so it can be written, and on one line.
            Scope::Path(path) => {
                singles.push((as_compared(path, fold), serde_json::to_vec(guard).unwrap_or_default()));
            }
            _ => others.push(guard.clone()),
        }
    }
    singles.sort_unstable();
    let (mut lines, mut blocks) = (Vec::new(), Vec::new());
    let mut open: Option<(&str, usize)> = None;
    for (path, line) in &singles {
        let (first, start) = *open.get_or_insert((path, lines.len()));
        lines.extend(line);
        lines.push(b'\n');
        if lines.len() - start >= BLOCK {
            blocks.push(Block::of(first, start, &lines));
            open = None;
        }
    }
    if let Some((first, start)) = open {
        blocks.push(Block::of(first, start, &lines));
    }
    let mut whole = serde_json::to_vec(&others).unwrap_or_default();
    whole.push(b'\n');
    whole.extend(&lines);
    (Index { others, blocks, digest: Sha256::of(&whole), fold }, lines)
}

impl Block {
    fn of(first: &str, start: usize, lines: &[u8]) -> Self {
        Self { first: first.to_owned(), start, end: lines.len(), digest: Sha256::of(&lines[start..]) }
    }
}

/// Kept rules, looked up in place.
pub struct Kept<'k> {
    index: &'k Index,
    lines: &'k dyn Lines,
    /// Each block, once that it was asked for.
    read: Vec<OnceCell<Vec<Guard>>>,
}

impl<'k> Kept<'k> {
    /// The rules that [`super::Protected::keep`] made.
    pub fn new(index: &'k Index, lines: &'k dyn Lines) -> Self {
        Self { index, lines, read: index.blocks.iter().map(|_| OnceCell::new()).collect() }
    }

    /// Every rule about this path.
    ///
    /// # Errors
    /// What would have to be read is not what was kept.
    pub fn on(&self, path: &str) -> Result<Vec<Guard>, Damaged> {
        let path = &*as_compared(path, self.index.fold);
        let mut found = self.others(|scope| scope.holds(path));
        found.extend(self.from(path, |own| own == path)?);
        Ok(found)
    }

    /// Every rule about something below this folder, and about the folder by its own name.
    ///
    /// # Errors
    /// What would have to be read is not what was kept.
    pub fn within(&self, folder: &str) -> Result<Vec<Guard>, Damaged> {
        let folder = &*as_compared(folder, self.index.fold);
        let mut found = self.others(|scope| scope.is_within(folder));
        let start = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        found.extend(self.from(&start, |own| own.starts_with(&start))?);
        if !folder.is_empty() {
            found.extend(self.from(folder, |own| own == folder)?);
        }
        Ok(found)
    }

    /// Every rule.
    ///
    /// # Errors
    /// One of the blocks is not what was kept.
    pub fn all(&self) -> Result<Vec<Guard>, Damaged> {
        let mut found = self.index.others.clone();
        found.extend(self.from("", |_| true)?);
        Ok(found)
    }

    fn others(&self, is_meant: impl Fn(&Scope) -> bool) -> Vec<Guard> {
        let is_meant = |guard: &&Guard| {
            if self.index.fold { is_meant(&guard.scope.folded()) } else { is_meant(&guard.scope) }
        };
        self.index.others.iter().filter(is_meant).cloned().collect()
    }

    /// The rules about single paths from `start` on, in order, as long as their path is one that is looked for.
    fn from(&self, start: &str, is_meant: impl Fn(&str) -> bool) -> Result<Vec<Guard>, Damaged> {
        // The block before the first that begins at or behind the start may end there.
        let after = self.index.blocks.partition_point(|block| *block.first < *start);
        let mut found = Vec::new();
        for at in after.saturating_sub(1)..self.index.blocks.len() {
            for guard in self.block(at)? {
                let Scope::Path(own) = &guard.scope else { return Err(Damaged) };
                let own = as_compared(own, self.index.fold);
                if *own < *start {
                    continue;
                }
                if !is_meant(&own) {
                    return Ok(found);
                }
                found.push(guard.clone());
            }
        }
        Ok(found)
    }

    fn block(&self, at: usize) -> Result<&[Guard], Damaged> {
        let (cell, block) = (&self.read[at], &self.index.blocks[at]);
        if let Some(guards) = cell.get() {
            return Ok(guards);
        }
        let bytes = self.lines.read(block.start..block.end).filter(|bytes| Sha256::of(bytes) == block.digest);
        let bytes = bytes.ok_or(Damaged)?;
        let lines = bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
        let guards: Result<Vec<Guard>, _> = lines.map(serde_json::from_slice).collect();
        let guards = guards.map_err(|_| Damaged)?;
        Ok(cell.get_or_init(|| guards))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::super::{Access, Protected};
    use super::*;

    fn rules() -> Protected {
        let mut rules = Protected::new();
        let mut push = |scope| {
            rules.push(Guard {
                scope,
                access: Access::Write,
                rule: "r".into(),
                fact: "f".into(),
                next: "n".into(),
                ticket: false,
            });
        };
        for n in 0..1000 {
            push(Scope::Path(format!("tests/t{n}.py")));
        }
        push(Scope::Path("tests/t5.py".into()));
        push(Scope::Path("tests".into()));
        push(Scope::Path("line\nend".into()));
        push(Scope::Below(".git".into()));
        push(Scope::Glob("src/**/*.lock".into()));
        rules
    }

    const PATHS: [&str; 12] = [
        "tests/t0.py",
        "tests/t5.py",
        "tests/t999.py",
        "tests",
        "tests/x",
        "line\nend",
        ".git",
        ".git/config",
        ".github",
        "src/a/x.lock",
        "src/x.lock/below",
        "a",
    ];

    #[test]
    fn kept_rules_are_the_rules() {
        let rules = rules();
        let (index, lines) = rules.keep(false);
        let kept = Kept::new(&index, &lines);
        for path in PATHS {
            let expected = rules.guards().iter().filter(|guard| guard.holds(path)).count();
            let found = kept.on(path).unwrap();
            assert_eq!(found.len(), expected, "{path}: {found:?}");
        }
        assert_eq!(kept.within("tests").unwrap().len(), 1002);
        assert_eq!(kept.within("").unwrap().len(), 1005);
        assert_eq!(kept.within("src").unwrap().len(), 1);
        assert_eq!(kept.within("src/deep").unwrap().len(), 1);
        assert_eq!(kept.within("docs").unwrap().len(), 0);
        assert_eq!(kept.all().unwrap().len(), rules.guards().len());
    }

    #[test]
    fn rules_of_one_path_may_fill_many_blocks() {
        let mut rules = Protected::new();
        for n in 0..500 {
            let rule = format!("r{n}");
            let (fact, next) = ("f".repeat(90), "n".into());
            let scope = Scope::Path("a/b".into());
            rules.push(Guard { scope, access: Access::Any, rule, fact, next, ticket: false });
        }
        let (index, lines) = rules.keep(false);
        assert!(index.blocks.len() > 3 && index.bytes() == lines.len());
        let kept = Kept::new(&index, &lines);
        assert_eq!(kept.on("a/b").unwrap().len(), 500);
        assert_eq!(kept.within("a").unwrap().len(), 500);
    }

    /// Names were looked up in lower case among rules that were not: with a capital in its name no file was protected.
    #[test]
    fn names_that_a_file_system_takes_for_one_are_one() {
        let mut rules = Protected::new();
        for scope in [
            Scope::Path("Tests/R\u{e9}sum\u{e9}.py".into()),
            Scope::Below("Held-Out".into()),
            Scope::Glob("SRC/**/*.Lock".into()),
        ] {
            let (rule, fact, next) = ("r".into(), "f".into(), "n".into());
            rules.push(Guard { scope, access: Access::Write, rule, fact, next, ticket: false });
        }
        let (plain, fold) = (rules.keep(false), rules.keep(true));
        let (plain, fold) = (Kept::new(&plain.0, &plain.1), Kept::new(&fold.0, &fold.1));
        let on = |path: &str| (plain.on(path).unwrap().len(), fold.on(path).unwrap().len());
        for path in ["Tests/R\u{e9}sum\u{e9}.py", "Held-Out/x", "SRC/a/X.Lock"] {
            assert_eq!(on(path), (1, 1), "{path}");
        }
        for path in
            ["tests/r\u{e9}sum\u{e9}.PY", "Tests/Re\u{301}sume\u{301}.py", "held-out/X", "src/A/x.lock"]
        {
            assert_eq!(on(path), (0, 1), "{path}");
        }
        assert_eq!(on("tests/resume.py"), (0, 0));
        let within = |kept: &Kept<'_>| kept.within("tests").unwrap().len();
        assert_eq!((within(&plain), within(&fold)), (0, 1));
        let all = fold.all().unwrap();
        assert!(all.iter().any(|guard| guard.scope == Scope::Below("Held-Out".into())), "as they were given");
    }

    struct Counted(Vec<u8>, Cell<usize>);

    impl Lines for Counted {
        fn read(&self, range: Range<usize>) -> Option<Vec<u8>> {
            self.1.set(self.1.get() + range.len());
            self.0.read(range)
        }
    }

    #[test]
    fn a_path_asks_for_its_own_block_alone() {
        let (index, lines) = rules().keep(false);
        let lines = Counted(lines, Cell::new(0));
        let kept = Kept::new(&index, &lines);
        for _ in 0..3 {
            kept.on("tests/t700.py").unwrap();
            kept.on("tests/t700.pyc").unwrap();
        }
        assert!(lines.1.get() > 0 && lines.1.get() < 3 * BLOCK, "{}", lines.1.get());
    }

    #[test]
    fn a_block_that_is_not_what_was_kept_answers_nothing() {
        let (index, lines) = rules().keep(false);
        let flipped = |at: usize| {
            let mut lines = lines.clone();
            lines[at] ^= 1;
            lines
        };
        let last = lines.len() - 2;
        for damaged in [Vec::new(), lines[..lines.len() - 1].to_vec(), flipped(last)] {
            let kept = Kept::new(&index, &damaged);
            assert_eq!(kept.on("tests/t999.py"), Err(Damaged));
            assert_eq!(kept.all(), Err(Damaged));
        }
        let damaged = flipped(last);
        assert!(Kept::new(&index, &damaged).on("tests/t0.py").is_ok());
    }
}
