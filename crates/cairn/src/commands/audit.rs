//! `audit`: the held-out set and the whole toolchain, output withheld (P7).

use chalk::audit::{Audit, Outcome, TaskResult, audit};
use chalk::model::display_id;
use gate::{Exit, Refusal};

use crate::answer::{Answer, Document};
use crate::ctx::Ctx;
use crate::page::Page;

/// Run the held-out set, output withheld (P7)
#[derive(Debug, clap::Args)]
pub struct Args {}

/// How many changed files are named.
const NAMED: usize = 5;

impl Document for Audit {
    fn render(&self, page: &mut Page) {
        page.line(format_args!("checked {}", self.tree));
        super::verify::render_gates(page, &self.gates);
        for file in &self.held_out.broken {
            page.bad(format_args!("held-out file {}", file.sentence()));
        }
        let count = self.held_out.count;
        let what = if count == 1 { "1 held-out test".to_owned() } else { format!("{count} held-out tests") };
        match self.held_out.outcome {
            Outcome::Pass if count == 0 => {
                page.aside("· no held-out test; `protocol.regression.command` passed");
            }
            Outcome::Pass => page.ok(format_args!("{what}: pass")),
            Outcome::CouldNotRun => {
                let cause = self.held_out.cause.as_deref().unwrap_or("no reason is known");
                page.bad(format_args!("{what}: could not run: {cause}"));
            }
            Outcome::Fail => {
                page.bad(format_args!("{what}: fail"));
                page.hint("something that the specification asks for is broken; the tests stay withheld");
            }
            _ if self.is_unrun() => {
                page.bad(format_args!("{what}: not run, as `protocol.regression.command` is empty"));
                page.hint(
                    "set `protocol.regression.command` in `.chalk/chalk.json`; what did not run did not pass",
                );
            }
            Outcome::NotRun | Outcome::Unknown => page.aside("· no held-out test"),
        }
        render_tasks(page, &self.tasks);
        if self.is_small() {
            page.caution(format_args!("{what} locked, and {}", self.size.in_words()));
        }
        if !self.moved.is_empty() {
            let more = self.moved.len().saturating_sub(NAMED);
            let named: Vec<&str> = self.moved.iter().take(NAMED).map(String::as_str).collect();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            page.caution(format_args!("the audit changed {}{more}", named.join(", ")));
        }
        match (self.green, self.vacuous) {
            (true, true) => page.ok("GREEN, but VACUOUS: nothing is held out"),
            (true, false) => page.ok("GREEN"),
            (false, _) => page.bad("RED"),
        }
        page.next(&self.next);
    }

    fn exit(&self) -> Exit {
        Audit::exit(self)
    }
}

/// What the set says of the tasks that name files of it.
fn render_tasks(page: &mut Page, tasks: &[TaskResult]) {
    for task in tasks.iter().filter(|task| task.outcome.is_red()) {
        page.bad(format_args!("{}  {}", display_id(&task.id), task.title));
        for criterion in &task.criteria {
            page.under(format_args!("criterion: {criterion}"));
        }
    }
    let unlocked: usize = tasks.iter().map(|task| task.unlocked).sum();
    if unlocked > 0 {
        let files = chalk::guard::files(unlocked);
        page.caution(format_args!("tasks name {files} as held out that the set doesn't lock"));
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, _args: Args) -> Result<Answer, Refusal> {
    ctx.act(audit).map(|audit| Answer::of(&audit))
}
