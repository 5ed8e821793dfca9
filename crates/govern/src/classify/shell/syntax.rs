//! Reading a script into its syntax tree, within bounds.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use brush_parser::ast::Program;
use brush_parser::{ParserOptions, SourceSpan, Token, parse_tokens, uncached_tokenize_str};

use super::Unclear;

/// The longest script that is read, in bytes.
pub const LONGEST: usize = 256 * 1024;
/// How many constructs may lie within each other.
const DEEPEST: usize = 48;
/// How many openings of any kind a script may hold: each may lie within the one before.
const MOST_OPENINGS: usize = 12_000;
/// The openings for which the stack of any thread is enough.
const FEW_OPENINGS: usize = 32;
/// The stack that the parser takes for one opening, in bytes.
const STACK_PER_OPENING: usize = 16 * 1024;
/// How many bytes of a word are looked at for an array index, whose reading takes exponential time.
const MOST_IN_INDEX: usize = 24;

/// The stack with which a script can be read that is too nested for the stack of any thread, and how many openings
/// may then be in it; none where any stack will do.
pub fn stack_for(script: &str) -> Option<(usize, usize)> {
    let openings = openings(script).min(MOST_OPENINGS);
    (openings > FEW_OPENINGS).then(|| (STACK_PER_OPENING * (openings + 256), openings))
}

/// The scripts that were read, each once.
#[derive(Default)]
pub struct Programs {
    read: HashMap<String, Rc<Program>>,
}

impl Programs {
    /// The syntax tree of `script`.
    pub fn program(&mut self, script: &str, most_openings: usize) -> Result<Rc<Program>, Unclear> {
        if let Some(program) = self.read.get(script) {
            return Ok(Rc::clone(program));
        }
        let program = Rc::new(read(script, most_openings)?);
        self.read.insert(script.to_owned(), Rc::clone(&program));
        Ok(program)
    }
}

/// The syntax tree of `script`, which may hold so many openings.
fn read(script: &str, most_openings: usize) -> Result<Program, Unclear> {
    if script.len() > LONGEST {
        return Err(Unclear::new("the command is too long").hint("write long content with a file tool"));
    }
    if script.contains('\0') {
        return Err(Unclear::new("the command holds a NUL character"));
    }
    if openings(script) > most_openings.max(FEW_OPENINGS) {
        return Err(too_deep());
    }
    // The parser unwraps numbers that are too long for it.
    let options = ParserOptions::default();
    let attempt = AssertUnwindSafe(|| {
        let tokens = uncached_tokenize_str(script, &options.tokenizer_options())
            .map_err(|_| Unclear::new("a quote, substitution or here-document is not closed"))?;
        check(&tokens)?;
        parse_tokens(&tokens, &options).map_err(|error| Unclear::new(place(&error)))
    });
    catch_unwind(attempt).unwrap_or_else(|_| Err(Unclear::new("the shell syntax is not understood")))
}

fn place(error: &brush_parser::ParseError) -> String {
    match error {
        brush_parser::ParseError::ParsingNear(location) => {
            format!("the shell syntax is not understood at {location}")
        }
        brush_parser::ParseError::ParsingAtEndOfInput => {
            "the command ends in the middle of its syntax".to_owned()
        }
        brush_parser::ParseError::Tokenizing { .. } => "the shell syntax is not understood".to_owned(),
    }
}

fn too_deep() -> Unclear {
    Unclear::new("the command is nested too deep").hint("split the command into several calls")
}

/// How many constructs may be open at once: both parsers of words and of commands call themselves for each.
fn openings(script: &str) -> usize {
    let signs = script.bytes().filter(|byte| matches!(byte, b'(' | b'{' | b'[' | b'`')).count();
    let is_end = |letter: char| letter.is_whitespace() || matches!(letter, ';' | '&' | '|' | '(' | ')');
    let opens =
        |word: &&str| matches!(*word, "if" | "while" | "until" | "for" | "case" | "coproc" | "function");
    signs + script.split(is_end).filter(opens).count()
}

/// Refuses tokens on which the parser would go too deep, take too long, or panic.
fn check(tokens: &[Token]) -> Result<(), Unclear> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Operator(operator, _) => match operator.as_str() {
                "(" => depth += 1,
                ")" => depth = depth.saturating_sub(1),
                _ => {}
            },
            Token::Word(word, span) => match word.as_str() {
                "{" | "if" | "while" | "until" | "for" | "case" | "select" | "[[" | "coproc" | "function"
                | "time" => {
                    depth += 1;
                }
                "}" | "fi" | "done" | "esac" | "]]" => depth = depth.saturating_sub(1),
                word => check_word(word, span, tokens.get(at + 1))?,
            },
        }
        if depth > DEEPEST {
            return Err(too_deep());
        }
    }
    Ok(())
}

fn check_word(word: &str, span: &SourceSpan, next: Option<&Token>) -> Result<(), Unclear> {
    let is_number = word.len() > 6 && word.bytes().all(|byte| byte.is_ascii_digit());
    // With a blank between them the number is a word.
    let is_redirected = matches!(next, Some(Token::Operator(operator, other))
        if operator.starts_with(['<', '>']) && span.end.index == other.start.index);
    if is_number && is_redirected {
        return Err(Unclear::new("the number of a file descriptor is too long"));
    }
    let name = word.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    if name > 0 && word[name..].starts_with('[') {
        let special = word.bytes().filter(|byte| b"$`\"'({[\\".contains(byte)).count();
        if special > MOST_IN_INDEX {
            return Err(Unclear::new("an array index is too involved"));
        }
    }
    Ok(())
}
