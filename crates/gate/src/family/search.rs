//! The walk through a command line to the agent that it starts in the end.

use std::mem;
use std::path::{Path, PathBuf};

use super::launch::{Launch, is_dispatcher, launch};
use super::names::{self, Known};
use super::{Agent, Family, Read, script};
use crate::words::commands;

/// How many launchers, shells and scripts may start each other.
const DEPTH: usize = 16;
/// How many scripts are read at most, since one may start several.
const SCRIPTS: usize = 16;
/// How many commands are looked at in all, and words in each: scripts that hand each other their own
/// text and parameters grow without bounds.
const COMMANDS: usize = 4_000;
const WORDS: usize = 1_000;

/// Variables that agents take their model from.
const MODEL_VARIABLES: [&str; 5] =
    ["ANTHROPIC_MODEL", "OPENAI_MODEL", "GEMINI_MODEL", "AIDER_MODEL", "GOOSE_MODEL"];

/// A walk over commands, with what earlier ones have set for later ones.
pub(super) struct Search<'a> {
    read: &'a Read<'a>,
    depth: usize,
    scripts: usize,
    commands: usize,
    scope: Scope,
    agents: Vec<Agent>,
    /// The first program that is no known agent, in case that there is none.
    other: Option<Agent>,
}

/// What a command sees of the commands before it.
#[derive(Clone, Default)]
struct Scope {
    /// The folder, as far as `cd` leads away from the first one.
    dir: PathBuf,
    variables: Vec<(String, String)>,
    /// `$1` and the following.
    parameters: Vec<String>,
}

impl<'a> Search<'a> {
    pub(super) fn new(read: &'a Read<'a>) -> Self {
        Self {
            read,
            depth: DEPTH,
            scripts: SCRIPTS,
            commands: COMMANDS,
            scope: Scope::default(),
            agents: Vec::new(),
            other: None,
        }
    }

    /// The one agent that was met, or the first program if none is a known agent. Nothing when the
    /// agents differ or the search had to be given up.
    pub(super) fn found(mut self) -> Option<Agent> {
        if self.commands == 0 {
            return None;
        }
        let Some(last) = self.agents.pop() else { return self.other };
        let is_alike =
            |agent: &Agent| *agent == last || (agent.family == last.family && last.family != Family::Unknown);
        self.agents.iter().all(is_alike).then_some(last)
    }

    pub(super) fn look_into(&mut self, text: &str) {
        for words in commands(text) {
            self.command(&words);
        }
    }

    /// Goes one level down, if there is one more, and comes back to the same scope.
    fn below(&mut self, look: impl FnOnce(&mut Self)) {
        if let Some(depth) = self.depth.checked_sub(1) {
            let scope = self.scope.clone();
            let above = mem::replace(&mut self.depth, depth);
            look(self);
            self.depth = above;
            self.scope = scope;
        }
    }

    /// One simple command: assignments, then a program that may start another.
    fn command(&mut self, words: &[String]) {
        self.commands = self.commands.saturating_sub(1);
        if self.commands == 0 {
            return;
        }
        let words: Vec<String> = words.iter().flat_map(|word| self.scope.expand(word)).take(WORDS).collect();
        let outer = self.scope.variables.len();
        let words = self.scope.assign(&words);
        let Some((program, arguments)) = words.split_first() else { return };
        match program.as_str() {
            "export" | "declare" | "readonly" => {
                self.scope.assign(arguments);
                return;
            }
            "cd" => {
                if let Some(dir) = arguments.iter().find(|word| !word.starts_with('-')) {
                    self.scope.dir.push(dir);
                }
            }
            _ => self.program(program, arguments),
        }
        // Assignments before a program are for that program.
        self.scope.variables.truncate(outer);
    }

    fn program(&mut self, program: &str, arguments: &[String]) {
        let by_two_words = match (program, arguments.first().map(String::as_str)) {
            ("gh", Some("copilot")) => names::agent("copilot"),
            ("cursor", Some("agent")) => names::agent("cursor-agent"),
            _ => None,
        };
        if let Some(known) = by_two_words.or_else(|| names::agent(program)) {
            return self.agents.push(self.scope.agent(known, arguments));
        }
        match launch(program, arguments) {
            Launch::Command(words) => self.below(|search| search.command(&words)),
            Launch::Text(text, parameters) => self.below(|search| {
                search.scope.parameters = parameters;
                search.look_into(&text);
            }),
            Launch::Nothing => {}
            Launch::Itself => self.unknown(program, arguments),
        }
    }

    /// A program that is no agent by name: a wrapper script, or something else.
    fn unknown(&mut self, program: &str, arguments: &[String]) {
        let (before, other) = (self.agents.len(), self.other.take());
        let text = if self.scripts > 0 { (self.read)(&self.scope.path(program)) } else { None };
        if let Some(text) = text {
            self.scripts -= 1;
            self.below(|search| {
                search.scope.parameters = arguments.to_vec();
                search.script(program, &text);
            });
        } else if let Some(at) = arguments.iter().position(|word| word == "--") {
            // `doppler run -- claude` and its like.
            self.below(|search| search.command(&arguments[at + 1..]));
        }
        // Whatever else a wrapper starts, the wrapper is what was asked for.
        self.other = other;
        if self.agents.len() == before {
            self.other.get_or_insert_with(|| self.scope.anonymous(program, arguments));
        }
    }

    fn script(&mut self, program: &str, text: &str) {
        let before = self.agents.len();
        match script::kind(program, text) {
            script::Kind::Shell => self.look_into(text),
            script::Kind::Other(interpreter) => self.look_into(interpreter),
            script::Kind::Unreadable => return,
        }
        if self.agents.len() == before {
            self.agents.extend(script::mentioned(text));
        }
    }
}

impl Scope {
    /// A word that is nothing but a variable or the parameters, as far as they are known.
    fn expand(&self, word: &str) -> Vec<String> {
        let Some(name) = word.strip_prefix('$') else { return vec![word.to_owned()] };
        let name = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name);
        if matches!(name, "@" | "*") {
            return self.parameters.clone();
        }
        let value = match name.parse::<usize>() {
            Ok(number) => number.checked_sub(1).and_then(|at| self.parameters.get(at)).map(String::as_str),
            Err(_) => self.variable(name),
        };
        vec![value.unwrap_or(word).to_owned()]
    }

    /// Takes the assignments off the front.
    fn assign<'w>(&mut self, words: &'w [String]) -> &'w [String] {
        let mut rest = words;
        while let Some((name, value)) = rest.first().and_then(|word| assignment(word)) {
            self.variables.push((name.to_owned(), value.to_owned()));
            rest = &rest[1..];
        }
        rest
    }

    fn variable(&self, name: &str) -> Option<&str> {
        let latest = self.variables.iter().rev().find(|(other, _)| other == name);
        latest.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// A path as seen from the first folder; a bare name stays one.
    fn path(&self, program: &str) -> PathBuf {
        if program.contains('/') { self.dir.join(program) } else { Path::new(program).to_owned() }
    }

    fn agent(&self, known: Known, arguments: &[String]) -> Agent {
        let from_variable = || MODEL_VARIABLES.iter().find_map(|name| self.variable(name)).map(str::to_owned);
        let model = model(known, arguments).or_else(from_variable);
        // Behind the maker's own program there may be another server.
        let elsewhere =
            self.variables.iter().any(|(name, _)| name.ends_with("_BASE_URL") || name.ends_with("_API_BASE"));
        let maker = model.as_deref().and_then(names::maker).or(if elsewhere { None } else { known.maker });
        Agent { program: known.name.to_owned(), model, family: maker.map_or(Family::Unknown, Family::Known) }
    }

    fn anonymous(&self, program: &str, arguments: &[String]) -> Agent {
        let mut name = self.path(program).display().to_string();
        if is_dispatcher(program) {
            for word in arguments {
                name.push(' ');
                name.push_str(word);
            }
        }
        let model = value_of(&["--model", "-m"], arguments);
        let maker = model.as_deref().and_then(names::maker);
        Agent { program: name, model, family: maker.map_or(Family::Unknown, Family::Known) }
    }
}

/// `NAME=value`
fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_name.then_some((name, value))
}

/// The model that an agent's arguments ask for.
fn model(known: Known, arguments: &[String]) -> Option<String> {
    if let Some(model) = value_of(&["--model", "-m"], arguments) {
        return Some(model);
    }
    // Codex takes any setting on its command line: `-c model="o3"`.
    let setting = value_of(&["--config", "-c"], arguments);
    if let Some(model) = setting.as_deref().and_then(|setting| setting.strip_prefix("model=")) {
        return Some(model.trim_matches('"').to_owned());
    }
    let after = arguments.iter().position(|word| Some(word.as_str()) == known.model_after)?;
    arguments[after + 1..].iter().find(|word| !word.starts_with('-')).cloned()
}

/// The value of the last of these options, in the next word or behind `=`.
fn value_of(options: &[&str], arguments: &[String]) -> Option<String> {
    let end = arguments.iter().position(|word| word == "--").unwrap_or(arguments.len());
    let arguments = &arguments[..end];
    (0..end).rev().find_map(|at| {
        let word = arguments[at].as_str();
        if options.contains(&word) {
            return arguments.get(at + 1).cloned();
        }
        let (option, value) = word.split_once('=')?;
        options.contains(&option).then(|| value.to_owned())
    })
}
