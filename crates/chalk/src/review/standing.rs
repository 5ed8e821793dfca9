//! What the last review of a task is worth now.

use std::path::Path;

use canon::Sha256;
use gate::Refusal;
use serde_json::json;
use store::git::Ancestry;

use crate::change;
use crate::codes;
use crate::content;
use crate::model::{Config, Review, Task};
use crate::session::{self, Session};

/// What the last review is worth.
#[derive(Debug, Clone, PartialEq)]
pub enum Standing {
    /// There is none.
    Missing,
    /// It blocks.
    Blocked {
        /// The review.
        review: Review,
    },
    /// It was a pass, and no longer counts.
    Stale {
        /// Why not.
        why: Staleness,
        /// The review.
        review: Review,
    },
    /// It passes.
    Pass {
        /// The pass names the content that it judged, and that is what lies in the tree. One of another program
        /// names none, and counts.
        bound: bool,
        /// It has a finding that weighs high.
        high: bool,
        /// A person wrote it, no reviewer command.
        by_hand: bool,
        /// The review.
        review: Review,
    },
}

/// Why a pass no longer counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Staleness {
    /// A locked test was amended after it, or while the reviewer ran.
    Amended,
    /// The criteria or locks are not those that the change was judged by.
    AskedMoved,
    /// The content of the tree is not what was judged.
    ContentMoved,
    /// The change begins earlier than the one that was judged.
    BaseMoved,
}

impl Staleness {
    /// The reason in words, after "the last review passed, but".
    pub fn words(self) -> &'static str {
        match self {
            Self::Amended => "a locked test was amended since",
            Self::AskedMoved => "the criteria or locked tests changed since",
            Self::ContentMoved => "the files changed since",
            Self::BaseMoved => "the change now begins at an earlier commit than the reviewed one",
        }
    }
}

/// The digest of what a task asks for: its criteria and locks.
pub fn asked(task: &Task) -> Sha256 {
    let mut tests: Vec<_> = task.tests.iter().map(|test| (&test.path, test.sha256)).collect();
    tests.sort();
    let criteria: Vec<&str> = task.criteria().collect();
    Sha256::of(json!({ "criteria": criteria, "tests": tests }).to_string())
}

/// What the last review of a task says by itself, without a look at any file.
pub fn recorded(task: &Task) -> Standing {
    let Some(review) = task.reviews.last().cloned() else { return Standing::Missing };
    let is = |word: &str| review.verdict.eq_ignore_ascii_case(word);
    if is("pass") {
        if review.asked.is_some_and(|digest| digest != asked(task)) {
            return Standing::Stale { why: Staleness::AskedMoved, review };
        }
        let by_hand = review.by != super::ADVERSARY;
        return Standing::Pass { bound: review.digest.is_some(), high: review.has_high(), by_hand, review };
    }
    if is("block") {
        return Standing::Blocked { review };
    }
    // Not only `stale`: a word that nobody knows must not open a gate.
    Standing::Stale { why: Staleness::Amended, review }
}

/// What the last review of a task is worth for the files in `tree`.
///
/// Without a review, and for one that says by itself that it doesn't count, no file is read.
pub fn standing(
    session: &Session<'_>,
    config: &Config,
    task: &Task,
    tree: &Path,
) -> Result<Standing, Refusal> {
    match recorded(task) {
        Standing::Pass { bound: true, .. } => {
            let digest = content::digest(session, config, tree)?.digest;
            standing_at(session, config, task, tree, digest)
        }
        recorded => Ok(recorded),
    }
}

/// The same for a caller that has the content digest of the tree.
pub fn standing_at(
    session: &Session<'_>,
    config: &Config,
    task: &Task,
    tree: &Path,
    digest: Sha256,
) -> Result<Standing, Refusal> {
    let recorded = recorded(task);
    let Standing::Pass { bound: true, review, .. } = &recorded else { return Ok(recorded) };
    let review = review.clone();
    if review.digest != Some(digest) {
        return Ok(Standing::Stale { why: Staleness::ContentMoved, review });
    }
    if begins_earlier(session, config, task, tree, &review)? {
        return Ok(Standing::Stale { why: Staleness::BaseMoved, review });
    }
    Ok(recorded)
}

/// Whether the change of today holds commits from before the reviewed one. Equal content reviewed from an earlier
/// commit covers it.
fn begins_earlier(
    session: &Session<'_>,
    config: &Config,
    task: &Task,
    tree: &Path,
    review: &Review,
) -> Result<bool, Refusal> {
    let Some(reviewed) = &review.base else { return Ok(false) };
    let Some((git, base)) = change::known_base(session, config, task, tree)? else { return Ok(false) };
    if git.resolve(reviewed).map_err(session::git)?.is_none() {
        return Ok(!git.is_shallow().map_err(session::git)?);
    }
    Ok(git.is_ancestor(reviewed, base.as_str()).map_err(session::git)? == Ancestry::No)
}

impl Standing {
    /// The refusal of a gate that needs a pass; none where there is one.
    pub fn refusal(&self, session: &Session<'_>, task: &Task) -> Option<Refusal> {
        let id = &task.id;
        let again = session.cmd(&format!("review {}", gate::words::quote(&task.id)));
        match self {
            Self::Pass { .. } => None,
            Self::Missing => {
                Some(Refusal::new(codes::REVIEW_MISSING, format!("`{id}` has no review")).next(again))
            }
            Self::Blocked { review } => {
                let refusal = Refusal::new(
                    codes::REVIEW_BLOCKED,
                    format!("the last review of `{id}`, by {}, blocks", review.by),
                );
                let findings = review.findings.iter().map(super::line);
                Some(
                    refusal
                        .facts(findings)
                        .hint("mend what it found, then have it reviewed again")
                        .next(again),
                )
            }
            Self::Stale { why, .. } => Some(
                Refusal::new(
                    codes::REVIEW_STALE,
                    format!("the last review of `{id}` passed, but {}", why.words()),
                )
                .next(again),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Lock, ReviewFinding, task::Criterion};

    fn task(verdicts: &[&str]) -> Task {
        let review = |verdict: &&str| Review {
            verdict: (*verdict).to_owned(),
            by: "adversary".to_owned(),
            ..Review::default()
        };
        Task { reviews: verdicts.iter().map(review).collect(), ..Task::default() }
    }

    #[test]
    fn the_last_entry_decides() {
        assert_eq!(recorded(&task(&[])), Standing::Missing);
        assert!(matches!(recorded(&task(&["block", "pass"])), Standing::Pass { bound: false, .. }));
        assert!(matches!(recorded(&task(&["pass", "Block"])), Standing::Blocked { .. }));
        assert!(matches!(
            recorded(&task(&["pass", "stale"])),
            Standing::Stale { why: Staleness::Amended, .. }
        ));
        assert!(matches!(recorded(&task(&["maybe"])), Standing::Stale { .. }));
        assert!(matches!(recorded(&task(&["PASS"])), Standing::Pass { .. }));
    }

    #[test]
    fn a_pass_says_who_gave_it_and_how_well() {
        let mut task = task(&["pass"]);
        task.reviews[0].by = "Ada".into();
        task.reviews[0].findings =
            vec![ReviewFinding { severity: "High".into(), ..ReviewFinding::default() }];
        assert!(matches!(recorded(&task), Standing::Pass { high: true, by_hand: true, .. }));
    }

    #[test]
    fn a_criterion_added_after_a_pass_makes_it_stale() {
        let mut task = task(&["pass"]);
        task.acceptance_criteria = vec![Criterion { text: "one".into() }];
        task.reviews[0].asked = Some(asked(&task));
        assert!(matches!(recorded(&task), Standing::Pass { .. }));
        task.acceptance_criteria.push(Criterion { text: " ".into() });
        assert!(matches!(recorded(&task), Standing::Pass { .. }), "a blank one asks for nothing");
        task.acceptance_criteria.push(Criterion { text: "two".into() });
        assert!(matches!(recorded(&task), Standing::Stale { why: Staleness::AskedMoved, .. }));
        task.acceptance_criteria.truncate(1);
        task.tests = vec![Lock { path: "t".into(), sha256: Sha256::of("") }];
        assert!(matches!(recorded(&task), Standing::Stale { why: Staleness::AskedMoved, .. }));
    }
}
