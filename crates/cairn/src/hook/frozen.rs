//! What governs a session: frozen when it begins, looked at again at the end of each turn and when it is taken up again
//! (WS-017). A deviation is put on record and before a person, who knows whether it was meant; nothing is blocked.

use std::collections::BTreeMap;

use agents::install::State as Standing;
use canon::Sha256;
use govern::frozen::{self, Deviation, Frozen, Part};
use govern::policy;
use govern::queue::Kind;
use govern::receipts::Note;
use govern::session::Entry;

use super::course::Course;
use super::{plan, silent};

impl Course<'_> {
    /// What governs the session at this moment.
    fn governing(&self) -> Frozen {
        let policy = serde_json::to_vec(&self.snapshot.policy).ok();
        let plan = plan::read(&self.state).and_then(|plan| serde_json::to_vec(&plan).ok());
        let frozen = Frozen::new()
            .with(Part::Policy, policy::PATH, policy.as_deref())
            .with(Part::Locked, "rules", Some(self.snapshot.digest().to_string().as_bytes()))
            .with(Part::Plan, "plan", plan.as_deref());
        // Settings hold much that is no gate: what counts is how the installation in them stands.
        let installed = silent::installed(&self.state, self.world, self.reading.agent);
        installed.into_iter().fold(frozen, |frozen, status| {
            let is_there = status.state != Standing::Absent;
            let content = is_there.then(|| serde_json::to_vec(&status).ok()).flatten();
            frozen.with(Part::Hooks, &status.path, content.as_deref())
        })
    }

    /// Freezes what governs the session, and where that was done holds it against what governs now.
    pub(super) fn hold(&self) -> Result<(), String> {
        let now = self.governing();
        let mut found = Vec::new();
        self.claim(|session| {
            let frozen = session.marks.get(frozen::MARK).and_then(|text| Frozen::read(text));
            let Some(frozen) = frozen else { return vec![mark(frozen::MARK.to_owned(), now.text())] };
            found = frozen::unrecorded(&frozen, &now, &session.marks);
            found.iter().map(|one| mark(one.mark(), one.value())).collect()
        })?;
        if found.is_empty() {
            return Ok(());
        }
        self.put_deviations(&found)?;
        for one in found.iter().filter(|one| !one.expected) {
            let subject = format!("{} {}", one.mark(), one.value());
            let next = "if nobody meant it, put it back as it was; `cairn receipts list` has the calls of the session";
            self.propose(Kind::Drift, &subject, &one.to_string(), next);
        }
        Ok(())
    }

    fn put_deviations(&self, found: &[Deviation]) -> Result<(), String> {
        let mut parts: BTreeMap<&str, i64> = BTreeMap::new();
        for one in found {
            *parts.entry(one.part.as_str()).or_default() += 1;
        }
        let figures: Vec<(&str, i64)> = parts.into_iter().collect();
        let digests: Vec<(&str, Sha256)> =
            found.iter().filter_map(|one| Some((&*one.name, one.content?))).collect();
        self.put(&Note { marker: frozen::DEVIATION, figures: &figures, digests: &digests, ..Note::default() })
    }
}

fn mark(name: String, value: String) -> Entry {
    Entry::Mark { name, value }
}
