//! `govern knowledge add`: a candidate comes in through the write gate (WS-007). What shows it is its first piece of
//! evidence.

use canon::Timestamp;
use gate::Refusal;
use gate::sensitive::Sensitive;
use govern::knowledge::admit::{Draft, admit, name};
use govern::knowledge::vault::Blocks;
use govern::knowledge::{Evidence, Label, Status, Trust, codes};
use schemars::JsonSchema;
use serde::Serialize;
use store::file;

use super::{Desk, Listed, writer};
use crate::answer::{Answer, Document};
use crate::cli::value;
use crate::ctx::Ctx;
use crate::page::Page;

/// The largest text that is read from a file, in bytes.
const MOST: u64 = 256 * 1024;

/// Arguments of `govern knowledge add`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What was learned, in one line.
    #[arg(value_parser = value::text)]
    title: String,
    /// What kind of knowledge it is.
    #[arg(long, value_enum)]
    label: Option<Kind>,
    /// What shows it: `receipt:<number>`, or an address.
    #[arg(long, value_name = "REFERENCE")]
    evidence: Option<String>,
    /// What recurs when it matters: a word, or `reason:`, `rule:` or `claim:` as receipts have it.
    #[arg(long, value_name = "WORD")]
    signature: Option<String>,
    /// How it follows from the evidence.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    derivation: Option<String>,
    /// From when on it holds.
    #[arg(long, value_name = "TIME", value_parser = value::instant)]
    valid_time: Option<Timestamp>,
    /// The text behind the line.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, conflicts_with = "from")]
    text: Option<String>,
    /// The file with the text behind the line.
    #[arg(long, value_name = "FILE")]
    from: Option<String>,
    /// It was looked up, and goes to Research.
    #[arg(long)]
    research: bool,
    /// How much it matters here, from 0 to 100.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=100), default_value = "50")]
    relevance: u8,
    /// How sure it is, from 0 to 100.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=100), default_value = "50")]
    reliability: u8,
    /// How much of it may be out of date, from 0 to 100.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=100), default_value = "0")]
    staleness: u8,
    /// Who writes it; an agent is known by `CHANT_AGENT`.
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
}

/// A label, as the command takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// It is established.
    Fact,
    /// It was concluded from something.
    Inferred,
    /// It says what is to be done.
    Rule,
    /// A person decided that it holds; see `promote`.
    ValidatedOverride,
}

impl From<Kind> for Label {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Fact => Self::Fact,
            Kind::Inferred => Self::Inferred,
            Kind::Rule => Self::Rule,
            Kind::ValidatedOverride => Self::ValidatedOverride,
        }
    }
}

/// What `govern knowledge add` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Added {
    /// The entry.
    pub entry: Listed,
    /// What in it tells of a person.
    pub personal: Vec<Sensitive>,
    /// The files that changed, from the top of the repository.
    pub files: Vec<String>,
}

impl Document for Added {
    fn render(&self, page: &mut Page) {
        page.ok(format_args!("kept as a candidate: {}", self.entry.path));
        for found in &self.personal {
            page.caution(format_args!("line {} holds {}", found.line, found.what));
        }
        if self.entry.path.starts_with("Research/") {
            page.hint("it is kept and listed; only rules and lessons come into force");
            return;
        }
        page.hint("a second piece of evidence in the same window promotes it, if somebody else adds it");
        page.next(format_args!("cairn govern knowledge evidence {} --ref <reference>", self.entry.id));
    }
}

fn text(ctx: &Ctx<'_>, args: &Args) -> Result<String, Refusal> {
    let Some(from) = &args.from else { return Ok(args.text.clone().unwrap_or_default()) };
    let path = ctx.world.cwd.join(from);
    let fail = |message: String| {
        Refusal::new(codes::NOT_WRITTEN, message).at(path.clone(), None, None).hint("nothing was changed")
    };
    if !path.exists() {
        return Err(fail(format!("there is no file `{from}`")));
    }
    let bytes = file::read_at_most(&path, MOST).map_err(|error| fail(error.to_string()))?;
    let bytes = bytes.ok_or_else(|| fail(format!("`{from}` has more than {MOST} bytes")))?;
    String::from_utf8(bytes).map_err(|_| fail(format!("`{from}` is not UTF-8")))
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, desk: &Desk, args: Args) -> Result<Answer, Refusal> {
    let body = text(ctx, &args)?;
    let draft = Draft {
        title: args.title,
        label: args.label.map(Label::from),
        signature: args.signature,
        writer: writer(ctx, args.by),
        evidence: args.evidence,
        derivation: args.derivation,
        valid_time: args.valid_time,
        trust: Trust { relevance: args.relevance, reliability: args.reliability, staleness: args.staleness },
        research: args.research,
        body,
    };
    let writing = desk.vault.write()?;
    let project = writing.shelf.terms.project.clone();
    let mut entries = writing.shelf.entries();
    let id = name(&draft.title, |name| entries.iter().any(|entry| entry.id == name));
    let entry = admit(draft, &id, &project, ctx.world.now())?;
    let says_the_same = |other: &&govern::knowledge::Entry| {
        other.title() == entry.title() && other.status() != Status::Erased
    };
    if let Some(known) = entries.iter().find(says_the_same) {
        return Err(Refusal::new(codes::KNOWN_ALREADY, format!("`{}` says this already", known.path()))
            .hint("a recurrence is evidence for it")
            .next(format!("cairn govern knowledge evidence {} --ref <reference>", known.id)));
    }
    let pieces: Vec<Evidence> = entry
        .fields
        .provenance
        .iter()
        .map(|from| Evidence {
            at: from.valid_time,
            transaction_time: Some(from.transaction_time),
            signature: entry.signature(),
            contradicts: false,
            reference: from.evidence.clone(),
            writer: from.writer.clone(),
            project: Some(project.clone()),
            note: None,
        })
        .collect();
    for piece in &pieces {
        desk.refuse_unknown_receipt(&piece.reference)?;
    }
    entries.push(entry.clone());
    let planned = writing.plan(&entries, &pieces, Blocks::Index)?;
    let files = planned.names();
    writing.commit(&planned)?;
    let personal = entry.sensitive.clone();
    Ok(Answer::of(&Added { entry: Listed::of(&entry, &project), personal, files }))
}
