//! `govern`: the governance workflow apart from the tool call. One file a command.

pub mod audit;
pub mod deploy;
pub mod probe;

use gate::Refusal;

use crate::answer::Answer;
use crate::ctx::Ctx;

/// Arguments of `govern`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub action: Action,
}

/// What `govern` does.
#[derive(Debug, clap::Subcommand)]
pub enum Action {
    /// Hold commits, files and settings against the receipts: proved, not shown, contradicted
    Audit(audit::Args),
    /// See what is feasible on a target, without changing it
    Probe(probe::Args),
    /// Bring the workflow to a target: plan, a person's approval, steps, verification
    Deploy(deploy::Args),
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    match args.action {
        Action::Audit(args) => audit::run(ctx, args),
        Action::Probe(args) => probe::run(ctx, args),
        Action::Deploy(args) => deploy::run(ctx, args),
    }
}
