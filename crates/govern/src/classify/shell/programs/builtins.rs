//! The builtins of the shell.

use crate::classify::path::{self, Base};
use crate::classify::shell::state::Value;
use crate::classify::shell::{Shell, Unclear};
use crate::classify::text::Text;

use super::Input;
use super::options::{Options, behind};

impl Shell<'_> {
    pub(super) fn builtin(&mut self, name: &str, rest: &[Text], input: &Input) -> Result<bool, Unclear> {
        match name {
            ":" | "true" | "false" | "echo" | "exit" | "return" | "break" | "continue" | "wait" | "jobs"
            | "times" | "umask" | "type" | "which" | "whereis" | "test" | "[" | "dirs" | "caller"
            | "ulimit" | "sleep" | "history" | "help" | "logout" => {}
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
            "shopt" | "bind" | "complete" | "compgen" | "compopt" => {}
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
            "alias" => self.alias(rest)?,
            "unalias" => {}
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
        self.note_command(words);
        match words.split_first() {
            None => Ok(()),
            Some((name, rest)) => match name.as_literal() {
                Some(name) => {
                    let name = name.to_owned();
                    self.program_named(&name, rest, input)
                }
                None => {
                    self.opaque();
                    Ok(())
                }
            },
        }
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

    fn alias(&mut self, rest: &[Text]) -> Result<(), Unclear> {
        for word in rest {
            let Some((name, script)) = word.as_literal().and_then(|word| word.split_once('=')) else {
                if !word.known_start().starts_with('-') && word.as_literal().is_none() {
                    self.opaque();
                }
                continue;
            };
            let (name, script) = (name.to_owned(), Text::literal(script));
            self.apart(|shell| shell.run_partly_or_whole(script))?;
            self.state.renamed.push(name);
        }
        Ok(())
    }

    fn run_partly_or_whole(&mut self, script: Text) -> Result<(), Unclear> {
        // What an alias holds may be half of a command.
        let certainty = self.effects.certainty.clone();
        self.run_partly(&[script])?;
        self.effects.certainty = certainty;
        self.effects.acts = true;
        Ok(())
    }
}
