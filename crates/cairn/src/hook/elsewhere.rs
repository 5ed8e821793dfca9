//! Paths of another repository than the one that the agent stands in: a nested one, another work tree, or that which it
//! left. A repository that is governed judges what is done to its files, from wherever it is done.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use govern::State;
use govern::classify::Place;
use govern::gates::{self, Act, Found, Touched};
use govern::policy;
use store::git::Layout;
use store::{SystemEntropy, World};

use super::canary::Still;
use super::course::{Course, known};
use super::snapshot::Snapshot;

/// How many other repositories one call is held against.
const MOST: usize = 8;

impl Course<'_> {
    /// What the rules of other governed repositories say of the call.
    ///
    /// # Errors
    /// The rules of one of them can't be made: nothing can be said of the call.
    pub(super) fn elsewhere(&self, act: &Act<'_>) -> Result<Vec<Found>, String> {
        let touched = || act.changes.iter().chain(act.reads).chain(act.mentions);
        let mut folders: Vec<&Path> = Vec::new();
        for path in touched().flat_map(|touched| &touched.paths).chain(act.walks.iter().flatten()) {
            folders.extend(path.parent().filter(|_| !self.is_ours(path)));
        }
        for touched in touched() {
            match &touched.target.place {
                // Up to where it begins to stand for many.
                Place::Pattern(pattern) => {
                    let fixed = pattern.split(['*', '?', '[', '\\']).next().unwrap_or_default();
                    folders.extend(Path::new(fixed).parent().filter(|folder| folder.is_absolute()));
                }
                _ if touched.target.tree => {
                    folders.extend(
                        touched.paths.iter().map(PathBuf::as_path).filter(|path| path.join(".git").exists()),
                    );
                }
                _ => {}
            }
        }
        let mut others: BTreeMap<PathBuf, Layout> = BTreeMap::new();
        for folder in folders {
            let there = folder.ancestors().find(|folder| folder.is_dir());
            let Some(layout) = there.and_then(|there| Layout::discover(there).ok()?) else { continue };
            if layout.work_tree != self.state.root() && others.len() < MOST {
                others.insert(layout.work_tree.clone(), layout);
            }
        }
        let mut found = Vec::new();
        for (root, layout) in others {
            found.extend(self.by(&root, layout, act)?);
        }
        Ok(found)
    }

    /// Whether a path belongs to the repository that the agent stands in.
    fn is_ours(&self, path: &Path) -> bool {
        let root = self.state.root();
        let between = path.ancestors().skip(1).take_while(|folder| *folder != root);
        path.starts_with(root) && between.into_iter().all(|folder| !folder.join(".git").exists())
    }

    fn by(&self, root: &Path, layout: Layout, act: &Act<'_>) -> Result<Vec<Found>, String> {
        let state = State::of(Some(&layout), root, &self.world.env).map_err(|error| error.to_string())?;
        let is_governed = [state.folder(), &root.join(".chalk"), &root.join(policy::PATH)];
        if !is_governed.into_iter().any(Path::exists) {
            return Ok(Vec::new());
        }
        let world = World {
            cwd: root.to_owned(),
            env: self.world.env.clone(),
            clock: Box::new(Still(self.world.now())),
            entropy: Box::new(SystemEntropy),
        };
        let snapshot = Snapshot::load(&world, Some(&layout), &state)?;
        let is_there = |touched: &&Touched<'_>| {
            let is_pattern = matches!(touched.target.place, Place::Pattern(_));
            is_pattern || touched.paths.iter().any(|path| path.starts_with(root))
        };
        let changes: Vec<Touched<'_>> = act.changes.iter().filter(is_there).cloned().collect();
        let reads: Vec<Touched<'_>> = act.reads.iter().filter(is_there).cloned().collect();
        let act = Act { changes: &changes, reads: &reads, ..*act };
        snapshot.ask(&world, Some(&layout), &state, |rules| {
            gates::judge_paths(&act, &known(root, rules, &snapshot.policy, &self.session))
        })
    }
}
