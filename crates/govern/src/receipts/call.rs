//! Which lines speak of one call.
//!
//! An agent that gives its calls ids says so itself. For the others an id is derived from session, tool, arguments and
//! the number of the line that judged it. Two entries may fire for one call, when an agent runs another agent's hook
//! file beside its own: the second one finds the first one's line and adds none. Without ids, equal calls within
//! [`TWIN`] of each other are taken for one.

use canon::{Sha256, Timestamp, json};
use gate::event::{Call, Decision, Event};
use serde_json::{Value, json};
use store::chain::Link as _;

use super::line::{Kind, Receipt, name};

/// Milliseconds between two entries of one call that has no id.
pub(super) const TWIN: i64 = 1000;

/// Milliseconds for which a denial answers every entry of its call: nothing is seen of a call that was not made.
const DENIED: i64 = 10 * 1000;

/// SHA-256 over the RFC 8785 form of a value.
///
/// # Errors
/// The value has no such form.
pub fn hash(value: &Value) -> Result<Sha256, serde_json::Error> {
    json::canonical(value).map(Sha256::of)
}

/// The first half of the digest that marks equal calls in a session: what a retry is recognised by.
///
/// # Errors
/// The arguments have no canonical form.
pub fn equal(call: &Call) -> Result<String, serde_json::Error> {
    hash(&json!([call.name, call.input])).map(|hash| hash.short())
}

/// A call as the log knows it.
pub(super) struct Named {
    session: Option<String>,
    given: Option<String>,
    /// Of a call without an id, what the derived id begins with.
    base: String,
    args: Sha256,
}

/// Where a line about a call belongs.
pub(super) struct Place {
    /// The id of the call.
    pub(super) id: String,
    /// The line that this one would repeat.
    pub(super) twin: Option<Receipt>,
    /// The line that judged the call.
    pub(super) judged: Option<u64>,
}

impl Named {
    pub(super) fn new(event: &Event, call: &Call, args: Sha256) -> Result<Self, serde_json::Error> {
        let parts = json!([event.agent, event.session, event.subagent, call.name, args.to_string()]);
        let base = format!("~{}-", &hash(&parts)?.to_string()[..16]);
        Ok(Self {
            session: event.session.as_deref().map(name),
            given: call.id.as_deref().map(name),
            base,
            args,
        })
    }

    /// Every line of the call in the log's end.
    fn lines(&self, tail: &str) -> Vec<Receipt> {
        let needle = match &self.given {
            Some(id) => format!("\"call\":{}", json::compact(&Value::from(id.as_str()))),
            None => format!("\"call\":\"{}", self.base),
        };
        if !tail.contains(&needle) {
            return Vec::new();
        }
        let lines = tail.lines().filter(|line| line.contains(&needle));
        let lines = lines.filter_map(|line| Receipt::read(line.as_bytes()).ok());
        lines.filter(|line| line.session == self.session).collect()
    }

    /// Where a judgement with this decision belongs, as line number `next`. One that rests on a person's grant came after
    /// every denial, and repeats none.
    pub(super) fn judged(
        &self,
        tail: &str,
        next: u64,
        decision: Decision,
        is_granted: bool,
        now: Timestamp,
    ) -> Place {
        let lines = self.lines(tail);
        let is_over = |judged: &Receipt| match judged.decision {
            Some(Decision::Deny) => (now.as_millis() - judged.at.as_millis()).abs() > DENIED,
            _ => lines.iter().any(|line| line.kind == Kind::Seen && line.seq > judged.seq),
        };
        let earlier = lines.iter().rev().find(|line| line.kind == Kind::Judged);
        let earlier = earlier.filter(|line| match self.given {
            // Some agents begin to count anew with each turn.
            Some(_) => line.args_hash == Some(self.args) && (is_near(line, now) || !is_over(line)),
            None => is_near(line, now),
        });
        let earlier = earlier.filter(|line| !(is_granted && line.decision == Some(Decision::Deny)));
        let id = match (&self.given, earlier) {
            (Some(id), _) => id.clone(),
            (None, Some(line)) => line.call.clone().unwrap_or_default(),
            (None, None) => format!("{}{next}", self.base),
        };
        // A stronger decision on the same call is no repetition.
        let twin = earlier.filter(|line| line.decision >= Some(decision)).cloned();
        Place { id, judged: earlier.map(|line| line.seq), twin }
    }

    /// Where a result belongs, as line number `next`.
    pub(super) fn seen(&self, tail: &str, next: u64, result: Option<Sha256>, now: Timestamp) -> Place {
        let lines = self.lines(tail);
        let seen = || lines.iter().filter(|line| line.kind == Kind::Seen);
        let judged = || lines.iter().filter(|line| line.kind == Kind::Judged);
        let twin = match self.given {
            Some(_) => seen().next_back().filter(|seen| judged().all(|judged| judged.seq < seen.seq)),
            None => seen().next_back().filter(|line| is_near(line, now) && line.result_hash == result),
        };
        let open = match (&self.given, twin) {
            (Some(_), _) => judged().next_back(),
            (None, Some(twin)) => judged().find(|line| line.call == twin.call),
            (None, None) => judged().find(|line| {
                line.decision != Some(Decision::Deny) && !seen().any(|seen| seen.call == line.call)
            }),
        };
        let id = self.given.clone().or_else(|| open.and_then(|line| line.call.clone()));
        Place {
            id: id.unwrap_or_else(|| format!("{}{next}", self.base)),
            judged: open.map(|line| line.seq),
            twin: twin.cloned(),
        }
    }
}

/// Whether a line was written just now.
pub(super) fn is_near(line: &Receipt, now: Timestamp) -> bool {
    (now.as_millis() - line.at.as_millis()).abs() <= TWIN
}
