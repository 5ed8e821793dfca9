//! Following a gate's command: the scripts, targets and files of the repository that it runs.

use std::collections::{BTreeMap, BTreeSet};

use canon::Sha256;
use gate::words::{base_name, commands};
use serde_json::Value;

use super::Part;
use super::files::{Files, base_of, ending, folder_of, join, upwards, within};
use super::python;
use super::rules::{Form, Rules};
use crate::source::language::is_test_path;

/// How far scripts are followed into scripts.
const DEPTH: usize = 6;

/// Programs that run another one, with the options before it.
const WRAPPERS: &[&str] = &[
    "env",
    "exec",
    "command",
    "time",
    "nice",
    "nohup",
    "sudo",
    "npx",
    "bunx",
    "pnpx",
    "xvfb-run",
    "cross-env",
    "dotenv",
    "timeout",
    "stdbuf",
    "ionice",
    "busybox",
    "if",
    "then",
    "else",
    "do",
    "while",
    "until",
    "!",
    "{",
];

/// Programs whose first plain argument is a script.
const INTERPRETERS: &[&str] = &[
    "sh", "bash", "dash", "zsh", "ksh", "node", "bun", "deno", "tsx", "ts-node", "python", "python3", "ruby",
    "perl", "php", "pwsh", "elixir", "lua", ".", "source",
];

/// Programs that read a file of a fixed name where they are called.
const READS: &[(&str, &[&str])] = &[
    ("task", &["Taskfile.yml", "Taskfile.yaml", "Taskfile.dist.yml"]),
    ("turbo", &["turbo.json"]),
    ("nx", &["nx.json", "project.json"]),
    ("lerna", &["lerna.json"]),
    ("nox", &["noxfile.py"]),
    ("rake", &["Rakefile", "rakefile", "Rakefile.rb"]),
    ("bats", &["bats.conf"]),
];

/// What a command comes to, in parts by name.
pub(super) struct Follower<'f, 't> {
    files: &'f Files<'t>,
    pub parts: BTreeMap<String, Part>,
    /// Commands that take in a script whose name the shell makes when it runs.
    pub unfollowed: BTreeSet<String>,
    seen: BTreeSet<(String, String)>,
    /// Folders that `PYTHONPATH` was set to.
    python_path: Vec<String>,
}

impl<'f, 't> Follower<'f, 't> {
    pub fn new(files: &'f Files<'t>) -> Self {
        Self {
            files,
            parts: BTreeMap::new(),
            unfollowed: BTreeSet::new(),
            seen: BTreeSet::new(),
            python_path: Vec::new(),
        }
    }

    /// Follows a shell command or script that runs in `folder`.
    pub fn follow(&mut self, text: &str, folder: &str) {
        self.follow_to(text, folder, DEPTH);
    }

    fn follow_to(&mut self, text: &str, folder: &str, depth: usize) {
        if depth == 0 || !self.seen.insert((folder.to_owned(), text.to_owned())) {
            return;
        }
        let mut folder = folder.to_owned();
        for words in commands(text) {
            if let [cd, to, ..] = words.as_slice()
                && cd == "cd"
            {
                // A folder that a variable names is not known; what follows is looked for where we are.
                let to = join(&folder, to).filter(|to| self.files.is_folder(to));
                folder = to.unwrap_or(folder);
                continue;
            }
            self.command(&words, &folder, depth);
        }
    }

    fn command(&mut self, words: &[String], folder: &str, depth: usize) {
        // Before the command, for it alone, or exported for those that follow.
        for value in words.iter().filter_map(|word| word.strip_prefix("PYTHONPATH=")) {
            self.python_path.extend(python::path(value, folder));
        }
        let words = behind_wrappers(words);
        let Some((program, args)) = words.split_first() else { return };
        let name = base_name(program);
        match name.trim_end_matches(".exe").trim_end_matches(".cmd") {
            "npm" | "pnpm" | "yarn" | "bun" => self.package_scripts(args, folder, depth),
            "run-s" | "run-p" | "npm-run-all" | "npm-run-all2" => {
                self.named_scripts(args.iter().map(String::as_str), folder, depth);
            }
            "concurrently" => {
                let named = args.iter().filter_map(|word| word.strip_prefix("npm:"));
                self.named_scripts(named.collect::<Vec<_>>().into_iter(), folder, depth);
                for arg in args {
                    self.follow_to(arg, folder, depth - 1);
                }
            }
            "composer" => self.scripts_of("composer.json", &plain(args), folder, depth),
            "deno" if args.first().is_some_and(|arg| arg == "task") => {
                self.tasks_of_deno(args.get(1), folder, depth);
            }
            "make" | "gmake" => self.make(args, folder, depth),
            "just" => self.just(args, folder, depth),
            name if python::is_python(name) || python::is_runner(name) => self.python(name, args, folder),
            _ => {}
        }
        for (reader, names) in READS {
            if *reader == name {
                for base in *names {
                    self.whole(&within(folder, base));
                }
            }
        }
        self.words(name, program, args, folder, depth);
    }

    /// What of the tree stands in front of the installed runner.
    fn python(&mut self, name: &str, args: &[String], folder: &str) {
        let module = python::module(args).filter(|_| python::is_python(name));
        let mut folders = self.python_path.clone();
        if module.is_some() {
            folders.push(folder.to_owned());
        } else if let Some(script) = plain(args).first().filter(|_| python::is_python(name)) {
            folders.extend(join(folder, script).map(|script| folder_of(&script).to_owned()));
        }
        let parts = python::shadows(self.files, module, &folders);
        self.parts.extend(parts.into_iter().map(|part| (part.what.clone(), part)));
    }

    /// The words that name files: the program itself, an interpreter's script, settings given by option.
    fn words(&mut self, name: &str, program: &str, args: &[String], folder: &str, depth: usize) {
        if program.contains('/') {
            if is_made(program) {
                self.unfollowed.insert(program.to_owned());
            }
            self.script(program, folder, depth);
        }
        let interprets = INTERPRETERS.contains(&name);
        let runs_tests = args.iter().any(|arg| matches!(arg.as_str(), "--test" | "-m" | "test"));
        let mut awaits_script = interprets && !runs_tests;
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            if interprets
                && !runs_tests
                && arg.starts_with('-')
                && arg.ends_with('c')
                && !arg.starts_with("--")
            {
                if let Some(text) = args.next() {
                    self.follow_to(text, folder, depth - 1);
                }
                awaits_script = false;
                continue;
            }
            let value = match arg.strip_prefix('-') {
                Some(option) => option.split_once('=').map_or("", |(_, value)| value),
                None => arg.as_str(),
            };
            if awaits_script && is_made(arg) {
                self.unfollowed.insert(format!("{program} {arg}"));
                awaits_script = false;
            } else if awaits_script && !arg.starts_with('-') {
                awaits_script = !self.script(value, folder, depth);
            } else if let Some(file) = join(folder, value)
                && !is_test_path(&file)
                && !is_manifest(base_of(&file))
            {
                self.whole(&file);
            }
        }
    }

    /// A script of the repository, and what it runs in turn where it is one for a shell.
    fn script(&mut self, path: &str, folder: &str, depth: usize) -> bool {
        let Some(file) = join(folder, path).filter(|file| self.files.is_file(file)) else { return false };
        self.whole(&file);
        if let Some(text) = self.files.text(&file) {
            let first = text.lines().next().unwrap_or_default();
            let for_shell = first.starts_with("#!") && first.trim_end().ends_with("sh");
            if for_shell || matches!(ending(&file).as_str(), "sh" | "bash") {
                self.follow_to(&text, folder, depth - 1);
            }
        }
        true
    }

    fn whole(&mut self, file: &str) {
        if let Some(part) = Part::whole(self.files, file) {
            self.parts.insert(part.what.clone(), part);
        }
    }

    fn section(&mut self, file: &str, section: &str, content: &str) {
        let part = Part::section(file, section, Sha256::of(content));
        self.parts.insert(part.what.clone(), part);
    }

    /// `npm test`, `pnpm run x`, `yarn x`, with the folder given by option.
    fn package_scripts(&mut self, args: &[String], folder: &str, depth: usize) {
        let mut folder = folder.to_owned();
        let mut words = Vec::new();
        let mut args = args.iter().take_while(|arg| *arg != "--");
        while let Some(arg) = args.next() {
            let (option, value) = match arg.split_once('=') {
                Some((option, value)) => (option, Some(value)),
                None => (arg.as_str(), None),
            };
            if matches!(option, "--prefix" | "-C" | "--cwd" | "--dir") {
                let to = value.or_else(|| args.next().map(String::as_str));
                folder = to.and_then(|to| join(&folder, to)).unwrap_or(folder);
            } else if !arg.starts_with('-') {
                words.push(arg.as_str());
            }
        }
        let words: Vec<&str> =
            words.into_iter().map(|word| if matches!(word, "t" | "tst") { "test" } else { word }).collect();
        self.scripts_of("package.json", &words, &folder, depth);
    }

    fn named_scripts<'a>(&mut self, names: impl Iterator<Item = &'a str>, folder: &str, depth: usize) {
        for name in names.filter(|name| !name.starts_with('-')) {
            self.scripts_of("package.json", &[name], folder, depth);
        }
    }

    /// The first of `words` that is a script of the nearest manifest, with what runs before and after it.
    fn scripts_of(&mut self, manifest: &str, words: &[&str], folder: &str, depth: usize) {
        let mut manifests = upwards(folder).map(|folder| within(folder, manifest));
        let Some(file) = manifests.find(|file| self.files.is_file(file)) else { return };
        let Some(text) = self.files.text(&file) else { return };
        let Ok(value) = serde_json::from_str::<Value>(text.trim_start_matches('\u{feff}')) else {
            return self.whole(&file);
        };
        let Some(scripts) = value.get("scripts").and_then(Value::as_object) else { return };
        let Some(name) = words.iter().find(|word| scripts.contains_key(**word)) else { return };
        for name in [format!("pre{name}"), (*name).to_owned(), format!("post{name}")] {
            let Some(script) = scripts.get(&name) else { continue };
            self.section(&file, &format!("scripts.{name}"), &script.to_string());
            let lines = script.as_array().map_or(std::slice::from_ref(script), Vec::as_slice);
            for line in lines.iter().filter_map(Value::as_str) {
                // Composer calls another script of its own as `@name`.
                match line.strip_prefix('@').filter(|_| manifest == "composer.json") {
                    Some(other) if depth > 1 => {
                        let other = other.split_whitespace().next().unwrap_or_default();
                        if self.seen.insert((file.clone(), other.to_owned())) {
                            self.scripts_of(manifest, &[other], folder, depth - 1);
                        }
                    }
                    Some(_) => {}
                    None => self.follow_to(line, folder_of(&file), depth - 1),
                }
            }
        }
    }

    fn tasks_of_deno(&mut self, task: Option<&String>, folder: &str, depth: usize) {
        let files = ["deno.json", "deno.jsonc"].map(|base| within(folder, base));
        let Some(file) = files.into_iter().find(|file| self.files.is_file(file)) else { return };
        let text = self.files.text(&file).unwrap_or_default();
        let task = serde_json::from_str::<Value>(&text)
            .ok()
            .zip(task)
            .and_then(|(value, task)| Some((task, value.get("tasks")?.get(task)?.clone())));
        match task {
            Some((name, task)) => {
                self.section(&file, &format!("tasks.{name}"), &task.to_string());
                let line = task.as_str().or_else(|| task.get("command")?.as_str()).unwrap_or_default();
                self.follow_to(line, folder, depth - 1);
            }
            None => self.whole(&file),
        }
    }

    fn make(&mut self, args: &[String], folder: &str, depth: usize) {
        let (mut folder, mut file, mut targets) = (folder.to_owned(), None, Vec::new());
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut value = |long: &str, short: &str| {
                let rest = arg
                    .strip_prefix(long)
                    .or_else(|| arg.strip_prefix(short).filter(|_| !arg.starts_with("--")))?;
                Some(if rest.is_empty() { args.next()?.as_str() } else { rest.trim_start_matches('=') })
            };
            if let Some(to) = value("--directory", "-C") {
                folder = join(&folder, to).unwrap_or(folder);
            } else if let Some(named) = value("--file", "-f") {
                file = Some(named.to_owned());
            } else if !arg.starts_with('-') && !arg.contains('=') {
                targets.push(arg.as_str());
            }
        }
        let bases = file.map_or_else(
            || vec!["GNUmakefile".to_owned(), "makefile".to_owned(), "Makefile".to_owned()],
            |file| vec![file],
        );
        let file = bases.iter().filter_map(|base| join(&folder, base)).find(|file| self.files.is_file(file));
        if let Some(file) = file {
            self.targets(&file, &targets, Form::Make, &folder, depth);
        }
    }

    fn just(&mut self, args: &[String], folder: &str, depth: usize) {
        let bases = ["justfile", "Justfile", ".justfile"];
        let found = upwards(folder)
            .flat_map(|folder| bases.map(|base| within(folder, base)))
            .find(|file| self.files.is_file(file));
        if let Some(file) = found {
            let at = folder_of(&file).to_owned();
            self.targets(&file, &plain(args), Form::Just, &at, depth);
        }
    }

    fn targets(&mut self, file: &str, targets: &[&str], form: Form, folder: &str, depth: usize) {
        let Some(text) = self.files.text(file) else { return };
        let mut rules = Rules::read(&text, form);
        for included in std::mem::take(&mut rules.included) {
            if let Some(text) = join(folder, &included).and_then(|included| self.files.text(&included)) {
                rules.extend(Rules::read(&text, form));
            }
        }
        let default: Vec<&str> = rules.default_target().into_iter().collect();
        for target in if targets.is_empty() { &default } else { targets } {
            if let Some(found) = rules.target(target) {
                self.section(file, target, &found.text);
                self.follow_to(&found.commands, folder, depth - 1);
            }
        }
    }
}

/// Whether the shell makes a word only when it runs.
fn is_made(word: &str) -> bool {
    word.contains(['$', '`'])
}

/// The arguments that are no options.
fn plain(args: &[String]) -> Vec<&str> {
    args.iter().map(String::as_str).filter(|arg| !arg.starts_with('-')).collect()
}

/// The command that is run in the end: without variables set for it and programs that only start it.
fn behind_wrappers(mut words: &[String]) -> &[String] {
    while let [first, rest @ ..] = words {
        let is_assignment = first.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        });
        let second = rest.first().map(String::as_str);
        let skip = match base_name(first) {
            _ if is_assignment => 1,
            "timeout" => {
                let is_own = |word: &&String| word.starts_with(|c: char| c == '-' || c.is_ascii_digit());
                1 + rest.iter().take_while(is_own).count()
            }
            name if WRAPPERS.contains(&name) => {
                1 + rest.iter().take_while(|word| word.starts_with('-')).count()
            }
            "uv" | "poetry" | "pipenv" | "pdm" | "rye" | "hatch" if second == Some("run") => 2,
            "bundle" | "mise" | "direnv" if second == Some("exec") => 2,
            "npm" | "pnpm" | "yarn" if matches!(second, Some("exec" | "dlx" | "x")) => {
                2 + rest[1..].iter().take_while(|word| word.starts_with('-')).count()
            }
            _ => return words,
        };
        words = words.get(skip..).unwrap_or_default();
    }
    words
}

/// Whether the file mostly names dependencies; its deciding sections are taken one by one.
pub(super) fn is_manifest(base: &str) -> bool {
    matches!(
        base,
        "package.json"
            | "Cargo.toml"
            | "pyproject.toml"
            | "go.mod"
            | "go.sum"
            | "pom.xml"
            | "composer.json"
            | "mix.exs"
            | "Gemfile"
            | "requirements.txt"
            | "setup.py"
            | "setup.cfg"
            | "deno.json"
            | "deno.jsonc"
            | "package-lock.json"
            | "pnpm-lock.yaml"
            | "tox.ini"
            | "Makefile"
            | "makefile"
            | "GNUmakefile"
    ) || base.starts_with("build.gradle")
        || matches!(ending(base).as_str(), "lock" | "csproj")
}

#[cfg(test)]
mod tests;
