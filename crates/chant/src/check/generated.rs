//! Generated files: WSP081 to WSP083, WSP102 and WSP104 to WSP106.
//!
//! No generator is run: a generator is a command of the member's own toolchain.

use std::collections::{BTreeMap, BTreeSet};

use store::git::RepoPath;
use store::tree::{EntryKind, TreeError};

use super::Subject;
use super::catalogue::Id;
use super::finding::Finding;
use crate::declaration::{Generated, Member, below};
use crate::ls::{NotedFile, is_pipeline, noted};

pub(super) fn check(subject: &Subject<'_>) -> Result<Vec<Finding>, TreeError> {
    // What is generated is looked at in the checkout alone.
    if subject.is_revision() {
        return Ok(Vec::new());
    }
    let mut found = noted_files(subject)?;
    for (index, member) in subject.workspace.declaration.members() {
        for (at, file) in member.generated.iter().enumerate() {
            declared(subject, member, file, &format!("/members/{index}/generated/{at}"), &mut found)?;
        }
        if member.kind == "chant" {
            skills(subject, index, member, &mut found)?;
        }
    }
    Ok(found)
}

fn declared(
    subject: &Subject<'_>,
    member: &Member,
    file: &Generated,
    pointer: &str,
    found: &mut Vec<Finding>,
) -> Result<(), TreeError> {
    let path = below(&member.dir, &file.path);
    let mut add = |check, message: String| found.push(Finding::new(check, pointer, message).of(&member.name));
    if let Some(by_hand) = &file.hand_written {
        add(Id::GeneratedHandWritten, format!("{path} is kept by hand: {}", by_hand.because));
        return Ok(());
    }
    for source in &file.sources {
        if subject.tree.kind(&subject.workspace.at(source))?.is_none() {
            add(Id::GeneratedSourceMissing, format!("{source}, a source of {path}, does not exist"));
        }
    }
    if subject.tree.is_file(&subject.workspace.at(&path))? {
        add(Id::GeneratedNotCompared, not_compared(subject, &path));
    } else {
        let place = if member.dir == "." { "the workspace root" } else { &member.dir };
        let message =
            format!("{path} does not exist; run `{}` in {place} and commit the file", file.generator);
        add(Id::GeneratedMissing, message);
    }
    Ok(())
}

fn not_compared(subject: &Subject<'_>, path: &str) -> String {
    let why = if subject.run_generators {
        "generators run under the member's own toolchain, which is not called here"
    } else {
        "its generator was not run"
    };
    format!("{path} was not compared with what its generator writes: {why}")
}

/// The skills of a chant member, which its toolchain writes without being told.
fn skills(
    subject: &Subject<'_>,
    index: usize,
    member: &Member,
    found: &mut Vec<Finding>,
) -> Result<(), TreeError> {
    let skills = below(&member.dir, "skills");
    let entries = subject.tree.list(&subject.workspace.at(&skills))?.unwrap_or_default();
    for entry in entries.iter().filter(|entry| entry.kind == EntryKind::Folder) {
        let Ok(name) = std::str::from_utf8(&entry.name) else { continue };
        let file = format!("skills/{name}/SKILL.md");
        let path = below(&member.dir, &file);
        let is_declared = member.generated.iter().any(|declared| declared.path == file);
        if !is_declared && subject.tree.is_file(&subject.workspace.at(&path))? {
            let message = not_compared(subject, &path);
            found.push(
                Finding::new(Id::GeneratedNotCompared, format!("/members/{index}"), message).of(&member.name),
            );
        }
    }
    Ok(())
}

/// What the members' own commands noted: who wrote which file, and for which environment.
fn noted_files(subject: &Subject<'_>) -> Result<Vec<Finding>, TreeError> {
    let declaration = &subject.workspace.declaration;
    let mut notes: BTreeMap<usize, (&Member, Vec<NotedFile>)> = BTreeMap::new();
    for (index, member) in declaration.members() {
        let files = noted(subject.tree, &subject.workspace.at(member.folder()))?;
        notes.insert(index, (member, files));
    }
    let mut found = Vec::new();

    let mut writers: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (&index, (member, files)) in &notes {
        let folder = subject.workspace.at(member.folder());
        for path in files.iter().map(|file| file.path.as_str()).collect::<BTreeSet<_>>() {
            writers.entry(path).or_default().push(index);
            if !RepoPath::from(path).is_within(&folder) && !is_pipeline(path) {
                let message = format!(
                    "{} writes {path}, which lies outside its directory ({}) and is no pipeline of a forge",
                    member.name, member.dir
                );
                let pointer = format!("/members/{index}");
                found.push(Finding::new(Id::GeneratedOutsideMember, pointer, message).of(&member.name));
            }
        }
    }
    for (path, members) in writers.iter().filter(|(_, members)| members.len() > 1) {
        let names: Vec<&str> = members.iter().map(|index| notes[index].0.name.as_str()).collect();
        let message = format!(
            "{} all write {path}, each over what the others wrote; leave it to one of them",
            names.join(", ")
        );
        let pointer = format!("/members/{}", members[0]);
        found.push(Finding::new(Id::GeneratedDeclaredTwice, pointer, message).of(names[0]));
    }

    let environments = |index: usize| -> BTreeSet<&str> {
        notes[&index].1.iter().filter_map(|file| file.env.as_deref()).collect()
    };
    let mut pairs = BTreeSet::new();
    for (consumer, member) in declaration.members() {
        let producers = member.links.iter().filter_map(|link| declaration.member(&link.member));
        pairs.extend(
            producers
                .map(|(producer, _)| (consumer.min(producer), consumer.max(producer)))
                .filter(|(first, second)| first != second),
        );
    }
    for (first, second) in pairs {
        let (of_first, of_second) = (environments(first), environments(second));
        if of_first.is_empty() || of_second.is_empty() || !of_first.is_disjoint(&of_second) {
            continue;
        }
        let listed = |names: BTreeSet<&str>| names.into_iter().collect::<Vec<_>>().join(", ");
        let (name, other) = (&notes[&first].0.name, &notes[&second].0.name);
        let message = format!(
            "{name} ({}) and {other} ({}) are linked and share the name of no environment",
            listed(of_first),
            listed(of_second)
        );
        let pointer = format!("/members/{first}");
        found.push(Finding::new(Id::LinkedEnvironmentsDisjoint, pointer, message).of(name));
    }
    Ok(found)
}
