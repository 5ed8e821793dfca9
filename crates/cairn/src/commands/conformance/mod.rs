//! `conformance`: the published vectors, held against this program or any other implementation.

mod list;
mod run;
mod subject;
mod verify;

use std::ffi::OsString;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use conformance::{Level, Options, Subject};
use gate::Refusal;

pub use list::Listed;
pub use run::Printed;
pub use verify::Verified;

use crate::answer::Answer;
use crate::codes;
use crate::ctx::Ctx;

/// How long an answer may take. The largest case is a payload of 10 MB.
const DEADLINE: Duration = Duration::from_secs(20);

/// Hold this program or another implementation against the published vectors
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub action: Action,
}

/// What `conformance` does.
#[derive(Debug, clap::Subcommand)]
pub enum Action {
    /// Send every vector to an implementation and judge its answers
    Run(run::Args),
    /// Check an attestation that somebody signed, and perhaps make the same run
    Verify(verify::Args),
    /// List the vectors
    List(list::Args),
    /// Answer cases on standard input, as this program's own engine does
    Subject(subject::Args),
}

fn level(word: &str) -> Result<Level, String> {
    Level::parse(word).ok_or_else(|| "the levels are core, extended and full".to_owned())
}

/// The implementation of a command line, or this program itself as a process of its own.
fn subject_of(ctx: &Ctx<'_>, command: &[OsString]) -> Result<Subject, Refusal> {
    let argv = if command.is_empty() {
        let program = crate::commands::hook::program(ctx)?;
        vec![program.into_os_string(), "conformance".into(), "subject".into()]
    } else {
        command.to_vec()
    };
    Ok(Subject { argv, dir: ctx.world.cwd.clone(), env: ctx.world.env.clone() })
}

fn jobs() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// A folder that goes when it is dropped, for the homes of subjects.
fn room(ctx: &Ctx<'_>) -> Result<store::git::Scratch, Refusal> {
    store::git::Scratch::new(&ctx.world.env)
        .map_err(|error| Refusal::new(codes::NOT_WRITTEN, error.to_string()))
}

fn scratch(room: &store::git::Scratch) -> PathBuf {
    room.path("")
}

fn options(room: &store::git::Scratch, repeat: u32, fresh: u32, deadline: Duration) -> Options {
    Options {
        level: None,
        family: None,
        repeat,
        fresh,
        sabotage: false,
        deadline,
        jobs: jobs(),
        scratch: scratch(room),
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    match args.action {
        Action::Run(args) => run::run(ctx, args),
        Action::Verify(args) => verify::run(ctx, args),
        Action::List(args) => list::run(ctx, args),
        Action::Subject(args) => subject::run(ctx, args),
    }
}
