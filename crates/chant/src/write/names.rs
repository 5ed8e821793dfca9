//! The file of a new record.

use gate::Refusal;
use store::git::RepoPath;

use crate::codes;
use crate::kind::Kind;

const LONGEST_SLUG: usize = 48;

/// `title` as part of a file name: lower-case letters and digits, and one dash for each run of anything else.
pub fn slug(title: &str) -> String {
    let mut slug = String::new();
    for letter in title.to_lowercase().chars().filter(|&letter| letter != '`') {
        if letter.is_ascii_lowercase() || letter.is_ascii_digit() {
            slug.push(letter);
        } else if !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.strip_prefix('-').unwrap_or(&slug);
    let slug = slug.strip_suffix('-').unwrap_or(slug);
    let slug = &slug[..slug.len().min(LONGEST_SLUG)];
    slug.strip_suffix('-').unwrap_or(slug).to_owned()
}

/// The file of a new record: `<id>-<slug of the title>.md`, else `<id>.md`, whichever the kind's pattern takes.
///
/// # Errors
/// `record-path-unmatched`.
pub fn file(kind: &Kind, id: &str, title: Option<&str>) -> Result<RepoPath, Refusal> {
    let refuse = |message: String| Refusal::new(codes::RECORD_PATH_UNMATCHED, message);
    if id.is_empty()
        || id.starts_with('.')
        || id.contains(|letter: char| matches!(letter, '/' | '\\') || letter.is_control())
    {
        return Err(refuse(format!("the id {id:?} can't begin a file name")));
    }
    let long = title.map(slug).filter(|slug| !slug.is_empty()).map(|slug| format!("{id}-{slug}.md"));
    let tried: Vec<String> = long.into_iter().chain([format!("{id}.md")]).collect();
    match tried.iter().find(|name| kind.holds(name.as_bytes())) {
        Some(name) => Ok(kind.folder.join(name)),
        None => Err(refuse(format!(
            "the kind {} takes no file named {}: its names match {}",
            kind.name,
            tried.join(" or "),
            kind.matches.as_str()
        ))
        .hint("give an id of the form that the kind's files have")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_plain() {
        for (title, expected) in [
            ("How the app is deployed", "how-the-app-is-deployed"),
            ("Use `git log -L`, not blame!", "use-git-log-l-not-blame"),
            ("  Émile & Zoë  ", "mile-zo"),
            ("", ""),
            ("???", ""),
            ("../../etc/passwd", "etc-passwd"),
            (
                "a title that is far too long to be the name of any file at all",
                "a-title-that-is-far-too-long-to-be-the-name-of-a",
            ),
            (
                "forty-eight characters and then a blank place he re",
                "forty-eight-characters-and-then-a-blank-place-he",
            ),
        ] {
            assert_eq!(slug(title), expected);
            assert!(slug(title).len() <= LONGEST_SLUG);
        }
    }
}
