//! The context as one Markdown text: what an agent reads, and what an executor is given on stdin.

use std::fmt::Write as _;

use gate::words::quote;

use super::{Context, Impact, TaskPart};
use crate::lesson::Lesson;
use crate::session::Session;

/// How many files or tests of the map are written out.
const LISTED: usize = 40;

/// The text of a context.
pub fn text(context: &Context, session: &Session<'_>) -> String {
    let mut out = String::new();
    let project = &context.project;
    let _ = writeln!(out, "# {} ({})", project.name, project.phase);
    if !project.goal.is_empty() {
        let _ = writeln!(out, "\n{}", project.goal);
    }
    match &context.task {
        Some(part) => task(&mut out, part, session),
        None => {
            let _ =
                writeln!(out, "\nNo task is in progress: `{}` names what comes next.", session.cmd("next"));
        }
    }
    if let Some(map) = &context.impact {
        impact(&mut out, map);
    }
    spec(&mut out, context);
    if !context.skills.is_empty() {
        out.push_str("\n## Skills\n");
        for skill in &context.skills {
            let _ = write!(out, "\n### {}\n\n{}\n", skill.name, skill.text);
        }
    }
    cut(&mut out, context, "skills");
    list(&mut out, "Lessons", context.lessons.iter().map(Lesson::line));
    cut(&mut out, context, "lessons");
    list(
        &mut out,
        "Open questions",
        context.questions.iter().map(|question| {
            format!("- {} (for {}) {}", question.id, question.awaiting_from, question.question)
        }),
    );
    cut(&mut out, context, "questions");
    list(&mut out, "Held out", context.held_out.clone());
    list(&mut out, "Contract", context.contract.iter().map(|line| format!("- {line}")));
    out
}

fn task(out: &mut String, task: &TaskPart, session: &Session<'_>) {
    let _ = write!(out, "\n## Task: {}\n\n{} ({})\n", task.title, task.id, task.state);
    if let Some(blocked) = &task.blocked {
        let _ = writeln!(out, "Blocked: {blocked}");
    }
    if task.criteria.is_empty() {
        let spec = session.cmd(&format!("spec {} --criterion \"...\"", quote(&task.id)));
        let _ = writeln!(out, "\nNo acceptance criteria yet: `{spec}`");
    }
    let numbered = task.criteria.iter().enumerate();
    sub(out, "Acceptance criteria", numbered.map(|(n, text)| format!("{}. {text}", n + 1)));
    sub(
        out,
        "Corrections to follow",
        task.corrections.iter().map(|correction| {
            if correction.choice.is_empty() {
                format!("- {}", correction.instead)
            } else {
                format!("- {} (instead of: {})", correction.instead, correction.choice)
            }
        }),
    );
    sub(out, "Not decided yet", task.forks.iter().map(|fork| format!("- {fork}")));
    sub(
        out,
        "What the last review blocks on",
        task.blocking.iter().map(|finding| {
            if finding.severity.is_empty() {
                return format!("- {}", finding.note);
            }
            format!("- {} {}: {}", finding.severity, finding.area, finding.note)
        }),
    );
    sub(out, "Plan", task.plan.clone());
    if let Some(handoff) = &task.handoff {
        sub(out, &format!("Handoff from the session before (`{}`)", handoff.path), [cited(&handoff.text)]);
        if handoff.cut {
            out.push_str("\n(the end is left out to fit the context budget)\n");
        }
    }
}

/// A document inside the document: its headings must not pass for ones of the context.
fn cited(text: &str) -> String {
    let lines = text.lines().map(|line| if line.is_empty() { ">".to_owned() } else { format!("> {line}") });
    lines.collect::<Vec<_>>().join("\n")
}

fn impact(out: &mut String, impact: &Impact) {
    out.push_str("\n## Tests at risk\n");
    if let Some(why) = &impact.unknown {
        let _ = writeln!(out, "\nWhat changed is not known: {why}.");
    } else if impact.changed.is_empty() {
        out.push_str("\nNothing changed yet.\n");
    }
    let changed = impact.changed.iter().map(|file| format!("- {} ({})", file.path, file.how));
    sub(out, "Changed files", bounded(changed, impact.changed.len()));
    let tests = impact.tests.iter().map(|test| {
        let mut line = format!("- {}: {}", test.path, test.because.join(", "));
        if !test.locked_by.is_empty() {
            let _ = write!(line, "; locked by {}", test.locked_by.join(", "));
        }
        if test.changed {
            line.push_str("; changed itself");
        }
        line
    });
    sub(out, "Tests that import or name them", bounded(tests, impact.tests.len()));
    if !impact.changed.is_empty() && impact.tests.is_empty() {
        out.push_str("\nNo test was found that imports or names them.\n");
    }
    if !impact.limits.is_empty() {
        let _ = writeln!(out, "\n(the map may lack tests: {})", impact.limits.join("; "));
    }
    sub(
        out,
        "Locked tests of this task (read-only)",
        impact.locks.iter().map(|lock| {
            if lock.holds() {
                format!("- {} (intact)", lock.path)
            } else {
                format!("- BROKEN: {}", lock.sentence())
            }
        }),
    );
    sub(
        out,
        "Criteria in the locked tests (by words, an approximation)",
        impact.coverage.iter().map(|coverage| {
            if coverage.tests.is_empty() {
                format!("- criterion {}: no locked test speaks of it", coverage.criterion)
            } else {
                format!("- criterion {}: {}", coverage.criterion, coverage.tests.join(", "))
            }
        }),
    );
}

/// The first lines of a long list, and how many follow.
fn bounded(lines: impl Iterator<Item = String>, total: usize) -> impl Iterator<Item = String> {
    let more = total.saturating_sub(LISTED);
    lines.take(LISTED).chain((more > 0).then(|| format!("- and {more} more")))
}

fn spec(out: &mut String, context: &Context) {
    let spec = &context.spec;
    if spec.sections.iter().all(|section| section.text.is_empty()) {
        return;
    }
    out.push_str("\n## Spec (`.chalk/spec.md`)\n");
    for section in &spec.sections {
        if !section.heading.is_empty() {
            let _ = write!(out, "\n### {}\n", section.heading);
        }
        let _ = write!(out, "\n{}\n", section.text);
        if section.cut {
            out.push_str("\n(the end of this section is left out to fit the context budget)\n");
        }
    }
    if !spec.left_out.is_empty() {
        let shown: Vec<&str> = spec.left_out.iter().take(20).map(String::as_str).collect();
        let more = spec.left_out.len() - shown.len();
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        let _ = writeln!(
            out,
            "\n(left out, read them in the file where they matter: {}{more})",
            shown.join("; ")
        );
    }
}

fn cut(out: &mut String, context: &Context, part: &str) {
    for cut in context.cuts.iter().filter(|cut| cut.part == part) {
        let why = if cut.over_budget { " to fit the context budget" } else { "" };
        let _ = writeln!(out, "\n({part}: {} left out{why})", cut.what);
    }
}

fn list(out: &mut String, heading: &str, lines: impl IntoIterator<Item = String>) {
    let lines: Vec<String> = lines.into_iter().collect();
    if !lines.is_empty() {
        let _ = write!(out, "\n## {heading}\n\n{}\n", lines.join("\n"));
    }
}

fn sub(out: &mut String, heading: &str, lines: impl IntoIterator<Item = String>) {
    let lines: Vec<String> = lines.into_iter().collect();
    if !lines.is_empty() {
        let _ = write!(out, "\n### {heading}\n\n{}\n", lines.join("\n"));
    }
}
