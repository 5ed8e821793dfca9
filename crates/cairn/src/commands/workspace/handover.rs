//! A workspace root that pins another version of chant is read by that version: the command line is handed to it as it
//! is, and its exit code is ours.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use chant::Place;
use chant::declaration::{HANDED_OVER, Handover, handover};
use gate::Refusal;

use crate::answer::Answer;
use crate::ctx::Ctx;

/// Hands the command line over, where the declaration in the tree that is read says so and the program is installed;
/// none where we answer ourselves.
///
/// # Errors
/// The program can't be started.
pub fn run(ctx: &Ctx<'_>, place: &Place<'_>, at: Option<&str>) -> Result<Option<Answer>, Refusal> {
    // Who was handed a command line answers it: it goes on once at most.
    if ctx.world.env.get(HANDED_OVER).is_some() || (place.layout().is_none() && at.is_some()) {
        return Ok(None);
    }
    let Some(handover) = pinned(place, at) else { return Ok(None) };
    start(ctx, &handover).map(|code| Some(Answer::elsewhere(code)))
}

/// What can't be read hands nothing over: the command itself says what is wrong.
fn pinned(place: &Place<'_>, at: Option<&str>) -> Option<Handover> {
    let tree = place.tree(at).ok()?;
    let found = place.declared(&*tree).ok()?;
    handover(&*tree, &found, &place.root().join(found.root.to_path()), place.root())
}

fn start(ctx: &Ctx<'_>, handover: &Handover) -> Result<u8, Refusal> {
    let program = handover.program.as_path();
    let mut command = if is_script_for_node(program) {
        let mut command = Command::new("node");
        command.arg(program);
        command
    } else {
        Command::new(program)
    };
    command
        .args(ctx.words)
        .current_dir(&ctx.world.cwd)
        .env_clear()
        .envs(ctx.world.env.iter())
        .env(HANDED_OVER, &handover.version);
    let status = command.status().map_err(|error| {
        let message = format!(
            "the declaration pins version {} of chant, and `{}` can't be started: {error}",
            handover.version,
            program.display()
        );
        Refusal::new(chant::codes::ROOT_CHANT_REQUIRED, message).hint("install it anew at the workspace root")
    })?;
    // A program that a signal ended has no code of its own.
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

/// Whether a file is JavaScript that the system can't start by itself.
fn is_script_for_node(program: &Path) -> bool {
    let is_script =
        program.extension().and_then(OsStr::to_str).is_some_and(|it| matches!(it, "js" | "mjs" | "cjs"));
    is_script && !is_executable(program)
}

/// Whether the system can start a file by itself.
#[cfg(unix)]
pub fn is_executable(program: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    program.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// Whether the system can start a file by itself, as far as its rights say so.
#[cfg(not(unix))]
pub fn is_executable(_: &Path) -> bool {
    false
}
