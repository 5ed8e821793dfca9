//! Entries in settings that others write too.

use std::collections::BTreeMap;

use canon::json::Damage;
use canon::jsonc::{Content, Document, Editor, Node, pointer_step};
use canon::text::is_blank;
use gate::Refusal;
use serde_json::{Value, json};

use super::ours::{self, Ours};
use super::place::Kind;
use super::{Origin, Target, Undo, install_command};
use crate::codes;

const MARK: &str = "\u{feff}";

/// What stands in each list, and what the file says beside.
pub(super) struct Wanted {
    /// Members at the top.
    pub top: Vec<(&'static str, Value)>,
    /// The keys that lead to a list, and the element that is added to it.
    pub elements: Vec<(Vec<&'static str>, Value)>,
}

pub(super) fn wanted(target: &Target, program: &str) -> Wanted {
    match target.kind {
        Kind::Hooks(form) => Wanted {
            top: if form.version { vec![("version", json!(1))] } else { Vec::new() },
            elements: form
                .entries(program)
                .into_iter()
                .map(|(event, entry)| (form.parent.into_iter().chain([event]).collect(), entry))
                .collect(),
        },
        Kind::Plugins(name) => {
            Wanted { top: Vec::new(), elements: vec![(vec!["plugins"], Value::from(name))] }
        }
        Kind::Bridge { .. } => Wanted { top: Vec::new(), elements: Vec::new() },
    }
}

/// Whether everything is there as an installation would write it, and no more of it.
pub(super) fn is_exact(document: &Document, wanted: &Wanted, ours: &[Ours]) -> bool {
    let there = |(keys, value): &(Vec<&str>, Value)| {
        let list = pointer(keys);
        let mut entries = ours.iter().filter(|entry| entry.list == list);
        let entry = entries.next().filter(|_| entries.next().is_none());
        entry.and_then(|entry| document.find(&entry.pointer)).is_some_and(|node| node.to_value() == *value)
    };
    ours.len() == wanted.elements.len() && wanted.elements.iter().all(there)
}

pub(super) fn install(
    target: &Target,
    existing: Option<&[u8]>,
    program: &str,
    undo: Option<&Undo>,
) -> Result<(Vec<u8>, Option<Undo>), Refusal> {
    let mut text = existing.map(|bytes| utf8(target, bytes)).transpose()?.map(str::to_owned);
    let wanted = wanted(target, program);
    let mut origin = if text.is_none() { Origin::Absent } else { Origin::Present };
    if let Some(settings) = text.as_deref().filter(|text| !says_nothing(text)) {
        let document = open(target, settings)?;
        let ours = ours::find(target, document.document());
        if is_exact(document.document(), &wanted, &ours) {
            return Ok((settings.as_bytes().to_vec(), undo.cloned()));
        }
        if !ours.is_empty() {
            text = take_out(target, settings, undo)?;
            if text.is_none() {
                origin = Origin::Absent;
            }
        }
    }
    let text = text.unwrap_or_default();
    let seed = if says_nothing(&text) {
        if origin == Origin::Present {
            origin = Origin::Blank(text.clone());
        }
        let line = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let mark = if text.starts_with(MARK) { MARK } else { "" };
        format!("{mark}{{{line}}}{line}")
    } else {
        text
    };
    let mut editor = open(target, &seed)?;
    let (made, inside) = put_in(target, &mut editor, &wanted)?;
    Ok((editor.into_text().into_bytes(), Some(Undo { file: origin, made, inside })))
}

pub(super) fn uninstall(
    target: &Target,
    existing: &[u8],
    undo: Option<&Undo>,
) -> Result<Option<Vec<u8>>, Refusal> {
    let text = utf8(target, existing)?;
    if says_nothing(text) {
        return Ok(Some(existing.to_vec()));
    }
    Ok(take_out(target, text, undo)?.map(String::into_bytes))
}

type Made = (Vec<String>, BTreeMap<String, String>);

fn put_in(target: &Target, editor: &mut Editor, wanted: &Wanted) -> Result<Made, Refusal> {
    let mut made = Vec::new();
    let mut inside = BTreeMap::new();
    for (key, value) in &wanted.top {
        if editor.document().root().get(key).is_none() && editor.insert("", key, value) {
            made.push(pointer(&[key]));
        }
    }
    for (keys, value) in &wanted.elements {
        for depth in 1..=keys.len() {
            let (around, at) = (pointer(&keys[..depth - 1]), pointer(&keys[..depth]));
            let is_list = depth == keys.len();
            let Some(node) = editor.document().find(&at) else {
                let empty = if is_list { json!([]) } else { json!({}) };
                if !editor.insert(&around, keys[depth - 1], &empty) {
                    return Err(shape(target, editor.document(), &around, false));
                }
                made.push(at);
                continue;
            };
            let (parts, fits) = parts(node);
            if fits != Some(is_list) {
                return Err(shape(target, editor.document(), &at, is_list));
            }
            if parts == 0 && !made.contains(&at) {
                let blank = editor.interior(&at).unwrap_or_default().to_owned();
                inside.entry(at).or_insert(blank);
            }
        }
        if !editor.push(&pointer(keys), value) {
            return Err(shape(target, editor.document(), &pointer(keys), true));
        }
    }
    Ok((made, inside))
}

/// The text without what calls cairn; none where nothing is left of a file that was made for it.
fn take_out(target: &Target, text: &str, undo: Option<&Undo>) -> Result<Option<String>, Refusal> {
    let mut editor = open(target, text)?;
    let mut lists: Vec<String> = Vec::new();
    while let Some(entry) = ours::find(target, editor.document()).pop() {
        if !editor.remove(&entry.pointer) {
            break;
        }
        lists.push(entry.list);
    }
    if lists.is_empty() {
        return Ok(Some(text.to_owned()));
    }
    lists.dedup();
    for list in &lists {
        clear(&mut editor, list, undo);
    }
    if let Kind::Hooks(form) = target.kind
        && form.version
        && ours::lists(target, editor.document()).iter().all(|(_, entries)| entries.is_empty())
    {
        let alone = parts(editor.document().root()).0 == 1;
        if undo.map_or(alone, |undo| undo.made.iter().any(|made| made == "/version")) {
            editor.remove("/version");
        }
    }
    let nothing_left = parts(editor.document().root()).0 == 0 && editor.interior("").is_some_and(is_blank);
    let file = undo.map_or(&Origin::Absent, |undo| &undo.file);
    Ok(match file {
        Origin::Absent if nothing_left => None,
        Origin::Blank(blank) if nothing_left => Some(blank.clone()),
        _ => Some(editor.into_text()),
    })
}

/// Brings a container that has no part left back to what it was: what stood in it, or nothing at all.
fn clear(editor: &mut Editor, at: &str, undo: Option<&Undo>) {
    let mut at = at;
    while let Some(node) = editor.document().find(at)
        && parts(node).0 == 0
        && !at.is_empty()
    {
        if let Some(inside) = undo.and_then(|undo| undo.inside.get(at)) {
            editor.set_interior(at, inside);
            return;
        }
        if undo.is_some_and(|undo| !undo.made.iter().any(|made| made == at)) {
            return;
        }
        editor.remove(at);
        at = at.rsplit_once('/').map_or("", |(around, _)| around);
    }
}

/// How many parts a value has, and whether it is a list; none where it is neither a list nor an object.
fn parts(node: &Node) -> (usize, Option<bool>) {
    match &node.content {
        Content::Array(items) => (items.len(), Some(true)),
        Content::Object(members) => (members.len(), Some(false)),
        _ => (0, None),
    }
}

fn pointer(keys: &[&str]) -> String {
    keys.iter().fold(String::new(), |pointer, key| format!("{pointer}/{}", pointer_step(key)))
}

/// Whether a file holds no settings: nothing, or an object without anything in it.
pub(super) fn says_nothing(text: &str) -> bool {
    let text = text.trim_start_matches(MARK).trim();
    let inside = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    is_blank(inside.unwrap_or(text))
}

pub(super) fn utf8<'a>(target: &Target, bytes: &'a [u8]) -> Result<&'a str, Refusal> {
    std::str::from_utf8(bytes)
        .map_err(|error| unreadable(target, &Damage::at(bytes, error.valid_up_to(), "not UTF-8")))
}

pub(super) fn open(target: &Target, text: &str) -> Result<Editor, Refusal> {
    Editor::new(text).map_err(|damage| unreadable(target, &damage))
}

fn unreadable(target: &Target, damage: &Damage) -> Refusal {
    Refusal::new(
        codes::SETTINGS_UNREADABLE,
        format!("the settings of `{}` can't be read: {}", target.agent, damage.message),
    )
    .at(target.path, Some(damage.line), Some(damage.column))
    .hint("repair the file, then install again")
    .next(install_command(target.agent, target.scope))
}

fn shape(target: &Target, document: &Document, at: &str, list: bool) -> Refusal {
    let kind = if list { "a list" } else { "an object" };
    let place = document.position_of(at);
    let shown =
        if at.is_empty() { "the file".to_owned() } else { format!("`{}`", at.trim_start_matches('/')) };
    Refusal::new(
        codes::SETTINGS_SHAPE,
        format!("{shown} is not {kind} in the settings of `{}`", target.agent),
    )
    .at(target.path, Some(place.line), Some(place.column))
    .hint(format!("`{}` takes {kind} there; repair the file, then install again", target.agent))
    .next(install_command(target.agent, target.scope))
}
