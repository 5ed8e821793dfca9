//! `amend-spec`: the one sanctioned change of a locked test (P6).

use chalk::amend::{Amended, amend};
use chalk::model::display_id;
use gate::Refusal;

use super::spec::{beside, cut};
use crate::answer::{Answer, Document};
use crate::cli::value;
use crate::ctx::Ctx;
use crate::page::Page;

/// Lock a changed test again, with a reason
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The task: its id or the beginning of it.
    pub id: String,
    /// The test; repeatable.
    #[arg(long = "test", value_name = "PATH", required = true, value_parser = value::text)]
    pub tests: Vec<String>,
    /// The reason, logged as a decision.
    #[arg(long, visible_alias = "reason", value_name = "REASON", value_parser = value::text)]
    pub why: Option<String>,
}

impl Document for Amended {
    fn render(&self, page: &mut Page) {
        page.ok(format_args!("{}  {}  ({})", display_id(&self.id), self.title, self.state));
        for test in &self.tests {
            let now = test.sha256.short();
            let was = match test.before {
                Some(before) if before == test.sha256 => format!("content unchanged, sha256 {now}"),
                Some(before) => format!("sha256 {} -> {now}", before.short()),
                None => format!("newly locked, sha256 {now}"),
            };
            page.under(format_args!("{}: {was}{}", canon::text::one_line(&test.path), beside(test.deciders)));
        }
        page.under(format_args!("decision logged: {}", self.why));
        if self.reopened {
            page.caution("the task was done and is so no more: it has to pass its gates again");
        }
        if self.review_stale {
            page.caution("the review that passed is stale: it judged another contract");
        }
        cut(page, self.deciders_cut);
        page.next(&self.next);
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    Ok(Answer::of(&ctx.act(|session| amend(session, &args.id, &args.tests, args.why.as_deref()))?))
}
