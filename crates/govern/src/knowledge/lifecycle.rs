//! One pass over the vault: what evidence promotes, confirms, demotes, archives and revives (WS-010 to WS-012).
//!
//! What the writer of an entry adds for it is one piece at most, whatever it says: another must have seen it too.
//!
//! A lesson is promoted on two pieces of evidence in one window; what the windows after it say, which the promotion
//! never saw, confirms or contradicts it. A contradiction demotes it, and only evidence from later windows can promote it
//! again. What is archived comes back only when its signature recurs after it was archived. A pass over what a pass made
//! changes nothing, whatever the evidence.

use canon::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::Terms;
use super::entry::Entry;
use super::evidence::{Evidence, window};
use super::fields::{HeldOut, Judgement, Label, Promotion, Status};

/// How many pieces of evidence promote.
pub const PIECES: usize = 2;

/// What happened to an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// It came into force.
    Promoted,
    /// A held-out window bears it out.
    Confirmed,
    /// A held-out window contradicts it, and it waits for evidence again.
    Demoted,
    /// It went to the archive.
    Archived,
    /// It came back from the archive.
    Revived,
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Change {
    /// The entry.
    pub id: String,
    /// What happened to it.
    pub event: Event,
    /// What that rests on.
    pub because: String,
}

/// What a pass makes of the entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passed {
    /// Every entry as it is now, in the order in which they came.
    pub entries: Vec<Entry>,
    /// What changed.
    pub changes: Vec<Change>,
}

/// What a pass may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// Everything.
    Free,
    /// Nothing that puts a lesson into force: there is no place for one more.
    Full,
}

/// Passes over the entries. Evidence from after `now` is not there yet.
pub fn pass(entries: &[Entry], evidence: &[Evidence], terms: &Terms, now: Timestamp, room: Room) -> Passed {
    let mut changes = Vec::new();
    let passed = entries.iter().map(|entry| {
        let mut entry = entry.clone();
        let is_judged = entry.fields.quarantine.is_none()
            && entry.status() != Status::Erased
            && entry.is_gated()
            && entry.applies_in(&terms.project)
            && !entry.holds_secret();
        if is_judged {
            let signature = entry.signature();
            let is_here = |piece: &&Evidence| {
                piece.is_about(&signature)
                    && piece.at <= now
                    && piece.recorded() <= now
                    && piece.project.as_ref().is_none_or(|project| *project == terms.project)
            };
            let mut about: Vec<&Evidence> = evidence.iter().filter(is_here).collect();
            about.sort_by(|a, b| (a.at, &a.reference).cmp(&(b.at, &b.reference)));
            let mut life =
                Life { entry: &mut entry, evidence: about, terms, now, room, changes: &mut changes };
            life.step();
        }
        entry
    });
    let entries = passed.collect();
    Passed { entries, changes }
}

struct Life<'l> {
    entry: &'l mut Entry,
    evidence: Vec<&'l Evidence>,
    terms: &'l Terms,
    now: Timestamp,
    room: Room,
    changes: &'l mut Vec<Change>,
}

impl Life<'_> {
    fn step(&mut self) {
        if self.entry.status() == Status::Archived {
            self.revive();
        }
        // What a contradiction demotes may have earned its place anew in windows behind that contradiction, all of which
        // may be there by now: the next pass must find nothing left to do.
        for _ in 0..2 {
            if self.entry.status() == Status::Candidate {
                self.promote();
            }
            if self.entry.status() == Status::Promoted {
                self.hold_out();
            }
        }
        if self.entry.status() == Status::Promoted {
            self.archive();
        }
    }

    fn note(&mut self, event: Event, because: String) {
        self.changes.push(Change { id: self.entry.id.clone(), event, because });
    }

    /// Whether the writer of the entry added a piece.
    fn is_own(&self, piece: &Evidence) -> bool {
        let writer = self.entry.fields.provenance.as_ref().map(|provenance| &provenance.writer);
        writer.is_some_and(|writer| piece.is_by(writer))
    }

    /// WS-012. An entry that does not say when it was archived was archived just now: nothing older brings it back.
    fn revive(&mut self) {
        let archived_at = self.entry.fields.archived_at.unwrap_or(self.now);
        let recurs = self
            .evidence
            .iter()
            .find(|piece| !piece.contradicts && piece.at > archived_at && !self.is_own(piece));
        let Some((at, reference)) = recurs.map(|piece| (piece.at, piece.reference.clone())) else { return };
        let fields = &self.entry.fields;
        let was_in_force = fields.validated.is_some()
            || fields
                .promotion
                .as_ref()
                .is_some_and(|promotion| promotion.held_out.verdict != Judgement::Contradicted);
        if was_in_force && self.room == Room::Full {
            return;
        }
        let fields = &mut self.entry.fields;
        fields.status = Some(if was_in_force { Status::Promoted } else { Status::Candidate });
        fields.archived_at = Some(archived_at);
        fields.archived_why = None;
        fields.revived_at = Some(self.now);
        self.note(
            Event::Revived,
            format!("{reference} recurred at {at}, after it was archived at {archived_at}"),
        );
    }

    /// WS-010: two pieces in one window, behind every window that contradicts. What the write gate would not let in, since
    /// it does not say what it is or where it comes from, is not promoted either.
    fn promote(&mut self) {
        let fields = &self.entry.fields;
        let is_known = fields.label.is_some() && fields.provenance.is_some();
        if self.room == Room::Full || !is_known {
            return;
        }
        let days = self.terms.window_days;
        let archived_at = self.entry.fields.archived_at;
        let contradicted =
            self.evidence.iter().filter(|piece| piece.contradicts).map(|piece| piece.window(days));
        let demoted = self.entry.fields.promotion.as_ref().and_then(|promotion| {
            let decided =
                promotion.held_out.window.filter(|_| promotion.held_out.verdict == Judgement::Contradicted);
            // The window's last day counts, also where a window now has another length.
            let length = i64::from(promotion.days) * 24 * 60 * 60 * 1000;
            let end = decided?.saturating_add(1).saturating_mul(length).saturating_sub(1);
            Some(window(Timestamp::from_millis(end), days))
        });
        let bar = contradicted.chain(demoted).max();
        let mut pieces: Vec<(i64, &Evidence)> = self
            .evidence
            .iter()
            .filter(|piece| {
                !piece.contradicts && archived_at.is_none_or(|archived_at| piece.at > archived_at)
            })
            .map(|piece| (piece.window(days), *piece))
            .filter(|(window, _)| bar.is_none_or(|bar| *window > bar))
            .collect();
        // Of two pieces with one reference that counts which somebody else added, and of the writer's own one a window.
        let mut by_others: Vec<&String> = Vec::new();
        by_others.extend(
            pieces.iter().filter(|(_, piece)| !self.is_own(piece)).map(|(_, piece)| &piece.reference),
        );
        let mut own = Vec::new();
        pieces.retain(|(window, piece)| {
            !self.is_own(piece)
                || !by_others.contains(&&piece.reference) && !own.contains(window) && {
                    own.push(*window);
                    true
                }
        });
        let mut known = Vec::new();
        pieces.retain(|(_, piece)| {
            !known.contains(&&piece.reference) && {
                known.push(&piece.reference);
                true
            }
        });
        let enough = pieces
            .iter()
            .map(|(window, _)| *window)
            .find(|window| pieces.iter().filter(|(other, _)| other == window).count() >= PIECES);
        let Some(window) = enough else { return };
        let evidence: Vec<String> = pieces
            .iter()
            .filter(|(other, _)| *other == window)
            .map(|(_, piece)| piece.reference.clone())
            .collect();
        let because =
            format!("window {window} has {} pieces of evidence: {}", evidence.len(), evidence.join(", "));
        let held_out = HeldOut { from: window + 1, verdict: Judgement::Open, window: None, evidence: None };
        self.entry.fields.status = Some(Status::Promoted);
        self.entry.fields.promotion = Some(Promotion { window, days, at: self.now, evidence, held_out });
        self.note(Event::Promoted, because);
    }

    /// WS-011: what the windows say that the promotion never saw. Whoever has a person's word is not judged by evidence.
    fn hold_out(&mut self) {
        if self.entry.fields.validated.is_some() {
            return;
        }
        let Some(promotion) = &self.entry.fields.promotion else {
            // In force from before promotions were recorded: no window was seen by it, so every one is held out.
            let against = self.evidence.iter().find(|piece| piece.contradicts);
            if let Some(because) = against.map(|piece| format!("{} at {}", piece.reference, piece.at)) {
                self.entry.fields.status = Some(Status::Candidate);
                self.note(Event::Demoted, because);
            }
            return;
        };
        let (own, days) = (promotion.window, promotion.days);
        let verdict = promotion.held_out.verdict;
        // A contradiction that came late into the very window of the promotion counts too.
        let against =
            self.evidence.iter().find(|piece| piece.contradicts && piece.window(days) >= own).copied();
        let known = &promotion.evidence;
        // Backdated evidence may promote for a window long past: what was written down with it is not held out.
        let seen = self
            .evidence
            .iter()
            .filter(|piece| known.contains(&piece.reference))
            .map(|piece| window(piece.recorded(), days))
            .chain([own])
            .max()
            .unwrap_or(own);
        let fresh = |piece: &&&Evidence| {
            let (held_out, recorded) = (piece.window(days), window(piece.recorded(), days));
            !piece.contradicts
                && held_out > own
                && recorded >= held_out
                && recorded > seen
                && !known.contains(&piece.reference)
                && !self.is_own(piece)
        };
        let bears_out = self.evidence.iter().find(fresh).copied();
        let (piece, verdict, event) = match (against, bears_out, verdict) {
            (Some(piece), ..) => (piece, Judgement::Contradicted, Event::Demoted),
            (None, Some(piece), Judgement::Open) => (piece, Judgement::Confirmed, Event::Confirmed),
            _ => return,
        };
        // The last window that contradicts: only what comes after it can promote again.
        let decided = self
            .evidence
            .iter()
            .filter(|piece| piece.contradicts && verdict == Judgement::Contradicted)
            .map(|piece| piece.window(days))
            .chain([piece.window(days)])
            .max();
        let because =
            format!("{} in window {}, held out from {}", piece.reference, piece.window(days), own + 1);
        let reference = piece.reference.clone();
        if let Some(promotion) = &mut self.entry.fields.promotion {
            promotion.held_out =
                HeldOut { from: own + 1, verdict, window: decided, evidence: Some(reference) };
        }
        if event == Event::Demoted {
            self.entry.fields.status = Some(Status::Candidate);
        }
        self.note(event, because);
    }

    /// A lesson that nothing speaks for any more goes to the archive. Rules and what a person decided stay.
    fn archive(&mut self) {
        let Some(days) = self.terms.archive_after_days else { return };
        let fields = &self.entry.fields;
        if !matches!(fields.label, Some(Label::Fact | Label::Inferred)) || fields.validated.is_some() {
            return;
        }
        let supports = self.evidence.iter().filter(|piece| !piece.contradicts).map(|piece| piece.at);
        let known = [
            fields.promotion.as_ref().map(|promotion| promotion.at),
            fields.revived_at,
            fields.provenance.as_ref().map(|provenance| provenance.transaction_time),
        ];
        // Of an entry that never had a time nothing can be said.
        let Some(last) = supports.chain(known.into_iter().flatten()).max() else { return };
        let age = self.now.as_millis().saturating_sub(last.as_millis());
        if age < i64::from(days) * 24 * 60 * 60 * 1000 {
            return;
        }
        let because = format!("nothing spoke for it since {last}, {days} days are the most");
        let fields = &mut self.entry.fields;
        fields.status = Some(Status::Archived);
        fields.archived_at = Some(self.now);
        fields.archived_why = Some(because.clone());
        fields.revived_at = None;
        self.note(Event::Archived, because);
    }
}
