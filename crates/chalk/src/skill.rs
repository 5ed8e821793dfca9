//! `skills/*.md`: how-to text, given to every context (facts 2.7).

use std::fs;
use std::path::Path;

use canon::text;
use gate::Refusal;
use schemars::JsonSchema;
use serde::Serialize;
use store::file;
use store::git::RepoPath;

use crate::codes;
use crate::session::Session;
use crate::withheld::Withheld;

const FOLDER: &str = "skills";

/// One skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Skill {
    /// The file's name without `.md`.
    pub name: String,
    /// Its first line that says something, without the marks of a heading.
    pub title: String,
    /// Its size in bytes.
    pub bytes: usize,
    /// Its path, relative to the root.
    pub path: String,
}

impl Skill {
    fn new(name: &str, content: &str) -> Self {
        let first = content.lines().find(|line| !text::is_blank(line)).unwrap_or_default();
        Self {
            name: name.to_owned(),
            title: text::clip(&text::one_line(first.trim_start_matches(['#', ' '])), 100),
            bytes: content.len(),
            path: format!(".chalk/{FOLDER}/{name}.md"),
        }
    }
}

/// Every skill with its content, in the order of the names. One that can't be read is passed over with a
/// warning.
pub fn all(session: &Session<'_>) -> Result<Vec<(Skill, String)>, Refusal> {
    let Ok(entries) = fs::read_dir(session.path(FOLDER)) else { return Ok(Vec::new()) };
    let mut skills = Vec::new();
    for entry in entries.flatten() {
        let path = entry.path();
        let Some(name) =
            entry.file_name().to_str().and_then(|name| name.strip_suffix(".md")).map(str::to_owned)
        else {
            continue;
        };
        match file::read(&path) {
            Ok(content) => {
                let content = String::from_utf8_lossy(&content.unwrap_or_default()).into_owned();
                skills.push((Skill::new(&name, &content), content));
            }
            Err(error) => session.warn(format!("the skill `{name}` is passed over: {error}")),
        }
    }
    skills.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
    Ok(skills)
}

/// A skill that was added.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Added {
    /// The skill.
    pub skill: Skill,
}

/// Adds a skill under a file name made of `name`. Nothing is ever overwritten.
pub fn add(session: &Session<'_>, name: &str, content: &str) -> Result<Added, Refusal> {
    let file_name = file_name(name).ok_or_else(|| {
        Refusal::new(codes::USAGE, format!("`{}` makes no file name", text::one_line(name)))
            .hint("give a name with letters or digits")
    })?;
    session.write("skill add", |draft| {
        let path = format!("{FOLDER}/{file_name}.md");
        if let Some(taken) = taken(&session.path(FOLDER), &file_name) {
            return Err(Refusal::new(codes::NAME_TAKEN, format!("there is a skill `{taken}` already"))
                .at(session.path(FOLDER).join(format!("{taken}.md")), None, None)
                .hint("edit that file, or choose another name; nothing was changed"));
        }
        let content = format!("{}\n", content.trim_end());
        let skill = Skill::new(&file_name, &content);
        draft.file(&path, content)?;
        draft.event("progress-update", &format!("Skill added: {file_name}"), &skill.title, None);
        Ok(Added { skill })
    })
}

/// The skill whose file has `name` on a file system that takes no notice of case.
fn taken(folder: &Path, name: &str) -> Option<String> {
    let entries = fs::read_dir(folder).ok()?;
    entries.flatten().find_map(|entry| {
        let found = entry.file_name().to_string_lossy().into_owned();
        let found = found.strip_suffix(".md").unwrap_or(&found).to_owned();
        (found.to_lowercase() == name).then_some(found)
    })
}

/// A file name, without its extension, that is safe on every system: lower-case letters and digits joined
/// by dashes.
fn file_name(name: &str) -> Option<String> {
    let name = name.strip_suffix(".md").unwrap_or(name).to_lowercase();
    let words: Vec<&str> =
        name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let name = text::prefix(&words.join("-"), 80).trim_end_matches('-').to_owned();
    let reserved = match name.as_str() {
        "con" | "prn" | "aux" | "nul" => true,
        name => {
            let numbered = name.strip_prefix("com").or_else(|| name.strip_prefix("lpt"));
            numbered.is_some_and(|rest| rest.chars().count() == 1 && rest.chars().all(char::is_numeric))
        }
    };
    match name {
        name if name.is_empty() => None,
        name if reserved => Some(format!("{name}-skill")),
        name => Some(name),
    }
}

/// Reads the text of a skill from a file that the caller names: not one of the held-out set, which the skill
/// would carry into every context (P7).
pub fn read_source(session: &Session<'_>, path: &Path) -> Result<String, Refusal> {
    let path = &session.world.cwd.join(path);
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.clone());
    let within = real.strip_prefix(&session.spine.root).unwrap_or(&real);
    if Withheld::of(session, &session.config()?, &[]).hides(RepoPath::from_path(within).as_bytes()) {
        return Err(Refusal::new(codes::USAGE, format!("`{}` is not for a context", path.display()))
            .hint("it is part of the held-out set or of the spine's own state"));
    }
    let bytes = fs::read(path).map_err(|error| {
        Refusal::new(codes::IO, format!("cannot read `{}`: {error}", path.display())).at(path, None, None)
    })?;
    let content = String::from_utf8(bytes)
        .map_err(|_| Refusal::new(codes::IO, format!("`{}` is not UTF-8 text", path.display())))?;
    if text::is_blank(&content) {
        return Err(Refusal::new(codes::USAGE, format!("`{}` is empty", path.display())));
    }
    Ok(content)
}

/// The skills, in the order of their names.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct List {
    /// The skills.
    pub skills: Vec<Skill>,
}

/// Lists the skills.
pub fn list(session: &Session<'_>) -> Result<List, Refusal> {
    Ok(List { skills: all(session)?.into_iter().map(|(skill, _)| skill).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_safe_file_names() {
        for (name, file) in [
            ("Run the tests", "run-the-tests"),
            ("../../etc/passwd", "etc-passwd"),
            ("..", ""),
            ("-rf", "rf"),
            ("Größe.md", "größe"),
            ("CON", "con-skill"),
            ("lpt1", "lpt1-skill"),
            ("a\nb\0c", "a-b-c"),
            (".hidden", "hidden"),
            ("日本語", "日本語"),
        ] {
            assert_eq!(file_name(name).unwrap_or_default(), file, "{name:?}");
        }
        assert!(file_name(&"long ".repeat(100)).unwrap().len() <= 80);
    }
}
