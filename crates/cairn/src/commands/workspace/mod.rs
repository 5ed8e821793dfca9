//! `workspace`: the records of a Chant workspace.

pub mod check;
pub mod handover;
pub mod init;
pub mod lock;
pub mod ls;
pub mod patch;
pub mod records;
pub mod signers;
pub mod verify;

use chant::Place;
use gate::{Exit, Refusal};

use crate::answer::{Answer, Document};
use crate::ctx::Ctx;
use crate::page::Page;

/// Records of a Chant workspace: list, write, check
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub action: Action,
}

/// The commands of the workspace.
#[derive(Debug, clap::Subcommand)]
pub enum Action {
    /// Propose a declaration for this repository, and write it
    Init(init::Args),
    /// List members, groups and record kinds
    Ls(ls::Args),
    /// List records, validated and linked; write them
    Records(Box<records::Args>),
    /// Check the declaration, members, records, boxes and diagrams
    Check(check::Args),
    /// Who holds the write lock; take it for a batch of writes
    Lock(lock::Args),
    /// The hunks of a diff, as a document
    Patch(patch::Args),
    /// The signer sets up to base
    Signers(signers::Args),
    /// Judge every commit of a change by what was believed before it
    Verify(verify::Args),
}

/// Where a command stands.
fn place<'w>(ctx: &Ctx<'w>) -> Result<Place<'w>, Refusal> {
    Place::open(ctx.world, None)
}

/// What a command printed in place of its result: the failure's own document.
#[derive(serde::Serialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct Failed<T> {
    document: T,
    #[serde(skip)]
    refusal: Option<Refusal>,
}

impl<T: serde::Serialize + schemars::JsonSchema> Document for Failed<T> {
    fn render(&self, page: &mut Page) {
        if let Some(refusal) = &self.refusal {
            page.refusal(refusal);
        }
    }

    fn exit(&self) -> Exit {
        self.refusal.as_ref().map_or(Exit::Refused, |refusal| refusal.exit)
    }
}

/// The two documents of a command, for its one schema: the result, or the failure in its place.
#[derive(serde::Serialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum Either<T, F> {
    /// The result.
    Result(T),
    /// Why there is none.
    Failure(F),
}

/// The answer of a command that failed with a document of its own.
fn failed<T: serde::Serialize + schemars::JsonSchema>(
    ctx: &Ctx<'_>,
    refusal: &Refusal,
    document: T,
) -> Answer {
    Answer::in_form(&Failed { document, refusal: Some(refusal.clone()) }, ctx.json)
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    match args.action {
        Action::Init(args) => init::run(ctx, args),
        Action::Ls(args) => ls::run(ctx, args),
        Action::Records(args) => records::run(ctx, *args),
        Action::Check(args) => check::run(ctx, args),
        Action::Lock(args) => lock::run(ctx, args),
        Action::Patch(args) => patch::run(ctx, args),
        Action::Signers(args) => signers::run(ctx, args),
        Action::Verify(args) => verify::run(ctx, args),
    }
}
