//! What each program does with its words.
//!
//! A program that is not known here may do anything: the answer is opaque.

mod archives;
mod builtins;
mod files;
mod find;
mod git;
mod inline;
mod network;
mod options;
mod pathspec;
mod readers;
mod scripts;
mod sed;
mod wrappers;

use std::rc::Rc;

use crate::classify::own;
use crate::classify::pattern::VISIBLE;
use crate::classify::text::Text;

use super::state::Value;
use super::{Shell, Unclear};

/// What a command gets on its standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Whatever the shell gets.
    Inherited,
    /// Something that can't be told.
    Piped,
    /// This text.
    Text(String),
    /// A text that holds this one, with more that can't be told.
    Holding(String),
}

/// The folders in which a program of a known name is the system's own.
const SYSTEM: [&str; 8] = [
    "/bin/",
    "/usr/bin/",
    "/usr/local/bin/",
    "/sbin/",
    "/usr/sbin/",
    "/opt/homebrew/bin/",
    "/opt/local/bin/",
    "/run/current-system/sw/bin/",
];

/// Programs that start another agent.
const AGENTS: [&str; 16] = [
    "claude",
    "codex",
    "gemini",
    "opencode",
    "cursor-agent",
    "copilot",
    "grok",
    "droid",
    "qwen",
    "aider",
    "amp",
    "goose",
    "agy",
    "antigravity",
    "crush",
    "auggie",
];

impl Shell<'_> {
    /// Runs a command of known or unknown words.
    pub(super) fn run(&mut self, words: &[Text], input: &Input) -> Result<(), Unclear> {
        let Some((program, rest)) = words.split_first() else {
            return Ok(());
        };
        self.step()?;
        self.note_command(words)?;
        self.note_fed(input);
        let Some(name) = program.as_literal() else {
            self.opaque();
            return Ok(());
        };
        if self.state.renamed.iter().any(|renamed| renamed == name) {
            self.opaque();
        }
        if let Some(body) = self.state.functions.get(name).map(Rc::clone) {
            return self.call(name, &body, rest);
        }
        self.deeper(|shell| shell.program_named(name, rest, input))
    }

    /// Runs a program, whatever function has its name.
    fn program_named(&mut self, name: &str, rest: &[Text], input: &Input) -> Result<(), Unclear> {
        if self.state.searches_elsewhere {
            self.opaque();
        }
        let short = gate::words::base_name(name);
        if name.contains('/') && !SYSTEM.iter().any(|folder| name.strip_prefix(folder) == Some(short)) {
            self.opaque();
        }
        let short = short.strip_suffix(".exe").unwrap_or(short);
        if AGENTS.contains(&short) {
            self.effects.starts_agent = true;
            self.opaque();
            return Ok(());
        }
        let is_known = self.builtin(short, rest, input)?
            || Self::looks(short, rest)
            || self.wrapper(short, rest, input)?
            || self.reader(short, rest)?
            || self.changer(short, rest, input)?;
        if !is_known {
            self.opaque();
            // This program shows nothing of what it keeps from agents.
            if !matches!(short, "cairn" | "chalk" | "chant") {
                self.mentions_all(rest);
            }
        }
        Ok(())
    }

    /// Whether it is a command of this very program that looks at most.
    fn looks(name: &str, rest: &[Text]) -> bool {
        let words: Option<Vec<&str>> = rest.iter().map(Text::as_literal).collect();
        words.is_some_and(|words| own::looks(name, &words))
    }

    fn call(
        &mut self,
        name: &str,
        body: &Rc<brush_parser::ast::FunctionBody>,
        rest: &[Text],
    ) -> Result<(), Unclear> {
        // A function that calls itself adds nothing but other arguments.
        let renamed = name.to_owned();
        let own = self.state.functions.remove(name);
        self.state.renamed.push(renamed.clone());
        let arguments = self.state.arguments.replace(rest.to_vec());
        self.deeper(|shell| shell.function_body(body))?;
        self.state.arguments = arguments;
        self.state.renamed.retain(|other| *other != renamed);
        if let Some(own) = own {
            self.state.functions.entry(renamed).or_insert(own);
        }
        Ok(())
    }

    /// Runs words that are joined into a script, as `eval` does.
    fn run_joined(&mut self, words: &[Text]) -> Result<(), Unclear> {
        let mut script = String::new();
        for (index, word) in words.iter().enumerate() {
            let Some(word) = word.as_literal() else {
                self.run_partly(words);
                return Ok(());
            };
            if index > 0 {
                script.push(' ');
            }
            script.push_str(word);
        }
        self.script(&script)
    }

    /// Runs a script of which some text is not known: what is known of it is walked for what it shows.
    fn run_partly(&mut self, words: &[Text]) {
        self.opaque();
        let mut script = String::new();
        for word in words {
            for piece in word.pieces() {
                match piece {
                    crate::classify::text::Piece::Literal(text)
                    | crate::classify::text::Piece::Glob(text) => {
                        script.push_str(&text.replace(VISIBLE, ""));
                    }
                    crate::classify::text::Piece::Unknown => script.push_str("${0}"),
                }
            }
            script.push(' ');
        }
        // It may not parse with the text that is missing; it is opaque already.
        let (depth, state) = (self.depth, self.state.clone());
        if self.script(&script).is_err() {
            self.depth = depth;
            self.state = state;
        }
    }

    /// What a substitution prints, where that is plain.
    pub(super) fn output_of(&mut self, script: &str) -> Text {
        self.plain_output(script).unwrap_or_else(Text::unknown)
    }

    fn plain_output(&self, script: &str) -> Option<Text> {
        let commands = gate::words::commands(script);
        let [words] = commands.as_slice() else {
            return None;
        };
        if script.contains(['$', '`', '|', ';', '&', '<', '>', '\n', '*', '?', '[', '{', '~', '\\', '(']) {
            return None;
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let is_redefined = words.first().is_some_and(|name| self.state.functions.contains_key(*name));
        if is_redefined {
            return None;
        }
        match words.as_slice() {
            ["pwd"] => match self.state.folders.as_slice() {
                [crate::classify::path::Base::Known(folder)] => Some(Text::literal(folder.clone())),
                _ => None,
            },
            ["git", "rev-parse", "--show-toplevel"] => match self.context.roots {
                [root] => Some(Text::literal(root.to_string_lossy())),
                _ => None,
            },
            ["echo", "-n", rest @ ..] => Some(Text::literal(rest.join(" "))),
            ["echo", rest @ ..] if !rest.first().is_some_and(|first| first.starts_with('-')) => {
                Some(Text::literal(rest.join(" ")))
            }
            ["printf", format] if !format.contains('%') => Some(Text::literal(*format)),
            ["printf", "%s" | "%s\\n", text] => Some(Text::literal(*text)),
            ["basename", path] => Some(Text::literal(gate::words::base_name(path.trim_end_matches('/')))),
            ["dirname", path] => match path.trim_end_matches('/').rsplit_once('/') {
                Some(("", _)) => Some(Text::literal("/")),
                Some((folder, _)) => Some(Text::literal(folder)),
                None => Some(Text::literal(".")),
            },
            _ => None,
        }
    }

    /// Sets a variable to something that can't be told.
    fn forget(&mut self, name: &Text) {
        match name.as_literal() {
            Some(name) => {
                self.note_assigned(name);
                self.state.variables.insert(name.to_owned(), Value::unknown());
            }
            None => self.state.has_references = true,
        }
    }

    fn write_all(&mut self, operands: &[Text], tree: bool) {
        for operand in operands {
            self.writes(operand, tree);
        }
    }

    fn read_all(&mut self, operands: &[Text]) {
        for operand in operands {
            self.reads(operand);
        }
    }
}
