//! The write gate of the vault (WS-007): what comes in says what it is, where it comes from and what shows it, and holds
//! no credential. Personal data is named, and let in.

use canon::{Timestamp, text};
use gate::Refusal;
use gate::sensitive::{self, Class, Sensitive};

use super::codes;
use super::entry::{Entry, Folder};
use super::fields::{Fields, Label, Provenance, Scope, Status, Trust};

/// The most characters of a title: it is one line among those that agents read every time.
pub const LONGEST_TITLE: usize = 200;

/// The most letters that a name takes from a title.
const LONGEST_NAME: usize = 48;

/// What somebody wants to have kept.
#[derive(Debug, Clone, Default)]
pub struct Draft {
    /// What it says, in one line.
    pub title: String,
    /// What kind of knowledge it is.
    pub label: Option<Label>,
    /// What recurs when it matters.
    pub signature: Option<String>,
    /// Who writes it.
    pub writer: Option<String>,
    /// What shows it.
    pub evidence: Option<String>,
    /// How it follows from that.
    pub derivation: Option<String>,
    /// From when on it holds; from now on where nothing is said.
    pub valid_time: Option<Timestamp>,
    /// How far it is trusted.
    pub trust: Trust,
    /// It is something that was looked up.
    pub research: bool,
    /// The text behind the line.
    pub body: String,
}

/// The entry that a draft becomes in `project`, under the name `id`.
///
/// # Errors
/// WS-007: `NO_LABEL`, `NO_PROVENANCE`, `NO_EVIDENCE`, `NO_TITLE`; `HOLDS_SECRET`; `NEEDS_PERSON` for the label that a
/// person's word gives.
pub fn admit(draft: Draft, id: &str, project: &str, now: Timestamp) -> Result<Entry, Refusal> {
    let said =
        |text: Option<String>| text.map(|text| text::one_line(&text)).filter(|text| !text::is_blank(text));
    let Some(label) = draft.label else {
        return Err(Refusal::new(codes::NO_LABEL, "the entry has no label")
            .hint("say `--label fact`, `inferred` or `rule`"));
    };
    if label == Label::ValidatedOverride {
        return Err(Refusal::new(
            codes::NEEDS_PERSON,
            "an entry becomes a validated override by a person's word",
        )
        .hint("add it as what it is, and let a person promote it")
        .next("cairn govern knowledge promote <id> --why <text>"));
    }
    let Some(writer) = said(draft.writer) else {
        return Err(Refusal::new(codes::NO_PROVENANCE, "nobody is named who writes the entry")
            .hint("say `--by <name>`; an agent is known by `CHANT_AGENT`"));
    };
    let Some(evidence) = said(draft.evidence) else {
        return Err(Refusal::new(codes::NO_EVIDENCE, "nothing is named that shows it")
            .hint("say `--evidence receipt:<number>`, or the address of what shows it"));
    };
    let title = text::one_line(&draft.title);
    if text::is_blank(&title) || title.chars().count() > LONGEST_TITLE {
        return Err(Refusal::new(
            codes::NO_TITLE,
            format!("the title has {} characters; 1 to {LONGEST_TITLE} fit", title.chars().count()),
        )
        .hint("say it in one line, and the rest with `--text`"));
    }
    let fields = Fields {
        title: Some(title),
        label: Some(label),
        status: Some(Status::Candidate),
        signature: said(draft.signature),
        scope: Some(Scope::Project(project.to_owned())),
        provenance: Some(Provenance {
            writer,
            evidence,
            derivation: said(draft.derivation),
            valid_time: draft.valid_time.unwrap_or(now),
            transaction_time: now,
        }),
        trust: Some(draft.trust),
        ..Fields::default()
    };
    let folder = match label {
        _ if draft.research => Folder::Research,
        Label::Rule => Folder::Rules,
        _ => Folder::Lessons,
    };
    let mut body = draft.body;
    if !body.is_empty() && !body.ends_with('\n') {
        body.push('\n');
    }
    // First by itself, so that the line is one that the writer knows.
    keepable("the text", &body)?;
    let mut entry = Entry { id: id.to_owned(), folder, fields, body, sensitive: Vec::new() };
    entry.sensitive = keepable("the entry", &entry.file())?;
    Ok(entry)
}

/// What in `text` tells of a person; the gate that everything passes which is written here.
///
/// # Errors
/// `HOLDS_SECRET`: it holds a credential.
pub fn keepable(what: &str, text: &str) -> Result<Vec<Sensitive>, Refusal> {
    let (secrets, personal): (Vec<Sensitive>, Vec<Sensitive>) =
        sensitive::scan(text).into_iter().partition(|found| found.class == Class::Secret);
    let Some(first) = secrets.first() else { return Ok(personal) };
    let facts = secrets
        .iter()
        .map(|secret| format!("line {}, column {}: {}", secret.line, secret.column, secret.what));
    Err(Refusal::new(codes::HOLDS_SECRET, format!("{what} holds {}", first.what)).facts(facts).hint(
        "put a placeholder such as `<password>` in its place; if it was real, change it where it is used",
    ))
}

/// What a tombstone is called: nothing of what was erased.
pub const TOMBSTONE: &str = "erased";

/// Whether a name is one of a tombstone.
pub fn is_tombstone(name: &str) -> bool {
    let number = name.strip_prefix(TOMBSTONE).map(|rest| rest.strip_prefix('-').unwrap_or(rest));
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A name for an entry, from its title: words of letters and digits joined by dashes. `is_taken` says which are in use.
pub fn name(title: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut name = String::new();
    for word in title.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        let gap = usize::from(!name.is_empty());
        if gap == 1 && name.len() + gap + word.len() > LONGEST_NAME {
            break;
        }
        if gap == 1 {
            name.push('-');
        }
        name.push_str(&text::prefix(word, LONGEST_NAME).to_ascii_lowercase());
    }
    if name.is_empty() {
        "entry".clone_into(&mut name);
    }
    if !is_taken(&name) {
        return name;
    }
    let free = (2..u32::MAX).map(|number| format!("{name}-{number}")).find(|name| !is_taken(name));
    free.unwrap_or(name)
}
