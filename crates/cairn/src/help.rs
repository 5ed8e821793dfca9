//! Help as a document: what `--help --json` prints.

use clap::Arg;
use schemars::JsonSchema;
use serde::Serialize;

/// The help of one command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Help {
    /// The command as it is called, without its arguments.
    pub command: String,
    /// What it does, in one line.
    pub about: String,
    /// How it is called.
    pub usage: String,
    /// The commands below it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<Below>,
    /// What it takes by place, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<Argument>,
    /// What it takes by name.
    pub options: Vec<Flag>,
}

/// A command below another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Below {
    /// Its name.
    pub name: String,
    /// What it does, in one line.
    pub about: String,
}

/// A value that is given by its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Argument {
    /// Its name in the usage.
    pub name: String,
    /// What it is.
    pub help: String,
    /// The command needs it.
    pub required: bool,
    /// It may be given several times.
    pub repeatable: bool,
}

/// A flag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Flag {
    /// Its name with the dashes; the long one where it has two.
    pub name: String,
    /// Other names for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// The name of its value; none for a switch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The only values that it takes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// The value where it is not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// What it does.
    pub help: String,
    /// The command needs it.
    pub required: bool,
    /// It may be given several times.
    pub repeatable: bool,
}

impl Help {
    /// The help of the command that `words` lead to from `program`, as far as they do.
    pub fn of(mut program: clap::Command, words: &[&str]) -> Self {
        program.build();
        let mut command = program;
        for word in words.iter().filter(|word| !word.starts_with('-')) {
            let Some(below) = command.find_subcommand(word) else { break };
            command = below.clone();
        }
        let usage = command.render_usage().to_string();
        let usage = usage.trim().trim_start_matches("Usage:").trim().to_owned();
        let name = command.get_bin_name().unwrap_or(command.get_name()).to_owned();
        let below = command.get_subcommands().filter(|below| !below.is_hide_set());
        let shown = |arg: &&Arg| !arg.is_hide_set();
        Self {
            about: about(&command),
            usage,
            commands: below.map(|it| Below { name: it.get_name().to_owned(), about: about(it) }).collect(),
            arguments: command.get_positionals().filter(shown).map(Argument::of).collect(),
            options: command.get_opts().chain(switches(&command)).filter(shown).map(Flag::of).collect(),
            command: name,
        }
    }
}

/// The flags that take no value.
fn switches(command: &clap::Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|arg| !arg.is_positional() && !arg.get_action().takes_values())
}

fn about(command: &clap::Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

fn help(arg: &Arg) -> String {
    arg.get_help().map(ToString::to_string).unwrap_or_default()
}

fn is_repeatable(arg: &Arg) -> bool {
    let takes_more = arg.get_num_args().is_some_and(|range| range.max_values() > 1);
    takes_more || matches!(arg.get_action(), clap::ArgAction::Append | clap::ArgAction::Count)
}

fn value(arg: &Arg) -> Option<String> {
    let names = arg.get_value_names()?;
    Some(names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
}

impl Argument {
    fn of(arg: &Arg) -> Self {
        Self {
            name: value(arg).unwrap_or_else(|| arg.get_id().to_string()),
            help: help(arg),
            required: arg.is_required_set(),
            repeatable: is_repeatable(arg),
        }
    }
}

impl Flag {
    fn of(arg: &Arg) -> Self {
        let takes_value = arg.get_action().takes_values();
        let long = arg.get_long().map(|long| format!("--{long}"));
        let short = arg.get_short().map(|short| format!("-{short}"));
        let others = arg.get_visible_aliases().unwrap_or_default();
        let mut names = long.into_iter().chain(short).chain(others.iter().map(|alias| format!("--{alias}")));
        let possible = if takes_value { arg.get_possible_values() } else { Vec::new() };
        Self {
            name: names.next().unwrap_or_else(|| arg.get_id().to_string()),
            aliases: names.collect(),
            value: value(arg).filter(|_| takes_value),
            values: possible.iter().map(|value| value.get_name().to_owned()).collect(),
            default: arg
                .get_default_values()
                .first()
                .filter(|_| takes_value)
                .map(|value| value.to_string_lossy().into_owned()),
            help: help(arg),
            required: arg.is_required_set(),
            repeatable: is_repeatable(arg),
        }
    }
}
