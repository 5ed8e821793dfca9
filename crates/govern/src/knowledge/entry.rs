//! One entry of the vault: a Markdown file with front matter, read whatever it lacks and changed in place.

use canon::front_matter;
use canon::json::Damage;
use canon::text;
use gate::sensitive::{self, Class, Sensitive};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::fields::{Fields, Label, Scope, Status};

/// The folders of the vault that hold entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
pub enum Folder {
    /// What is to be done.
    Rules,
    /// What was learned.
    Lessons,
    /// What was looked up.
    Research,
}

impl Folder {
    /// Every one.
    pub const ALL: [Self; 3] = [Self::Rules, Self::Lessons, Self::Research];

    /// Its name in the vault.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rules => "Rules",
            Self::Lessons => "Lessons",
            Self::Research => "Research",
        }
    }

    /// Whether what lies in it came through the write gate. Agents write into the others as they like.
    pub const fn is_gated(self) -> bool {
        matches!(self, Self::Rules | Self::Lessons)
    }
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name: that of the file, without the ending.
    pub id: String,
    /// Where it lies.
    pub folder: Folder,
    /// What its front matter says.
    pub fields: Fields,
    /// Its text.
    pub body: String,
    /// Credentials and personal data in it.
    pub sensitive: Vec<Sensitive>,
}

impl Entry {
    /// An entry as the file `id` in `folder` has it. One without front matter is read as well: from before there was
    /// any.
    ///
    /// # Errors
    /// The text is not UTF-8, or its front matter does not say what front matter says, with the place.
    pub fn read(id: &str, folder: Folder, bytes: &[u8]) -> Result<Self, Damage> {
        let whole = std::str::from_utf8(bytes)
            .map_err(|error| Damage::at(bytes, error.valid_up_to(), "not UTF-8"))?;
        if let Some(conflict) = conflict(whole) {
            return Err(conflict);
        }
        let (data, body) = if whole.lines().next() == Some("---") {
            let document = front_matter::parse(bytes)?;
            (document.data.clone(), document.body().to_owned())
        } else {
            let text = whole.strip_prefix('\u{feff}').unwrap_or(whole);
            (Map::new(), front_matter::to_lf(text).into_owned())
        };
        let fields = serde_json::from_value(Value::Object(data)).map_err(|error| Damage {
            message: error.to_string(),
            line: 1,
            column: 1,
            conflict: false,
        })?;
        Ok(Self { id: id.to_owned(), folder, fields, body, sensitive: sensitive::scan(whole) })
    }

    /// The bytes of a new file with this entry.
    pub fn file(&self) -> String {
        front_matter::file(&self.fields.map(), &self.body)
    }

    /// `old`, the text that this entry was read from, with what changed in it since; every other byte stays. None where
    /// its front matter can't be edited in place.
    pub fn rewrite(&self, before: &Fields, old: &str) -> Option<String> {
        let (was, is) = (before.map(), self.fields.map());
        if was == is {
            return Some(old.to_owned());
        }
        let is_bare = old.lines().next() != Some("---");
        let mut text = if is_bare {
            return Some(front_matter::file(&is, old));
        } else {
            old.to_owned()
        };
        for key in was.keys().chain(is.keys().filter(|key| !was.contains_key(*key))) {
            if was.get(key) == is.get(key) {
                continue;
            }
            text = match is.get(key).map(|value| front_matter::field(key, value)) {
                None => front_matter::remove(&text, key)?,
                Some(field) => match front_matter::replace(&text, key, &field) {
                    Some(text) => text,
                    None => front_matter::insert(&text, &field)?,
                },
            };
        }
        let again = Self::read(&self.id, self.folder, text.as_bytes()).ok()?;
        (again.fields == self.fields && again.body == self.body).then_some(text)
    }

    /// What it says in one line: its title, else its first heading, else its name.
    pub fn title(&self) -> String {
        let heading = || self.body.lines().find_map(|line| line.strip_prefix("# "));
        let title = self.fields.title.as_deref().or_else(heading).map(text::one_line);
        title.filter(|title| !title.is_empty()).unwrap_or_else(|| self.id.clone())
    }

    /// Where it stands in its life.
    pub fn status(&self) -> Status {
        self.fields.status.unwrap_or_default()
    }

    /// What recurs when it matters.
    pub fn signature(&self) -> String {
        normal(self.fields.signature.as_deref().unwrap_or(&self.id))
    }

    /// Its path in the vault.
    pub fn path(&self) -> String {
        format!("{}/{}.md", self.folder.name(), self.id)
    }

    /// Whether it may be applied in `project`: it is of it, or a person took it there.
    pub fn applies_in(&self, project: &str) -> bool {
        let is_own = match &self.fields.scope {
            None => true,
            Some(Scope::Project(name)) => name == project,
            Some(Scope::Shared) => false,
        };
        let elevated = self.fields.elevated.as_ref();
        is_own || elevated.is_some_and(|elevated| elevated.into == "*" || elevated.into == project)
    }

    /// Whether it holds a credential.
    pub fn holds_secret(&self) -> bool {
        self.sensitive.iter().any(|found| found.class == Class::Secret)
    }

    /// Whether it may be in force at all: it lies where everything comes through the write gate.
    pub fn is_gated(&self) -> bool {
        self.folder.is_gated()
    }

    /// Whether it says that it is in force where nothing may be.
    pub fn claims_force(&self) -> bool {
        let says_so =
            self.status() == Status::Promoted || self.fields.label == Some(Label::ValidatedOverride);
        says_so && !self.is_gated()
    }

    /// Whether it waits for evidence or is in force, and nothing keeps it out of use in `project`.
    pub fn is_usable(&self, project: &str) -> bool {
        matches!(self.status(), Status::Candidate | Status::Promoted)
            && !self.claims_force()
            && self.fields.quarantine.is_none()
            && self.applies_in(project)
            && !self.holds_secret()
    }

    /// Whether agents read it every time.
    pub fn is_in_force(&self, project: &str) -> bool {
        self.status() == Status::Promoted && self.is_gated() && self.is_usable(project)
    }
}

/// The first of git's conflict markers, in the front matter, the text or before both. Between them a line of `=` may be
/// the mark of a heading.
fn conflict(whole: &str) -> Option<Damage> {
    let text = whole.strip_prefix('\u{feff}').unwrap_or(whole);
    (1..).zip(text.lines()).find_map(|(line, text)| {
        let marker = ["<<<<<<< ", ">>>>>>> "].into_iter().find(|marker| text.starts_with(marker))?;
        let message = format!("conflict marker `{}` of an unfinished merge", marker.trim_end());
        Some(Damage { message, line, column: 1, conflict: true })
    })
}

/// A signature in the form in which two are compared.
pub(super) fn normal(signature: &str) -> String {
    text::one_line(signature).to_lowercase()
}
