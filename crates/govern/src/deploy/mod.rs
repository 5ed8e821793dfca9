//! Bringing the governance workflow to another repository: the host deployment 1.1.
//!
//! A [`probe`] observes the target and decides what is feasible; nobody's description of the target counts. A [`plan`]
//! is made from its report and judged by the plan gate; a person approves it; then the [steps](plan::Step) run one by
//! one, each with a [`receipt`] and the [state](state::Deployment) on disk before the next. The [`machine`] says which
//! phase may follow which. What goes wrong is a [`notice`], which can't be made without a plan that mends it.
//!
//! [`probe`], [`contract`], [`machine`], [`plan`], [`notice`] and [`report`] decide from values. [`desk`], [`seed`] and
//! [`snapshot`] read and write below the target, never through a link. The agents' instructions are made anew by
//! [`knowledge`](crate::knowledge), from the vault that was seeded. Running programs and wiring an agent is the caller's.

pub mod contract;
pub mod desk;
pub mod machine;
pub mod notice;
pub mod plan;
pub mod probe;
pub mod receipt;
pub mod report;
pub mod seed;
pub mod snapshot;
pub mod state;

/// The version of the text that this follows.
pub const SPEC: &str = "host-deployment-spec 1.1";

/// The folder of the governance below a target, which holds the deployment's files too.
pub const FOLDER: &str = ".governance";

/// The vault below a target.
pub const VAULT: &str = crate::knowledge::VAULT;

/// What the deployment itself writes into [`FOLDER`]: a rollback leaves it as it is, since it tells what happened.
pub const OWN: &[&str] = &[
    "portability-report.json",
    "deploy-plan.json",
    "deploy-state.json",
    "deploy-receipts.jsonl",
    "deploy-receipts.jsonl.head",
    "evidence",
];

/// Whether a name in [`FOLDER`] is one that the deployment itself writes, or leaves behind when it is killed.
pub fn is_own(name: &str) -> bool {
    let is_staged = |own: &&str| {
        let rest = name.strip_prefix(*own).and_then(|rest| rest.strip_suffix(".tmp"));
        rest.is_some_and(|rest| rest.starts_with('.'))
    };
    OWN.contains(&name) || OWN.iter().any(is_staged)
}
