//! Patterns of paths in a policy, in the one form in which they are matched.

/// Where absolute paths of a machine begin, which mean nothing in a repository.
const MACHINES: [&str; 14] = [
    "Users", "Volumes", "dev", "etc", "home", "mnt", "opt", "private", "proc", "root", "sys", "tmp", "usr",
    "var",
];

/// The pattern from the top of the repository.
pub(super) fn read(written: &str) -> Result<String, &'static str> {
    if written.contains('\\') && written.as_bytes().get(1) == Some(&b':') || written.starts_with('~') {
        return Err("lies outside of the repository; write it from the top of the repository");
    }
    let parts: Vec<&str> = written.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    if parts.contains(&"..") {
        return Err("goes up with `..`; write it from the top of the repository");
    }
    let Some(first) = parts.first() else {
        return Err("names nothing; write `**` for every path");
    };
    if written.starts_with('/') && MACHINES.contains(first) || first.as_bytes().get(1) == Some(&b':') {
        return Err(
            "lies outside of the repository; leave the slash in front away where a folder at its top is meant",
        );
    }
    let is_folder = written.ends_with('/') && parts.last() != Some(&"**");
    Ok(parts.join("/") + if is_folder { "/**" } else { "" })
}

/// The line of the policy on which a text stands, from 1.
pub(super) fn line_of(written: &str, policy: &[u8]) -> usize {
    let quoted = serde_json::to_string(written).unwrap_or_default();
    let text = String::from_utf8_lossy(policy);
    text.find(&quoted).map_or(1, |at| text[..at].matches('\n').count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A slash in front or at the end, or a dot, made a pattern that matched nothing, silently.
    #[test]
    fn every_spelling_of_a_pattern_is_one() {
        for (written, expected) in [
            ("vendor/", "vendor/**"),
            ("/vendor/**", "vendor/**"),
            ("./src", "src"),
            ("/./src//a/", "src/a/**"),
            ("*.pem", "*.pem"),
            ("a/**/", "a/**"),
            ("home/x", "home/x"),
        ] {
            assert_eq!(read(written), Ok(expected.to_owned()), "{written}");
        }
        for (written, what) in [
            ("", "names nothing"),
            ("/", "names nothing"),
            ("./", "names nothing"),
            ("../x", "goes up"),
            ("a/../b", "goes up"),
            ("/home/me/x", "outside"),
            ("~/x", "outside"),
            ("C:/x", "outside"),
        ] {
            assert!(read(written).is_err_and(|fault| fault.contains(what)), "{written}");
        }
    }
}
