//! Text as a reader sees it: without characters that show nothing, and wide letters as plain ones. A credential stays
//! one for whoever copies it out of such text.

use std::ops::RangeInclusive;

use unicode_normalization::UnicodeNormalization as _;

/// The code points that Unicode calls default ignorable.
const IGNORABLE: [RangeInclusive<char>; 17] = [
    '\u{ad}'..='\u{ad}',
    '\u{34f}'..='\u{34f}',
    '\u{61c}'..='\u{61c}',
    '\u{115f}'..='\u{1160}',
    '\u{17b4}'..='\u{17b5}',
    '\u{180b}'..='\u{180f}',
    '\u{200b}'..='\u{200f}',
    '\u{202a}'..='\u{202e}',
    '\u{2060}'..='\u{206f}',
    '\u{3164}'..='\u{3164}',
    '\u{fe00}'..='\u{fe0f}',
    '\u{feff}'..='\u{feff}',
    '\u{ffa0}'..='\u{ffa0}',
    '\u{fff0}'..='\u{fff8}',
    '\u{1bca0}'..='\u{1bca3}',
    '\u{1d173}'..='\u{1d17a}',
    '\u{e0000}'..='\u{e0fff}',
];

/// A folded text, line by line as the original.
pub(super) struct Folded {
    pub text: String,
    /// For each line the byte of the original line that each byte comes from.
    origins: Vec<Vec<usize>>,
}

impl Folded {
    /// NFKC of each character that shows; none where that is the text itself. Characters are not composed with one
    /// another: in what a credential is made of there is nothing to compose.
    pub fn of(text: &str) -> Option<Self> {
        if text.is_ascii() {
            return None;
        }
        let (mut folded, mut origins) = (String::with_capacity(text.len()), Vec::new());
        for line in text.split_inclusive('\n') {
            let mut places = Vec::with_capacity(line.len());
            for (at, letter) in line.char_indices() {
                let before = folded.len();
                // An ellipsis marks what was left out, and three full stops do not.
                if letter.is_ascii() || letter == '…' {
                    folded.push(letter);
                } else if !IGNORABLE.iter().any(|range| range.contains(&letter)) {
                    folded.extend(std::iter::once(letter).nfkc());
                }
                places.resize(places.len() + folded.len() - before, at);
            }
            origins.push(places);
        }
        (folded != text).then_some(Self { text: folded, origins })
    }

    /// The column in the original, from 1, of a column in the folded text.
    pub fn column(&self, line: usize, column: usize) -> usize {
        let origins = self.origins.get(line.saturating_sub(1));
        origins.and_then(|origins| origins.get(column.saturating_sub(1))).map_or(1, |at| at + 1)
    }
}
