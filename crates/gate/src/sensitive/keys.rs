//! Keys that are named like a credential, and values that are none.

/// What the last word of a credential's key ends with, in lower case.
const LAST: [&str; 9] = [
    "token",
    "secret",
    "password",
    "passwd",
    "credential",
    "credentials",
    "apikey",
    "privatekey",
    "accesskey",
];

/// The last two words of a credential's key.
const LAST_TWO: [(&str, &str); 3] = [("api", "key"), ("private", "key"), ("access", "key")];

/// Where secret managers keep secrets.
const MANAGERS: [&str; 3] = ["op://", "bws://", "infisical://"];

/// Whether what stands under a key is a credential: `API_KEY`, `githubToken`, `password`. A key that says where one is,
/// or how it looks, is none: `TOKEN_FILE`, `secretKey`, `tokenHash`.
pub fn is_credential(key: &str) -> bool {
    let words = words(key);
    match &words[..] {
        [.., before, last] if LAST_TWO.contains(&(before.as_str(), last.as_str())) => true,
        [.., last] => LAST.iter().any(|ending| last.ends_with(ending)),
        [] => false,
    }
}

/// The words of `SNAKE_CASE`, `kebab-case`, `dotted.names` and `camelCase`, in lower case.
fn words(key: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = '_';
    for letter in key.chars() {
        if !letter.is_alphanumeric() {
            before = letter;
            continue;
        }
        let begins = !before.is_alphanumeric() || letter.is_uppercase() && !before.is_uppercase();
        match words.last_mut() {
            Some(word) if !begins => word.extend(letter.to_lowercase()),
            _ => words.push(letter.to_lowercase().collect()),
        }
        before = letter;
    }
    words
}

/// Whether a value is filled in from elsewhere: a variable, a template's placeholder, an address of a secret manager, or
/// nothing at all.
pub fn is_reference(value: &str) -> bool {
    let value = value.trim();
    let is_placeholder = value.starts_with("{{") && value.ends_with("}}");
    value.is_empty()
        || value.starts_with('$')
        || value.contains("${")
        || is_placeholder
        || MANAGERS.iter().any(|manager| value.starts_with(manager))
}

/// Whether a value under a credential's key says where the credential is: a path, an address, the name of a variable.
pub fn is_elsewhere(value: &str) -> bool {
    let value = value.trim();
    let is_path = ["/", "~", "./", "../"].iter().any(|start| value.starts_with(start));
    let is_address = value.split_once("://").is_some_and(|(scheme, _)| {
        scheme.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte))
    });
    let is_variable = value.starts_with(|letter: char| letter.is_ascii_uppercase())
        && value.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    is_path || is_address || is_variable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_credentials() {
        for key in [
            "API_KEY",
            "api-key",
            "apiKey",
            "APIKEY",
            "GITHUB_TOKEN",
            "token",
            "authToken",
            "authtoken",
            "credential",
            "credentials",
            "password",
            "db.password",
            "DB_PASSWD",
            "AWS_SECRET_ACCESS_KEY",
            "privateKey",
            "clientSecret",
        ] {
            assert!(is_credential(key), "{key}");
        }
        for key in [
            "secretKey",
            "TOKEN_FILE",
            "tokenHash",
            "tokens",
            "key",
            "",
            "passwordless",
            "TOKEN_PATH",
            "monkey",
        ] {
            assert!(!is_credential(key), "{key}");
        }
    }

    #[test]
    fn values_that_are_no_secrets() {
        for value in
            ["", " ", "${A}", "x-${A}", "$A", "$(a)", "{{ a }}", "op://a/b", "bws://a", "infisical://a"]
        {
            assert!(is_reference(value), "{value}");
        }
        for value in ["/run/secrets/a", "~/a", "./a", "../a", "https://a.example/b", "GIT_TOKEN", "A"] {
            assert!(is_elsewhere(value), "{value}");
        }
        for value in ["hunter2", "a/b", "a$b", "Abc", "1A", "{{a", "op:/a"] {
            assert!(!is_reference(value) && !is_elsewhere(value), "{value}");
        }
    }
}
