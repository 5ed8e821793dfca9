//! When pinned constraints are said again (C-9): before a session grows deeper than its safe turn depth, and when it
//! crosses its safe token budget.
//!
//! A turn here is one of the model: a prompt, and each result or denial, after which the model is asked again. Agents
//! tell no tokens, so that they are estimated from what passes through the hook.

use super::{Counters, Session};
use crate::policy::Discipline;

/// Why pinned constraints are due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The session begins, or nothing was said in it yet.
    Start,
    /// The context was compacted since they were said.
    Compacted,
    /// The session grew by half of its safe turn depth.
    Depth,
}

impl Why {
    /// One word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Compacted => "compacted",
            Self::Depth => "depth",
        }
    }

    /// Whether prohibitions alone are due: everything else is still before the agent's eyes.
    pub fn is_prohibitions(self) -> bool {
        self == Self::Depth
    }
}

/// Why constraints are due by what is counted of the session, and `ahead` turns that are not counted yet; none where
/// they are not.
pub fn due(session: &Session, discipline: &Discipline, ahead: u64) -> Option<Why> {
    let counters = &session.counters;
    if !counters.is_pinned {
        return Some(if counters.compactions > 0 { Why::Compacted } else { Why::Start });
    }
    (since(counters) + ahead >= discipline.interval()).then_some(Why::Depth)
}

/// How many turns of the model ago they were said.
fn since(counters: &Counters) -> u64 {
    counters.steps.saturating_sub(counters.pinned_at)
}

/// Whether the session has crossed its token budget and nobody marked it. It happens once between two compactions.
pub fn crosses(session: &Session, discipline: &Discipline) -> bool {
    !session.counters.is_over && session.counters.tokens >= discipline.budget()
}

/// Whether the agent is told to plan first: so many calls were denied since it last was.
pub fn plans_first(session: &Session, discipline: &Discipline) -> bool {
    session.counters.denied.saturating_sub(session.counters.plan_first_at) >= discipline.plan_first()
}

/// How many calls of the session were denied, and by what most of them.
pub fn denials(session: &Session) -> String {
    let most = session.blocks.iter().max_by_key(|(what, count)| (**count, std::cmp::Reverse(*what)));
    let denied = canon::text::counted(usize::try_from(session.counters.denied).unwrap_or(usize::MAX), "call");
    let most = most.map_or_else(String::new, |(what, count)| format!(", {count} of them by {what}"));
    format!("{denied} of this session were denied{most}")
}

/// What the agent is told then.
pub fn plan_first(session: &Session) -> String {
    format!(
        "Plan first: {}. Before the next call say what is to be done, step by step, and follow what the denials said; the \
         same call again is denied again",
        denials(session)
    )
}

/// The tokens of so many bytes, estimated.
pub fn tokens(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Entry;

    fn discipline() -> Discipline {
        Discipline { safe_turn_depth: Some(6), safe_token_budget: Some(1000), ..Discipline::default() }
    }

    fn pinned(session: &mut Session, all: bool) {
        session.learn(Entry::Pinned { ids: vec!["a".to_owned()], all });
    }

    /// CV-9: between two times at which prohibitions are said there are never as many turns as the safe depth.
    #[test]
    fn prohibitions_are_said_again_before_the_safe_depth() {
        for depth in 2..20 {
            let discipline = Discipline { safe_turn_depth: Some(depth), ..Discipline::default() };
            let mut session = Session::default();
            assert_eq!(due(&session, &discipline, 0), Some(Why::Start));
            pinned(&mut session, true);
            let (mut last, mut times) = (0, 0);
            for turn in 1..=200 {
                session.learn(Entry::Went { steps: 1, tokens: 1 });
                if let Some(why) = due(&session, &discipline, 0) {
                    assert_eq!(why, Why::Depth);
                    assert!(turn - last < depth, "{depth}");
                    (last, times) = (turn, times + 1);
                    pinned(&mut session, false);
                }
            }
            assert_eq!(times, 200 / discipline.interval());
        }
    }

    #[test]
    fn a_compaction_makes_everything_due() {
        let mut session = Session::default();
        pinned(&mut session, true);
        assert_eq!(due(&session, &discipline(), 0), None);
        session.learn(Entry::Compacted);
        assert_eq!(due(&session, &discipline(), 0), Some(Why::Compacted));
        pinned(&mut session, false);
        assert_eq!(
            due(&session, &discipline(), 0),
            Some(Why::Compacted),
            "prohibitions alone are not everything"
        );
        pinned(&mut session, true);
        assert_eq!(due(&session, &discipline(), 0), None);
    }

    #[test]
    fn two_hundred_turns_cross_the_token_budget_once() {
        let mut session = Session::default();
        let mut marked = 0;
        for _ in 0..200 {
            session.learn(Entry::Went { steps: 1, tokens: 50 });
            if crosses(&session, &discipline()) {
                session.learn(Entry::OverBudget);
                marked += 1;
            }
        }
        assert_eq!(marked, 1);
        session.learn(Entry::Compacted);
        assert!(!crosses(&session, &discipline()), "the context is small again");
        session.learn(Entry::Went { steps: 1, tokens: 1000 });
        assert!(crosses(&session, &discipline()), "and a second crossing is one of its own");
    }

    #[test]
    fn after_so_many_denials_the_agent_is_told_to_plan() {
        let mut session = Session::default();
        let denied = |rule: &str| Entry::Denied { gate: "plan".to_owned(), rule: rule.to_owned() };
        for rule in ["PL-001", "PL-003"] {
            session.learn(denied(rule));
            assert!(!plans_first(&session, &discipline()));
        }
        session.learn(denied("PL-001"));
        assert!(plans_first(&session, &discipline()));
        assert!(
            plan_first(&session)
                .starts_with("Plan first: 3 calls of this session were denied, 2 of them by plan PL-001.")
        );
        session.learn(Entry::PlanFirst);
        assert!(!plans_first(&session, &discipline()));
    }
}
