//! Members and their kinds: WSP002 to WSP010.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use store::git::RepoPath;
use store::tree::{Tree, TreeError};

use super::Subject;
use super::catalogue::Id;
use super::finding::Finding;
use crate::declaration::{CHANT, Member};
use crate::members::{self, Field, FieldType, Kind, Kinds, Probe};

pub(super) fn check(subject: &Subject<'_>) -> Result<Vec<Finding>, TreeError> {
    let mut found = Vec::new();
    pins(subject, &mut found);
    for (index, member) in subject.workspace.declaration.members() {
        check_member(subject, index, member, &mut found)?;
    }
    for group in subject.groups.iter().filter(|group| group.projects.is_empty()) {
        let message = format!(
            "the example group {} matches no chant project{}",
            group.group.name,
            members::at(subject.tree)
        );
        found.push(
            Finding::new(Id::GroupEmpty, format!("/members/{}/glob", group.index), message)
                .of(&group.group.name),
        );
    }
    Ok(found)
}

/// A pin of the contract's own program at our level supplies no kinds: it is this program.
fn pins(subject: &Subject<'_>, found: &mut Vec<Finding>) {
    let pins = &subject.workspace.declaration.pins;
    let is_ours = |pin: usize| pins.get(pin).is_some_and(|pin| pin.package.as_deref() == Some(CHANT));
    for problem in subject.kinds.problems.iter().filter(|problem| !is_ours(problem.pin)) {
        let pointer = format!("/pins/{}", problem.pin);
        found.push(Finding::new(Id::KindsUnreadable, pointer, &problem.message));
    }
}

fn check_member(
    subject: &Subject<'_>,
    index: usize,
    member: &Member,
    found: &mut Vec<Finding>,
) -> Result<(), TreeError> {
    let (name, dir) = (&member.name, &member.dir);
    let mut add = |check, field: &str, message: String| {
        found.push(Finding::new(check, format!("/members/{index}{field}"), message).of(name));
    };
    if member.kind == "other" {
        let because = member.because.as_deref().unwrap_or_default();
        add(Id::OtherMember, "", format!("{name} ({dir}) is of kind other, which nothing reads: {because}"));
    }
    let folder = subject.workspace.at(member.folder());
    let is_there = subject.tree.is_folder(&folder)?;
    if !is_there {
        let at = members::at(subject.tree);
        add(
            Id::MemberDirMissing,
            "/dir",
            format!("{name} has the directory {dir}, which does not exist{at}"),
        );
    }
    let Some(kind) = subject.kinds.get(&member.kind) else {
        let known = subject.kinds.names().join(", ");
        let message = format!(
            "{name} has the kind {}, which is not built in and which no pin supplies; known kinds: {known}",
            member.kind
        );
        add(Id::KindUnknown, "/kind", message);
        return Ok(());
    };
    for (at, message) in wrong_fields(&member.fields, &kind.fields, "") {
        let message =
            format!("the field {} of {name} {message}", at.trim_start_matches('/').replace('/', "."));
        add(Id::KindProbeFailed, &format!("/fields{at}"), message);
    }
    if !is_there {
        return Ok(());
    }
    if !members::probe(subject.tree, kind, &folder)? {
        add(Id::KindProbeFailed, "/kind", format!("{name} ({dir}) is not {}", kind.description));
    }
    let claims = claims(subject.tree, subject.kinds, &folder, member)?;
    let highest = claims.iter().map(|claim| claim.precedence).max();
    let first: Vec<&&Kind> = claims.iter().filter(|claim| Some(claim.precedence) == highest).collect();
    match first[..] {
        [winner] if member.kind == "other" => {
            let message = format!(
                "{name} is declared as other, and the kind {} claims {dir}; declare it as {}",
                winner.name, winner.name
            );
            add(Id::OtherClaimed, "/kind", message);
        }
        [winner] if winner.name != member.kind => {
            let message = format!(
                "{name} is declared as {}, and the kind {} claims {dir} first, with precedence {}; declare it as {}",
                member.kind, winner.name, winner.precedence, winner.name
            );
            add(Id::KindOutranked, "/kind", message);
        }
        [] | [_] => {}
        _ => {
            let names: Vec<&str> = first.iter().map(|kind| kind.name.as_str()).collect();
            let message = format!(
                "the kinds {} all claim {dir} with precedence {}; one of them needs another precedence",
                names.join(" and "),
                highest.unwrap_or_default()
            );
            add(Id::KindProbeTie, "/kind", message);
            if member.kind == "other" {
                let message = format!("{name} is declared as other, and {} claim {dir}", names.join(" and "));
                add(Id::OtherClaimed, "/kind", message);
            }
        }
    }
    Ok(())
}

/// The kinds that recognise a directory by what lies in it. The workspace itself claims its root for nobody.
fn claims<'k>(
    tree: &dyn Tree,
    kinds: &'k Kinds,
    folder: &RepoPath,
    member: &Member,
) -> Result<Vec<&'k Kind>, TreeError> {
    let mut claims = Vec::new();
    for kind in kinds.iter().filter(|kind| kind.probe != Probe::Directory) {
        if !(member.dir == "." && kind.name == "workspace") && members::probe(tree, kind, folder)? {
            claims.push(kind);
        }
    }
    Ok(claims)
}

/// Fields whose value is not of the kind's type, by their pointers.
fn wrong_fields(
    values: &Map<String, Value>,
    fields: &BTreeMap<String, Field>,
    at: &str,
) -> Vec<(String, String)> {
    let mut wrong = Vec::new();
    for (name, value) in values {
        let Some(field) = fields.get(name) else { continue };
        let at = format!("{at}/{}", canon::jsonc::pointer_step(name));
        let expected = match &field.of {
            FieldType::String if !value.is_string() => "a string",
            FieldType::Integer if !value.is_i64() && !value.is_u64() => "a whole number",
            FieldType::Boolean if !value.is_boolean() => "true or false",
            FieldType::Object(inner) => match value.as_object() {
                Some(values) => {
                    wrong.extend(wrong_fields(values, inner, &at));
                    continue;
                }
                None => "an object",
            },
            _ => continue,
        };
        wrong.push((at, format!("must be {expected}")));
    }
    wrong
}
