//! A word after its expansion, with what is not known about it.

use super::pattern::VISIBLE;

/// One stretch of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// These characters.
    Literal(String),
    /// A wildcard, as in a pattern.
    Glob(String),
    /// Any text.
    Unknown,
}

/// A word after its expansion.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Text {
    pieces: Vec<Piece>,
}

impl Text {
    /// A text that is known.
    pub fn literal(text: impl Into<String>) -> Self {
        Self { pieces: vec![Piece::Literal(text.into())] }
    }

    /// A text of which nothing is known.
    pub fn unknown() -> Self {
        Self { pieces: vec![Piece::Unknown] }
    }

    /// The stretches in order.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The text, where all of it is known.
    pub fn as_literal(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [Piece::Literal(text)] => Some(text),
            _ => None,
        }
    }

    /// Whether some of it is not known.
    pub fn has_unknown(&self) -> bool {
        self.pieces.contains(&Piece::Unknown)
    }

    /// What it certainly begins with.
    pub fn known_start(&self) -> &str {
        match self.pieces.first() {
            Some(Piece::Literal(text)) => text,
            _ => "",
        }
    }

    /// Whether a program may take it for an option.
    pub fn may_be_option(&self) -> bool {
        match self.pieces.first() {
            Some(Piece::Literal(text)) => text.starts_with('-'),
            Some(Piece::Glob(_) | Piece::Unknown) => true,
            None => false,
        }
    }

    /// What follows `count` bytes of its known start.
    pub fn skip(&self, count: usize) -> Self {
        let mut rest = self.clone();
        if let Some(Piece::Literal(text)) = rest.pieces.first_mut() {
            *text = text.get(count..).unwrap_or_default().to_owned();
            if text.is_empty() && rest.pieces.len() > 1 {
                rest.pieces.remove(0);
            }
        }
        rest
    }

    /// Adds characters that stand for themselves.
    pub fn push_literal(&mut self, text: &str) {
        if let Some(Piece::Literal(last)) = self.pieces.last_mut() {
            last.push_str(text);
        } else {
            self.pieces.push(Piece::Literal(text.to_owned()));
        }
    }

    /// Adds a stretch.
    pub fn push(&mut self, piece: Piece) {
        match piece {
            Piece::Literal(text) => self.push_literal(&text),
            Piece::Unknown if self.pieces.last() == Some(&Piece::Unknown) => {}
            Piece::Glob(glob) => match self.pieces.last_mut() {
                Some(Piece::Glob(last)) => last.push_str(&glob),
                _ => self.pieces.push(Piece::Glob(glob)),
            },
            Piece::Unknown => self.pieces.push(Piece::Unknown),
        }
    }

    /// Adds another text.
    pub fn append(&mut self, other: &Self) {
        for piece in &other.pieces {
            self.push(piece.clone());
        }
    }

    /// Adds text in which `*`, `?` and `[...]` are wildcards.
    pub fn push_globbing(&mut self, text: &str) {
        let mut rest = text;
        while let Some(at) = rest.find(['*', '?', '[']) {
            if at > 0 {
                self.push_literal(&rest[..at]);
            }
            let length = glob_length(&rest[at..]);
            if length == 0 {
                self.push_literal("[");
                rest = &rest[at + 1..];
            } else {
                self.push(Piece::Glob(rest[at..at + length].to_owned()));
                rest = &rest[at + length..];
            }
        }
        if !rest.is_empty() {
            self.push_literal(rest);
        }
    }

    /// The same text as a shell takes it for paths: a wildcard where a name begins takes no name that begins with a dot.
    pub fn without_dots(&self) -> Self {
        let mut marked = Self::default();
        for (at, piece) in self.pieces.iter().enumerate() {
            let begins_name = match at.checked_sub(1).map(|before| &self.pieces[before]) {
                None => true,
                Some(Piece::Literal(before)) => before.ends_with('/'),
                Some(_) => false,
            };
            match piece {
                Piece::Glob(glob) if begins_name && !glob.starts_with(VISIBLE) && !glob.starts_with("**") => {
                    marked.push(Piece::Glob(format!("{VISIBLE}{glob}")));
                }
                other => marked.push(other.clone()),
            }
        }
        marked
    }

    /// The same text in which nothing is a wildcard.
    pub fn without_globs(&self) -> Self {
        let mut plain = Self::default();
        for piece in &self.pieces {
            match piece {
                Piece::Glob(glob) => plain.push_literal(&glob.replace(VISIBLE, "")),
                other => plain.push(other.clone()),
            }
        }
        plain
    }

    /// The same text in which `*`, `?` and `[...]` are wildcards, wherever they stand.
    pub fn with_globs(&self) -> Self {
        let mut globbing = Self::default();
        for piece in &self.pieces {
            match piece {
                Piece::Literal(text) => globbing.push_globbing(text),
                Piece::Glob(glob) => globbing.push(Piece::Glob(glob.replace(VISIBLE, ""))),
                Piece::Unknown => globbing.push(Piece::Unknown),
            }
        }
        globbing
    }

    /// The last name of it as a path; none where it can't be told apart.
    pub fn file_name(&self) -> Option<Self> {
        let mut name = Self::default();
        for piece in self.pieces.iter().rev() {
            match piece {
                Piece::Literal(text) => {
                    let text = if name.pieces.is_empty() { text.trim_end_matches('/') } else { text };
                    if let Some(at) = text.rfind('/') {
                        let mut whole = Self::literal(&text[at + 1..]);
                        whole.append(&name);
                        return (!matches!(whole.as_literal(), Some("" | "." | ".."))).then_some(whole);
                    }
                    let mut whole = Self::literal(text);
                    whole.append(&name);
                    name = whole;
                }
                Piece::Glob(glob) => {
                    let mut whole = Self::default();
                    whole.push(Piece::Glob(glob.clone()));
                    whole.append(&name);
                    name = whole;
                }
                Piece::Unknown => return None,
            }
        }
        (!matches!(name.as_literal(), Some("" | "." | ".."))).then_some(name)
    }

    /// `self/name`.
    pub fn join(&self, name: &Self) -> Self {
        let mut joined = self.clone();
        joined.push_literal("/");
        joined.append(name);
        joined
    }

    /// How a person reads it.
    pub fn show(&self) -> String {
        let pieces = self.pieces.iter().map(|piece| match piece {
            Piece::Literal(text) | Piece::Glob(text) => text.as_str(),
            Piece::Unknown => "…",
        });
        pieces.collect::<String>().replace(VISIBLE, "")
    }
}

/// How many bytes the wildcard at the beginning of `text` takes; none where it is a bracket alone.
fn glob_length(text: &str) -> usize {
    if !text.starts_with('[') {
        return 1;
    }
    let skipped = if text[1..].starts_with(['!', '^']) { 2 } else { 1 };
    // A bracket right at the beginning belongs to the class, and so do those of a named class.
    let first = text[skipped..].chars().next().map_or(0, char::len_utf8);
    let from = skipped + first;
    let from = if text[skipped..].starts_with("[:") { skipped } else { from };
    let bytes = text.as_bytes();
    let mut at = from;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b']' => return at + 1,
            b'/' => return 0,
            b'[' if bytes.get(at + 1) == Some(&b':') => {
                let Some(end) = text[at..].find(":]") else {
                    return 0;
                };
                at += end + 2;
            }
            _ => at += 1,
        }
    }
    0
}
