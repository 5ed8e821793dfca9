//! Replacements in a text, collected from its tree and made at the end.

use std::cmp::Reverse;
use std::ops::Range;

use tree_sitter::Node;

pub(super) struct Edits<'text> {
    text: &'text str,
    pending: Vec<(Range<usize>, String)>,
}

impl<'text> Edits<'text> {
    pub(super) fn new(text: &'text str) -> Self {
        Self { text, pending: Vec::new() }
    }

    /// Puts `replacement` where `node` stands.
    pub(super) fn replace(&mut self, node: Node, replacement: impl Into<String>) {
        self.pending.push((node.byte_range(), replacement.into()));
    }

    pub(super) fn insert(&mut self, at: usize, addition: impl Into<String>) {
        self.pending.push((at..at, addition.into()));
    }

    /// The line end that the text uses.
    pub(super) fn line_end(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }

    /// The text with all replacements made. One inside another is dropped with the text that held it.
    pub(super) fn apply(mut self) -> String {
        self.pending.sort_by_key(|(range, _)| (range.start, Reverse(range.end)));
        let mut changed = String::with_capacity(self.text.len());
        let mut done = 0;
        for (range, replacement) in &self.pending {
            if range.start < done {
                continue;
            }
            push_apart(&mut changed, self.text.get(done..range.start).unwrap_or_default());
            push_apart(&mut changed, replacement);
            done = range.end;
        }
        push_apart(&mut changed, self.text.get(done..).unwrap_or_default());
        changed
    }
}

/// Adds `next` so that it makes no new word with what is there: without blanks, `var{a}=b` becomes `var a`.
fn push_apart(text: &mut String, next: &str) {
    let is_word = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$');
    if text.ends_with(is_word) && next.starts_with(is_word) {
        text.push(' ');
    }
    text.push_str(next);
}
