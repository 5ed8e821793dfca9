//! The tokens of a module, as far as passing over them needs.

use super::Damage;

/// What is wrong, and at which byte.
pub(super) struct Fault {
    at: usize,
    what: String,
}

pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

/// Words after which a `/` begins a regular expression and does not divide.
pub(super) const BEFORE_REGEX: [&str; 14] = [
    "return",
    "typeof",
    "case",
    "do",
    "else",
    "in",
    "of",
    "void",
    "delete",
    "throw",
    "new",
    "instanceof",
    "yield",
    "await",
];

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { text, at }
    }

    pub(super) fn fault<T>(&self, what: impl Into<String>) -> Result<T, Fault> {
        Err(Fault { at: self.at, what: what.into() })
    }

    pub(super) fn damage(&self, fault: Fault) -> Damage {
        let before = &self.text[..fault.at.min(self.text.len())];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Damage {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            what: fault.what,
        }
    }

    /// The byte that comes next.
    pub(super) fn offset(&self) -> usize {
        self.at
    }

    /// Moves to a byte, which begins a letter.
    pub(super) fn go_to(&mut self, offset: usize) {
        self.at = offset;
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let letter = self.peek()?;
        self.at += letter.len_utf8();
        Some(letter)
    }

    /// Moves past `token` if it comes next.
    pub(super) fn eat(&mut self, token: &str) -> bool {
        let eaten = self.text[self.at..].starts_with(token);
        if eaten {
            self.at += token.len();
        }
        eaten
    }

    /// An identifier or keyword, if one comes next.
    pub(super) fn word(&mut self) -> Option<&'a str> {
        let rest = &self.text[self.at..];
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
        let end = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        if end == 0 || rest.starts_with(|letter: char| letter.is_ascii_digit()) {
            return None;
        }
        self.at += end;
        Some(&rest[..end])
    }

    /// The number literal that comes next, by its letters.
    pub(super) fn number(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let mut end = 0;
        let mut before = ' ';
        for letter in rest.chars() {
            let sign = matches!(letter, '+' | '-') && matches!(before, 'e' | 'E') && !rest.starts_with("0x");
            if !(letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_') || sign) {
                break;
            }
            end += letter.len_utf8();
            before = letter;
        }
        self.at += end;
        &rest[..end]
    }

    /// Moves past white space and comments; whether a line ended on the way.
    pub(super) fn skip_blank(&mut self) -> Result<bool, Fault> {
        let mut line_ended = false;
        loop {
            let rest = &self.text[self.at..];
            if rest.starts_with("//") {
                self.at += rest.find(['\n', '\r']).unwrap_or(rest.len());
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let Some(end) = comment.find("*/") else { return self.fault("a comment does not end") };
                line_ended |= comment[..end].contains('\n');
                self.at += end + 4;
            } else {
                match self.peek() {
                    Some(letter) if letter.is_whitespace() || letter == '\u{feff}' => {
                        line_ended |= matches!(letter, '\n' | '\r' | '\u{2028}' | '\u{2029}');
                        self.next();
                    }
                    _ => return Ok(line_ended),
                }
            }
        }
    }

    /// Moves to just after the `=` of `export const <name> =` at the top of the module.
    pub(super) fn find_export(&mut self, name: &str) -> Result<bool, Fault> {
        let mut depth = Vec::new();
        // Whether a `/` here would divide: it stands after a value.
        let mut after_value = false;
        loop {
            self.skip_blank()?;
            let at_top = depth.is_empty();
            if let Some(word) = self.word() {
                if at_top && word == "export" && self.is_export_of(name)? {
                    return Ok(true);
                }
                after_value = !BEFORE_REGEX.contains(&word);
                continue;
            }
            let Some(letter) = self.peek() else { break };
            match letter {
                '"' | '\'' => {
                    self.pass_string(letter)?;
                    after_value = true;
                }
                '`' => {
                    self.pass_template()?;
                    after_value = true;
                }
                '/' if !after_value => {
                    self.pass_regex()?;
                    after_value = true;
                }
                '0'..='9' => {
                    self.number();
                    after_value = true;
                }
                '(' | '[' | '{' => {
                    self.next();
                    depth.push(letter);
                    after_value = false;
                }
                ')' | ']' | '}' => {
                    let open = depth.pop();
                    if !matches!((open, letter), (Some('('), ')') | (Some('['), ']') | (Some('{'), '}')) {
                        return self.fault(format!("`{letter}` closes nothing"));
                    }
                    self.next();
                    // After a block a `/` begins a regular expression, after an object it divides; the first is what
                    // occurs.
                    after_value = letter != '}';
                }
                _ => {
                    self.next();
                    after_value = false;
                }
            }
        }
        match depth.last() {
            Some(open) => self.fault(format!("`{open}` is not closed")),
            None => Ok(false),
        }
    }

    /// After `export`: whether `const <name> =` follows. If not, the scanner stays.
    fn is_export_of(&mut self, name: &str) -> Result<bool, Fault> {
        let start = self.at;
        self.skip_blank()?;
        if matches!(self.word(), Some("const" | "let" | "var")) {
            self.skip_blank()?;
            if self.word() == Some(name) {
                self.skip_blank()?;
                if self.eat("=") {
                    return Ok(true);
                }
            }
        }
        self.at = start;
        Ok(false)
    }

    fn pass_string(&mut self, quote: char) -> Result<(), Fault> {
        let start = self.at;
        self.next();
        loop {
            match self.next() {
                Some('\\') => {
                    self.next();
                }
                Some(letter) if letter == quote => return Ok(()),
                Some('\n' | '\r') | None => {
                    self.at = start;
                    return self.fault("a string does not end on its line");
                }
                Some(_) => {}
            }
        }
    }

    /// A template with all that is nested in its `${...}`.
    fn pass_template(&mut self) -> Result<(), Fault> {
        let start = self.at;
        self.next();
        // Open braces within each `${` that we are in.
        let mut nested: Vec<usize> = Vec::new();
        let mut in_text = true;
        loop {
            let Some(letter) = self.peek() else {
                self.at = start;
                return self.fault("a template string does not end");
            };
            if in_text {
                self.next();
                match letter {
                    '\\' => {
                        self.next();
                    }
                    '`' if nested.is_empty() => return Ok(()),
                    '`' => in_text = false,
                    '$' if self.eat("{") => {
                        nested.push(0);
                        in_text = false;
                    }
                    _ => {}
                }
                continue;
            }
            match letter {
                '"' | '\'' => self.pass_string(letter)?,
                '/' if self.text[self.at..].starts_with("//") || self.text[self.at..].starts_with("/*") => {
                    self.skip_blank()?;
                }
                _ => {
                    self.next();
                    match (letter, nested.last_mut()) {
                        ('`', _) => in_text = true,
                        ('{', Some(open)) => *open += 1,
                        ('}', Some(0)) => {
                            nested.pop();
                            in_text = true;
                        }
                        ('}', Some(open)) => *open -= 1,
                        _ => {}
                    }
                }
            }
        }
    }

    pub(super) fn pass_regex(&mut self) -> Result<(), Fault> {
        let start = self.at;
        self.next();
        let mut in_class = false;
        loop {
            match self.next() {
                Some('\\') => {
                    self.next();
                }
                Some('[') => in_class = true,
                Some(']') => in_class = false,
                Some('/') if !in_class => return Ok(()),
                Some('\n' | '\r') | None => {
                    self.at = start;
                    return self.fault("a regular expression does not end on its line");
                }
                Some(_) => {}
            }
        }
    }
}
