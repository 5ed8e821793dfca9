//! Boxes: WSP122 to WSP124, WSP126 and WSP127.

use serde_json::Value;

use super::Subject;
use super::catalogue::Id;
use super::finding::Finding;
use crate::codes;
use crate::declaration::{Declaration, Member, Shared, collisions, is_inside, literals};
use crate::records::{self, Record, is_workspace_path};

pub(super) fn check(subject: &Subject<'_>) -> Vec<Finding> {
    let declaration = &subject.workspace.declaration;
    let mut found = Vec::new();
    for (index, member, block) in declaration.boxes() {
        for (at, capability) in block.capabilities.iter().enumerate().filter(|(_, it)| it.broker.is_none()) {
            let pointer = format!("/members/{index}/box/capabilities/{at}");
            let message = format!(
                "the box of {} needs {} and names no broker for it, so it would hold the credential itself",
                member.name, capability.name
            );
            found.push(
                Finding::new(Id::BoxCapabilityUnbrokered, pointer, message)
                    .of(&member.name)
                    .coded(codes::BOX_CAPABILITY_UNBROKERED),
            );
        }
    }
    found.extend(shared(declaration));
    found.extend(literals(declaration).into_iter().map(|literal| {
        let owner = literal.pointer.strip_prefix("/members/").and_then(|rest| rest.split('/').next());
        let owner = owner.and_then(|index| declaration.entries.get(index.parse::<usize>().ok()?));
        Finding::new(Id::BoxIsolationLiteral, literal.pointer, literal.message)
            .of_some(owner.map(crate::declaration::Entry::name))
            .coded(codes::BOX_ISOLATION_LITERAL)
    }));
    found.extend(intents(subject));
    found
}

/// What several boxes of a host, or several ports of one box, come to.
fn shared(declaration: &Declaration) -> Vec<Finding> {
    let mut found = Vec::new();
    for collision in collisions(declaration) {
        let name = |index: usize| declaration.entries.get(index).map_or("", |entry| entry.name());
        let holders: Vec<String> =
            collision.holders.iter().map(|(index, inner)| format!("{}.{inner}", name(*index))).collect();
        let Some((first, inner)) = collision.holders.first() else { continue };
        let is_one_box = collision.holders.iter().all(|(index, _)| index == first);
        let (what, field, cure) = match collision.what {
            Shared::Port if is_one_box => ("port", "ports", "; give each port of a box its own offset"),
            Shared::Port => ("port", "ports", "; give each box of a host its own slot"),
            Shared::State => ("state path", "state", ""),
            Shared::Cookie => ("cookie", "cookies", ""),
        };
        let message = format!(
            "on the host {}, {} come to the same {what} {}{cure}",
            collision.host,
            holders.join(" and "),
            collision.value
        );
        let pointer = format!("/members/{first}/box/{field}/{}", canon::jsonc::pointer_step(inner));
        found.push(
            Finding::new(Id::BoxIsolationCollision, pointer, message)
                .of(name(*first))
                .coded(codes::BOX_ISOLATION_COLLISION),
        );
    }
    found
}

/// The records of the declared kinds named `decision`, which intents name.
struct Decisions {
    /// The field of the records that says what they govern, and the records.
    by_kind: Vec<(String, Vec<Record>)>,
    /// Why an id may be missing among them.
    why: String,
}

impl Decisions {
    fn read(subject: &Subject<'_>) -> Self {
        let (mut by_kind, mut files, mut problems) = (Vec::new(), Vec::new(), Vec::new());
        for loaded in &subject.declared {
            let kind = loaded.kind.as_ref().ok().and_then(Option::as_ref);
            if loaded.declared.name.or(kind.map(|kind| kind.name.as_str())) != Some("decision") {
                continue;
            }
            files.push(loaded.declared.path.as_str());
            let records = match (kind, &loaded.kind) {
                (Some(kind), _) => records::parsed(subject.tree, kind).map_err(|refusal| refusal.message),
                (None, Err(problem)) => Err(problem.message.clone()),
                (None, Ok(_)) => continue,
            };
            match records {
                Ok(records) => {
                    let field = kind.and_then(|kind| kind.constrains.clone());
                    by_kind.push((field.unwrap_or_else(|| "constrains".to_owned()), records));
                }
                Err(problem) => problems.push(problem),
            }
        }
        let mut why = if files.is_empty() {
            "the workspace declares no kind of records named decision".to_owned()
        } else {
            format!("no record of {} has that id", files.join(" or "))
        };
        if !problems.is_empty() {
            why = format!("{why} ({})", problems.join("; "));
        }
        Self { by_kind, why }
    }

    /// The record with an id, and what it constrains.
    fn get(&self, id: &str) -> Option<(&Record, Vec<&str>)> {
        self.by_kind.iter().find_map(|(field, records)| {
            let record = records.iter().find(|record| record.id.as_deref() == Some(id))?;
            Some((record, record.list(field).iter().filter_map(Value::as_str).collect()))
        })
    }
}

/// Intents are looked up in the working tree's records alone.
fn intents(subject: &Subject<'_>) -> Vec<Finding> {
    let declaration = &subject.workspace.declaration;
    let boxes = || {
        declaration.boxes().filter_map(|(index, member, block)| Some((index, member, block.intent.as_ref()?)))
    };
    if subject.is_revision() || boxes().next().is_none() {
        return Vec::new();
    }
    let decisions = Decisions::read(subject);
    let mut found = Vec::new();
    for (index, member, intent) in boxes() {
        let pointer = format!("/members/{index}/box/intent");
        let Some((record, constrains)) = decisions.get(intent) else {
            let message = format!(
                "the box of {} names the intent {intent}, and {}; propose the decision with `records new`, or mend the id",
                member.name, decisions.why
            );
            found.push(
                Finding::new(Id::BoxIntentUnknown, pointer, message)
                    .of(&member.name)
                    .coded(codes::BOX_INTENT_UNKNOWN),
            );
            continue;
        };
        if constrains.iter().any(|entry| declaration.members().any(|(_, member)| reaches(entry, member))) {
            continue;
        }
        let entries = if constrains.is_empty() { "nothing".to_owned() } else { constrains.join(", ") };
        let message = format!(
            "the box of {} names the intent {intent} ({}), which constrains {entries}: no member and no path of this \
             workspace",
            member.name, record.path
        );
        found.push(
            Finding::new(Id::BoxIntentUnconstrained, pointer, message)
                .of(&member.name)
                .coded(codes::BOX_INTENT_UNCONSTRAINED),
        );
    }
    found
}

/// Whether an entry of `constrains` names the member, or a path at, above or inside its directory.
fn reaches(entry: &str, member: &Member) -> bool {
    if let Some(name) = entry.strip_prefix("member:") {
        return name == member.name;
    }
    let Some(path) = entry.strip_prefix("path:").filter(|path| is_workspace_path(path)) else { return false };
    is_inside(path, &member.dir) || (member.dir != "." && is_inside(&member.dir, path))
}
