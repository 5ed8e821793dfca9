//! `records` without a command: the records of one kind, or of every kind that the workspace declares.

use std::io::Write;

use chant::Place;
use chant::records::{Document as Records, Listing, Memory, Outcome, Query, Record, Worktree, list};
use gate::{Exit, Refusal};

use super::Read;
use crate::answer::{Answer, Document};
use crate::ctx::Ctx;
use crate::page::Page;

/// What is printed, and whether it satisfies `--require`.
#[derive(serde::Serialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct Printed {
    document: Records,
    #[serde(skip)]
    is_required: bool,
}

impl Document for Printed {
    fn exit(&self) -> Exit {
        if self.document.is_failure() {
            Exit::Refused
        } else if self.is_required && !self.document.is_attested() {
            Exit::Red
        } else {
            Exit::Done
        }
    }

    fn render(&self, page: &mut Page) {
        match &self.document {
            Records::One(outcome) => show(page, outcome),
            Records::Set(set) => {
                for (n, outcome) in set.kinds.iter().enumerate() {
                    if n > 0 {
                        page.blank();
                    }
                    let (declared, name) = match outcome {
                        Outcome::Listing(listing) => (&listing.declared, Some(&*listing.kind.name)),
                        Outcome::Failure(failure) => (&failure.declared, None),
                    };
                    if let Some(declared) = declared {
                        let name = declared.name.as_deref().or(name).unwrap_or("unreadable");
                        page.head(format_args!("{name}  ({})", declared.path));
                    }
                    show(page, outcome);
                }
            }
        }
        if self.is_required && !self.document.is_failure() && !self.document.is_attested() {
            page.bad("not every record is attested at base");
        }
    }
}

fn show(page: &mut Page, outcome: &Outcome) {
    match outcome {
        Outcome::Listing(listing) => show_listing(page, listing),
        Outcome::Failure(failure) => {
            page.bad(format_args!("{}: {}", failure.error.code, failure.error.message));
        }
    }
}

fn show_listing(page: &mut Page, listing: &Listing) {
    for record in &listing.records {
        show_record(page, record);
    }
    let summary = listing.summary;
    let records = if summary.total == 1 { "record" } else { "records" };
    page.line(format_args!(
        "{} {records}: {} valid, {} invalid, {} superseded",
        summary.total, summary.valid, summary.invalid, summary.superseded
    ));
    if let Some(checkout) = listing.checkout.as_ref().filter(|checkout| !checkout.deleted.is_empty()) {
        page.aside(format_args!("deleted: {}", checkout.deleted.join(", ")));
    }
}

fn show_record(page: &mut Page, record: &Record) {
    let name = record.id.clone().unwrap_or_else(|| record.path.to_string());
    let state = record.state.as_deref().unwrap_or("-");
    let title = record.text("title").map(canon::text::one_line).unwrap_or_default();
    let mut line = format!("{}  {state}  {title}", canon::text::one_line(&name));
    if let Some(by) = &record.superseded_by {
        line = format!("{line}  (superseded by {by})");
    }
    match record.worktree {
        Some(Worktree::New) => line.push_str("  [new]"),
        Some(Worktree::Modified) => line.push_str("  [modified]"),
        _ => {}
    }
    page.line(line.trim_end());
    if let Some(quorum) = record.quorum.as_ref().and_then(|quorum| quorum.0.as_ref()) {
        let mut line = format!("quorum {} of {} agreed", quorum.agreed, quorum.need);
        line.push_str(match (quorum.met, quorum.met_with_objections) {
            (_, true) => ", met with objections",
            (true, _) => ", met",
            _ => "",
        });
        let mut rest = Vec::new();
        if !quorum.not_counted.is_empty() {
            rest.push(format!("{} not counted", quorum.not_counted.len()));
        }
        match quorum.open_concerns.len() {
            0 => {}
            1 => rest.push("1 open concern".to_owned()),
            n => rest.push(format!("{n} open concerns")),
        }
        if !rest.is_empty() {
            line = format!("{line}; {}", rest.join(", "));
        }
        page.under(line);
    }
    show_work(page, record);
    for reason in &record.reasons {
        page.under(format_args!("{}: {}", reason.code, canon::text::one_line(&reason.message)));
    }
    for warning in &record.warnings {
        page.under(format_args!("warning {}: {}", warning.code, canon::text::one_line(&warning.message)));
    }
}

fn show_work(page: &mut Page, record: &Record) {
    let Some(blocked) = &record.blocked_by else { return };
    let links = |links: &[chant::records::LinkState]| {
        let shown = |link: &chant::records::LinkState| {
            format!("{} ({})", link.id, link.state.as_deref().unwrap_or("unknown"))
        };
        links.iter().map(shown).collect::<Vec<_>>().join(", ")
    };
    let implements = match record.implements.as_deref() {
        Some(implements) if !implements.is_empty() => format!("; implements {}", links(implements)),
        _ => String::new(),
    };
    if record.ready == Some(true) {
        page.under(format_args!("ready{implements}"));
    } else if !blocked.is_empty() {
        page.under(format_args!("blocked by {}{implements}", links(blocked)));
    } else if !implements.is_empty() {
        page.under(implements.trim_start_matches("; "));
    }
    if let Some(acceptance) = record.acceptance.as_ref().and_then(|acceptance| acceptance.0.as_ref()) {
        page.under(format_args!("acceptance {} of {} met", acceptance.met, acceptance.total));
    }
    if let Some(lease) = record.lease.as_ref().and_then(|lease| lease.0.as_ref()) {
        page.under(format_args!("held by {} until {}", lease.holder, lease.expires_at));
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, place: &Place<'_>, args: &Read) -> Result<Answer, Refusal> {
    let query = Query {
        kind: args.kind.as_deref(),
        current: args.current,
        at: args.at.as_deref(),
        base: args.base.as_deref(),
        uncommitted: args.uncommitted,
    };
    // What a requirement is judged by is read, not remembered.
    let is_required = args.require.is_some();
    let mut memory = if ctx.json && !is_required { Memory::open(place, &query) } else { None };
    if let Some(text) = memory.as_mut().and_then(|memory| memory.recall(place, &query)) {
        return Ok(Answer::written(Exit::Done, |out| text.write(out)));
    }
    let printed = Printed { document: list(place, &query)?, is_required };
    if !ctx.json {
        return Ok(Answer::in_form(&printed, false));
    }
    let keep = memory.and_then(|memory| memory.keep(place, &printed.document));
    Ok(Answer::written(printed.exit(), move |out| {
        let text = |out: &mut dyn Write| printed.document.write(out);
        match keep {
            Some(keep) => keep.write(out, text),
            None => text(out),
        }
    }))
}
