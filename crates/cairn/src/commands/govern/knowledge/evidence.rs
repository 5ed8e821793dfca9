//! `govern knowledge evidence`: something speaks for an entry, or against it.

use canon::{Timestamp, text};
use gate::Refusal;
use govern::knowledge::vault::Blocks;
use govern::knowledge::{Evidence, codes};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Desk, writer};
use crate::answer::{Answer, Document};
use crate::cli::value;
use crate::ctx::Ctx;
use crate::page::Page;

/// Arguments of `govern knowledge evidence`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The entry: its name, the beginning of it, or its path in the vault.
    entry: String,
    /// What it is: `receipt:<number>`, or an address. Two pieces with one reference are one.
    #[arg(long = "ref", value_name = "REFERENCE", value_parser = value::text)]
    reference: String,
    /// It speaks against the entry.
    #[arg(long)]
    contradicts: bool,
    /// What there is to say of it.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    note: Option<String>,
    /// When it happened; now where it is left out.
    #[arg(long, value_name = "TIME", value_parser = value::instant)]
    at: Option<Timestamp>,
    /// Who adds it; an agent is known by `CHANT_AGENT`.
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
}

/// What `govern knowledge evidence` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Added {
    /// The entry that it is about.
    pub entry: String,
    /// The piece.
    pub piece: Evidence,
    /// The very piece was there already, and nothing changed.
    pub known: bool,
}

impl Document for Added {
    fn render(&self, page: &mut Page) {
        let direction = if self.piece.contradicts { "against" } else { "for" };
        if self.known {
            page.line(format_args!("{} speaks {direction} {} already", self.piece.reference, self.entry));
        } else {
            page.ok(format_args!("{} speaks {direction} {}", self.piece.reference, self.entry));
        }
        page.next("cairn govern knowledge pass");
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, desk: &Desk, args: Args) -> Result<Answer, Refusal> {
    let now = ctx.world.now();
    let Some(writer) = writer(ctx, args.by).filter(|writer| !text::is_blank(writer)) else {
        return Err(Refusal::new(codes::NO_PROVENANCE, "nobody is named who adds the evidence")
            .hint("say `--by <name>`; an agent is known by `CHANT_AGENT`"));
    };
    let at = args.at.unwrap_or(now);
    if at > now {
        return Err(Refusal::new(codes::NO_EVIDENCE, format!("{at} is yet to come"))
            .hint("evidence is what happened; nothing was changed"));
    }
    let writing = desk.vault.write()?;
    let entry = writing.shelf.find(&args.entry)?.clone();
    let piece = Evidence {
        at,
        transaction_time: Some(now),
        signature: entry.signature(),
        contradicts: args.contradicts,
        reference: text::one_line(&args.reference),
        writer: text::one_line(&writer),
        project: Some(writing.shelf.terms.project.clone()),
        note: args.note.map(|note| text::one_line(&note)),
    };
    let is_same = |known: &Evidence| {
        known.is_about(&piece.signature)
            && known.reference == piece.reference
            && known.contradicts == piece.contradicts
    };
    let known = writing.shelf.evidence.iter().any(is_same);
    if !known {
        desk.refuse_unknown_receipt(&piece.reference)?;
        let planned = writing.plan(&writing.shelf.entries(), std::slice::from_ref(&piece), Blocks::Index)?;
        writing.commit(&planned)?;
    }
    Ok(Answer::of(&Added { entry: entry.id, piece, known }))
}
