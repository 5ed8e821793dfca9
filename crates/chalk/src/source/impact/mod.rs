//! The test-impact map: from each changed file to the tests that reach it.
//!
//! A test reaches a file when it imports it, directly or through other files of the repository; when it names
//! it (the path of a fixture, of a program that it starts, the name of the class in a language without an
//! import resolver here); or when only a convention ties them, such as the same folder in Go or the same name.
//! The map is an aid and not a proof: no test for a file means that none was found, never that none is needed.
//!
//! Imports are resolved from the list of files, the way the language's own tools do by default: relative
//! JavaScript modules with left-out endings, workspace packages by `package.json`; Python modules from the
//! folders around the importer, `src/` layouts included; Go packages by `go.mod`; Rust modules by `Cargo.toml`.
//! Path aliases of bundlers, `#[path]` outside of tests and generated code are not seen. A file that only passes
//! names on is looked through by name, so that one entry point does not tie every test to every file.
//!
//! All work is bounded; [`Impact::limits`] says when a bound was met and the map may lack something.

mod graph;
mod index;
mod names;
mod resolve;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use index::Index;

/// A test whose reach is asked for.
#[derive(Debug, Clone, Copy)]
pub struct TestFile<'a> {
    /// What the caller knows the test by, given back in each [`Reach`]; the same path may be given under
    /// several.
    pub id: &'a str,
    /// Path from the top of the repository, with forward slashes.
    pub path: &'a str,
    /// The text of the file.
    pub text: &'a str,
}

/// The repository that imports are resolved in.
#[derive(Clone, Copy)]
pub struct Repository<'a> {
    /// Every file, as paths from the top with forward slashes.
    pub files: &'a [&'a str],
    /// The text of one of these files; `None` when it has none.
    pub read: &'a dyn Fn(&str) -> Option<String>,
}

/// Which tests reach which changed files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Impact {
    /// Each changed file once, by path, with the tests that reach it: the surest tie first, then the shortest,
    /// then by path.
    pub files: Vec<Reached>,
    /// The bounds that were met.
    pub limits: BTreeSet<Limit>,
}

/// A changed file and the tests that reach it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reached {
    /// The path of the changed file.
    pub path: String,
    /// The tests that reach it.
    pub tests: Vec<Reach>,
}

/// That a test reaches a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    /// The tie, which is the first one where there are files between.
    pub why: Why,
    /// The files between the test and the changed file, from the test's side.
    pub via: Vec<String>,
    /// The path of the test.
    pub test: String,
    /// The test's [`TestFile::id`].
    pub id: String,
}

/// What ties a test to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Why {
    /// The changed file is the test.
    SameFile,
    /// The test imports it.
    Imports {
        /// Line of the import in the test, counted from one.
        line: usize,
    },
    /// The test names it.
    Names {
        /// Line of the first mention in the test, counted from one.
        line: usize,
    },
    /// The place or the name of the two files ties them.
    Convention,
}

/// A bound that was met, so that the map may lack ties.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// A file is larger than one mebibyte and was not looked into.
    TooLarge(String),
    /// More than [`MAX_FILES`] files would have had to be read.
    Files,
    /// More than [`MAX_BYTES`] of text would have had to be looked into.
    Bytes,
    /// There are imports more than [`MAX_HOPS`] files away from a test.
    Hops,
    /// More than [`MAX_STEPS`] imports would have had to be followed.
    Steps,
}

/// How many files are read to follow imports.
pub const MAX_FILES: usize = 2_000;
/// How many bytes of text are looked into, tests included: some seconds of work.
pub const MAX_BYTES: usize = 16 << 20;
/// How many imports in a row are followed from a test.
pub const MAX_HOPS: usize = 6;
/// How many imports are followed over all tests.
pub const MAX_STEPS: usize = 5_000_000;

/// Draws the map of `changed`, paths as in [`Repository::files`]; a deleted file counts as being there.
///
/// Tests are looked into in the order given, so what matters most comes first in case a bound is met.
#[must_use]
pub fn impact(changed: &[&str], tests: &[TestFile], repository: Repository) -> Impact {
    let index = Index::new(changed, repository);
    let mut graph = graph::Graph::new(&index);
    let mut reached: BTreeMap<&str, Vec<Reach>> = changed.iter().map(|path| (*path, Vec::new())).collect();
    // The same file is looked into once, however many tasks hold it.
    let mut ties: HashMap<&str, Vec<Tie>> = HashMap::new();
    for test in tests {
        let ties = ties
            .entry(test.path)
            .or_insert_with(|| ties_of(&mut graph, test.path, test.text, reached.keys().copied()));
        for tie in ties {
            if let Some(found) = reached.get_mut(tie.file) {
                found.push(Reach {
                    why: tie.why,
                    via: tie.via.clone(),
                    test: test.path.to_owned(),
                    id: test.id.to_owned(),
                });
            }
        }
    }
    let files = reached
        .into_iter()
        .map(|(path, mut tests)| {
            tests.sort_by(|one, other| one.rank().cmp(&other.rank()));
            tests.dedup();
            Reached { path: path.to_owned(), tests }
        })
        .collect();
    Impact { files, limits: graph.into_limits() }
}

impl Reach {
    /// Kind of tie, length of the way, path, id: the line of an import says nothing about how near it is.
    fn rank(&self) -> (u8, usize, &str, &str) {
        let kind = match self.why {
            Why::SameFile => 0,
            Why::Imports { .. } => 1,
            Why::Names { .. } => 2,
            Why::Convention => 3,
        };
        (kind, self.via.len(), &self.test, &self.id)
    }
}

/// A changed file that a test reaches, with the surest tie and the files between.
struct Tie<'a> {
    file: &'a str,
    why: Why,
    via: Vec<String>,
}

fn ties_of<'a>(
    graph: &mut graph::Graph,
    path: &str,
    text: &str,
    changed: impl Iterator<Item = &'a str>,
) -> Vec<Tie<'a>> {
    let ways = graph.ways_from(path, text);
    let mut words = names::Words::default();
    let mut tie_to = |file: &str| {
        if file == path {
            return Some((Why::SameFile, Vec::new()));
        }
        if let Some(way) = ways.to(file) {
            return Some(way);
        }
        if let Some(line) = words.line_that_names(path, text, file) {
            return Some((Why::Names { line }, Vec::new()));
        }
        let conventional = names::same_subject(path, file) && !ways.reach_namesake(file);
        conventional.then(|| (Why::Convention, Vec::new()))
    };
    changed.filter_map(|file| tie_to(file).map(|(why, via)| Tie { file, why, via })).collect()
}
