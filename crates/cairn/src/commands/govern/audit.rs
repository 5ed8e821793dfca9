//! `govern audit`: what the repository shows about the gates, apart from what anyone says.

use gate::{Exit, Refusal};
use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::{Answer, Document};
use crate::ctx::Ctx;
use crate::hook::audit::{Point, Shown, audit};
use crate::page::Page;

/// Arguments of `govern audit`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The commit after which history counts; by default the time of the first receipt.
    #[arg(long, value_name = "COMMIT")]
    since: Option<String>,
}

/// What `govern audit` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Audited {
    /// Each thing that was looked at.
    pub points: Vec<Point>,
}

/// How many files are named to people; the document has them all.
const NAMED: usize = 20;

impl Document for Audited {
    fn render(&self, page: &mut Page) {
        for point in &self.points {
            let line = |word: &str| format!("{}: {word}: {}", point.what, point.fact);
            match point.shown {
                Shown::Proved => page.ok(line("proved")),
                Shown::NotShown => page.caution(line("not shown")),
                Shown::Contradicts => page.bad(line("contradicted")),
            }
            for path in point.paths.iter().take(NAMED) {
                page.under(canon::text::one_line(path));
            }
            if point.paths.len() > NAMED {
                page.under(format_args!("and {} more", point.paths.len() - NAMED));
            }
            if let Some(cure) = &point.cure {
                page.hint(cure);
            }
        }
    }

    fn exit(&self) -> Exit {
        let is_false = self.points.iter().any(|point| point.shown == Shown::Contradicts);
        if is_false { Exit::Red } else { Exit::Done }
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    let state = crate::hook::state(ctx.world)?;
    let points = audit(ctx.world, &state, &crate::commands::hook::program(ctx)?, args.since.as_deref())?;
    Ok(Answer::report(&Audited { points }, ctx.json))
}
