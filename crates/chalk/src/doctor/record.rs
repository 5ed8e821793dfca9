//! What is kept outside the work tree: the record of writes, the record of results, locks and journals.

use canon::text;
use gate::Level;
use store::chain::{Chain, Record};
use store::file;
use store::lock;

use super::{Cure as _, Findings};
use crate::session::Session;
use crate::standing::Standing;

pub(super) fn check(session: &Session<'_>, findings: &mut Findings) {
    match session.state() {
        Ok(_) => {}
        Err(refusal) => return findings.refused("record", Level::Fail, &refusal),
    }
    standing(session, findings);
    if let Ok(chain) = session.spine_chain() {
        let broken = chain_holds("record of writes", &chain, findings);
        if broken {
            let cure = session.cmd("accept --why \"...\"");
            if let Some(last) = findings.0.last_mut() {
                last.cured_by(cure);
            }
        }
    }
    if let Ok(chain) = session.results() {
        chain_holds("record of results", &chain, findings);
    }
    write_lock(session, findings);
    let journal = session.state().map(|state| state.join("journal.json"));
    if journal.is_ok_and(|journal| journal.exists()) {
        findings
            .warn("journal", "a command was killed while it wrote")
            .cured_by("the next command that writes finishes it");
    }
}

fn standing(session: &Session<'_>, findings: &mut Findings) {
    let accept = session.cmd("accept --why \"...\"");
    match session.standing() {
        Ok(Standing::Clean) => findings.ok("tampering", "the spine is as the last write left it"),
        Ok(Standing::Unrecorded) => {
            findings.info("tampering", "no write of the spine is on record here yet");
        }
        Ok(Standing::Foreign(_)) => {
            findings.info("tampering", "the spine came with git, or from another program, and is committed");
        }
        Ok(standing @ Standing::Edited { refuse, .. }) => {
            let level = if *refuse { Level::Fail } else { Level::Warn };
            let complaint = standing.complaint().unwrap_or_default();
            findings.add("tampering", level, complaint).cured_by(accept);
        }
        // The check of the whole chain says what is wrong with it.
        Ok(Standing::Broken(_)) => {}
        Err(refusal) => findings.refused("tampering", Level::Fail, &refusal),
    }
}

/// Checks a chain from its first record to its last; whether it is broken.
fn chain_holds(what: &str, chain: &Chain, findings: &mut Findings) -> bool {
    match chain.records() {
        Ok(records) => {
            let last =
                records.last().map(|Record { at, .. }| format!(", the last of {at}")).unwrap_or_default();
            findings.ok(what, format!("{}, unbroken{last}", text::counted(records.len(), "record")));
            false
        }
        Err(error) => {
            findings.fail(what, error.to_string());
            true
        }
    }
}

/// A write lock whose holder is gone. Other programs wait for it, and then go on without one.
fn write_lock(session: &Session<'_>, findings: &mut Findings) {
    let Ok(Some(content)) = file::read(&session.path(".lock")) else { return };
    let content = String::from_utf8_lossy(&content);
    let Some(pid) = content.split_whitespace().next().and_then(|word| word.parse::<u32>().ok()) else {
        findings.warn("lock", "`.chalk/.lock` names no process").cured_by("remove it if no command runs");
        return;
    };
    if lock::process_runs(pid) {
        findings.info("lock", format!("process {pid} is writing"));
    } else {
        findings
            .warn("lock", format!("`.chalk/.lock` was left behind by process {pid}, which is gone"))
            .cured_by("the next command that writes takes it over");
    }
}
