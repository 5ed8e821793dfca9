//! The strings of a program's text, told apart by its tokens.

use std::sync::Arc;

use super::literal;
use super::scan::{BEFORE_REGEX, Scanner};

/// A string that stands as it is: a literal, or a template without anything to fill in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The string.
    pub value: String,
    /// The byte at which it begins, with its quote.
    pub at: usize,
    /// The key of an object whose whole value it is.
    pub key: Option<String>,
    /// Every key of that object that the text names, in its order; empty for a string under no key.
    pub beside: Arc<[String]>,
}

enum Token<'a> {
    Word(&'a str),
    /// The place among the strings.
    Text(usize),
    Mark(char),
}

/// The strings of a text in JavaScript, TypeScript or JSON, in its order.
///
/// Nothing is refused: what is no token of these languages, as the text between the tags of JSX, is passed over letter
/// by letter.
pub fn texts(text: &str) -> Vec<Text> {
    let (tokens, mut texts) = tokens(text);
    // The keys of each object that is open, and the strings under them.
    let mut open: Vec<(Vec<String>, Vec<usize>)> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Mark('{') => open.push(Default::default()),
            Token::Mark('}') => {
                let Some((keys, under)) = open.pop() else { continue };
                let keys: Arc<[String]> = keys.into();
                for text in under {
                    texts[text].beside = Arc::clone(&keys);
                }
            }
            _ => {}
        }
        let Some(object) = open.last_mut() else { continue };
        let Some(key) = key(&tokens, at, &texts) else { continue };
        object.0.push(key.clone());
        if let (Some(Token::Text(value)), Some(Token::Mark(',' | '}'))) =
            (tokens.get(at + 2), tokens.get(at + 3))
        {
            texts[*value].key = Some(key);
            object.1.push(*value);
        }
    }
    texts
}

/// The key that a token is: it follows `{` or `,` and stands before `:`, or alone.
fn key(tokens: &[Token<'_>], at: usize, texts: &[Text]) -> Option<String> {
    let before = tokens.get(at.checked_sub(1)?)?;
    let after = tokens.get(at + 1)?;
    if !matches!(before, Token::Mark('{' | ',')) {
        return None;
    }
    match (&tokens[at], after) {
        (Token::Word(word), Token::Mark(':' | ',' | '}')) => Some((*word).to_owned()),
        (Token::Text(text), Token::Mark(':')) => Some(texts[*text].value.clone()),
        _ => None,
    }
}

/// What a failed attempt at a token tells: there is none up to this byte, so that no text is gone over twice.
#[derive(Default)]
struct Barren {
    single: usize,
    double: usize,
    regex: usize,
}

struct Tokens<'a> {
    text: &'a str,
    scanner: Scanner<'a>,
    found: Vec<Token<'a>>,
    texts: Vec<Text>,
    barren: Barren,
    /// Open braces within each `${` of the templates that the scanner is in.
    nested: Vec<usize>,
    /// Whether a `/` here would divide: it stands after a value.
    after_value: bool,
}

fn tokens(text: &str) -> (Vec<Token<'_>>, Vec<Text>) {
    let scanner = Scanner::new(text);
    let (found, texts) = (Vec::new(), Vec::new());
    let mut tokens = Tokens {
        text,
        scanner,
        found,
        texts,
        barren: Barren::default(),
        nested: Vec::new(),
        after_value: false,
    };
    let last_comment = text.rfind("*/").unwrap_or(0);
    while let Some(letter) = tokens.scanner.peek() {
        let at = tokens.scanner.offset();
        let rest = &text[at..];
        if rest.starts_with("//") {
            tokens.scanner.go_to(tokens.line_end(at));
        } else if rest.starts_with("/*") && at + 2 <= last_comment {
            let end = rest[2..].find("*/").map_or(rest.len(), |end| end + 4);
            tokens.scanner.go_to(at + end);
        } else if letter.is_whitespace() {
            tokens.scanner.next();
        } else {
            tokens.take(letter);
        }
    }
    (tokens.found, tokens.texts)
}

impl Tokens<'_> {
    fn take(&mut self, letter: char) {
        if let Some(word) = self.scanner.word() {
            self.after_value = !BEFORE_REGEX.contains(&word);
            self.found.push(Token::Word(word));
            return;
        }
        let at = self.scanner.offset();
        match letter {
            '"' | '\'' => return self.string(letter, at),
            '`' => return self.template(at),
            '0'..='9' => {
                self.scanner.number();
                return self.value(Token::Mark('0'));
            }
            '/' if !self.after_value && at >= self.barren.regex => {
                if self.scanner.pass_regex().is_ok() {
                    return self.value(Token::Mark('/'));
                }
                self.barren.regex = self.line_end(at);
            }
            '{' => self.nested.iter_mut().last().into_iter().for_each(|open| *open += 1),
            '}' => match self.nested.last_mut() {
                Some(0) => {
                    self.nested.pop();
                    self.scanner.next();
                    self.rest_of_template();
                    return self.value(Token::Mark('`'));
                }
                Some(open) => *open -= 1,
                None => {}
            },
            _ => {}
        }
        self.mark(letter, at);
    }

    fn mark(&mut self, letter: char, at: usize) {
        self.scanner.go_to(at + letter.len_utf8());
        self.after_value = matches!(letter, ')' | ']');
        self.found.push(Token::Mark(letter));
    }

    fn value(&mut self, token: Token<'static>) {
        self.after_value = true;
        self.found.push(token);
    }

    fn text(&mut self, value: String, at: usize) {
        self.value(Token::Text(self.texts.len()));
        self.texts.push(Text { value, at, key: None, beside: Arc::default() });
    }

    fn string(&mut self, quote: char, at: usize) {
        let barren = if quote == '"' { &mut self.barren.double } else { &mut self.barren.single };
        if at >= *barren {
            if let Ok(value) = literal::string(&mut self.scanner, quote) {
                return self.text(value, at);
            }
            *barren = line_end(self.text, at);
        }
        self.mark(quote, at);
    }

    fn template(&mut self, at: usize) {
        self.scanner.next();
        match self.rest_of_template() {
            Part::Whole => {
                let inner = self.text[at + 1..self.scanner.offset() - 1].to_owned();
                self.text(inner, at);
            }
            Part::UpToValue => self.value(Token::Mark('`')),
            Part::Open => self.mark('`', at),
        }
    }

    /// Passes over the text of a template up to its end, or to what is filled in.
    fn rest_of_template(&mut self) -> Part {
        loop {
            match self.scanner.next() {
                None => return Part::Open,
                Some('`') => return Part::Whole,
                Some('\\') => {
                    self.scanner.next();
                }
                Some('$') if self.scanner.eat("{") => {
                    self.nested.push(0);
                    self.after_value = false;
                    return Part::UpToValue;
                }
                Some(_) => {}
            }
        }
    }

    fn line_end(&self, at: usize) -> usize {
        line_end(self.text, at)
    }
}

enum Part {
    Whole,
    UpToValue,
    Open,
}

fn line_end(text: &str, at: usize) -> usize {
    text[at..].find(['\n', '\r']).map_or(text.len(), |end| at + end)
}
