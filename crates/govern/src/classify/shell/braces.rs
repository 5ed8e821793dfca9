//! `{a,b}` and `{1..3}`.

use super::word::Part;

/// How many words one word may become.
const MOST_WORDS: usize = 64;

#[derive(Debug, Clone, PartialEq)]
enum Atom {
    /// One character outside of quotes.
    Plain(char),
    /// Anything else.
    Other(Part),
}

/// The words that a word's parts become. A word that becomes too many is one of which nothing is known.
pub fn expand(parts: Vec<Part>) -> Vec<Vec<Part>> {
    let has_brace =
        parts.iter().any(|part| matches!(part, Part::Text { text, quoted: false } if text.contains('{')));
    if !has_brace {
        return vec![parts];
    }
    let mut atoms = Vec::new();
    for part in parts {
        match part {
            Part::Text { text, quoted: false } => atoms.extend(text.chars().map(Atom::Plain)),
            other => atoms.push(Atom::Other(other)),
        }
    }
    match words(&atoms, 0) {
        Some(words) => words.into_iter().map(parts_of).collect(),
        None => vec![vec![Part::Arithmetic { expression: String::new() }]],
    }
}

fn parts_of(atoms: Vec<Atom>) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for atom in atoms {
        match atom {
            Atom::Plain(character) => match parts.last_mut() {
                Some(Part::Text { text, quoted: false }) => text.push(character),
                _ => parts.push(Part::Text { text: character.to_string(), quoted: false }),
            },
            Atom::Other(part) => parts.push(part),
        }
    }
    parts
}

fn words(atoms: &[Atom], depth: usize) -> Option<Vec<Vec<Atom>>> {
    if depth > 12 {
        return None;
    }
    let mut from = 0;
    while let Some(open) = atoms[from..].iter().position(|atom| *atom == Atom::Plain('{')).map(|at| from + at)
    {
        let Some((members, end)) = members(atoms, open) else {
            from = open + 1;
            continue;
        };
        let mut all = Vec::new();
        let rests = words(&atoms[end + 1..], depth + 1)?;
        for member in &members {
            for middle in words(member, depth + 1)? {
                for rest in &rests {
                    let mut word = atoms[..open].to_vec();
                    word.extend(middle.iter().cloned());
                    word.extend(rest.iter().cloned());
                    all.push(word);
                    if all.len() > MOST_WORDS {
                        return None;
                    }
                }
            }
        }
        return Some(all);
    }
    Some(vec![atoms.to_vec()])
}

/// The members of the brace that opens at `open`, and where it closes.
fn members(atoms: &[Atom], open: usize) -> Option<(Vec<Vec<Atom>>, usize)> {
    let mut depth = 0_usize;
    let mut commas = Vec::new();
    for (at, atom) in atoms.iter().enumerate().skip(open + 1) {
        match atom {
            Atom::Plain('{') => depth += 1,
            Atom::Plain(',') if depth == 0 => commas.push(at),
            Atom::Plain('}') if depth > 0 => depth -= 1,
            Atom::Plain('}') => {
                if commas.is_empty() {
                    return sequence(&atoms[open + 1..at]).map(|members| (members, at));
                }
                commas.push(at);
                let mut start = open + 1;
                let mut members = Vec::new();
                for comma in commas {
                    members.push(atoms[start..comma].to_vec());
                    start = comma + 1;
                }
                return Some((members, at));
            }
            _ => {}
        }
    }
    None
}

fn sequence(atoms: &[Atom]) -> Option<Vec<Vec<Atom>>> {
    let mut text = String::new();
    for atom in atoms {
        match atom {
            Atom::Plain(character) => text.push(*character),
            Atom::Other(_) => return None,
        }
    }
    let mut bounds = text.split("..");
    let (first, last) = (bounds.next()?, bounds.next()?);
    let step: i64 = bounds.next().map_or(Some(1), |step| step.parse().ok())?;
    let as_members = |values: Vec<String>| {
        Some(values.iter().map(|value| value.chars().map(Atom::Plain).collect()).collect())
    };
    let unknown = || Some(vec![vec![Atom::Other(Part::Arithmetic { expression: String::new() })]]);
    let (low, high, is_letters) = match (first.parse::<i64>(), last.parse::<i64>()) {
        (Ok(low), Ok(high)) => (low, high, false),
        _ => match (single(first), single(last)) {
            (Some(low), Some(high)) => (i64::from(u32::from(low)), i64::from(u32::from(high)), true),
            _ => return None,
        },
    };
    let has_zeros =
        [first, last].iter().any(|bound| bound.trim_start_matches('-').starts_with('0') && bound.len() > 1);
    if step.unsigned_abs() != 1 || has_zeros || low.abs_diff(high) >= MOST_WORDS as u64 {
        return unknown();
    }
    let mut values: Vec<i64> = (low.min(high)..=low.max(high)).collect();
    if low > high {
        values.reverse();
    }
    let shown = values.into_iter().map(|value| {
        let letter = u32::try_from(value).ok().and_then(char::from_u32).filter(|_| is_letters);
        letter.map_or_else(|| value.to_string(), String::from)
    });
    as_members(shown.collect())
}

fn single(text: &str) -> Option<char> {
    let mut characters = text.chars();
    characters.next().filter(|character| character.is_ascii_alphabetic() && characters.next().is_none())
}
