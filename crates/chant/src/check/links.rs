//! Links between members: WSP091 to WSP094 and WSP096 to WSP098, and the table of links.
//!
//! A producer's outputs are known where its kind or its entry lists them. Those that stand in a member's source are for
//! the member's own toolchain: such a link is unresolved in the table, and no finding.

use std::collections::HashMap;

use super::Subject;
use super::catalogue::Id;
use super::document::{LinkRow, LinkStatus};
use super::finding::Finding;
use crate::declaration::{Declaration, Entry, Link, Member};
use crate::members::{Kinds, Outputs};

const KINDS: [&str; 2] = ["output", TELEMETRY];
const TELEMETRY: &str = "telemetry";

/// Every declared link with its status, in the order of the declaration.
pub(super) fn table(declaration: &Declaration, kinds: &Kinds) -> Vec<LinkRow> {
    let mut rows = Vec::new();
    for (index, member) in declaration.members() {
        for (at, link) in member.links.iter().enumerate() {
            let (status, reason) = resolve(declaration, kinds, member, link);
            rows.push(LinkRow {
                consumer: member.name.clone(),
                producer: link.member.clone(),
                output: link.output.clone(),
                kind: link.kind.clone(),
                origin: "declared",
                label: "exact",
                input: None,
                resolves: "source",
                status,
                reason,
                pointer: format!("/members/{index}/links/{at}"),
                protocol: link.protocol.clone(),
            });
        }
    }
    rows
}

fn resolve(
    declaration: &Declaration,
    kinds: &Kinds,
    member: &Member,
    link: &Link,
) -> (LinkStatus, Option<String>) {
    let invalid = target_problem(declaration, member, link)
        .or_else(|| kind_problem(member, link))
        .or_else(|| protocol_problem(member, link));
    if let Some(problem) = invalid {
        return (LinkStatus::Invalid, Some(problem));
    }
    let producer = &link.member;
    if link.kind == TELEMETRY {
        let reason = format!("the collector of {producer} is read by graph alone");
        return (LinkStatus::Unresolved, Some(reason));
    }
    let entry = declaration.member(producer).map(|(_, member)| member);
    let known = entry.and_then(|entry| Some((entry, kinds.get(&entry.kind)?)));
    let Some((entry, kind)) = known else {
        return (LinkStatus::Unresolved, Some(format!("the kind of {producer} is not known")));
    };
    match &kind.outputs {
        Outputs::Source => {
            let reason =
                format!("the outputs of {producer} stand in its source, which its own toolchain reads");
            (LinkStatus::Unresolved, Some(reason))
        }
        Outputs::None => {
            let reason = format!("{producer} is of kind {}, which has no outputs", kind.name);
            (LinkStatus::Missing, Some(reason))
        }
        Outputs::Listed(names) => {
            let mut names: Vec<&str> =
                names.iter().chain(entry.outputs.iter().flatten()).map(String::as_str).collect();
            if names.contains(&link.output.as_str()) {
                return (LinkStatus::Resolved, None);
            }
            names.sort_unstable();
            names.dedup();
            (LinkStatus::Missing, Some(missing(producer, &link.output, &names)))
        }
    }
}

fn missing(producer: &str, output: &str, names: &[&str]) -> String {
    let near: Vec<&str> = names.iter().copied().filter(|name| folded(name) == folded(output)).collect();
    let near = if near.is_empty() {
        String::new()
    } else {
        format!("; {} differs only in case or punctuation, and names are compared exactly", near.join(" or "))
    };
    let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    format!("{producer} has no output {output}{near}; its outputs: {known}")
}

fn folded(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn target_problem(declaration: &Declaration, member: &Member, link: &Link) -> Option<String> {
    let (name, target) = (&member.name, &link.member);
    if name == target {
        return Some(format!("{name} links to itself; a link joins two members"));
    }
    match declaration.entries.iter().find(|entry| entry.name() == target) {
        Some(Entry::Member(_)) => None,
        Some(Entry::Group(_)) => Some(format!("{name} links to {target}, which is an example group")),
        None => Some(format!("{name} links to {target}, which is no member")),
    }
}

fn kind_problem(member: &Member, link: &Link) -> Option<String> {
    (!KINDS.contains(&link.kind.as_str())).then(|| {
        format!(
            "the link of {} to {} has the kind {}; known kinds: {}",
            member.name,
            link.member,
            link.kind,
            KINDS.join(", ")
        )
    })
}

fn protocol_problem(member: &Member, link: &Link) -> Option<String> {
    let protocol = link.protocol.as_ref().filter(|_| link.kind != TELEMETRY)?;
    Some(format!(
        "the link of {} to the output {} of {} has the protocol {protocol} and the kind {}; only a telemetry link has one",
        member.name, link.output, link.member, link.kind
    ))
}

pub(super) fn check(subject: &Subject<'_>, rows: &[LinkRow]) -> Vec<Finding> {
    let declaration = &subject.workspace.declaration;
    let mut found = Vec::new();
    for (index, member) in declaration.members() {
        let mut seen: HashMap<(&str, &str, &str), usize> = HashMap::new();
        for (at, link) in member.links.iter().enumerate() {
            let pointer = format!("/members/{index}/links/{at}");
            let mut add = |check, field: &str, message: String| {
                found.push(Finding::new(check, format!("{pointer}{field}"), message).of(&member.name));
            };
            if let Some(problem) = target_problem(declaration, member, link) {
                add(Id::LinkTargetUnknown, "/member", problem);
            }
            if let Some(problem) = kind_problem(member, link) {
                add(Id::LinkKindUnknown, "/kind", problem);
            }
            if let Some(problem) = protocol_problem(member, link) {
                add(Id::LinkProtocolMisplaced, "/protocol", problem);
            }
            let key = (link.member.as_str(), link.output.as_str(), link.kind.as_str());
            if let Some(first) = seen.get(&key) {
                let message = format!(
                    "{} states the link to the output {} of {} twice, first at /members/{index}/links/{first}",
                    member.name, link.output, link.member
                );
                add(Id::LinkDuplicate, "", message);
            } else {
                seen.insert(key, at);
            }
        }
        outputs(subject, index, member, &mut found);
    }
    for row in rows {
        let Some(reason) = &row.reason else { continue };
        let (check, what) = match row.status {
            LinkStatus::Missing => (Id::LinkOutputMissing, "does not resolve"),
            LinkStatus::Unresolved if !is_source(subject, row) => (Id::LinkUnresolved, "stays unresolved"),
            _ => continue,
        };
        let message = format!(
            "the link of {} to the output {} of {} {what}: {reason}",
            row.consumer, row.output, row.producer
        );
        found.push(Finding::new(check, format!("{}/output", row.pointer), message).of(&row.consumer));
    }
    found
}

/// Whether the producer's outputs stand in its source.
fn is_source(subject: &Subject<'_>, row: &LinkRow) -> bool {
    let producer = subject.workspace.declaration.member(&row.producer);
    let kind = producer.and_then(|(_, producer)| subject.kinds.get(&producer.kind));
    row.kind != TELEMETRY && kind.is_some_and(|kind| kind.outputs == Outputs::Source)
}

fn outputs(subject: &Subject<'_>, index: usize, member: &Member, found: &mut Vec<Finding>) {
    if member.outputs.is_none() {
        return;
    }
    let why = match subject.kinds.get(&member.kind).map(|kind| &kind.outputs) {
        Some(Outputs::Source) => "reads them from the member's source",
        Some(Outputs::None) => "has none",
        Some(Outputs::Listed(_)) | None => return,
    };
    let message =
        format!("{} lists outputs, and the kind {} {why}; remove the list", member.name, member.kind);
    found.push(
        Finding::new(Id::OutputsNotListable, format!("/members/{index}/outputs"), message).of(&member.name),
    );
}
