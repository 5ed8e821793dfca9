//! Verdicts on a record, counted against the quorum.

use std::collections::HashMap;

use gate::ReasonCode;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::record::{Nullable, Record};
use crate::kind::{Kind, Reviews};
use crate::{Problem, codes};

/// How many agreeing verdicts a record needs where the declaration says nothing.
const NEED: u64 = 2;

/// A record's verdicts, counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Quorum {
    /// How many agreeing verdicts are needed.
    pub need: u64,
    /// Who says so: `declaration` or `default`.
    pub need_from: NeedFrom,
    /// How many counted verdicts agree.
    pub agreed: u64,
    /// The verdicts that count, at most one for each principal.
    pub counted: Vec<Verdict>,
    /// Those that don't, each with its reason.
    pub not_counted: Vec<Verdict>,
    /// Every dissent that is neither addressed nor withdrawn.
    pub open_concerns: Vec<Concern>,
    /// Whether enough agree.
    pub met: bool,
    /// Whether enough agree while a dissent is open.
    pub met_with_objections: bool,
}

/// Who sets the number of verdicts that a record needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NeedFrom {
    /// The workspace's declaration.
    Declaration,
    /// The contract.
    Default,
}

/// How many verdicts a record needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Need {
    /// How many.
    pub count: u64,
    /// Who says so.
    pub from: NeedFrom,
}

impl Need {
    /// What the declaration says, or the contract's own number.
    pub fn declared(count: Option<u64>) -> Self {
        match count {
            Some(count) => Self { count, from: NeedFrom::Declaration },
            None => Self { count: NEED, from: NeedFrom::Default },
        }
    }
}

/// One verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Verdict {
    /// Its position in the record's list, from 0.
    pub index: usize,
    /// The reviewer in the form in which names are compared.
    pub principal: String,
    /// The reviewer as written.
    pub reviewer: String,
    /// `agree`, `dissent` or `abstain`.
    pub verdict: String,
    /// The digest that it names.
    pub digest: Option<String>,
    /// Whether its seal verifies.
    pub attested: Option<bool>,
    /// What its seal establishes.
    pub attestation: Attestation,
    /// Why it does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Problem>,
}

/// What a seal establishes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Attestation {
    /// Why it is not attested; absent exactly when it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<ReasonCode>,
    /// For people.
    pub message: String,
    /// The fingerprint of the key, where a signature was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// A dissent that is open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Concern {
    /// Its position in the record's list, from 0.
    pub index: usize,
    /// The reviewer in the form in which names are compared.
    pub principal: String,
    /// The reviewer as written.
    pub reviewer: String,
    /// Its reason.
    pub note: Option<String>,
    /// The decision that it proposes instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposes: Option<String>,
}

/// A seal, judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// Whether it verifies; none where nothing here can say.
    pub attested: Option<bool>,
    /// Why.
    pub attestation: Attestation,
}

/// Who counts, and whose seal verifies: what trust says at base.
pub trait Judge: Sync {
    /// The form in which names are compared.
    fn principal(&self, name: &str) -> String;

    /// Whether the principal holds the agent role.
    fn is_agent(&self, principal: &str) -> bool;

    /// Whether only attested verdicts count.
    fn is_active(&self) -> bool;

    /// The seal of a verdict on the record with this id.
    fn verdict(&self, id: Option<&str>, entry: &Value, reviewer: &str) -> Judged;

    /// The author's seal of a record.
    fn author(&self, record: &Record, author: Option<&str>, seal: Option<&Value>) -> Judged;
}

/// Counts a record's verdicts and judges its author's seal.
pub(super) fn judge(kind: &Kind, record: &mut Record, need: Need, judge: &dyn Judge) {
    let Some(reviews) = &kind.reviews else { return };
    if record.data.is_none() {
        record.quorum = Some(Nullable(None));
        return;
    }
    undigested(reviews, record);
    record.quorum = Some(Nullable(Some(count(reviews, record, need, judge))));

    let author = record.text(&reviews.decider).filter(|author| !author.trim().is_empty());
    let judged = judge.author(record, author, record.field("seal"));
    if judge.is_active() && author.is_some() && judged.attested != Some(true) {
        let message = format!(
            "its author {} is not attested: {}",
            author.unwrap_or_default(),
            judged.attestation.message
        );
        record.warnings.push(Problem::new(codes::RECORD_UNATTESTED, message));
    }
    record.attested = Some(Nullable(judged.attested));
    record.attestation = Some(judged.attestation);
}

fn undigested(reviews: &Reviews, record: &mut Record) {
    let names: Vec<&str> = record
        .list(&reviews.field)
        .iter()
        .filter(|entry| entry.is_object() && entry.get("digest").is_none())
        .map(|entry| entry.get("reviewer").and_then(Value::as_str).unwrap_or("an unnamed reviewer"))
        .collect();
    if !names.is_empty() {
        let message = format!("no digest says which text was judged by {}", names.join(", "));
        record.warnings.push(Problem::new(codes::REVIEW_UNDIGESTED, message));
    }
}

/// Counts the verdicts of a record whose data could be read.
pub fn count(reviews: &Reviews, record: &Record, need: Need, judge: &dyn Judge) -> Quorum {
    let decider = record.text(&reviews.decider).map(|name| judge.principal(name));
    let digest = record.digest.map(|digest| digest.to_string());
    let mut verdicts = Vec::new();
    let mut open_concerns = Vec::new();
    for (index, entry) in record.list(&reviews.field).iter().enumerate() {
        let text = |key: &str| entry.get(key).and_then(Value::as_str);
        let (Some(reviewer), Some(verdict @ ("agree" | "dissent" | "abstain"))) =
            (text("reviewer"), text("verdict"))
        else {
            continue;
        };
        let principal = judge.principal(reviewer);
        let is_set = |key: &str| entry.get(key).is_some_and(|value| !value.is_null());
        if verdict == "dissent" && !is_set("addressed_by") && !is_set("withdrawn_on") {
            open_concerns.push(Concern {
                index,
                principal: principal.clone(),
                reviewer: reviewer.to_owned(),
                note: text("note").map(str::to_owned),
                proposes: text("proposes").map(str::to_owned),
            });
        }
        let judged = judge.verdict(record.id.as_deref(), entry, reviewer);
        let named = text("digest");
        let reason = if decider.as_deref() == Some(&*principal) {
            Some(Problem::new(
                codes::REVIEW_DECIDER,
                format!("{reviewer} is who decides; others' verdicts count"),
            ))
        } else if judge.is_agent(&principal) {
            Some(Problem::new(codes::REVIEW_AGENT, format!("{reviewer} holds the agent role")))
        } else if named.is_some_and(|named| Some(named) != digest.as_deref()) {
            Some(Problem::new(codes::REVIEW_OLDER_DIGEST, "the record changed after the verdict"))
        } else if judge.is_active() && judged.attested != Some(true) {
            Some(Problem::new(codes::REVIEW_UNATTESTED, judged.attestation.message.clone()))
        } else {
            None
        };
        verdicts.push(Verdict {
            index,
            principal,
            reviewer: reviewer.to_owned(),
            verdict: verdict.to_owned(),
            digest: named.map(str::to_owned),
            attested: judged.attested,
            attestation: judged.attestation,
            reason,
        });
    }

    let mut last: HashMap<String, usize> = HashMap::new();
    for verdict in verdicts.iter().filter(|verdict| verdict.reason.is_none()) {
        last.insert(verdict.principal.clone(), verdict.index);
    }
    for verdict in verdicts.iter_mut().filter(|verdict| verdict.reason.is_none()) {
        if last.get(&verdict.principal) != Some(&verdict.index) {
            let message = format!("a later verdict by {} takes its place", verdict.reviewer);
            verdict.reason = Some(Problem::new(codes::REVIEW_DUPLICATE, message));
        }
    }
    let (counted, not_counted): (Vec<_>, Vec<_>) =
        verdicts.into_iter().partition(|verdict| verdict.reason.is_none());
    let agreed = counted.iter().filter(|verdict| verdict.verdict == "agree").count() as u64;
    let met = agreed >= need.count;
    Quorum {
        need: need.count,
        need_from: need.from,
        agreed,
        counted,
        not_counted,
        met_with_objections: met && !open_concerns.is_empty(),
        open_concerns,
        met,
    }
}
