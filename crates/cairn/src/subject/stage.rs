//! The stage of one case: a workspace and a home of its own, a clock that stands still, and chance made of a seed.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use agents::AgentId;
use agents::install::Scope;
use canon::{Clock, Sha256, Timestamp};
use conformance::vector::Setup;
use govern::State;
use govern::knowledge::Entry;
use serde_json::{Map, Value, json};
use store::git::Scratch;
use store::{Entropy, Env, World, file};

use super::{Gates, Played, records};
use crate::hook::installed::Installed;

/// What stands for the workspace's folder in a case.
const WORKSPACE: &str = "<workspace>";

/// What stands for the home folder.
const HOME: &str = "<home>";

/// Between two steps.
const MINUTE: i64 = 60 * 1000;

/// Where a case is played. Everything on disk goes with it.
pub(crate) struct Stage {
    pub setup: Setup,
    pub gates: Gates,
    pub root: PathBuf,
    home: PathBuf,
    env: Env,
    step: i64,
    chance: Rc<Cell<u64>>,
    /// How many calls were announced.
    pub calls: u32,
    /// What was said to the agent's context, with the step.
    pub said: Vec<(i64, String)>,
    /// The step of the last compaction.
    pub compacted: i64,
    /// The entries of the knowledge store.
    pub entries: Vec<Entry>,
    _scratch: Scratch,
}

struct Still(Timestamp);

impl Clock for Still {
    fn now(&self) -> Timestamp {
        self.0
    }
}

/// Bytes that a seed and a counter make.
struct Seeded {
    seed: String,
    next: Rc<Cell<u64>>,
}

impl Entropy for Seeded {
    fn fill(&self, bytes: &mut [u8]) {
        for part in bytes.chunks_mut(32) {
            let n = self.next.get();
            self.next.set(n + 1);
            let block = Sha256::of(format!("{} {n}", self.seed));
            part.copy_from_slice(&block.as_bytes()[..part.len()]);
        }
    }
}

impl Stage {
    /// Lays out what a case begins with.
    pub fn build(setup: Setup, env: &Env, gates: Gates) -> Result<Self, String> {
        let scratch = Scratch::new(env).map_err(|error| error.to_string())?;
        let (root, home) = (scratch.path("workspace"), scratch.path("home"));
        for folder in [&root, &home] {
            fs::create_dir(folder).map_err(|error| error.to_string())?;
        }
        let mut own: Env = [("HOME", home.as_os_str())].into_iter().collect();
        for name in ["PATH", "TMPDIR", "TEMP", "TMP"] {
            if let Some(value) = env.get(name) {
                own.set(name, value);
            }
        }
        let chance = Rc::new(Cell::new(0));
        let stage = Self {
            setup,
            gates,
            root,
            home,
            env: own,
            step: -1,
            chance,
            calls: 0,
            said: Vec::new(),
            compacted: 0,
            entries: Vec::new(),
            _scratch: scratch,
        };
        for (name, content) in &stage.setup.files {
            stage.write(name, content)?;
        }
        stage.write_policy()?;
        if stage.is_broken("hook") {
            stage.switch_hooks_off()?;
        }
        if stage.is_broken("receipts") {
            fs::create_dir_all(stage.state()?.receipts()).map_err(|error| error.to_string())?;
        }
        Ok(stage)
    }

    /// Whether the setup says that a part is out of order.
    pub fn is_broken(&self, part: &str) -> bool {
        self.setup.broken.iter().any(|broken| broken == part)
    }

    /// What is asked of the gates lies where a person's own policy does.
    pub fn write_policy(&self) -> Result<(), String> {
        let mut policy = self.setup.policy.clone();
        policy.insert("schema".to_owned(), json!(1));
        let on: Vec<String> = match policy.remove("gates") {
            Some(gates) => serde_json::from_value(gates).map_err(|error| error.to_string())?,
            None => Vec::new(),
        };
        let switches: Map<String, Value> = on.into_iter().map(|gate| (gate, Value::Bool(true))).collect();
        policy.insert("gates".to_owned(), Value::Object(switches));
        let mut discipline = Map::new();
        for key in ["safeTurnDepth", "lessons"] {
            if let Some(value) = policy.remove(key) {
                discipline.insert(key.to_owned(), value);
            }
        }
        policy.insert("discipline".to_owned(), Value::Object(discipline));
        let text = if self.is_broken("gate") { "{".to_owned() } else { Value::Object(policy).to_string() };
        let path = self.home.join(".config/cairn/policy.json");
        Self::put(&path, text.as_bytes())
    }

    /// Lets Claude Code ask cairn before each call, and then switches its hooks off, as settings can.
    fn switch_hooks_off(&self) -> Result<(), String> {
        let program = self.home.join("bin/cairn");
        Self::put(&program, b"")?;
        #[cfg(unix)]
        {
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
            fs::set_permissions(&program, mode).map_err(|error| error.to_string())?;
        }
        let (state, world) = (self.state()?, self.world());
        let installed = Installed::new(&state, &world, &program);
        let steps = installed.plan_install(AgentId::Claude, Scope::Private);
        for step in steps.map_err(|refusal| refusal.message)? {
            installed.make(&step).map_err(|refusal| refusal.message)?;
            let text = fs::read(&step.path).map_err(|error| error.to_string())?;
            let mut settings: Value = canon::json::read(&text).map_err(|damage| damage.to_string())?;
            settings["disableAllHooks"] = json!(true);
            Self::put(&step.path, settings.to_string().as_bytes())?;
        }
        Ok(())
    }

    /// Writes a file of the workspace, as somebody else than the agent.
    pub fn write(&self, name: &str, content: &str) -> Result<(), String> {
        Self::put(&self.root.join(name), content.as_bytes())
    }

    fn put(path: &Path, bytes: &[u8]) -> Result<(), String> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        }
        fs::write(path, bytes).map_err(|error| error.to_string())
    }

    /// Goes on to the next step.
    pub fn next_step(&mut self) {
        self.step += 1;
    }

    /// The number of the step, from 0.
    pub fn step(&self) -> i64 {
        self.step
    }

    /// Whose payloads the events are: one that can't ask sends the same as one that can, and settings that switch hooks
    /// off are Claude Code's.
    pub fn agent(&self) -> AgentId {
        match (self.is_broken("hook"), self.setup.asks) {
            (true, _) => AgentId::Claude,
            (false, true) => AgentId::Generic,
            (false, false) => AgentId::OpenCode,
        }
    }

    /// The time of the step.
    pub fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.setup.clock.as_millis() + self.step.max(0) * MINUTE)
    }

    /// Folder, environment, clock and chance.
    pub fn world(&self) -> World {
        World {
            cwd: self.root.clone(),
            env: self.env.clone(),
            clock: Box::new(Still(self.now())),
            entropy: Box::new(Seeded { seed: self.setup.seed.clone(), next: Rc::clone(&self.chance) }),
        }
    }

    /// Where the gates keep their state.
    pub fn state(&self) -> Result<State, String> {
        State::of(None, &self.root, &self.env).map_err(|error| error.to_string())
    }

    /// A step with the places of this stage in it.
    pub fn with_places(&self, step: &Map<String, Value>) -> Map<String, Value> {
        let replace = |text: &str| {
            text.replace(WORKSPACE, &self.root.to_string_lossy()).replace(HOME, &self.home.to_string_lossy())
        };
        step.iter().map(|(key, value)| (key.clone(), mapped(value, &replace))).collect()
    }

    /// What a step gave, with the places of this stage taken out.
    pub fn masked(&self, played: Played) -> Value {
        let value = played.unwrap_or_else(|fault| json!({ "fault": fault }));
        let replace = |text: &str| {
            text.replace(&*self.root.to_string_lossy(), WORKSPACE)
                .replace(&*self.home.to_string_lossy(), HOME)
        };
        mapped(&value, &replace)
    }

    /// What the setup asks for beside the outputs.
    pub fn artifacts(&self) -> Map<String, Value> {
        let mut artifacts = Map::new();
        for name in &self.setup.artifacts {
            let artifact = match name.as_str() {
                "calls" => records::calls(self),
                "receipts" => records::lines(self),
                "tree" => Ok(json!(self.tree())),
                _ => Err(format!("`{name}` is no artifact that is known here")),
            };
            artifacts.insert(name.clone(), self.masked(artifact));
        }
        artifacts
    }

    /// The files of the workspace with their digests.
    fn tree(&self) -> BTreeMap<String, Sha256> {
        let mut tree = BTreeMap::new();
        let mut folders = vec![self.root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    folders.push(path);
                } else if let Ok(Some(bytes)) = file::read(&path) {
                    let name = path.strip_prefix(&self.root).unwrap_or(&path).to_string_lossy().into_owned();
                    tree.insert(name, Sha256::of(bytes));
                }
            }
        }
        tree
    }
}

/// A value with every text in it replaced.
fn mapped(value: &Value, replace: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(replace(text)),
        Value::Array(values) => values.iter().map(|value| mapped(value, replace)).collect(),
        Value::Object(members) => {
            members.iter().map(|(key, value)| (key.clone(), mapped(value, replace))).collect()
        }
        other => other.clone(),
    }
}
