//! The words of a shell command line, read without a shell and without expanding anything.

/// How deep command substitutions are looked into.
const DEPTH: usize = 8;

/// The simple commands of a POSIX shell command line or script, each as its words without their
/// quotes. Commands inside substitutions count as commands of their own, before the one that holds
/// them. Redirections, here-documents and comments are left out; expansions stay as they are
/// written. Every text has an answer: an open quote ends with the text.
pub fn commands(text: &str) -> Vec<Vec<String>> {
    let mut commands = Vec::new();
    collect(text, DEPTH, &mut commands);
    commands
}

/// The last part of a program's path.
pub fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// `word` as a shell takes it for one word, for a command that is shown to be copied.
pub fn quote(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./@%+=:,-".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

fn collect(text: &str, depth: usize, commands: &mut Vec<Vec<String>>) {
    let mut reader = Reader { rest: text, depth, ..Reader::default() };
    reader.read(commands);
}

/// Reads a text from its beginning to its end.
#[derive(Default)]
struct Reader<'a> {
    rest: &'a str,
    depth: usize,
    /// The word being read; `Some("")` after an empty pair of quotes.
    word: Option<String>,
    words: Vec<String>,
    /// The next word belongs to a redirection, for a here-document as its delimiter.
    redirection: Option<Redirection>,
    /// Here-documents whose text begins on the next line.
    documents: Vec<String>,
}

enum Redirection {
    File,
    Document,
}

impl<'a> Reader<'a> {
    fn read(&mut self, commands: &mut Vec<Vec<String>>) {
        while let Some(c) = self.next() {
            match c {
                '\n' => {
                    self.end_command(commands);
                    self.skip_documents();
                }
                ' ' | '\t' | '\r' => self.end_word(),
                ';' | '|' | '&' | '(' | ')' => self.end_command(commands),
                '<' | '>' => self.begin_redirection(c),
                '#' if self.word.is_none() => {
                    let line = self.rest.find('\n').unwrap_or(self.rest.len());
                    self.rest = &self.rest[line..];
                }
                '\'' => {
                    let text = self.until('\'');
                    self.push(text);
                }
                '"' => self.double_quoted(commands),
                '\\' => match self.next() {
                    Some('\n') | None => {}
                    Some(c) => self.push(c.encode_utf8(&mut [0; 4])),
                },
                '$' | '`' => self.expansion(c, commands),
                c => self.push(c.encode_utf8(&mut [0; 4])),
            }
        }
        self.end_command(commands);
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let c = chars.next()?;
        self.rest = chars.as_str();
        Some(c)
    }

    fn push(&mut self, text: &str) {
        self.word.get_or_insert_default().push_str(text);
    }

    /// What stands before the next `end`, which is skipped.
    fn until(&mut self, end: char) -> &'a str {
        let (text, rest) = self.rest.split_once(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        text
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        match self.redirection.take() {
            None => self.words.push(word),
            Some(Redirection::Document) => self.documents.push(word),
            Some(Redirection::File) => {}
        }
    }

    fn end_command(&mut self, commands: &mut Vec<Vec<String>>) {
        self.end_word();
        self.redirection = None;
        if !self.words.is_empty() {
            commands.push(std::mem::take(&mut self.words));
        }
    }

    /// After `<` or `>`: the rest of the operator, and a descriptor's number before it.
    fn begin_redirection(&mut self, first: char) {
        if self.word.as_ref().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit())) {
            self.word = None;
        }
        self.end_word();
        let rest = self.rest.trim_start_matches(['<', '>', '&', '|', '-']);
        let operator = &self.rest[..self.rest.len() - rest.len()];
        self.rest = rest;
        let is_document = first == '<' && matches!(operator, "<" | "<-");
        self.redirection = Some(if is_document { Redirection::Document } else { Redirection::File });
    }

    fn skip_documents(&mut self) {
        for delimiter in std::mem::take(&mut self.documents) {
            while !self.rest.is_empty() {
                if self.until('\n').trim_start_matches('\t') == delimiter {
                    break;
                }
            }
        }
    }

    fn double_quoted(&mut self, commands: &mut Vec<Vec<String>>) {
        self.push("");
        while let Some(c) = self.next() {
            match c {
                '"' => return,
                '\\' => match self.next() {
                    Some('\n') | None => {}
                    Some(c @ ('$' | '`' | '"' | '\\')) => self.push(c.encode_utf8(&mut [0; 4])),
                    Some(c) => {
                        self.push("\\");
                        self.push(c.encode_utf8(&mut [0; 4]));
                    }
                },
                '$' | '`' => self.expansion(c, commands),
                c => self.push(c.encode_utf8(&mut [0; 4])),
            }
        }
    }

    /// After `$` or a backtick: keeps the text of the expansion in the word, and reads the commands
    /// of a substitution.
    fn expansion(&mut self, first: char, commands: &mut Vec<Vec<String>>) {
        self.push(first.encode_utf8(&mut [0; 4]));
        let (open, end) = match (first, self.rest.chars().next()) {
            ('`', _) => ("", find_unescaped(self.rest, '`')),
            (_, Some('(')) => ("(", closing(self.rest, '(', ')')),
            (_, Some('{')) => ("{", closing(self.rest, '{', '}')),
            _ => return,
        };
        // One that stays open takes all the rest, so no text is searched for its end twice.
        let end = end.unwrap_or(self.rest.len());
        let body = &self.rest[open.len()..end];
        let (text, rest) = self.rest.split_at(self.rest.len().min(end + 1));
        self.rest = rest;
        self.push(text);
        if open != "{"
            && let Some(depth) = self.depth.checked_sub(1)
        {
            collect(body, depth, commands);
        }
    }
}

/// Where `end` stands without a backslash before it.
fn find_unescaped(text: &str, end: char) -> Option<usize> {
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            c if c == end => return Some(at),
            _ => {}
        }
    }
    None
}

/// Where the bracket closes that `text` begins with. Brackets in quotes don't count.
fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote = None;
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (None | Some('"'), '\\') => {
                chars.next();
            }
            (Some(mark), c) => quote = quote.filter(|_| c != mark),
            (None, '\'' | '"') => quote = Some(c),
            (None, c) if c == open => depth += 1,
            (None, c) if c == close => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            (None, _) => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lose_their_quotes() {
        assert_eq!(
            commands(r#"a 'b c' "d $e \" \x" f\ g'' '' "#),
            [vec!["a", "b c", "d $e \" \\x", "f g", ""]]
        );
        assert_eq!(commands("a 'open"), [vec!["a", "open"]]);
        assert_eq!(commands("a \\\nb \"open"), [vec!["a", "b", "open"]]);
        assert!(commands(" \n;; # nothing").is_empty());
    }

    #[test]
    fn commands_end_at_operators_and_lines() {
        let found = commands("cd x&&a -1 | b;(c)\nd#e # f");
        assert_eq!(found, [vec!["cd", "x"], vec!["a", "-1"], vec!["b"], vec!["c"], vec!["d#e"]]);
    }

    #[test]
    fn redirections_are_no_words() {
        assert_eq!(commands("a <in 2>&1 >>'o u t' b &>log 3x<<<y c"), [vec!["a", "b"], vec!["3x", "c"]]);
        let script = "a <<EOF b\nclaude\nEOF\nc <<-'E F'\n\tx\n\tE F\nd";
        assert_eq!(commands(script), [vec!["a", "b"], vec!["c"], vec!["d"]]);
    }

    #[test]
    fn a_quoted_word_is_one_word() {
        for word in ["a", "a b", "it's", "", "$(x)`y`", "größe\n"] {
            assert_eq!(commands(&quote(word)), [[word]], "{word:?}");
        }
        assert_eq!(quote("test/a-b_1.test.js"), "test/a-b_1.test.js");
    }

    #[test]
    fn substitutions_are_commands_too() {
        let found = commands(r#"echo "$(a "b)" | `c d`)" ${x:-$(e)}"#);
        assert_eq!(found[..3], [vec!["a", "b)"], vec!["c", "d"], vec!["`c d`"]]);
        assert_eq!(found[3][0], "echo");
        assert_eq!(found[3].len(), 3);
        commands(&"$(".repeat(50_000));
        commands(&"$(".repeat(5_000).replace("$(", "$(a)$("));
        commands(&"`\"$(${'\\".repeat(500));
    }
}
