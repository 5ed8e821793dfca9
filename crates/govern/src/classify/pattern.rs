//! Matching a path against a pattern, in time proportional to both.

/// What one step of a pattern takes.
enum Step {
    /// This character.
    Char(char),
    /// One character that is no slash.
    Any,
    /// One character of a class.
    Class { negated: bool, ranges: Vec<(char, char)> },
    /// Any number of characters that are no slash.
    Star,
    /// Any number of characters.
    Stars,
    /// Nothing, or any characters with a slash behind them.
    Folders,
}

/// Whether the whole of `path` matches `pattern`, or with `tree` a folder that `path` lies in does.
pub fn matches(pattern: &str, path: &str, tree: bool, fold: bool) -> bool {
    let steps = steps(pattern, fold);
    let mut states = start(&steps);
    for character in path.chars() {
        if tree && character == '/' && states[steps.len()] {
            return true;
        }
        states = advance(&steps, &states, character);
    }
    states[steps.len()]
}

/// Whether `pattern` matches a path below the folder `path`.
pub fn reaches_into(pattern: &str, path: &str, fold: bool) -> bool {
    let steps = steps(pattern, fold);
    let mut states = start(&steps);
    for character in path.chars().chain(['/']) {
        states = advance(&steps, &states, character);
    }
    states.contains(&true)
}

/// `text` as a pattern that matches it alone.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '*' | '?' | '[' | ']' | '\\') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

fn steps(pattern: &str, fold: bool) -> Vec<Step> {
    let lowered;
    let pattern = if fold {
        lowered = gate::protected::folded(pattern);
        &lowered
    } else {
        pattern
    };
    let characters: Vec<char> = pattern.chars().collect();
    let mut steps = Vec::with_capacity(characters.len());
    let mut at = 0;
    while let Some(&character) = characters.get(at) {
        at += 1;
        match character {
            '\\' => {
                steps.push(Step::Char(characters.get(at).copied().unwrap_or('\\')));
                at += 1;
            }
            '?' => steps.push(Step::Any),
            '*' if characters.get(at) == Some(&'*') => {
                while characters.get(at) == Some(&'*') {
                    at += 1;
                }
                let begins_name = matches!(steps.last(), None | Some(Step::Char('/') | Step::Folders));
                if begins_name && characters.get(at) == Some(&'/') {
                    at += 1;
                    steps.push(Step::Folders);
                } else {
                    steps.push(Step::Stars);
                }
            }
            '*' => steps.push(Step::Star),
            '[' => match class(&characters, at) {
                Some((step, end)) => {
                    steps.push(step);
                    at = end;
                }
                None => steps.push(Step::Char('[')),
            },
            _ => steps.push(Step::Char(character)),
        }
    }
    steps
}

/// The class that begins at `at`, after its bracket, and where it ends.
fn class(characters: &[char], mut at: usize) -> Option<(Step, usize)> {
    let negated = matches!(characters.get(at), Some('!' | '^'));
    if negated {
        at += 1;
    }
    let first = at;
    let mut ranges = Vec::new();
    loop {
        let mut character = *characters.get(at)?;
        if character == ']' && at > first {
            return Some((Step::Class { negated, ranges }, at + 1));
        }
        if character == '/' {
            return None;
        }
        if character == '[' && matches!(characters.get(at + 1), Some(':' | '.' | '=')) {
            // A named class may hold any character.
            let end = at + 2 + characters[at + 2..].iter().position(|&other| other == ']')?;
            ranges.push(('\0', char::MAX));
            at = end + 1;
            continue;
        }
        if character == '\\' {
            at += 1;
            character = *characters.get(at)?;
        }
        at += 1;
        if characters.get(at) == Some(&'-') && characters.get(at + 1).is_some_and(|&next| next != ']') {
            ranges.push((character, characters[at + 1]));
            at += 2;
        } else {
            ranges.push((character, character));
        }
    }
}

fn start(steps: &[Step]) -> Vec<bool> {
    let mut states = vec![false; steps.len() + 1];
    enter(steps, &mut states, 0);
    states
}

/// Marks a state, and those behind steps that may take nothing.
fn enter(steps: &[Step], states: &mut [bool], mut state: usize) {
    loop {
        states[state] = true;
        match steps.get(state) {
            Some(Step::Star | Step::Stars | Step::Folders) => state += 1,
            _ => return,
        }
    }
}

fn advance(steps: &[Step], states: &[bool], character: char) -> Vec<bool> {
    let mut next = vec![false; states.len()];
    for (state, step) in steps.iter().enumerate() {
        if !states[state] {
            continue;
        }
        match step {
            Step::Char(wanted) if *wanted == character => enter(steps, &mut next, state + 1),
            Step::Any if character != '/' => enter(steps, &mut next, state + 1),
            Step::Class { negated, ranges } if character != '/' => {
                let is_in = ranges.iter().any(|&(low, high)| (low..=high).contains(&character));
                if is_in != *negated {
                    enter(steps, &mut next, state + 1);
                }
            }
            Step::Star if character != '/' => enter(steps, &mut next, state),
            Step::Stars => enter(steps, &mut next, state),
            Step::Folders if character == '/' => enter(steps, &mut next, state),
            Step::Folders => next[state] = true,
            _ => {}
        }
    }
    next
}

#[cfg(test)]
mod tests {
    use super::{matches, reaches_into};

    #[test]
    fn a_star_stays_within_a_name_and_two_go_across() {
        assert!(matches("/r/tests/*.py", "/r/tests/a.py", false, false));
        assert!(!matches("/r/*.py", "/r/tests/a.py", false, false));
        assert!(matches("**/a.py", "/r/tests/a.py", false, false));
        assert!(matches("/r/**/a.py", "/r/a.py", false, false));
        assert!(!matches("/r/**/a.py", "/r/t/ba.py", false, false));
        assert!(matches("/r/te*", "/r/tests/a.py", true, false));
        assert!(matches("/r/tests/[a-c]?py", "/r/tests/b.py", false, false));
        assert!(!matches("/r/tests/[!a-c].py", "/r/tests/b.py", false, false));
        assert!(matches("/r/\\*", "/r/*", false, false));
        assert!(matches("/R/A.py", "/r/a.py", false, true));
    }

    #[test]
    fn a_pattern_reaches_into_a_folder() {
        assert!(reaches_into("/r/*/x", "/r/.git", false));
        assert!(!reaches_into("/r/*.py", "/r/.git", false));
    }

    #[test]
    fn many_stars_take_no_longer() {
        let pattern = "*a".repeat(2_000);
        let path = "a".repeat(4_000);
        matches(&pattern, &path, true, false);
    }
}
