//! `govern`: the governance workflow apart from the tool call. One file a command.

pub mod audit;
pub mod spec_lint;

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
    /// Check specs against the spec-format specification, or a plan against the plan gate
    SpecLint(spec_lint::Args),
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    match args.action {
        Action::Audit(args) => audit::run(ctx, args),
        Action::SpecLint(args) => spec_lint::run(ctx, args),
    }
}
