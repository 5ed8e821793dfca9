//! `verify`: the toolchain and the integrity of locked tests (P4, P6).

use chalk::model::display_id;
use chalk::toolchain::{GateResult, Outcome};
use chalk::verify::{self, Report, Request};
use gate::{Exit, Finding, Refusal};

use crate::answer::{Answer, Document};
use crate::ctx::Ctx;
use crate::page::Page;

/// Run the toolchain and check the locks (P4, P6)
#[derive(Debug, clap::Args)]
pub struct Args {}

impl Document for Report {
    fn render(&self, page: &mut Page) {
        page.line(format_args!("checked {}", self.tree));
        render_gates(page, &self.gates);
        for task in self.tasks.iter().filter(|task| task.tree != self.tree.path) {
            page.aside(format_args!(
                "· locks of {} judged in `{}`",
                display_id(&task.id),
                task.tree.display()
            ));
        }
        let locks = format!("{} of {} locked tests intact", self.locks.held, self.locks.checked);
        match (self.locks.held, self.locks.checked) {
            (_, 0) => page.aside("· no locked test"),
            (held, checked) if held == checked => page.ok(locks),
            _ => page.bad(locks),
        }
        render_findings(page, &self.findings);
        if !self.changed.is_empty() {
            let more = if self.changed_more > 0 {
                format!(" and {} more", self.changed_more)
            } else {
                String::new()
            };
            let named = canon::text::one_line(&self.changed.join(", "));
            page.caution(format_args!("the toolchain changed {named}{more}"));
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

/// Findings that one command mends stand together, with the command once.
fn render_findings(page: &mut Page, findings: &[Finding]) {
    for (at, finding) in findings.iter().enumerate() {
        if findings.get(at + 1).is_some_and(|next| next.cure == finding.cure) {
            page.finding(&Finding { cure: None, ..finding.clone() });
        } else {
            page.finding(finding);
        }
    }
}

/// One line for each gate that ran, with the end of its output where it failed, and one for all the others.
pub(super) fn render_gates(page: &mut Page, gates: &[GateResult]) {
    for gate in gates.iter().filter(|gate| matches!(gate.result, Outcome::Passed | Outcome::Failed)) {
        render_gate(page, gate);
    }
    for (result, what) in
        [(Outcome::Skipped, "skipped, without a command"), (Outcome::Deferred, "put off to the phase")]
    {
        let names: Vec<&str> =
            gates.iter().filter(|gate| gate.result == result).map(|gate| gate.name.as_str()).collect();
        if !names.is_empty() {
            page.aside(format_args!("· {what}: {}", names.join(", ")));
        }
    }
}

fn render_gate(page: &mut Page, gate: &GateResult) {
    let label = gate.label();
    let Some(run) = &gate.run else {
        return page.bad(format_args!("{label}: {}", gate.tail.join(" ")));
    };
    let command = canon::text::clip(&canon::text::one_line(&run.command), 60);
    let time = duration(run.duration_ms);
    if gate.result == Outcome::Passed {
        return page.ok(format_args!("{label}: `{command}` passed, {time}"));
    }
    page.bad(format_args!("{label}: `{command}` failed: {}, {time}", run.cause));
    for line in &gate.tail {
        page.line(format_args!("  | {line}"));
    }
    if let Some(log) = &run.log {
        page.aside(format_args!("  whole output: {}", log.display()));
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
