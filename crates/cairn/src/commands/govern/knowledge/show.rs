//! `govern knowledge show`: one entry with the evidence about it.

use gate::Refusal;
use govern::knowledge::{Evidence, Fields};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Desk, Listed};
use crate::answer::{Answer, Document};
use crate::ctx::Ctx;
use crate::page::Page;

/// Arguments of `govern knowledge show`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The entry: its name, the beginning of it, or its path in the vault.
    entry: String,
}

/// What `govern knowledge show` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Shown {
    /// Where it stands.
    pub entry: Listed,
    /// Everything that is said of it.
    pub fields: Fields,
    /// Its text.
    pub body: String,
    /// The evidence about it, oldest first.
    pub evidence: Vec<Evidence>,
}

impl Document for Shown {
    fn render(&self, page: &mut Page) {
        page.head(&self.entry.title);
        page.under(format_args!(
            "{}: {}, signature `{}`",
            self.entry.path,
            self.entry.standing(),
            self.entry.signature
        ));
        if let Some(from) = &self.fields.provenance {
            page.under(format_args!(
                "by {} at {}, shown by {}",
                from.writer, from.transaction_time, from.evidence
            ));
        }
        if let Some(quarantine) = &self.fields.quarantine {
            page.caution(format_args!("quarantined by {}: {}", quarantine.by, quarantine.why));
        }
        if !self.body.trim().is_empty() {
            page.blank();
            page.line(self.body.trim_end());
        }
        if !self.evidence.is_empty() {
            page.blank();
        }
        for piece in &self.evidence {
            let mark = if piece.contradicts { "against" } else { "for" };
            page.line(format_args!("{}  {mark}  {}", piece.at, piece.reference));
        }
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, desk: &Desk, args: Args) -> Result<Answer, Refusal> {
    let found = desk.vault.read()?;
    let entry = found.find(&args.entry)?;
    if entry.holds_secret() {
        govern::knowledge::admit::keepable(&entry.path(), &entry.file())?;
    }
    let signature = entry.signature();
    let mut evidence = desk.feed(ctx, &found)?.evidence;
    evidence.retain(|piece| piece.is_about(&signature));
    evidence.sort_by(|a, b| (a.at, &a.reference).cmp(&(b.at, &b.reference)));
    Ok(Answer::of(&Shown {
        entry: Listed::of(entry, &found.terms.project),
        fields: entry.fields.clone(),
        body: entry.body.clone(),
        evidence,
    }))
}
