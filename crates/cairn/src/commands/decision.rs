//! `decision`: one entry in `decisions.md`, and its event.

use gate::Refusal;
use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::{Answer, Document};
use crate::cli::value;
use crate::ctx::Ctx;
use crate::page::Page;

/// Record a decision
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What was decided, one line.
    #[arg(value_parser = value::text)]
    pub title: String,
    /// The reason.
    #[arg(long, value_name = "REASON", value_parser = value::text)]
    pub why: Option<String>,
}

/// What was recorded.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Recorded {
    /// What was decided.
    pub title: String,
    /// The reason; none was given where it is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// When, ISO 8601.
    pub at: canon::Timestamp,
}

impl Document for Recorded {
    fn render(&self, page: &mut Page) {
        page.ok(format_args!("decision recorded: {}", self.title));
        if self.why.is_none() {
            page.hint("give the reason with `--why`, while it is remembered");
        }
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    let title = canon::text::one_line(&args.title);
    let recorded = ctx.act(|session| {
        session.write("decision", |draft| {
            draft.decision(&title, args.why.as_deref(), None);
            Ok(Recorded { title: title.clone(), why: args.why.clone(), at: draft.now() })
        })
    })?;
    Ok(Answer::of(&recorded))
}
