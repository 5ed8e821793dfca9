//! What a repository, and the person who works in it, ask of the gates: `.governance/policy.json`.
//!
//! Three policies may speak: the person's own, the one that `HEAD` holds, and the one in the working tree. The stricter
//! of them applies in every point, so that editing the file loosens nothing before it is committed.

mod discipline;
mod list;
mod patterns;

use std::collections::BTreeMap;

use canon::json;
use gate::protected::{Access, Guard, Protected, Scope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::knowledge;
pub use discipline::{Discipline, Pin};

/// Where a repository's policy lies, from its top.
pub const PATH: &str = ".governance/policy.json";

/// What is asked of the gates. Everything that is left out has the value of the profile.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
#[schemars(extend("required" = ["schema"]))]
pub struct Policy {
    /// The form of the file; 1.
    #[schemars(with = "u32", range(min = 1, max = 1))]
    pub schema: Option<u32>,
    /// What holds where nothing else is said.
    pub profile: Profile,
    /// Each gate by itself.
    pub gates: Switches,
    /// More paths that agents leave alone.
    pub protect: Vec<Protect>,
    /// The text that says how to plan, from the top of the repository; the plan gate then wants it read.
    pub plan_spec: Option<String>,
    /// What is checked by running it, by a name for each.
    pub checks: BTreeMap<String, Check>,
    /// Whether reads from before a compaction still count.
    pub reads_survive_compaction: bool,
    /// Where knowledge is kept, and how long what counts.
    pub knowledge: knowledge::Settings,
    /// Constraints that stay before the agent's eyes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pins: Vec<Pin>,
    /// When they are said again, and what is counted of a session.
    pub discipline: Discipline,
}

/// A set of values for everything that is left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// Protected paths and receipts; the other gates are off.
    #[default]
    Default,
    /// Every gate is on.
    Strict,
}

/// The gates that can be switched; none is as the profile says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Switches {
    /// Acting calls need a plan (PL-001 to PL-010).
    pub plan: Option<bool>,
    /// A file is read before it is changed (G1).
    pub gain: Option<bool>,
    /// What changed is checked by running it (G2).
    pub verify: Option<bool>,
    /// What changed and no check is about is read back (G2); on wherever `verify` is, unless it is switched off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_back: Option<bool>,
    /// What reaches beyond the project needs a person (G5).
    pub commitment: Option<bool>,
    /// An end of turn whose claims contradict the receipts is refused where the agent allows it (G6).
    pub completion: Option<bool>,
}

/// Paths that agents leave alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Protect {
    /// A pattern, from the top of the repository: `*` and `?` within a name, `[...]` one character of a set, `**` across
    /// folders; without them a path. What lies below a folder that it matches is meant too. `./` and `/` in front mean
    /// the top; a slash at the end means the folder and what lies below.
    pub path: String,
    /// Reading is shut as well.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    /// Why, for the agent that meets it.
    pub because: String,
}

/// What is checked by running it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Check {
    /// Changes of what these patterns match ask for the check; they are written as those of `protect`.
    #[serde(deserialize_with = "list::patterns")]
    pub paths: Vec<String>,
    /// The command, word by word.
    #[serde(deserialize_with = "list::words")]
    pub command: Vec<String>,
}

/// A gate that can be switched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// PL-001 to PL-010.
    Plan,
    /// G1.
    Gain,
    /// G2.
    Verify,
    /// G2, for what no check is about.
    ReadBack,
    /// G5.
    Commitment,
    /// G6.
    Completion,
}

impl Switch {
    /// Every gate that can be switched.
    pub const ALL: [Self; 6] =
        [Self::Plan, Self::Gain, Self::Verify, Self::ReadBack, Self::Commitment, Self::Completion];

    /// Its key in a policy.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Gain => "gain",
            Self::Verify => "verify",
            Self::ReadBack => "readBack",
            Self::Commitment => "commitment",
            Self::Completion => "completion",
        }
    }
}

impl Policy {
    /// Reads a policy.
    ///
    /// # Errors
    /// What is wrong with it, with line and column.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let mut policy: Self = json::read(bytes).map_err(|damage| damage.to_string())?;
        let protected = policy.protect.iter_mut().map(|entry| (&mut entry.path, "protect"));
        let checked = policy.checks.values_mut().flat_map(|check| &mut check.paths);
        for (path, whose) in protected.chain(checked.map(|path| (path, "checks"))) {
            *path = patterns::read(path).map_err(|fault| {
                let line = patterns::line_of(path, bytes);
                format!("`{path}` in `{whose}` {fault}, at line {line}")
            })?;
        }
        let fault = || policy.pins.iter().find_map(Pin::fault).or_else(|| policy.discipline.fault());
        match policy.schema {
            Some(1) => fault().map_or(Ok(policy.clone()), Err),
            Some(other) => Err(format!("schema {other} is not known here; 1 is")),
            None => Err("`schema` is missing; write \"schema\": 1".to_owned()),
        }
    }

    /// Whether a gate is on.
    pub fn is_on(&self, gate: Switch) -> bool {
        let own = match gate {
            Switch::Plan => self.gates.plan,
            Switch::Gain => self.gates.gain,
            Switch::Verify => self.gates.verify,
            // It is the part of G2 that needs no check, and nothing without the rest.
            Switch::ReadBack => return self.is_on(Switch::Verify) && self.gates.read_back.unwrap_or(true),
            Switch::Commitment => self.gates.commitment,
            Switch::Completion => self.gates.completion,
        };
        own.unwrap_or(self.profile == Profile::Strict)
    }

    /// The stricter of two policies in every point.
    pub fn stricter(&self, other: &Self) -> Self {
        let either = |gate| Some(self.is_on(gate) || other.is_on(gate));
        let mut protect = self.protect.clone();
        protect.extend(other.protect.iter().filter(|entry| !self.protect.contains(entry)).cloned());
        let mut pins = self.pins.clone();
        pins.extend(other.pins.iter().filter(|pin| !self.pins.contains(pin)).cloned());
        let mut checks = other.checks.clone();
        // Of two checks with one name, that of the policy that stood first; the other keeps a name of its own.
        for (name, check) in &self.checks {
            if let Some(shadowed) =
                checks.insert(name.clone(), check.clone()).filter(|shadowed| shadowed != check)
            {
                checks.insert(format!("{name} (2)"), shadowed);
            }
        }
        Self {
            schema: Some(1),
            profile: self.profile.max(other.profile),
            gates: Switches {
                plan: either(Switch::Plan),
                gain: either(Switch::Gain),
                verify: either(Switch::Verify),
                read_back: either(Switch::ReadBack),
                commitment: either(Switch::Commitment),
                completion: either(Switch::Completion),
            },
            protect,
            plan_spec: self.plan_spec.clone().or_else(|| other.plan_spec.clone()),
            checks,
            reads_survive_compaction: self.reads_survive_compaction && other.reads_survive_compaction,
            knowledge: self.knowledge.or(&other.knowledge),
            pins,
            discipline: self.discipline.stricter(&other.discipline),
        }
    }

    /// The same with the defaults of its discipline said: beside what is committed, another text loosens none of them.
    pub fn settled(self) -> Self {
        Self { discipline: self.discipline.settled(), ..self }
    }

    /// The rules about paths that the policy adds: those it lists, and that the vault is written through its write gate.
    /// Research notes are anybody's.
    pub fn protected(&self) -> Protected {
        let mut rules = Protected::new();
        let vault = self.knowledge.folder();
        for item in ["Rules", "Lessons", "Templates", "Index.md", knowledge::vault::EVIDENCE] {
            rules.push(Guard {
                scope: Scope::Below(format!("{vault}/{item}")),
                access: Access::Write,
                rule: "policy:knowledge".to_owned(),
                fact: "what is kept there goes through the write gate of the vault".to_owned(),
                next: "use `cairn govern knowledge add` or `evidence`".to_owned(),
                ticket: true,
            });
        }
        for entry in &self.protect {
            rules.push(Guard {
                scope: Scope::Glob(entry.path.clone()),
                access: if entry.hidden { Access::Any } else { Access::Write },
                rule: "policy:protect".to_owned(),
                fact: format!("the policy keeps agents from {}: {}", entry.path, entry.because),
                next: "leave it as it is, or ask a person to make the change".to_owned(),
                ticket: !entry.hidden,
            });
        }
        rules
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(text: &str) -> Policy {
        Policy::read(text.as_bytes()).unwrap()
    }

    #[test]
    fn what_is_left_out_is_as_the_profile_says() {
        let default = policy(r#"{ "schema": 1 }"#);
        let strict = policy(r#"{ "schema": 1, "profile": "strict", "gates": { "verify": false } }"#);
        assert!(!default.is_on(Switch::Plan) && strict.is_on(Switch::Plan));
        assert!(!strict.is_on(Switch::Verify));
    }

    #[test]
    fn reading_back_goes_with_its_gate() {
        let on = policy(r#"{ "schema": 1, "gates": { "verify": true } }"#);
        let without = policy(r#"{ "schema": 1, "gates": { "verify": true, "readBack": false } }"#);
        let alone = policy(r#"{ "schema": 1, "gates": { "readBack": true } }"#);
        assert!(on.is_on(Switch::ReadBack));
        assert!(!without.is_on(Switch::ReadBack) && without.is_on(Switch::Verify));
        assert!(!alone.is_on(Switch::ReadBack), "there is nothing to read back for");
        // Who has no gate does not switch it on for one who has switched this part off.
        let off = Policy::default();
        for (one, other, expected) in [(&on, &without, true), (&without, &off, false), (&on, &off, true)] {
            assert_eq!(one.stricter(other).is_on(Switch::ReadBack), expected);
            assert_eq!(other.stricter(one).is_on(Switch::ReadBack), expected);
        }
    }

    #[test]
    fn the_stricter_of_two_applies_in_every_point() {
        let loose = policy(
            r#"{ "schema": 1, "readsSurviveCompaction": true, "checks": { "code": { "paths": ["**"], "command": ["true"] } } }"#,
        );
        let tight = policy(
            r#"{ "schema": 1, "gates": { "plan": true }, "protect": [{ "path": "infra/**", "because": "x" }],
                 "checks": { "code": { "paths": ["**"], "command": ["make", "test"] } } }"#,
        );
        for both in [loose.stricter(&tight), tight.stricter(&loose)] {
            assert!(both.is_on(Switch::Plan) && !both.is_on(Switch::Gain));
            assert_eq!(both.protect.len(), 1);
            assert_eq!(both.checks.len(), 2);
            assert!(!both.reads_survive_compaction);
        }
        assert!(both_hold(&tight.protected()));
    }

    #[test]
    fn the_vault_is_written_through_its_write_gate() {
        let rules = policy(r#"{ "schema": 1, "knowledge": { "vault": "notes/" } }"#).protected();
        let holds = |path: &str| rules.guards().iter().any(|guard| guard.holds(path));
        assert!(holds("notes/Lessons/a.md") && holds("notes/evidence.jsonl") && holds("notes/Index.md"));
        assert!(!holds("notes/Research/a.md") && !holds(".governance/vault/Lessons/a.md"));
        assert!(
            Policy::default().protected().guards().iter().any(|guard| guard.holds(".governance/vault/Rules"))
        );
    }

    #[test]
    fn a_pin_and_the_discipline_are_not_loosened() {
        let head = policy(
            r#"{ "schema": 1, "pins": [{ "text": "Never push to main", "priority": 90 }],
                 "discipline": { "safeTurnDepth": 10, "reviewStop": true, "lessons": ["lessons"] } }"#,
        );
        let tree = policy(
            r#"{ "schema": 1, "pins": [{ "file": "docs/rules.md" }],
                 "discipline": { "safeTurnDepth": 900, "safeTokenBudget": 9000000, "planFirstAfter": 1, "queueCap": 1 } }"#,
        );
        for both in [head.clone().settled().stricter(&tree), tree.stricter(&head.clone().settled())] {
            assert_eq!(both.pins.len(), 2);
            let discipline = &both.discipline;
            assert_eq!((discipline.depth(), discipline.interval(), discipline.budget()), (10, 5, 120_000));
            assert_eq!((discipline.plan_first(), discipline.prompt(), discipline.cap()), (1, 50, 20));
            assert!(discipline.reviews() && discipline.lessons == ["lessons"]);
        }
        // What nobody else speaks of is as one of them says.
        let person = policy(r#"{ "schema": 1 }"#);
        assert_eq!(person.stricter(&tree).discipline.depth(), 900);
    }

    #[test]
    fn a_pin_or_a_number_that_means_nothing_is_refused() {
        for (text, what) in [
            (r#""pins": [{}]"#, "neither `text` nor `file`"),
            (r#""pins": [{ "text": "a", "file": "b" }]"#, "one of them is meant"),
            (r#""pins": [{ "text": " " }]"#, "is empty"),
            (r#""pins": [{ "file": "../x" }]"#, "`../x` does not lie below"),
            (r#""pins": [{ "file": "/etc/x" }]"#, "does not lie below"),
            (r#""pins": [{ "text": "a", "priority": 101 }]"#, "above 100"),
            (r#""pins": [{ "text": "a", "against": [""] }]"#, "empty string"),
            (r#""pins": [{ "text": "a", "colour": 1 }]"#, "unknown field"),
            (r#""discipline": { "safeTurnDepth": 1 }"#, "below 2"),
            (r#""discipline": { "safeTokenBudget": 0 }"#, "1 is the least"),
            (r#""discipline": { "planFirstAfter": 0 }"#, "1 is the least"),
            (r#""discipline": { "promptPriority": 101 }"#, "above 100"),
            (r#""discipline": { "queueCap": 0 }"#, "between 1 and 500"),
            (r#""discipline": { "lessons": ["a/../b"] }"#, "`a/../b`, which does not lie"),
        ] {
            let error = Policy::read(format!("{{ \"schema\": 1, {text} }}").as_bytes()).unwrap_err();
            assert!(error.contains(what), "{error}");
        }
    }

    fn both_hold(rules: &Protected) -> bool {
        rules.guards().iter().any(|guard| guard.holds("infra/a/b"))
    }

    #[test]
    fn the_example_of_the_documentation_is_a_policy() {
        let text = include_str!("../../../docs/configuration.md");
        let (_, rest) = text.split_once("```json\n").unwrap();
        let policy = policy(rest.split_once("```").unwrap().0);
        assert!(policy.is_on(Switch::Plan) && policy.is_on(Switch::Completion));
        assert_eq!((policy.checks.len(), policy.protect.len(), policy.pins.len()), (2, 2, 2));
        assert_eq!(policy.knowledge.folder(), "notes/vault");
    }

    #[test]
    fn a_pattern_that_can_match_nothing_is_refused_with_its_line() {
        let read = |text: &str| Policy::read(text.as_bytes());
        let error = read("{ \"schema\": 1,\n\"protect\": [{ \"path\": \"../x\", \"because\": \"y\" }] }")
            .unwrap_err();
        assert_eq!(
            error,
            "`../x` in `protect` goes up with `..`; write it from the top of the repository, at line 2"
        );
        let error = read(
            "{ \"schema\": 1,\n\"checks\": {\n\"a\": { \"paths\": [\"\"], \"command\": [\"true\"] } } }",
        );
        assert!(error.unwrap_err().ends_with("at line 3"));
        let policy = policy(
            r#"{ "schema": 1, "protect": [{ "path": "/vendor/", "because": "y" }],
                 "checks": { "a": { "paths": ["./src"], "command": ["true"] } } }"#,
        );
        assert!(policy.protected().guards().iter().any(|guard| guard.holds("vendor/a/b")));
        assert_eq!(policy.checks["a"].paths, ["src"]);
    }

    #[test]
    fn a_policy_that_is_none_says_where() {
        for (text, what) in [
            ("{", "line 1"),
            ("{}", "`schema` is missing"),
            (r#"{ "schema": 2 }"#, "schema 2 is not known"),
            (r#"{ "schema": 1, "colour": 1 }"#, "unknown field `colour`"),
            (
                "{ \"schema\": 1,\n \"checks\": { \"t\": { \"paths\": [\"**\"], \"command\": \"sh t.sh\" } } }",
                "line 2, column 57: a command is a list of words and not shell text: write [\"sh\",\"t.sh\"]",
            ),
            (
                r#"{ "schema": 1, "checks": { "t": { "paths": ["**"], "command": "make && make test" } } }"#,
                r#"put that text into a script and write ["sh","check.sh"]"#,
            ),
            (
                r#"{ "schema": 1, "checks": { "t": { "paths": "src/**", "command": ["x"] } } }"#,
                r#"patterns are a list: write ["src/**"]"#,
            ),
            (
                r#"{ "schema": 1, "checks": { "t": { "paths": [], "command": [] } } }"#,
                "a command has at least one word",
            ),
        ] {
            let error = Policy::read(text.as_bytes()).unwrap_err();
            assert!(error.contains(what), "{error}");
        }
    }
}
