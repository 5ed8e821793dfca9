//! The rules and the policy as they stand, kept beside the repository so that a call is judged without reading what
//! they are made from. What is kept is made anew when one of its sources is no longer what it was.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use canon::Sha256;
use chant::Place;
use gate::Silent;
use gate::protected::{Damaged, FOLDS, Guard, Index, Kept, Lines};
use govern::State;
use govern::policy::{self, Policy};
use govern::session::pins::Constraint;
use govern::written::Written;
use serde::{Deserialize, Serialize};
use store::World;
use store::file::{self, Identity};
use store::git::{Layout, RepoPath};
use store::tree::{Revision, Tree};

use super::pins;

/// The form of what is kept.
const VERSION: u32 = 7;

/// Its name in the state's folder.
const FILE: &str = "snapshot";

/// How much of it is read at once: all but the rules about single paths, where there is no more than usual.
const BEGIN: usize = 32 * 1024;

/// What the kept rules were made from, and the policy.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    v: u32,
    program: String,
    root: PathBuf,
    agent: Option<String>,
    sources: Vec<(PathBuf, Option<Identity>)>,
    policy: Policy,
    policy_digest: Option<Sha256>,
    pins: Vec<Constraint>,
    rules: Index,
}

/// Rules and policy.
pub(super) struct Snapshot {
    /// The policy in force.
    pub policy: Policy,
    /// Its digest.
    pub policy_digest: Option<Sha256>,
    /// The pinned constraints, the highest priority first.
    pub pins: Vec<Constraint>,
    index: Index,
    lines: Box<dyn Lines + Send>,
}

/// The lines of kept rules in the file that holds the snapshot: they are read as they are asked for.
struct InFile {
    file: File,
    start: u64,
}

impl Lines for InFile {
    fn read(&self, range: Range<usize>) -> Option<Vec<u8>> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(self.start + u64::try_from(range.start).ok()?)).ok()?;
        let mut bytes = vec![0; range.len()];
        file.read_exact(&mut bytes).ok()?;
        Some(bytes)
    }
}

impl Snapshot {
    fn new(head: Head, lines: Box<dyn Lines + Send>) -> Self {
        let Head { policy, policy_digest, pins, rules: index, .. } = head;
        Self { policy, policy_digest, pins, index, lines }
    }

    /// The rules, looked up as they are kept.
    fn rules(&self) -> Kept<'_> {
        Kept::new(&self.index, &*self.lines)
    }

    /// What the kept rules say. Damaged ones are made anew.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn ask<T>(
        &self,
        world: &World,
        layout: Option<&Layout>,
        state: &State,
        ask: impl Fn(&Kept<'_>) -> Result<T, Damaged>,
    ) -> Result<T, String> {
        if let Ok(answer) = ask(&self.rules()) {
            return Ok(answer);
        }
        let anew = Self::anew(world, layout, state)?;
        ask(&anew.rules()).map_err(|damaged| damaged.to_string())
    }

    /// Whether these are the rules that would be made now: what is kept can be rewritten together with its digest.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn is_true(&self, world: &World, layout: Option<&Layout>, state: &State) -> Result<bool, String> {
        let (head, _) = build(world, layout, state.root())?;
        Ok(head.rules == self.index && head.policy_digest == self.policy_digest)
    }

    /// The digest of the rules.
    pub fn digest(&self) -> Sha256 {
        self.index.digest()
    }

    /// How many bytes the rules about single paths have.
    pub fn bytes(&self) -> usize {
        self.index.bytes()
    }

    /// The rules and the policy of the repository around the world's folder.
    ///
    /// # Errors
    /// Something that they are made from can't be read: then nothing may act.
    pub fn load(world: &World, layout: Option<&Layout>, state: &State) -> Result<Self, String> {
        match kept(&state.folder().join(FILE), world, state.root()) {
            Some(kept) => Ok(kept),
            None => Self::anew(world, layout, state),
        }
    }

    /// The same, whatever is kept.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn anew(world: &World, layout: Option<&Layout>, state: &State) -> Result<Self, String> {
        let (head, lines) = build(world, layout, state.root())?;
        // A place that can't be written costs the time of making the rules each time, and nothing else.
        if super::make_folder(state.folder()).is_ok() {
            let text = serde_json::to_vec(&head).map_err(|error| error.to_string())?;
            let mut bytes = format!("{}\n", Sha256::of(&text)).into_bytes();
            bytes.extend(text);
            bytes.push(b'\n');
            bytes.extend(&lines);
            let _ = file::replace_unsynced(&state.folder().join(FILE), &bytes);
        }
        Ok(Self::new(head, Box::new(lines)))
    }
}

fn agent(world: &World) -> Option<String> {
    world.env.get("CHANT_AGENT").map(|name| name.to_string_lossy().into_owned())
}

/// What is kept, if it is whole and nothing of what it was made from changed.
fn kept(path: &Path, world: &World, root: &Path) -> Option<Snapshot> {
    let own = Identity::of(path)?;
    let (file, length) = file::open(path).ok()??;
    let mut begin = BufReader::with_capacity(BEGIN, file);
    let (mut digest, mut text) = (Vec::new(), Vec::new());
    begin.read_until(b'\n', &mut digest).ok()?;
    begin.read_until(b'\n', &mut text).ok()?;
    let start = u64::try_from(digest.len() + text.len()).ok()?;
    text.pop_if(|byte| *byte == b'\n')?;
    if Sha256::of(&text).to_string().as_bytes() != digest.strip_suffix(b"\n")? {
        return None;
    }
    let head: Head = serde_json::from_slice(&text).ok()?;
    let is_current = head.v == VERSION
        && length == start + u64::try_from(head.rules.bytes()).ok()?
        && head.program == env!("CARGO_PKG_VERSION")
        && head.root == root
        && head.agent == agent(world)
        && head.sources.iter().all(|(source, known)| {
            let now = Identity::of(source);
            // A write in the very moment in which the rules were made may have gone unseen.
            now == *known && now.is_none_or(|now| now.is_marked() || now.is_older_than(&own))
        });
    let lines = InFile { file: begin.into_inner(), start };
    is_current.then(|| Snapshot::new(head, Box::new(lines)))
}

fn build(world: &World, layout: Option<&Layout>, root: &Path) -> Result<(Head, Vec<u8>), String> {
    let mut files: Vec<PathBuf> = Vec::new();
    let git_dirs: Vec<&Path> =
        layout.iter().flat_map(|layout| [&*layout.git_dir, &*layout.common_dir]).collect();
    let mut rules = super::builtin::rules(root, &world.env, &git_dirs);

    let mut work = Vec::new();
    let spine = chalk::root::Spine::find(&world.cwd).map_err(|error| error.to_string())?;
    if spine.is_some() {
        let session =
            chalk::Session::open(world, crate::cli::as_cairn, &Silent).map_err(|refusal| refusal.message)?;
        files.extend(chalk::protect::sources(&session));
        rules.extend(chalk::protect::protected(&session, root).map_err(|refusal| refusal.message)?);
        work = chalk::pinned::pinned(&session).map_err(|refusal| refusal.message)?;
    } else {
        files.extend(
            world
                .cwd
                .ancestors()
                .take_while(|folder| folder.starts_with(root))
                .map(|folder| folder.join(".chalk/chalk.json")),
        );
    }
    let place = Place::open(world, None).map_err(|refusal| refusal.message)?;
    files.extend(chant::protect::sources(&place));
    rules.extend(chant::protect::protected(&place).map_err(|refusal| refusal.message)?);

    let committed = committed(layout, &place, &mut files)?;
    let policy = policy(world, root, committed.as_ref(), &mut files)?;
    let pins = pins::pinned(&policy, root, committed.as_ref(), &work, &mut files);
    rules.extend(policy.protected());
    let sources = files.into_iter().map(|path| (path.clone(), Identity::of(&path))).collect();
    let (rules, lines) = rules.keep(FOLDS);
    let policy_digest = serde_json::to_vec(&policy).map(Sha256::of).ok();
    let head = Head {
        v: VERSION,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        root: root.to_owned(),
        agent: agent(world),
        sources,
        policy,
        policy_digest,
        pins,
        rules,
    };
    Ok((head, lines))
}

/// What `HEAD` holds, where there is one.
fn committed(
    layout: Option<&Layout>,
    place: &Place<'_>,
    files: &mut Vec<PathBuf>,
) -> Result<Option<Revision>, String> {
    let Some(layout) = layout else { return Ok(None) };
    files.push(layout.git_dir.join("HEAD"));
    if let Ok(head) = fs::read_to_string(layout.git_dir.join("HEAD"))
        && let Some(name) = head.trim().strip_prefix("ref: ")
    {
        files.push(layout.common_dir.join(name));
    }
    let objects = place.objects().map_err(|refusal| refusal.message)?;
    Ok(objects.and_then(|objects| Revision::open(std::sync::Arc::clone(objects), "HEAD").ok()?))
}

/// The strictest of the person's policy, the one that `HEAD` holds, and the one in the working tree.
pub(super) fn policy(
    world: &World,
    root: &Path,
    committed: Option<&Revision>,
    files: &mut Vec<PathBuf>,
) -> Result<Policy, String> {
    let mut policies = Vec::new();
    let read = |bytes: &[u8], whose: &str, cure: &str| {
        Policy::read(bytes).map_err(|error| format!("{whose} can't be read: {error}; {cure}"))
    };
    let mend = "a person mends that file";
    if let Some(person) = personal(world) {
        if let Some(bytes) = file::read(&person).map_err(|error| error.to_string())? {
            policies.push(read(&bytes, &person.display().to_string(), mend)?);
        }
        files.push(person);
    }
    let own = root.join(policy::PATH);
    let in_tree = file::read(&own).map_err(|error| error.to_string())?;
    if let Some(bytes) = &in_tree {
        policies.push(read(bytes, policy::PATH, mend)?);
    }
    files.push(own);
    let committed = committed.and_then(|tree| tree.read(&RepoPath::from(policy::PATH)).ok()?);
    if let Some(bytes) = committed {
        let path = policy::PATH;
        let cure = match in_tree {
            Some(_) => format!(
                "the file in the working tree is in order: a person commits it, as with `git commit -m policy -- {path}`"
            ),
            None => format!("a person writes {path} anew, or takes it out of git, and commits that"),
        };
        policies.push(read(&bytes, &format!("{} in HEAD", policy::PATH), &cure)?.settled());
    }
    Ok(policies.into_iter().reduce(|one, other| one.stricter(&other)).unwrap_or_default())
}

/// Those of the protected files that are as their record has them: that of Chalk, or that of what this program wrote.
pub(super) fn in_order(world: &World, state: &State, protected: &[(String, Guard)]) -> BTreeSet<String> {
    let root = state.root();
    let (chalks, others): (Vec<_>, Vec<_>) =
        protected.iter().partition(|(_, guard)| guard.rule.starts_with("chalk:"));
    let mut fine = BTreeSet::new();
    if !others.is_empty() {
        let places: Vec<PathBuf> = others.iter().map(|(path, _)| root.join(path)).collect();
        let found = Written::at(state.folder()).are_as_written(places.iter().map(PathBuf::as_path));
        let written = others.iter().zip(found).filter(|(_, found)| *found);
        fine.extend(written.map(|((path, _), _)| path.clone()));
    }
    if !chalks.is_empty()
        && let Ok(session) = chalk::Session::open(world, crate::cli::as_cairn, &Silent)
    {
        let paths = chalks.iter().map(|(path, _)| path.as_str()).collect();
        fine.extend(chalk::protect::in_order(&session, root, &paths).into_iter().map(str::to_owned));
    }
    fine
}

/// Where the person's own policy lies.
pub(super) fn personal(world: &World) -> Option<PathBuf> {
    let base = match world.env.get("XDG_CONFIG_HOME") {
        Some(base) => PathBuf::from(base),
        None => Path::new(world.env.get("HOME")?).join(".config"),
    };
    Some(base.join("cairn/policy.json"))
}
