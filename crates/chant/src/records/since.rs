//! `records --since`: what changed in a kind's records between two trees, matched by id.

use std::collections::BTreeMap;

use gate::Refusal;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use store::git::{Ancestry, RepoPath, Version};
use store::tree::{Revision, Tree};

use super::document::{Declared, KindHead};
use super::list::{around, declared};
use super::read::{Reading, Records, read};
use super::record::Record;
use super::times::NoTimes;
use crate::kind::{self, Kind};
use crate::place::{Place, git_failed};
use crate::{CONTRACT, Problem, codes};

/// The `$id` of the documents' schema.
pub const SCHEMA: &str =
    "https://intentius.io/chant/schemas/workspace/records-since/v1/records-since.schema.json";

/// What `records --since` is asked.
#[derive(Debug, Clone, Copy)]
pub struct Query<'q> {
    /// The kind file, as typed; none is every declared kind.
    pub kind: Option<&'q str>,
    /// A revision, or the id of a review session.
    pub since: &'q str,
    /// The revision that is compared with it; none is the working tree.
    pub at: Option<&'q str>,
}

/// What `records --since` prints.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Document {
    /// The changes of one kind.
    One(Box<Outcome>),
    /// Those of every kind that the workspace declares.
    Set(Set),
}

/// The changes of a kind, or why there are none.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Outcome {
    /// Both trees were read.
    Comparison(Box<Comparison>),
    /// One was not.
    Failure(Failure),
}

/// The changes of every kind that the workspace declares.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Set {
    /// The document's schema.
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    /// The version of the read contract.
    pub contract: u32,
    /// Each declared kind, in the declaration's order.
    pub kinds: Vec<Outcome>,
}

/// The changes of one kind.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Comparison {
    /// The document's schema.
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    /// The version of the read contract.
    pub contract: u32,
    /// How the declaration names the kind, where it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declared: Option<Declared>,
    /// The kind.
    pub kind: KindHead,
    /// The commit that is compared from.
    pub since: String,
    /// The commit that is compared to; null for the working tree.
    pub at: Option<String>,
    /// The session that was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<Session>,
    /// What changed.
    pub changes: Vec<Change>,
    /// How many changes of each sort.
    pub summary: Summary,
}

/// Why a kind has no comparison.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Failure {
    /// The document's schema.
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    /// The version of the read contract.
    pub contract: u32,
    /// How the declaration names the kind, where it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declared: Option<Declared>,
    /// Why.
    pub error: Problem,
}

/// A review session, and where its two commits come from.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// Its id.
    pub id: String,
    /// Its file.
    pub path: String,
    /// Its state.
    pub state: Option<String>,
    /// `opened-rev` or `history`.
    pub since_from: &'static str,
    /// `close-commit`, `history`, `at` or `working-tree`.
    pub at_from: &'static str,
    /// What a reader must know.
    pub reasons: Vec<Problem>,
}

/// How many changes of each sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Summary {
    /// New records.
    pub new: usize,
    /// Records that are gone.
    pub removed: usize,
    /// Other states.
    pub state: usize,
    /// Verdicts.
    pub verdict: usize,
    /// Supersessions that took effect.
    pub supersession: usize,
    /// Pins.
    pub pin: usize,
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "change", rename_all = "lowercase")]
pub enum Change {
    /// A record with an id that none had.
    New {
        /// The record.
        id: String,
        /// Its file.
        path: String,
        /// Its state.
        state: Option<String>,
    },
    /// A record whose id none has any more.
    Removed {
        /// The record.
        id: String,
        /// Where it was.
        path: String,
        /// The state that it had.
        state: Option<String>,
    },
    /// Another state.
    State {
        /// The record.
        id: String,
        /// Before.
        from: Option<String>,
        /// After.
        to: Option<String>,
    },
    /// A verdict that was not there.
    Verdict {
        /// The record that holds it.
        id: String,
        /// Who gave it.
        principal: Option<String>,
        /// What it says.
        verdict: Option<String>,
        /// Its position in the list, from 0.
        index: usize,
        /// Of a session: the record judged.
        #[serde(skip_serializing_if = "Option::is_none")]
        record: Option<String>,
        /// The session that it names.
        #[serde(skip_serializing_if = "Option::is_none")]
        session: Option<String>,
    },
    /// A supersession that took effect.
    Supersession {
        /// The record that supersedes.
        id: String,
        /// The record superseded.
        supersedes: String,
    },
    /// A pinned file whose hash is another.
    Pin {
        /// The record.
        id: String,
        /// The file.
        path: String,
        /// The hash before; null for a pin that is new.
        from: Option<String>,
        /// The hash after; null for a pin that is gone.
        to: Option<String>,
    },
}

/// Where the two sides lie.
struct Sides {
    since: Revision,
    at: Option<Revision>,
    session: Option<Session>,
}

/// Compares records.
///
/// # Errors
/// Only what stands before any kind, as in [`super::list()`].
pub fn since(place: &Place, query: &Query) -> Result<Document, Refusal> {
    let sides = sides(place, query);
    if let Some(typed) = query.kind {
        return Ok(Document::One(Box::new(one(place, &sides, &place.typed(typed), None))));
    }
    let workspace = declared(place, None)?;
    let mut kinds = Vec::new();
    for kind in workspace.declaration.kinds() {
        let named = Declared {
            member: kind.member.map(str::to_owned),
            path: kind.path.clone(),
            name: kind.name.map(str::to_owned),
        };
        kinds.push(one(place, &sides, &workspace.at(&kind.path), Some(named)));
    }
    Ok(Document::Set(Set { schema: SCHEMA, contract: CONTRACT, kinds }))
}

impl Document {
    /// The outcomes, of one kind or of many.
    pub fn outcomes(&self) -> &[Outcome] {
        match self {
            Self::One(outcome) => std::slice::from_ref(&**outcome),
            Self::Set(set) => &set.kinds,
        }
    }
}

fn one(
    place: &Place,
    sides: &Result<Sides, Refusal>,
    file: &RepoPath,
    declared: Option<Declared>,
) -> Outcome {
    let compared = sides.as_ref().map_err(Clone::clone).and_then(|sides| compare(place, sides, file));
    match compared {
        Ok(comparison) => Outcome::Comparison(Box::new(Comparison { declared, ..comparison })),
        Err(refusal) => Outcome::Failure(Failure {
            schema: SCHEMA,
            contract: CONTRACT,
            declared,
            error: Problem::from(&refusal),
        }),
    }
}

fn sides(place: &Place, query: &Query) -> Result<Sides, Refusal> {
    place.repository()?;
    let at = query.at.map(|rev| place.revision(rev)).transpose()?;
    match place.revision(query.since) {
        Ok(since) => Ok(Sides { since, at, session: None }),
        Err(refusal) if refusal.code != codes::REVISION_UNKNOWN => Err(refusal),
        Err(_) if is_session_id(query.since) => of_session(place, query.since, at),
        Err(refusal) => Err(Refusal::new(codes::SINCE_REV_UNKNOWN, refusal.message)),
    }
}

/// `S-0001`: letters, a dash, digits.
fn is_session_id(text: &str) -> bool {
    text.split_once('-').is_some_and(|(prefix, number)| {
        !prefix.is_empty()
            && prefix.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// The commits that a session opened and closed at.
fn of_session(place: &Place, id: &str, at: Option<Revision>) -> Result<Sides, Refusal> {
    let unknown = || {
        let message = format!("`{id}` names no commit, and no session of a declared kind has that id");
        Refusal::new(codes::SINCE_SESSION_UNKNOWN, message)
    };
    let tree = place.work_tree();
    let workspace = declared(place, None).map_err(|_| unknown())?;
    let kinds = workspace.declaration.kinds();
    let kinds = kinds.iter().filter_map(|kind| kind::load(&tree, &workspace.at(&kind.path)).ok());
    let found = kinds.filter(|kind| kind.session.is_some()).find_map(|kind| {
        let files = super::read::located(&tree, &kind).ok()?;
        let record = files.into_iter().find_map(|(path, _)| {
            let bytes = tree.read(&path).ok()??;
            Some(super::read::parse(&kind, path, &bytes)).filter(|record| record.id.as_deref() == Some(id))
        })?;
        Some((kind, record))
    });
    let (kind, record) = found.ok_or_else(unknown)?;
    let session = kind.session.as_ref().ok_or_else(unknown)?;
    let versions = match place.head()? {
        Some(head) => {
            let path = std::slice::from_ref(&record.path);
            place
                .git()
                .versions(head.as_str(), path)
                .map_err(git_failed)?
                .remove(&record.path)
                .unwrap_or_default()
        }
        None => Vec::new(),
    };
    let field = |name: &Option<String>| name.as_ref().and_then(|name| record.text(name)).map(str::to_owned);
    let opened = field(&session.opened_rev).and_then(|rev| place.revision(&rev).ok());
    let (since, since_from) = if let Some(opened) = opened {
        (opened, "opened-rev")
    } else {
        let added = versions.iter().find(|version| version.is_addition);
        let added = added.ok_or_else(|| {
            let message = format!("the session {id} has no opening revision, and no commit added its file");
            Refusal::new(codes::SINCE_REV_UNKNOWN, message)
        })?;
        (place.revision(added.stamp.commit.as_str())?, "history")
    };
    let is_open = !kind.is_closed(record.state.as_deref());
    let (at, at_from) = match at {
        Some(at) => (Some(at), "at"),
        None if is_open => (None, "working-tree"),
        None => closed(place, &versions, field(&session.closed_rev).as_deref())?,
    };
    let mut reasons = Vec::new();
    if is_open {
        let message = format!("the session {id} is still open, so the comparison runs to the working tree");
        reasons.push(Problem::new(codes::SINCE_SESSION_OPEN, message));
    }
    let session = Session {
        id: id.to_owned(),
        path: record.path.to_string(),
        state: record.state.clone(),
        since_from,
        at_from,
        reasons,
    };
    Ok(Sides { since, at, session: Some(session) })
}

/// The commit that carries a session's close.
fn closed(
    place: &Place,
    versions: &[Version],
    closed_rev: Option<&str>,
) -> Result<(Option<Revision>, &'static str), Refusal> {
    let Some(closed_rev) = closed_rev else {
        let last =
            versions.first().map(|version| place.revision(version.stamp.commit.as_str())).transpose()?;
        let from = if last.is_some() { "history" } else { "working-tree" };
        return Ok((last, from));
    };
    // From the oldest on, the first version that the closing revision does not know yet.
    for version in versions.iter().rev() {
        let commit = version.stamp.commit.as_str();
        if place.git().is_ancestor(commit, closed_rev).map_err(git_failed)? != Ancestry::Yes {
            return Ok((Some(place.revision(commit)?), "close-commit"));
        }
    }
    Ok((None, "working-tree"))
}

fn compare(place: &Place, sides: &Sides, file: &RepoPath) -> Result<Comparison, Refusal> {
    let work_tree = place.work_tree();
    let kind = kind::load(&work_tree, file)?;
    let after_tree: &dyn Tree = sides.at.as_ref().map_or(&work_tree, |at| at);
    let before = match all(place, &kind, &sides.since, &work_tree) {
        Ok(records) => records.records,
        // A folder that did not exist held no records.
        Err(refusal) if refusal.code == codes::LOCATION_MISSING => Vec::new(),
        Err(refusal) => return Err(refusal),
    };
    let after = all(place, &kind, after_tree, &work_tree)?.records;
    let changes = changes(&kind, &before, &after);
    let mut summary = Summary::default();
    for change in &changes {
        *match change {
            Change::New { .. } => &mut summary.new,
            Change::Removed { .. } => &mut summary.removed,
            Change::State { .. } => &mut summary.state,
            Change::Verdict { .. } => &mut summary.verdict,
            Change::Supersession { .. } => &mut summary.supersession,
            Change::Pin { .. } => &mut summary.pin,
        } += 1;
    }
    Ok(Comparison {
        schema: SCHEMA,
        contract: CONTRACT,
        declared: None,
        kind: KindHead::of(&kind),
        since: sides.since.oid().to_string(),
        at: sides.at.as_ref().map(|at| at.oid().to_string()),
        session: sides.session.clone(),
        changes,
        summary,
    })
}

fn all(place: &Place, kind: &Kind, tree: &dyn Tree, kinds: &dyn Tree) -> Result<Records, Refusal> {
    let (workspace, need) = around(tree, &kind.file)?;
    let nobody = trust::Trust::empty();
    let reading = Reading { tree, kinds, workspace: &workspace, need, judge: &nobody, env: &place.world.env };
    read(&reading, kind, &mut NoTimes)
}

/// The records by id; of several with one id the first.
fn by_id(records: &[Record]) -> BTreeMap<&str, &Record> {
    let mut found = BTreeMap::new();
    for record in records {
        if let Some(id) = &record.id {
            found.entry(id.as_str()).or_insert(record);
        }
    }
    found
}

fn changes(kind: &Kind, before: &[Record], after: &[Record]) -> Vec<Change> {
    let (old, new) = (by_id(before), by_id(after));
    let both = || new.iter().filter_map(|(id, new)| Some((*id, *old.get(id)?, *new)));
    let mut changes = Vec::new();
    for (id, record) in new.iter().filter(|(id, _)| !old.contains_key(*id)) {
        let (path, state) = (record.path.to_string(), record.state.clone());
        changes.push(Change::New { id: (*id).to_owned(), path, state });
    }
    for (id, record) in old.iter().filter(|(id, _)| !new.contains_key(*id)) {
        let (path, state) = (record.path.to_string(), record.state.clone());
        changes.push(Change::Removed { id: (*id).to_owned(), path, state });
    }
    for (id, old, new) in both().filter(|(_, old, new)| old.state != new.state) {
        changes.push(Change::State { id: id.to_owned(), from: old.state.clone(), to: new.state.clone() });
    }
    for (id, record) in &new {
        let mut known: Vec<Given> = old.get(id).map(|old| given(kind, old)).unwrap_or_default();
        for (index, verdict) in given(kind, record).into_iter().enumerate() {
            // Each known verdict answers for one.
            if let Some(at) = known.iter().position(|known| *known == verdict) {
                known.swap_remove(at);
                continue;
            }
            let Given { principal, verdict, record, session, .. } = verdict;
            changes.push(Change::Verdict {
                id: (*id).to_owned(),
                principal,
                verdict,
                index,
                record,
                session,
            });
        }
    }
    for (id, record) in &new {
        let Some(by) = &record.superseded_by else { continue };
        if old.get(id).and_then(|old| old.superseded_by.as_ref()) != Some(by) {
            changes.push(Change::Supersession { id: by.clone(), supersedes: (*id).to_owned() });
        }
    }
    let start = changes.iter().position(|change| matches!(change, Change::Supersession { .. }));
    if let Some(start) = start {
        changes[start..].sort_by(|a, b| superseding(a).cmp(&superseding(b)));
    }
    for (id, old, new) in both() {
        let (from, to) = (pinned(old), pinned(new));
        let mut paths: Vec<&str> = from.keys().chain(to.keys()).copied().collect();
        paths.sort_unstable();
        paths.dedup();
        for path in paths.into_iter().filter(|path| from.get(path) != to.get(path)) {
            let hash = |pins: &BTreeMap<&str, &str>| pins.get(path).map(|hash| (*hash).to_owned());
            let (from, to) = (hash(&from), hash(&to));
            changes.push(Change::Pin { id: id.to_owned(), path: path.to_owned(), from, to });
        }
    }
    changes
}

fn superseding(change: &Change) -> Option<(&str, &str)> {
    match change {
        Change::Supersession { id, supersedes } => Some((id, supersedes)),
        _ => None,
    }
}

fn pinned(record: &Record) -> BTreeMap<&str, &str> {
    record.assets.iter().map(|asset| (&*asset.path, &*asset.sha256)).collect()
}

/// What makes two entries the same verdict.
#[derive(PartialEq)]
struct Given {
    principal: Option<String>,
    verdict: Option<String>,
    on: Option<String>,
    record: Option<String>,
    session: Option<String>,
}

fn given(kind: &Kind, record: &Record) -> Vec<Given> {
    let text = |entry: &Value, key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
    let (field, who) = match (&kind.session, &kind.reviews) {
        (Some(session), _) => (&session.verdicts, "principal"),
        (None, Some(reviews)) => (&reviews.field, "reviewer"),
        (None, None) => return Vec::new(),
    };
    let is_session = kind.session.is_some();
    let one = |entry: &Value| Given {
        principal: text(entry, who),
        verdict: text(entry, "verdict"),
        on: text(entry, "on"),
        record: text(entry, "record").filter(|_| is_session),
        session: text(entry, "session").filter(|_| !is_session),
    };
    record.list(field).iter().map(one).collect()
}
