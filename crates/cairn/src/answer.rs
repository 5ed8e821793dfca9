//! What a command answers: a document, its text for people, and the exit code.

use std::io;

use gate::Exit;
use schemars::JsonSchema;
use serde::Serialize;

use crate::page::Page;

/// A document that a command prints, as JSON or as text. Its schema is published.
pub trait Document: Serialize + JsonSchema {
    /// The text for people.
    fn render(&self, page: &mut Page);

    /// The exit code that goes with it.
    fn exit(&self) -> Exit {
        Exit::Done
    }
}

/// The answer of a command.
pub struct Answer {
    json: Json,
    text: Page,
    exit: Exit,
    shape: Shape,
    beside: Page,
}

/// A document as JSON.
enum Json {
    /// Its text.
    Text(String),
    /// What writes its text, once: a large document never stands in memory as text.
    Written(Box<Write>),
}

type Write = dyn FnOnce(&mut dyn io::Write) -> io::Result<()>;

/// How an answer is printed where nothing was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// As text for people.
    Text,
    /// As text that is the result itself, on standard output also where it says that something fails.
    Report,
    /// As its document: some published commands know no other form.
    Document,
    /// Not at all: another program answered, and ended with this code.
    Elsewhere(u8),
}

impl Answer {
    /// From a document, in both forms.
    pub fn of(document: &impl Document) -> Self {
        let mut text = Page::new();
        document.render(&mut text);
        Self {
            json: Json::Text(json(document)),
            text,
            exit: document.exit(),
            shape: Shape::Text,
            beside: Page::new(),
        }
    }

    /// From a document that may be large, in the form that is printed alone.
    pub fn in_form(document: &impl Document, as_json: bool) -> Self {
        let mut answer = Self {
            json: Json::Text(String::new()),
            text: Page::new(),
            exit: document.exit(),
            shape: Shape::Text,
            beside: Page::new(),
        };
        if as_json {
            answer.json = Json::Text(json(document));
        } else {
            document.render(&mut answer.text);
        }
        answer
    }

    /// From what writes the JSON of a document, once.
    pub fn written(exit: Exit, write: impl FnOnce(&mut dyn io::Write) -> io::Result<()> + 'static) -> Self {
        let json = Json::Written(Box::new(write));
        Self { json, text: Page::new(), exit, shape: Shape::Text, beside: Page::new() }
    }

    /// From a document that is printed as JSON whatever was asked.
    pub fn document(document: &impl Document) -> Self {
        Self { shape: Shape::Document, ..Self::in_form(document, true) }
    }

    /// From a document whose text is the result itself, whatever it finds.
    pub fn report(document: &impl Document, as_json: bool) -> Self {
        Self { shape: Shape::Report, ..Self::in_form(document, as_json) }
    }

    /// From a document in a form that others publish, printed as JSON whatever was asked.
    pub fn foreign(document: &impl Serialize, exit: Exit) -> Self {
        let json = Json::Text(serde_json::to_string_pretty(document).unwrap_or_default());
        Self { json, text: Page::new(), exit, shape: Shape::Document, beside: Page::new() }
    }

    /// For a command line that another program answered, which ended with this code.
    pub fn elsewhere(code: u8) -> Self {
        let (json, text, beside) = (Json::Text(String::new()), Page::new(), Page::new());
        Self { json, text, exit: Exit::Done, shape: Shape::Elsewhere(code), beside }
    }

    /// The exit code of the program that answered in our place.
    pub fn code_elsewhere(&self) -> Option<u8> {
        match self.shape {
            Shape::Elsewhere(code) => Some(code),
            _ => None,
        }
    }

    /// With text that goes to standard error where the document is printed.
    pub fn beside(mut self, text: Page) -> Self {
        self.beside = text;
        self
    }

    /// Writes the document as JSON.
    pub fn write_json(&mut self, out: &mut dyn io::Write) -> io::Result<()> {
        match std::mem::replace(&mut self.json, Json::Text(String::new())) {
            Json::Text(text) => out.write_all(text.as_bytes()),
            Json::Written(write) => write(out),
        }
    }

    /// The text for people.
    pub fn text(&self) -> &Page {
        &self.text
    }

    /// What goes to standard error where the document is printed.
    pub fn text_beside(&self) -> &Page {
        &self.beside
    }

    /// The exit code.
    pub fn exit(&self) -> Exit {
        self.exit
    }

    /// Whether the text is that of a shut gate.
    pub fn is_refusal(&self) -> bool {
        self.exit == Exit::Refused && self.shape == Shape::Text
    }

    /// Whether it is printed as JSON whatever was asked.
    pub fn is_document(&self) -> bool {
        self.shape == Shape::Document
    }
}

/// With two spaces of indentation, as every published document has it.
fn json(document: &impl Document) -> String {
    serde_json::to_string_pretty(document).unwrap_or_default()
}
