//! `govern`: the governance workflow apart from the tool call. One file a command.

pub mod audit;
pub mod deploy;
pub mod health;
pub mod knowledge;
pub mod probe;
pub mod queue;
pub mod spec_lint;

use gate::Refusal;

use crate::answer::Answer;
use crate::ctx::Ctx;
use crate::hook::{Own, noting};

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
    /// Lessons and rules that the repository keeps, and what of them agents read every time
    Knowledge(knowledge::Args),
    /// What is counted of the gates, and how far each installed agent lets the contracts hold
    Health(health::Args),
    /// What waits for a person
    Queue(queue::Args),
    /// Check specs against the spec-format specification, or a plan against the plan gate
    SpecLint(spec_lint::Args),
    /// See what is feasible on a target, without changing it
    Probe(probe::Args),
    /// Bring the workflow to a target: plan, a person's approval, steps, verification
    Deploy(deploy::Args),
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    match args.action {
        Action::Audit(args) => audit::run(ctx, args),
        Action::Knowledge(args) => knowledge::run(ctx, args),
        Action::Health(args) => health::run(ctx, args),
        Action::Queue(args) => queue::run(ctx, args),
        Action::SpecLint(args) => spec_lint::run(ctx, args),
        Action::Probe(args) => {
            let target = args.target.clone();
            noting(ctx, target.as_deref(), Own::Report, || probe::run(ctx, args))
        }
        Action::Deploy(args) => {
            let target = args.action.target().map(ToOwned::to_owned);
            noting(ctx, target.as_deref(), Own::Deployment, || deploy::run(ctx, args))
        }
    }
}
