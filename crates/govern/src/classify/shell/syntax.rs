//! Reading a script into its syntax tree, within bounds.

use std::panic::{AssertUnwindSafe, catch_unwind};

use brush_parser::ast::Program;
use brush_parser::{ParserOptions, Token, parse_tokens, uncached_tokenize_str};

use super::Unclear;

/// The longest script that is read, in bytes.
pub const LONGEST: usize = 256 * 1024;
/// How many constructs may lie within each other.
const DEEPEST: usize = 48;
/// How many substitutions and groups a script may hold: each may lie within the one before.
const MOST_OPENINGS: usize = 400;
/// How many bytes of a word are looked at for an array index, whose reading takes exponential time.
const MOST_IN_INDEX: usize = 24;

/// The syntax tree of `script`.
pub fn read(script: &str) -> Result<Program, Unclear> {
    if script.len() > LONGEST {
        return Err(Unclear::new("the command is too long").hint("write long content with a file tool"));
    }
    if script.contains('\0') {
        return Err(Unclear::new("the command holds a NUL character"));
    }
    if openings(script) > MOST_OPENINGS {
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

/// How many constructs may be open at once: the tokenizer calls itself for each.
fn openings(script: &str) -> usize {
    let bytes = script.as_bytes();
    let opens = |pair: &&[u8]| match pair {
        [b'$', second] => matches!(second, b'(' | b'{' | b'['),
        [b'<' | b'>' | b'@' | b'!' | b'?' | b'+' | b'*', second] => *second == b'(',
        _ => false,
    };
    let pairs = bytes.windows(2).filter(opens);
    pairs.count() + bytes.iter().filter(|&&byte| byte == b'`').count() / 2
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
            Token::Word(word, _) => match word.as_str() {
                "{" | "if" | "while" | "until" | "for" | "case" | "select" | "[[" | "coproc" | "function"
                | "time" => {
                    depth += 1;
                }
                "}" | "fi" | "done" | "esac" | "]]" => depth = depth.saturating_sub(1),
                word => check_word(word, tokens.get(at + 1))?,
            },
        }
        if depth > DEEPEST {
            return Err(too_deep());
        }
    }
    // Closing words may stand where they close nothing, so the count above is not the depth.
    let openers = tokens.iter().filter(|token| opens_group(token)).count();
    if openers > MOST_OPENINGS { Err(too_deep()) } else { Ok(()) }
}

fn opens_group(token: &Token) -> bool {
    match token {
        Token::Operator(operator, _) => operator == "(",
        Token::Word(word, _) => {
            matches!(
                word.as_str(),
                "{" | "if" | "while" | "until" | "for" | "case" | "[[" | "coproc" | "function"
            )
        }
    }
}

fn check_word(word: &str, next: Option<&Token>) -> Result<(), Unclear> {
    let is_number = word.len() > 6 && word.bytes().all(|byte| byte.is_ascii_digit());
    if is_number && matches!(next, Some(Token::Operator(operator, _)) if operator.starts_with(['<', '>'])) {
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
