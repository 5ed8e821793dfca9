//! `records new`, `amend`, `review` and `close`: one record written, or nothing. They print a document in every case.

use std::io::Read as _;
use std::path::Path;

use chant::write::{
    AmendRequest, Amended, CloseRequest, Closed, Created, Failed, NewRequest, Refused, ReviewRequest,
    Reviewed, SignWith, Verb,
};
use chant::{Place, codes};
use gate::{Exit, Refusal};

use crate::answer::{Answer, Document};
use crate::page::Page;

/// Write a new record
#[derive(Debug, clap::Args)]
pub struct New {
    /// The kind: a file, or the name of a declared kind; may be left out where only one is declared.
    kind: Option<String>,
    /// The fields as a JSON object: a file, or `-` for standard input.
    #[arg(long, value_name = "FILE")]
    from: String,
    /// The prefix of the id; give each clone or team its own, and no two ever allocate the same id.
    #[arg(long)]
    prefix: Option<String>,
    /// Who proposes or decides the record.
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    #[command(flatten)]
    how: How,
    #[command(flatten)]
    sign: Sign,
}

/// Change fields of a record
#[derive(Debug, clap::Args)]
pub struct Amend {
    /// The record.
    id: String,
    /// The kind: a file, or the name of a declared kind.
    #[arg(long)]
    kind: Option<String>,
    /// The fields as a JSON object, null for one to remove: a file, or `-` for standard input.
    #[arg(long, value_name = "FILE")]
    set: String,
    #[command(flatten)]
    expect: Expect,
    #[command(flatten)]
    how: How,
    #[command(flatten)]
    sign: Sign,
}

/// Add a verdict to a record
#[derive(Debug, clap::Args)]
pub struct Review {
    /// The record.
    id: String,
    /// The kind: a file, or the name of a declared kind.
    #[arg(long)]
    kind: Option<String>,
    /// `agree`, `dissent` or `abstain`.
    #[arg(long)]
    verdict: Option<String>,
    /// Who gives the verdict.
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// Why; a dissent needs it.
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// The review session that it is given in, which is written too.
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    #[command(flatten)]
    expect: Expect,
    #[command(flatten)]
    how: How,
    #[command(flatten)]
    sign: Sign,
}

/// End a review session, and seal it
#[derive(Debug, clap::Args)]
pub struct Close {
    /// The session.
    id: String,
    /// The kind: a file, or the name of a declared kind.
    #[arg(long)]
    kind: Option<String>,
    #[command(flatten)]
    expect: Expect,
    #[command(flatten)]
    how: How,
}

#[derive(Debug, clap::Args)]
struct Expect {
    /// Go ahead only if the record still has this digest.
    #[arg(long, value_name = "DIGEST")]
    expect: Option<String>,
}

#[derive(Debug, clap::Args)]
struct How {
    /// Write nothing; print what would be written.
    #[arg(long)]
    dry_run: bool,
}

#[derive(Debug, clap::Args)]
struct Sign {
    /// Seal it with an ssh key: a file, or without one the key that git signs with.
    #[arg(long, value_name = "KEY", num_args = 0..=1, default_missing_value = "")]
    sign: Option<String>,
}

impl Sign {
    fn with(&self) -> Option<SignWith<'_>> {
        self.sign.as_deref().map(|key| if key.is_empty() { SignWith::Git } else { SignWith::File(key) })
    }
}

macro_rules! documents {
    ($($document:ty),+) => {
        $(
            impl Document for $document {
                fn render(&self, _: &mut Page) {}
            }
        )+
    };
}

documents!(Created, Amended, Reviewed, Closed);

impl Document for Failed {
    fn render(&self, _: &mut Page) {}

    fn exit(&self) -> Exit {
        Exit::Refused
    }
}

fn answer<T: Document>(verb: Verb, outcome: Result<T, Refused>) -> Answer {
    match outcome {
        Ok(document) => Answer::document(&document),
        Err(refused) => Answer::document(&refused.document(verb)),
    }
}

/// The fields that a write is given, and what they are called in messages.
fn fields(place: &Place<'_>, from: &str) -> Result<(Vec<u8>, String), Refused> {
    let invalid = |why: String| Refused::from(Refusal::new(codes::WRITE_INPUT_INVALID, why));
    if from == "-" {
        let mut bytes = Vec::new();
        std::io::stdin()
            .read_to_end(&mut bytes)
            .map_err(|error| invalid(format!("standard input can't be read: {error}")))?;
        return Ok((bytes, "standard input".to_owned()));
    }
    let path = place.world.cwd.join(Path::new(from));
    match std::fs::read(&path) {
        Ok(bytes) => Ok((bytes, from.to_owned())),
        Err(error) => Err(invalid(format!("{from} can't be read: {error}"))),
    }
}

/// Runs `records new`.
pub fn new(place: &Place<'_>, args: &New) -> Answer {
    let written = fields(place, &args.from).and_then(|(fields, from)| {
        let request = NewRequest {
            kind: args.kind.as_deref(),
            fields: &fields,
            from: &from,
            prefix: args.prefix.as_deref(),
            by: args.by.as_deref(),
            sign: args.sign.with(),
            dry_run: args.how.dry_run,
            from_agent: false,
        };
        request.run(place)
    });
    answer(Verb::New, written)
}

/// Runs `records amend`.
pub fn amend(place: &Place<'_>, args: &Amend) -> Answer {
    let written = fields(place, &args.set).and_then(|(fields, from)| {
        let request = AmendRequest {
            id: &args.id,
            kind: args.kind.as_deref(),
            fields: &fields,
            from: &from,
            expect: args.expect.expect.as_deref(),
            sign: args.sign.with(),
            dry_run: args.how.dry_run,
        };
        request.run(place)
    });
    answer(Verb::Amend, written)
}

/// Runs `records review`.
pub fn review(place: &Place<'_>, args: &Review) -> Answer {
    let request = ReviewRequest {
        id: &args.id,
        kind: args.kind.as_deref(),
        verdict: args.verdict.as_deref().unwrap_or_default(),
        by: args.by.as_deref().unwrap_or_default(),
        note: args.note.as_deref(),
        session: args.session.as_deref(),
        expect: args.expect.expect.as_deref(),
        sign: args.sign.with(),
        dry_run: args.how.dry_run,
    };
    answer(Verb::Review, request.run(place))
}

/// Runs `records close`.
pub fn close(place: &Place<'_>, args: &Close) -> Answer {
    let request = CloseRequest {
        id: &args.id,
        kind: args.kind.as_deref(),
        expect: args.expect.expect.as_deref(),
        dry_run: args.how.dry_run,
    };
    answer(Verb::Close, request.run(place))
}
