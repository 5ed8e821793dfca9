//! Names of people and machines.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use unicode_normalization::UnicodeNormalization;

/// Whoever signs, reviews, writes or holds a role.
///
/// Two spellings are one principal when they agree after NFKC, trimming and lower case; what is shown is the spelling
/// that was read.
#[derive(Debug, Clone)]
pub struct Principal {
    written: String,
    normal: String,
}

impl Principal {
    /// The principal of this name; none where nothing is left of it.
    pub fn new(name: &str) -> Option<Self> {
        let normal = normalise(name);
        (!normal.is_empty()).then(|| Self { written: trim(name).to_owned(), normal })
    }

    /// The name as it was written, without blanks around it.
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// The name in the form that is compared.
    pub fn normal(&self) -> &str {
        &self.normal
    }

    /// Whether `name` names this principal.
    pub fn is(&self, name: &str) -> bool {
        self.normal == normalise(name)
    }
}

impl PartialEq for Principal {
    fn eq(&self, other: &Self) -> bool {
        self.normal == other.normal
    }
}

impl Eq for Principal {}

impl PartialOrd for Principal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Principal {
    fn cmp(&self, other: &Self) -> Ordering {
        self.normal.cmp(&other.normal)
    }
}

impl Hash for Principal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.normal.hash(state);
    }
}

impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

/// The form in which names are compared: NFKC, trimmed, lower case.
pub fn normalise(name: &str) -> String {
    let composed: String = name.nfkc().collect();
    trim(&composed).to_lowercase()
}

/// Whether two names are one principal.
pub fn is_same(a: &str, b: &str) -> bool {
    a == b || normalise(a) == normalise(b)
}

/// Whether `name` is an account of a forge: `github:login`, `gitlab@host.tld:login`, and so on. Forgejo and Gitea have
/// no home of their own, so they need a host.
pub fn is_forge_identity(name: &str) -> bool {
    let name = normalise(name);
    let Some((place, login)) = name.split_once(':') else { return false };
    let (forge, host) = match place.split_once('@') {
        Some((forge, host)) => (forge, Some(host)),
        None => (place, None),
    };
    let forge = match forge {
        "github" | "gitlab" => true,
        "forgejo" | "gitea" => host.is_some(),
        _ => false,
    };
    forge && host.is_none_or(is_host) && is_login(login)
}

fn is_host(host: &str) -> bool {
    let label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    host.contains('.') && host.split('.').all(label)
}

fn is_login(login: &str) -> bool {
    // An app of GitHub's acts as `name[bot]`.
    let login = login.strip_suffix("[bot]").unwrap_or(login);
    login.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '_')
        && login.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

fn trim(name: &str) -> &str {
    name.trim_matches(|letter: char| letter.is_whitespace() || letter == '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_name() {
        let alice = Principal::new(" Alice@Example.org ").unwrap();
        assert_eq!(alice.as_str(), "Alice@Example.org");
        for name in ["alice@example.org", "ＡLICE@example.org", "\u{feff}alice@example.org\t"] {
            assert!(alice.is(name), "{name}");
            assert_eq!(Principal::new(name).unwrap(), alice);
        }
        assert!(!alice.is("alice@example.com"));
        // A Cyrillic letter that looks the same is another name.
        assert!(!alice.is("аlice@example.org"));
        assert_eq!(Principal::new(" \t"), None);
    }

    #[test]
    fn accounts_of_forges() {
        for name in [
            "github:octocat",
            " GitHub:Octo-Cat ",
            "github:renovate[bot]",
            "gitlab@git.example.org:a.b_c",
            "forgejo@codeberg.org:a",
            "gitea@x.y:a",
        ] {
            assert!(is_forge_identity(name), "{name}");
        }
        for name in [
            "alice",
            "alice@example.org",
            "github:",
            "github:-a",
            "github:a b",
            "github:a:b",
            "github@:a",
            "github@host:a",
            "github@a..b:a",
            "forgejo:a",
            "gitea:a",
            "bitbucket:a",
            "github:a/b",
            "github:[bot]",
        ] {
            assert!(!is_forge_identity(name), "{name}");
        }
    }
}
