//! `govern knowledge pass`: what the evidence makes of the entries, and of AGENTS.md.

use gate::Refusal;
use govern::knowledge::budget::Size;
use govern::knowledge::codes;
use govern::knowledge::lifecycle::{Change, Event, Room, pass};
use govern::knowledge::vault::Blocks;
use schemars::JsonSchema;
use serde::Serialize;

use super::Desk;
use crate::answer::{Answer, Document};
use crate::ctx::Ctx;
use crate::page::Page;

/// Arguments of `govern knowledge pass`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Say what would change, and write nothing.
    #[arg(long)]
    dry_run: bool,
}

/// What `govern knowledge pass` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Passed {
    /// What changed, by entry.
    pub changes: Vec<Change>,
    /// Entries that would be in force, if AGENTS.md had room for them.
    pub held_back: Vec<String>,
    /// How many pieces of evidence somebody added.
    pub added: usize,
    /// How many pieces the receipts show.
    pub receipted: usize,
    /// What the pass had to do without (C-5).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adaptation: Option<String>,
    /// The files that changed, from the top of the repository.
    pub files: Vec<String>,
    /// The size of the whole of AGENTS.md.
    pub agents: Size,
    /// Nothing was written.
    pub dry_run: bool,
}

impl Document for Passed {
    fn render(&self, page: &mut Page) {
        if self.changes.is_empty() {
            page.line("nothing changes");
        }
        for change in &self.changes {
            let what = match change.event {
                Event::Promoted => "promoted",
                Event::Confirmed => "confirmed",
                Event::Demoted => "demoted",
                Event::Archived => "archived",
                Event::Revived => "revived",
            };
            let line = format!("{}: {what}: {}", change.id, change.because);
            if change.event == Event::Demoted { page.caution(line) } else { page.ok(line) }
        }
        for id in &self.held_back {
            page.caution(format_args!("{id}: held back, AGENTS.md has no room for it"));
        }
        page.under(format_args!("AGENTS.md: {}", self.agents.figures()));
        if let Some(adaptation) = &self.adaptation {
            page.caution(adaptation);
        }
        if self.dry_run && !self.files.is_empty() {
            page.under("nothing was written");
        }
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, desk: &Desk, args: Args) -> Result<Answer, Refusal> {
    let now = ctx.world.now();
    let writing = desk.vault.write()?;
    let feed = desk.feed(ctx, &writing.shelf)?;
    let (entries, terms) = (writing.shelf.entries(), writing.shelf.terms.clone());
    let free = pass(&entries, &feed.evidence, &terms, now, Room::Free);
    let mut held_back = Vec::new();
    let (passed, planned) = match writing.plan(&free.entries, &[], Blocks::Both) {
        Ok(planned) => (free, planned),
        // What comes into force needs room; what leaves it must not wait for that.
        Err(refusal) if refusal.code == codes::OVER_BUDGET => {
            let full = pass(&entries, &feed.evidence, &terms, now, Room::Full);
            let is_in_force = |entry: &&govern::knowledge::Entry| entry.is_in_force(&terms.project);
            let stays = |id: &str| full.entries.iter().filter(is_in_force).any(|entry| entry.id == id);
            held_back.extend(
                free.entries.iter().filter(is_in_force).map(|entry| entry.id.clone()).filter(|id| !stays(id)),
            );
            let planned = writing.plan(&full.entries, &[], Blocks::Both)?;
            (full, planned)
        }
        Err(refusal) => return Err(refusal),
    };
    let adaptation = (feed.added == 0 && feed.receipted == 0).then(|| {
        "no evidence is fed: neither receipts of denied calls nor added pieces, so nothing can be promoted or revived (C-5)"
            .to_owned()
    });
    let document = Passed {
        changes: passed.changes,
        held_back,
        added: feed.added,
        receipted: feed.receipted,
        adaptation,
        files: planned.names(),
        agents: planned.regenerated.as_ref().map(|made| made.size).unwrap_or_default(),
        dry_run: args.dry_run,
    };
    if !args.dry_run {
        writing.commit(&planned)?;
    }
    Ok(Answer::of(&document))
}
