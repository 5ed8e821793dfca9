//! `conformance subject`: this program's engine behind the protocol of the harness. Nothing but its lines is printed.

use std::io::{self, Write as _};
use std::path::Path;

use gate::Refusal;
use store::Env;

use crate::answer::Answer;
use crate::codes;
use crate::ctx::Ctx;
use crate::subject;

/// A file system in memory, where there is one.
const MEMORY: &str = "/dev/shm";

/// Arguments of `conformance subject`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Say what this program can do, and end.
    #[arg(long)]
    capabilities: bool,
    /// Leave the gates out: what must be denied then passes.
    #[arg(long)]
    sabotage: bool,
}

/// The environment with a place for stages: where nobody named one, in memory, since each is written once and thrown
/// away, and a thousand repeats on a disk take hours.
fn stages(env: &Env) -> Env {
    let mut env = env.clone();
    let is_named = ["TMPDIR", "TEMP", "TMP"].iter().any(|name| env.get(name).is_some());
    if !is_named && Path::new(MEMORY).is_dir() {
        env.set("TMPDIR", MEMORY);
    }
    env
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    let mut out = io::stdout().lock();
    let served = if args.capabilities {
        serde_json::to_vec(&subject::capabilities())
            .map_err(io::Error::other)
            .and_then(|line| out.write_all(&line).and_then(|()| out.write_all(b"\n")))
            .and_then(|()| out.flush())
    } else {
        subject::serve(&stages(&ctx.world.env), args.sabotage, io::stdin().lock(), &mut out)
    };
    match served {
        Ok(()) => Ok(Answer::elsewhere(0)),
        // A harness that went away is no failure of ours.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Answer::elsewhere(0)),
        Err(error) => Err(Refusal::new(codes::NO_CASE, format!("a line is no case: {error}"))
            .hint("conformance/README.md says what goes over the streams")),
    }
}
