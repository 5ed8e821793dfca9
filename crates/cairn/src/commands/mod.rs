//! One file a command. Each says in its first lines what the command promises.

pub mod accept;
pub mod agents;
pub mod amend_spec;
pub mod approve;
pub mod audit;
pub mod backlog;
pub mod block;
pub mod conformance;
pub mod context;
pub mod decision;
pub mod demo;
pub mod doctor;
pub mod done;
pub mod govern;
pub mod guard;
pub mod handoff;
pub mod hook;
pub mod init;
pub mod lesson;
pub mod log;
pub mod migrate;
pub mod next;
pub mod phase;
pub mod plan;
pub mod question;
pub mod receipts;
pub mod review;
pub mod run_loop;
pub mod schema;
pub mod skill;
pub mod spec;
pub mod start;
pub mod stats;
pub mod status;
pub mod task;
pub mod unblock;
pub mod update;
pub mod verify;
pub mod work;
pub mod workspace;

use gate::Refusal;

use crate::answer::Answer;
use crate::ctx::Ctx;

/// Chalk's commands for everyday work, which `cairn` offers under their own names.
#[derive(Debug, clap::Subcommand)]
pub enum Everyday {
    /// Set up `.chalk/` and the agent contract
    Init(init::Args),
    /// Install or refresh the agent contract in AGENTS.md and CLAUDE.md
    Agents(agents::Args),
    /// Phase, task board, open questions, recent updates
    Status(status::Args),
    /// The single next action, or the gate that stays shut
    Next(next::Args),
    /// What to read before working: criteria, tests at risk, spec, lessons
    Context(context::Args),
    /// Add, edit, drop and show tasks
    Task(task::Args),
    /// Attach acceptance criteria, and lock acceptance tests
    Spec(spec::Args),
    /// Begin a task; refused without criteria (P1)
    Start(start::Args),
    /// Run the toolchain and check the locks (P4, P6)
    Verify(verify::Args),
    /// Finish a task; refused unless verified and intact, and reviewed where the project asks for it
    ///
    /// A review is asked for where `protocol.review.required` is true, or where `protocol.review.requiredAt` names a
    /// moment that has come. With `protocol.review.command` empty, a person reviews with `review --note`. What was not
    /// asked is listed.
    Done(done::Args),
    /// Lock a changed test again, with a reason
    AmendSpec(amend_spec::Args),
    /// Run the reviewer over the whole change, or record a review by hand
    Review(review::Args),
    /// Author and lock the held-out regression set (P7)
    Guard(guard::Args),
    /// Run the held-out set, output withheld (P7)
    Audit(audit::Args),
    /// Advance the phase; refused unless the audit is green and fresh
    Phase(phase::Args),
    /// Add an event to the log
    Update(update::Args),
    /// Record a decision
    Decision(decision::Args),
    /// Ask, answer and list open questions
    Question(question::Args),
    /// The recent timeline
    Log(log::Args),
    /// Check the set-up: gates that are off, leaks, tampering
    Doctor(doctor::Args),
}

/// Every command of Chalk.
#[derive(Debug, clap::Subcommand)]
pub enum Chalk {
    /// Everyday work.
    #[command(flatten)]
    Everyday(Everyday),
    /// Let the executor work through the runnable tasks
    Run(run_loop::Args),
    /// Let the executor work on one task, then judge it
    Work(work::Args),
    /// Block a task on something outside of it
    Block(block::Args),
    /// Let a blocked task go on
    Unblock(unblock::Args),
    /// Write a handoff document for a task
    Handoff(handoff::Args),
    /// What is ready, what waits and for what
    Backlog(backlog::Args),
    /// What the gates caught
    Stats(stats::Args),
    /// Keep a lesson for every later context
    Lesson(lesson::Args),
    /// Keep how-to text for every context
    Skill(skill::Args),
    /// Bring an older spine to schema 1.1, with a backup
    Migrate(migrate::Args),
    /// Accept a change of `.chalk/` that came past the program
    Accept(accept::Args),
}

/// Every command of Chant that is offered.
#[derive(Debug, clap::Subcommand)]
pub enum Chant {
    /// Records of a Chant workspace: list, write, check
    Workspace(workspace::Args),
}

/// Every command of the program.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Everyday work.
    #[command(flatten)]
    Everyday(Everyday),
    /// Every command of Chalk Protocol v0
    #[command(subcommand, arg_required_else_help = false)]
    Chalk(Chalk),
    /// Records of a Chant workspace: list, write, check
    Workspace(workspace::Args),
    /// Every command of the Chant workspace
    #[command(subcommand, arg_required_else_help = false)]
    Chant(Chant),
    /// Install the gates into a coding agent, look after them, pause them
    Hook(hook::Args),
    /// Let one denied call pass, once; needs a person at a terminal
    Approve(approve::Args),
    /// What was decided at each tool call, and what came of it
    Receipts(receipts::Args),
    /// Say what is about to be done, where the plan gate asks for it
    Plan(plan::Args),
    /// What the repository shows about the gates
    Govern(govern::Args),
    /// Hold this program or another implementation against the published vectors
    Conformance(conformance::Args),
    /// Show the gates at work in a temporary repository
    Demo(demo::Args),
    /// Print a published JSON Schema, or list them
    Schema(schema::Args),
}

/// Runs a command.
pub fn dispatch(ctx: &Ctx<'_>, command: Command) -> Result<Answer, Refusal> {
    match command {
        Command::Everyday(command) | Command::Chalk(Chalk::Everyday(command)) => everyday(ctx, command),
        Command::Chalk(command) => chalk(ctx, command),
        Command::Workspace(args) | Command::Chant(Chant::Workspace(args)) => workspace::run(ctx, args),
        Command::Hook(args) => hook::run(ctx, args),
        Command::Approve(args) => approve::run(ctx, args),
        Command::Receipts(args) => receipts::run(ctx, args),
        Command::Plan(args) => plan::run(ctx, args),
        Command::Govern(args) => govern::run(ctx, args),
        Command::Conformance(args) => conformance::run(ctx, args),
        Command::Demo(args) => demo::run(ctx, args),
        Command::Schema(args) => schema::run(ctx, args),
    }
}

fn everyday(ctx: &Ctx<'_>, command: Everyday) -> Result<Answer, Refusal> {
    match command {
        Everyday::Init(args) => init::run(ctx, args),
        Everyday::Agents(args) => agents::run(ctx, args),
        Everyday::Status(args) => status::run(ctx, args),
        Everyday::Next(args) => next::run(ctx, args),
        Everyday::Context(args) => context::run(ctx, args),
        Everyday::Task(args) => task::run(ctx, args),
        Everyday::Spec(args) => spec::run(ctx, args),
        Everyday::Start(args) => start::run(ctx, args),
        Everyday::Verify(args) => verify::run(ctx, args),
        Everyday::Done(args) => done::run(ctx, args),
        Everyday::AmendSpec(args) => amend_spec::run(ctx, args),
        Everyday::Review(args) => review::run(ctx, args),
        Everyday::Guard(args) => guard::run(ctx, args),
        Everyday::Audit(args) => audit::run(ctx, args),
        Everyday::Phase(args) => phase::run(ctx, args),
        Everyday::Update(args) => update::run(ctx, args),
        Everyday::Decision(args) => decision::run(ctx, args),
        Everyday::Question(args) => question::run(ctx, args),
        Everyday::Log(args) => log::run(ctx, args),
        Everyday::Doctor(args) => doctor::run(ctx, args),
    }
}

fn chalk(ctx: &Ctx<'_>, command: Chalk) -> Result<Answer, Refusal> {
    match command {
        Chalk::Everyday(command) => everyday(ctx, command),
        Chalk::Run(args) => run_loop::run(ctx, args),
        Chalk::Work(args) => work::run(ctx, args),
        Chalk::Block(args) => block::run(ctx, args),
        Chalk::Unblock(args) => unblock::run(ctx, args),
        Chalk::Handoff(args) => handoff::run(ctx, args),
        Chalk::Backlog(args) => backlog::run(ctx, args),
        Chalk::Stats(args) => stats::run(ctx, args),
        Chalk::Lesson(args) => lesson::run(ctx, args),
        Chalk::Skill(args) => skill::run(ctx, args),
        Chalk::Migrate(args) => migrate::run(ctx, args),
        Chalk::Accept(args) => accept::run(ctx, args),
    }
}
