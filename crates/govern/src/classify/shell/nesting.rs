//! Where constructs close, and what lies between.

use super::Unclear;

/// Where the construct closes whose inside begins at `from`.
pub fn closing(text: &str, from: usize, closer: char) -> Result<usize, Unclear> {
    scan(text, from, closer, &mut Vec::new())
}

/// `script` with each quoted here-document as a here-string of its mark, for a parser that knows few of the places
/// where here-documents may stand; none where it holds none.
pub fn without_heredocs(script: &str) -> Option<String> {
    // Read as the inside of a substitution, which closes behind it.
    let inside = format!("{script}\n)");
    let mut heredocs = Vec::new();
    let end = scan(&inside, 0, ')', &mut heredocs).ok()?;
    heredocs.retain(|heredoc| heredoc.is_raw);
    if end + 1 < inside.len() || heredocs.is_empty() {
        return None;
    }
    let mut cuts: Vec<(std::ops::Range<usize>, &str)> = Vec::new();
    for heredoc in heredocs {
        cuts.push((heredoc.operator, "<<<"));
        cuts.push((heredoc.body, ""));
    }
    cuts.sort_by_key(|(range, _)| range.start);
    let mut rewritten = String::with_capacity(inside.len());
    let mut at = 0;
    for (range, replacement) in cuts {
        rewritten.push_str(inside.get(at..range.start)?);
        rewritten.push_str(replacement);
        at = range.end;
    }
    rewritten.push_str(inside.get(at..end)?);
    Some(rewritten)
}

/// A here-document.
struct Heredoc {
    operator: std::ops::Range<usize>,
    mark: String,
    /// Its lines lose their tabs.
    strips: bool,
    /// Nothing in it is expanded.
    is_raw: bool,
    /// Its lines with the one that ends it.
    body: std::ops::Range<usize>,
}

fn scan(text: &str, from: usize, closer: char, found: &mut Vec<Heredoc>) -> Result<usize, Unclear> {
    let mut stack = vec![closer as u8];
    let bytes = text.as_bytes();
    let mut at = from;
    // Here-documents whose lines have not begun.
    let mut open = found.len();
    let unclosed = || Unclear::new("a substitution is not closed");
    while let Some(&byte) = bytes.get(at) {
        let innermost = stack.last().copied().unwrap_or_default();
        let in_quotes = innermost == b'"';
        match byte {
            b'\\' => at += 1,
            b'"' if in_quotes => {
                stack.pop();
            }
            b'"' => stack.push(b'"'),
            b'`' => at = backquote_end(bytes, at).ok_or_else(unclosed)?,
            b'$' if matches!(bytes.get(at + 1), Some(b'(' | b'{' | b'[')) => {
                at += 1;
                stack.push(match bytes[at] {
                    b'(' => b')',
                    b'{' => b'}',
                    _ => b']',
                });
            }
            b'$' if !in_quotes && bytes.get(at + 1) == Some(&b'\'') => {
                at += 2;
                while *bytes.get(at).ok_or_else(unclosed)? != b'\'' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
            }
            b'\'' if !in_quotes => {
                at += 1 + bytes[at + 1..].iter().position(|&other| other == b'\'').ok_or_else(unclosed)?;
            }
            b'#' if innermost == b')' && starts_word(bytes, at, from) => {
                at += bytes[at..].iter().position(|&other| other == b'\n').ok_or_else(unclosed)?;
                continue;
            }
            b'(' if !in_quotes && innermost == b')' => stack.push(b')'),
            b'<' if innermost == b')' && bytes[at..].starts_with(b"<<<") => at += 2,
            b'<' if innermost == b')' && bytes[at..].starts_with(b"<<") => {
                let heredoc = operator(text, at);
                at = heredoc.body.start;
                found.push(heredoc);
                continue;
            }
            b'\n' if innermost == b')' && open < found.len() => {
                at += 1;
                for heredoc in &mut found[open..] {
                    heredoc.body = lines(text, at, heredoc);
                    at = heredoc.body.end;
                }
                open = found.len();
                continue;
            }
            _ if byte == innermost => {
                stack.pop();
                if stack.is_empty() {
                    return Ok(at);
                }
            }
            _ => {}
        }
        at += 1;
    }
    Err(unclosed())
}

fn starts_word(bytes: &[u8], at: usize, from: usize) -> bool {
    at == from || matches!(bytes[at - 1], b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')')
}

fn backquote_end(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 1;
    loop {
        match bytes.get(at)? {
            b'`' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// The here-document whose operator begins at `at`; its body is where its mark ends.
fn operator(text: &str, at: usize) -> Heredoc {
    let strips = text[at + 2..].starts_with('-');
    let start = at + 2 + usize::from(strips);
    let rest = &text[start..];
    let skipped = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let mut mark = String::new();
    let mut end = rest.len();
    let mut quote = None;
    let mut is_raw = false;
    let mut characters = rest[skipped..].char_indices();
    while let Some((offset, character)) = characters.next() {
        match (quote, character) {
            (Some(open), _) if character == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(character);
                is_raw = true;
            }
            (None, '\\') => {
                mark.extend(characters.next().map(|(_, next)| next));
                is_raw = true;
            }
            (None, ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')') => {
                end = skipped + offset;
                break;
            }
            _ => mark.push(character),
        }
    }
    let end = start + end;
    Heredoc { operator: at..start, mark, strips, is_raw, body: end..end }
}

/// The lines of a here-document that begin at `from`.
fn lines(text: &str, from: usize, heredoc: &Heredoc) -> std::ops::Range<usize> {
    let mut at = from;
    loop {
        let line = text[at..].split('\n').next().unwrap_or_default();
        let shown = if heredoc.strips { line.trim_start_matches('\t') } else { line };
        let is_last = at + line.len() >= text.len();
        at = (at + line.len() + 1).min(text.len());
        if shown == heredoc.mark || is_last {
            return from..at;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::without_heredocs;

    #[test]
    fn quoted_heredocs_become_strings() {
        let script = "a <<'X' 2>&1 | b <<-\"Y\"\nit's\n X\nX\n\t(\n\tY\nc";
        assert_eq!(without_heredocs(script).unwrap(), "a <<<'X' 2>&1 | b <<<\"Y\"\nc\n");
        assert_eq!(without_heredocs("a <<X\nX\n"), None);
        assert_eq!(without_heredocs("echo \"<<'X'\"\nrm x\nX\n"), None);
        assert_eq!(without_heredocs("case x in x) a <<'X';; esac\nX\n"), None);
    }
}
