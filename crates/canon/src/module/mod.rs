//! Data in a JavaScript module, read without running any of it.
//!
//! A kind file says `export const recordKind = { ... };`. Its value is read when it is a literal: objects with bare or
//! quoted keys, arrays, strings, numbers, `true`, `false` and `null`, with comments and trailing commas. Whatever else
//! the module holds is passed over by its tokens alone; a value that would have to be computed is refused.
//!
//! [`texts`] lists the strings of any such text, JSON and TypeScript too, with the keys that they stand under.

mod literal;
mod scan;
mod strings;

use std::fmt;

use serde_json::Value;

pub use strings::{Text, texts};

use scan::Scanner;

/// Why an export can't be read, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What stands there, as in "a template string is no plain data".
    pub what: String,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at line {}, column {}", self.what, self.line, self.column)
    }
}

impl std::error::Error for Damage {}

/// The value of `export const <name> = <literal>`; none where the module exports no such constant.
///
/// # Errors
/// The text is no module that can be told apart into tokens, or the value is more than a literal.
pub fn export(text: &str, name: &str) -> Result<Option<Value>, Damage> {
    let mut scanner = Scanner::new(text);
    let found = match scanner.find_export(name) {
        Ok(found) => found,
        Err(fault) => return Err(scanner.damage(fault)),
    };
    if !found {
        return Ok(None);
    }
    literal::value(&mut scanner).map(Some).map_err(|fault| scanner.damage(fault))
}

#[cfg(test)]
mod tests;
