//! The front matter, and the version that the file name carries (SFS-001).

use serde_json::{Map, Value};

use super::finding::{Check, Findings};
use super::version::Version;

/// What a spec says that it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    /// The one that is in force.
    Canonical,
    /// An older one.
    Superseded,
}

/// What stands in the front matter, as far as it could be read.
#[derive(Debug, Default)]
pub(super) struct Front {
    /// The kind of the document is `spec`.
    pub is_spec: bool,
    /// What it says that it is.
    pub status: Option<Status>,
    /// Its version.
    pub version: Option<Version>,
    /// The versions that it replaces.
    pub supersedes: Vec<Version>,
    /// The version that replaces it.
    pub superseded_by: Option<Version>,
    /// The lines of the fields that other checks speak of.
    lines: Vec<(&'static str, usize)>,
}

const FIELDS: [&str; 5] = ["type", "status", "version", "supersedes", "superseded_by"];

impl Front {
    /// What the front matter of a text says; none where it can't be read.
    pub fn read(text: &str) -> Option<Self> {
        let document = canon::front_matter::parse(text.as_bytes()).ok()?;
        Some(Self::of(text, &document.data))
    }

    fn of(text: &str, data: &Map<String, Value>) -> Self {
        let string = |field: &str| data.get(field).and_then(Value::as_str);
        let version = |field: &str| string(field).and_then(Version::read);
        let listed = data.get("supersedes").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        Self {
            is_spec: string("type") == Some("spec"),
            status: match string("status") {
                Some("canonical") => Some(Status::Canonical),
                Some("superseded") => Some(Status::Superseded),
                _ => None,
            },
            version: version("version"),
            supersedes: listed.iter().filter_map(Value::as_str).filter_map(Version::read).collect(),
            superseded_by: version("superseded_by"),
            lines: FIELDS.iter().filter_map(|&field| Some((field, line_of(text, field)?))).collect(),
        }
    }

    /// The line of a field, or the first.
    pub fn line(&self, field: &str) -> usize {
        self.lines.iter().find(|(name, _)| *name == field).map_or(1, |(_, line)| *line)
    }
}

fn line_of(text: &str, field: &str) -> Option<usize> {
    let at = canon::front_matter::block(text, field)?.start;
    Some(text[..at].matches('\n').count() + 1)
}

/// Checks the front matter by itself.
pub(super) fn check(text: &str, name: &str, found: &mut Findings) -> Front {
    let document = match canon::front_matter::parse(text.as_bytes()) {
        Ok(document) => document,
        Err(damage) => {
            let cure = "begin the file with `---`, the fields type, status and version, and `---`";
            found.error_at(Check::FrontMatter, (damage.line, damage.column), damage.message, cure);
            return Front::default();
        }
    };
    let front = Front::of(text, &document.data);
    let checking = Checking { text, data: &document.data, front: &front };
    checking.booleans(found);
    checking.kind(found);
    checking.versions(found);
    checking.successors(found);
    file_name(name, &front, found);
    front
}

struct Checking<'a> {
    text: &'a str,
    data: &'a Map<String, Value>,
    front: &'a Front,
}

impl Checking<'_> {
    fn error(&self, found: &mut Findings, field: &str, message: String, cure: &str) {
        let line = line_of(self.text, field).unwrap_or(1);
        found.error(Check::FrontMatter, line, message, cure);
    }

    /// What older readers of YAML take for true or false.
    fn booleans(&self, found: &mut Findings) {
        let is_one = |text: &str| {
            matches!(text.to_ascii_lowercase().as_str(), "yes" | "no" | "on" | "off" | "y" | "n")
        };
        for (field, value) in self.data {
            let block = canon::front_matter::block(self.text, field).map(|range| &self.text[range]);
            let is_bare = |word: &str| {
                let quoted = ['"', '\''].map(|quote| format!("{quote}{word}{quote}"));
                block.is_some_and(|block| !quoted.iter().any(|quoted| block.contains(quoted)))
            };
            let items = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
            let words = std::iter::once(field.as_str()).chain(items.iter().filter_map(Value::as_str));
            for word in words.filter(|word| is_one(word) && is_bare(word)) {
                let message =
                    format!("`{word}` is true or false to some readers of YAML, and text to others");
                self.error(found, field, message, &format!("write `\"{word}\"`, or another word"));
            }
        }
    }

    fn kind(&self, found: &mut Findings) {
        let said = |field: &str| match self.data.get(field) {
            None => format!("the field `{field}` is missing"),
            Some(value) => format!("the field `{field}` is `{}`", canon::json::compact(value)),
        };
        if !self.front.is_spec {
            self.error(found, "type", said("type"), "write `type: spec`");
        }
        if self.front.status.is_none() {
            self.error(found, "status", said("status"), "write `status: canonical` or `status: superseded`");
        }
    }

    fn versions(&self, found: &mut Findings) {
        match self.data.get("version") {
            None => {
                let message = "the field `version` is missing".to_owned();
                self.error(found, "version", message, "write `version: \"1.0\"`");
            }
            Some(value) => self.version("version", value, found),
        }
        match self.data.get("supersedes") {
            None => {}
            Some(Value::Array(items)) => {
                for item in items {
                    self.version("supersedes", item, found);
                }
            }
            Some(_) => {
                let message = "the field `supersedes` is no list".to_owned();
                self.error(found, "supersedes", message, "write `supersedes: [\"1.0\"]`");
            }
        }
        if let Some(value) = self.data.get("superseded_by") {
            self.version("superseded_by", value, found);
        }
    }

    fn version(&self, field: &str, value: &Value, found: &mut Findings) {
        let cure = "write two numbers in quotes, as in \"1.7\"";
        match value.as_str().map(Version::read) {
            Some(Some(_)) => {}
            Some(None) => {
                let text = canon::json::compact(value);
                self.error(
                    found,
                    field,
                    format!("the field `{field}` has {text}, which is no version"),
                    cure,
                );
            }
            None if value.is_number() => {
                let message = format!(
                    "the field `{field}` has a version without quotes, which is read as a number: 1.10 would be 1.1"
                );
                self.error(found, field, message, cure);
            }
            None => self.error(found, field, format!("the field `{field}` has what is no version"), cure),
        }
    }

    /// What replaces what, as far as this file says.
    fn successors(&self, found: &mut Findings) {
        let has = |field: &str| self.data.contains_key(field);
        let other = |field: &str, status: &str| {
            let message = format!("the field `{field}` has no place in a spec that is {status}");
            (message, "take the field out, or change the status")
        };
        match self.front.status {
            Some(Status::Canonical) => {
                if has("superseded_by") {
                    let (message, cure) = other("superseded_by", "canonical");
                    self.error(found, "superseded_by", message, cure);
                }
                if has("supersedes") {
                    self.chain(found);
                } else {
                    let message =
                        "a canonical spec lists the versions before it, and `supersedes` is missing";
                    self.error(
                        found,
                        "status",
                        message.to_owned(),
                        "write `supersedes: []` with each of them",
                    );
                }
            }
            Some(Status::Superseded) => {
                if has("supersedes") {
                    let (message, cure) = other("supersedes", "superseded");
                    self.error(found, "supersedes", message, cure);
                }
                if !has("superseded_by") {
                    let message =
                        "a superseded spec names the one that replaced it, and `superseded_by` is missing";
                    self.error(found, "status", message.to_owned(), "write `superseded_by: \"1.1\"`");
                } else if let (Some(version), Some(next)) = (self.front.version, self.front.superseded_by)
                    && !next.follows(version)
                {
                    let message = format!("{next} is not the version right after {version}");
                    self.error(found, "superseded_by", message, "name the immediate successor");
                }
            }
            None => {}
        }
    }

    /// Whether the versions before this one are listed without a gap.
    fn chain(&self, found: &mut Findings) {
        let Some(version) = self.front.version else { return };
        let listed = &self.front.supersedes;
        if self.data["supersedes"].as_array().is_none_or(|items| items.len() != listed.len()) {
            return;
        }
        let cure = "list every version before this one, oldest first";
        if listed.is_empty() && !version.is_first() {
            let message = format!("{version} has versions before it, and `supersedes` lists none");
            self.error(found, "supersedes", message, cure);
        }
        let behind = listed.iter().skip(1).chain(std::iter::once(&version));
        for (before, after) in listed.iter().zip(behind) {
            if !after.follows(*before) {
                let message = format!("{after} does not come right after {before}");
                self.error(found, "supersedes", message, cure);
            }
        }
    }
}

fn file_name(name: &str, front: &Front, found: &mut Findings) {
    let line = front.line("version");
    match (Version::of_file(name), front.version) {
        (None, _) => {
            let version = front.version.map_or_else(|| "X.Y".to_owned(), |version| version.to_string());
            let message = format!("the file name `{}` carries no version", canon::text::one_line(name));
            found.error(Check::FrontMatter, line, message, format!("call it `<document>-v{version}.md`"));
        }
        (Some((_, named)), Some(version)) if named != version => {
            let message = format!("the file name says {named}, and the front matter {version}");
            found.error(Check::FrontMatter, line, message, "rename the file, or mend the version");
        }
        _ => {}
    }
}
