//! `govern knowledge regen`: the blocks in AGENTS.md and Index.md made anew, in memory first (G14).

use gate::Refusal;
use govern::knowledge::budget::Size;
use govern::knowledge::vault::Blocks;
use schemars::JsonSchema;
use serde::Serialize;

use super::Desk;
use crate::answer::{Answer, Document};
use crate::page::Page;

/// Arguments of `govern knowledge regen`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Check what would be written, and write nothing.
    #[arg(long)]
    dry_run: bool,
}

/// What `govern knowledge regen` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Made {
    /// The files that changed, from the top of the repository.
    pub files: Vec<String>,
    /// The size of the whole of AGENTS.md.
    pub agents: Size,
    /// The size of what is managed of it.
    pub block: Size,
    /// The most that AGENTS.md may have.
    pub most: Size,
    /// Whether AGENTS.md is within that.
    pub fits: bool,
    /// Nothing was written.
    pub dry_run: bool,
}

impl Document for Made {
    fn render(&self, page: &mut Page) {
        match (self.files.is_empty(), self.dry_run) {
            (true, _) => page.ok("everything is as it should be"),
            (false, true) => page.line("these files would change"),
            (false, false) => page.ok("made anew"),
        }
        for file in &self.files {
            page.under(file);
        }
        let figures = self.agents.figures();
        if self.fits {
            page.under(format_args!("AGENTS.md: {figures}"));
        } else {
            page.caution(format_args!("AGENTS.md is over its budget: {figures}"));
        }
    }
}

/// Runs the command.
pub fn run(desk: &Desk, args: Args) -> Result<Answer, Refusal> {
    use govern::knowledge::budget::{BYTES, LINES};
    let writing = desk.vault.write()?;
    let planned = writing.plan(&writing.shelf.entries(), &[], Blocks::Both)?;
    let (agents, block) =
        planned.regenerated.as_ref().map(|made| (made.size, made.block)).unwrap_or_default();
    let document = Made {
        files: planned.names(),
        agents,
        block,
        most: Size { bytes: BYTES, lines: LINES },
        fits: agents.fits(),
        dry_run: args.dry_run,
    };
    if !args.dry_run {
        writing.commit(&planned)?;
    }
    Ok(Answer::of(&document))
}
