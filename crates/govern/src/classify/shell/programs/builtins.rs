//! The builtins of the shell.

use crate::classify::path::{self, Base};
use crate::classify::shell::assign::runs_in_index;
use crate::classify::shell::state::Value;
use crate::classify::shell::{Shell, Unclear};
use crate::classify::text::Text;

use super::Input;
use super::options::{Options, behind};

impl Shell<'_> {
    pub(super) fn builtin(&mut self, name: &str, rest: &[Text], input: &Input) -> Result<bool, Unclear> {
        let evaluates = matches!(
            name,
            "let"
                | "test"
                | "["
                | "read"
                | "printf"
                | "unset"
                | "declare"
                | "export"
                | "typeset"
                | "local"
                | "readonly"
                | "mapfile"
                | "readarray"
                | "getopts"
                | "wait"
        );
        if evaluates && rest.iter().filter_map(Text::as_literal).any(runs_in_index) {
            self.opaque();
        }
        match name {
            ":" | "true" | "false" | "echo" | "exit" | "return" | "break" | "continue" | "wait" | "jobs"
            | "times" | "umask" | "type" | "which" | "whereis" | "test" | "[" | "dirs" | "caller"
            | "ulimit" | "sleep" | "help" | "logout" | "complete" | "compopt" | "unalias" => {}
            "history" => self.write_all(&Options::read(rest, &["-d"]).operands, false),
            "shopt" => {
                let known =
                    ["extglob", "nullglob", "globstar", "dotglob", "failglob", "inherit_errexit", "lastpipe"];
                let is_known = |word: &Text| word.as_literal().is_some_and(|word| known.contains(&word));
                if !Options::read(rest, &[]).operands.iter().all(is_known) {
                    self.state.matches_dots = true;
                    self.opaque();
                }
            }
            "kill" | "pkill" | "killall" | "disown" | "fg" | "bg" => self.effects.acts = true,
            "cd" | "chdir" => self.change_folder(rest),
            "pushd" => {
                self.state.stack.push(self.state.folders.clone());
                self.change_folder(rest);
            }
            "popd" => {
                let folders = self.state.stack.pop().unwrap_or_else(|| vec![Base::Unknown]);
                self.state.enter(folders);
            }
            "export" | "declare" | "typeset" | "readonly" | "local" => self.declare(rest),
            "read" | "mapfile" | "readarray" | "getopts" | "let" | "unset" => self.set(name, rest),
            "printf" => {
                if let Some(variable) = Options::read(rest, &["-v"]).value(&["-v"]) {
                    self.forget(variable);
                }
            }
            "set" => self.set_arguments(rest),
            "shift" => self.state.arguments = None,
            "eval" => self.run_joined(rest)?,
            "exec" => {
                let command = behind(rest, &["-a"], 0);
                self.run(command, input)?;
            }
            "command" | "builtin" => {
                let options = Options::read(&rest[..rest.len().min(1)], &[]);
                if !options.has(&["-v", "-V"]) {
                    self.run_past_functions(behind(rest, &[], 0), input)?;
                }
            }
            "source" | "." => {
                self.read_all(rest.get(..1).unwrap_or_default());
                self.opaque();
                self.state.has_references = true;
            }
            "alias" => self.alias(rest),
            "trap" => {
                if let Some(script) =
                    behind(rest, &[], 0).first().filter(|script| script.as_literal() != Some("-"))
                {
                    let script = script.clone();
                    self.apart(|shell| shell.run_joined(&[script]))?;
                }
            }
            "enable" | "hash" => {
                if !rest.is_empty() && rest[0].as_literal() != Some("-r") {
                    self.opaque();
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn run_past_functions(&mut self, words: &[Text], input: &Input) -> Result<(), Unclear> {
        self.note_command(words)?;
        let Some((name, rest)) = words.split_first() else {
            return Ok(());
        };
        let Some(name) = name.as_literal() else {
            self.opaque();
            return Ok(());
        };
        self.program_named(name, rest, input)
    }

    fn change_folder(&mut self, rest: &[Text]) {
        let to = behind(rest, &[], 0).first().cloned();
        let folders = match to.as_ref().map(Text::as_literal) {
            None => match self.context.home {
                Some(home) => vec![Base::of(Some(home))],
                None => vec![Base::Unknown],
            },
            Some(Some("-")) => self.state.before.clone(),
            // `CDPATH` leads elsewhere.
            Some(Some(_)) if self.state.searches_elsewhere => vec![Base::Unknown],
            Some(_) => {
                let to = to.unwrap_or_default();
                self.state.folders.iter().flat_map(|base| path::bases(base, &to)).collect()
            }
        };
        self.state.enter(folders);
    }

    fn declare(&mut self, rest: &[Text]) {
        let options = Options::read(rest, &[]);
        if options.has(&["-n"]) || options.is_open {
            self.state.has_references = true;
        }
        for operand in &options.operands {
            let start = operand.known_start();
            let name = start.split('=').next().unwrap_or_default();
            if operand.as_literal().is_none() && !start.contains('=') {
                self.state.has_references = true;
            } else if start.contains('=') && !self.state.variables.contains_key(name) {
                self.forget(&Text::literal(name));
            } else {
                self.note_assigned(name);
            }
        }
    }

    fn set(&mut self, name: &str, rest: &[Text]) {
        let valued: &[&str] = match name {
            "read" => &["-d", "-i", "-n", "-N", "-p", "-t", "-u", "-a"],
            "mapfile" | "readarray" => &["-d", "-n", "-O", "-s", "-u", "-C", "-c"],
            _ => &[],
        };
        let options = Options::read(rest, valued);
        if options.has(&["-C"]) && name != "read" {
            self.opaque();
        }
        if name == "unset" && options.has(&["-f"]) {
            self.state.functions.clear();
            return;
        }
        for operand in options.operands.iter().chain(options.values(&["-a"])) {
            match operand.as_literal() {
                Some(text) if name == "let" => {
                    let text = text.to_owned();
                    self.forget_assigned(&text);
                }
                Some(text) => {
                    let variable: String = text
                        .chars()
                        .take_while(|letter| letter.is_ascii_alphanumeric() || *letter == '_')
                        .collect();
                    self.forget(&Text::literal(variable));
                }
                None => self.state.has_references = true,
            }
        }
        for variable in ["REPLY", "MAPFILE", "OPTARG"] {
            self.state.variables.insert(variable.to_owned(), Value::unknown());
        }
    }

    fn set_arguments(&mut self, rest: &[Text]) {
        match rest.iter().position(|word| word.as_literal() == Some("--")) {
            Some(at) => self.state.arguments = Some(rest[at + 1..].to_vec()),
            None if rest.iter().all(|word| word.known_start().starts_with(['-', '+'])) => {}
            None => self.state.arguments = None,
        }
    }

    fn alias(&mut self, rest: &[Text]) {
        for word in rest {
            let Some((name, script)) = word.as_literal().and_then(|word| word.split_once('=')) else {
                if word.as_literal().is_none() {
                    self.opaque();
                }
                continue;
            };
            let before = self.state.clone();
            // What an alias holds may be half of a command.
            let certainty = self.effects.certainty.clone();
            self.run_partly(&[Text::literal(script)]);
            self.effects.certainty = certainty;
            self.effects.acts = true;
            self.state = before;
            self.state.renamed.push(name.to_owned());
        }
    }
}
