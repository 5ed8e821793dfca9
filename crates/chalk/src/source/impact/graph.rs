//! Which files a test reaches by following imports.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::rc::Rc;

use super::index::{FileId, Index, parent, upwards};
use super::{Limit, MAX_BYTES, MAX_FILES, MAX_HOPS, MAX_STEPS, Why, names, resolve};
use crate::source::imports::{imports, imports_and_literals};
use crate::source::language::{Language, file_name, split_extension};
use crate::source::syntax::MAX_TEXT;

/// An import of one file by another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edge {
    pub(super) target: FileId,
    pub(super) line: usize,
    pub(super) wanted: Wanted,
    pub(super) passes: Passes,
}

/// What is taken out of a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Wanted {
    All,
    Names(Vec<String>),
    /// The file is run, but nothing behind it is asked for: the package around a Python module.
    Nothing,
}

/// What an import passes on to those who import the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Passes {
    Nothing,
    Names(Vec<String>),
    All,
}

pub(super) struct Graph<'a> {
    index: &'a Index<'a>,
    edges: HashMap<FileId, Rc<[Edge]>>,
    limits: BTreeSet<Limit>,
    read: usize,
    bytes: usize,
    steps: usize,
}

/// The files that a test reaches, each by the surest and shortest way.
pub(super) struct Ways<'a> {
    index: &'a Index<'a>,
    stops: Vec<Stop>,
    first: HashMap<FileId, usize>,
}

struct Stop {
    file: FileId,
    why: Why,
    /// The stop before; none when the test itself is before.
    before: Option<usize>,
    wanted: Wanted,
    hops: usize,
}

impl<'a> Graph<'a> {
    pub(super) fn new(index: &'a Index<'a>) -> Self {
        Self { index, edges: HashMap::new(), limits: BTreeSet::new(), read: 0, bytes: 0, steps: 0 }
    }

    pub(super) fn into_limits(self) -> BTreeSet<Limit> {
        self.limits
    }

    /// Follows the imports of the test at `path`, then what it names, then what convention ties to it.
    pub(super) fn ways_from(&mut self, path: &str, text: &str) -> Ways<'a> {
        let mut ways = Ways { index: self.index, stops: Vec::new(), first: HashMap::new() };
        let own = self.index.id(path);
        if text.len() > MAX_TEXT {
            self.limits.insert(Limit::TooLarge(path.to_owned()));
            return ways;
        }
        let mut seen = HashSet::new();
        if self.bytes + text.len() > MAX_BYTES {
            self.limits.insert(Limit::Bytes);
            return ways;
        }
        self.bytes += text.len();
        let Some(language) = Language::of(path) else { return ways };
        let (imports, literals) = imports_and_literals(language, text);
        let imported = resolve::edges(self.index, path, &imports);
        self.follow(&mut ways, &mut seen, own, imported, |edge| Why::Imports { line: edge.line });
        let named = names::named_files(self.index, path, text, &imports, &literals);
        self.follow(&mut ways, &mut seen, own, named, |edge| Why::Names { line: edge.line });
        let nearby = files_run_with(self.index, path);
        self.follow(&mut ways, &mut seen, own, nearby, |_| Why::Convention);
        ways
    }

    fn follow(
        &mut self,
        ways: &mut Ways<'a>,
        seen: &mut HashSet<(FileId, Wanted)>,
        own: Option<FileId>,
        from_test: Vec<Edge>,
        why: impl Fn(&Edge) -> Why,
    ) {
        let mut open = VecDeque::new();
        for edge in from_test {
            let stop =
                Stop { file: edge.target, why: why(&edge), before: None, wanted: edge.wanted, hops: 1 };
            open.push_back(stop);
        }
        while let Some(stop) = open.pop_front() {
            if ways.reach_all_changed() {
                return;
            }
            if Some(stop.file) == own || !seen.insert((stop.file, stop.wanted.clone())) {
                continue;
            }
            let at = ways.stops.len();
            ways.first.entry(stop.file).or_insert(at);
            if stop.wanted != Wanted::Nothing {
                let edges = self.edges_of(stop.file).unwrap_or_default();
                if stop.hops == MAX_HOPS {
                    if edges.iter().any(|edge| !ways.first.contains_key(&edge.target)) {
                        self.limits.insert(Limit::Hops);
                    }
                } else {
                    for (edge, wanted) in taken(&edges, &stop.wanted) {
                        if self.steps == MAX_STEPS {
                            self.limits.insert(Limit::Steps);
                            break;
                        }
                        self.steps += 1;
                        let (why, before, hops) = (stop.why, Some(at), stop.hops + 1);
                        open.push_back(Stop { file: edge.target, why, before, wanted, hops });
                    }
                }
            }
            ways.stops.push(stop);
        }
    }

    /// The imports of a file, read once.
    fn edges_of(&mut self, file: FileId) -> Option<Rc<[Edge]>> {
        if let Some(edges) = self.edges.get(&file) {
            return Some(Rc::clone(edges));
        }
        let edges: Rc<[Edge]> = self.read_edges(file)?.into();
        self.edges.insert(file, Rc::clone(&edges));
        Some(edges)
    }

    /// Reads a file for its imports; `None` when that would be beyond a bound.
    fn read_edges(&mut self, file: FileId) -> Option<Vec<Edge>> {
        let path = self.index.path(file);
        let Some(language) = resolve::language_of(path) else { return Some(Vec::new()) };
        if self.read == MAX_FILES {
            self.limits.insert(Limit::Files);
            return None;
        }
        self.read += 1;
        let Ok(text) = self.index.text(path) else {
            self.limits.insert(Limit::TooLarge(path.to_owned()));
            return Some(Vec::new());
        };
        let text = text.unwrap_or_default();
        if self.bytes + text.len() > MAX_BYTES {
            self.limits.insert(Limit::Bytes);
            return None;
        }
        self.bytes += text.len();
        Some(resolve::edges(self.index, path, &imports(language, &text)))
    }
}

/// The edges that lead to what is `wanted` of their file, each with what is wanted behind it.
fn taken<'e>(edges: &'e [Edge], wanted: &Wanted) -> Vec<(&'e Edge, Wanted)> {
    let Wanted::Names(names) = wanted else {
        return edges.iter().map(|edge| (edge, edge.wanted.clone())).collect();
    };
    let passes =
        |edge: &Edge, name: &String| matches!(&edge.passes, Passes::Names(passed) if passed.contains(name));
    // Where all that is wanted is only passed on, what the file does by itself is none of the importer's.
    let passed_on = names.iter().all(|name| edges.iter().any(|edge| passes(edge, name)));
    edges
        .iter()
        .filter_map(|edge| match &edge.passes {
            Passes::Names(_) => {
                names.iter().any(|name| passes(edge, name)).then(|| (edge, edge.wanted.clone()))
            }
            _ if passed_on => None,
            Passes::All => Some((edge, wanted.clone())),
            Passes::Nothing => Some((edge, edge.wanted.clone())),
        })
        .collect()
}

impl Ways<'_> {
    fn reach_all_changed(&self) -> bool {
        self.index.changed().iter().all(|file| self.first.contains_key(file))
    }

    /// The way to the file at `path`: its first tie, and the files between.
    pub(super) fn to(&self, path: &str) -> Option<(Why, Vec<String>)> {
        let stop = self.first.get(&self.index.id(path)?).and_then(|at| self.stops.get(*at))?;
        let mut via = Vec::new();
        let mut before = stop.before;
        while let Some(between) = before.and_then(|at| self.stops.get(at)) {
            via.push(self.index.path(between.file).to_owned());
            before = between.before;
        }
        via.reverse();
        Some((stop.why, via))
    }

    /// Whether another file with the name of `path` is reached: then it is the one that the test is about.
    pub(super) fn reach_namesake(&self, path: &str) -> bool {
        let stem = |path| split_extension(file_name(path)).map(|(stem, _)| stem);
        self.first.keys().any(|file| stem(self.index.path(*file)) == stem(path))
    }
}

/// Files that the test's runner takes in beside the test: the rest of a Go package, and the `conftest.py` files
/// of the folders around a Python test.
fn files_run_with(index: &Index, test: &str) -> Vec<Edge> {
    let folder = parent(test);
    let beside: Vec<FileId> = match Language::of(test) {
        Some(Language::Go) => resolve::go::files_of_package(index, folder),
        Some(Language::Python) => upwards(folder)
            .filter_map(|folder| index.id(&super::index::join(folder, "conftest.py")?))
            .collect(),
        _ => Vec::new(),
    };
    let edge = |target| Edge { target, line: 0, wanted: Wanted::All, passes: Passes::Nothing };
    beside.into_iter().map(edge).collect()
}
