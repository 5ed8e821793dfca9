//! Plain string literals.

use tree_sitter::Node;

use crate::source::syntax::{Descend, line_of, text_of, walk};

/// A string literal of a source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal {
    /// What the literal says, simple escapes undone.
    pub text: String,
    /// Line where it starts, counted from one.
    pub line: usize,
}

/// A quoted string longer than this, in bytes, is no name of anything; the bound also keeps a line of
/// unclosed quotes from costing its length squared.
const MAX_QUOTED: usize = 4096;

pub(super) fn of_tree(root: Node, text: &str) -> Vec<Literal> {
    let mut found = Vec::new();
    walk(root, |node| {
        if let Some(content) = plain_content(node, text) {
            found.push(Literal { text: content, line: line_of(node) });
        }
        Descend::Into
    });
    found
}

/// What the string literal `node` says; `None` for other nodes and for strings that a value is put into.
pub(super) fn plain_content(node: Node, text: &str) -> Option<String> {
    let raw = match node.kind() {
        "raw_string_literal" => true,
        "string_literal" | "interpreted_string_literal" | "template_string" | "string" => false,
        _ => return None,
    };
    let mut cursor = node.walk();
    let mut parts = node.children(&mut cursor);
    let first = parts.next()?;
    if first.kind() == "string_content" {
        return Some(text_of(first, text).to_owned());
    }
    let mut last = first;
    for part in parts {
        if matches!(part.kind(), "interpolation" | "template_substitution") {
            return None;
        }
        last = part;
    }
    let content = text.get(first.end_byte()..last.start_byte())?;
    // Python marks a raw string in its opening quote.
    let raw = raw || text_of(first, text).contains(['r', 'R']);
    Some(if raw { content.to_owned() } else { undo_escapes(content) })
}

pub(super) fn between_quotes(text: &str) -> Vec<Literal> {
    let mut found = Vec::new();
    for (row, line) in text.lines().enumerate() {
        let bytes = line.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let quote = bytes[at];
            at += 1;
            if !matches!(quote, b'"' | b'\'' | b'`') {
                continue;
            }
            if let Some(end) = closing_quote(bytes, at, quote) {
                if let Some(content) = line.get(at..end) {
                    found.push(Literal { text: undo_escapes(content), line: row + 1 });
                }
                at = end + 1;
            }
        }
    }
    found
}

fn closing_quote(bytes: &[u8], start: usize, quote: u8) -> Option<usize> {
    let mut at = start;
    while at < bytes.len().min(start + MAX_QUOTED) {
        match bytes[at] {
            b'\\' => at += 2,
            byte if byte == quote => return Some(at),
            _ => at += 1,
        }
    }
    None
}

/// Undoes the escapes of one character that all languages share; others stay as they are written.
fn undo_escapes(content: &str) -> String {
    if !content.contains('\\') {
        return content.to_owned();
    }
    let mut plain = String::with_capacity(content.len());
    let mut characters = content.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            plain.push(character);
            continue;
        }
        match characters.next() {
            Some('n') => plain.push('\n'),
            Some('t') => plain.push('\t'),
            Some('r') => plain.push('\r'),
            Some(escaped @ ('\\' | '"' | '\'' | '`' | '/')) => plain.push(escaped),
            Some(other) => plain.extend(['\\', other]),
            None => plain.push('\\'),
        }
    }
    plain
}
