//! Secrets in the files of boxes: WSP121.
//!
//! A secret is a text of a well-known shape, wherever it stands, or a literal under a key that is named like a
//! credential. JSON, JavaScript and TypeScript are read by their tokens, other files line by line, and prose for shapes
//! alone. What is found is named, and never shown.

use std::collections::BTreeMap;

use gate::sensitive::{keys, lines, shapes};
use store::git::RepoPath;
use store::tree::{EntryKind, Tree, TreeError};

use super::Subject;
use super::catalogue::Id;
use super::finding::Finding;
use crate::codes;
use crate::members::is_skipped;

/// Beyond this many bytes a file is searched for shapes alone.
const MAX_READ: usize = 1 << 20;

pub(super) fn check(subject: &Subject<'_>) -> Result<Vec<Finding>, TreeError> {
    let mut found = Vec::new();
    for (_, member, _) in subject.workspace.declaration.boxes() {
        let mut files = Vec::new();
        list(subject.tree, &subject.workspace.at(member.folder()), &mut files)?;
        files.sort();
        for path in files {
            let Some(bytes) = subject.tree.read(&path)? else { continue };
            for secret in in_file(path.last(), &bytes) {
                let message = format!(
                    "{path} holds {}, and the box {} holds no credential: put a ${{VAR}} or the address of a secret \
                     manager in its place, or declare a capability with a broker",
                    secret.what, member.name
                );
                found.push(
                    Finding::in_file(
                        Id::BoxCredentialDeclared,
                        path.clone(),
                        secret.line,
                        secret.column,
                        message,
                    )
                    .of(&member.name)
                    .coded(codes::BOX_CREDENTIAL_DECLARED),
                );
            }
        }
    }
    Ok(found)
}

fn list(tree: &dyn Tree, folder: &RepoPath, files: &mut Vec<RepoPath>) -> Result<(), TreeError> {
    for entry in tree.list(folder)?.unwrap_or_default() {
        match entry.kind {
            EntryKind::File => files.push(folder.join(&entry.name)),
            EntryKind::Folder if !is_skipped(&entry.name) => list(tree, &folder.join(&entry.name), files)?,
            _ => {}
        }
    }
    Ok(())
}

/// A secret by what it is and where it stands, line and column from 1.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Secret {
    pub what: String,
    pub line: usize,
    pub column: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// By its tokens.
    Code,
    /// Line by line; `bare` where a value needs no quotes.
    Lines { bare: bool },
    /// For shapes alone.
    Prose,
}

/// How a file is read, from its name.
fn reading(name: &[u8]) -> Reading {
    let name = String::from_utf8_lossy(name).to_ascii_lowercase();
    let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or("", |(_, ending)| ending);
    match ending {
        "ts" | "mts" | "cts" | "tsx" | "js" | "mjs" | "cjs" | "jsx" | "json" | "jsonc" => Reading::Code,
        "md" | "mdx" | "txt" | "html" | "htm" | "rst" => Reading::Prose,
        "" | "env" | "sh" | "bash" | "zsh" | "yaml" | "yml" | "toml" | "ini" | "cfg" | "conf"
        | "properties" | "service" => Reading::Lines { bare: true },
        _ if name.starts_with(".env.") || name.starts_with("dockerfile.") => Reading::Lines { bare: true },
        _ => Reading::Lines { bare: false },
    }
}

/// The secrets of one file, at most one a line; none in one that is no text.
pub(super) fn in_file(name: &[u8], bytes: &[u8]) -> Vec<Secret> {
    if bytes.contains(&0) {
        return Vec::new();
    }
    let text = String::from_utf8_lossy(bytes);
    let reading = if bytes.len() > MAX_READ { Reading::Prose } else { reading(name) };
    let mut found: BTreeMap<usize, Secret> = BTreeMap::new();
    for (number, line) in text.lines().enumerate() {
        let number = number + 1;
        let shape = shapes::find(line).map(|(at, what)| (at, what.to_owned()));
        let secret = match reading {
            Reading::Lines { bare } => shape.or_else(|| lines::assigned(line, bare)),
            _ => shape,
        };
        if let Some((at, what)) = secret {
            let column = line[..at].encode_utf16().count() + 1;
            found.insert(number, Secret { what, line: number, column });
        }
    }
    if reading == Reading::Code {
        // Strings come in the order of the text, so lines are counted on from the one before.
        let (mut line, mut counted) = (1, 0);
        for string in canon::module::texts(&text) {
            let Some(what) = under_key(&string) else { continue };
            line += text[counted..string.at].matches('\n').count();
            counted = string.at;
            found.entry(line).or_insert_with(|| {
                let start = text[..string.at].rfind('\n').map_or(0, |at| at + 1);
                let column = text[start..string.at].encode_utf16().count() + 1;
                Secret { what, line, column }
            });
        }
    }
    found.into_values().collect()
}

/// What a string is, where the key that it stands under makes it a secret.
fn under_key(text: &canon::module::Text) -> Option<String> {
    let key = text.key.as_ref()?;
    if keys::is_reference(&text.value) || keys::is_elsewhere(&text.value) {
        return None;
    }
    if keys::is_credential(key) {
        return Some(format!("a literal value for {key}"));
    }
    let has = |name: &str| text.beside.iter().any(|beside| beside == name);
    let only = || text.beside.iter().all(|name| matches!(name.as_str(), "key" | "value" | "description"));
    (key == "value" && has("key") && only()).then(|| "the literal value of a secret".to_owned())
}
