//! `govern knowledge archive`: an entry leaves force and is kept; only what recurs afterwards brings it back.

use gate::Refusal;
use govern::knowledge::{Entry, Status, codes};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Changed, Desk};
use crate::answer::{Answer, Document};
use crate::cli::value;
use crate::ctx::Ctx;
use crate::page::Page;

/// Arguments of `govern knowledge archive`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The entry: its name, the beginning of it, or its path in the vault.
    entry: String,
    /// Why it is of no use any more.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = value::text)]
    why: String,
}

/// What `govern knowledge archive` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Archived(Changed);

impl Document for Archived {
    fn render(&self, page: &mut Page) {
        self.0.told(page, "in the archive");
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, desk: &Desk, args: Args) -> Result<Answer, Refusal> {
    let now = ctx.world.now();
    let archive = |entry: &mut Entry| {
        let is_archived = entry.status() == Status::Archived && entry.fields.archived_at.is_some();
        if is_archived || entry.status() == Status::Erased {
            let message = format!("`{}` is {} already", entry.id, entry.status());
            return Err(Refusal::new(codes::WRONG_STATUS, message).next("cairn govern knowledge list"));
        }
        entry.fields.status = Some(Status::Archived);
        entry.fields.archived_at = Some(now);
        entry.fields.archived_why = Some(canon::text::one_line(&args.why));
        entry.fields.revived_at = None;
        Ok(())
    };
    let changed = desk.change(&args.entry, archive, || Ok(()))?;
    Ok(Answer::of(&Archived(changed)))
}
