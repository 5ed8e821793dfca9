//! How a JSON text is laid out, so that what is added to it looks as if it had always been there.

use crate::json::{compact, pretty};

use serde_json::Value;

/// How values are laid out at one place of a text.
#[derive(Clone)]
pub struct Layout {
    /// The line end in use; none where everything stands on one line.
    pub newline: Option<&'static str>,
    /// What stands in front of a line of the same container.
    pub indent: String,
    unit: String,
    /// Whether a space follows the colon where everything stands on one line.
    spaced: bool,
}

impl Layout {
    /// The layout of the line of `text` in which `at` stands.
    pub fn at(text: &str, at: usize) -> Self {
        let newline = text.find('\n').map(|n| if text[..n].ends_with('\r') { "\r\n" } else { "\n" });
        let spaced = text.contains("\": ");
        let line = text[..at].rfind('\n').map(|n| &text[n + 1..at]);
        // On the first line of a text cut out of a document, the indentation is that of the closing bracket.
        let line = line.or_else(|| text.rfind('\n').map(|n| &text[n + 1..])).unwrap_or("");
        Self { newline, indent: blank_start(line).to_owned(), unit: unit(text), spaced }
    }

    /// The layout of the parts of a container, seen from what stands before its first part.
    pub fn inside(&self, before_first: &str) -> Self {
        match before_first.rfind('\n') {
            Some(n) => Self { indent: blank_start(&before_first[n + 1..]).to_owned(), ..self.clone() },
            None => Self { newline: None, ..self.clone() },
        }
    }

    pub fn deeper(&self) -> Self {
        Self { indent: format!("{}{}", self.indent, self.unit), ..self.clone() }
    }

    /// What stands between a comma or an opening bracket and a part.
    pub fn before(&self, first: bool) -> String {
        match self.newline {
            Some(newline) => format!("{newline}{}", self.indent),
            None if self.spaced && !first => " ".to_owned(),
            None => String::new(),
        }
    }

    pub fn colon(&self) -> &'static str {
        if self.newline.is_some() || self.spaced { ": " } else { ":" }
    }

    pub fn write(&self, value: &Value) -> String {
        let Some(newline) = self.newline else { return compact(value) };
        // No JSON string holds a line break, so each one here is layout.
        let mut text = String::new();
        for (index, line) in pretty(value).split('\n').enumerate() {
            if index > 0 {
                let inner = line.trim_start_matches(' ');
                let depth = (line.len() - inner.len()) / 2;
                text.push_str(newline);
                text.push_str(&self.indent);
                text.push_str(&self.unit.repeat(depth));
                text.push_str(inner);
            } else {
                text.push_str(line);
            }
        }
        text
    }
}

/// One step of indentation: what the first line that is indented has more than the end of the document.
fn unit(text: &str) -> String {
    let lines = || text.split('\n').skip(1).filter(|line| !line.trim().is_empty());
    let last = lines().last().map_or("", blank_start);
    let is_comment = |line: &&str| line.trim_start().starts_with('*');
    let deeper =
        |line: &str| blank_start(line).strip_prefix(last).filter(|unit| !unit.is_empty()).map(str::to_owned);
    lines().filter(|line| !is_comment(line)).find_map(deeper).unwrap_or_else(|| "  ".to_owned())
}

fn blank_start(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}
