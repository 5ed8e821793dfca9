//! What a command is given: the world, how it is called, and where its warnings go.

use std::cell::RefCell;
use std::ffi::OsString;
use std::io::Write;

use chalk::Session;
use chalk::session::Naming;
use gate::{Progress, Refusal};
use store::World;

use crate::{Terminal, codes};

/// The context of one command.
pub struct Ctx<'w> {
    /// Folder, environment, clock and chance.
    pub world: &'w World,
    /// How commands are named in messages.
    pub naming: Naming,
    /// The command was called as one of cairn's own, not as one of Chalk's.
    pub promoted: bool,
    /// The answer is printed as JSON.
    pub json: bool,
    /// The command line behind the name of the program and of the protocol.
    pub words: &'w [OsString],
    /// How the streams look.
    pub terminal: Terminal,
    progress: Ticker,
    warnings: RefCell<Vec<String>>,
}

impl<'w> Ctx<'w> {
    /// The context of a command.
    pub fn new(
        world: &'w World,
        words: &'w [OsString],
        naming: Naming,
        promoted: bool,
        json: bool,
        terminal: Terminal,
    ) -> Self {
        Self {
            world,
            naming,
            promoted,
            json,
            words,
            terminal,
            progress: Ticker { on: terminal.progress && !json },
            warnings: RefCell::default(),
        }
    }

    /// A command of this program as the caller would type it.
    pub fn cmd(&self, rest: &str) -> String {
        (self.naming)(rest)
    }

    /// Remembers a warning.
    pub fn warn(&self, message: impl Into<String>) {
        self.warnings.borrow_mut().push(message.into());
    }

    /// Takes over what a session has to tell.
    pub fn keep_warnings(&self, session: &Session<'_>) {
        self.warnings.borrow_mut().extend(session.take_warnings());
    }

    /// The warnings, given up.
    pub fn take_warnings(&self) -> Vec<String> {
        self.warnings.take()
    }

    /// Makes sure that a person stands behind the command: someone at a terminal types this word.
    ///
    /// # Errors
    /// An agent started the program, nobody is there, or another word was typed.
    pub fn person_types(&self, word: &str, text: &str) -> Result<(), Refusal> {
        // A terminal is easily made; what an agent starts has its mark.
        let is_set = |name: &str| self.world.env.get(name).is_some_and(|value| !value.is_empty());
        if let Some(name) = agents::started_by(is_set) {
            return Err(Refusal::new(
                codes::AGENT_STARTED,
                format!("this is for a person, and `{name}` says that an agent runs it"),
            )
            .hint("run the command yourself in a terminal that no agent started; nothing was changed"));
        }
        if let Some(program) = self.terminal.started_by.and_then(|started_by| started_by()) {
            return Err(Refusal::new(
                codes::AGENT_STARTED,
                format!("this is for a person, and it was started from within `{program}`"),
            )
            .hint("run the command yourself in a terminal that no agent started; nothing was changed"));
        }
        let Some(typed) = self.terminal.typed else {
            return Err(Refusal::new(codes::NO_TERMINAL, "this needs a person at a terminal")
                .hint("run the command yourself in a terminal; nothing was changed"));
        };
        if typed(&format!("{text}Type `{word}` to go on: ")) == word {
            return Ok(());
        }
        Err(Refusal::new(codes::NOT_CONFIRMED, format!("another word than `{word}` was typed"))
            .hint("nothing was changed; run the command again and type the word"))
    }

    /// Where long work tells of its steps.
    pub fn progress(&self) -> &dyn Progress {
        &self.progress
    }

    /// Runs a command that only reads: a spine that was edited past the program is named, and read.
    pub fn read<T>(&self, command: impl FnOnce(&Session<'_>) -> Result<T, Refusal>) -> Result<T, Refusal> {
        self.with(|session| {
            if let Some(warning) = session.standing()?.warning(session) {
                session.warn(warning);
            }
            command(session)
        })
    }

    /// Runs a command that writes or judges: under `tamperEvident: "refuse"` an edited spine stops it.
    pub fn act<T>(&self, command: impl FnOnce(&Session<'_>) -> Result<T, Refusal>) -> Result<T, Refusal> {
        self.read(|session| match session.standing()?.refusal(session) {
            Some(refusal) => Err(refusal),
            None => command(session),
        })
    }

    /// Runs a command over the spine without a look at who changed it.
    pub fn with<T>(&self, command: impl FnOnce(&Session<'_>) -> Result<T, Refusal>) -> Result<T, Refusal> {
        let session = Session::open(self.world, self.naming, &self.progress)?;
        let outcome = command(&session);
        self.keep_warnings(&session);
        outcome
    }
}

/// Shows a text that ends in a question, and reads the answer from the terminal. Anything but yes is no.
pub fn ask(text: &str) -> bool {
    matches!(typed(text).to_lowercase().as_str(), "y" | "yes")
}

/// Shows a text that asks for a word, and reads the line from the terminal, without blanks around it.
pub fn typed(text: &str) -> String {
    let mut err = std::io::stderr();
    let mut answer = String::new();
    let shown = err.write_all(text.as_bytes()).and_then(|()| err.flush());
    let read = shown.and_then(|()| std::io::stdin().read_line(&mut answer));
    if read.is_ok() { answer.trim().to_owned() } else { String::new() }
}

/// Shows the running step on a terminal, and takes it away again.
struct Ticker {
    on: bool,
}

impl Progress for Ticker {
    fn begin(&self, step: &str) {
        if self.on {
            let _ = write!(std::io::stderr(), "\r\x1b[K… {step}");
            let _ = std::io::stderr().flush();
        }
    }

    fn end(&self, _: &str, _: &str) {
        if self.on {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
