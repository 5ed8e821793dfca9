//! The anchors that GitHub gives to headings.

use std::collections::HashMap;

/// The anchors of the headings of one page, which are made in order: an anchor that is taken gets a number.
#[derive(Debug, Default)]
pub(super) struct Slugs {
    taken: HashMap<String, usize>,
}

impl Slugs {
    /// The anchor of the next heading.
    pub fn next(&mut self, title: &str) -> String {
        let plain = plain(title);
        let mut slug = plain.clone();
        while self.taken.contains_key(&slug) {
            let count = self.taken.entry(plain.clone()).or_default();
            *count += 1;
            slug = format!("{plain}-{count}");
        }
        self.taken.insert(slug.clone(), 0);
        slug
    }
}

/// Lower case, blanks as dashes, and no other punctuation than `-` and `_`.
fn plain(title: &str) -> String {
    let kept = |c: char| match c {
        ' ' => Some('-'),
        '-' | '_' => Some(c),
        c if c.is_alphanumeric() => Some(c),
        _ => None,
    };
    title.trim().to_lowercase().chars().filter_map(kept).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_those_of_github() {
        let mut slugs = Slugs::default();
        for (title, slug) in [
            ("18. Dynamic cascade controller", "18-dynamic-cascade-controller"),
            ("16. Enforcement/trust root", "16-enforcementtrust-root"),
            ("A & B", "a--b"),
            ("Notes", "notes"),
            ("Notes", "notes-1"),
            ("Notes", "notes-2"),
            ("Notes 1", "notes-1-1"),
            ("`code_of` it", "code_of-it"),
            ("!", ""),
            ("?", "-1"),
        ] {
            assert_eq!(slugs.next(title), slug, "{title}");
        }
    }
}
