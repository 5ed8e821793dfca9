//! `lessons.md`: what was learned, one bullet each, given to every later context (facts 2.7).

use canon::{Timestamp, text};
use gate::Refusal;
use schemars::JsonSchema;
use serde::Serialize;
use store::file;

use crate::session::{Session, io};

const FILE: &str = "lessons.md";

/// How many of the newest lessons a context holds, and a list shows unless all are asked for.
pub const NEWEST: usize = 15;

/// One lesson.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Lesson {
    /// What was learned, one line.
    pub text: String,
    /// Who learned it; none where the line doesn't say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// On which day, `YYYY-MM-DD`; none where the line doesn't say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
}

impl Lesson {
    /// The lesson as a line of the file, without its line end.
    pub fn line(&self) -> String {
        match (&self.by, &self.on) {
            (Some(by), Some(on)) => format!("- {}  _({by}, {on})_", self.text),
            _ => format!("- {}", self.text),
        }
    }

    /// The lesson in a line of the file; none in a line that holds none.
    fn parse(line: &str) -> Option<Self> {
        let line = line.trim().strip_prefix("- ")?.trim();
        let signed =
            line.strip_suffix(")_").and_then(|line| line.rsplit_once("_(")).and_then(|(text, sign)| {
                let (by, on) = sign.rsplit_once(", ")?;
                Some(Self {
                    text: text.trim_end().to_owned(),
                    by: Some(by.to_owned()),
                    on: Some(on.to_owned()),
                })
            });
        Some(signed.unwrap_or_else(|| Self { text: line.to_owned(), by: None, on: None }))
    }
}

/// Every lesson of the spine, oldest first.
pub fn all(session: &Session<'_>) -> Result<Vec<Lesson>, Refusal> {
    Ok(session.read_text(FILE)?.lines().filter_map(Lesson::parse).collect())
}

/// A lesson that was added.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Added {
    /// The lesson.
    pub lesson: Lesson,
    /// The same text was there before, so that nothing was written.
    pub known: bool,
}

/// Adds a lesson, unless the same text is there already.
pub fn add(session: &Session<'_>, text: &str, by: &str) -> Result<Added, Refusal> {
    session.write("lesson add", |draft| {
        let text = text::one_line(text);
        if let Some(lesson) = all(session)?.into_iter().find(|lesson| lesson.text == text) {
            return Ok(Added { lesson, known: true });
        }
        let lesson = Lesson { text, by: Some(text::one_line(by)), on: Some(Timestamp::date(draft.now())) };
        // A CRLF checkout stays one.
        let (tail, _) = file::read_tail(&session.path(FILE), 2).map_err(io)?;
        let newline = if tail == b"\r\n" { "\r\n" } else { "\n" };
        draft.lines(FILE, &format!("{}{newline}", lesson.line()))?;
        draft.event("lesson-learned", "Lesson learned", text::prefix(&lesson.text, 200), None);
        Ok(Added { lesson, known: false })
    })
}

/// Lessons, newest first.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct List {
    /// The lessons.
    pub lessons: Vec<Lesson>,
    /// How many there are in all.
    pub total: usize,
}

/// The newest lessons, or all of them.
pub fn list(session: &Session<'_>, everything: bool) -> Result<List, Refusal> {
    let mut lessons = all(session)?;
    let total = lessons.len();
    lessons.reverse();
    lessons.truncate(if everything { total } else { NEWEST });
    Ok(List { lessons, total })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_who_and_when_or_not() {
        let lesson =
            Lesson::parse("- Test the empty state (and `x_(y)_`).  _(retro, 2026-06-25)_\r").unwrap();
        assert_eq!(lesson.text, "Test the empty state (and `x_(y)_`).");
        assert_eq!(lesson.by.as_deref(), Some("retro"));
        assert_eq!(lesson.on.as_deref(), Some("2026-06-25"));
        assert_eq!(lesson.line(), "- Test the empty state (and `x_(y)_`).  _(retro, 2026-06-25)_");
        let bare = Lesson::parse("  - by hand").unwrap();
        assert_eq!((bare.text.as_str(), bare.by), ("by hand", None));
        assert_eq!(Lesson::parse("# Lessons"), None);
    }
}
