//! The end of a turn: what the agent says is held against receipts and pinned constraints, and the chain is sealed.

use std::collections::BTreeSet;

use gate::event::{Decision, Verdict};
use govern::evidence;
use govern::gates::Found;
use govern::health;
use govern::policy::Switch;
use govern::queue::Kind;
use govern::receipts::Note;
use govern::session::monitor::{self, Review};
use govern::session::{Entry, depth};

use super::course::{Course, LOOK_BACK};
use super::snapshot::Snapshot;

/// The mark of a stop that was refused, by the subagent whose it was; the next one ends the turn.
const STOP_REFUSED: &str = "stop-refused:";

impl Course<'_> {
    /// The agent's turn ends.
    pub(super) fn stop(&self) -> Result<Verdict, String> {
        // Not every agent says that it goes on because a stop was refused, and none may be held for ever.
        let refused = format!("{STOP_REFUSED}{}", self.event.subagent.as_deref().unwrap_or_default());
        let receipts = self.receipts()?;
        let kept = if self.event.text.is_none() { self.last_words() } else { None };
        let text = self.event.text.as_deref().or(kept.as_deref());
        let evidence = match text {
            Some(text) => {
                let lines = receipts.of_session(self.event, LOOK_BACK).map_err(|error| error.to_string())?;
                Some(evidence::judge(text, &lines))
            }
            None => None,
        };
        let review = match (text, &evidence) {
            (Some(text), Some(evidence)) => monitor::review(text, &self.snapshot.pins, evidence),
            _ => Review::default(),
        };
        self.put_review(&review)?;
        let tokens = depth::tokens(text.map_or(0, str::len));
        self.remember(&[Entry::Turn, Entry::PlanEnded, Entry::Went { steps: 0, tokens }])?;
        self.end_of_turn(tokens)?;
        self.hold_rules()?;
        self.hold()?;
        receipts.checkpoint(self.event, evidence.as_ref()).map_err(|error| error.to_string())?;
        if self.event.stop_refused_before || self.session.marks.contains_key(&refused) {
            self.remember(&[Entry::Unmark { name: refused }])?;
            return Ok(Verdict::allow());
        }
        let policy = &self.snapshot.policy;
        let found = if policy.discipline.reviews() && !review.is_clean() {
            Some(fed_back(&review))
        } else if policy.is_on(Switch::Completion) {
            evidence.as_ref().and_then(contradicted)
        } else {
            None
        };
        let Some(found) = found else { return Ok(Verdict::allow()) };
        self.remember(&[Entry::Mark { name: refused, value: String::new() }])?;
        Ok(found.verdict())
    }

    /// Holds the kept rules against those that would be made now. What was rewritten together with its digest is put on
    /// record and before a person, and made anew.
    fn hold_rules(&self) -> Result<(), String> {
        let (world, layout, state) = (self.world, self.layout.as_ref(), &self.state);
        // Twice, since what they are made from may change meanwhile.
        for _ in 0..2 {
            if Snapshot::load(world, layout, state)?.is_true(world, layout, state)? {
                return Ok(());
            }
        }
        Snapshot::anew(world, layout, state)?;
        self.alarm("the kept rules were rewritten, and what they held was not judged since")?;
        Ok(())
    }

    /// Puts on record what the review found, and what of it a person should see before a person.
    fn put_review(&self, review: &Review<'_>) -> Result<(), String> {
        if review.is_clean() {
            return Ok(());
        }
        let number = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        let figures = [
            ("broken", number(review.broken.len())),
            ("corrected", number(review.corrected.len())),
            ("unlabelled", number(review.unlabelled.len())),
        ];
        let digests: Vec<_> = review
            .broken
            .iter()
            .map(|constraint| (constraint.id.as_str(), canon::Sha256::of(&constraint.text)))
            .collect();
        self.put(&Note {
            marker: health::SOM_REVIEW,
            figures: &figures,
            digests: &digests,
            ..Note::default()
        })?;
        // What it is about, and not its figures: one who errs in many ways must not fill the queue.
        let subject = |about: BTreeSet<String>| about.into_iter().collect::<Vec<_>>().join(" ");
        if !review.broken.is_empty() {
            let pins = review.broken.iter().map(|constraint| constraint.id.clone());
            let fact = Review { broken: review.broken.clone(), ..Review::default() }.fact();
            self.propose(Kind::PinBroken, &subject(pins.collect()), &fact, "cairn receipts list");
        }
        if !review.corrected.is_empty() {
            let keys = review.corrected.iter().map(|finding| format!("{:?}", finding.key));
            let fact = Review { corrected: review.corrected.clone(), ..Review::default() }.fact();
            self.propose(Kind::InvalidEvidence, &subject(keys.collect()), &fact, "cairn receipts list");
        }
        Ok(())
    }
}

/// What the review found, for an agent that is to say it again.
fn fed_back(review: &Review<'_>) -> Found {
    let (rule, reason) = if !review.broken.is_empty() {
        ("C-8", govern::codes::PIN_BROKEN)
    } else if !review.corrected.is_empty() {
        ("WS-022", govern::codes::CLAIM_INVALID)
    } else {
        ("WS-023", govern::codes::CLAIM_UNLABELLED)
    };
    let mut next = Vec::new();
    if !review.broken.is_empty() {
        next.push("take back what goes against the constraint, or ask the person to lift it".to_owned());
    }
    next.extend(review.instead());
    if !review.unlabelled.is_empty() {
        next.push("label what has no receipt".to_owned());
    }
    Found {
        decision: Decision::Deny,
        gate: "SOM",
        rule: rule.to_owned(),
        reason,
        fact: review.fact(),
        next: next.join("; "),
        ticket: false,
    }
}

/// The claims that contradict the receipts (G6).
fn contradicted(evidence: &evidence::Evidence) -> Option<Found> {
    let (fact, next) = evidence.contradicted()?;
    Some(Found {
        decision: Decision::Deny,
        gate: "G6",
        rule: "WS-022".to_owned(),
        reason: govern::codes::CLAIM_INVALID,
        fact,
        next,
        ticket: false,
    })
}
