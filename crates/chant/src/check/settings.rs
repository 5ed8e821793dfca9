//! What the declaration says of checks: WSP011, severities and suppressions.

use super::catalogue::{CATALOGUE, Id};
use super::finding::Finding;
use crate::declaration::{Declaration, Severity};

/// Settings that name no check, or one that may not be set.
pub(super) fn check(declaration: &Declaration) -> Vec<Finding> {
    let mut found = Vec::new();
    for id in declaration.checks.keys() {
        if let Some(problem) = problem(id) {
            let message = format!("checks sets {id}, which {problem}");
            found.push(Finding::new(Id::CheckSettingsInvalid, format!("/checks/{id}"), message));
        }
    }
    for (index, entry) in declaration.entries.iter().enumerate() {
        for (at, suppress) in entry.suppress().iter().enumerate() {
            if let Some(problem) = problem(&suppress.check) {
                let message = format!("{} suppresses {}, which {problem}", entry.name(), suppress.check);
                let pointer = format!("/members/{index}/suppress/{at}/check");
                found.push(Finding::new(Id::CheckSettingsInvalid, pointer, message).of(entry.name()));
            }
        }
    }
    found
}

fn problem(id: &str) -> Option<String> {
    if let Some(check) = Id::named(id) {
        return check.is_fixed.then(|| "is fixed: it can be neither set nor suppressed".to_owned());
    }
    let known: Vec<&str> = CATALOGUE.iter().map(|check| check.id).collect();
    Some(format!("is no check; known checks: {}", known.join(", ")))
}

/// What becomes of a finding: how much it counts, and why it is suppressed if it is; none where the check is off.
pub(super) fn judge(declaration: &Declaration, finding: &Finding) -> Option<(Severity, Option<String>)> {
    let check = finding.check.check();
    if check.is_fixed {
        return Some((check.severity, None));
    }
    let severity = declaration.checks.get(check.id).copied().unwrap_or(check.severity);
    if severity == Severity::Off {
        return None;
    }
    let entry = finding
        .entity
        .as_ref()
        .and_then(|name| declaration.entries.iter().find(|entry| entry.name() == name));
    let suppress =
        entry.and_then(|entry| entry.suppress().iter().find(|suppress| suppress.check == check.id));
    Some((severity, suppress.map(|suppress| suppress.because.clone())))
}
