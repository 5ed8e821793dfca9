//! `govern deploy`: the workflow brought to a target, from a report of the probe to a completion report. Nothing of the
//! target but the deployment's own files is changed before a person approved the plan.

mod approve;
mod mend;
mod plan;
mod report;
mod run;
pub(super) mod show;

use std::path::{Path, PathBuf};

use gate::Refusal;

pub use approve::Decided;
pub use mend::Mended;
pub use plan::Planned;
pub use report::Reported;
pub use run::Went;

use crate::answer::Answer;
use crate::ctx::Ctx;

/// Arguments of `govern deploy`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub action: Action,
}

/// The target of a deployment.
#[derive(Debug, clap::Args)]
pub struct Target {
    /// The target; by default the repository around this folder.
    #[arg(long, value_name = "FOLDER")]
    target: Option<PathBuf>,
}

/// What `govern deploy` does.
#[derive(Debug, clap::Subcommand)]
pub enum Action {
    /// Make a plan from the report of `govern probe`, which a person then approves
    Plan(Target),
    /// Approve the plan; needs a person at a terminal
    Approve {
        /// The target.
        #[command(flatten)]
        target: Target,
        /// Deny the plan instead, which ends the deployment.
        #[arg(long)]
        deny: bool,
    },
    /// Run the approved plan, step by step; a failure is taken back
    Run(Target),
    /// Go on with a deployment that was broken off
    Resume(Target),
    /// Take back what a deployment changed that is not done; needs a person at a terminal
    Rollback(Target),
    /// Put aside files of the deployment that are not as they were written, and say so on record; needs a person at a
    /// terminal
    Mend(Target),
    /// The report that suits where the deployment stands: analysis, what is missing, completion
    Report(Target),
}

impl Action {
    /// The target that is named.
    pub(super) fn target(&self) -> Option<&Path> {
        let (Self::Plan(target)
        | Self::Approve { target, .. }
        | Self::Run(target)
        | Self::Resume(target)
        | Self::Rollback(target)
        | Self::Mend(target)
        | Self::Report(target)) = self;
        target.target.as_deref()
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    match args.action {
        Action::Plan(target) => plan::run(ctx, &target),
        Action::Approve { target, deny } => approve::run(ctx, &target, deny),
        Action::Run(target) => run::run(ctx, &target, true),
        Action::Resume(target) => run::run(ctx, &target, false),
        Action::Rollback(target) => run::rollback(ctx, &target),
        Action::Mend(target) => mend::run(ctx, &target),
        Action::Report(target) => report::run(ctx, &target),
    }
}
