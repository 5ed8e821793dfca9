//! A shell command: read by two parsers, walked once, each program by what it is known to do.

mod alone;
mod assign;
mod braces;
mod expand;
mod feed;
mod nesting;
mod outline;
mod programs;
mod redirect;
mod second;
mod state;
mod syntax;
mod walk;
mod word;

use std::rc::Rc;

use brush_parser::ast::Program;

use super::effects::{Certainty, Effects, Fed, Walk};
use super::path::{self, Base};
use super::text::Text;
use super::{Argv, Context};

use programs::Input;
use state::State;

/// How many commands are walked before the answer is that the script is too long.
const MOST_STEPS: usize = 5_000;
/// How many words all commands together may have.
const MOST_WORDS: usize = 100_000;
/// How many bytes of nested scripts are read.
const MOST_NESTED: usize = 2 * syntax::LONGEST;
/// How many constructs, functions and nested scripts may be within each other.
const DEEPEST: usize = 96;

/// Why a command is not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unclear {
    why: String,
    hint: Option<&'static str>,
}

impl Unclear {
    fn new(why: impl Into<String>) -> Self {
        Self { why: why.into(), hint: None }
    }

    fn hint(self, hint: &'static str) -> Self {
        Self { hint: Some(hint), ..self }
    }
}

/// What `command` touches when it is run from one of `folders`.
pub fn classify(command: &str, folders: Vec<Base>, context: Context<'_>) -> Effects {
    let Some((stack, openings)) = syntax::stack_for(command) else {
        return classify_here(command, folders, context, 0);
    };
    let answer = std::thread::scope(|scope| {
        let walk = || classify_here(command, folders, context, openings);
        let thread = std::thread::Builder::new().stack_size(stack).spawn_scoped(scope, walk);
        thread.ok().and_then(|thread| thread.join().ok())
    });
    answer
        .unwrap_or_else(|| Effects::unparsable("the command is too involved".to_owned(), PLAINER.to_owned()))
}

const PLAINER: &str = "use plainer syntax, one command a call, or change files with a file tool";

fn classify_here(command: &str, folders: Vec<Base>, context: Context<'_>, most_openings: usize) -> Effects {
    let begin = || Shell {
        context,
        effects: Effects::default(),
        state: State::new(folders.clone()),
        depth: 0,
        steps: 0,
        words: 0,
        nested: 0,
        most_openings,
        keeps_whole: true,
        programs: syntax::Programs::default(),
    };
    let mut shell = begin();
    // However it is set: by `shopt`, `setopt`, an option of the shell, or a variable.
    let flat = command.to_ascii_lowercase().replace(['_', '\'', '"', '\\'], "");
    shell.state.matches_dots =
        ["dotglob", "globdots", "globignore"].iter().any(|option| flat.contains(option));
    let result = shell.script(command);
    shell.effects.settle();
    if let Ok(program) = shell.programs.program(command, most_openings)
        && result.is_ok()
    {
        shell.effects.alone = begin().alone(&program);
    }
    if let Err(Unclear { why, hint }) = result {
        // What was found before is kept: a gate may name it.
        shell.effects.acts = true;
        shell.effects.certainty = Certainty::Unparsable { why, hint: hint.unwrap_or(PLAINER).to_owned() };
    }
    shell.effects
}

/// A walk through a script.
pub struct Shell<'a> {
    context: Context<'a>,
    effects: Effects,
    state: State,
    depth: usize,
    steps: usize,
    words: usize,
    nested: usize,
    most_openings: usize,
    /// A value outside of quotes is also read as one word, since `zsh` does not split it.
    keeps_whole: bool,
    programs: syntax::Programs,
}

impl Shell<'_> {
    /// Walks a script that stands for itself.
    fn script(&mut self, script: &str) -> Result<(), Unclear> {
        self.count_nested(script)?;
        let program = self.read_twice(script)?;
        self.deeper(|shell| shell.program(&program))
    }

    /// Walks the script of a substitution, which the second parser has seen as part of the whole.
    fn substitution(&mut self, script: &str) -> Result<(), Unclear> {
        self.count_nested(script)?;
        let program = self.programs.program(script, self.most_openings)?;
        self.deeper(|shell| shell.program(&program))
    }

    fn deeper<T>(&mut self, walk: impl FnOnce(&mut Self) -> Result<T, Unclear>) -> Result<T, Unclear> {
        if self.depth >= DEEPEST {
            return Err(
                Unclear::new("the command is nested too deep").hint("split the command into several calls")
            );
        }
        self.depth += 1;
        let result = walk(self);
        self.depth -= 1;
        result
    }

    /// Reads a script with both parsers.
    fn read_twice(&mut self, script: &str) -> Result<Rc<Program>, Unclear> {
        let program = self.programs.program(script, self.most_openings)?;
        let outline = outline::Outline::of(&program, self.most_openings, &mut self.programs)?;
        let second = second::outline(script).or_else(|unclear| match nesting::without_heredocs(script) {
            Some(plain) => second::outline(&plain),
            None => Err(unclear),
        });
        let agrees = second.and_then(|second| {
            if outline == second {
                return Ok(());
            }
            Err(Unclear::new("two readers of the shell syntax disagree about its commands"))
        });
        let hint = "quote the mark of the here-document, as in <<'EOF', or write the file with a file tool";
        agrees.map_err(|unclear| if script.contains("<<") { unclear.hint(hint) } else { unclear })?;
        Ok(program)
    }

    fn count_nested(&mut self, script: &str) -> Result<(), Unclear> {
        self.nested += script.len();
        if self.nested > MOST_NESTED {
            return Err(Unclear::new("the command holds scripts within scripts that are too long together"));
        }
        Ok(())
    }

    /// Counts a command; too many end the walk.
    fn step(&mut self) -> Result<(), Unclear> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Err(
                Unclear::new("the command runs too many commands").hint("write a script file and run it")
            );
        }
        Ok(())
    }

    /// More may be touched than is listed.
    fn opaque(&mut self) {
        self.effects.certainty = Certainty::Opaque;
    }

    fn writes(&mut self, text: &Text, tree: bool) {
        self.note_network(text);
        self.effects.writes.extend(path::targets(&self.state.folders, text, tree));
    }

    fn deletes(&mut self, text: &Text, tree: bool) {
        self.effects.deletes.extend(path::targets(&self.state.folders, text, tree));
    }

    fn reads(&mut self, text: &Text) {
        self.note_network(text);
        if text.as_literal() != Some("-") {
            self.effects.reads.extend(path::targets(&self.state.folders, text, false));
        }
    }

    /// Something that may be read, where all of its name is known.
    fn mentions(&mut self, text: &Text) {
        if !text.has_unknown() {
            self.effects.mentions.extend(path::targets(&self.state.folders, text, false));
        }
    }

    /// The words that a program is given and that look like paths, but for what it is to leave out.
    fn mentions_all(&mut self, words: &[Text]) {
        let leaves_out = |flag: &str| {
            flag.starts_with('-')
                && ["ignore", "exclude", "skip", "omit", "without", "deselect"]
                    .iter()
                    .any(|part| flag.contains(part))
        };
        let mut before = "";
        for word in words {
            let start = word.known_start();
            if start.contains(['/', '.']) && !start.starts_with('-') && !leaves_out(before) {
                self.mentions(word);
            }
            before = start;
        }
    }

    fn walks(&mut self, root: &Text, walk: &Reads) {
        for root in path::targets(&self.state.folders, root, true) {
            self.effects.recursive_reads.push(Walk {
                root,
                excludes: walk.excludes.clone(),
                content: walk.content,
                skips_hidden: walk.skips_hidden,
                skips_ignored: walk.skips_ignored,
            });
        }
    }

    fn note_network(&mut self, text: &Text) {
        if text.known_start().starts_with("/dev/tcp/") || text.known_start().starts_with("/dev/udp/") {
            self.effects.network = true;
        }
    }

    /// Puts down what the command that was noted last is given on its standard input.
    fn note_fed(&mut self, input: &Input) {
        let (text, is_whole) = match input {
            Input::Text(text) => (text, true),
            Input::Holding(text) => (text, false),
            Input::Inherited | Input::Piped => return,
        };
        if let Some(argv) = self.effects.commands.last() {
            self.effects.fed.push(Fed { argv: argv.clone(), text: text.clone(), is_whole });
        }
    }

    fn note_command(&mut self, words: &[Text]) -> Result<(), Unclear> {
        self.words += words.len();
        if self.words > MOST_WORDS {
            return Err(Unclear::new("the command has too many words").hint("write a script file and run it"));
        }
        let words = words.iter().map(|word| word.as_literal().map(str::to_owned)).collect();
        self.effects.commands.push(Argv(words));
        Ok(())
    }
}

/// How folders are read through.
#[derive(Debug, Clone, Default)]
struct Reads {
    excludes: Vec<String>,
    content: bool,
    skips_hidden: bool,
    skips_ignored: bool,
}
