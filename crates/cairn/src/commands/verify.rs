//! `verify`: the toolchain and the integrity of locked tests (P4, P6).

use chalk::exec::RunRecord;
use chalk::model::display_id;
use chalk::toolchain::{GateResult, Outcome};
use chalk::verify::{self, Report, Request};
use gate::{Exit, Refusal};

use crate::answer::{Answer, Document};
use crate::ctx::Ctx;
use crate::page::Page;

/// Run the toolchain and check the locks (P4, P6)
#[derive(Debug, clap::Args)]
pub struct Args {}

impl Document for Report {
    fn render(&self, page: &mut Page) {
        page.line(format_args!("checked {}", self.tree));
        for gate in &self.gates {
            render_gate(page, gate);
        }
        for task in self.tasks.iter().filter(|task| task.tree != self.tree.path) {
            page.aside(format_args!("· locks of {} judged in `{}`", display_id(&task.id), task.tree.display()));
        }
        match (self.locks.held, self.locks.checked) {
            (_, 0) => page.aside("· no locked test"),
            (held, checked) if held == checked => page.ok(format_args!("{held} of {checked} locked tests intact")),
            (held, checked) => page.bad(format_args!("{held} of {checked} locked tests intact")),
        }
        for finding in &self.findings {
            page.finding(finding);
        }
        if !self.changed.is_empty() {
            let more = if self.changed_more > 0 { format!(" and {} more", self.changed_more) } else { String::new() };
            page.caution(format_args!("the toolchain changed {}{more}", self.changed.join(", ")));
        }
        if self.vacuous {
            page.ok("GREEN, but VACUOUS: no gate ran, so nothing was judged but the locks");
            page.hint("set `protocol.verify.test` in `.chalk/chalk.json`");
        } else if self.green {
            page.ok("GREEN");
        } else {
            page.bad(format_args!("RED: {}", self.red.join("; ")));
        }
        page.next(&self.next);
    }

    fn exit(&self) -> Exit {
        self.exit()
    }
}

/// One line for a gate, and the end of its output where it failed.
pub(super) fn render_gate(page: &mut Page, gate: &GateResult) {
    let label = gate.label();
    let how = |run: &RunRecord| {
        let command = canon::text::clip(&canon::text::one_line(&run.command), 60);
        format!("{label}: `{command}` {}, {}", run.cause, duration(run.duration_ms))
    };
    match (gate.result, &gate.run) {
        (Outcome::Passed, Some(run)) => page.ok(how(run)),
        (_, Some(run)) => {
            page.bad(how(run));
            for line in &gate.tail {
                page.line(format_args!("  | {line}"));
            }
            if let Some(log) = &run.log {
                page.aside(format_args!("  whole output: {}", log.display()));
            }
        }
        (Outcome::Skipped, None) => page.aside(format_args!("· {label}: skipped, it has no command")),
        (Outcome::Deferred, None) => page.aside(format_args!("· {label}: put off to `audit`")),
        (_, None) => page.bad(format_args!("{label}: {}", gate.tail.join(" "))),
    }
}

fn duration(ms: u64) -> String {
    match ms {
        0..1000 => format!("{ms} ms"),
        1000..60_000 => format!("{}.{} s", ms / 1000, ms % 1000 / 100),
        _ => format!("{} min {} s", ms / 60_000, ms % 60_000 / 1000),
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, _: Args) -> Result<Answer, Refusal> {
    Ok(Answer::of(&ctx.act(|session| verify::run(session, Request::default()))?))
}
