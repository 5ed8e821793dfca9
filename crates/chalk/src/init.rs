//! `init`: a new spine.

use std::fs;
use std::path::Path;
use std::time::Duration;

use canon::{Sha256, json, text};
use gate::Refusal;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use store::chain::Chain;
use store::file;
use store::lock::WriteLock;
use store::transaction::{self, Transaction};

use crate::codes;
use crate::model::log::DECISIONS_HEADING;
use crate::preset::{self, Preset};
use crate::root::Spine;
use crate::session::{Session, io};
use crate::standing::Written;

/// What `init` was asked for.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The project's name; the folder's where none is given.
    pub name: Option<String>,
    /// What is being built.
    pub goal: Option<String>,
    /// The name of a preset.
    pub preset: Option<String>,
    /// No preset, not even a recognised one.
    pub bare: bool,
    /// Put before each configured command.
    pub runner: Option<String>,
    /// The test command.
    pub verify_test: Option<String>,
    /// The executor's command; with `claude`, planner, retro and reviewer too.
    pub executor: Option<&'static str>,
    /// Findings that the published protocol only reports refuse from the start.
    pub strict: bool,
}

/// What `init` made.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Made {
    /// The project's name.
    pub name: String,
    /// The preset in use; none where nothing was recognised.
    pub preset: Option<String>,
    /// Other toolchains whose files lie here.
    pub also_found: Vec<String>,
    /// The test command; empty means that `verify` is vacuous.
    pub test: String,
    /// The files that were written, relative to the root.
    pub files: Vec<String>,
    /// What was done to the agents' instruction files.
    pub contract: Vec<String>,
    /// The command that comes next.
    pub next: String,
}

/// Makes the spine in the working folder.
pub fn init(session: &Session<'_>, request: &Request) -> Result<Made, Refusal> {
    let root = &session.spine.root;
    refuse_existing(session)?;
    let found = preset::detect(root);
    let preset = match (&request.preset, request.bare) {
        (Some(name), _) => Some(preset::named(name).ok_or_else(|| unknown_preset(name))?),
        (None, true) => None,
        (None, false) => found.first().copied(),
    };
    let name = request
        .name
        .clone()
        .or_else(|| root.file_name().map(|name| name.to_string_lossy().into_owned()))
        .map_or_else(|| "untitled".to_owned(), |name| text::one_line(&name));
    let goal = request.goal.as_deref().map(text::one_line).unwrap_or_default();
    let config = config(session, request, preset, &name, &goal);
    let config_text = format!("{}\n", json::pretty(&config));
    let files = write_files(session, &name, &goal, &config_text)?;
    let also_found =
        if request.bare || request.preset.is_some() { &[][..] } else { found.get(1..).unwrap_or(&[]) };
    Ok(Made {
        name,
        preset: preset.map(|preset| preset.name.to_owned()),
        also_found: also_found.iter().map(|preset| preset.name.to_owned()).collect(),
        test: config["protocol"]["verify"]["test"].as_str().unwrap_or_default().to_owned(),
        files,
        contract: Vec::new(),
        next: session.cmd("task add \"<title>\""),
    })
}

fn refuse_existing(session: &Session<'_>) -> Result<(), Refusal> {
    let root = &session.spine.root;
    let folder = session.spine.folder();
    if fs::symlink_metadata(&folder).is_ok_and(|metadata| metadata.is_symlink()) {
        return Err(Refusal::new(codes::IO, format!("`{}` is a symbolic link", session.shown(&folder)))
            .hint("make it a folder; nothing is written through a link"));
    }
    let around = Spine::find(root).ok().flatten();
    if let Some(found) = around.as_ref().filter(|found| found.is_linked()) {
        return Err(Refusal::new(
            codes::SPINE_EXISTS,
            format!("this work tree uses the spine of the main checkout, `{}`", found.root.display()),
        )
        .next(session.cmd("status")));
    }
    if fs::symlink_metadata(session.path("chalk.json")).is_ok() {
        return Err(Refusal::new(codes::SPINE_EXISTS, "`.chalk/chalk.json` exists already")
            .next(session.cmd("status")));
    }
    if let Some(found) = around {
        session.warn(format!(
            "`{}` has a spine too; from here on, this folder uses its own",
            found.root.display()
        ));
    }
    Ok(())
}

fn unknown_preset(name: &str) -> Refusal {
    let names: Vec<&str> = preset::ALL.iter().map(|preset| preset.name).collect();
    Refusal::new(codes::USAGE, format!("no preset is called `{name}`"))
        .hint(format!("one of {}", names.join(", ")))
}

/// `chalk.json` with the published keys in their order, and the defaults of the protocol.
fn config(
    session: &Session<'_>,
    request: &Request,
    preset: Option<&Preset>,
    name: &str,
    goal: &str,
) -> Value {
    let mut verify = preset
        .map_or_else(|| json!({ "test": "", "typecheck": "", "lint": "", "build": "" }), Preset::verify);
    if let Some(test) = &request.verify_test {
        verify["test"] = json!(test);
    }
    let executor = request.executor.unwrap_or_default();
    let claude = executor.starts_with("claude");
    let helper = if claude { executor } else { "" };
    let cadence = if claude { json!(["per-task"]) } else { json!([]) };
    let now = session.now();
    let regression = preset.map_or("", |preset| preset.regression);
    let mut config = json!({
        "version": "1.0",
        "project": { "name": name, "description": goal },
        "protocol": {
            "version": "chalk/0",
            "phase": "discovery",
            "status": "active",
            "runner": request.runner.as_deref().unwrap_or_default(),
            "verify": verify,
            "review": { "command": helper, "requiredAt": cadence },
            "regression": {
                "command": regression, "authorCommand": "", "dir": ".chalk/held-out", "required": false,
                "tests": [], "locPerTest": 2000, "lastAudit": null
            },
            "planner": { "command": helper },
            "plan": { "required": false },
            "director": { "required": false },
            "executor": { "command": executor },
            "requireTest": true,
            "contextBudget": 65536,
            "integrity": "in-progress",
            "tamperEvident": false,
            "breakTest": preset.map_or("", |preset| preset.break_test),
            "mutation": "",
            "handoff": { "command": "", "maxAttempts": 3 },
            "prbody": { "command": "" },
            "github": {
                "command": "gh", "base": "main", "repo": "", "deployBase": "main", "mergeMethod": "squash",
                "labelType": { "bug": "fix", "enhancement": "feat", "documentation": "docs" },
                "ciPollIntervalMs": 5000, "ciPollAttempts": 24
            },
            "worktree": { "enabled": true, "dir": "..", "setup": "" },
            "e2e": { "command": "", "baseUrl": "", "runsDir": ".chalk/runs", "specPattern": ".test.yaml" },
            "retro": { "command": helper },
            "feedback": { "command": "" },
            "discovery": { "command": "" },
            "portal": { "dir": ".project" },
            "telemetry": { "enabled": false, "endpoint": "" }
        },
        "createdAt": now,
        "updatedAt": now,
    });
    if preset.is_some_and(|preset| preset.name == "flutter") {
        config["protocol"]["regression"]["testDir"] = json!("test");
    }
    if request.strict
        && let Some(protocol) = config["protocol"].as_object_mut()
    {
        let strict = Map::from_iter(
            [("doneLevers", "refuse"), ("lockDeciders", "refuse")].map(|(k, v)| (k.into(), v.into())),
        );
        protocol.extend(strict);
    }
    config
}

/// What must not be committed: the held-out set, what belongs to this machine, and what a crash leaves.
const GITIGNORE: &str = "held-out/*\n!held-out/README.md\nlocal/\n.lock\n*.tmp\n";

fn write_files(session: &Session<'_>, name: &str, goal: &str, config: &str) -> Result<Vec<String>, Refusal> {
    let root = &session.spine.root;
    let folder = session.spine.folder();
    file::create_folder(root, &folder.join("held-out")).map_err(io)?;
    let state = session.create_state()?.to_owned();
    let lock = WriteLock::acquire(
        &session.path(".lock"),
        &state.join("lock"),
        Duration::from_secs(15),
        session.now(),
    )
    .map_err(|error| Refusal::new(codes::LOCKED, error.to_string()))?;
    let journal = state.join("journal.json");
    transaction::recover(&journal).map_err(|error| Refusal::new(codes::IO, error.to_string()))?;
    // Another `init` may have come first.
    refuse_existing(session)?;
    let goal_line = if goal.is_empty() { String::new() } else { format!("> {goal}\n\n") };
    let spec = format!(
        "# {name} — spec\n\n{goal_line}_What is built here, its boundaries, and what was decided to last._\n"
    );
    let readme = "# Held-out set\n\n\
        Tests that the implementing agent never reads. They are locked with `guard add`, run by `audit`, and\n\
        kept out of git and of every context.\n";
    let tasks = "[]\n";
    // The file that makes it a spine comes last.
    let files: [(&str, &str); 8] = [
        (".gitignore", GITIGNORE),
        ("held-out/README.md", readme),
        ("spec.md", &spec),
        ("decisions.md", DECISIONS_HEADING),
        ("updates.jsonl", ""),
        ("questions.json", "[]\n"),
        ("tasks.json", tasks),
        ("chalk.json", config),
    ];
    let mut transaction = Transaction::new();
    let mut written = Vec::new();
    for (file, content) in files {
        let path = session.path(file);
        if file::read(&path).map_err(io)?.is_none() {
            written.push(session.shown(&path));
            transaction.replace(path, content);
        }
    }
    let tasks =
        file::read(&session.path("tasks.json")).map_err(io)?.map_or_else(|| Sha256::of(tasks), Sha256::of);
    let body = Written {
        by: "init".to_owned(),
        files: [("chalk.json", Sha256::of(config)), ("tasks.json", tasks)]
            .map(|(name, digest)| (name.to_owned(), Some(digest)))
            .into(),
        ..Written::default()
    };
    let chain = session.spine_chain()?;
    // A spine that was deleted and made anew goes on in the same record.
    let last = chain.last().map_err(|error| Refusal::new(codes::IO, error.to_string()))?;
    let body = serde_json::to_value(body).unwrap_or_default();
    let record = Chain::next(last.as_ref(), session.now(), "init", body);
    transaction.record(chain, record);
    transaction.commit(&journal).map_err(io)?;
    drop(lock);
    Ok(written)
}

/// The folder in which `init` was called, as a spine that doesn't exist yet.
pub fn place(cwd: &Path) -> Result<Spine, Refusal> {
    Spine::at(cwd).map_err(|error| Refusal::new(codes::IO, format!("`{}`: {error}", cwd.display())))
}
