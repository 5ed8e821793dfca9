//! Reading the records of a kind.

use std::collections::HashMap;

use canon::{Sha256, front_matter, json};
use gate::Refusal;
use serde_json::{Map, Value};
use store::git::RepoPath;
use store::tree::{EntryKind, Tree, TreeError};
use store::{Env, parallel};

use super::digest::{digest, whole_seal};
use super::links::{self, Index};
use super::record::Record;
use super::reviews::{self, Judge, Need};
use super::times::Times;
use super::work::{self, DecisionWork, Others};
use super::{answers, pins, sessions, source};
use crate::kind::{self, Format, IdRule, Kind};
use crate::{Problem, codes};

/// What records are read from, and who counts.
#[derive(Clone, Copy)]
pub struct Reading<'a> {
    /// The tree that holds the records and the files that they pin.
    pub tree: &'a dyn Tree,
    /// The tree that holds kind files and schemas: the working tree, or where there is none the revision.
    pub kinds: &'a dyn Tree,
    /// The workspace that pinned paths start from.
    pub workspace: &'a RepoPath,
    /// How many verdicts a record needs.
    pub need: Need,
    /// Who counts.
    pub judge: &'a dyn Judge,
    /// The environment, for the home folder.
    pub env: &'a Env,
}

/// The records of one kind, sorted by path.
#[derive(Debug)]
pub struct Records {
    /// Every record.
    pub records: Vec<Record>,
    /// Which record has which id.
    pub index: Index,
    /// Of a work kind: the decisions with the items that carry them out.
    pub decisions: Option<Vec<DecisionWork>>,
}

impl Records {
    /// The record with this id.
    pub fn get(&self, id: &str) -> Option<&Record> {
        self.index.get(id).map(|&at| &self.records[at])
    }
}

/// Reads the records of a kind, with everything that follows from other records.
///
/// # Errors
/// `location-missing` where the folder does not exist or can't be read.
pub fn read(reading: &Reading, kind: &Kind, times: &mut dyn Times) -> Result<Records, Refusal> {
    let (mut records, index) = linked(reading, kind)?;
    pins::stale(kind, &mut records, &index, reading.workspace, times);
    let other = |file: &RepoPath| {
        let other = kind::load(reading.kinds, file).ok()?;
        let (records, _) = linked(reading, &other).ok()?;
        Some((other, records))
    };
    if let Some(session) = &kind.session {
        let subjects: Vec<(Kind, Vec<Record>)> = session.subjects.iter().filter_map(other).collect();
        let subjects: Vec<(&Kind, &[Record])> =
            subjects.iter().map(|(kind, records)| (kind, &records[..])).collect();
        sessions::check(session, &mut records, &subjects);
    }
    let mut decisions = None;
    if let Some(work) = &kind.work {
        let others = Others {
            decisions: other(&work.decisions),
            contracts: work.contract.as_ref().and_then(|contract| other(&contract.kind)),
            answers: work.answers.as_ref().and_then(other).map(|(_, records)| records),
        };
        work::check(kind, work, &mut records, &index, &others, reading.judge);
        let known = others.decisions.as_ref().map_or(&[][..], |(_, records)| records);
        decisions = Some(work::decisions(&records, known));
    }
    if let Some(points) = &kind.answers {
        answers::check(points, &mut records, reading.tree);
    }
    if let Some(field) = &kind.source {
        for record in &mut records {
            source::check_transcript(field, record, reading.tree, reading.workspace, reading.env);
        }
    }
    Ok(Records { records, index, decisions })
}

/// The records of a kind with what follows from each other.
fn linked(reading: &Reading, kind: &Kind) -> Result<(Vec<Record>, Index), Refusal> {
    let records = parsed(reading.tree, kind)?;

    let hashes = pinned(reading, kind, &records).map_err(|error| unreadable(kind, &error))?;
    let finish = |mut record: Record| {
        pins::check(kind, &mut record, &hashes);
        reviews::judge(kind, &mut record, reading.need, reading.judge);
        record
    };
    let mut records = parallel::each(records, finish);
    let index = links::index(&mut records);
    links::supersede(kind, &mut records, &index);
    links::remediate(kind, &mut records, &index);
    Ok((records, index))
}

/// The records of a kind, each from its file alone.
///
/// # Errors
/// `location-missing` where the folder does not exist or can't be read.
pub fn parsed(tree: &dyn Tree, kind: &Kind) -> Result<Vec<Record>, Refusal> {
    let files = located(tree, kind)?;
    let paths: Vec<RepoPath> = files.iter().map(|(path, _)| path.clone()).collect();
    let contents = tree.read_many(&paths).map_err(|error| unreadable(kind, &error))?;
    let parse = |((path, entry), content): ((RepoPath, EntryKind), Option<Vec<u8>>)| match (entry, content) {
        (EntryKind::File, Some(bytes)) => parse(kind, path, &bytes),
        (EntryKind::Link, _) => unparsed(path, "it is a symbolic link, and links are not followed"),
        _ => unparsed(path, "it could not be read"),
    };
    Ok(parallel::each(files.into_iter().zip(contents).collect(), parse))
}

/// The files that hold the kind's records, in the order of their names.
pub fn located(tree: &dyn Tree, kind: &Kind) -> Result<Vec<(RepoPath, EntryKind)>, Refusal> {
    let Some(entries) = tree.list(&kind.folder).map_err(|error| unreadable(kind, &error))? else {
        let message = format!("records directory {} does not exist{}", shown(&kind.folder), label(tree));
        return Err(Refusal::new(codes::LOCATION_MISSING, message));
    };
    let is_record = |kind: EntryKind| matches!(kind, EntryKind::File | EntryKind::Link);
    let mut files: Vec<(String, EntryKind)> = Vec::new();
    for entry in entries.into_iter().filter(|entry| is_record(entry.kind)) {
        if kind.decide(&entry.name)?
            && let Ok(name) = String::from_utf8(entry.name)
        {
            files.push((name, entry.kind));
        }
    }
    // The order of the published program: by UTF-16 code units, which differs from bytes for rare letters alone.
    if files.iter().any(|(name, _)| !name.is_ascii()) {
        files.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
    }
    Ok(files.into_iter().map(|(name, entry)| (kind.folder.join(name), entry)).collect())
}

fn unreadable(kind: &Kind, error: &TreeError) -> Refusal {
    let message = format!("records directory {} can't be read: {error}", shown(&kind.folder));
    Refusal::new(codes::LOCATION_MISSING, message)
}

fn shown(folder: &RepoPath) -> String {
    if folder.is_empty() { ".".to_owned() } else { folder.to_string() }
}

fn label(tree: &dyn Tree) -> String {
    tree.commit().map(|commit| format!(" at {}", &commit.as_str()[..8])).unwrap_or_default()
}

fn unparsed(path: RepoPath, why: &str) -> Record {
    let mut record = Record { path, ..Record::default() };
    record.digest = Some(Sha256::of(b""));
    record.refuse(Problem::new(codes::RECORD_UNPARSEABLE, why));
    record
}

/// One record from its file alone.
pub fn parse(kind: &Kind, path: RepoPath, bytes: &[u8]) -> Record {
    let mut record = Record { path, valid: true, digest: Some(digest(kind, bytes)), ..Record::default() };
    if kind.id == IdRule::Sha256 {
        addressed(&mut record, bytes);
    }
    let (data, body) = match content(kind, bytes) {
        Ok(content) => content,
        Err(why) => {
            record.refuse(Problem::new(codes::RECORD_UNPARSEABLE, why));
            return record;
        }
    };
    // The schema judges a value, and copying thousands of maps into one costs as much as reading them.
    let data = Value::Object(data);
    let problems = kind.schema.problems(&data);
    let Value::Object(data) = data else { return record };
    let text = |field: &str| data.get(field).and_then(Value::as_str).map(str::to_owned);
    if let IdRule::Field(field) = &kind.id {
        record.id = text(field);
    }
    record.state = kind.states.as_ref().and_then(|states| text(&states.field));
    let mut wrong: Vec<String> = problems.into_iter().collect();
    if let IdRule::Field(field) = &kind.id
        && record.id.is_none()
        && wrong.is_empty()
    {
        wrong.push(format!("/{field} must be a string, which is the record's id"));
    }
    let source = kind.source.as_ref().and_then(|field| source::problem(field, data.get(field)?));
    wrong.extend(source);
    if !wrong.is_empty() {
        record.refuse(Problem::new(codes::RECORD_SCHEMA_INVALID, wrong.join("; ")));
    }
    if let Some(problem) = broken_seal(kind, &record, &data, &body) {
        record.refuse(problem);
    }
    record.data = Some(data);
    record
}

/// The data of a record's file and what stands below it.
pub fn content(kind: &Kind, bytes: &[u8]) -> Result<(Map<String, Value>, String), String> {
    match kind.format {
        Format::FrontMatter => {
            let document = front_matter::parse(bytes).map_err(|damage| damage.to_string())?;
            let body = document.body().to_owned();
            Ok((document.data, body))
        }
        Format::Json => {
            json::record(bytes).map(|data| (data, String::new())).map_err(|damage| damage.to_string())
        }
    }
}

/// The id of a content-addressed record, and whether its name claims another.
fn addressed(record: &mut Record, bytes: &[u8]) {
    let id = Sha256::of(bytes).to_string();
    let name = String::from_utf8_lossy(record.path.last()).into_owned();
    let stem = name.split('.').next().unwrap_or_default();
    if stem != id {
        let message = format!("its name claims {stem}, and its bytes hash to {id}");
        record.warnings.push(Problem::new(codes::ASSET_DRIFT, message));
        if stem.len() == 64 && stem.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            record.assets.push(pins::Asset {
                path: record.path.to_string(),
                sha256: stem.to_owned(),
                actual: Some(id.clone()),
                state: pins::PinState::Drifted,
            });
        }
    }
    record.id = Some(id);
}

/// A closed record that is no longer what was sealed.
fn broken_seal(kind: &Kind, record: &Record, data: &Map<String, Value>, body: &str) -> Option<Problem> {
    let field = kind.whole_seal()?;
    let sealed = data.get(field).filter(|_| kind.is_closed(record.state.as_deref()))?;
    if sealed.as_str() == whole_seal(field, data, body).as_deref() {
        return None;
    }
    let message =
        format!("its {field} is not the seal of its text now, so the text changed after it was closed");
    let code =
        if kind.session.is_some() { codes::SESSION_SEAL_MISMATCH } else { codes::RECORD_SEAL_MISMATCH };
    Some(Problem::new(code, message))
}

/// The hashes of all files that the records pin; of a missing file none.
fn pinned(reading: &Reading, kind: &Kind, records: &[Record]) -> Result<pins::Hashes, TreeError> {
    let mut paths: Vec<String> = pins::paths(kind, records);
    paths.sort_unstable();
    paths.dedup();
    let mut hashes = HashMap::new();
    // Some at a time, since a pinned file may be large.
    for some in paths.chunks(256) {
        let places: Vec<RepoPath> = some.iter().map(|path| reading.workspace.join(path)).collect();
        let contents = reading.tree.read_many(&places)?;
        let found = parallel::each(contents, |content| content.map(Sha256::of));
        hashes.extend(some.iter().cloned().zip(found));
    }
    Ok(hashes)
}
