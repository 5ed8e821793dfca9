//! Paths by pattern, matched without a regular expression: cheap to make, bounded to match.

/// Whether `pattern` matches the whole of `path`. `*` and `?` stay within a segment, `**` as a segment crosses any
/// number of them, `[...]` is a class (`!` or `^` negates it), `\` takes the next letter as it is. Names that begin
/// with a dot are matched like others.
pub(super) fn matches(pattern: &[u8], path: &[u8]) -> bool {
    let pattern: Vec<&[u8]> = pattern.split(|&byte| byte == b'/').collect();
    let path: Vec<&[u8]> = path.split(|&byte| byte == b'/').collect();
    segments(&pattern, &path)
}

/// Whether `pattern` may match something below the folder `path`, or matches the folder or one that it lies in, with
/// which everything below is meant.
pub(super) fn reaches_into(pattern: &[u8], path: &[u8]) -> bool {
    let pattern: Vec<&[u8]> = pattern.split(|&byte| byte == b'/').collect();
    // Where in the pattern one may be, once the folder's names so far are matched.
    let mut at = vec![false; pattern.len() + 1];
    enter(&pattern, &mut at, 0);
    for name in path.split(|&byte| byte == b'/').filter(|name| !name.is_empty()) {
        let mut next = vec![false; at.len()];
        for (place, part) in pattern.iter().enumerate().filter(|(place, _)| at[*place]) {
            if *part == b"**" {
                enter(&pattern, &mut next, place);
            } else if segment(part, name) {
                enter(&pattern, &mut next, place + 1);
            }
        }
        if next[pattern.len()] {
            return true;
        }
        at = next;
    }
    at.contains(&true)
}

/// Marks a place in a pattern, and those behind parts that may take nothing.
fn enter(pattern: &[&[u8]], at: &mut [bool], mut place: usize) {
    at[place] = true;
    while pattern.get(place) == Some(&&b"**"[..]) {
        place += 1;
        at[place] = true;
    }
}

/// Greedy with one way back, as for `*` within a segment: the last `**` takes one segment more.
fn segments(pattern: &[&[u8]], path: &[&[u8]]) -> bool {
    let (mut at, mut on) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while on < path.len() {
        if pattern.get(at) == Some(&&b"**"[..]) {
            back = Some((at, on));
            at += 1;
        } else if pattern.get(at).is_some_and(|part| segment(part, path[on])) {
            at += 1;
            on += 1;
        } else if let Some((wild, taken)) = back {
            back = Some((wild, taken + 1));
            at = wild + 1;
            on = taken + 1;
        } else {
            return false;
        }
    }
    pattern[at.min(pattern.len())..].iter().all(|part| *part == b"**")
}

fn segment(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut on) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while on < name.len() {
        if pattern.get(at) == Some(&b'*') {
            back = Some((at, on));
            at += 1;
        } else if let Some(next) = one(pattern, at, name[on]) {
            at = next;
            on += 1;
        } else if let Some((wild, taken)) = back {
            back = Some((wild, taken + 1));
            at = wild + 1;
            on = taken + 1;
        } else {
            return false;
        }
    }
    pattern[at.min(pattern.len())..].iter().all(|&byte| byte == b'*')
}

/// Where the pattern goes on after it matched one byte at `at`; none where it does not match.
fn one(pattern: &[u8], at: usize, byte: u8) -> Option<usize> {
    match *pattern.get(at)? {
        b'?' => Some(at + 1),
        b'[' => match class(&pattern[at + 1..], byte) {
            Some((true, length)) => Some(at + 1 + length),
            Some((false, _)) => None,
            // A bracket that does not close is a letter.
            None => (byte == b'[').then_some(at + 1),
        },
        b'\\' => (*pattern.get(at + 1)? == byte).then_some(at + 2),
        literal => (literal == byte).then_some(at + 1),
    }
}

/// Whether the class that begins here holds the byte, and how long the class is with its closing bracket.
fn class(pattern: &[u8], byte: u8) -> Option<(bool, usize)> {
    let negated = matches!(pattern.first(), Some(b'!' | b'^'));
    let mut at = usize::from(negated);
    let start = at;
    let mut holds = false;
    loop {
        match *pattern.get(at)? {
            b']' if at > start => return Some((holds != negated, at + 1)),
            low if pattern.get(at + 1) == Some(&b'-')
                && pattern.get(at + 2).is_some_and(|&end| end != b']') =>
            {
                holds |= (low..=pattern[at + 2]).contains(&byte);
                at += 3;
            }
            letter => {
                holds |= letter == byte;
                at += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_mean_what_people_expect() {
        for (pattern, path, expected) in [
            ("a/b", "a/b", true),
            ("a/*", "a/b", true),
            ("a/*", "a/b/c", false),
            ("*.py", "x.py", true),
            ("*.py", "d/x.py", false),
            ("**/*.py", "x.py", true),
            ("**/*.py", "a/b/x.py", true),
            ("a/**", "a", true),
            ("a/**", "a/b/c", true),
            ("a/**/z", "a/z", true),
            ("a/**/z", "a/b/c/z", true),
            ("a/**/z", "a/b/c", false),
            (".*/x", ".git/x", true),
            ("*", ".env", true),
            ("[a-c]?.t*t", "bx.test", true),
            ("[!a]x", "bx", true),
            ("[!a]x", "ax", false),
            ("[", "[", true),
            ("\\*", "*", true),
            ("\\*", "a", false),
            ("", "a", false),
        ] {
            assert_eq!(matches(pattern.as_bytes(), path.as_bytes()), expected, "{pattern} on {path}");
        }
    }

    /// A pattern without a folder counted as one that may match in each.
    #[test]
    fn a_folder_may_hold_what_the_names_of_the_pattern_allow() {
        for (pattern, folder, expected) in [
            ("secret.txt", "", true),
            ("secret.txt", "src", false),
            ("secret.txt", "secret.txt", true),
            ("*.pem", "", true),
            ("*.pem", "src", false),
            ("*.pem", "keys.pem/old", true),
            ("**/*.pem", "src/deep", true),
            ("src/**/*.lock", "src", true),
            ("src/**/*.lock", "src/a/b", true),
            ("src/**/*.lock", "docs", false),
            ("a/*/c", "a/b", true),
            ("a/*/c", "a/b/d", false),
            ("vendor/**", "vendor", true),
            ("vendor/**", "vendored", false),
            ("infra", "infra/deep", true),
        ] {
            assert_eq!(
                reaches_into(pattern.as_bytes(), folder.as_bytes()),
                expected,
                "{pattern} in {folder}"
            );
        }
    }

    #[test]
    fn a_hostile_pattern_ends() {
        let pattern = "**/*a".repeat(200);
        let path = "a/".repeat(2_000);
        assert!(!matches(pattern.as_bytes(), path.as_bytes()));
        assert!(reaches_into(pattern.as_bytes(), path.as_bytes()));
        assert!(!matches("*a".repeat(500).as_bytes(), "a".repeat(400).as_bytes()));
    }
}
