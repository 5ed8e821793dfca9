//! One command's view of the spine: where it lies, what it holds, and what the caller must be told.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};

use canon::json::{self, Damage};
use canon::{Sha256, Timestamp, text};
use gate::{Progress, Refusal};
use store::World;
use store::chain::Chain;
use store::file::{self, FileError};
use store::git::Git;

use crate::codes;
use crate::draft::Draft;
use crate::held_out;
use crate::model::{Config, Event, Question, Task};
use crate::root::Spine;
use crate::standing::{self, Standing};
use crate::tasks::{Tasks, resolve};

/// The newest `writerVersion` and schema whose files are understood (facts 2.10).
const KNOWN_WRITER: &str = "0.3.0";
const KNOWN_SCHEMA: &str = "1.1";

/// A Chalk command with its arguments, as this caller types it: `start x` is `chalk start x` for one and
/// `cairn start x` for another.
pub type Naming = fn(&str) -> String;

/// A found spine and the world around it. Cheap to open: files are read when they are asked for.
pub struct Session<'w> {
    /// Folder, environment, clock and chance.
    pub world: &'w World,
    /// Where the spine lies.
    pub spine: Spine,
    /// Hears of long steps.
    pub progress: &'w dyn Progress,
    /// How commands are named in messages.
    naming: Naming,
    state: OnceCell<Option<PathBuf>>,
    standing: OnceCell<Standing>,
    warnings: RefCell<Vec<String>>,
    /// `tasks.json` as it was read for its digest, for the first one who asks for the tasks: at ten thousand
    /// tasks, reading it twice is a good part of what `next` costs.
    unused: RefCell<Option<Vec<u8>>>,
}

impl<'w> Session<'w> {
    /// Finds the spine around the working folder.
    pub fn open(world: &'w World, naming: Naming, progress: &'w dyn Progress) -> Result<Self, Refusal> {
        let spine = Spine::find(&world.cwd).map_err(|error| Refusal::new(codes::GIT, error.to_string()))?;
        let Some(spine) = spine else {
            return Err(Refusal::new(codes::NO_SPINE, "no `.chalk/` here or in any folder above")
                .next(naming("init")));
        };
        refuse_hidden_repository(&spine)?;
        let session = Self::at(world, spine, naming, progress);
        session.refuse_unknown_format(&session.config()?)?;
        Ok(session)
    }

    /// A session over a spine whose place is known, which need not exist yet.
    pub fn at(world: &'w World, spine: Spine, naming: Naming, progress: &'w dyn Progress) -> Self {
        Self {
            world,
            spine,
            progress,
            naming,
            state: OnceCell::new(),
            standing: OnceCell::new(),
            warnings: RefCell::new(Vec::new()),
            unused: RefCell::new(None),
        }
    }

    fn refuse_unknown_format(&self, config: &Config) -> Result<(), Refusal> {
        let path = self.path("chalk.json");
        let newer = |found: &str, known: &str| dotted(found) > dotted(known);
        if newer(&config.version, KNOWN_SCHEMA) {
            return Err(Refusal::new(
                codes::SPINE_TOO_NEW,
                format!(
                    "the spine has schema {}, and {KNOWN_SCHEMA} is the newest known here",
                    config.version
                ),
            )
            .at(path, None, None)
            .hint("use the program that wrote it"));
        }
        match &config.writer_version {
            Some(writer) if newer(writer, KNOWN_WRITER) => Err(Refusal::new(
                codes::SPINE_TOO_NEW,
                format!(
                    "the spine was written by version {writer}, and {KNOWN_WRITER} is the newest known here"
                ),
            )
            .at(path, None, None)
            .hint("use the program that wrote it")),
            _ => Ok(()),
        }
    }

    /// The present.
    pub fn now(&self) -> Timestamp {
        self.world.now()
    }

    /// A command of this program as the caller would type it.
    pub fn cmd(&self, rest: &str) -> String {
        (self.naming)(rest)
    }

    /// A file of the spine.
    pub fn path(&self, name: &str) -> PathBuf {
        self.spine.root.join(".chalk").join(name)
    }

    /// `path` as people read it: relative to the root where it lies below it.
    pub fn shown(&self, path: &Path) -> String {
        let shown = path.strip_prefix(&self.spine.root).unwrap_or(path);
        shown.display().to_string().replace('\\', "/")
    }

    /// git in `folder`; none outside a repository.
    pub fn git(&self, folder: &Path) -> Option<Git> {
        self.spine.layout.as_ref().map(|_| Git::new(folder, &self.world.env))
    }

    /// Remembers something that the caller must be told, once.
    pub fn warn(&self, message: impl Into<String>) {
        let message = message.into();
        let mut warnings = self.warnings.borrow_mut();
        if !warnings.contains(&message) {
            warnings.push(message);
        }
    }

    /// What the caller must be told, given up.
    pub fn take_warnings(&self) -> Vec<String> {
        self.warnings.take()
    }

    /// The folder for results, logs and chains, outside the work tree. It may not exist yet.
    pub fn state(&self) -> Result<&Path, Refusal> {
        let found = self.state.get_or_init(|| {
            store::state::folder(self.spine.layout.as_ref(), &self.spine.root, "chalk", &self.world.env)
        });
        found.as_deref().ok_or_else(|| {
            Refusal::new(
                codes::IO,
                "there is no place to keep results: no writable git directory and no home folder",
            )
            .hint("set `XDG_STATE_HOME` or `HOME`")
        })
    }

    /// The state folder, created.
    pub fn create_state(&self) -> Result<&Path, Refusal> {
        let state = self.state()?;
        fs::create_dir_all(state).map_err(|error| {
            Refusal::new(codes::IO, format!("cannot create `{}`: {error}", state.display()))
        })?;
        Ok(state)
    }

    /// Keeps what was just read of `tasks.json` for the next reader.
    pub(crate) fn keep_tasks(&self, bytes: Option<Vec<u8>>) {
        self.unused.replace(bytes);
    }

    /// The chain of the digests that each write left.
    pub(crate) fn spine_chain(&self) -> Result<Chain, Refusal> {
        Ok(Chain::at(self.state()?.join("spine.jsonl")))
    }

    /// The chain of what gates measured: verify, review, audit and lever results.
    pub fn results(&self) -> Result<Chain, Refusal> {
        Ok(Chain::at(self.state()?.join("results.jsonl")))
    }

    /// `chalk.json`.
    pub fn config(&self) -> Result<Config, Refusal> {
        let bytes = self.read("chalk.json")?.unwrap_or_default();
        self.parse_config(&bytes)
    }

    pub(crate) fn parse_config(&self, bytes: &[u8]) -> Result<Config, Refusal> {
        let damaged = |damage: Damage| self.damaged("chalk.json", &damage);
        let text = json::check(bytes).map_err(damaged)?;
        let mut config: Config = json::read_sparse(json::legible(text).as_bytes()).map_err(damaged)?;
        self.settle_held_out(&mut config.protocol.regression.dir);
        Ok(config)
    }

    /// Makes the folder of the held-out set relative to the root wherever it lies below it, however it was written:
    /// what keeps the set out of contexts and diffs goes by that form.
    fn settle_held_out(&self, dir: &mut String) {
        let Ok(whole) = held_out::resolve(dir, &self.spine.root, &self.world.env) else { return };
        let whole = fs::canonicalize(&whole).unwrap_or(whole);
        if let Ok(within) = whole.strip_prefix(&self.spine.root)
            && !within.as_os_str().is_empty()
        {
            *dir = within.to_string_lossy().replace('\\', "/");
        }
    }

    /// `tasks.json`.
    pub fn tasks(&self) -> Result<Tasks, Refusal> {
        let unused = self.unused.take();
        // A spine whose tasks are gone must not look like one that never had any.
        let Some(bytes) = unused.map_or_else(|| self.read("tasks.json"), |bytes| Ok(Some(bytes)))? else {
            return Err(self.missing_tasks());
        };
        Tasks::new(bytes).map_err(|damage| self.damaged("tasks.json", &damage))
    }

    pub(crate) fn missing_tasks(&self) -> Refusal {
        Refusal::new(codes::SPINE_DAMAGED, "`.chalk/tasks.json` is missing")
            .at(self.path("tasks.json"), None, None)
            .hint("restore it from git, or write `[]` into it to begin anew")
    }

    /// The one task that `wanted` names.
    pub fn task(&self, wanted: &str) -> Result<Task, Refusal> {
        let tasks = self.tasks()?;
        let damaged = |damage: Damage| self.damaged("tasks.json", &damage);
        let heads = tasks.heads().map_err(damaged)?;
        let index = resolve(heads.iter().map(|head| (&*head.id, &*head.title)), wanted, "task")
            .map_err(|refusal| refusal.next(self.cmd("backlog")))?;
        let spans = tasks.spans().map_err(damaged)?;
        tasks.task(&spans[index]).map_err(damaged)
    }

    /// Every task, whole.
    pub fn all_tasks(&self) -> Result<Vec<Task>, Refusal> {
        self.tasks()?.all().map_err(|damage| self.damaged("tasks.json", &damage))
    }

    /// `questions.json`; a missing file means none.
    pub fn questions(&self) -> Result<Vec<Question>, Refusal> {
        let Some(bytes) = self.read("questions.json")? else { return Ok(Vec::new()) };
        let damaged = |damage: Damage| self.damaged("questions.json", &damage);
        let text = json::check(&bytes).map_err(damaged)?;
        json::read(json::legible(text).as_bytes()).map_err(damaged)
    }

    /// The events of `updates.jsonl`, oldest first: all of them, or those of the last `bytes` bytes. A
    /// damaged line is passed over with a warning that names it.
    pub fn events(&self, bytes: Option<u64>) -> Result<Vec<Event>, Refusal> {
        let path = self.path("updates.jsonl");
        let (content, cut) = match bytes {
            Some(bytes) => file::read_tail(&path, bytes).map_err(io)?,
            None => (file::read(&path).map_err(io)?.unwrap_or_default(), false),
        };
        let mut events = Vec::new();
        let mut damaged = Vec::new();
        let mut seen: HashMap<String, Sha256> = HashMap::new();
        // The first line of a cut tail is half a line.
        let skip = usize::from(cut);
        for (number, line) in content.split(|&b| b == b'\n').enumerate().skip(skip) {
            let line = line.trim_ascii();
            if line.is_empty() {
                continue;
            }
            let text = String::from_utf8_lossy(line);
            match json::read::<Event>(json::legible(&text).as_bytes()) {
                // A merge that took both sides leaves the same event twice.
                Ok(event) if !event.id.is_empty() && seen.get(&event.id) == Some(&Sha256::of(line)) => {}
                Ok(event) => {
                    seen.insert(event.id.clone(), Sha256::of(line));
                    events.push(event);
                }
                Err(damage) => damaged.push((number + 1, damage.conflict, damage.message)),
            }
        }
        if cut && !damaged.is_empty() {
            // Line numbers need the lines before the cut.
            return self.events(None);
        }
        for (number, conflict, message) in damaged.iter().take(5) {
            let shown = self.shown(&path);
            let why = if *conflict { "a conflict marker of an unfinished merge" } else { message };
            self.warn(format!("`{shown}` line {number} is passed over: {why}"));
        }
        if damaged.len() > 5 {
            self.warn(format!(
                "`{}`: {} more damaged lines are passed over",
                self.shown(&path),
                damaged.len() - 5
            ));
        }
        Ok(events)
    }

    /// The content of a file of the spine; none where it is missing.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, Refusal> {
        file::read(&self.path(name)).map_err(io)
    }

    /// The content of a text file of the spine; empty where it is missing.
    pub fn read_text(&self, name: &str) -> Result<String, Refusal> {
        Ok(String::from_utf8_lossy(&self.read(name)?.unwrap_or_default()).into_owned())
    }

    /// The refusal for a file of the spine that is not what it should be.
    pub fn damaged(&self, name: &str, damage: &Damage) -> Refusal {
        let path = self.path(name);
        let shown = self.shown(&path);
        if damage.conflict {
            return Refusal::new(
                codes::SPINE_CONFLICT,
                format!("`{shown}` line {}: {}", damage.line, damage.message),
            )
            .at(path, Some(damage.line), Some(damage.column))
            .hint(format!("finish the merge of `{shown}`, then run the command again; nothing was changed"));
        }
        Refusal::new(codes::SPINE_DAMAGED, format!("`{shown}` {damage}"))
            .at(path, Some(damage.line), Some(damage.column))
            .hint(format!("mend `{shown}` by hand or restore it from git; nothing was changed"))
    }

    /// Whether the spine is as the last write left it. Examined once.
    pub fn standing(&self) -> Result<&Standing, Refusal> {
        if let Some(standing) = self.standing.get() {
            return Ok(standing);
        }
        let mut standing = standing::examine(self)?;
        // A writer at work looks like an edit to one who holds no lock. What is wrong is looked at again with it;
        // where it can't be had, the first look counts.
        if standing.complaint().is_some()
            && let Ok(again) = self.locked(|| standing::examine(self))
        {
            standing = again?;
        }
        Ok(self.standing.get_or_init(|| standing))
    }

    /// Does something while no writer is at work.
    fn locked<T>(&self, look: impl FnOnce() -> T) -> Result<T, Refusal> {
        let held = Draft::lock(self)?;
        let value = look();
        drop(held);
        Ok(value)
    }

    /// Changes the spine: takes the lock, reads, lets `change` decide, and writes all of it or nothing.
    ///
    /// `change` must not run an external command: the lock is never held across one.
    pub fn write<T>(
        &self,
        by: &str,
        change: impl FnOnce(&mut Draft<'_, 'w>) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        self.unused.take();
        let mut draft = Draft::begin(self, by)?;
        let value = change(&mut draft)?;
        draft.commit()?;
        Ok(value)
    }
}

/// Refuses a root that lies below a `.git` which git doesn't take for the repository of a work tree. Without
/// git, several gates have less to hold on to, so `core.bare` must not be a way past them.
fn refuse_hidden_repository(spine: &Spine) -> Result<(), Refusal> {
    if spine.layout.is_some() {
        return Ok(());
    }
    let found = spine.root.ancestors().map(|folder| folder.join(".git")).find(|path| path.exists());
    let Some(found) = found else { return Ok(()) };
    Err(Refusal::new(codes::GIT, format!("`{}` is there, but git finds no work tree around the spine", found.display()))
        .hint("if `core.bare` was set, take it back with `git config core.bare false`; if it is no repository, remove it"))
}

/// The refusal for a file operation that failed.
pub fn io(error: FileError) -> Refusal {
    let path = error.path.clone();
    Refusal::new(codes::IO, error.to_string()).at(path, None, None)
}

/// The refusal for a question that git did not answer.
pub fn git(error: impl Display) -> Refusal {
    Refusal::new(codes::GIT, text::one_line(&error.to_string()))
}

/// A version as numbers; words count as 0.
fn dotted(version: &str) -> Vec<u64> {
    let mut numbers: Vec<u64> = version.split('.').map(|part| part.parse().unwrap_or(0)).collect();
    while numbers.last() == Some(&0) {
        numbers.pop();
    }
    numbers
}
