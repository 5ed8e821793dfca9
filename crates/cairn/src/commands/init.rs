//! `init`: a new spine, and the agent contract beside it.

use chalk::Session;
use chalk::init::{Made, Request, init, place};
use gate::Refusal;

use crate::answer::{Answer, Document};
use crate::cli::value;
use crate::ctx::Ctx;
use crate::page::Page;

/// Set up `.chalk/` and the agent contract
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The project's name; the folder's where none is given.
    #[arg(long, value_name = "NAME", value_parser = value::text)]
    pub name: Option<String>,
    /// What is being built, in one line.
    #[arg(long, value_name = "TEXT", value_parser = value::text)]
    pub goal: Option<String>,
    /// The toolchain: flutter, go, node, python, dart, rust, maven, gradle, dotnet, rspec, ruby, php or elixir;
    /// without it, told from the files.
    #[arg(long, value_name = "NAME", value_parser = value::text)]
    pub preset: Option<String>,
    /// No toolchain, and no word about it.
    #[arg(long, conflicts_with = "preset")]
    pub bare: bool,
    /// Put before each configured command.
    #[arg(long, value_name = "COMMAND", value_parser = value::text)]
    pub runner: Option<String>,
    /// The test command.
    #[arg(long, value_name = "COMMAND", value_parser = value::text)]
    pub verify_test: Option<String>,
    /// The agent that works.
    #[arg(long, value_enum)]
    pub executor: Option<Executor>,
    /// No agent contract in AGENTS.md and CLAUDE.md.
    #[arg(long)]
    pub no_agents: bool,
    /// Accepted for scripts; nothing is ever sent.
    #[arg(long, hide = true)]
    pub telemetry: bool,
    /// Accepted for scripts; nothing is ever sent.
    #[arg(long, hide = true)]
    pub no_telemetry: bool,
}

/// The agents that `init` can configure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Executor {
    /// Claude Code, as executor, planner and reviewer.
    Claude,
    /// opencode.
    Opencode,
    /// None.
    None,
}

impl Document for Made {
    fn render(&self, page: &mut Page) {
        page.ok(format_args!("made `.chalk/` for {}", self.name));
        for file in &self.files {
            page.under(file);
        }
        if !self.contract.is_empty() {
            page.ok(format_args!("the contract for agents is in {}", self.contract.join(" and ")));
        }
        match &self.preset {
            Some(preset) => page.ok(format_args!("toolchain: {preset} (`{}`)", self.test)),
            None if !self.test.is_empty() => page.ok(format_args!("tests run with `{}`", self.test)),
            None => {}
        }
        if !self.also_found.is_empty() {
            page.hint(format_args!("also found: {}; choose with `--preset`", self.also_found.join(", ")));
        }
        page.next(&self.next);
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    let session = Session::at(ctx.world, place(&ctx.world.cwd)?, ctx.naming, ctx.progress());
    let request = Request {
        name: args.name,
        goal: args.goal,
        preset: args.preset,
        bare: args.bare,
        runner: args.runner,
        verify_test: args.verify_test,
        executor: match args.executor {
            Some(Executor::Claude) => Some("claude -p"),
            Some(Executor::Opencode) => Some("opencode run"),
            Some(Executor::None) | None => None,
        },
        strict: ctx.promoted,
    };
    // What stands in the way of the contract is found before anything is written.
    let root = session.spine.root.clone();
    if !args.no_agents {
        chalk::contract::check(&root, ctx.naming)?;
    }
    let made = init(&session, &request);
    ctx.keep_warnings(&session);
    let mut made = made?;
    if !args.no_agents {
        let files = super::agents::install(ctx, &root)?;
        made.contract = files.into_iter().map(|file| file.path).collect();
    }
    if made.test.is_empty() && !args.bare {
        ctx.warn("no test command is set, so `verify` is VACUOUS: set `protocol.verify.test` in `.chalk/chalk.json`");
    }
    Ok(Answer::of(&made))
}
