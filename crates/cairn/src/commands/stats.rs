//! `stats`: what the gates caught.

use chalk::stats::{Stats, stats};
use gate::Refusal;
use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::{Answer, Document};
use crate::cli::value;
use crate::ctx::Ctx;
use crate::page::Page;

/// What the gates caught
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only events since this day or instant.
    #[arg(long, value_name = "DATE", value_parser = value::instant)]
    pub since: Option<canon::Timestamp>,
    /// Without anything that names a task.
    #[arg(long)]
    pub public: bool,
    /// One line for a badge.
    #[arg(long, conflicts_with = "public")]
    pub badge: bool,
}

/// What `stats` prints.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Printed {
    /// The counts.
    Stats(Stats),
    /// One line for a badge.
    Badge(Badge),
}

/// A badge in the form of a shields.io endpoint.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Badge {
    /// Always 1.
    pub schema_version: u8,
    /// `chalk`.
    pub label: String,
    /// As in `3 caught`.
    pub message: String,
    /// The colour's name.
    pub color: String,
}

/// How many tasks are named.
const NAMED: usize = 5;

impl Document for Printed {
    fn render(&self, page: &mut Page) {
        match self {
            Self::Badge(badge) => page.line(format_args!("{}: {}", badge.label, badge.message)),
            Self::Stats(stats) => render(stats, page),
        }
    }
}

fn render(stats: &Stats, page: &mut Page) {
    page.head(format_args!("the gates caught {}", stats.caught));
    page.under(format_args!("verify red: {}", stats.verify_red));
    page.under(format_args!("reviews: {} blocked, {} passed", stats.review_block, stats.review_pass));
    page.under(format_args!("audits: {} red, {} green", stats.audit_red, stats.audit_green));
    page.under(format_args!("passed by force: {}", stats.overridden));
    page.under(format_args!(
        "tasks: done {}, blocked {}, handed over {}",
        stats.done, stats.blocked, stats.handoffs
    ));
    let tasks = stats.tasks.as_deref().unwrap_or_default();
    for task in tasks.iter().take(NAMED) {
        page.line(format_args!("{}  {}  {}", task.caught, chalk::model::display_id(&task.id), task.title));
    }
    if tasks.len() > NAMED {
        page.aside(format_args!("and {} more tasks", tasks.len() - NAMED));
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    let stats = ctx.read(|session| stats(session, args.since, args.public || args.badge))?;
    if !args.badge {
        return Ok(Answer::of(&Printed::Stats(stats)));
    }
    Ok(Answer::of(&Printed::Badge(Badge {
        schema_version: 1,
        label: "chalk".to_owned(),
        message: format!("{} caught", stats.caught),
        color: if stats.caught == 0 { "lightgrey" } else { "blue" }.to_owned(),
    })))
}
