//! Personal data: addresses, telephone numbers, numbers that a state or a bank gives a person.

/// The personal data of a line, by the byte at which each begins and what it is.
pub(super) fn find(line: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> =
        mail(line).into_iter().map(|at| (at, "an email address".to_owned())).collect();
    for (at, run) in numbers(line) {
        if let Some(what) = number(line, at, run) {
            found.push((at, what.to_owned()));
        }
    }
    for (at, word) in words(line) {
        if let Some(what) = code(word) {
            found.push((at, what.to_owned()));
        }
    }
    found
}

/// Domains that are nobody's, and names that are no person's.
const NOBODY: [&str; 7] =
    ["example.org", "example.com", "example.net", ".example", ".test", ".invalid", "localhost"];

fn mail(line: &str) -> Vec<usize> {
    let is_part =
        |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-' | '+' | '%');
    let marks = line.match_indices('@').map(|(at, _)| at);
    marks
        .filter_map(|at| {
            let name = line[..at].rsplit(|letter| !is_part(letter)).next()?;
            let domain =
                line[at + 1..].split(|letter: char| !is_part(letter)).next()?.trim_end_matches(['.', '-']);
            let (_, end) = domain.rsplit_once('.')?;
            let is_domain = end.len() >= 2 && end.bytes().all(|byte| byte.is_ascii_alphabetic());
            let lower = domain.to_lowercase();
            let is_nobody = NOBODY.iter().any(|nobody| lower.ends_with(nobody))
                || matches!(name.to_lowercase().as_str(), "git" | "noreply" | "no-reply" | "hg")
                || lower.contains("noreply");
            (!name.is_empty() && is_domain && !is_nobody).then(|| at - name.len())
        })
        .collect()
}

/// Runs of digits with single separators between them, by where they begin. What is part of a longer word is none.
fn numbers(line: &str) -> Vec<(usize, &str)> {
    let is_part =
        |letter: char| letter.is_ascii_digit() || matches!(letter, ' ' | '-' | '.' | '(' | ')' | '+' | '/');
    let mut found = Vec::new();
    let mut at = 0;
    for piece in line.split_inclusive(|letter| !is_part(letter)) {
        let run = piece.trim_end_matches(|letter| !is_part(letter));
        let trimmed = run.trim_matches([' ', '-', '.', ')', '/']);
        if trimmed.bytes().filter(u8::is_ascii_digit).count() >= 8 {
            let start = at + run.find(trimmed).unwrap_or_default();
            let before = line[..start].chars().next_back();
            let after = line[start + trimmed.len()..].chars().next();
            let is_word =
                |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
            if !is_word(before) && !is_word(after) {
                found.push((start, trimmed));
            }
        }
        at += piece.len();
    }
    found
}

fn number(line: &str, at: usize, run: &str) -> Option<&'static str> {
    let digits: Vec<u32> = run.chars().filter_map(|letter| letter.to_digit(10)).collect();
    let only =
        |allowed: &[char]| run.chars().all(|letter| letter.is_ascii_digit() || allowed.contains(&letter));
    if only(&[' ', '-']) && is_card(&digits) {
        return Some("a card number");
    }
    if is_security_number(run, &digits) {
        return Some("a US social security number");
    }
    let is_international = run.starts_with('+') && (8..=15).contains(&digits.len());
    let groups: Vec<&str> = run.split([' ', '-', '.', '(', ')']).filter(|group| !group.is_empty()).collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    let is_american = only(&[' ', '-', '.', '(', ')']) && lengths == [3, 3, 4] && digits[0] >= 2;
    let is_spoken = digits.len() >= 9 && digits.len() <= 13 && run.starts_with('0') && groups.len() > 1 && {
        let before = line[..at].to_lowercase();
        ["tel", "phone", "call", "mobile", "fax"].iter().any(|word| before.contains(word))
    };
    (is_international || is_american || is_spoken).then_some("a telephone number")
}

/// Luhn's check, for the lengths and first digits that card numbers have.
fn is_card(digits: &[u32]) -> bool {
    let first = |count: usize| digits.iter().take(count).fold(0, |number, digit| number * 10 + digit);
    let is_known = match digits.len() {
        13 | 19 => first(1) == 4,
        14 => matches!(first(3), 300..=305) || matches!(first(2), 36 | 38),
        15 => matches!(first(2), 34 | 37),
        16 => {
            first(1) == 4
                || matches!(first(2), 51..=55 | 65)
                || matches!(first(4), 2221..=2720 | 6011 | 3528..=3589)
        }
        _ => false,
    };
    let doubled = |(index, digit): (usize, &u32)| match digit * 2 {
        _ if index % 2 == 0 => *digit,
        twice if twice > 9 => twice - 9,
        twice => twice,
    };
    is_known && digits.iter().rev().enumerate().map(doubled).sum::<u32>() % 10 == 0
}

fn is_security_number(run: &str, digits: &[u32]) -> bool {
    let lengths: Vec<usize> = run.split('-').map(str::len).collect();
    let number =
        |range: std::ops::Range<usize>| digits[range].iter().fold(0, |number, digit| number * 10 + digit);
    lengths == [3, 2, 4]
        && digits.len() == 9
        && !matches!(number(0..3), 0 | 666 | 900..)
        && number(3..5) > 0
        && number(5..9) > 0
}

fn words(line: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, letter) in line.char_indices().chain([(line.len(), ' ')]) {
        match start {
            None if letter.is_ascii_alphanumeric() => start = Some(at),
            Some(from) if !letter.is_alphanumeric() && letter != '_' && letter != '-' => {
                found.push((from, &line[from..at]));
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// Numbers with letters that are checked by a sum or have one fixed form.
fn code(word: &str) -> Option<&'static str> {
    let bytes = word.as_bytes();
    if !word.is_ascii() {
        return None;
    }
    match bytes.len() {
        9 if bytes[..8].iter().all(u8::is_ascii_digit) && bytes[8].is_ascii_uppercase() => {
            let number: usize = word[..8].parse().ok()?;
            (bytes[8] == b"TRWAGMYFPDXBNJZSQVHLCKE"[number % 23]).then_some("a Spanish identity number")
        }
        9 => {
            let is_letter = |byte: u8| byte.is_ascii_uppercase() && !b"DFIQUV".contains(&byte);
            let has_form = is_letter(bytes[0])
                && is_letter(bytes[1])
                && bytes[1] != b'O'
                && bytes[2..8].iter().all(u8::is_ascii_digit)
                && (b'A'..=b'D').contains(&bytes[8]);
            has_form.then_some("a UK national insurance number")
        }
        15..=34 => is_account(bytes).then_some("a bank account number"),
        _ => None,
    }
}

/// An IBAN: two letters, two digits, and the whole modulo 97 is 1.
fn is_account(bytes: &[u8]) -> bool {
    let has_form = bytes[..2].iter().all(u8::is_ascii_uppercase)
        && bytes[2..4].iter().all(u8::is_ascii_digit)
        && bytes.iter().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
    let rest = bytes[4..].iter().chain(&bytes[..4]).fold(0_u32, |rest, byte| match byte {
        b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
        _ => (rest * 100 + u32::from(byte.wrapping_sub(b'A')) + 10) % 97,
    });
    has_form && rest == 1
}
