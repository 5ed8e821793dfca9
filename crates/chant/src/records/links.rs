//! Ids and the links between the records of one kind.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::record::Record;
use crate::kind::{Kind, Link};
use crate::{Problem, codes};

/// Which record has an id: the first in path order.
pub type Index = HashMap<String, usize>;

impl Link {
    /// The ids that a record's data names, in order.
    pub fn ids<'d>(&self, data: &'d Map<String, Value>) -> Vec<&'d str> {
        let id = |value: &'d Value| match &self.key {
            Some(key) => value.get(key).and_then(Value::as_str),
            None => value.as_str(),
        };
        match data.get(&self.field) {
            Some(Value::Array(items)) => items.iter().filter_map(id).collect(),
            Some(one @ Value::String(_)) if self.key.is_none() => one.as_str().into_iter().collect(),
            _ => Vec::new(),
        }
    }
}

/// Names every record whose id an earlier one has.
pub(crate) fn index(records: &mut [Record]) -> Index {
    let mut index = Index::new();
    let mut repeated = Vec::new();
    for (n, record) in records.iter().enumerate() {
        let Some(id) = &record.id else { continue };
        match index.get(id) {
            Some(&first) => repeated.push((n, first)),
            None => {
                index.insert(id.clone(), n);
            }
        }
    }
    for (n, first) in repeated {
        let id = records[n].id.clone().unwrap_or_default();
        let message = format!(
            "{} already has the id {id}; ids are never renumbered, so write one of the two again as a new record \
             (records new --prefix <another>) and remove its file",
            records[first].path
        );
        records[n].refuse(Problem::new(codes::RECORD_ID_DUPLICATE, message));
    }
    index
}

/// Follows the `supersedes` links, in path order and then list order.
pub(super) fn supersede(kind: &Kind, records: &mut [Record], index: &Index) {
    let Some(link) = &kind.supersedes else { return };
    for n in 0..records.len() {
        let (Some(data), Some(id)) = (&records[n].data, records[n].id.clone()) else { continue };
        let targets: Vec<String> = link.ids(data).into_iter().map(str::to_owned).collect();
        for target in targets.into_iter().filter(|target| *target != id) {
            let Some(&at) = index.get(&target) else {
                let message = format!("it supersedes {target}, and no record has that id");
                records[n].refuse(Problem::new(codes::RECORD_SUPERSEDES_UNKNOWN, message));
                continue;
            };
            if !takes_effect(kind, &records[n], &records[at]) {
                if kind.approval.is_some() {
                    let message = format!(
                        "it supersedes {target} ({}) once it is approved at least as far; now it is {}",
                        shown(&records[at]),
                        shown(&records[n])
                    );
                    records[n].warnings.push(Problem::new(codes::RECORD_SUPERSEDES_PENDING, message));
                }
                continue;
            }
            match &records[at].superseded_by {
                Some(other) if *other != id => {
                    let message = format!("it supersedes {target}, which {other} supersedes already");
                    records[n].refuse(Problem::new(codes::RECORD_SUPERSEDES_CONFLICT, message));
                }
                _ => records[at].superseded_by = Some(id.clone()),
            }
        }
    }
}

fn takes_effect(kind: &Kind, new: &Record, old: &Record) -> bool {
    match (kind.rank(new.state.as_deref()), kind.rank(old.state.as_deref())) {
        (Some(new), Some(old)) => new > 0 && new >= old,
        _ => kind.is_closed(new.state.as_deref()),
    }
}

/// Follows the `remediates` links.
pub(super) fn remediate(kind: &Kind, records: &mut [Record], index: &Index) {
    let Some(link) = &kind.remediates else { return };
    for n in 0..records.len() {
        let (Some(data), Some(id)) = (&records[n].data, records[n].id.clone()) else { continue };
        let targets: Vec<String> = link.ids(data).into_iter().map(str::to_owned).collect();
        for target in targets {
            let Some(&at) = index.get(&target) else {
                let message = format!("it remediates {target}, and no record has that id");
                records[n].refuse(Problem::new(codes::RECORD_REMEDIATES_UNKNOWN, message));
                continue;
            };
            if !kind.is_closed(records[at].state.as_deref()) {
                let message = format!(
                    "it remediates {target}, which is {} and can still be amended",
                    shown(&records[at])
                );
                records[n].refuse(Problem::new(codes::RECORD_REMEDIATES_NOT_CLOSED, message));
            }
            if !records[at].remediated_by.contains(&id) {
                records[at].remediated_by.push(id.clone());
            }
        }
    }
}

fn shown(record: &Record) -> &str {
    record.state.as_deref().unwrap_or("stateless")
}
