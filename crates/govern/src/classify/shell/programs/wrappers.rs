//! Programs that run other commands.

use crate::classify::path;
use crate::classify::shell::state::Value;
use crate::classify::shell::{Shell, Unclear};
use crate::classify::text::{Piece, Text};

use super::Input;
use super::options::{Options, behind};

impl Shell<'_> {
    pub(super) fn wrapper(&mut self, name: &str, rest: &[Text], input: &Input) -> Result<bool, Unclear> {
        let command = match name {
            "nohup" | "setsid" | "chronic" | "unbuffer" | "caffeinate" | "linux32" | "linux64"
            | "catchsegv" => behind(rest, &["-t", "-w"], 0),
            "timeout" | "gtimeout" => behind(rest, &["-k", "-s", "--signal", "--kill-after"], 1),
            "nice" => behind(rest, &["-n", "--adjustment"], 0),
            "ionice" => behind(rest, &["-c", "-n", "-p", "--class", "--classdata"], 0),
            "stdbuf" => behind(rest, &["-i", "-o", "-e", "--input", "--output", "--error"], 0),
            "taskset" | "chrt" | "cpulimit" => {
                self.opaque();
                behind(rest, &["-p", "-l"], 1)
            }
            "time" => {
                let options = Options::read(rest, &["-o", "--output", "-f", "--format"]);
                if let Some(file) = options.value(&["-o", "--output"]) {
                    self.writes(file, false);
                }
                behind(rest, &["-o", "--output", "-f", "--format"], 0)
            }
            "sudo" | "doas" | "pkexec" => {
                self.effects.acts = true;
                let valued = &[
                    "-u", "-g", "-h", "-p", "-C", "-r", "-t", "-T", "-U", "-D", "-R", "--user", "--group",
                    "--host", "--chdir", "--chroot",
                ];
                let options = Options::read(rest, valued);
                if options.has(&["-e", "--edit"]) {
                    self.write_all(&options.operands, false);
                    return Ok(true);
                }
                if options.has(&["-D", "-R", "--chdir", "--chroot"]) {
                    self.opaque();
                }
                behind(rest, valued, 0)
            }
            "env" => return self.environment(rest, input).map(|()| true),
            "xargs" => return self.each_input(rest, input).map(|()| true),
            "parallel" => return self.parallel(rest).map(|()| true),
            "bash" | "sh" | "zsh" | "dash" | "ksh" | "ash" | "fish" | "rbash" => {
                return self.shell(name, rest, input).map(|()| true);
            }
            "su" | "runuser" => {
                self.opaque();
                let options = Options::read(rest, &["-c", "--command", "-s", "--shell"]);
                let script = options.value(&["-c", "--command"]).cloned();
                return script.map_or(Ok(()), |script| self.run_joined(&[script])).map(|()| true);
            }
            "busybox" | "toybox" => rest,
            "watch" | "entr" | "script" => {
                self.opaque();
                let options = Options::read(rest, &["-n", "-d", "-c"]);
                let words = match options.value(&["-c"]) {
                    Some(script) if name == "script" => vec![script.clone()],
                    _ => behind(rest, &["-n"], 0).to_vec(),
                };
                if name == "script" {
                    self.write_all(&options.operands, false);
                    self.run_partly(&words);
                } else {
                    self.run_joined(&words)?;
                }
                return Ok(true);
            }
            "flock" => {
                let command = behind(rest, &["-w", "-E", "--timeout"], 1);
                if let Some(at) = command.iter().position(|word| word.as_literal() == Some("-c")) {
                    self.run_joined(&command[at + 1..])?;
                    return Ok(true);
                }
                command
            }
            "strace" | "ltrace" | "perf" | "valgrind" | "gdb" | "chroot" | "unshare" | "nsenter"
            | "systemd-run" | "firejail" | "bwrap" | "proot" | "fakeroot" | "direnv" | "mise" | "asdf"
            | "nix" | "uv" | "poetry" | "pipenv" | "pdm" | "hatch" | "rye" | "pixi" | "conda" | "npx"
            | "pnpm" | "bunx" | "yarn" | "npm" | "bundle" | "rtk" | "dotenv" | "doppler" | "op" => {
                self.opaque();
                self.tool_runner(rest, input)?;
                return Ok(true);
            }
            _ => return Ok(false),
        };
        // A word that can't be told may be more than one, and the command begin elsewhere.
        if rest[..rest.len() - command.len()].iter().any(Text::has_unknown) {
            self.opaque();
        }
        let command = command.to_vec();
        self.run(&command, input)?;
        Ok(true)
    }

    /// A program that may run one of its words with what follows; which one can't be told.
    fn tool_runner(&mut self, rest: &[Text], input: &Input) -> Result<(), Unclear> {
        const RUN: [&str; 5] = ["run", "exec", "x", "dlx", "--"];
        let start = rest.iter().position(|word| word.as_literal().is_some_and(|word| RUN.contains(&word)));
        let words = match start {
            Some(at) => behind(&rest[at + 1..], &[], 0),
            None => behind(rest, &[], 0),
        };
        let words = words.to_vec();
        self.apart(|shell| shell.run(&words, input))
    }

    fn environment(&mut self, rest: &[Text], input: &Input) -> Result<(), Unclear> {
        let valued = &["-u", "-C", "-S", "--unset", "--chdir", "--split-string", "-a", "--argv0"];
        let before = self.state.clone();
        let mut words = rest;
        while let Some(word) = words.first() {
            let start = word.known_start();
            let (value, taken) = match start.find('=').filter(|_| start.starts_with("--")) {
                Some(at) => (Some(word.skip(at + 1)), 1),
                None if start.len() > 2 && (start.starts_with("-C") || start.starts_with("-S")) => {
                    (Some(word.skip(2)), 1)
                }
                None => (words.get(1).cloned(), 2),
            };
            if start.starts_with("-C") || start.starts_with("--chdir") {
                let folder = value.unwrap_or_default();
                let folders = self.state.folders.iter().flat_map(|base| path::bases(base, &folder)).collect();
                self.state.enter(folders);
                words = words.get(taken..).unwrap_or_default();
            } else if start.starts_with("-S") || start.starts_with("--split-string") {
                let mut joined: Vec<Text> = value.into_iter().collect();
                joined.extend(words.get(taken..).unwrap_or_default().iter().cloned());
                self.run_joined(&joined)?;
                self.state = before;
                return Ok(());
            } else if start.starts_with('-') {
                let left = behind(words, valued, 0);
                // One option at a time, since the next one may be one of those above.
                let count = (words.len() - left.len()).clamp(1, if valued.contains(&start) { 2 } else { 1 });
                words = &words[count..];
            } else if let Some(at) = start.find('=').filter(|at| *at > 0) {
                self.note_assigned(&start[..at]);
                let value = Value::OneOf(vec![word.skip(at + 1)]);
                self.state.variables.insert(start[..at].to_owned(), value);
                words = &words[1..];
            } else {
                break;
            }
        }
        let words = words.to_vec();
        self.run(&words, input)?;
        self.state = before;
        Ok(())
    }

    fn each_input(&mut self, rest: &[Text], input: &Input) -> Result<(), Unclear> {
        let valued = &[
            "-a",
            "-d",
            "-E",
            "-e?",
            "-I",
            "-i?",
            "-L",
            "-l?",
            "-n",
            "-P",
            "-s",
            "-R",
            "-S",
            "--arg-file",
            "--delimiter",
            "--max-args",
            "--max-procs",
            "--replace",
            "--max-lines",
            "--max-chars",
        ];
        let command = behind(rest, valued, 0);
        if rest[..rest.len() - command.len()].iter().any(Text::has_unknown) {
            self.opaque();
        }
        let own = Options::read(&rest[..rest.len() - command.len()], valued);
        let mark = own.value(&["-I", "--replace"]).and_then(Text::as_literal).map(str::to_owned);
        let mark = mark.or_else(|| own.has(&["-i", "--replace"]).then(|| "{}".to_owned()));
        let given = match input {
            Input::Text(text) => text.split_whitespace().map(Text::literal).collect(),
            _ => vec![Text::unknown()],
        };
        if command.is_empty() {
            return Ok(());
        }
        if let Some(mark) = mark {
            for value in given.iter().take(32) {
                let words: Vec<Text> = command.iter().map(|word| replace(word, &mark, value)).collect();
                self.apart(|shell| shell.run(&words, &Input::Piped))?;
            }
        } else {
            let mut words = command.to_vec();
            words.extend(given);
            self.apart(|shell| shell.run(&words, &Input::Piped))?;
        }
        Ok(())
    }

    fn parallel(&mut self, rest: &[Text]) -> Result<(), Unclear> {
        self.opaque();
        let is_mark = |word: &Text| word.as_literal().is_some_and(|word| word.starts_with(":::"));
        let at = rest.iter().position(is_mark).unwrap_or(rest.len());
        let command = behind(&rest[..at], &["-j", "-n", "-I", "--jobs", "--colsep", "-a"], 0);
        let mut given: Vec<Text> = rest[at..].iter().filter(|word| !is_mark(word)).cloned().collect();
        if given.is_empty() {
            given.push(Text::unknown());
        }
        for value in given.iter().take(32) {
            let has_mark = command.iter().any(|word| word.known_start().contains("{}"));
            let mut words: Vec<Text> = command.iter().map(|word| replace(word, "{}", value)).collect();
            if !has_mark {
                words.push(value.clone());
            }
            self.apart(|shell| shell.run_joined(&words))?;
        }
        Ok(())
    }

    fn shell(&mut self, name: &str, rest: &[Text], input: &Input) -> Result<(), Unclear> {
        let valued = &["-o", "-O", "+o", "+O", "--rcfile", "--init-file", "-C"];
        let options = Options::read(rest, valued);
        if name == "fish"
            || options.has(&["--rcfile", "--init-file", "-i", "-l", "--login"])
            || options.is_open
        {
            self.opaque();
        }
        if options.has(&["-c"]) {
            let before = self.state.clone();
            // Functions and variables that are not exported are not seen there.
            self.state.functions.clear();
            // `-c` takes the first operand, wherever it stands.
            let Some((script, arguments)) = options.operands.split_first() else {
                return Ok(());
            };
            self.state.arguments = Some(arguments.get(1..).unwrap_or_default().to_vec());
            self.run_joined(std::slice::from_ref(script))?;
            self.state = before;
            return Ok(());
        }
        if let Some(script) = options.operands.first().filter(|_| !options.has(&["-s"])) {
            self.reads(script);
            self.opaque();
            return Ok(());
        }
        match input {
            Input::Text(script) => {
                let script = Text::literal(script.clone());
                self.apart(|shell| shell.run_joined(&[script]))
            }
            Input::Piped | Input::Inherited | Input::Holding(_) => {
                if !options.has(&["--version", "--help"]) {
                    self.opaque();
                }
                Ok(())
            }
        }
    }
}

/// A word in which every `mark` becomes `value`.
pub(super) fn replace(word: &Text, mark: &str, value: &Text) -> Text {
    let mut replaced = Text::default();
    for piece in word.pieces() {
        match piece {
            Piece::Literal(text) if !mark.is_empty() => {
                for (index, stretch) in text.split(mark).enumerate() {
                    if index > 0 {
                        replaced.append(value);
                    }
                    if !stretch.is_empty() {
                        replaced.push_literal(stretch);
                    }
                }
            }
            other => replaced.push(other.clone()),
        }
    }
    replaced
}
