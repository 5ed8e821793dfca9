//! The cairn program.

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use store::{SystemClock, SystemEntropy, World};

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    if let Some((agent, event)) = cairn::hook::entry(&args) {
        return ExitCode::from(cairn::hook::run_in_time(agent, event.as_deref(), world()));
    }
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let someone = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    let terminal = cairn::Terminal {
        colour_out: anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never,
        colour_err: anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never,
        progress: std::io::stderr().is_terminal(),
        ask: someone.then_some(cairn::ctx::ask),
        typed: someone.then_some(cairn::ctx::typed),
        started_by: Some(cairn::ancestry::agent),
        program: Some(|| std::env::current_exe().ok()),
    };
    let code = cairn::run(&args, &world(), terminal, &mut out, &mut std::io::stderr());
    // A reader that went away (`cairn log | head`) is no failure of ours.
    let _ = out.flush();
    ExitCode::from(code)
}

fn world() -> World {
    let world = World {
        cwd: std::env::current_dir().unwrap_or_default(),
        env: std::env::vars_os().collect(),
        clock: Box::new(SystemClock),
        entropy: Box::new(SystemEntropy),
    };
    cairn::arm_faults(&world.env);
    world
}
