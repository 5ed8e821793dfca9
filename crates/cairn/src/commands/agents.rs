//! `agents`: the agent contract in AGENTS.md, CLAUDE.md and GEMINI.md. Idempotent to the byte; what the user
//! wrote stays, and nothing is written through a symbolic link.

use std::path::Path;

use chalk::contract::{self, FileResult, Installed, Outcome, definitions};
use gate::{Exit, Refusal};
use govern::State;
use govern::knowledge::vault;

use crate::answer::{Answer, Document};
use crate::ctx::Ctx;
use crate::page::Page;

/// Install or refresh the agent contract in AGENTS.md and CLAUDE.md
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Agent definitions for Claude Code, too.
    #[arg(long)]
    pub claude: bool,
}

impl Document for Installed {
    fn render(&self, page: &mut Page) {
        for file in &self.files {
            line(page, file);
        }
    }

    fn exit(&self) -> Exit {
        Self::exit(self)
    }
}

fn line(page: &mut Page, file: &FileResult) {
    let path = &file.path;
    let detail = file.detail.as_deref().unwrap_or_default();
    match file.outcome {
        Outcome::Created => page.ok(format_args!("{path}  created")),
        Outcome::Updated => page.ok(format_args!("{path}  updated")),
        Outcome::Unchanged => page.ok(format_args!("{path}  up to date")),
        Outcome::Linked => page.ok(format_args!("{path}  {detail}")),
        Outcome::LinkedElsewhere => page.caution(format_args!("{path}  {detail}")),
        Outcome::Kept => page.bad(format_args!("{path}  {detail}")),
    }
    for difference in &file.difference {
        page.under(difference);
    }
}

/// Puts the contract into the files, alone among those of this program that write them: the knowledge has a block of its
/// own in AGENTS.md.
pub(super) fn install(ctx: &Ctx<'_>, root: &Path) -> Result<Vec<FileResult>, Refusal> {
    // Where nothing is kept of the gates, there is no such block.
    let state = State::find(root, &ctx.world.env).ok().filter(|state| state.folder().is_dir());
    let guard = state.map(|state| vault::alone(state.folder())).transpose();
    let _guard = guard.map_err(|error| {
        Refusal::new(chalk::codes::LOCKED, error.to_string()).hint("try again; no file was changed")
    })?;
    contract::install(root, ctx.naming)
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    ctx.read(|session| {
        // In a linked work tree the files of that tree belong to its branch.
        let root = &session.spine.tree;
        let mut files = install(ctx, root)?;
        if args.claude {
            files.extend(definitions::install(root, ctx.naming)?);
        }
        Ok(Answer::of(&Installed { files }))
    })
}
