//! Pinned constraints (C-7): what stays before the agent's eyes, and whether it still does after a compaction
//! (WS-019, WS-020).

use std::collections::BTreeSet;
use std::fmt::Write as _;

use canon::{Sha256, text};
use serde::{Deserialize, Serialize};

use super::monitor;
use crate::policy::Pin;

/// The most characters that are said at once.
pub const LARGEST: usize = 4_000;

/// The most characters of one constraint.
const EACH: usize = 1_200;

/// One pinned constraint, as it is said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Constraint {
    /// The beginning of the digest of its text.
    pub id: String,
    /// The constraint in words, on one line.
    pub text: String,
    /// Its priority.
    pub priority: u32,
    /// It forbids something.
    pub forbids: bool,
    /// What goes against it: sets of words in their plain form.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub against: Vec<Vec<String>>,
}

/// What is said of the constraints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// The text for the agent's context.
    pub text: String,
    /// The ids of the constraints in it.
    pub ids: Vec<String>,
    /// How many did not fit.
    pub left_out: usize,
}

impl Constraint {
    /// A constraint with these words, under what the policy says of it.
    pub fn new(words: &str, pin: &Pin) -> Self {
        let words = text::one_line(words);
        let against: Vec<Vec<String>> = pin.against.iter().map(|set| monitor::plain(set)).collect();
        let against: Vec<Vec<String>> = against.into_iter().filter(|set| !set.is_empty()).collect();
        let against = if against.is_empty() { monitor::forbidden(&words) } else { against };
        Self {
            id: id(&words),
            forbids: pin.forbids.unwrap_or_else(|| monitor::forbids(&words)),
            text: words,
            priority: pin.priority,
            against,
        }
    }

    /// A constraint that another layer states. Nothing but `against` goes against it.
    pub fn stated(words: &str, priority: u32, forbids: bool, against: &[&str]) -> Self {
        let words = text::one_line(words);
        Self {
            id: id(&words),
            text: words,
            priority,
            forbids,
            against: against.iter().map(|set| monitor::plain(set)).collect(),
        }
    }

    /// The constraints of a text: its lines that say something, but for headings. What the pin says goes against the text
    /// goes against the first of them; against each what its own words forbid.
    pub fn of_lines(text: &str, pin: &Pin) -> Vec<Self> {
        let own = Pin { against: Vec::new(), ..pin.clone() };
        let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
        let lines = lines.map(|line| line.trim_start_matches(['-', '*', '>', ' ']));
        let lines = lines.filter(|line| line.contains(char::is_alphanumeric));
        let mut found: Vec<Self> = lines.map(|line| Self::new(line, &own)).collect();
        if let Some(first) = found.first_mut() {
            let sets = pin.against.iter().map(|set| monitor::plain(set)).filter(|set| !set.is_empty());
            first.against.extend(sets);
        }
        found
    }
}

fn id(words: &str) -> String {
    Sha256::of(words).to_string()[..8].to_owned()
}

/// Each constraint once, the highest priority first. Of two with the same words the higher priority holds, and what
/// goes against either.
pub fn joined(constraints: Vec<Constraint>) -> Vec<Constraint> {
    let mut joined: Vec<Constraint> = Vec::new();
    for constraint in constraints {
        let Some(known) = joined.iter_mut().find(|known| known.id == constraint.id) else {
            joined.push(constraint);
            continue;
        };
        known.priority = known.priority.max(constraint.priority);
        known.forbids |= constraint.forbids;
        let new =
            constraint.against.into_iter().filter(|set| !known.against.contains(set)).collect::<Vec<_>>();
        known.against.extend(new);
    }
    joined.sort_by_key(|constraint| std::cmp::Reverse(constraint.priority));
    joined
}

/// The text that says the constraints, or with `prohibitions` those alone that forbid; none where there are none. It
/// is bounded: what does not fit is counted, from the lowest priority up.
pub fn say(constraints: &[Constraint], prohibitions: bool) -> Option<Said> {
    let due: Vec<&Constraint> =
        constraints.iter().filter(|constraint| constraint.forbids || !prohibitions).collect();
    if due.is_empty() {
        return None;
    }
    let mut said = Said {
        text: "Pinned constraints of this repository, which hold whatever else is said:".to_owned(),
        ids: Vec::new(),
        left_out: 0,
    };
    let mut length = said.text.chars().count();
    for constraint in &due {
        let line = format!("\n- [{}] {}", constraint.priority, text::clip(&constraint.text, EACH));
        let chars = line.chars().count();
        // Of a higher priority nothing is left out for a shorter one that would fit.
        if said.left_out > 0 || length + chars > LARGEST {
            said.left_out += 1;
            continue;
        }
        length += chars;
        said.text.push_str(&line);
        said.ids.push(constraint.id.clone());
    }
    if said.left_out > 0 {
        let more = text::counted(said.left_out, "more pinned constraint");
        let _ = write!(said.text, "\n({more} did not fit here: read `{}`)", crate::policy::PATH);
    }
    Some(said)
}

/// The ids of constraints that were said before and are not in force any more: after a compaction nothing keeps them
/// before the agent's eyes.
pub fn dropped(before: &BTreeSet<String>, constraints: &[Constraint]) -> Vec<String> {
    let is_there = |id: &&String| constraints.iter().any(|constraint| constraint.id == **id);
    before.iter().filter(|id| !is_there(id)).cloned().collect()
}

/// The constraints that a context does not hold.
pub fn missing<'c>(constraints: &'c [Constraint], context: &str) -> Vec<&'c Constraint> {
    let is_there = |constraint: &&Constraint| context.contains(&*text::clip(&constraint.text, EACH));
    constraints.iter().filter(|constraint| !is_there(constraint)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pin(priority: u32) -> Pin {
        Pin { text: None, file: None, priority, against: Vec::new(), forbids: None }
    }

    fn pinned(words: &str, priority: u32) -> Constraint {
        Constraint::new(words, &pin(priority))
    }

    /// WS-019.
    #[test]
    fn a_pinned_constraint_is_there_after_a_compaction() {
        let constraints = joined(vec![pinned("Keep the API stable", 50), pinned("Never push to main", 90)]);
        let said = say(&constraints, false).unwrap();
        assert_eq!(
            said.text,
            "Pinned constraints of this repository, which hold whatever else is said:\n\
             - [90] Never push to main\n- [50] Keep the API stable"
        );
        assert_eq!((said.ids.len(), said.left_out), (2, 0));
        assert!(missing(&constraints, &said.text).is_empty());
        let prohibitions = say(&constraints, true).unwrap();
        assert!(prohibitions.text.contains("push") && !prohibitions.text.contains("API"));
        assert_eq!(say(&[], false), None);
        assert_eq!(say(&constraints[1..], true), None);
    }

    /// WS-020.
    #[test]
    fn an_unpinned_one_may_drop_and_that_shows() {
        let before = joined(vec![pinned("Never push to main", 90), pinned("Keep the API stable", 50)]);
        let ids: BTreeSet<String> = say(&before, false).unwrap().ids.into_iter().collect();
        let after = &before[..1];
        assert_eq!(dropped(&ids, after), [before[1].id.clone()]);
        assert!(dropped(&ids, &before).is_empty());
        let context = say(after, false).unwrap().text;
        assert_eq!(missing(&before, &context), [&before[1]]);
    }

    #[test]
    fn what_is_said_is_bounded_and_says_what_it_leaves_out() {
        let long = "word ".repeat(400);
        let many: Vec<Constraint> = (0..20).map(|n| pinned(&format!("{n} {long}"), 100 - n)).collect();
        let said = say(&joined(many), false).unwrap();
        assert!(said.text.chars().count() < LARGEST + 120, "{}", said.text.chars().count());
        assert_eq!(said.ids.len() + said.left_out, 20);
        assert!(
            said.left_out > 0 && said.text.contains("more pinned constraints did not fit"),
            "{}",
            said.text
        );
        let nothing = say(&[pinned("a\nb\u{1b}[2J", 1)], false).unwrap();
        assert_eq!(nothing.text.lines().count(), 2);
    }

    #[test]
    fn one_constraint_that_two_name_is_the_stricter_of_both() {
        let mut weak = pin(10);
        weak.against = vec!["push main".to_owned()];
        let both = joined(vec![Constraint::new("Be careful", &weak), pinned("Be careful", 80)]);
        assert_eq!(both.len(), 1);
        assert_eq!((both[0].priority, both[0].against.len()), (80, 1));
        let mut pin = pin(1);
        pin.against = vec!["force push".to_owned()];
        let lines = Constraint::of_lines("# Rules\n\n- Never push\n* Ask first\n---\n", &pin);
        assert_eq!(lines.iter().map(|line| &*line.text).collect::<Vec<_>>(), ["Never push", "Ask first"]);
        let against: Vec<_> = lines.iter().map(|line| line.against.concat().join(" ")).collect();
        assert_eq!(against, ["push forc push", ""]);
    }
}
