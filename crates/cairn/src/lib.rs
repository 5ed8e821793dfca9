//! The program: command lines in, documents or text out.
//!
//! Everything that decides lies in the crates below; here is one file a command in [`commands`], the
//! command line itself in [`cli`], and how answers look in [`page`]. [`run`] is the whole program but for
//! the process around it, so that tests drive it with a clock and an environment of their own.

pub mod ancestry;
pub mod answer;
pub mod cli;
pub mod codes;
pub mod commands;
pub mod ctx;
pub mod demo;
pub mod deploy;
pub mod help;
pub mod hook;
pub mod page;
pub mod schema;
pub mod subject;

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

use gate::Refusal;
use store::{Env, World};

use crate::answer::Answer;
use crate::cli::{Parsed, Request};
use crate::ctx::Ctx;
use crate::page::Page;

/// How the streams look at the other end.
#[derive(Debug, Clone, Copy, Default)]
pub struct Terminal {
    /// Colour on standard output.
    pub colour_out: bool,
    /// Colour on standard error.
    pub colour_err: bool,
    /// Standard error is a terminal, so that progress may be shown.
    pub progress: bool,
    /// Shows a text that ends in a question and takes the answer, yes or no; none where nobody is there to answer.
    pub ask: Option<fn(&str) -> bool>,
    /// Shows a text that asks for a word and takes the line that is typed; none where nobody is there to answer.
    pub typed: Option<fn(&str) -> String>,
    /// The agent's program from within which this one was started; none where that can't be told.
    pub started_by: Option<fn() -> Option<String>>,
    /// Where this program lies; none where that can't be told.
    pub program: Option<fn() -> Option<PathBuf>>,
}

/// Runs one command line and gives the exit code.
pub fn run(
    args: &[OsString],
    world: &World,
    terminal: Terminal,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    let parsed = cli::parse(args);
    let request = match parsed {
        Parsed::Request(request) => request,
        Parsed::Text(text) => {
            let _ = out.write_all(text.as_bytes());
            return 0;
        }
        Parsed::Help(help) => {
            let document = serde_json::to_value(help).unwrap_or_default();
            let _ = writeln!(out, "{}", canon::json::pretty(&document));
            return 0;
        }
        Parsed::Usage { refusal, json, exit } => {
            report(&refusal, json, terminal, out, err);
            return exit;
        }
    };
    let Request { command, json, naming, promoted } = request;
    let ctx = Ctx::new(world, cli::within(args), naming, promoted, json, terminal);
    let outcome = commands::dispatch(&ctx, command);
    let mut page = Page::new();
    for warning in ctx.take_warnings() {
        page.warning(&warning);
    }
    let _ = err.write_all(page.finish(terminal.colour_err).as_bytes());
    match outcome {
        Ok(answer) => print(answer, json, terminal, out, err),
        Err(refusal) => {
            report(&refusal, json, terminal, out, err);
            refusal.exit.code()
        }
    }
}

fn print(mut answer: Answer, json: bool, terminal: Terminal, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    if let Some(code) = answer.code_elsewhere() {
        return code;
    }
    if json || answer.is_document() {
        let _ = answer.write_json(out).and_then(|()| out.write_all(b"\n"));
        let _ = err.write_all(answer.text_beside().finish(terminal.colour_err).as_bytes());
    } else {
        let text = answer.text().finish(terminal.colour_out);
        // What a gate refuses belongs on standard error, where scripts look for it.
        let stream: &mut dyn Write = if answer.is_refusal() { err } else { out };
        let _ = stream.write_all(text.as_bytes());
    }
    answer.exit().code()
}

fn report(refusal: &Refusal, json: bool, terminal: Terminal, out: &mut dyn Write, err: &mut dyn Write) {
    if json {
        let document = serde_json::json!({ "error": refusal });
        let _ = writeln!(out, "{}", canon::json::pretty(&document));
    } else {
        let mut page = Page::new();
        page.refusal(refusal);
        let _ = err.write_all(page.finish(terminal.colour_err).as_bytes());
    }
}

/// Arms the fault point that `CAIRN_FAULT=<point>:<nth>:<kill|full|panic|stall>` names, in debug builds alone: tests
/// break writes off with it.
#[cfg_attr(not(debug_assertions), expect(unused_variables, reason = "release builds have no fault points"))]
pub fn arm_faults(env: &Env) {
    #[cfg(debug_assertions)]
    if let Some(order) = env.get("CAIRN_FAULT").and_then(|value| value.to_str()) {
        let mut parts = order.split(':');
        let (Some(point), Some(nth), Some(what)) = (parts.next(), parts.next(), parts.next()) else { return };
        if let Some(fault) = store::fault::Fault::parse(what) {
            store::fault::arm(point, nth.parse().unwrap_or(1), fault);
        }
    }
}
