//! One word of a script, taken apart.

use super::Unclear;
use super::nesting::closing;

/// One stretch of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Characters.
    Text {
        /// The characters without their quotes.
        text: String,
        /// They stand for themselves.
        quoted: bool,
    },
    /// A wildcard of the extended form, as one that matches more.
    Glob(String),
    /// `~` and what follows it up to a slash.
    Tilde {
        /// The name of a user, `+`, `-`, or nothing.
        user: String,
    },
    /// `$name` or what stands in `${...}`.
    Parameter {
        /// The name with what is done to it.
        expression: String,
        /// It stands in double quotes.
        quoted: bool,
    },
    /// `$(...)` or a pair of backquotes.
    Command {
        /// The script within.
        script: String,
        /// It stands in double quotes.
        quoted: bool,
    },
    /// `$((...))` or `$[...]`.
    Arithmetic {
        /// The expression within.
        expression: String,
    },
}

/// The parts of a word as it is written.
pub fn parts(word: &str) -> Result<Vec<Part>, Unclear> {
    let mut reader = Reader { text: word, at: 0, parts: Vec::new() };
    if word.starts_with('~') {
        reader.tilde();
    }
    while reader.at < word.len() {
        reader.unquoted()?;
    }
    Ok(reader.parts)
}

/// The parts of a here-document in which quotes stand for themselves.
pub fn heredoc(body: &str) -> Result<Vec<Part>, Unclear> {
    let mut reader = Reader { text: body, at: 0, parts: Vec::new() };
    reader.quoted_until(None)?;
    Ok(reader.parts)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    parts: Vec<Part>,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn push(&mut self, text: &str, is_quoted: bool) {
        if let Some(Part::Text { text: last, quoted }) = self.parts.last_mut()
            && *quoted == is_quoted
        {
            last.push_str(text);
            return;
        }
        self.parts.push(Part::Text { text: text.to_owned(), quoted: is_quoted });
    }

    fn tilde(&mut self) {
        let user = &self.text[1..];
        let user = &user[..user.find('/').unwrap_or(user.len())];
        if user.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._+-".contains(&byte)) {
            self.parts.push(Part::Tilde { user: user.to_owned() });
            self.at = 1 + user.len();
        }
    }

    fn unquoted(&mut self) -> Result<(), Unclear> {
        let rest = self.rest();
        let Some(character) = rest.chars().next() else {
            return Ok(());
        };
        let length = character.len_utf8();
        match character {
            '\\' => match rest[1..].chars().next() {
                Some('\n') => self.at += 2,
                Some(next) => {
                    self.push(&rest[1..=next.len_utf8()], true);
                    self.at += 1 + next.len_utf8();
                }
                None => {
                    self.push("\\", true);
                    self.at += 1;
                }
            },
            '\'' => {
                let end = rest[1..].find('\'').ok_or_else(open_quote)?;
                self.push(&rest[1..=end], true);
                self.at += end + 2;
            }
            '"' => {
                self.at += 1;
                self.push("", true);
                self.quoted_until(Some('"'))?;
            }
            '$' if rest.starts_with("$'") => self.ansi_c()?,
            '$' if rest.starts_with("$\"") => self.at += 1,
            '$' | '`' => self.expansion(false)?,
            '?' | '*' | '+' | '@' | '!' if rest[length..].starts_with('(') => {
                let end = closing(rest, 2, ')')?;
                self.parts.push(Part::Glob("*".to_owned()));
                self.at += end + 1;
            }
            _ => {
                self.push(&rest[..length], false);
                self.at += length;
            }
        }
        Ok(())
    }

    /// The inside of double quotes up to the closing one, or a whole here-document.
    fn quoted_until(&mut self, end: Option<char>) -> Result<(), Unclear> {
        loop {
            let rest = self.rest();
            let Some(character) = rest.chars().next() else {
                return if end.is_some() { Err(open_quote()) } else { Ok(()) };
            };
            if Some(character) == end {
                self.at += 1;
                return Ok(());
            }
            match character {
                '\\' => match rest[1..].chars().next() {
                    Some('\n') => self.at += 2,
                    Some(next @ ('$' | '`' | '\\')) => {
                        self.push(next.encode_utf8(&mut [0; 4]), true);
                        self.at += 2;
                    }
                    Some('"') if end.is_some() => {
                        self.push("\"", true);
                        self.at += 2;
                    }
                    _ => {
                        self.push("\\", true);
                        self.at += 1;
                    }
                },
                '$' | '`' => self.expansion(true)?,
                _ => {
                    self.push(&rest[..character.len_utf8()], true);
                    self.at += character.len_utf8();
                }
            }
        }
    }

    fn expansion(&mut self, quoted: bool) -> Result<(), Unclear> {
        let rest = self.rest();
        if rest.starts_with('`') {
            return self.backquoted(quoted);
        }
        if rest.starts_with("$((")
            && let Ok(end) = closing(rest, 3, ')')
            && rest[end + 1..].starts_with(')')
        {
            self.parts.push(Part::Arithmetic { expression: rest[3..end].to_owned() });
            self.at += end + 2;
        } else if rest.starts_with("$(") {
            let end = closing(rest, 2, ')')?;
            self.parts.push(Part::Command { script: rest[2..end].to_owned(), quoted });
            self.at += end + 1;
        } else if rest.starts_with("${") {
            let end = closing(rest, 2, '}')?;
            self.parts.push(Part::Parameter { expression: rest[2..end].to_owned(), quoted });
            self.at += end + 1;
        } else if rest.starts_with("$[") {
            let end = closing(rest, 2, ']')?;
            self.parts.push(Part::Arithmetic { expression: rest[2..end].to_owned() });
            self.at += end + 1;
        } else {
            let name =
                rest[1..].bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
            let length = match rest.as_bytes().get(1) {
                Some(b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') => 1,
                _ => name,
            };
            if length == 0 {
                self.push("$", true);
            } else {
                self.parts.push(Part::Parameter { expression: rest[1..=length].to_owned(), quoted });
            }
            self.at += 1 + length;
        }
        Ok(())
    }

    fn backquoted(&mut self, quoted: bool) -> Result<(), Unclear> {
        let mut script = String::new();
        let mut characters = self.rest().char_indices().skip(1);
        while let Some((at, character)) = characters.next() {
            match character {
                '`' => {
                    self.parts.push(Part::Command { script, quoted });
                    self.at += at + 1;
                    return Ok(());
                }
                '\\' => match characters.next() {
                    Some((_, next @ ('`' | '\\' | '$'))) => script.push(next),
                    Some((_, '"')) if quoted => script.push('"'),
                    Some((_, next)) => {
                        script.push('\\');
                        script.push(next);
                    }
                    None => break,
                },
                other => script.push(other),
            }
        }
        Err(Unclear::new("a backquote is not closed"))
    }

    /// `$'...'`, in which a backslash names a character.
    fn ansi_c(&mut self) -> Result<(), Unclear> {
        let body = &self.rest()[2..];
        let mut decoded: Vec<u8> = Vec::new();
        let mut characters = body.char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            match character {
                '\'' => {
                    // A NUL ends the string.
                    let end = decoded.iter().position(|&byte| byte == 0).unwrap_or(decoded.len());
                    let text = std::str::from_utf8(&decoded[..end])
                        .map_err(|_| Unclear::new("a quoted text is no UTF-8"))?
                        .to_owned();
                    self.push(&text, true);
                    self.at += 2 + at + 1;
                    return Ok(());
                }
                '\\' => {
                    let Some((_, code)) = characters.next() else {
                        break;
                    };
                    let mut digits = |radix: u32, most: usize, first: Option<u32>| {
                        let mut value = first;
                        let mut count = usize::from(first.is_some());
                        while count < most
                            && let Some(digit) = characters.peek().and_then(|(_, next)| next.to_digit(radix))
                        {
                            value = Some(value.unwrap_or(0) * radix + digit);
                            count += 1;
                            characters.next();
                        }
                        value
                    };
                    let simple = match code {
                        'n' => b'\n',
                        't' => b'\t',
                        'r' => b'\r',
                        'a' => 7,
                        'b' => 8,
                        'e' | 'E' => 27,
                        'f' => 12,
                        'v' => 11,
                        '\\' | '\'' | '"' | '?' => code as u8,
                        '0'..='7' => {
                            let value = digits(8, 3, code.to_digit(8)).unwrap_or(0);
                            decoded.push((value & 0xff) as u8);
                            continue;
                        }
                        'x' => {
                            let value = digits(16, 2, None).ok_or_else(bad_escape)?;
                            decoded.push((value & 0xff) as u8);
                            continue;
                        }
                        'u' | 'U' => {
                            let value = digits(16, if code == 'u' { 4 } else { 8 }, None);
                            let character = value.and_then(char::from_u32).ok_or_else(bad_escape)?;
                            decoded.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                            continue;
                        }
                        _ => return Err(bad_escape()),
                    };
                    decoded.push(simple);
                }
                other => decoded.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        Err(open_quote())
    }
}

fn open_quote() -> Unclear {
    Unclear::new("a quote is not closed")
}

fn bad_escape() -> Unclear {
    Unclear::new("a backslash in a quoted text names no character")
}
