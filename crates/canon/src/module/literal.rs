//! A literal: data that needs no computing.

use serde_json::{Map, Number, Value};

use super::scan::{Fault, Scanner};

/// How deep objects and arrays may be nested.
const DEPTH: usize = 64;

/// The literal that comes next, up to the end of its statement.
pub(super) fn value(scanner: &mut Scanner) -> Result<Value, Fault> {
    scanner.skip_blank()?;
    let value = any(scanner, 0)?;
    let line_ended = scanner.skip_blank()?;
    match scanner.peek() {
        None | Some(';') => Ok(value),
        Some(letter)
            if line_ended && (letter.is_alphanumeric() || matches!(letter, '_' | '$' | '@' | '"' | '\'')) =>
        {
            Ok(value)
        }
        Some(letter) => {
            scanner.fault(format!("`{letter}` follows the value, so it is computed and no plain data"))
        }
    }
}

fn any(scanner: &mut Scanner, depth: usize) -> Result<Value, Fault> {
    if depth > DEPTH {
        return scanner.fault(format!("the value is nested deeper than {DEPTH} levels"));
    }
    match scanner.peek() {
        Some('{') => object(scanner, depth),
        Some('[') => array(scanner, depth),
        Some(quote @ ('"' | '\'')) => string(scanner, quote).map(Value::String),
        Some('0'..='9' | '.' | '-' | '+') => number(scanner),
        Some('`') => scanner.fault("a template string is no plain data"),
        Some(letter) => match scanner.word() {
            Some("true") => Ok(Value::Bool(true)),
            Some("false") => Ok(Value::Bool(false)),
            Some("null") => Ok(Value::Null),
            Some(word) => scanner.fault(format!("`{word}` would have to be computed and is no plain data")),
            None => scanner.fault(format!("`{letter}` begins no value")),
        },
        None => scanner.fault("the value is missing"),
    }
}

fn object(scanner: &mut Scanner, depth: usize) -> Result<Value, Fault> {
    scanner.next();
    let mut map = Map::new();
    loop {
        scanner.skip_blank()?;
        if scanner.eat("}") {
            return Ok(Value::Object(map));
        }
        let key = match scanner.peek() {
            Some(quote @ ('"' | '\'')) => string(scanner, quote)?,
            Some('.') => return scanner.fault("a spread is no plain data"),
            Some('[') => return scanner.fault("a computed key is no plain data"),
            _ => match scanner.word() {
                Some(word) => word.to_owned(),
                None => return scanner.fault("a key is expected"),
            },
        };
        if key == "__proto__" {
            return scanner.fault("`__proto__` is no field");
        }
        scanner.skip_blank()?;
        if !scanner.eat(":") {
            return scanner.fault(format!("`:` is expected after the key `{key}`"));
        }
        scanner.skip_blank()?;
        if map.contains_key(&key) {
            return scanner.fault(format!("the key `{key}` repeats"));
        }
        let value = any(scanner, depth + 1)?;
        map.insert(key, value);
        separator(scanner, '}')?;
    }
}

fn array(scanner: &mut Scanner, depth: usize) -> Result<Value, Fault> {
    scanner.next();
    let mut items = Vec::new();
    loop {
        scanner.skip_blank()?;
        if scanner.eat("]") {
            return Ok(Value::Array(items));
        }
        items.push(any(scanner, depth + 1)?);
        separator(scanner, ']')?;
    }
}

/// A comma, or the end that is left for the caller.
fn separator(scanner: &mut Scanner, end: char) -> Result<(), Fault> {
    scanner.skip_blank()?;
    if scanner.eat(",") || scanner.peek() == Some(end) {
        return Ok(());
    }
    scanner.fault(format!("`,` or `{end}` is expected"))
}

/// The string that comes next, quoted by `quote`.
pub(super) fn string(scanner: &mut Scanner, quote: char) -> Result<String, Fault> {
    scanner.next();
    let mut units: Vec<u16> = Vec::new();
    let mut text = String::new();
    let flush = |units: &mut Vec<u16>, text: &mut String| {
        // Halves of a character that stand alone can't be kept in UTF-8.
        text.push_str(&String::from_utf16_lossy(units));
        units.clear();
    };
    loop {
        let letter = match scanner.next() {
            None | Some('\n' | '\r') => return scanner.fault("a string does not end on its line"),
            Some(letter) if letter == quote => {
                flush(&mut units, &mut text);
                return Ok(text);
            }
            Some('\\') => match escape(scanner)? {
                Escaped::Unit(unit) => {
                    units.push(unit);
                    continue;
                }
                Escaped::Letter(letter) => letter,
                Escaped::Nothing => continue,
            },
            Some(letter) => letter,
        };
        flush(&mut units, &mut text);
        text.push(letter);
    }
}

enum Escaped {
    Letter(char),
    /// One half of a character perhaps.
    Unit(u16),
    /// A line that goes on.
    Nothing,
}

fn escape(scanner: &mut Scanner) -> Result<Escaped, Fault> {
    let Some(letter) = scanner.next() else { return scanner.fault("a string does not end") };
    Ok(match letter {
        'n' => Escaped::Letter('\n'),
        't' => Escaped::Letter('\t'),
        'r' => Escaped::Letter('\r'),
        'b' => Escaped::Letter('\u{8}'),
        'f' => Escaped::Letter('\u{c}'),
        'v' => Escaped::Letter('\u{b}'),
        '0' if !scanner.peek().is_some_and(|next| next.is_ascii_digit()) => Escaped::Letter('\0'),
        '0'..='9' => return scanner.fault("modules know no octal escapes"),
        'x' => Escaped::Unit(hex(scanner, 2)?),
        'u' if scanner.eat("{") => {
            let mut value = 0;
            loop {
                match scanner.next() {
                    Some('}') => break,
                    Some(digit) if digit.is_ascii_hexdigit() && value <= 0x0010_ffff => {
                        value = value * 16 + digit.to_digit(16).unwrap_or_default();
                    }
                    _ => return scanner.fault("`\\u{...}` needs hex digits"),
                }
            }
            match char::from_u32(value) {
                Some(letter) => Escaped::Letter(letter),
                None => return scanner.fault("`\\u{...}` names no character"),
            }
        }
        'u' => Escaped::Unit(hex(scanner, 4)?),
        '\r' => {
            scanner.eat("\n");
            Escaped::Nothing
        }
        '\n' | '\u{2028}' | '\u{2029}' => Escaped::Nothing,
        other => Escaped::Letter(other),
    })
}

fn hex(scanner: &mut Scanner, digits: usize) -> Result<u16, Fault> {
    let mut value = 0;
    for _ in 0..digits {
        match scanner.next().and_then(|digit| digit.to_digit(16)).and_then(|digit| u16::try_from(digit).ok())
        {
            Some(digit) => value = value * 16 + digit,
            None => return scanner.fault(format!("an escape needs {digits} hex digits")),
        }
    }
    Ok(value)
}

fn number(scanner: &mut Scanner) -> Result<Value, Fault> {
    let negative = scanner.eat("-");
    if !negative {
        scanner.eat("+");
    }
    let text = scanner.number();
    let radix = |prefix: [&str; 2], radix| {
        prefix
            .iter()
            .find_map(|prefix| text.strip_prefix(prefix))
            .map(|digits| i64::from_str_radix(digits, radix))
    };
    let whole = radix(["0x", "0X"], 16).or_else(|| radix(["0o", "0O"], 8)).or_else(|| radix(["0b", "0B"], 2));
    let parsed = match whole {
        Some(whole) => whole.ok().map(Number::from),
        None if text.starts_with('0') && text[1..].starts_with(|next: char| next.is_ascii_digit()) => None,
        None => text.parse::<i64>().ok().map(Number::from).or_else(|| {
            let real = text.parse::<f64>().ok().filter(|_| !text.contains('_'))?;
            Number::from_f64(real)
        }),
    };
    let parsed = if negative { parsed.and_then(|number| negated(&number)) } else { parsed };
    match parsed {
        Some(number) => Ok(Value::Number(number)),
        None => scanner.fault(format!("`{text}` is no number that JSON has")),
    }
}

fn negated(number: &Number) -> Option<Number> {
    match number.as_i64() {
        Some(whole) => whole.checked_neg().map(Number::from),
        None => number.as_f64().and_then(|real| Number::from_f64(-real)),
    }
}
