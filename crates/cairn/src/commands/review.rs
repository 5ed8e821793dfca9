//! `review`: the adversarial reviewer (P5). Promises a recorded verdict about the whole change of the task, bound
//! to the content that was judged; exit code 0 for a pass, 3 for a block.

use std::fmt::Write as _;

use chalk::review::{self, Request, Reviewed};
use chalk::tree::Kind;
use gate::{Exit, Refusal};
use serde_json::Value;

use crate::answer::{Answer, Document};
use crate::cli::value;
use crate::ctx::Ctx;
use crate::page::Page;

/// How many findings and judgement calls are shown.
const SHOWN: usize = 20;

/// Run the reviewer over the whole change, or record a review by hand
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The task: its id or the beginning of it.
    pub id: String,
    /// No second try after an answer without a verdict.
    #[arg(long, conflicts_with = "note")]
    pub no_retry: bool,
    /// A review by hand: what was found.
    #[arg(long, value_name = "TEXT", value_parser = value::text)]
    pub note: Option<String>,
    /// Who reviewed by hand.
    #[arg(long, value_name = "NAME", requires = "note", value_parser = value::text)]
    pub by: Option<String>,
    /// The review by hand blocks.
    #[arg(long, requires = "note")]
    pub block: bool,
}

impl Document for Reviewed {
    fn render(&self, page: &mut Page) {
        let id = chalk::model::display_id(&self.id);
        let by = match self.by.as_str() {
            _ if !self.by_hand => String::new(),
            "human" => ", by hand".to_owned(),
            name => format!(", by {name} (by hand)"),
        };
        let head = format!("review ({}) of {id}: {}{by}", self.verdict, self.title);
        if self.verdict == "pass" {
            page.ok(head);
        } else {
            page.bad(head);
        }
        if let (Some(files), Some(origin)) = (self.files, self.origin) {
            let were = if files == 1 { "1 file".to_owned() } else { format!("{files} files") };
            page.under(format_args!("{were}: {}", origin.words()));
        }
        if self.tree.kind != Kind::Root {
            page.under(&self.tree);
        }
        if let Some(note) = &self.note {
            page.under(canon::text::one_line(note));
        }
        bounded(page, &self.findings, |page, finding| page.under(review::line(finding)));
        if let Some(Value::Array(decisions)) = &self.decisions
            && !decisions.is_empty()
        {
            page.under("judgement calls of the author, for a person to look at:");
            bounded(page, decisions, |page, decision| page.under(format_args!("- {}", call(decision))));
        }
        if self.verdict == "pass" && self.high {
            page.caution("the reviewer passed the change with a finding of high weight: look at it");
        }
        if self.verdict == "stale" {
            page.caution("the reviewer passed what the task asked before, so the pass does not count");
        }
        if !self.cut.is_empty() {
            let files = names(&self.cut, self.cut.len());
            page.caution(format_args!("the reviewer was not given the whole diff of {files}"));
            page.hint("`protocol.review.diffLimit` sets how many bytes it is given");
        }
        if self.moved > 0 {
            let files = names(&self.moved_files, self.moved);
            page.caution(format_args!("{files} changed while the reviewer ran"));
            page.hint("the verdict is about the files before that");
        }
        if self.unblocked {
            page.under("the task goes on where it was blocked");
        }
        page.next(&self.next);
    }

    fn exit(&self) -> Exit {
        Reviewed::exit(self)
    }
}

/// The first items, and how many more there are.
fn bounded<T>(page: &mut Page, items: &[T], show: impl Fn(&mut Page, &T)) {
    for item in items.iter().take(SHOWN) {
        show(page, item);
    }
    if items.len() > SHOWN {
        page.under(format_args!("and {} more", items.len() - SHOWN));
    }
}

/// The first of `count` files by name.
fn names(files: &[String], count: usize) -> String {
    let shown: Vec<String> = files.iter().take(3).map(|file| format!("`{file}`")).collect();
    let more = count - shown.len();
    if more == 0 { shown.join(", ") } else { format!("{} and {more} more", shown.join(", ")) }
}

/// A judgement call on one line, in whatever form the reviewer gave it.
fn call(decision: &Value) -> String {
    let text = |key: &str| decision.get(key).and_then(Value::as_str).map(canon::text::one_line);
    let Some(choice) = text("choice") else {
        return decision.as_str().map_or_else(|| decision.to_string(), canon::text::one_line);
    };
    let mut line = choice;
    if let Some(why) = text("why") {
        let _ = write!(line, ", because {why}");
    }
    let reach = [("blast", text("blast")), ("undo", text("undo"))];
    let reach: Vec<String> =
        reach.into_iter().filter_map(|(name, word)| word.map(|word| format!("{name} {word}"))).collect();
    if reach.is_empty() { line } else { format!("{line} ({})", reach.join(", ")) }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    let request = match args.note {
        Some(note) => Request::ByHand { note, by: args.by, block: args.block },
        None => Request::Reviewer { retry: !args.no_retry },
    };
    let reviewed = ctx.act(|session| review::run(session, &args.id, &request))?;
    Ok(Answer::of(&reviewed))
}
