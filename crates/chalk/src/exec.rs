//! The configured commands: gates, reviewers, executors and authors, each through the user's shell, with
//! its output in a file of the state folder.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use canon::Sha256;
use gate::Refusal;
use gate::run::{self, Capture, Command, Input, Program, Ran};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::codes;
use crate::session::Session;

/// How many log folders are kept.
const KEPT: usize = 50;

/// A folder of the state folder for the logs of one command of the program.
#[derive(Debug, Clone)]
pub struct Logs {
    folder: PathBuf,
}

impl Logs {
    /// Makes a new folder named after the instant and `what`; the oldest ones beyond [`KEPT`] go.
    pub fn create(session: &Session<'_>, what: &str) -> Result<Self, Refusal> {
        let all = session.create_state()?.join("logs");
        let fail = |path: &Path, error: std::io::Error| {
            Refusal::new(codes::IO, format!("cannot create `{}`: {error}", path.display()))
        };
        fs::create_dir_all(&all).map_err(|error| fail(&all, error))?;
        thin_out(&all);
        let stamp: String = session.now().to_string().chars().filter(char::is_ascii_alphanumeric).collect();
        let folder = all.join(format!("{stamp}-{what}-{}", std::process::id()));
        fs::create_dir_all(&folder).map_err(|error| fail(&folder, error))?;
        Ok(Self { folder })
    }

    /// A file of the folder; characters that a file name can't have become dashes.
    pub fn file(&self, name: &str) -> PathBuf {
        let safe = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_') { c } else { '-' };
        let name: String = name.chars().map(safe).collect();
        self.folder.join(name)
    }
}

/// Folder names begin with the instant, so the oldest come first.
fn thin_out(all: &Path) {
    let Ok(entries) = fs::read_dir(all) else { return };
    let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    folders.sort();
    let surplus = folders.len().saturating_sub(KEPT - 1);
    for folder in &folders[..surplus] {
        let _ = fs::remove_dir_all(folder);
    }
}

/// What is kept of one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunRecord {
    /// The command as configured.
    pub command: String,
    /// How it ended, as in `exit code 1`.
    pub cause: String,
    /// Whether it ended with exit code 0.
    pub success: bool,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// Where its output lies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<PathBuf>,
    /// The digest of its output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_sha256: Option<Sha256>,
}

impl RunRecord {
    /// From what the runner measured.
    pub fn new(command: &str, ran: &Ran, log: Option<&Path>) -> Self {
        Self {
            command: command.to_owned(),
            cause: ran.cause(),
            success: ran.success(),
            duration_ms: u64::try_from(ran.duration.as_millis()).unwrap_or(u64::MAX),
            log: log.map(Path::to_owned),
            log_sha256: ran.log.as_ref().map(|log| log.sha256),
        }
    }
}

/// Names the roots whose gates are running, one a line, to what they run.
const WITHIN: &str = "CAIRN_WITHIN";

/// The caller's environment for a child, without git's own variables, and with the root whose gate runs it.
pub fn environment(session: &Session<'_>) -> Vec<(OsString, OsString)> {
    let mut env = session.world.env.without_git();
    let mut within = env
        .get(WITHIN)
        .map(|roots| {
            let mut roots = roots.to_owned();
            roots.push("\n");
            roots
        })
        .unwrap_or_default();
    within.push(&session.spine.root);
    env.set(WITHIN, within);
    env.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// Refuses to run a configured command from within one: a gate that calls itself would never end.
fn refuse_circle(session: &Session<'_>) -> Result<(), Refusal> {
    let root = session.spine.root.as_os_str().as_encoded_bytes();
    let within =
        session.world.env.get(WITHIN).map(|roots| roots.as_encoded_bytes().to_vec()).unwrap_or_default();
    if within.split(|&byte| byte == b'\n').all(|line| line != root) {
        return Ok(());
    }
    Err(Refusal::new(codes::CIRCLE, "a command that a gate runs calls a gate of the same spine")
        .hint("look at the commands of `protocol` in `.chalk/chalk.json`: one of them calls this program"))
}

/// Runs the executor: an agent, which calls gates itself.
pub fn run_agent(
    session: &Session<'_>,
    program: Program,
    dir: &Path,
    stdin: Input,
    seconds: u64,
    capture: Capture,
) -> Result<Ran, Refusal> {
    refuse_circle(session)?;
    let env = session.world.env.without_git();
    let env = env.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    start(env, program, dir, stdin, seconds, capture)
}

/// Runs a program in `dir` and waits for it.
pub fn run(
    session: &Session<'_>,
    program: Program,
    dir: &Path,
    stdin: Input,
    seconds: u64,
    capture: Capture,
) -> Result<Ran, Refusal> {
    refuse_circle(session)?;
    start(environment(session), program, dir, stdin, seconds, capture)
}

fn start(
    env: Vec<(OsString, OsString)>,
    program: Program,
    dir: &Path,
    stdin: Input,
    seconds: u64,
    capture: Capture,
) -> Result<Ran, Refusal> {
    run::run(&Command {
        program,
        dir: dir.to_owned(),
        env,
        stdin,
        deadline: (seconds > 0).then(|| Duration::from_secs(seconds)),
        capture,
    })
    .map_err(|error| Refusal::new(codes::IO, format!("cannot run a command in `{}`: {error}", dir.display())))
}
