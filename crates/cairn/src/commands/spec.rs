//! `spec`: acceptance criteria and locked tests (P1, P2, P6).

use chalk::model::display_id;
use chalk::spec::{Request, Specified, spec};
use gate::Refusal;

use crate::answer::{Answer, Document};
use crate::cli::value;
use crate::ctx::Ctx;
use crate::page::Page;

/// Attach acceptance criteria, and lock acceptance tests
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The task: its id or the beginning of it.
    pub id: String,
    /// An acceptance criterion; repeatable.
    #[arg(long = "criterion", value_name = "TEXT", value_parser = value::text)]
    pub criteria: Vec<String>,
    /// A test to attach and lock; repeatable.
    #[arg(long = "test", value_name = "PATH", value_parser = value::text)]
    pub tests: Vec<String>,
    /// A held-out path that belongs to the task; repeatable.
    #[arg(long, value_name = "PATH", value_parser = value::text)]
    pub held_out: Vec<String>,
}

impl Document for Specified {
    fn render(&self, page: &mut Page) {
        page.ok(format_args!("{}  {}  ({})", display_id(&self.id), self.title, self.state));
        for criterion in &self.criteria {
            let already = if criterion.already { "criterion there already" } else { "criterion added" };
            page.under(format_args!("{already}: {}", canon::text::one_line(&criterion.text)));
        }
        for test in &self.tests {
            let already = if test.already { "already locked" } else { "test locked" };
            page.under(format_args!(
                "{already}: {}  sha256 {}{}",
                canon::text::one_line(&test.path),
                test.sha256.short(),
                beside(test.deciders)
            ));
        }
        for path in &self.held_out {
            let already = if path.already { "held-out test there already" } else { "held-out test attached" };
            page.under(format_args!("{already}: {}", canon::text::one_line(&path.text)));
        }
        cut(page, self.deciders_cut);
        page.next(&self.next);
    }
}

/// The note on what was recorded beside a lock.
pub(super) fn beside(deciders: usize) -> String {
    match deciders {
        0 => String::new(),
        1 => ", with 1 thing that decides it".to_owned(),
        n => format!(", with {n} things that decide it"),
    }
}

/// The note on what could not be recorded.
pub(super) fn cut(page: &mut Page, deciders: usize) {
    if deciders > 0 {
        let limit = chalk::deciders::LIMIT;
        page.caution(format_args!(
            "{deciders} things that decide the tests are not watched: a task keeps {limit}"
        ));
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    let request = Request { criteria: args.criteria, tests: args.tests, held_out: args.held_out };
    Ok(Answer::of(&ctx.act(|session| spec(session, &args.id, &request))?))
}
