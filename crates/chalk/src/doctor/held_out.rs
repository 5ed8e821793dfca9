//! The held-out set: out of the implementer's sight, intact, large enough, and audited (P7).

use gate::Level;

use super::{Cure as _, Findings, Patient, few, some};
use crate::codes;
use crate::held_out::HeldOut;
use crate::phase;

const AREA: &str = "held-out";

pub(super) fn check(patient: &Patient<'_, '_>, findings: &mut Findings) {
    let Patient { session, config, .. } = patient;
    let regression = &config.protocol.regression;
    let set = match HeldOut::of(session, config) {
        Ok(set) => set,
        Err(refusal) => return findings.refused(AREA, Level::Fail, &refusal),
    };
    match set.tracked(session) {
        Ok(tracked) if tracked.is_empty() => {}
        Ok(tracked) => {
            let named = few(tracked.iter().map(String::as_str));
            findings
                .fail(
                    AREA,
                    format!(
                        "git tracks held-out files, so every work tree holds them: {named} ({})",
                        codes::HELD_OUT_TRACKED
                    ),
                )
                .cured_by(format!("git rm -r --cached {}", some(&tracked)));
        }
        Err(refusal) => findings.refused(AREA, Level::Fail, &refusal),
    }
    let examined = set.examine();
    for file in examined.broken() {
        findings
            .fail(AREA, format!("held-out file {} ({})", file.sentence(), codes::HELD_OUT_MOVED))
            .cured_by(format!(
                "restore it, or `{}`",
                session.cmd(&format!("guard add {} --why \"...\"", file.path))
            ));
    }
    match set.unlocked() {
        Ok(unlocked) if unlocked.is_empty() => {}
        Ok(unlocked) => {
            findings
                .warn(
                    AREA,
                    format!(
                        "files of the set that are not locked: {}",
                        few(unlocked.iter().map(String::as_str))
                    ),
                )
                .cured_by(session.cmd(&format!("guard add {}", some(&unlocked))));
        }
        Err(refusal) => findings.refused(AREA, Level::Fail, &refusal),
    }
    if !set.locks.is_empty() && set.is_inside(session) {
        findings
            .info(AREA, "the set lies inside the repository, where the implementer can read it")
            .cured_by("move it to a folder outside, and name that in `protocol.regression.dir`");
    }
    if !regression.required {
        return;
    }
    if set.locks.is_empty() && regression.command.trim().is_empty() {
        findings
            .warn(AREA, "an audit is required, and there is nothing to audit: it would be vacuous")
            .cured_by(session.cmd("guard gen"));
    }
    match phase::shut_by_audit(session, config, &session.spine.tree) {
        Ok(shut) if shut.is_empty() => findings.ok("audit", "green and fresh"),
        Ok(shut) => shut.iter().for_each(|refusal| findings.refused("audit", Level::Warn, refusal)),
        Err(refusal) => findings.refused("audit", Level::Fail, &refusal),
    }
}
