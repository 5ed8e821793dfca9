//! Several entries for one moment: an agent that runs another agent's hook file beside its own calls twice, in turn or at
//! once. The second entry gets the answer of the first, and nothing is counted again.

use std::path::Path;
use std::time::Duration;

use canon::Sha256;
use gate::event::{Decision, Moment, Verdict};
use govern::receipts::Receipt;
use serde::{Deserialize, Serialize};
use store::file;
use store::lock::Guard;

use super::course::Course;
use super::ticket::BETWEEN;

/// How long an entry waits for the other one's judgement.
const PATIENCE: Duration = Duration::from_millis(1200);

/// The last moment of a session beside its calls.
#[derive(Debug, Serialize, Deserialize)]
struct Last {
    /// The digest of what was told.
    told: Sha256,
    /// When, in milliseconds since 1970.
    at: i64,
    /// The entries that were answered.
    entries: Vec<String>,
    /// What they were answered.
    verdict: Verdict,
}

impl Course<'_> {
    /// Judges a moment beside the calls, once for all entries that it reaches. What an entry told a moment ago and another
    /// one tells now is one moment; what one entry tells twice is two, unless it tells both at once: two of an agent's own
    /// files name it then.
    pub(super) fn once(&self) -> Result<Verdict, String> {
        let path = self.session_file.with_extension("moment");
        // Where it can't be held it is judged all the same: counting twice is better than not judging.
        let lock = path.with_extension("moment-lock");
        let at_once = Guard::acquire(&lock, Duration::ZERO).ok();
        let has_waited = at_once.is_none();
        let guard = at_once.or_else(|| Guard::acquire(&lock, PATIENCE).ok());
        let entry = format!("{} {}", self.reading.entry, self.reading.point.name);
        let told = self.told();
        let now = self.world.now().as_millis();
        let last = file::read(&path).ok().flatten();
        let last = last.and_then(|bytes| serde_json::from_slice::<Last>(&bytes).ok());
        if let Some(mut last) = last
            && guard.is_some()
            && Some(last.told) == told
            && (0..=BETWEEN).contains(&now.saturating_sub(last.at))
            && (has_waited || !last.entries.contains(&entry))
        {
            last.entries.push(entry);
            let verdict = last.verdict.clone();
            keep(&path, &last);
            return Ok(verdict);
        }
        let verdict = self.beside_calls()?;
        if let Some(told) = told {
            // The context was said by then; once is enough.
            let answer = Verdict { context: Vec::new(), ..verdict.clone() };
            keep(&path, &Last { told, at: now, entries: vec![entry], verdict: answer });
        }
        Ok(verdict)
    }

    fn beside_calls(&self) -> Result<Verdict, String> {
        match self.event.event {
            Moment::Stop => self.stop(),
            Moment::Compact => self.compact(),
            Moment::SessionStart => self.begin(),
            Moment::Prompt => self.prompt(),
            Moment::SessionEnd | Moment::PreTool | Moment::PostTool => {
                self.receipts()?.checkpoint(self.event, None).map_err(|error| error.to_string())?;
                Ok(Verdict::allow())
            }
        }
    }

    /// The digest of the moment and of what is told at it.
    fn told(&self) -> Option<Sha256> {
        let event = self.event;
        let parts = serde_json::json!([
            event.event,
            event.subagent,
            event.text,
            event.source,
            event.stop_refused_before,
            self.reading.takes_context(),
        ]);
        canon::json::canonical(&parts).ok().map(Sha256::of)
    }
}

/// That it can't be kept stops nothing: the other entry is judged by itself then.
fn keep(path: &Path, last: &Last) {
    if let Ok(text) = serde_json::to_vec(last) {
        let _ = file::replace_unsynced(path, &text);
    }
}

/// The answer to a call that another entry judged already: the one that is on record, where it is the stronger.
pub(super) fn as_judged(verdict: Verdict, receipt: &Receipt) -> Verdict {
    let Some(decision) = receipt.decision.filter(|decision| *decision > verdict.decision) else {
        return verdict;
    };
    let by = [receipt.gate.as_deref(), receipt.rule.as_deref()];
    let by = by.into_iter().flatten().collect::<Vec<_>>().join(" ");
    let word = if decision == Decision::Deny { "denied" } else { "left to a person" };
    Verdict {
        decision,
        gate: receipt.gate.clone(),
        rule: receipt.rule.clone(),
        reason: receipt.reason.clone(),
        message: Some(format!(
            "this very call was {word} a moment ago at another entry ({by}), whose answer says why and what is allowed; the \
             same call is judged anew after {} seconds",
            BETWEEN / 1000
        )),
        context: verdict.context,
    }
}
