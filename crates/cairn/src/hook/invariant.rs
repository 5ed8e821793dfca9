//! The invariant monitor (WS-017): what governs a session is frozen when it begins, and what is another thing at the end
//! of a turn is flagged, once.

use std::path::Path;

use agents::install::{self, Scope};
use govern::frozen::{DEVIATION, Deviation, Frozen, MARK, Part, deviations};
use govern::queue::Kind;
use govern::receipts::Note;
use govern::session::Entry;
use store::file;

use super::course::Course;
use super::installed::Installed;

impl Course<'_> {
    /// Freezes what is in force as the session begins.
    pub(super) fn freeze(&self) -> Result<(), String> {
        self.remember(&[Entry::Mark { name: MARK.to_owned(), value: self.in_force().text() }])
    }

    /// Flags what deviates from what was frozen, and freezes it as it is now.
    pub(super) fn hold_against_frozen(&self) -> Result<(), String> {
        let Some(mark) = self.session.marks.get(MARK) else { return Ok(()) };
        let now = self.in_force();
        let then = Frozen::read(mark).unwrap_or_default();
        let found: Vec<Deviation> =
            deviations(&then, &now).into_iter().filter(|deviation| !deviation.expected).collect();
        if found.is_empty() {
            return Ok(());
        }
        let names: Vec<String> = found.iter().map(|deviation| deviation.name.clone()).collect();
        let figures = [("things", i64::try_from(found.len()).unwrap_or(i64::MAX))];
        self.put(&Note { marker: DEVIATION, figures: &figures, paths: &names, ..Note::default() })?;
        // Locks come and go with the work; a policy and a hook are a person's to change.
        for deviation in found.iter().filter(|deviation| deviation.part != Part::Locked) {
            self.propose(Kind::Drift, &deviation.name, &deviation.to_string(), "cairn govern audit");
        }
        self.freeze()
    }

    /// What governs the session now.
    fn in_force(&self) -> Frozen {
        let policy = serde_json::to_vec(&self.snapshot.policy).unwrap_or_default();
        let frozen = Frozen::new().with(Part::Policy, "policy", Some(&policy)).with(
            Part::Locked,
            "rules about paths",
            Some(&self.snapshot.rules),
        );
        // Which program is called is of no weight here: the settings as they are, whoever wrote them, are what is held.
        let installed = Installed::new(&self.state, self.world, Path::new(install::SHARED_PROGRAM));
        let targets = [Scope::Private, Scope::Shared]
            .map(|scope| install::targets(self.reading.agent, scope).unwrap_or_default());
        targets.iter().flatten().fold(frozen, |frozen, target| {
            let content = installed.path(target).ok().and_then(|path| file::read(&path).ok().flatten());
            frozen.with(Part::Hooks, target.path, content.as_deref())
        })
    }
}
