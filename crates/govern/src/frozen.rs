//! What was in force when a session began, and what of it is another thing now (WS-017).
//!
//! At admission the state that governs a session is frozen as digests. Later the same parts are looked at again, and
//! whatever deviates is flagged. Who takes the digests, and what is done with a deviation, is no business of this module.

use std::collections::BTreeMap;
use std::fmt;

use canon::Sha256;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The mark of a session that carries what was frozen, as [`Frozen::text`] has it.
pub const MARK: &str = "frozen";

/// The marker of a note that something deviates.
pub const DEVIATION: &str = "invariant-deviation";

/// What governs a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// The policy.
    Policy,
    /// The rules about paths, locked tests among them.
    Locked,
    /// What is installed in the settings of an agent.
    Hooks,
    /// The plan.
    Plan,
}

impl Part {
    /// The word for it in figures and marks.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Policy => "policy",
            Self::Locked => "locked",
            Self::Hooks => "hooks",
            Self::Plan => "plan",
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Policy => "the policy",
            Self::Locked => "the locked set",
            Self::Hooks => "the installed hooks",
            Self::Plan => "the plan",
        })
    }
}

/// How a part deviates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    /// It is not what it was.
    Changed,
    /// It was not there.
    Appeared,
    /// It is gone.
    Vanished,
}

/// What was frozen: a digest for each thing of each part, by a name such as a path. A thing that is not there has none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Frozen {
    parts: BTreeMap<Part, BTreeMap<String, Sha256>>,
}

/// One thing that is not as it was frozen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Deviation {
    /// The part.
    pub part: Part,
    /// The thing.
    pub name: String,
    /// How it deviates.
    pub how: How,
    /// What it is now; none where it is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Sha256>,
    /// Whether a session may bring it about by its own work: a plan goes on, a policy does not.
    pub expected: bool,
}

impl Deviation {
    /// The mark of a session that this was put on record: `deviation:<part>:<name>`.
    pub fn mark(&self) -> String {
        format!("deviation:{}:{}", self.part.as_str(), self.name)
    }

    /// What the mark carries. It differs where the thing became yet another; what is expected is one deviation however
    /// often it changes.
    pub fn value(&self) -> String {
        match self.content {
            _ if self.expected => "expected".to_owned(),
            Some(content) => content.to_string(),
            None => "gone".to_owned(),
        }
    }
}

impl fmt::Display for Deviation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = match self.how {
            How::Changed => "is not what it was",
            How::Appeared => "was not there",
            How::Vanished => "is gone that was there",
        };
        write!(f, "{}: `{}` {how} when the session began", self.part, self.name)
    }
}

impl Frozen {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// With one thing of a part. A thing without content is not there, and its part is looked at all the same.
    pub fn with(mut self, part: Part, name: impl Into<String>, content: Option<&[u8]>) -> Self {
        let things = self.parts.entry(part).or_default();
        if let Some(content) = content {
            things.insert(name.into(), Sha256::of(content));
        }
        self
    }

    /// As one line, to be carried by a mark.
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// What a mark carries; none where it carries something else, which is no state that anything can be held against.
    pub fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

/// What deviates from what was frozen. Only parts that were looked at both times are compared; in a part, every thing.
pub fn deviations(frozen: &Frozen, now: &Frozen) -> Vec<Deviation> {
    let mut found = Vec::new();
    for (part, was) in &frozen.parts {
        let Some(is) = now.parts.get(part) else { continue };
        let names: std::collections::BTreeSet<&String> = was.keys().chain(is.keys()).collect();
        for name in names {
            let how = match (was.get(name), is.get(name)) {
                (Some(was), Some(is)) if was == is => continue,
                (Some(_), Some(_)) => How::Changed,
                (None, _) => How::Appeared,
                (Some(_), None) => How::Vanished,
            };
            let (name, content) = (name.clone(), is.get(name).copied());
            found.push(Deviation { part: *part, name, how, content, expected: *part == Part::Plan });
        }
    }
    found
}

/// What deviates and is not on record yet, by the marks of the session.
pub fn unrecorded(frozen: &Frozen, now: &Frozen, marks: &BTreeMap<String, String>) -> Vec<Deviation> {
    let is_new = |one: &Deviation| marks.get(&one.mark()) != Some(&one.value());
    deviations(frozen, now).into_iter().filter(is_new).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session() -> Frozen {
        Frozen::new()
            .with(Part::Policy, ".governance/policy.json", Some(b"{ \"schema\": 1 }"))
            .with(Part::Locked, "rules", Some(b"tests/t.py"))
            .with(Part::Hooks, ".claude/settings.json", Some(b"{}"))
            .with(Part::Plan, "plan", None)
    }

    #[test]
    fn ws_017_the_same_state_does_not_deviate() {
        assert_eq!(deviations(&session(), &session()), []);
        assert_eq!(Frozen::read(&session().text()), Some(session()));
        assert_eq!(Frozen::read("yes"), None);
    }

    #[test]
    fn ws_017_each_part_that_drifts_is_flagged() {
        let now = Frozen::new()
            .with(Part::Policy, ".governance/policy.json", Some(b"{ \"schema\": 1, \"gates\": {} }"))
            .with(Part::Locked, "rules", None)
            .with(Part::Hooks, ".claude/settings.json", Some(b"{}"))
            .with(Part::Hooks, ".codex/hooks.json", Some(b"{}"))
            .with(Part::Plan, "plan", Some(b"[]"));
        let shown: Vec<(String, bool)> =
            deviations(&session(), &now).iter().map(|one| (one.to_string(), one.expected)).collect();
        let expected = [
            ("the policy: `.governance/policy.json` is not what it was when the session began", false),
            ("the locked set: `rules` is gone that was there when the session began", false),
            ("the installed hooks: `.codex/hooks.json` was not there when the session began", false),
            ("the plan: `plan` was not there when the session began", true),
        ];
        assert_eq!(shown, expected.map(|(text, expected)| (text.to_owned(), expected)));
    }

    #[test]
    fn ws_017_a_deviation_is_put_on_record_once_and_again_when_it_becomes_another() {
        let changed = |policy: &[u8], plan: Option<&[u8]>| {
            Frozen::new().with(Part::Policy, ".governance/policy.json", Some(policy)).with(
                Part::Plan,
                "plan",
                plan,
            )
        };
        let mut marks = BTreeMap::new();
        let mut found = |now: Frozen| {
            let found = unrecorded(&session(), &now, &marks);
            marks.extend(found.iter().map(|one| (one.mark(), one.value())));
            found.iter().map(|one| one.part).collect::<Vec<_>>()
        };
        assert_eq!(found(changed(b"a", Some(b"1"))), [Part::Policy, Part::Plan]);
        assert_eq!(found(changed(b"a", Some(b"1"))), []);
        assert_eq!(found(changed(b"b", Some(b"2"))), [Part::Policy], "a plan goes on");
    }

    #[test]
    fn a_part_that_nobody_looked_at_says_nothing() {
        let now = Frozen::new().with(Part::Policy, ".governance/policy.json", None);
        let found = deviations(&session(), &now);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].part, found[0].how), (Part::Policy, How::Vanished));
    }
}
