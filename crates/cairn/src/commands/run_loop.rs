//! `run`: the executor loop.

use chalk::work::{Loop, LoopRequest};
use gate::{Exit, Refusal};

use crate::answer::{Answer, Document};
use crate::ctx::Ctx;
use crate::page::Page;

/// Let the executor work through the runnable tasks
#[derive(Debug, clap::Args)]
pub struct Args {
    /// When to stop.
    #[arg(long, value_enum, default_value = "empty")]
    pub until: Until,
    /// At most so many tasks.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub max: u32,
    /// Only say what would run.
    #[arg(long)]
    pub dry_run: bool,
}

/// When `run` stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Until {
    /// When nothing is runnable.
    Empty,
    /// At the first task that is blocked.
    Blocked,
}

/// How many facts stand beside what stopped a task.
const FACTS: usize = 3;

impl Document for Loop {
    fn render(&self, page: &mut Page) {
        for taken in &self.tasks {
            let id = chalk::model::display_id(&taken.id);
            match &taken.refusal {
                Some(refusal) => {
                    let facts: Vec<&str> = refusal.facts.iter().take(FACTS).map(String::as_str).collect();
                    let why =
                        if facts.is_empty() { String::new() } else { format!(": {}", facts.join(", ")) };
                    let (title, outcome) = (&taken.title, &taken.outcome);
                    page.bad(format_args!("{id}  {title}: {}{why}; {outcome}", refusal.message));
                }
                None => page.ok(format_args!("{id}  {}: {}", taken.title, taken.outcome)),
            }
        }
        page.line(format_args!("stopped: {}", self.stopped));
        page.next(&self.next);
    }

    fn exit(&self) -> Exit {
        self.exit()
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    let request =
        LoopRequest { until_blocked: args.until == Until::Blocked, max: args.max, dry_run: args.dry_run };
    ctx.act(|session| chalk::work::run(session, request)).map(|done| Answer::of(&done))
}
