//! `receipts`: what was decided at each tool call and what came of it, and whether the log is as it was written.

use std::io::Read as _;

use canon::Timestamp;
use gate::event::Decision;
use gate::{Exit, Refusal};
use govern::receipts::document::{self, Entry, Export, Filter, List, Show};
use govern::receipts::verify::Verification;
use govern::receipts::{Kind, Outcome, Receipt, key, verify};

use crate::answer::{Answer, Document};
use crate::cli::value;
use crate::codes;
use crate::ctx::Ctx;
use crate::page::{Page, Row};

/// What was decided at each tool call, and what came of it
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub action: Action,
}

/// What `receipts` does.
#[derive(Debug, clap::Subcommand)]
pub enum Action {
    /// List calls and other records
    List {
        /// Of this session alone.
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        /// Of this tool alone.
        #[arg(long, value_name = "NAME")]
        tool: Option<String>,
        /// With this decision alone.
        #[arg(long, value_enum)]
        decision: Option<Decided>,
        /// From this day or instant on.
        #[arg(long, value_name = "TIME", value_parser = value::instant)]
        since: Option<Timestamp>,
        /// The last so many.
        #[arg(long, value_name = "N", value_parser = value::count, default_value = "50")]
        last: u32,
    },
    /// Show every line of one call
    Show {
        /// The number of a line, or the id of a call.
        which: String,
    },
    /// Check that every line is as it was written; the first that is not is named
    Verify {
        /// Of what `receipts export` printed, without the repository; `-` is standard input.
        #[arg(long, value_name = "FILE")]
        from: Option<String>,
    },
    /// Print the whole log with the keys that signed it, as one document
    Export,
}

/// A decision, as the filter takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Decided {
    /// No gate had anything to say.
    Allow,
    /// It was allowed and looked at afterwards.
    Observe,
    /// A person was asked.
    Ask,
    /// It was denied.
    Deny,
}

impl From<Decided> for Decision {
    fn from(decided: Decided) -> Self {
        match decided {
            Decided::Allow => Self::Allow,
            Decided::Observe => Self::Observe,
            Decided::Ask => Self::Ask,
            Decided::Deny => Self::Deny,
        }
    }
}

fn word<T: serde::Serialize>(value: Option<&T>) -> String {
    let value = value.and_then(|value| serde_json::to_value(value).ok());
    value.and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

fn row(entry: &Entry) -> Row<6> {
    let what = match entry.kind {
        Kind::Judged | Kind::Seen => entry.tool.clone().unwrap_or_default(),
        _ => entry.marker.clone().unwrap_or_else(|| word(Some(&entry.kind))),
    };
    let rule = entry.rule.as_deref().unwrap_or_default();
    let agent = entry.agent.as_deref().unwrap_or_default();
    let cells = [
        &*entry.seq.to_string(),
        &*entry.at.to_string(),
        agent,
        &what,
        &*word(entry.decision.as_ref()),
        &*format!("{} {rule}", word(entry.outcome.as_ref())),
    ];
    Row::new(cells)
}

impl Document for List {
    fn render(&self, page: &mut Page) {
        let rows: Vec<Row<6>> = self.receipts.iter().map(row).collect();
        page.table(["NO", "AT", "AGENT", "WHAT", "DECISION", "OUTCOME"], &rows);
        page.line(format_args!("{} of {}", rows.len(), canon::text::counted(lines(self.lines), "line")));
    }
}

fn lines(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

impl Document for Show {
    fn render(&self, page: &mut Page) {
        for line in &self.lines {
            head(page, line);
            page.line(canon::json::pretty(&serde_json::to_value(line).unwrap_or_default()));
        }
    }
}

fn head(page: &mut Page, line: &Receipt) {
    let outcome = word(line.outcome.as_ref());
    let text = format!("line {}: {} {}", line.seq, word(Some(&line.kind)), outcome);
    if line.outcome == Some(Outcome::NotExecuted) { page.caution(text) } else { page.head(text.trim_end()) }
}

/// A log that was handed on, checked with the keys that came with it.
#[derive(serde::Serialize, schemars::JsonSchema)]
#[serde(transparent)]
struct Handed(Verification);

impl Document for Handed {
    fn render(&self, page: &mut Page) {
        found(&self.0, page);
        if !self.0.keys.is_empty() {
            page.aside(
                "· the keys came with the file: compare their fingerprints with those of the repository",
            );
        }
    }

    fn exit(&self) -> Exit {
        self.0.exit()
    }
}

impl Document for Verification {
    fn render(&self, page: &mut Page) {
        found(self, page);
        if self.is_newer() {
            page.hint("install that version: no line is added with this one, and the log is left as it is");
        } else if self.fault.is_some() {
            page.hint(
                "what stands before that line is proved, and nothing behind it; a log whose end or head is damaged is put \
                 aside with the next receipt, and one that is damaged further up goes on",
            );
        }
    }

    fn exit(&self) -> Exit {
        if self.sound {
            Exit::Done
        } else if self.is_newer() {
            Exit::Refused
        } else {
            Exit::Red
        }
    }
}

fn found(this: &Verification, page: &mut Page) {
    let counted = canon::text::counted(lines(this.lines), "line");
    match &this.fault {
        None => {
            let head = this.head.short();
            page.ok(format_args!("the chain of receipts is whole: {counted}, head {head}"));
        }
        Some(fault) if this.is_newer() => {
            page.caution(format_args!("the chain of receipts can't be judged from {fault}"));
            page.under(format_args!("{counted} before it as they were written"));
        }
        Some(fault) => {
            page.bad(format_args!("the chain of receipts is broken at {fault}"));
            page.under(format_args!("{counted} before it as they were written"));
        }
    }
    for key in &this.keys {
        let signed = canon::text::counted(lines(key.lines), "line");
        page.under(format_args!("{signed} signed by {}", key.key));
    }
    let checkpoints = canon::text::counted(lines(this.checkpoints), "checkpoint");
    let since = canon::text::counted(lines(this.since_checkpoint), "line");
    page.under(format_args!("{checkpoints}, {since} since the last"));
    if this.head_signed == Some(false) && this.fault.is_none() {
        page.caution("the head file is not signed: an older cairn wrote it, or somebody without the key");
    }
    for line in &this.unsigned_heads {
        page.caution(format_args!(
            "before line {line} the head file was not signed: an older cairn wrote it, or somebody without the key"
        ));
    }
    for broken in &this.breaks {
        page.caution(format_args!("at {} the log before this one was found damaged", broken.at));
        if let Some(fault) = &broken.fault {
            page.under(fault);
        }
    }
    for one in &this.contradictions {
        let (seen, denied) = (one.seen, one.denied);
        page.caution(format_args!("line {seen} has a result of a call that line {denied} denied"));
    }
}

impl Document for Export {
    fn render(&self, _: &mut Page) {}
}

/// Checks a log that was handed on; no repository is asked for.
fn handed(ctx: &Ctx<'_>, from: &str) -> Result<Answer, Refusal> {
    let refused = |message: String| {
        Refusal::new(codes::RECEIPTS_UNREADABLE, message)
            .hint("make the file with `cairn receipts export > FILE`")
    };
    let bytes = if from == "-" {
        let mut bytes = Vec::new();
        let read = std::io::stdin().read_to_end(&mut bytes);
        read.map_err(|error| refused(format!("standard input can't be read: {error}")))?;
        bytes
    } else {
        let read =
            store::file::read(&ctx.world.cwd.join(from)).map_err(|error| refused(error.to_string()))?;
        read.ok_or_else(|| refused(format!("there is no file `{from}`")))?
    };
    let export = Export::read(&bytes).map_err(|damage| {
        let message = format!("`{from}` is no exported log: {}", damage.message);
        refused(message).at(from, Some(damage.line), Some(damage.column))
    })?;
    let found = export.verify_by_itself().map_err(refused)?;
    Ok(Answer::report(&Handed(found), ctx.json))
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    if let Action::Verify { from: Some(from) } = &args.action {
        return handed(ctx, from);
    }
    let state = crate::hook::state(ctx.world)?;
    let unreadable = |error: &dyn std::fmt::Display| {
        Refusal::new(codes::RECEIPTS_UNREADABLE, error.to_string())
            .hint("make the file readable, then try again")
    };
    let known = || key::known(state.keys()).map_err(|error| unreadable(&error));
    match args.action {
        Action::List { session, tool, decision, since, last } => {
            let last = usize::try_from(last).ok();
            let filter = Filter { session, tool, decision: decision.map(Decision::from), since, last };
            let found = document::list(&state, &filter).map_err(|error| unreadable(&error))?;
            Ok(Answer::in_form(&found, ctx.json))
        }
        Action::Show { which } => {
            let show = document::show(&state, &which).map_err(|error| unreadable(&error))?;
            if show.lines.is_empty() {
                let message = format!("no receipt has the number or the call `{which}`");
                return Err(Refusal::new(codes::NO_RECEIPT, message).next("cairn receipts list"));
            }
            Ok(Answer::of(&show))
        }
        Action::Verify { .. } => {
            let found = verify::verify(&state, &known()?).map_err(|error| unreadable(&error))?;
            Ok(Answer::report(&found, ctx.json))
        }
        Action::Export => {
            let export = document::export(&state, &known()?).map_err(|error| unreadable(&error))?;
            Ok(Answer::document(&export))
        }
    }
}
