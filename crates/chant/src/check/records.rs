//! Records: WSP111 to WSP117.
//!
//! The catalogue has no check for a record that is not valid. Two things about records are told nevertheless, under
//! WSP114: a record of a kind that was asked for and is not valid, and an id that two records of a declared kind have,
//! which is what a merge of two branches leaves behind.

use std::collections::BTreeSet;

use gate::{ReasonCode, Refusal};
use store::git::RepoPath;

use super::catalogue::Id;
use super::finding::Finding;
use super::{Loaded, Subject};
use crate::kind::{self, Kind};
use crate::place::tree_failed;
use crate::records::{self, GitTimes, NoTimes, Reading, Record, Times};
use crate::{codes, points};

const ASSETS: [(ReasonCode, Id); 3] = [
    (codes::ASSET_DRIFT, Id::RecordAssetDrift),
    (codes::ASSET_MISSING, Id::RecordAssetMissing),
    (codes::ASSET_STALE, Id::RecordAssetStale),
];

pub(super) fn check(subject: &Subject<'_>) -> Result<Vec<Finding>, Refusal> {
    let mut found = Vec::new();
    let mut asked = BTreeSet::new();
    for typed in subject.asked {
        let file = subject.place.typed(typed);
        if asked.insert(file.clone()) {
            ask(subject, typed, &file, &mut found);
        }
    }
    for loaded in &subject.declared {
        declared(subject, loaded, asked.contains(&loaded.file), &mut found)?;
    }
    Ok(found)
}

/// The records of a kind that was asked for.
fn ask(subject: &Subject<'_>, typed: &str, file: &RepoPath, found: &mut Vec<Finding>) {
    let declared = subject.declared.iter().find(|loaded| loaded.file == *file);
    let member = declared.and_then(|loaded| loaded.declared.member);
    let records = kind::load(subject.loaded, file).and_then(|kind| {
        let rev =
            subject.tree.commit().cloned().map_or_else(|| subject.place.head(), |commit| Ok(Some(commit)))?;
        match rev {
            Some(rev) => read(subject, &kind, &mut GitTimes::new(subject.place.git(), rev.as_str())),
            None => read(subject, &kind, &mut NoTimes),
        }
    });
    let records = match records {
        Ok(records) => records,
        Err(refusal) => {
            let message =
                format!("the records of {typed} can't be read: {}: {}", refusal.code, refusal.message);
            found.push(Finding::new(Id::RecordsUnreadable, "", message).of_some(member));
            return;
        }
    };
    for record in records.iter().filter(|record| record.superseded_by.is_none()) {
        for warning in &record.warnings {
            if let Some((_, check)) = ASSETS.iter().find(|(code, _)| *code == warning.code) {
                found.push(about(*check, record, &warning.message).of_some(member));
            }
        }
        found.extend(unmet(record).map(|finding| finding.of_some(member)));
    }
    found.extend(
        records.iter().flat_map(|record| invalid(record, |_| true)).map(|finding| finding.of_some(member)),
    );
}

/// A kind that the workspace declares.
fn declared(
    subject: &Subject<'_>,
    loaded: &Loaded<'_>,
    is_asked: bool,
    found: &mut Vec<Finding>,
) -> Result<(), Refusal> {
    let declared = &loaded.declared;
    let owner = declared.member.unwrap_or("the workspace");
    let pointer = format!("{}/kind", declared.pointer);
    let kind = match &loaded.kind {
        Ok(Some(kind)) => kind,
        Ok(None) => return Ok(()),
        Err(problem) => {
            let message = format!(
                "{owner} declares the kind of records {}, which can't be loaded: {}: {}",
                declared.path, problem.code, problem.message
            );
            found.push(Finding::new(Id::RecordKindUnloadable, pointer, message).of_some(declared.member));
            return Ok(());
        }
    };
    if let (Some(file), false) = (&kind.answers, subject.is_revision())
        && let Err(refusal) = points::load(subject.tree, file)
    {
        let message =
            format!("{owner} declares the kind of answers {}, whose {}", declared.path, refusal.message);
        found.push(Finding::new(Id::DecisionPointsInvalid, pointer, message).of_some(declared.member));
    }
    // A kind that has no records yet has no folder either.
    if is_asked || !subject.tree.is_folder(&kind.folder).map_err(tree_failed)? {
        return Ok(());
    }
    let has_criteria = kind.work.as_ref().is_some_and(|work| work.acceptance.is_some());
    let records = if has_criteria && !subject.is_revision() {
        read(subject, kind, &mut NoTimes)
    } else {
        records::parsed(subject.tree, kind).map(|mut records| {
            records::index(&mut records);
            records
        })
    };
    let records = records?;
    if has_criteria && !subject.is_revision() {
        let current = records.iter().filter(|record| record.superseded_by.is_none());
        found.extend(current.filter_map(unmet).map(|finding| finding.of_some(declared.member)));
    }
    let duplicates =
        records.iter().flat_map(|record| invalid(record, |code| code == codes::RECORD_ID_DUPLICATE));
    found.extend(duplicates.map(|finding| finding.of_some(declared.member)));
    Ok(())
}

fn read(subject: &Subject<'_>, kind: &Kind, times: &mut dyn Times) -> Result<Vec<Record>, Refusal> {
    let (workspace, need) = records::around(subject.tree, &kind.file)?;
    let reading = Reading {
        tree: subject.tree,
        kinds: subject.loaded,
        workspace: &workspace,
        need,
        judge: subject.trust()?,
        env: &subject.place.world.env,
    };
    Ok(records::read(&reading, kind, times)?.records)
}

fn about(check: Id, record: &Record, message: &str) -> Finding {
    let name = record.id.clone().unwrap_or_else(|| record.path.to_string());
    Finding::in_file(check, record.path.clone(), 1, 1, format!("{name}: {message}"))
}

/// A done item with a criterion that is not met.
fn unmet(record: &Record) -> Option<Finding> {
    let warning = record.warnings.iter().find(|warning| warning.code == codes::WORK_ACCEPTANCE_UNMET)?;
    let mut finding = about(Id::WorkAcceptanceUnmet, record, &warning.message);
    finding.code = Some(warning.code);
    Some(finding)
}

/// What makes a record invalid, as far as `told` says that it is told.
fn invalid(record: &Record, told: fn(ReasonCode) -> bool) -> impl Iterator<Item = Finding> {
    record.reasons.iter().filter(move |reason| told(reason.code)).map(|reason| {
        let message = format!("{}: {}: {}", record.path, reason.code, reason.message);
        Finding::in_file(Id::RecordsUnreadable, record.path.clone(), 1, 1, message)
    })
}
