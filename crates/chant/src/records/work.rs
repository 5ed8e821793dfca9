//! Work items: what they need, what they carry out, and whether they may be taken up.

use std::collections::{HashMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::links::Index;
use super::record::{Nullable, Record};
use super::reviews::Judge;
use crate::kind::{Acceptance, Kind, Work};
use crate::{Problem, codes};

/// A linked record with its state now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LinkState {
    /// The linked record.
    pub id: String,
    /// Its state; null where no record has the id.
    pub state: Option<String>,
}

/// An item's acceptance criteria.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AcceptanceView {
    /// How many are met.
    pub met: usize,
    /// How many there are.
    pub total: usize,
    /// Each, in the record's order.
    pub criteria: Vec<Criterion>,
}

/// One acceptance criterion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Criterion {
    /// Its id.
    pub id: String,
    /// How it is to be verified.
    pub verification: String,
    /// Whether passing evidence of that kind names it.
    pub met: bool,
}

/// An answer to a decision point that speaks of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnswerView {
    /// The answer's id.
    pub id: String,
    /// The point.
    pub point: Option<String>,
    /// `escalated`, `proposed` or `answered`.
    pub state: Option<String>,
    /// The answer, or null.
    pub answer: Value,
    /// Who answered.
    pub answered_by: Vec<String>,
}

/// Who holds an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Lease {
    /// The worker.
    pub holder: String,
    /// The fencing token.
    pub token: String,
    /// Since when.
    pub acquired_at: String,
    /// Until when.
    pub expires_at: String,
}

/// A decision with the work items that carry it out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DecisionWork {
    /// The decision.
    pub id: String,
    /// Its file.
    pub path: String,
    /// Its state.
    pub state: Option<String>,
    /// What replaces it.
    pub superseded_by: Option<String>,
    /// The work items that name it, in path order.
    pub implemented_by: Vec<LinkState>,
}

/// The other kinds that work items link to, as far as they could be read.
#[derive(Default)]
pub(super) struct Others {
    pub(super) decisions: Option<(Kind, Vec<Record>)>,
    pub(super) contracts: Option<(Kind, Vec<Record>)>,
    pub(super) answers: Option<Vec<Record>>,
}

fn ids<'r>(record: &'r Record, field: &str) -> Vec<&'r str> {
    record.list(field).iter().filter_map(Value::as_str).collect()
}

/// Fills in what a work item derives from its links, and its warnings.
pub(super) fn check(
    kind: &Kind,
    work: &Work,
    records: &mut [Record],
    index: &Index,
    others: &Others,
    judge: &dyn Judge,
) {
    let state_of: HashMap<String, Option<String>> =
        index.iter().map(|(id, &at)| (id.clone(), records[at].state.clone())).collect();
    let in_cycle = cycles(work, records, index);
    for (n, record) in records.iter_mut().enumerate() {
        if record.data.is_none() {
            continue;
        }
        let needs: Vec<String> = ids(record, &work.needs).into_iter().map(str::to_owned).collect();
        let blocked: Vec<LinkState> = needs
            .iter()
            .map(|id| LinkState { id: id.clone(), state: state_of.get(id).cloned().flatten() })
            .filter(|need| need.state.as_deref() != Some(&*work.done))
            .collect();
        record.ready = Some(
            record.valid
                && record.superseded_by.is_none()
                && record.state.as_deref() == Some(&*work.open)
                && blocked.is_empty()
                && !in_cycle.contains(&n),
        );
        record.blocked_by = Some(blocked);

        let mut warnings = Vec::new();
        for id in needs.iter().filter(|id| !state_of.contains_key(*id)) {
            warnings.push(Problem::new(
                codes::WORK_NEEDS_UNKNOWN,
                format!("it needs {id}, and no work item has that id"),
            ));
        }
        let implements = linked(&ids(record, &work.implements), others.decisions.as_ref());
        for link in implements.iter().filter(|link| !is_known(&link.id, others.decisions.as_ref())) {
            let message = format!("it implements {}, and no decision has that id", link.id);
            warnings.push(Problem::new(codes::WORK_IMPLEMENTS_UNKNOWN, message));
        }
        if in_cycle.contains(&n) {
            let message = "it needs itself through its needs, so it can never be taken up";
            warnings.push(Problem::new(codes::WORK_NEEDS_CYCLE, message));
        }
        for link in undecided(&implements, others.decisions.as_ref()) {
            let state = link.state.as_deref().unwrap_or("stateless");
            let message = format!("it implements {}, which is {state}", link.id);
            warnings.push(Problem::new(codes::WORK_IMPLEMENTS_UNDECIDED, message));
        }
        record.implements = Some(implements);

        let is_done = record.state.as_deref() == Some(&*work.done);
        if let Some(pins) = &kind.pins
            && is_done
            && record.list(pins).is_empty()
        {
            let message =
                format!("it is {} and its {pins} is empty: nothing shows that it was done", work.done);
            warnings.push(Problem::new(codes::WORK_DONE_UNPINNED, message));
        }
        if let Some(acceptance) = &work.acceptance {
            let (view, own) = accepted(kind, acceptance, record, judge);
            for (criterion, by) in own {
                let message =
                    format!("the manual verdict on {criterion} is {by}'s own, who implements the item");
                warnings.push(Problem::new(codes::WORK_ACCEPTANCE_SELF_VERIFIED, message));
            }
            if let Some(view) = view.as_ref().filter(|view| is_done && view.met < view.total) {
                let open: Vec<&str> = view
                    .criteria
                    .iter()
                    .filter(|criterion| !criterion.met)
                    .map(|criterion| &*criterion.id)
                    .collect();
                let message =
                    format!("it is {}, and no passing evidence meets {}", work.done, open.join(", "));
                warnings.push(Problem::new(codes::WORK_ACCEPTANCE_UNMET, message));
            }
            record.acceptance = Some(Nullable(view));
        }
        if let Some(contract) = &work.contract {
            let link =
                record.text(&contract.field).map(|id| linked(&[id], others.contracts.as_ref()).remove(0));
            if let Some(link) = &link {
                if !is_known(&link.id, others.contracts.as_ref()) {
                    let message = format!("it builds {}, and no contract has that id", link.id);
                    warnings.push(Problem::new(codes::WORK_CONTRACT_UNKNOWN, message));
                } else if undecided(std::slice::from_ref(link), others.contracts.as_ref()).next().is_some() {
                    let state = link.state.as_deref().unwrap_or("stateless");
                    let message = format!("it builds {}, which is {state}", link.id);
                    warnings.push(Problem::new(codes::WORK_CONTRACT_UNDECIDED, message));
                }
            }
            record.contract = Some(Nullable(link));
        }
        if let Some(tier) = &work.tier
            && let Some(named) = record.text(&tier.field)
            && !tier.tiers.iter().any(|known| known == named)
        {
            let message = format!("its tier {named} is none of {}", tier.tiers.join(", "));
            warnings.push(Problem::new(codes::WORK_TIER_UNKNOWN, message));
        }
        if let Some(closed_on) = &work.closed_on
            && kind.is_closed(record.state.as_deref())
            && record.field(closed_on).is_none_or(Value::is_null)
        {
            let message =
                format!("it is {} and has no {closed_on}", record.state.as_deref().unwrap_or_default());
            warnings.push(Problem::new(codes::WORK_CLOSED_WITHOUT_DATE, message));
        }
        record.warnings.extend(warnings);
        if let (Some(answers), Some(id)) = (&others.answers, record.id.clone()) {
            record.answers = Some(answered(answers, &id));
        }
    }
}

/// The decisions with the work items that carry them out.
pub(super) fn decisions(records: &[Record], decisions: &[Record]) -> Vec<DecisionWork> {
    let mut by: HashMap<&str, Vec<LinkState>> = HashMap::new();
    for record in records {
        let Some(id) = &record.id else { continue };
        for link in record.implements.iter().flatten() {
            by.entry(&link.id).or_default().push(LinkState { id: id.clone(), state: record.state.clone() });
        }
    }
    decisions
        .iter()
        .filter_map(|decision| {
            let id = decision.id.clone()?;
            Some(DecisionWork {
                implemented_by: by.get(&*id).cloned().unwrap_or_default(),
                path: decision.path.to_string(),
                state: decision.state.clone(),
                superseded_by: decision.superseded_by.clone(),
                id,
            })
        })
        .collect()
}

fn linked(ids: &[&str], others: Option<&(Kind, Vec<Record>)>) -> Vec<LinkState> {
    let records = others.map_or(&[][..], |(_, records)| records);
    let state = |id: &str| records.iter().find(|record| record.id.as_deref() == Some(id))?.state.clone();
    ids.iter().map(|id| LinkState { id: (*id).to_owned(), state: state(id) }).collect()
}

/// Whether a record of the kind has the id; where the kind can't be read, nothing says that none has.
fn is_known(id: &str, others: Option<&(Kind, Vec<Record>)>) -> bool {
    others.is_none_or(|(_, records)| records.iter().any(|record| record.id.as_deref() == Some(id)))
}

fn undecided<'l>(
    links: &'l [LinkState],
    others: Option<&'l (Kind, Vec<Record>)>,
) -> impl Iterator<Item = &'l LinkState> {
    links.iter().filter(move |link| {
        others.is_some_and(|(kind, _)| is_known(&link.id, others) && !kind.is_approved(link.state.as_deref()))
    })
}

/// The records that need themselves, over any number of steps.
fn cycles(work: &Work, records: &[Record], index: &Index) -> HashSet<usize> {
    let needs = |n: usize| ids(&records[n], &work.needs).into_iter().filter_map(|id| index.get(id).copied());
    let mut found = HashSet::new();
    // 0: not seen, 1: on the way, 2: done. The way is kept by hand, since a chain may be as long as the list.
    let mut seen = vec![0_u8; records.len()];
    for start in 0..records.len() {
        if seen[start] != 0 {
            continue;
        }
        seen[start] = 1;
        let mut way: Vec<(usize, Vec<usize>)> = vec![(start, needs(start).collect())];
        while let Some((at, open)) = way.last_mut() {
            match open.pop() {
                Some(next) if seen[next] == 0 => {
                    seen[next] = 1;
                    way.push((next, needs(next).collect()));
                }
                Some(next) if seen[next] == 1 => {
                    let from = way.iter().position(|(on, _)| *on == next).unwrap_or_default();
                    found.extend(way[from..].iter().map(|(on, _)| *on));
                }
                Some(_) => {}
                None => {
                    seen[*at] = 2;
                    way.pop();
                }
            }
        }
    }
    found
}

/// The criteria of a record, and the manual verdicts that are the implementer's own.
fn accepted(
    kind: &Kind,
    acceptance: &Acceptance,
    record: &Record,
    judge: &dyn Judge,
) -> (Option<AcceptanceView>, Vec<(String, String)>) {
    let Some(list) = record.field(&acceptance.field).and_then(Value::as_array) else {
        return (None, Vec::new());
    };
    let evidence = kind.pins.as_ref().map_or(&[][..], |pins| record.list(pins));
    let implementer = acceptance
        .implementer
        .as_ref()
        .and_then(|field| record.text(field))
        .map(|name| judge.principal(name));
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let mut own = Vec::new();
    let criteria: Vec<Criterion> = list
        .iter()
        .filter_map(|criterion| {
            let (id, verification) = (text(criterion, "id")?, text(criterion, "verification")?);
            let passing = evidence.iter().filter(|entry| {
                text(entry, "criterion").as_deref() == Some(&*id)
                    && text(entry, "result").as_deref() == Some("pass")
                    && text(entry, "verification").as_deref() == Some(&*verification)
            });
            let mut met = false;
            for entry in passing {
                let by = text(entry, "by");
                match (&*verification, by) {
                    ("manual", None) => {}
                    ("manual", Some(by)) if Some(judge.principal(&by)) == implementer => {
                        own.push((id.clone(), by));
                    }
                    _ => met = true,
                }
            }
            Some(Criterion { id, verification, met })
        })
        .collect();
    let met = criteria.iter().filter(|criterion| criterion.met).count();
    (Some(AcceptanceView { met, total: criteria.len(), criteria }), own)
}

fn answered(answers: &[Record], id: &str) -> Vec<AnswerView> {
    let speaks = |answer: &&Record| answer.list("constrains").iter().any(|entry| entry.as_str() == Some(id));
    answers
        .iter()
        .filter(speaks)
        .filter_map(|answer| {
            Some(AnswerView {
                id: answer.id.clone()?,
                point: answer.text("point").map(str::to_owned),
                state: answer.state.clone(),
                answer: answer
                    .field("answer")
                    .filter(|value| value.is_string() || value.is_boolean())
                    .cloned()
                    .unwrap_or_default(),
                answered_by: answer
                    .list("answered_by")
                    .iter()
                    .filter_map(Value::as_str)
                    .map(str::to_owned)
                    .collect(),
            })
        })
        .collect()
}
