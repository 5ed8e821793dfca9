//! What one command of a pipeline prints into the next, where its own words say so.

use brush_parser::ast::{Command, CommandPrefixOrSuffixItem as Item, SimpleCommand};

use crate::classify::pattern::VISIBLE;
use crate::classify::text::{Piece, Text};

use super::programs::Input;
use super::{Shell, Unclear};

impl Shell<'_> {
    /// What `command` prints; none where its words don't tell.
    pub(super) fn printed(&mut self, command: &Command) -> Result<Option<Input>, Unclear> {
        let Command::Simple(simple) = command else { return Ok(None) };
        let Some(name) = simple.word_or_name.as_ref().map(|name| name.value.as_str()) else {
            return Ok(None);
        };
        let is_other =
            self.state.functions.contains_key(name) || self.state.renamed.iter().any(|other| other == name);
        if simple.prefix.is_some() || is_other {
            return Ok(None);
        }
        match name {
            "echo" => Ok(self.words_of(simple)?.map(|(words, is_whole)| echoed(&words, is_whole))),
            "printf" => Ok(self.words_of(simple)?.map(|(words, is_whole)| formatted(&words, is_whole))),
            "cat" => self.passed_on(simple),
            _ => Ok(None),
        }
    }

    /// The words of a command that prints to the pipe, and whether they are known as a whole.
    fn words_of(&mut self, simple: &SimpleCommand) -> Result<Option<(Vec<String>, bool)>, Unclear> {
        let mut words = Vec::new();
        let mut is_whole = true;
        for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
            let (Item::Word(word) | Item::AssignmentWord(_, word)) = item else { return Ok(None) };
            // What is substituted was walked already.
            if word.value.contains("$(") || word.value.contains('`') {
                is_whole = false;
                words.push(word.value.clone());
                continue;
            }
            let readings = self.readings(&word.value)?;
            is_whole &= readings.len() == 1;
            for text in readings.into_iter().flatten() {
                is_whole &= text.as_literal().is_some();
                words.push(known(&text));
            }
        }
        Ok(Some((words, is_whole)))
    }

    /// The here-document that `cat` alone hands on.
    fn passed_on(&mut self, simple: &SimpleCommand) -> Result<Option<Input>, Unclear> {
        let mut input = Input::Piped;
        for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
            match item {
                Item::IoRedirect(redirect) => self.feed(redirect, &mut input)?,
                Item::Word(word) if word.value == "-" => {}
                _ => return Ok(None),
            }
        }
        Ok(Some(input))
    }
}

/// What is known of a text, with a blank for what is not.
pub(super) fn known(text: &Text) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Literal(text) | Piece::Glob(text) => text.replace(VISIBLE, ""),
        Piece::Unknown => " ".to_owned(),
    };
    text.pieces().iter().map(piece).collect()
}

fn input(text: String, is_whole: bool) -> Input {
    if is_whole { Input::Text(text) } else { Input::Holding(text.replace("\\n", "\n")) }
}

fn echoed(words: &[String], is_whole: bool) -> Input {
    let is_flag = |word: &&String| {
        let flags = word.strip_prefix('-').unwrap_or_default();
        !flags.is_empty() && flags.chars().all(|flag| matches!(flag, 'n' | 'e' | 'E'))
    };
    let flags = words.iter().take_while(is_flag).count();
    let text = words[flags..].join(" ") + "\n";
    // Some shells take a backslash as it is, some don't.
    let is_plain = flags == 0 && !text.contains('\\');
    input(text, is_whole && is_plain)
}

fn formatted(words: &[String], is_whole: bool) -> Input {
    match words {
        [format, rest @ ..] if matches!(format.as_str(), "%s" | "%s\\n") && !rest.is_empty() => {
            let end = if format == "%s" { "" } else { "\n" };
            input(rest.iter().flat_map(|word| [word, end]).collect(), is_whole)
        }
        [format] => input(format.clone(), is_whole && !format.contains(['%', '\\'])),
        _ => input(words.join(" "), false),
    }
}
