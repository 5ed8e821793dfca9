//! The command line: names, flags, usage errors. The only place that knows clap's errors.

use std::ffi::OsString;
use std::path::Path;

use chalk::codes;
use chalk::session::Naming;
use clap::error::{ContextKind, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser};
use gate::Refusal;

use crate::commands::{Chalk, Chant, Command};
use crate::help::Help;

/// Gates for coding agents, kept in the repository they work in.
#[derive(Debug, Parser)]
#[command(
    name = "cairn",
    version,
    term_width = 100,
    subcommand_required = false,
    disable_help_subcommand = true
)]
struct Cairn {
    #[command(subcommand)]
    command: Option<Command>,
    /// Print one JSON document instead of text.
    #[arg(long, global = true)]
    json: bool,
}

/// Chalk Protocol v0: task gates for coding agents.
#[derive(Debug, Parser)]
#[command(
    name = "chalk",
    version,
    term_width = 100,
    subcommand_required = false,
    disable_help_subcommand = true
)]
struct ChalkProgram {
    #[command(subcommand)]
    command: Option<Chalk>,
    /// Print one JSON document instead of text.
    #[arg(long, global = true)]
    json: bool,
}

/// Chant: the workspace's records.
#[derive(Debug, Parser)]
#[command(
    name = "chant",
    version,
    term_width = 100,
    subcommand_required = false,
    disable_help_subcommand = true
)]
struct ChantProgram {
    #[command(subcommand)]
    command: Option<Chant>,
    /// Print one JSON document instead of text.
    #[arg(long, global = true)]
    json: bool,
}

/// The program that a command line is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Program {
    Cairn,
    Chalk,
    Chant,
}

impl Program {
    fn named(name: Option<&str>) -> Option<Self> {
        match name {
            Some("chalk") => Some(Self::Chalk),
            Some("chant") => Some(Self::Chant),
            _ => None,
        }
    }

    fn command(self) -> clap::Command {
        match self {
            Self::Cairn => Cairn::command(),
            Self::Chalk => ChalkProgram::command(),
            Self::Chant => ChantProgram::command(),
        }
    }

    /// The words that a bare `version` prints, and those of `--version` after the name.
    fn version(self) -> (&'static str, String) {
        let own = env!("CARGO_PKG_VERSION");
        match self {
            Self::Cairn | Self::Chalk => (PROTOCOL, format!("{own} ({PROTOCOL})")),
            Self::Chant => (chant::LEVEL, format!("{} (cairn {own})", chant::LEVEL)),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Cairn => "cairn",
            Self::Chalk => "chalk",
            Self::Chant => "chant",
        }
    }

    fn parse(self, args: &[OsString]) -> Result<(Option<Command>, bool), clap::Error> {
        let matches = self.command().try_get_matches_from(args)?;
        Ok(match self {
            Self::Cairn => {
                let program = Cairn::from_arg_matches(&matches)?;
                (program.command, program.json)
            }
            Self::Chalk => {
                let program = ChalkProgram::from_arg_matches(&matches)?;
                (program.command.map(Command::Chalk), program.json)
            }
            Self::Chant => {
                let program = ChantProgram::from_arg_matches(&matches)?;
                (program.command.map(Command::Chant), program.json)
            }
        })
    }
}

/// A command line that was understood.
pub struct Request {
    /// What to run.
    pub command: Command,
    /// As JSON.
    pub json: bool,
    /// How commands are named in messages.
    pub naming: Naming,
    /// Called as one of cairn's own commands, not as one of Chalk's.
    pub promoted: bool,
}

/// What became of a command line.
pub enum Parsed {
    /// A command to run.
    Request(Request),
    /// Text to print: help or a version.
    Text(String),
    /// Help that is printed as a document.
    Help(Help),
    /// A usage error.
    Usage {
        /// What is wrong.
        refusal: Refusal,
        /// Whether it is printed as JSON.
        json: bool,
        /// 1 in Chalk, 2 for cairn's own verbs.
        exit: u8,
    },
}

/// The protocol tag that a bare `version` prints.
const PROTOCOL: &str = "chalk/0";

/// Commands of the Node implementation that are not offered, with what to do instead.
const NOT_OFFERED: &[(&str, &str)] = &[
    ("align", "write the criteria with `spec --criterion`"),
    ("approve-plan", "record the approval with `decision`"),
    ("archive", "`task drop` takes a task out; done tasks cost nothing"),
    ("autopilot", "`run` works through the runnable tasks"),
    ("branch", "use `git worktree add`"),
    ("cleanup", "use `git worktree remove`"),
    ("commit", "use `git commit`"),
    ("cost", "costs are not kept"),
    ("decisions", "read `.chalk/decisions.md`"),
    ("discover", "write `.chalk/spec.md`"),
    ("e2e", "`verify` runs the browser specs that are locked"),
    ("evidence", "attach files with `git add`"),
    ("feedback", "use `update` or `lesson add`"),
    ("harness", "`doctor` shows what is configured"),
    ("issue", "use `task add`"),
    ("loop", "`run` works through the runnable tasks"),
    ("merge", "use `git merge`"),
    ("pending", "use `question list`"),
    ("pipeline", "use `work`, `review` and `done`"),
    ("plan", "write the criteria with `spec --criterion`"),
    ("plans", "existing `plans/` folders are left alone"),
    ("portal", "read the state with `--json`"),
    ("pr", "use your forge's own tool"),
    ("promote", "use `phase`"),
    ("raise", "use `question add`"),
    ("redirect", "use `amend-spec` or `task edit`"),
    ("release", "use `git tag`"),
    ("retro", "use `lesson add`"),
    ("smoke", "put the command into `protocol.verify`"),
    ("sync", "existing `plans/` and `boards/` folders are left alone"),
    ("telemetry", "nothing is ever sent"),
    ("upgrade", "use your package manager"),
];

/// Chalk's commands that `cairn` offers under their own names.
fn is_promoted(verb: &str) -> bool {
    matches!(
        verb,
        "init"
            | "agents"
            | "status"
            | "next"
            | "context"
            | "task"
            | "spec"
            | "start"
            | "verify"
            | "done"
            | "amend-spec"
            | "review"
            | "guard"
            | "audit"
            | "phase"
            | "update"
            | "decision"
            | "question"
            | "log"
            | "doctor"
    )
}

/// The commands that are cairn's alone, and of no protocol.
fn is_own(verb: &str) -> bool {
    matches!(verb, "approve" | "conformance" | "demo" | "govern" | "hook" | "plan" | "receipts" | "schema")
}

fn as_chalk(rest: &str) -> String {
    format!("chalk {rest}")
}

pub(crate) fn as_cairn(rest: &str) -> String {
    let verb = rest.split(' ').next().unwrap_or_default();
    if is_promoted(verb) { format!("cairn {rest}") } else { format!("cairn chalk {rest}") }
}

/// A command line without the name of the program, and of the protocol that it is for.
pub fn within(args: &[OsString]) -> &[OsString] {
    let named =
        |at: usize| args.get(at).map(Path::new).and_then(Path::file_stem).and_then(|name| name.to_str());
    let is_linked = Program::named(named(0)).is_some();
    let is_inner = !is_linked && Program::named(args.get(1).and_then(|word| word.to_str())).is_some();
    args.get(1 + usize::from(is_inner)..).unwrap_or_default()
}

/// Understands a command line; the first argument is the name the program was called by.
pub fn parse(args: &[OsString]) -> Parsed {
    let called = args.first().map(Path::new).and_then(Path::file_stem).and_then(|name| name.to_str());
    let words: Vec<&str> = args.iter().skip(1).filter_map(|arg| arg.to_str()).collect();
    let linked = Program::named(called);
    // The protocol that the words are for, and the words within it.
    let inner = Program::named(words.first().copied()).filter(|_| linked.is_none());
    let program = linked.unwrap_or(Program::Cairn);
    let meant = inner.unwrap_or(program);
    let within = &words[usize::from(inner.is_some()).min(words.len())..];
    let verb = within.iter().find(|word| !word.starts_with('-'));
    let json = words.iter().take_while(|word| **word != "--").any(|word| *word == "--json");
    let document = || Parsed::Help(Help::of(program.command(), &words));
    match (within, verb) {
        (["--version" | "-v" | "-V"], _) => {
            return Parsed::Text(format!("{} {}\n", program.name(), meant.version().1));
        }
        (["version"], _) => return Parsed::Text(format!("{}\n", meant.version().0)),
        (["help" | "--json"] | ["help", "--json"] | [], _) if json => return document(),
        (["help"] | [], _) => {
            let command = match inner {
                Some(inner) => inner.command().bin_name(format!("cairn {}", inner.name())),
                None => program.command(),
            };
            return Parsed::Text(command.clone().render_help().to_string());
        }
        (_, Some(verb)) if meant != Program::Chant => {
            let known = |program: Program| program.command().find_subcommand(verb).is_some();
            if meant == Program::Cairn && known(Program::Chalk) && !known(Program::Cairn) {
                let refusal = Refusal::new(codes::USAGE, format!("`{verb}` is a command of Chalk"))
                    .next(format!("cairn chalk {}", words.join(" ")));
                return Parsed::Usage { refusal, json, exit: 1 };
            }
            let instead = NOT_OFFERED.iter().find(|(name, _)| name == verb && !known(meant));
            if let Some((name, instead)) = instead {
                let refusal =
                    Refusal::new(codes::NOT_OFFERED, format!("`{name}` is not offered here")).hint(*instead);
                return Parsed::Usage { refusal, json, exit: 1 };
            }
        }
        _ => {}
    }
    let own_verb = meant == Program::Cairn && verb.is_some_and(|verb| is_own(verb));
    let exit = if own_verb { 2 } else { 1 };
    match program.parse(args) {
        Ok((Some(command), json)) => {
            let naming: Naming = if linked == Some(Program::Chalk) { as_chalk } else { as_cairn };
            Parsed::Request(Request { command, json, naming, promoted: meant == Program::Cairn })
        }
        Ok((None, json)) => {
            let refusal = Refusal::new(codes::USAGE, "no command given").hint("`help` lists them");
            Parsed::Usage { refusal, json, exit }
        }
        Err(error) if error.kind() == ErrorKind::DisplayHelp && json => document(),
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            Parsed::Text(error.render().to_string())
        }
        Err(error) => Parsed::Usage { refusal: explain(&error), json, exit },
    }
}

/// clap's error as a refusal of our own: what is wrong in one line, the right usage as the hint.
fn explain(error: &clap::Error) -> Refusal {
    let rendered = error.render().to_string();
    let mut lines = rendered.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or("wrong usage").trim_start_matches("error: ");
    let mut refusal = Refusal::new(codes::USAGE, first.trim_end_matches(':'));
    for line in lines {
        if let Some(usage) = line.strip_prefix("Usage: ") {
            refusal = refusal.hint(format!("usage: {usage}"));
        } else if !line.starts_with("For more information") {
            refusal = refusal.fact(line.trim_start_matches("tip: "));
        }
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let usage = match error.get(ContextKind::Usage) {
            Some(usage) => usage.to_string(),
            None => rendered.lines().find(|line| line.starts_with("Usage:")).unwrap_or_default().to_owned(),
        };
        return Refusal::new(codes::USAGE, "the command needs more words")
            .hint(usage.replace("Usage:", "usage:"));
    }
    refusal
}

/// Values as flags take them.
pub mod value {
    use canon::{Timestamp, text};

    /// Text that says something.
    pub fn text(value: &str) -> Result<String, String> {
        if text::is_blank(value) { Err("the text is empty".to_owned()) } else { Ok(value.to_owned()) }
    }

    /// How many, at least one.
    pub fn count(value: &str) -> Result<u32, String> {
        let number = value.parse::<u32>().ok().filter(|number| *number > 0);
        number.ok_or_else(|| "a number from 1 on is needed".to_owned())
    }

    /// A day (`2026-12-01`) or an instant in ISO 8601.
    pub fn instant(value: &str) -> Result<Timestamp, String> {
        let parse = |text: &str| text.parse::<Timestamp>();
        parse(value)
            .or_else(|_| parse(&format!("{value}T00:00:00Z")))
            .map_err(|_| "neither a day such as 2026-12-01 nor an instant in ISO 8601".to_owned())
    }
}

/// The command line of `cairn`, for help pages and completions.
pub fn command() -> clap::Command {
    Cairn::command()
}

/// The command line of the program under the name `chalk`.
pub fn chalk_command() -> clap::Command {
    ChalkProgram::command()
}
