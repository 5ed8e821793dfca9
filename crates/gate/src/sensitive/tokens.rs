//! Credentials that are known by themselves, wherever they stand.

use super::is_placeholder;
use super::keys;
use super::shapes::{MORE, SHAPES, is_dashed, is_word};

/// The credentials of a line, by the byte at which each begins and what it is.
pub(super) fn find(line: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    for shape in SHAPES.iter().chain(&MORE) {
        for (at, body) in shape.places(line) {
            // Of several shapes at one place the more exact one comes first.
            if is_likely(&line[at..], body) && !found.iter().any(|(known, _)| *known == at) {
                found.push((at, shape.what().to_owned()));
            }
        }
    }
    found.extend(web_tokens(line));
    found.extend(addresses(line));
    found.extend(bearers(line));
    found
}

/// Whether text of a credential's shape looks drawn, not written.
fn is_likely(text: &str, body: &str) -> bool {
    let lower = body.to_ascii_lowercase();
    let is_stand_in = ["xxxx", "your", "placeholder", "redacted"].iter().any(|word| lower.contains(word));
    if is_stand_in || entropy(body) < 2.0 {
        return false;
    }
    if !text.starts_with("sk-") {
        return true;
    }
    // `sk-learn-based-...` has the shape and is a name.
    let longest = body.split(['-', '_']).map(str::len).max().unwrap_or_default();
    longest >= 12 && is_mixed(body)
}

/// Whether there are digits or letters of both cases among the letters.
fn is_mixed(text: &str) -> bool {
    let has = |is: fn(&u8) -> bool| text.bytes().any(|byte| is(&byte));
    let (lower, upper) = (has(u8::is_ascii_lowercase), has(u8::is_ascii_uppercase));
    (lower || upper) && has(u8::is_ascii_digit) || lower && upper
}

/// Shannon's entropy in bits for each byte.
fn entropy(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    text.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let length = f64::from(u32::try_from(text.len()).unwrap_or(u32::MAX));
    let share = |count: &u32| f64::from(*count) / length;
    counts.iter().filter(|count| **count > 0).map(share).map(|share| -share * share.log2()).sum()
}

/// JSON web tokens: three parts in base64, of which the first two hold JSON objects.
fn web_tokens(line: &str) -> Vec<(usize, String)> {
    let starts = line.match_indices("eyJ").map(|(at, _)| at);
    starts
        .filter(|&at| at == 0 || !is_word(line.as_bytes()[at - 1]) && line.as_bytes()[at - 1] != b'.')
        .filter(|&at| {
            let length = line[at..].bytes().take_while(|byte| is_dashed(*byte) || *byte == b'.').count();
            let parts: Vec<&str> = line[at..at + length].split('.').collect();
            matches!(parts[..], [head, body, seal, ..]
                if head.len() >= 10 && body.len() >= 10 && body.starts_with("eyJ") && seal.len() >= 16)
        })
        .map(|at| (at, "a JSON web token".to_owned()))
        .collect()
}

/// Passwords in addresses: `scheme://user:password@host`.
fn addresses(line: &str) -> Vec<(usize, String)> {
    let authorities = line.match_indices("://").map(|(at, mark)| at + mark.len());
    authorities
        .filter_map(|at| {
            let ends =
                |letter: char| letter.is_whitespace() || matches!(letter, '/' | '?' | '#' | '"' | '\'' | '`');
            let authority = line[at..].split(ends).next()?;
            let (user, _) = authority.rsplit_once('@')?;
            let (name, password) = user.split_once(':')?;
            let is_real = !password.is_empty() && !keys::is_reference(password) && !is_placeholder(password);
            is_real.then(|| (at + name.len() + 1, "a password in an address".to_owned()))
        })
        .collect()
}

/// Tokens behind `Bearer` and `Basic`.
fn bearers(line: &str) -> Vec<(usize, String)> {
    let words = ["Bearer ", "bearer ", "Basic "];
    let starts = words.iter().flat_map(|word| line.match_indices(word).map(|(at, word)| at + word.len()));
    starts
        .filter(|&at| {
            let is_part = |byte: &u8| is_dashed(*byte) || matches!(byte, b'.' | b'+' | b'/' | b'=' | b'~');
            let token = &line[at..at + line[at..].bytes().take_while(is_part).count()];
            token.len() >= 16 && is_mixed(token) && entropy(token) >= 3.0 && !is_placeholder(token)
        })
        .map(|at| (at, "a token of an authorization header".to_owned()))
        .collect()
}

/// Private keys in PEM by line and column: the head, and behind it the beginning of what it heads. A text that speaks of
/// the head alone holds no key.
pub(super) fn private_keys(text: &str) -> Vec<(usize, usize)> {
    const HEAD: &str = "-----BEGIN ";
    let mut found = Vec::new();
    for (at, _) in text.match_indices(HEAD) {
        let Some((kind, rest)) = text[at + HEAD.len()..].split_once("-----") else { continue };
        let is_kind =
            kind.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ');
        let is_private = kind.ends_with("PRIVATE KEY") || kind.ends_with("PRIVATE KEY BLOCK");
        if is_kind && is_private && heads_a_key(rest) {
            let before = &text[..at];
            let start = before.rfind('\n').map_or(0, |end| end + 1);
            found.push((before.matches('\n').count() + 1, at - start + 1));
        }
    }
    found
}

/// Whether base64 follows, behind headers such as `Proc-Type:` and line ends that may be spelled out.
fn heads_a_key(rest: &str) -> bool {
    let is_header = |line: &str| line.contains(": ") && !line.contains("-----");
    let spelled = rest.replace("\\r", "\n").replace("\\n", "\n");
    let mut lines = spelled.lines().map(str::trim).filter(|line| !line.is_empty() && !is_header(line));
    let Some(line) = lines.next() else { return false };
    let body = line.trim_start_matches(['>', '|', '"', '\'', '*', '#', ' ']);
    let length = body
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
        .count();
    length >= 16 && !is_placeholder(&body[..length])
}
