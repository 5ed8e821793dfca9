//! Work items: what they need, what they carry out, and whether they may be taken up.

use std::collections::{HashMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::cycles::on_cycles;
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
    let known_needs = |record: &Record| {
        ids(record, &work.needs).into_iter().filter_map(|id| index.get(id).copied()).collect()
    };
    let in_cycle = on_cycles(&records.iter().map(known_needs).collect::<Vec<_>>());
    let decisions = others.decisions.as_ref().map(Known::new);
    let contracts = others.contracts.as_ref().map(Known::new);
    let answers = others.answers.as_deref().map(answered);
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
        let implements: Vec<LinkState> =
            ids(record, &work.implements).into_iter().map(|id| linked(id, decisions.as_ref())).collect();
        for link in implements.iter().filter(|link| !is_known(&link.id, decisions.as_ref())) {
            let message = format!("it implements {}, and no decision has that id", link.id);
            warnings.push(Problem::new(codes::WORK_IMPLEMENTS_UNKNOWN, message));
        }
        if in_cycle.contains(&n) {
            let message = "it needs itself through its needs, so it can never be taken up";
            warnings.push(Problem::new(codes::WORK_NEEDS_CYCLE, message));
        }
        for link in implements.iter().filter(|link| is_undecided(link, decisions.as_ref())) {
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
            let link = record.text(&contract.field).map(|id| linked(id, contracts.as_ref()));
            if let Some(link) = &link {
                if !is_known(&link.id, contracts.as_ref()) {
                    let message = format!("it builds {}, and no contract has that id", link.id);
                    warnings.push(Problem::new(codes::WORK_CONTRACT_UNKNOWN, message));
                } else if is_undecided(link, contracts.as_ref()) {
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
        if let (Some(answers), Some(id)) = (&answers, &record.id) {
            record.answers = Some(answers.get(&**id).cloned().unwrap_or_default());
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

/// The records of another kind, by their ids.
struct Known<'r> {
    kind: &'r Kind,
    states: HashMap<&'r str, Option<&'r str>>,
}

impl<'r> Known<'r> {
    fn new((kind, records): &'r (Kind, Vec<Record>)) -> Self {
        let mut states = HashMap::new();
        for record in records {
            if let Some(id) = &record.id {
                states.entry(id.as_str()).or_insert(record.state.as_deref());
            }
        }
        Self { kind, states }
    }
}

fn linked(id: &str, others: Option<&Known<'_>>) -> LinkState {
    let state = others.and_then(|others| others.states.get(id).copied().flatten());
    LinkState { id: id.to_owned(), state: state.map(str::to_owned) }
}

/// Whether a record of the kind has the id; where the kind can't be read, nothing says that none has.
fn is_known(id: &str, others: Option<&Known<'_>>) -> bool {
    others.is_none_or(|others| others.states.contains_key(id))
}

fn is_undecided(link: &LinkState, others: Option<&Known<'_>>) -> bool {
    others.is_some_and(|others| {
        others.states.contains_key(&*link.id) && !others.kind.is_approved(link.state.as_deref())
    })
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

/// The answers that speak of each item, in path order.
fn answered(answers: &[Record]) -> HashMap<&str, Vec<AnswerView>> {
    let mut found: HashMap<&str, Vec<AnswerView>> = HashMap::new();
    for answer in answers {
        let Some(view) = view(answer) else { continue };
        let named: HashSet<&str> = answer.list("constrains").iter().filter_map(Value::as_str).collect();
        for id in named {
            found.entry(id).or_default().push(view.clone());
        }
    }
    found
}

fn view(answer: &Record) -> Option<AnswerView> {
    let value = answer.field("answer").filter(|value| value.is_string() || value.is_boolean());
    let by = answer.list("answered_by").iter().filter_map(Value::as_str);
    Some(AnswerView {
        id: answer.id.clone()?,
        point: answer.text("point").map(str::to_owned),
        state: answer.state.clone(),
        answer: value.cloned().unwrap_or_default(),
        answered_by: by.map(str::to_owned).collect(),
    })
}
