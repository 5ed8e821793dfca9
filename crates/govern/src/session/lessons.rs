//! The read gate of lessons (RG-1): a lesson whose signature comes up again although nobody read it is a skip that is
//! flagged once.
//!
//! A lesson is a Markdown file whose front matter has a `signature`: a text, or a list of texts, that its fault shows. One
//! that is an entry of the vault counts while it may be used.

use canon::front_matter;
use serde_json::Value;

use super::Session;
use crate::knowledge::{self, Folder};

/// The shortest signature that tells anything.
const SHORTEST: usize = 4;

/// The marks that say which lessons came up: `lesson:<path>`.
const CAME_UP: &str = "lesson:";

/// The marks that say which of them were flagged: `lesson-skipped:<path>`.
const FLAGGED: &str = "lesson-skipped:";

/// A lesson with what it is recognised by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lesson {
    /// The file, from the root.
    pub path: String,
    signatures: Vec<String>,
}

impl Lesson {
    /// The lesson in a file; none where nothing says how it is recognised, or where it may not be used in `project`.
    pub fn read(path: &str, bytes: &[u8], project: &str) -> Option<Self> {
        let document = front_matter::parse(bytes).ok()?;
        let is_kept_out = |entry: knowledge::Entry| !entry.is_usable(project);
        if knowledge::Entry::read(path, Folder::Lessons, bytes).is_ok_and(is_kept_out) {
            return None;
        }
        let texts = match document.data.get("signature")? {
            Value::String(text) => vec![text.as_str()],
            Value::Array(values) => values.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let signatures: Vec<String> =
            texts.into_iter().map(folded).filter(|text| text.chars().count() >= SHORTEST).collect();
        (!signatures.is_empty()).then(|| Self { path: path.to_owned(), signatures })
    }
}

/// The mark for each lesson whose signature stands in a text and that did not come up before.
pub fn come_up(text: &str, lessons: &[Lesson], session: &Session) -> Vec<String> {
    let text = folded(text);
    let found =
        lessons.iter().filter(|lesson| lesson.signatures.iter().any(|one| text.contains(one.as_str())));
    found
        .map(|lesson| format!("{CAME_UP}{}", lesson.path))
        .filter(|mark| !session.marks.contains_key(mark))
        .collect()
}

/// The lessons that came up, were never read in the session, and are not flagged yet.
pub fn skipped(session: &Session) -> Vec<String> {
    let came_up = session.marks.keys().filter_map(|mark| mark.strip_prefix(CAME_UP));
    came_up
        .filter(|path| !session.reads.contains_key(*path) && !session.marks.contains_key(&flag(path)))
        .map(str::to_owned)
        .collect()
}

/// The mark that flags a lesson.
pub fn flag(path: &str) -> String {
    format!("{FLAGGED}{path}")
}

/// A text without case, with one blank for each run of them.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{Entry, Read};

    fn lesson(signature: &str) -> Option<Lesson> {
        let text = format!("---\nsignature: {signature}\n---\n\nWhat to do.\n");
        Lesson::read("lessons/a.md", text.as_bytes(), "demo")
    }

    fn mark(session: &mut Session, name: String) {
        session.learn(Entry::Mark { name, value: String::new() });
    }

    /// RG-1.
    #[test]
    fn a_lesson_that_comes_up_unread_is_flagged_once() {
        let lessons = [lesson("\"connection refused\"").unwrap()];
        let mut session = Session::default();
        assert!(come_up("all is well", &lessons, &session).is_empty());
        for name in come_up("Error: Connection\n  refused (111)", &lessons, &session) {
            mark(&mut session, name);
        }
        assert!(come_up("connection refused", &lessons, &session).is_empty(), "it came up already");
        assert_eq!(skipped(&session), ["lessons/a.md"]);
        mark(&mut session, flag("lessons/a.md"));
        assert!(skipped(&session).is_empty());
    }

    #[test]
    fn a_lesson_that_was_read_is_no_skip() {
        let lessons = [lesson("[timed out, flaky test]").unwrap()];
        let mut session = Session::default();
        for name in come_up("the job timed out", &lessons, &session) {
            mark(&mut session, name);
        }
        let read = Read {
            path: "lessons/a.md".into(),
            first: 1,
            last: None,
            content: None,
            by: None,
            compactions: None,
        };
        session.learn(Entry::Read(read));
        assert!(skipped(&session).is_empty());
    }

    #[test]
    fn a_file_that_says_no_signature_is_no_lesson() {
        for text in ["abc", "7", "[]", "{}", "\"  \""] {
            assert_eq!(lesson(text), None, "{text}");
        }
        assert_eq!(Lesson::read("a.md", b"no front matter", "demo"), None);
        assert_eq!(Lesson::read("a.md", b"\xff", "demo"), None);
    }

    /// WS-008, WS-009: nobody need have read what may not be used.
    #[test]
    fn an_entry_that_may_not_be_used_is_no_lesson() {
        let kept = |more: &str| lesson(&format!("timed out\n{more}")).is_some();
        for more in ["status: candidate", "status: promoted", "scope: project:demo", "signatures: [a]"] {
            assert!(kept(more), "{more}");
        }
        for more in [
            "status: archived",
            "status: erased",
            "scope: project:other",
            "scope: shared",
            "quarantine: { by: a, at: \"2026-12-01T00:00:00.000Z\", why: b }",
        ] {
            assert!(!kept(more), "{more}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_a_lesson_or_none(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200), text in ".{0,60}") {
            let mut file = b"---\nsignature: ".to_vec();
            file.extend(bytes);
            file.extend(b"\n---\n");
            let lessons: Vec<Lesson> = Lesson::read("a.md", &file, "demo").into_iter().collect();
            come_up(&text, &lessons, &Session::default());
        }
    }
}
