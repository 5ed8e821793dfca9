//! Review sessions: their seal, the verdicts that they produced, and the verdicts that name them.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::record::Record;
use crate::kind::{Kind, Session};
use crate::{Problem, codes};

/// A verdict in another record that names a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Citation {
    /// The record judged.
    pub id: String,
    /// Its file.
    pub path: String,
    /// The position in its list of verdicts, from 0.
    pub index: usize,
    /// The reviewer as written.
    pub reviewer: Option<String>,
    /// The verdict as written.
    pub verdict: Option<String>,
}

/// Checks the sessions against their subjects: the kinds that could be read, each with its records.
pub(super) fn check(session: &Session, records: &mut [Record], subjects: &[(&Kind, &[Record])]) {
    let known: HashSet<&str> =
        subjects.iter().flat_map(|(_, records)| *records).filter_map(|record| record.id.as_deref()).collect();
    for record in records.iter_mut() {
        let unknown: Vec<String> = record
            .list(&session.verdicts)
            .iter()
            .filter_map(|verdict| verdict.get("record")?.as_str())
            .filter(|id| !known.contains(id))
            .map(str::to_owned)
            .collect();
        for id in unknown {
            let message = format!("a verdict names {id}, and no record that the session judges has that id");
            record.refuse(Problem::new(codes::SESSION_VERDICT_UNKNOWN_RECORD, message));
        }
        record.cited_by = Some(citations(record.id.as_deref(), subjects));
    }
}

fn citations(session: Option<&str>, subjects: &[(&Kind, &[Record])]) -> Vec<Citation> {
    let Some(session) = session else { return Vec::new() };
    let mut found = Vec::new();
    for (kind, records) in subjects {
        let Some(reviews) = &kind.reviews else { continue };
        for record in *records {
            let text = |entry: &Value, key| entry.get(key).and_then(Value::as_str).map(str::to_owned);
            for (index, entry) in record.list(&reviews.field).iter().enumerate() {
                if entry.get("session").and_then(Value::as_str) == Some(session) {
                    found.push(Citation {
                        id: record.id.clone().unwrap_or_default(),
                        path: record.path.to_string(),
                        index,
                        reviewer: text(entry, "reviewer"),
                        verdict: text(entry, "verdict"),
                    });
                }
            }
        }
    }
    found.sort_by(|a, b| (&a.path, a.index).cmp(&(&b.path, b.index)));
    found
}
