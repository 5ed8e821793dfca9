//! What a plain scalar of YAML means under its JSON schema, as the js-yaml library reads it.

use serde_json::Value;

use crate::json;

/// What a plain scalar turned out to be.
pub(super) enum Plain {
    /// Null, a boolean or a finite number.
    Value(Value),
    /// Infinite, or not a number.
    NotFinite,
    /// Anything else.
    Text,
}

pub(super) fn resolve(text: &str) -> Plain {
    match text.as_bytes() {
        // Nearly every text and key ends here.
        [first, ..]
            if !matches!(
                first,
                b'~' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'0'..=b'9' | b'+' | b'-' | b'.'
            ) =>
        {
            Plain::Text
        }
        [] | b"~" | b"null" | b"Null" | b"NULL" => Plain::Value(Value::Null),
        b"true" | b"True" | b"TRUE" => Plain::Value(Value::Bool(true)),
        b"false" | b"False" | b"FALSE" => Plain::Value(Value::Bool(false)),
        [b'0'..=b'9' | b'+' | b'-' | b'.', ..] => numeric(text),
        _ => Plain::Text,
    }
}

fn numeric(text: &str) -> Plain {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Plain::NotFinite;
    }
    let read = match unsigned.as_bytes() {
        [b'0', b'b', ..] => radix(&unsigned[2..], 2),
        [b'0', b'o', ..] => radix(&unsigned[2..], 8),
        [b'0', b'x', ..] => radix(&unsigned[2..], 16),
        // A fraction without a leading digit takes no sign.
        [b'.', ..] if unsigned.len() < text.len() => None,
        _ => decimal(unsigned),
    };
    let Some(value) = read else { return Plain::Text };
    let value = if text.starts_with('-') { -value } else { value };
    json::number(value).map_or(Plain::NotFinite, |number| Plain::Value(Value::Number(number)))
}

/// Digits of another base, with underscores between them.
fn radix(digits: &str, base: u32) -> Option<f64> {
    if digits.ends_with('_') {
        return None;
    }
    let mut value = None;
    for c in digits.chars().filter(|&c| c != '_') {
        value = Some(value.unwrap_or(0.0) * f64::from(base) + f64::from(c.to_digit(base)?));
    }
    value
}

/// `1`, `1_000`, `1.5`, `1.`, `.5`, each with an exponent or without.
fn decimal(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    let run = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit() || **b == b'_').count();
    let whole = run(0);
    if whole > 0 && bytes[0] == b'_' {
        return None;
    }
    let mut at = whole;
    if bytes.get(at) == Some(&b'.') {
        let fraction = run(at + 1);
        if whole == 0 && fraction == 0 {
            return None;
        }
        at += 1 + fraction;
    } else if whole == 0 {
        return None;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1;
        if matches!(bytes.get(at), Some(b'+' | b'-')) {
            at += 1;
        }
        let digits = bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
        if digits == 0 {
            return None;
        }
        at += digits;
    }
    if at != bytes.len() || text.ends_with('_') {
        return None;
    }
    if text.contains('_') { text.replace('_', "").parse().ok() } else { text.parse().ok() }
}
