//! `demo`: the whole life of a task in a temporary repository, with cheats that are refused.

use std::path::PathBuf;

use gate::{Exit, Refusal};

use crate::answer::{Answer, Document};
use crate::ctx::Ctx;
use crate::demo::{Stage, Told, tell};
use crate::page::Page;

/// Show the gates at work in a temporary repository
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Leave the repository where it is.
    #[arg(long)]
    pub keep: bool,
}

/// Lines of output that one step shows.
const LINES: usize = 6;

impl Document for Told {
    fn render(&self, page: &mut Page) {
        for (number, step) in self.steps.iter().enumerate() {
            let mark = if step.cheat { " (a cheat)" } else { "" };
            page.head(format_args!("{}. {}{mark}", number + 1, step.says));
            if let Some(command) = &step.command {
                page.under(format_args!("$ {command}"));
            }
            let lines: Vec<&str> = step.output.lines().filter(|line| !line.trim().is_empty()).collect();
            for line in lines.iter().take(LINES) {
                page.aside(format_args!("    {line}"));
            }
            if lines.len() > LINES {
                page.aside(format_args!("    ... {} more lines", lines.len() - LINES));
            }
            if !step.held {
                page.bad(format_args!("  this should not have ended with exit code {}", step.exit));
            }
            page.blank();
        }
        let broken = self.steps.iter().filter(|step| !step.held).count();
        if broken == 0 {
            page.ok(format_args!("{} of {} cheats refused, and the task is done", self.refused, self.cheats));
        } else {
            let steps = if broken == 1 { "1 step" } else { &format!("{broken} steps") };
            page.bad(format_args!("{steps} did not end as it should"));
        }
        if let Some(kept) = &self.kept {
            page.under(format_args!("the repository is kept in `{}`", kept.display()));
        }
    }

    fn exit(&self) -> Exit {
        if self.steps.iter().all(|step| step.held) { Exit::Done } else { Exit::Refused }
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    let parent = ctx.world.env.get("TMPDIR").map_or_else(|| PathBuf::from("/tmp"), PathBuf::from);
    let mut stage = Stage::set(ctx.world, &parent)?;
    ctx.progress().begin("the demonstration");
    let told = tell(&mut stage);
    ctx.progress().end("the demonstration", "over");
    let told = match told {
        Ok(()) => stage.end(args.keep),
        Err(refusal) => {
            stage.end(args.keep);
            return Err(refusal);
        }
    };
    Ok(Answer::of(&told))
}
