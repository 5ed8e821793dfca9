//! This program's own engine as a subject of the conformance suite: one case a line in, one answer a line out.
//!
//! Each family of operations is one module, which turns a step into a call of the real code: payloads go through
//! [`crate::hook`] as an agent's would, receipts are written and checked by `govern`. A case is played on a [`stage`] of
//! its own. Nothing here knows a vector: the harness sends neither its id nor what it expects.

mod adapters;
mod deployment;
mod discipline;
mod engine;
mod knowledge;
mod records;
mod spec_format;
mod stage;

use std::io::{self, BufRead, Write};

use conformance::protocol::{Capabilities, Case, PROTOCOL, Reply, Status};
use conformance::vector::{Level, Step};
use serde_json::{Map, Value};
use store::Env;

use stage::Stage;

/// What this program answers, by family.
const CLAIMED: &[&[&str]] = &[
    engine::CLAIMED,
    records::CLAIMED,
    adapters::CLAIMED,
    deployment::CLAIMED,
    discipline::CLAIMED,
    knowledge::CLAIMED,
    spec_format::CLAIMED,
];

/// What is specified and not there yet.
const NOT_YET: &[&str] = &[];

/// Whether the gates are there. Without them no hook is asked: what a vector expects to be denied must then pass, or it
/// would have proved nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gates {
    /// They are.
    On,
    /// They are not.
    Off,
}

/// What a step gives, or why it can't be played.
pub(crate) type Played = Result<Value, String>;

/// What this program can do.
pub fn capabilities() -> Capabilities {
    let words = |tags: &[&str]| tags.iter().map(|tag| (*tag).to_owned()).collect();
    Capabilities {
        protocol: PROTOCOL,
        name: "cairn".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        capabilities: words(&CLAIMED.concat()),
        specified_not_implemented: words(NOT_YET),
        levels: Level::ALL.to_vec(),
        sabotage: true,
    }
}

/// Answers cases until there are no more. With `sabotage` the gates are left out.
///
/// # Errors
/// A stream breaks off, or a line is no case.
pub fn serve(env: &Env, sabotage: bool, input: impl BufRead, output: &mut dyn Write) -> io::Result<()> {
    let gates = if sabotage { Gates::Off } else { Gates::On };
    for line in input.lines() {
        let case: Case = canon::json::read(line?.as_bytes()).map_err(io::Error::other)?;
        let reply = answer(case, env, gates);
        serde_json::to_writer(&mut *output, &reply)?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
    Ok(())
}

fn answer(case: Case, env: &Env, gates: Gates) -> Reply {
    let is_claimed = |tag: &String| CLAIMED.iter().any(|tags| tags.contains(&tag.as_str()));
    let is_known = |tag: &String| is_claimed(tag) || NOT_YET.contains(&tag.as_str());
    let status = if case.requires.iter().all(is_claimed) {
        Status::Done
    } else if case.requires.iter().all(is_known) {
        Status::SpecifiedNotImplemented
    } else {
        Status::Unsupported
    };
    let mut reply = Reply { id: case.id, status, outputs: Vec::new(), artifacts: Map::new() };
    if status != Status::Done {
        return reply;
    }
    let played = Stage::build(case.setup, env, gates).map(|mut stage| {
        let mut outputs = Vec::new();
        for step in &case.steps {
            let played = play(&mut stage, step);
            outputs.push(stage.masked(played));
        }
        (outputs, stage.artifacts())
    });
    match played {
        Ok((outputs, artifacts)) => {
            reply.outputs = outputs;
            reply.artifacts = artifacts;
        }
        Err(fault) => reply.outputs = vec![serde_json::json!({ "fault": fault })],
    }
    reply
}

/// Plays one step.
fn play(stage: &mut Stage, Step(step): &Step) -> Played {
    stage.next_step();
    let step = stage.with_places(step);
    if step.contains_key("event") {
        return engine::play(stage, &step);
    }
    let op = step.get("op").and_then(Value::as_str).unwrap_or_default();
    let families = [
        records::play,
        adapters::play,
        deployment::play,
        discipline::play,
        knowledge::play,
        spec_format::play,
    ];
    families
        .iter()
        .find_map(|play| play(stage, op, &step))
        .unwrap_or_else(|| Err(format!("`{op}` is no operation that is known here")))
}
