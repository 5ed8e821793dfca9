//! `amend-spec`: the one sanctioned change of a locked test (P6).

use canon::{Sha256, text};
use gate::Refusal;
use gate::words::quote;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::codes;
use crate::locks::is_same;
use crate::model::{Review, State};
use crate::session::Session;
use crate::spec;

/// What was amended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Amended {
    /// The whole id of the task.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its state now.
    pub state: State,
    /// A done task was taken back to `specd`.
    pub reopened: bool,
    /// A passing review no longer counts.
    pub review_stale: bool,
    /// The tests.
    pub tests: Vec<AmendedTest>,
    /// Why, as it is logged.
    pub why: String,
    /// How many deciders of locked tests did not fit, and are not watched.
    pub deciders_cut: usize,
    /// The command that comes next.
    pub next: String,
}

/// A test that was locked again, or added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AmendedTest {
    /// Its path, relative to the root.
    pub path: String,
    /// The digest that was locked before; none where it is new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Sha256>,
    /// The digest that is locked now.
    pub sha256: Sha256,
    /// How many things that decide it were recorded beside it.
    pub deciders: usize,
}

/// Locks tests again as they are now, or adds them, with a reason that is logged as a decision. What
/// decides them is recorded anew. In any state: a done task goes back to `specd`, any other stays where
/// it is. A passing review that came before no longer counts.
///
/// # Errors
/// `reason-missing` without a reason; `test-unreadable` for what is no file that can be locked, and for a
/// held-out test.
pub fn amend(
    session: &Session<'_>,
    wanted: &str,
    paths: &[String],
    why: Option<&str>,
) -> Result<Amended, Refusal> {
    let task = session.task(wanted)?;
    let Some(why) = why.map(text::one_line).filter(|why| !text::is_blank(why)) else {
        return Err(Refusal::new(codes::REASON_MISSING, "a locked test changes only with a reason")
            .hint("the reason is logged as a decision")
            .next(session.cmd(&format!("amend-spec {} --test <path> --why \"...\"", quote(&task.id)))));
    };
    let config = session.config()?;
    let taken = spec::take_all(session, &config, paths)?;
    let deciders = spec::collect(session, &config, &taken)?;

    session.write("amend-spec", |draft| {
        let (index, task) = draft.find(&task.id)?;
        let mut tests = Vec::new();
        for lock in taken.iter().map(|taken| &taken.lock) {
            let place = task.tests.iter().position(|known| is_same(&known.path, &lock.path));
            let before = place.map(|place| task.tests[place].sha256);
            match place {
                Some(place) => {
                    draft.set_task(
                        index,
                        &["tests".into(), place.into(), "sha256".into()],
                        &json!(lock.sha256),
                    )?;
                }
                None => draft.push_task(index, "tests", &json!(lock))?,
            }
            draft.decision(
                &format!("Amended locked test {} ({})", lock.path, task.title),
                Some(&why),
                Some(&task.id),
            );
            let deciders = deciders.get(&lock.path).map_or(0, Vec::len);
            tests.push(AmendedTest { path: lock.path.clone(), before, sha256: lock.sha256, deciders });
        }
        let deciders_cut = spec::keep_deciders(draft, index, &task, deciders.clone())?;
        let review_stale = task.reviews.last().is_some_and(Review::passes);
        if review_stale {
            let entry = json!({ "at": draft.now(), "by": "amend-spec", "verdict": "stale", "findings": [] });
            draft.push_task(index, "reviews", &entry)?;
        }
        let reopened = task.state == State::Done;
        let state = if reopened {
            draft.set_task(index, &["state".into()], &json!(State::Specd))?;
            draft.unset_task(index, "doneAt")?;
            let title = format!("Reopened: {}", task.title);
            draft.event(
                "progress-update",
                &title,
                "a locked test of the done task was amended",
                Some(&task.id),
            );
            State::Specd
        } else {
            spec::specd(draft, index, &task, true)?
        };
        let id = quote(&task.id);
        let next = match state {
            State::InProgress => session.cmd("verify"),
            State::Specd => session.cmd(&format!("start {id}")),
            _ => session.cmd("next"),
        };
        let title = task.title.clone();
        let why = why.clone();
        Ok(Amended { id: task.id, title, state, reopened, review_stale, tests, why, deciders_cut, next })
    })
}
