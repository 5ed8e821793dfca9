//! `phase`: the gate between phases. Shut unless the last audit is green and fresh (P7) and, where the
//! cadence asks for it, every task stands reviewed (P5).

use std::path::Path;

use canon::{Timestamp, text};
use gate::{ReasonCode, Refusal};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::code_size;
use crate::codes;
use crate::content;
use crate::held_out::HeldOut;
use crate::model::{Cadence, Config, State, Task};
use crate::review;
use crate::session::Session;
use crate::tree;

/// The phases that other programs know. Any other word is a phase too.
pub const KNOWN: &[&str] = &["discovery", "spec", "design", "build", "review", "ship"];

/// How many tasks without a review are named.
const NAMED: usize = 8;

/// A wished change of phase.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The new phase.
    pub phase: String,
    /// Past the audit.
    pub force_audit: bool,
    /// Past missing reviews.
    pub force_review: bool,
    /// Why.
    pub why: Option<String>,
}

/// What became of the phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Advanced {
    /// The phase before.
    pub from: String,
    /// The phase now.
    pub to: String,
    /// Whether it is another one.
    pub changed: bool,
    /// When, ISO 8601.
    pub at: Timestamp,
    /// The gates that were shut and were passed by force, by their codes.
    pub overridden: Vec<ReasonCode>,
}

/// Sets the phase.
///
/// # Errors
/// `audit-missing`, `audit-red`, `audit-stale` and `held-out-small` where `regression.required` is set;
/// `review-missing`, `review-blocked` and `review-stale` with the cadence `phase-advance`; `reason-missing`
/// for an override without a reason.
pub fn phase(session: &Session<'_>, request: &Request) -> Result<Advanced, Refusal> {
    let config = session.config()?;
    let from = config.protocol.phase.clone();
    let to = text::one_line(&request.phase);
    if (request.force_audit || request.force_review) && request.why.is_none() {
        return Err(Refusal::new(codes::REASON_MISSING, "an override needs a reason")
            .hint("say with `--why` why the gate is wrong this time; it is logged as a decision"));
    }
    if from == to {
        return Ok(Advanced { from, to, changed: false, at: session.now(), overridden: Vec::new() });
    }
    if !KNOWN.contains(&to.as_str()) {
        session.warn(format!("`{to}` is none of the usual phases: {}", KNOWN.join(", ")));
    }
    let tasks = session.tasks()?;
    let by_audit = if config.protocol.regression.required {
        join(shut_by_audit(session, &config, &session.spine.tree)?)
    } else {
        None
    };
    let needs_reviews = config.protocol.cadence().contains(&Cadence::PhaseAdvance);
    let by_reviews =
        if needs_reviews { join(shut_by_reviews(session, &config, &session.all_tasks()?)?) } else { None };
    let mut overridden = Vec::new();
    for (shut, gate, force, flag) in [
        (by_audit, "audit", request.force_audit, "--force-audit"),
        (by_reviews, "review", request.force_review, "--force-review"),
    ] {
        match shut {
            Some(refusal) if force => overridden.push((gate, refusal)),
            Some(refusal) => {
                let hint = format!("past this gate: `{flag} --why \"...\"`, logged as a decision");
                return Err(refusal.hint(hint));
            }
            None => {}
        }
    }
    session.write("phase", |draft| {
        let now = &draft.config().protocol;
        let regression = |config: &Config| {
            let regression = &config.protocol.regression;
            (regression.required, regression.last_audit.clone(), regression.tests.clone())
        };
        let moved = now.phase != from
            || regression(draft.config()) != regression(&config)
            || now.cadence() != config.protocol.cadence()
            || (needs_reviews && draft.tasks()?.as_str() != tasks.as_str());
        if moved {
            return Err(Refusal::new(codes::SPINE_MOVED, "the spine changed while the gates were looked at")
                .next(session.cmd(&format!("phase {to}"))));
        }
        for (gate, refusal) in &overridden {
            let title = format!("Overrode {gate} gate for phase {to}");
            let why = request.why.as_deref().unwrap_or_default();
            draft.decision(&title, Some(&format!("{why} ({})", refusal.message)), None);
        }
        draft.event("progress-update", &format!("Phase → {to}"), &format!("from {from}"), None);
        draft.set_config(&["protocol".into(), "phase".into()], &json!(to))?;
        Ok(Advanced {
            from: from.clone(),
            to: to.clone(),
            changed: true,
            at: draft.now(),
            overridden: overridden.iter().map(|(_, refusal)| refusal.code).collect(),
        })
    })
}

/// Several reasons as one refusal: the first decides, the others are facts.
fn join(mut shut: Vec<Refusal>) -> Option<Refusal> {
    if shut.is_empty() {
        return None;
    }
    let others: Vec<String> = shut.drain(1..).map(|refusal| refusal.message).collect();
    shut.pop().map(|first| first.facts(others))
}

/// Everything that keeps the next phase shut on the part of the audit, whether or not it is required.
///
/// An audit with a digest is fresh for the very content that it names. One of another program is judged by
/// its count of lines alone.
pub fn shut_by_audit(session: &Session<'_>, config: &Config, tree: &Path) -> Result<Vec<Refusal>, Refusal> {
    let regression = &config.protocol.regression;
    let again = session.cmd("audit");
    let refusal = |code, message: String| Refusal::new(code, message).next(again.clone());
    let content = content::digest(session, config, tree)?;
    let size = code_size::measure(config, tree, &content)?;
    let mut shut = Vec::new();
    match &regression.last_audit {
        None => shut.push(refusal(codes::AUDIT_MISSING, "the phase was never audited".to_owned())),
        Some(last) => {
            if !last.green {
                shut.push(refusal(codes::AUDIT_RED, format!("the last audit, of {}, is red", last.at)));
            }
            let stale = match last.digest {
                Some(digest) if digest != content.digest => Some("the tree is not the one that was audited"),
                None if last.size.loc != size.published.loc => {
                    Some("the code has another size than the audited one")
                }
                _ => None,
            };
            let set = HeldOut::of(session, config)?.examine();
            let stale = stale.or_else(|| {
                let moved = last.held_out_digest.is_some_and(|digest| digest != set.digest);
                moved.then_some("the held-out set is not the one that was audited")
            });
            if let Some(why) = stale {
                shut.push(refusal(
                    codes::AUDIT_STALE,
                    format!("the last audit, of {}, is stale: {why}", last.at),
                ));
            }
        }
    }
    let count = regression.tests.len();
    if (count as u64) < size.floor {
        let message = format!("{count} held-out tests are locked, and {}", size.in_words());
        let author = !regression.author_command.trim().is_empty();
        let next = session.cmd(if author { "guard gen" } else { "guard add PATH" });
        shut.push(Refusal::new(codes::HELD_OUT_SMALL, message).next(next));
    }
    Ok(shut)
}

/// The tasks that the cadence wants reviewed and that don't stand so. A task in progress is judged by the
/// content that lies in its tree; of a done one, later work moved that on.
fn shut_by_reviews(session: &Session<'_>, config: &Config, tasks: &[Task]) -> Result<Vec<Refusal>, Refusal> {
    let mut shut = Vec::new();
    for task in tasks {
        let standing = match task.state {
            State::InProgress => review::standing(session, config, task, &tree::of(session, task).path)?,
            State::Done => review::recorded(task),
            _ => continue,
        };
        shut.extend(standing.refusal(session, task));
    }
    let more = shut.len().saturating_sub(NAMED);
    if more > 0 {
        shut.truncate(NAMED);
        if let Some(last) = shut.last_mut() {
            last.message = format!("{}, and {more} more tasks stand so", last.message);
        }
    }
    Ok(shut)
}
