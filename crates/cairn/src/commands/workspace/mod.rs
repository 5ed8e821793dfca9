//! `workspace`: the records of a Chant workspace.

pub mod records;

use chant::Place;
use gate::Refusal;

use crate::answer::Answer;
use crate::ctx::Ctx;

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
    /// List records, validated and linked
    Records(records::Args),
}

/// Where a command stands.
fn place<'w>(ctx: &Ctx<'w>) -> Result<Place<'w>, Refusal> {
    Place::open(ctx.world, None)
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    match args.action {
        Action::Records(args) => records::run(ctx, args),
    }
}
