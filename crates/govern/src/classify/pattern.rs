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
    /// Nothing, where no dot follows.
    Visible,
}

impl Step {
    /// Whether one character may be what both take, slashes aside.
    fn may_be_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Char(one), Self::Char(other)) => one == other,
            (Self::Char(character), Self::Class { negated, ranges })
            | (Self::Class { negated, ranges }, Self::Char(character)) => {
                is_in(ranges, *character) != *negated
            }
            _ => true,
        }
    }
}

fn is_in(ranges: &[(char, char)], character: char) -> bool {
    ranges.iter().any(|&(low, high)| (low..=high).contains(&character))
}

/// Stands in a pattern before a wildcard that matches no name which begins with a dot. No path holds this character.
pub const VISIBLE: char = '\0';

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

/// Whether some path matches both patterns.
pub fn overlap(one: &str, other: &str, fold: bool) -> bool {
    let (one, other) = (steps(one, fold), steps(other, fold));
    let index = |(at, mode): (usize, Mode)| at * 3 + mode as usize;
    let width = index((other.len() + 1, Mode::Open));
    let mut seen = vec![false; index((one.len() + 1, Mode::Open)) * width];
    let mut open = vec![((0, Mode::Open), (0, Mode::Open))];
    while let Some((left, right)) = open.pop() {
        if std::mem::replace(&mut seen[index(left) * width + index(right)], true) {
            continue;
        }
        if left.0 == one.len() && right.0 == other.len() {
            return true;
        }
        open.extend(without_a_character(&one, left).map(|left| (left, right)));
        open.extend(without_a_character(&other, right).map(|right| (left, right)));
        let (Some(step), Some(beside)) = (one.get(left.0), other.get(right.0)) else { continue };
        let is_dot = [step, beside].iter().any(|step| matches!(step, Step::Char('.')));
        if is_dot && [left.1, right.1].contains(&Mode::Visible) || !step.may_be_as(beside) {
            continue;
        }
        for slash in [true, false] {
            if let (Some(left), Some(right)) = (behind(step, left.0, slash), behind(beside, right.0, slash)) {
                open.push((left, right));
            }
        }
    }
    false
}

/// What holds at a place in a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Open,
    /// A name was begun that ends with a slash.
    Within,
    /// The next character is no dot.
    Visible,
}

/// The place behind a step that takes nothing.
fn without_a_character(steps: &[Step], (at, mode): (usize, Mode)) -> Option<(usize, Mode)> {
    match steps.get(at)? {
        Step::Visible => Some((at + 1, Mode::Visible)),
        Step::Star | Step::Stars => Some((at + 1, mode)),
        Step::Folders if mode != Mode::Within => Some((at + 1, mode)),
        _ => None,
    }
}

/// The place behind a step that took a slash, or a character that is none.
fn behind(step: &Step, at: usize, slash: bool) -> Option<(usize, Mode)> {
    match step {
        Step::Char(character) => (slash == (*character == '/')).then_some((at + 1, Mode::Open)),
        Step::Any | Step::Class { .. } => (!slash).then_some((at + 1, Mode::Open)),
        Step::Star => (!slash).then_some((at, Mode::Open)),
        Step::Stars => Some((at, Mode::Open)),
        Step::Folders => Some((at, if slash { Mode::Open } else { Mode::Within })),
        Step::Visible => None,
    }
}

/// `text` as a pattern that matches it alone.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '*' | '?' | '[' | ']' | '\\' | VISIBLE) {
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
            VISIBLE => steps.push(Step::Visible),
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
    let mut states = states.to_vec();
    for (state, step) in steps.iter().enumerate() {
        if states[state] && character != '.' && matches!(step, Step::Visible) {
            enter(steps, &mut states, state + 1);
        }
        if !states[state] {
            continue;
        }
        match step {
            Step::Char(wanted) if *wanted == character => enter(steps, &mut next, state + 1),
            Step::Any if character != '/' => enter(steps, &mut next, state + 1),
            Step::Class { negated, ranges } if character != '/' && is_in(ranges, character) != *negated => {
                enter(steps, &mut next, state + 1);
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
    use super::{matches, overlap, reaches_into};

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
    fn a_wildcard_of_a_shell_passes_by_names_that_begin_with_a_dot() {
        assert!(matches("/r/\0*", "/r/src/a", true, false));
        assert!(!matches("/r/\0*", "/r/.git", true, false));
        assert!(!matches("/r/\0*.pyc", "/r/.pyc", false, false));
        assert!(!reaches_into("/r/\0*/x", "/r/.git", false));
        assert!(reaches_into("/r/\0*/x", "/r/git", false));
    }

    #[test]
    fn patterns_overlap_where_a_path_matches_both() {
        for (one, other, expected) in [
            ("/r/*.pem", "/r/*.pem", true),
            ("/r/a*", "/r/*b", true),
            ("/r/*.pem", "/r/src/*", false),
            ("/r/**/*.pem", "/r/src/*", true),
            ("/r/**/x", "/r/ax", false),
            ("/r/**/x", "/r/x", true),
            ("/r/**/x", "/r/*/*/x", true),
            ("/r/[a-c]", "/r/b", true),
            ("/r/[!a-c]", "/r/b", false),
            ("/r/\0*", "/r/.env", false),
            ("/r/\0*v", "/r/e*", true),
            ("/r/**", "/r/.git/x", true),
            ("/r/?", "/r/a/b", false),
        ] {
            assert_eq!(overlap(one, other, false), expected, "{one} {other}");
            assert_eq!(overlap(other, one, false), expected, "{other} {one}");
        }
    }

    #[test]
    fn many_stars_take_no_longer() {
        let pattern = "*a".repeat(2_000);
        let path = "a".repeat(4_000);
        matches(&pattern, &path, true, false);
        overlap(&"*a".repeat(500), &"*b".repeat(500), false);
    }
}
