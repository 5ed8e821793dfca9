//! `workspace records`: list records, compare them, and write them.

mod list;
mod pin;
mod since;
mod write;

use chant::Place;
use gate::Refusal;

use super::place;
use crate::answer::Answer;
use crate::ctx::Ctx;

pub use list::Printed as Listed;
pub use pin::Pinned;
pub use since::Printed as Compared;

/// List records, validated and linked; write them
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    /// What to do instead of listing.
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    read: Read,
}

/// What is read.
#[derive(Debug, clap::Args)]
struct Read {
    /// The kind file; without it, every kind that the workspace declares.
    #[arg(long, value_name = "FILE")]
    kind: Option<String>,
    /// Leave superseded records out.
    #[arg(long, conflicts_with = "since")]
    current: bool,
    /// Read a revision instead of the working tree.
    #[arg(long, value_name = "REV", allow_hyphen_values = true)]
    at: Option<String>,
    /// The revision that trust is read at; by default the branch that work is merged to.
    #[arg(long, value_name = "REV", allow_hyphen_values = true, conflicts_with = "since")]
    base: Option<String>,
    /// List only records that HEAD does not hold as they are.
    #[arg(long, conflicts_with_all = ["at", "since"])]
    uncommitted: bool,
    /// Exit with 2 unless every record listed is attested.
    #[arg(long, value_name = "LEVEL", value_parser = ["attested"], conflicts_with = "since")]
    require: Option<String>,
    /// What changed since a commit, or in a review session.
    #[arg(long, value_name = "REV|SESSION", allow_hyphen_values = true)]
    since: Option<String>,
}

/// What `records` does beside reading.
#[derive(Debug, clap::Subcommand)]
enum Action {
    /// The pin of a file: its path and the SHA-256 of its bytes
    Pin(pin::Args),
    /// Write a new record
    New(write::New),
    /// Change fields of a record
    Amend(write::Amend),
    /// Add a verdict to a record
    Review(write::Review),
    /// End a review session, and seal it
    Close(write::Close),
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    let place: Place<'_> = place(ctx)?;
    match args.action {
        None if args.read.since.is_some() => since::run(ctx, &place, &args.read),
        None => list::run(ctx, &place, &args.read),
        Some(Action::Pin(args)) => pin::run(&place, &args),
        Some(Action::New(args)) => Ok(write::new(&place, &args)),
        Some(Action::Amend(args)) => Ok(write::amend(&place, &args)),
        Some(Action::Review(args)) => Ok(write::review(&place, &args)),
        Some(Action::Close(args)) => Ok(write::close(&place, &args)),
    }
}
