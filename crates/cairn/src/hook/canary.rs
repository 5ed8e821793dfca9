//! A canary: a harmless call that must be denied, judged as an agent's would be.

use std::io::Cursor;

use agents::AgentId;
use canon::{Clock, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use store::git::Layout;
use store::{SystemEntropy, World};

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Canary {
    /// The gate denied it, for the reason that it should.
    pub alive: bool,
    /// The same in words.
    pub message: String,
}

/// A clock that stands still.
pub(super) struct Still(pub(super) Timestamp);

impl Clock for Still {
    fn now(&self) -> Timestamp {
        self.0
    }
}

/// Asks the gate for an edit below `.git/`. Nothing is written but the receipt of the denial.
pub fn ask(world: &World) -> Canary {
    let root = Layout::discover(&world.cwd)
        .ok()
        .flatten()
        .map_or_else(|| world.cwd.clone(), |layout| layout.work_tree);
    let payload = json!({
        "event": "pre_tool",
        "session": "canary",
        "call": format!("canary-{}", world.now().as_millis()),
        "tool": "edit",
        "args": { "path": root.join(".git/cairn-canary") },
        "cwd": world.cwd,
    });
    let (cwd, env, now) = (world.cwd.clone(), world.env.clone(), world.now());
    let world = World { cwd, env, clock: Box::new(Still(now)), entropy: Box::new(SystemEntropy) };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let input = Cursor::new(payload.to_string().into_bytes());
    super::run(AgentId::Generic, Some("pre_tool"), world, input, &mut out, &mut err);
    let answer: Value = serde_json::from_slice(&out).unwrap_or_default();
    let text = |key: &str| answer[key].as_str().unwrap_or_default();
    let alive = text("decision") == "deny" && text("rule") == "cairn:git";
    let message = match text("decision") {
        _ if alive => "an edit below `.git/` is denied".to_owned(),
        "deny" => format!("every call is denied: {}", text("reason")),
        "" => "the gate gave no answer".to_owned(),
        other => format!("an edit below `.git/` was answered with {other}"),
    };
    Canary { alive, message }
}
