//! The demonstration: a scripted agent and a scripted reviewer take one task through its whole life in a
//! repository of their own, and try to cheat on the way.
//!
//! Nothing is staged on cairn's side: every command goes through the same entry as a user's, and the
//! demonstration fails when a cheat gets through.

mod agent;
mod files;
mod story;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use chalk::codes;
use gate::Refusal;
use schemars::JsonSchema;
use serde::Serialize;
use store::git::Git;
use store::{Env, SystemClock, SystemEntropy, World};

use crate::Terminal;

pub use story::tell;

/// What happened in the demonstration.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Told {
    /// Every step, in order.
    pub steps: Vec<Step>,
    /// How many cheats were staged.
    pub cheats: usize,
    /// How many of them were refused.
    pub refused: usize,
    /// Where the repository lies, if it was kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<PathBuf>,
}

/// One step.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Step {
    /// What the agent or the person does.
    pub says: String,
    /// The command; none where only files changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// What it printed.
    pub output: String,
    /// Its exit code.
    pub exit: u8,
    /// The step is a cheat.
    pub cheat: bool,
    /// It ended as it should: refused where it is a cheat, done otherwise.
    pub held: bool,
}

/// A stage for the demonstration: a repository, a home folder, and tools that lie outside the
/// repository, where the agent can't change them.
pub struct Stage {
    folder: PathBuf,
    env: Env,
    told: Told,
}

impl Stage {
    /// Sets the stage in a new folder below `parent`.
    pub fn set(world: &World, parent: &Path) -> Result<Self, Refusal> {
        let folder = new_folder(world, parent)?;
        let mut env = world.env.without_git();
        env.set("HOME", folder.join("home"));
        env.set("XDG_CONFIG_HOME", folder.join("home"));
        env.set("XDG_STATE_HOME", folder.join("home"));
        let stage = Self { folder, env, told: Told::default() };
        for name in ["home", "tools", "project"] {
            let path = stage.folder.join(name);
            fs::create_dir_all(&path).map_err(|error| failed(&path, &error))?;
        }
        for (name, content) in files::TOOLS {
            Self::write_at(&stage.folder.join("tools").join(name), content)?;
        }
        for (name, content) in files::PROJECT {
            stage.write(name, content)?;
        }
        stage.git(&["init", "-q", "-b", "main"])?;
        stage.commit("The project as it was")?;
        Ok(stage)
    }

    /// The repository.
    pub fn project(&self) -> PathBuf {
        self.folder.join("project")
    }

    /// The command that runs a tool from outside the repository. The author runs in a folder of its own, so the
    /// path is a whole one.
    pub fn tool(&self, name: &str) -> String {
        format!("sh '{}'", self.folder.join("tools").join(name).display())
    }

    /// Writes a file of the project, as the agent or a person would.
    pub fn write(&self, name: &str, content: &str) -> Result<(), Refusal> {
        Self::write_at(&self.project().join(name), content)
    }

    fn write_at(path: &Path, content: &str) -> Result<(), Refusal> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
        }
        fs::write(path, content).map_err(|error| failed(path, &error))
    }

    /// Reads a file of the project.
    pub fn read(&self, name: &str) -> Result<String, Refusal> {
        let path = self.project().join(name);
        fs::read_to_string(&path).map_err(|error| failed(&path, &error))
    }

    fn git(&self, args: &[&str]) -> Result<(), Refusal> {
        let identity =
            ["-c", "user.name=Demo", "-c", "user.email=demo@example.org", "-c", "commit.gpgsign=false"];
        Git::new(self.project(), &self.env)
            .output(identity.iter().chain(args))
            .map(drop)
            .map_err(|error| Refusal::new(codes::GIT, error.to_string()))
    }

    /// Commits everything.
    pub fn commit(&self, message: &str) -> Result<(), Refusal> {
        self.git(&["add", "-A"])?;
        self.git(&["commit", "-q", "--allow-empty", "-m", message])
    }

    /// Adds a file to git even though it is ignored.
    pub fn force_add(&self, name: &str) -> Result<(), Refusal> {
        self.git(&["add", "-f", name])
    }

    /// Takes a file out of git's index again.
    pub fn unstage(&self, name: &str) -> Result<(), Refusal> {
        self.git(&["reset", "-q", "--", name])
    }

    /// Runs a command of cairn that should do what it is asked.
    pub fn does(&mut self, says: &str, args: &[&str]) -> String {
        self.step(says, args, 0, "", false)
    }

    /// Runs a command that should be refused with this exit code and a text that holds `reason`.
    pub fn cheats(&mut self, says: &str, args: &[&str], exit: u8, reason: &str) {
        self.step(says, args, exit, reason, true);
    }

    fn step(&mut self, says: &str, args: &[&str], exit: u8, holds: &str, cheat: bool) -> String {
        let words: Vec<OsString> =
            std::iter::once("cairn").chain(args.iter().copied()).map(OsString::from).collect();
        let world = World {
            cwd: self.project(),
            env: self.env.clone(),
            clock: Box::new(SystemClock),
            entropy: Box::new(SystemEntropy),
        };
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let terminal = Terminal { program: Some(|| std::env::current_exe().ok()), ..Terminal::default() };
        let code = crate::run(&words, &world, terminal, &mut out, &mut err);
        let output = format!("{}{}", String::from_utf8_lossy(&out), String::from_utf8_lossy(&err));
        let held = code == exit && output.contains(holds);
        self.told(says, format!("cairn {}", shown(args)), output.clone(), code, held, cheat);
        output
    }

    fn told(&mut self, says: &str, command: String, output: String, exit: u8, held: bool, cheat: bool) {
        self.told.cheats += usize::from(cheat);
        self.told.refused += usize::from(cheat && held);
        let command = Some(command);
        self.told.steps.push(Step { says: says.to_owned(), command, output, exit, cheat, held });
    }

    /// Notes a cheat that no command refuses because there is nothing to find.
    pub fn finds_nothing(&mut self, says: &str, args: &[&str], secret: &str) {
        let output = self.step(says, args, 0, "", false);
        let held = !output.contains(secret);
        self.told.cheats += 1;
        self.told.refused += usize::from(held);
        if let Some(step) = self.told.steps.last_mut() {
            step.cheat = true;
            step.held = step.held && held;
        }
    }

    /// Ends the demonstration: the folder goes, unless it is kept.
    pub fn end(mut self, keep: bool) -> Told {
        if keep {
            self.told.kept = Some(self.project());
        } else {
            let _ = fs::remove_dir_all(&self.folder);
        }
        self.told
    }
}

/// A folder below `parent` that nobody else has.
fn new_folder(world: &World, parent: &Path) -> Result<PathBuf, Refusal> {
    loop {
        let folder = parent.join(world.new_id("cairn-demo"));
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(&folder, &error)),
        }
    }
}

/// The words of a command line as a person would type them.
fn shown(args: &[&str]) -> String {
    let quote = |word: &&str| {
        let plain = !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "-_./=:".contains(c));
        if plain { (*word).to_owned() } else { format!("\"{word}\"") }
    };
    args.iter().map(quote).collect::<Vec<_>>().join(" ")
}

fn failed(path: &Path, error: &std::io::Error) -> Refusal {
    Refusal::new(codes::IO, format!("`{}`: {error}", path.display()))
}
