//! `migrate`: an older schema brought to the newest known, with a backup.

use chalk::migrate::{Migrated, migrate};
use gate::Refusal;

use crate::answer::{Answer, Document};
use crate::ctx::Ctx;
use crate::page::Page;

/// Bring an older spine to schema 1.1, with a backup
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only say what would change.
    #[arg(long)]
    pub dry_run: bool,
}

impl Document for Migrated {
    fn render(&self, page: &mut Page) {
        if self.steps.is_empty() {
            page.ok(format_args!("nothing to do: the spine has schema {}", self.from));
            return;
        }
        match &self.backup {
            Some(_) => page.ok(format_args!("migrated from schema {} to {}", self.from, self.to)),
            None => page.head(format_args!("would migrate from schema {} to {}", self.from, self.to)),
        }
        for step in &self.steps {
            page.under(step);
        }
        match &self.backup {
            Some(backup) => page.under(format_args!("the files as they were are in `{backup}`")),
            None => page.under("the files are copied first; nothing was written"),
        }
        page.hint("programs before 0.3.0 refuse the spine from then on");
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    ctx.act(|session| migrate(session, args.dry_run)).map(|migrated| Answer::of(&migrated))
}
