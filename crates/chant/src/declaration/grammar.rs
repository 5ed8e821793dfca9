//! The forms of strings in a declaration.

use super::shape::Grammar;

pub(super) const NAME: Grammar = Grammar {
    holds: is_name,
    what: "a name: lowercase letters, digits and hyphens, first a letter or digit, at most 40",
};
pub(super) const KIND_NAME: Grammar = Grammar {
    holds: is_kind_name,
    what: "a name of a kind or role: lowercase letters, digits and hyphens, first a letter, at most 40",
};
pub(super) const CLASS_NAME: Grammar = Grammar {
    holds: |text| is_kind_name(text) && !text.starts_with("x-"),
    what: "the name of a class of principals",
};
pub(super) const VERSION: Grammar =
    Grammar { holds: |text| super::Version::parse(text).is_some(), what: "a version such as 1.2.3" };
pub(super) const DIR: Grammar = Grammar {
    holds: |text| text == "." || is_path(text),
    what: "a directory in here: a relative path with `/`, without `.` and `..`",
};
pub(super) const PATH: Grammar =
    Grammar { holds: is_path, what: "a path in here: relative, with `/`, without `.` and `..`" };
pub(super) const GLOB: Grammar =
    Grammar { holds: is_path, what: "a glob in here: relative, with `/`, without `.` and `..`" };
pub(super) const TEXT: Grammar = Grammar { holds: |text| !text.is_empty(), what: "text" };
pub(super) const ANY: Grammar = Grammar { holds: |_| true, what: "text" };
pub(super) const CHECK_ID: Grammar = Grammar {
    holds: |text| {
        text.strip_prefix("WSP")
            .is_some_and(|digits| digits.len() == 3 && all(digits, |b| b.is_ascii_digit()))
    },
    what: "the id of a check, such as WSP009",
};
pub(super) const OUTPUT: Grammar = Grammar {
    holds: |text| !text.is_empty() && text.chars().count() <= 255 && text.chars().all(|c| c >= ' '),
    what: "the name of an output: up to 255 characters, none of them a control character",
};
pub(super) const SCOPE_WORD: Grammar = Grammar {
    holds: |text| !text.is_empty() && text.chars().all(|c| c >= ' '),
    what: "text without control characters",
};
pub(super) const STATE_NAME: Grammar = Grammar {
    holds: |text| word(text, 64, |b| b.is_ascii_alphabetic() || b == b'_', |b| matches!(b, b'_' | b'-')),
    what: "a name such as HUD_DB_PATH",
};
pub(super) const COOKIE: Grammar = Grammar {
    holds: |text| word(text, 64, |b| b.is_ascii_alphabetic(), |b| matches!(b, b'_' | b'-')),
    what: "the name of a cookie",
};
pub(super) const PACKAGE: Grammar = Grammar { holds: is_package, what: "the name of a package" };
pub(super) const INTEGRITY: Grammar =
    Grammar { holds: is_integrity, what: "an integrity value such as sha256-... in base64" };
pub(super) const DURATION: Grammar = Grammar { holds: is_duration, what: "a duration such as 3s" };
pub(super) const INTERVAL: Grammar = Grammar {
    holds: |text| {
        is_duration(text) || ["h", "d"].iter().any(|unit| text.strip_suffix(unit).is_some_and(is_number))
    },
    what: "a duration such as 10m",
};
pub(super) const WINDOW: Grammar = Grammar {
    holds: |text| {
        let digits = text.trim_end_matches(['m', 'h', 'd']);
        digits.len() + 1 == text.len() && all(digits, |b| b.is_ascii_digit()) && !digits.starts_with('0')
    },
    what: "a time such as 24h: a number with m, h or d",
};
pub(super) const URL: Grammar = Grammar {
    holds: |text| text.starts_with("http://") || text.starts_with("https://"),
    what: "a URL that begins with http:// or https://",
};
pub(super) const REPOSITORY: Grammar = Grammar { holds: is_repository, what: "a repository as owner/name" };
pub(super) const BRANCH_PREFIX: Grammar = Grammar {
    holds: |text| all(text, |b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'/' | b'-')),
    what: "the beginning of a branch name",
};
pub(super) const TITLE: Grammar =
    Grammar { holds: |text| is_line(text, 60), what: "one line of at most 60 characters" };
pub(super) const LINE: Grammar =
    Grammar { holds: |text| is_line(text, 140), what: "one line of at most 140 characters" };
pub(super) const COVER: Grammar =
    Grammar { holds: |text| is_path(text) && is_image(text), what: "a path to a PNG, JPEG or WebP file" };
pub(super) const SHA256: Grammar = Grammar {
    holds: |text| text.len() == 64 && all(text, |b| matches!(b, b'0'..=b'9' | b'a'..=b'f')),
    what: "a SHA-256 in lower-case hex",
};
pub(super) const COMMAND: Grammar = Grammar {
    holds: |text| super::command::words(text).is_some_and(|words| !words.is_empty()),
    what: "one command line: its quotes must close",
};
pub(super) const REMOTE: Grammar = Grammar {
    holds: |text| !text.starts_with('-') && all(text, |b| b.is_ascii_alphanumeric() || b"._/-".contains(&b)),
    what: "the name of a git remote",
};

/// Whether `text` names a member, group, host, agent or workspace.
pub fn is_name(text: &str) -> bool {
    word(text, 40, |b| b.is_ascii_lowercase() || b.is_ascii_digit(), |b| b == b'-') && no_capital(text)
}

fn is_kind_name(text: &str) -> bool {
    is_name(text) && text.starts_with(|c: char| c.is_ascii_lowercase())
}

fn no_capital(text: &str) -> bool {
    !text.bytes().any(|b| b.is_ascii_uppercase())
}

/// A first byte of one class, then letters, digits and the bytes of another class.
fn word(text: &str, most: usize, first: fn(u8) -> bool, also: fn(u8) -> bool) -> bool {
    text.len() <= most
        && text.bytes().next().is_some_and(first)
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || also(b))
}

fn all(text: &str, is: fn(u8) -> bool) -> bool {
    !text.is_empty() && text.bytes().all(is)
}

fn is_path(text: &str) -> bool {
    !text.contains('\\') && text.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

fn is_package(text: &str) -> bool {
    let part = |text: &str| {
        let may = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-~._".contains(&b);
        !text.is_empty() && text.bytes().all(may) && !text.starts_with(['.', '_'])
    };
    match text.strip_prefix('@') {
        Some(scoped) => scoped.split_once('/').is_some_and(|(scope, name)| part(scope) && part(name)),
        None => part(text),
    }
}

fn is_integrity(text: &str) -> bool {
    let Some((algorithm, hash)) = text.split_once('-') else { return false };
    let digits = hash.trim_end_matches('=');
    matches!(algorithm, "sha256" | "sha384" | "sha512")
        && hash.len() - digits.len() <= 2
        && all(digits, |b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/'))
}

fn is_duration(text: &str) -> bool {
    let Some(number) = ["ms", "s", "m"].iter().find_map(|unit| text.strip_suffix(unit)) else { return false };
    is_number(number)
}

fn is_number(text: &str) -> bool {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    all(whole, |b| b.is_ascii_digit()) && all(part, |b| b.is_ascii_digit())
}

fn is_repository(text: &str) -> bool {
    let Some((owner, name)) = text.split_once('/') else { return false };
    word(owner, 39, |b| b.is_ascii_alphanumeric(), |b| b == b'-')
        && name.len() <= 100
        && all(name, |b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
}

fn is_line(text: &str, most: usize) -> bool {
    text.chars().count() <= most && !text.chars().any(char::is_control)
}

fn is_image(text: &str) -> bool {
    let name = text.to_ascii_lowercase();
    [".png", ".jpg", ".jpeg", ".webp"].iter().any(|ending| name.ends_with(ending))
}
