//! `approve`: a person lets one call pass that was denied, once, within ten minutes.

use std::str::FromStr;

use canon::Sha256;
use gate::Refusal;
use govern::receipts::Note;
use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::{Answer, Document};
use crate::codes;
use crate::ctx::Ctx;
use crate::hook::ticket::{self, Ticket};
use crate::page::{Page, Row};

/// Let one denied call pass, once; needs a person at a terminal
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The ticket; without it those that wait are listed.
    pub ticket: Option<String>,
}

/// What `approve` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Printed {
    /// The tickets that wait.
    Open {
        /// Oldest first.
        tickets: Vec<Ticket>,
    },
    /// The one that was granted.
    Granted {
        /// The ticket.
        granted: Ticket,
    },
}

impl Document for Printed {
    fn render(&self, page: &mut Page) {
        match self {
            Self::Open { tickets } if tickets.is_empty() => page.line("no call waits for a person"),
            Self::Open { tickets } => {
                let row = |ticket: &Ticket| {
                    Row::new([&ticket.id, &ticket.tool, &ticket.shown]).notes([ticket.fact.clone()])
                };
                page.table(["TICKET", "TOOL", "CALL"], &tickets.iter().map(row).collect::<Vec<_>>());
                page.next("cairn approve <ticket>");
            }
            Self::Granted { granted } => {
                page.ok(format_args!(
                    "the call of ticket {} may be made once, within ten minutes",
                    granted.id
                ));
            }
        }
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    let state = crate::hook::state(ctx.world)?;
    let tickets = ticket::open(&state, ctx.world.now());
    let Some(id) = args.ticket else { return Ok(Answer::of(&Printed::Open { tickets })) };
    let gone = |message: String| Refusal::new(codes::TICKET_GONE, message).next("cairn approve");
    let ticket = tickets.iter().find(|ticket| ticket.id == id);
    let ticket = ticket.ok_or_else(|| gone(format!("no ticket `{id}` waits for an answer")))?;
    let text = format!("{}  {}\nIt was denied: {}\n", ticket.tool, ticket.shown, ticket.fact);
    ctx.person_types(&ticket.id, &text)?;
    let digests: Vec<(&str, Sha256)> =
        Sha256::from_str(&ticket.call).ok().map(|call| ("call", call)).into_iter().collect();
    crate::hook::record(
        &state,
        ctx.world,
        &Note { marker: "approve", digests: &digests, ..Note::default() },
    )?;
    let granted = ticket::grant(&state, &id, ctx.world.now()).map_err(gone)?;
    Ok(Answer::of(&Printed::Granted { granted }))
}
