//! `context`: what an agent needs to read before it works (P3).

use chalk::context::{Context, context, text};
use gate::Refusal;
use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::{Answer, Document};
use crate::ctx::Ctx;
use crate::page::Page;

/// What to read before working: criteria, tests at risk, spec, lessons
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The task; without one, the task in progress.
    pub id: Option<String>,
}

/// A context with its text.
#[derive(Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Told {
    context: Context,
    #[serde(skip)]
    text: String,
}

impl Document for Told {
    fn render(&self, page: &mut Page) {
        for line in self.text.lines() {
            if line.starts_with('#') { page.head(line) } else { page.line(line) }
        }
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    ctx.read(|session| {
        let context = context(session, args.id.as_deref())?;
        let text = text(&context, session);
        Ok(Answer::of(&Told { context, text }))
    })
}
