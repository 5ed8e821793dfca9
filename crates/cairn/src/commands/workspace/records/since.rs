//! `records --since`: what changed since a commit, or in a review session.

use chant::Place;
use chant::records::since::{Change, Comparison, Document as Changes, Outcome, Query, since};
use gate::{Exit, Refusal};

use super::Read;
use crate::answer::{Answer, Document};
use crate::ctx::Ctx;
use crate::page::Page;

/// What is printed.
#[derive(serde::Serialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct Printed(Changes);

impl Document for Printed {
    fn exit(&self) -> Exit {
        let is_failure = self.0.outcomes().iter().any(|outcome| matches!(outcome, Outcome::Failure(_)));
        if is_failure { Exit::Refused } else { Exit::Done }
    }

    fn render(&self, page: &mut Page) {
        for (n, outcome) in self.0.outcomes().iter().enumerate() {
            if n > 0 {
                page.blank();
            }
            match outcome {
                Outcome::Comparison(comparison) => show(page, comparison),
                Outcome::Failure(failure) => {
                    if let Some(declared) = &failure.declared {
                        page.head(&declared.path);
                    }
                    page.bad(format_args!("{}: {}", failure.error.code, failure.error.message));
                }
            }
        }
    }
}

fn show(page: &mut Page, comparison: &Comparison) {
    let short = |commit: &str| commit.get(..8).unwrap_or(commit).to_owned();
    let to = comparison.at.as_deref().map_or_else(|| "the working tree".to_owned(), short);
    page.head(format_args!("{}  {}..{to}", comparison.kind.name, short(&comparison.since)));
    if let Some(session) = &comparison.session {
        page.under(format_args!("session {}  {}", session.id, session.state.as_deref().unwrap_or("-")));
        for reason in &session.reasons {
            page.under(format_args!("{}: {}", reason.code, reason.message));
        }
    }
    let text = |value: &Option<String>| value.as_deref().unwrap_or("-").to_owned();
    for change in &comparison.changes {
        page.line(match change {
            Change::New { id, state, .. } => format!("new           {id}  {}", text(state)),
            Change::Removed { id, state, .. } => format!("removed       {id}  {}", text(state)),
            Change::State { id, from, to } => format!("state         {id}  {} -> {}", text(from), text(to)),
            Change::Verdict { id, principal, verdict, record, .. } => {
                let on = record.as_ref().map(|record| format!(" on {record}")).unwrap_or_default();
                format!("verdict       {id}  {} by {}{on}", text(verdict), text(principal))
            }
            Change::Supersession { id, supersedes } => format!("supersession  {id}  supersedes {supersedes}"),
            Change::Pin { id, path, from, to } => {
                let hash = |hash: &Option<String>| hash.as_deref().map_or_else(|| "-".to_owned(), short);
                format!("pin           {id}  {path}  {} -> {}", hash(from), hash(to))
            }
        });
    }
    let count = comparison.changes.len();
    page.line(if count == 1 { "1 change".to_owned() } else { format!("{count} changes") });
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, place: &Place<'_>, args: &Read) -> Result<Answer, Refusal> {
    let query = Query {
        kind: args.kind.as_deref(),
        since: args.since.as_deref().unwrap_or_default(),
        at: args.at.as_deref(),
    };
    since(place, &query).map(|document| Answer::in_form(&Printed(document), ctx.json))
}
