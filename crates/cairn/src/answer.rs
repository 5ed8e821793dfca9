//! What a command answers: a document, its text for people, and the exit code.

use gate::Exit;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

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
    document: Value,
    text: Page,
    exit: Exit,
}

impl Answer {
    /// From a document.
    pub fn of(document: &impl Document) -> Self {
        let mut text = Page::new();
        document.render(&mut text);
        Self { document: serde_json::to_value(document).unwrap_or_default(), text, exit: document.exit() }
    }

    /// The document as a JSON value.
    pub fn document(&self) -> &Value {
        &self.document
    }

    /// The text for people.
    pub fn text(&self) -> &Page {
        &self.text
    }

    /// The exit code.
    pub fn exit(&self) -> Exit {
        self.exit
    }

    /// Whether the text is that of a shut gate.
    pub fn is_refusal(&self) -> bool {
        self.exit == Exit::Refused
    }
}
