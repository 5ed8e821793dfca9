//! Notices and receipts for people.

use govern::deploy::notice::Notice;
use govern::deploy::receipt::Outcome;
use govern::deploy::report::Told;

use crate::page::Page;

/// A notice: each issue in the order what, why, blocks, how; then the plan, and what is asked.
pub(in crate::commands::govern) fn notice(notice: &Notice, page: &mut Page) {
    let id = serde_json::to_value(notice.id()).unwrap_or_default();
    let id = id.as_str().unwrap_or_default().to_owned();
    let rests = if notice.pauses() { "work rests until a person acts" } else { "work goes on" };
    page.head(format_args!("{id}: {rests}"));
    for issue in notice.issues() {
        page.under(format_args!("what is needed: {}", issue.what));
        page.under(format_args!("  why: {}", issue.why));
        page.under(format_args!("  what it blocks: {}", issue.blocks));
        page.under(format_args!("  how to obtain it: {}", issue.how));
    }
    page.under("plan:");
    for (n, step) in notice.steps().iter().enumerate() {
        page.under(format_args!("  {}. {}", n + 1, step.content.as_deref().unwrap_or_default()));
    }
    page.under(format_args!("rests on: {}", notice.evidence().join(", ")));
}

/// Receipts, one line each.
pub(in crate::commands::govern) fn receipts(lines: &[Told], page: &mut Page) {
    for line in lines {
        let told = format!("{}: {}", line.tool, line.fact);
        match line.outcome {
            Outcome::Done => page.ok(told),
            Outcome::NotApplicable => page.aside(format_args!("· {told}")),
            Outcome::Failed => page.bad(told),
        }
    }
}
