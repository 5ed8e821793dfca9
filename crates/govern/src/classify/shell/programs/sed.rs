//! The commands of a `sed` script that reach beyond its output.

/// What a script does beside its output.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// The files that it writes.
    pub writes: Vec<String>,
    /// The files that it reads.
    pub reads: Vec<String>,
    /// It runs commands.
    pub runs: bool,
}

/// What `script` reaches; none where it is not understood.
pub fn reach(script: &str) -> Option<Reach> {
    let mut reader = Reader { text: script, at: 0, reach: Reach::default() };
    while reader.command()? {}
    Some(reader.reach)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    reach: Reach,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn skip(&mut self, is_skipped: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&is_skipped) {
            self.next();
        }
    }

    fn line(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let line = rest.split('\n').next().unwrap_or_default();
        self.at += line.len();
        line
    }

    /// Goes behind the next `end`, over what a backslash or a bracket protects.
    fn until(&mut self, end: char) -> Option<()> {
        loop {
            match self.next()? {
                '\\' => {
                    self.next()?;
                }
                '[' if end != '[' => self.bracket(end),
                other if other == end => return Some(()),
                _ => {}
            }
        }
    }

    /// A bracket expression may hold the delimiter; one that is not closed is a character.
    fn bracket(&mut self, end: char) {
        let rest = &self.text[self.at..];
        let skipped = if rest.starts_with("^]") { 2 } else { usize::from(rest.starts_with([']', '^'])) };
        if let Some(length) = rest[skipped..].find(']')
            && !rest[..skipped + length].contains('\n')
            && !rest[..skipped + length].contains(end)
        {
            self.at += skipped + length + 1;
        }
    }

    fn address(&mut self) -> Option<()> {
        match self.peek() {
            Some('/') => {
                self.next();
                self.until('/')?;
                self.skip(|letter| matches!(letter, 'I' | 'M'));
            }
            Some('\\') => {
                self.next();
                let end = self.next()?;
                self.until(end)?;
                self.skip(|letter| matches!(letter, 'I' | 'M'));
            }
            _ => self.skip(|letter| letter.is_ascii_digit() || matches!(letter, '$' | '~' | '+')),
        }
        Some(())
    }

    /// Reads one command; false at the end.
    fn command(&mut self) -> Option<bool> {
        self.skip(|letter| letter.is_whitespace() || letter == ';');
        if self.peek().is_none() {
            return Some(false);
        }
        self.address()?;
        self.skip(|letter| letter == ' ' || letter == '\t');
        if self.peek() == Some(',') {
            self.next();
            self.skip(|letter| letter == ' ' || letter == '\t');
            self.address()?;
        }
        self.skip(|letter| letter == ' ' || letter == '\t' || letter == '!');
        match self.next()? {
            '{' | '}' | '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F' => {
            }
            'q' | 'Q' | 'l' | 'L' => self.skip(|letter| letter.is_ascii_digit() || letter == ' '),
            '#' => {
                self.line();
            }
            ':' | 'b' | 't' | 'T' => self.skip(|letter| letter != '\n' && letter != ';' && letter != '}'),
            'a' | 'i' | 'c' => while self.line().ends_with('\\') && self.next().is_some() {},
            'w' | 'W' => {
                let file = self.line().trim_start().to_owned();
                self.reach.writes.push(file);
            }
            'r' | 'R' => {
                let file = self.line().trim_start().to_owned();
                self.reach.reads.push(file);
            }
            'e' => {
                self.line();
                self.reach.runs = true;
            }
            'y' => {
                let end = self.next()?;
                self.until(end)?;
                self.until(end)?;
            }
            's' => {
                let end = self.next()?;
                self.until(end)?;
                loop {
                    match self.next()? {
                        '\\' => {
                            self.next()?;
                        }
                        other if other == end => break,
                        _ => {}
                    }
                }
                self.flags();
            }
            _ => return None,
        }
        Some(true)
    }

    fn flags(&mut self) {
        while let Some(flag) = self.peek() {
            match flag {
                'g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9' => {
                    self.next();
                }
                'e' => {
                    self.next();
                    self.reach.runs = true;
                }
                'w' => {
                    self.next();
                    let file = self.line().trim_start().to_owned();
                    self.reach.writes.push(file);
                }
                _ => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::reach;

    #[test]
    fn files_and_commands_in_a_script_are_seen() {
        assert_eq!(reach("s/a/b/gw out.txt").unwrap().writes, ["out.txt"]);
        assert_eq!(reach("1,3p;/x/w f").unwrap().writes, ["f"]);
        assert_eq!(reach("/[/]/!{s,a,b,;W f g\n}").unwrap().writes, ["f g"]);
        assert!(reach("s/.*/date/e").unwrap().runs);
        assert!(reach("1e touch x").unwrap().runs);
        assert!(reach("s/we w x/e/").unwrap().writes.is_empty());
        assert_eq!(reach("k"), None);
    }
}
