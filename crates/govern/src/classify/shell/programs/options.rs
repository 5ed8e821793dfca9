//! The options and operands of a program's words.

use crate::classify::text::Text;

/// What a program was given.
#[derive(Debug, Default)]
pub struct Options {
    flags: Vec<String>,
    /// The long flags whose whole name is certain.
    known: Vec<String>,
    values: Vec<(String, Text)>,
    /// The words that are no options.
    pub operands: Vec<Text>,
    /// A word may be an option and can't be told.
    pub is_open: bool,
}

impl Options {
    /// Reads the words behind the program. `valued` names the options that take a value, in the next word or behind
    /// them; `-i?` is one whose value can only stand behind it.
    pub fn read(words: &[Text], valued: &[&str]) -> Self {
        let mut options = Self::default();
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let start = word.known_start();
            if word.as_literal() == Some("--") {
                options.operands.extend(rest.cloned());
                break;
            }
            if !start.starts_with('-') {
                options.is_open |= start.is_empty() && word.may_be_option();
                options.operands.push(word.clone());
                continue;
            }
            if word.as_literal() == Some("-") {
                options.operands.push(word.clone());
            } else if start.starts_with("--") {
                options.long(word, &mut rest, valued);
            } else {
                options.short(word, &mut rest, valued);
            }
        }
        options
    }

    fn long<'a>(&mut self, word: &Text, rest: &mut impl Iterator<Item = &'a Text>, valued: &[&str]) {
        let start = word.known_start();
        let (given, value) = match start.find('=') {
            Some(at) => (&start[..at], Some(word.skip(at + 1))),
            None => (start, None),
        };
        let exact = valued.iter().find(|name| **name == given);
        let known = exact.or_else(|| valued.iter().find(|name| is_short_for(given, name)));
        if value.is_none() && word.as_literal().is_none() {
            self.is_open = true;
        }
        let name = known.map_or(given, |name| name).to_owned();
        self.known.extend(known.map(|_| name.clone()));
        self.flags.push(name.clone());
        let value = value.or_else(|| known.and_then(|_| rest.next().cloned()));
        self.values.extend(value.map(|value| (name, value)));
    }

    fn short<'a>(&mut self, word: &Text, rest: &mut impl Iterator<Item = &'a Text>, valued: &[&str]) {
        let cluster = &word.known_start()[1..];
        for (at, letter) in cluster.char_indices() {
            let name = format!("-{letter}");
            self.flags.push(name.clone());
            if valued.iter().any(|known| known.strip_suffix('?') == Some(name.as_str())) {
                return;
            }
            if valued.contains(&name.as_str()) {
                let behind = word.skip(1 + at + letter.len_utf8());
                if behind.as_literal() != Some("") {
                    self.values.push((name, behind));
                } else if let Some(value) = rest.next() {
                    self.values.push((name, value.clone()));
                }
                return;
            }
        }
        self.is_open |= word.as_literal().is_none();
    }

    /// Whether one of these flags was given. A long one may be shortened.
    pub fn has(&self, names: &[&str]) -> bool {
        self.flags.iter().any(|flag| {
            let may_be_short = !self.known.contains(flag);
            names.iter().any(|name| flag == name || may_be_short && is_short_for(flag, name))
        })
    }

    /// The values of these options, in order.
    pub fn values<'a>(&'a self, names: &'a [&'a str]) -> impl Iterator<Item = &'a Text> {
        let values = self.values.iter().filter(|(flag, _)| names.contains(&flag.as_str()));
        values.map(|(_, value)| value)
    }

    /// The last value of these options.
    pub fn value<'a>(&'a self, names: &'a [&'a str]) -> Option<&'a Text> {
        self.values(names).last()
    }
}

fn is_short_for(flag: &str, name: &str) -> bool {
    flag.len() >= 5 && flag.starts_with("--") && name.starts_with(flag)
}

/// The words behind a wrapper's own options: its options, those of `valued` with their values, and `skip` operands.
pub fn behind<'a>(words: &'a [Text], valued: &[&str], skip: usize) -> &'a [Text] {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let start = word.known_start();
        if !start.starts_with('-') || start == "-" {
            break;
        }
        at += 1;
        if start == "--" {
            break;
        }
        let last_takes = if start.starts_with("--") {
            !start.contains('=') && valued.contains(&start)
        } else {
            let mut letters = start.char_indices().skip(1);
            letters
                .find(|(_, letter)| valued.contains(&format!("-{letter}").as_str()))
                .is_some_and(|(at, letter)| at + letter.len_utf8() == start.len())
        };
        at += usize::from(last_takes);
    }
    words.get(at + skip..).unwrap_or_default()
}
