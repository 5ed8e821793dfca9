//! `done`: the gate at the end of a task (P4, P5, P6), the same one for every caller.
//!
//! In order: the task is in progress; it verifies; its locked tests are in git; the levers find nothing, where
//! that is asked; the cadence's review is fresh. What ran was outside the lock, so at the end the task is read
//! again, and what the gate relied on must be as it was.

use gate::words::quote;
use gate::{Finding, Level, Refusal};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use store::git::RepoPath;

use crate::codes;
use crate::draft::Draft;
use crate::levers;
use crate::model::{Cadence, Config, State, Strictness, Task};
use crate::next::{git_in, refused};
use crate::review::{self, Standing};
use crate::session::{self, Session};
use crate::tree;
use crate::verify;

/// How `done` was asked for.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Past the review gate.
    pub force_review: bool,
    /// The reason for that.
    pub why: Option<String>,
}

/// What became of a task at its last gate.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Outcome {
    /// Its whole id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Whether it is done.
    pub done: bool,
    /// Why it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Refusal>,
    /// The verification.
    pub verify: verify::Report,
    /// The levers; none where an earlier gate stayed shut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub levers: Option<levers::Report>,
    /// What the review is worth; none where the cadence asks for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review: Option<String>,
    /// Why the cadence asks for no review of this task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review_off: Option<String>,
    /// The review gate was passed by force.
    pub forced: bool,
    /// What a person should look at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// The milestone that this task was the last one of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub milestone: Option<String>,
    /// The command that comes next.
    pub next: String,
}

/// Takes a task through its last gate.
///
/// # Errors
/// What keeps the gate from judging at all. A gate that judged and stays shut is an [`Outcome`] with a refusal.
pub fn done(session: &Session<'_>, wanted: &str, request: &Request) -> Result<Outcome, Refusal> {
    if request.force_review && request.why.is_none() {
        return Err(Refusal::new(codes::REASON_MISSING, "`--force-review` needs a reason")
            .next(session.cmd(&format!("done {wanted} --force-review --why \"...\""))));
    }
    let config = session.config()?;
    let task = session.task(wanted)?;
    refuse_other_state(session, &task)?;
    tree::refuse_another(session, &task)?;
    let verify = verify::run(session, verify::Request { task: Some(&task) })?;
    let mut outcome = Outcome {
        id: task.id.clone(),
        title: task.title.clone(),
        done: false,
        refusal: None,
        levers: None,
        review: None,
        review_off: None,
        forced: false,
        findings: Vec::new(),
        milestone: None,
        next: session.cmd("next"),
        verify,
    };
    outcome.refusal = judge(session, &config, &task, request, &mut outcome)?;
    if let Some(refusal) = &outcome.refusal {
        outcome.next = refusal.next.clone().unwrap_or_else(|| session.cmd("next"));
        // A red verify is on record itself.
        if refusal.code != codes::VERIFY_RED {
            refused::keep(session, &task, refusal, outcome.verify.digest)?;
        }
        return Ok(outcome);
    }
    session.write("done", |draft| close(draft, &task, request, &mut outcome))?;
    outcome.done = true;
    Ok(outcome)
}

fn refuse_other_state(session: &Session<'_>, task: &Task) -> Result<(), Refusal> {
    let (id, whole) = (task.display_id(), quote(&task.id));
    match &task.state {
        State::InProgress => Ok(()),
        State::Blocked => Err(Refusal::new(codes::TASK_BLOCKED, format!("`{id}` is blocked"))
            .facts(task.block.iter().map(|block| format!("needs {}: {}", block.needs, block.reason)))
            .next(session.cmd(&format!("unblock {whole}")))),
        State::Done => {
            Err(Refusal::new(codes::WRONG_STATE, format!("`{id}` is done already")).next(session.cmd("next")))
        }
        state => Err(Refusal::new(codes::WRONG_STATE, format!("`{id}` is {state}, not in progress"))
            .next(session.cmd(&format!("start {whole}")))),
    }
}

/// The gates that need no write, cheapest first; the refusal of the first that stays shut.
fn judge(
    session: &Session<'_>,
    config: &Config,
    task: &Task,
    request: &Request,
    outcome: &mut Outcome,
) -> Result<Option<Refusal>, Refusal> {
    if !outcome.verify.green {
        let red = outcome.verify.red.iter().cloned();
        return Ok(Some(
            Refusal::new(codes::VERIFY_RED, "the task doesn't verify").facts(red).next(session.cmd("verify")),
        ));
    }
    if let Some(refusal) = untracked(session, task)? {
        return Ok(Some(refusal));
    }
    let tree = outcome.verify.tree.path.clone();
    if asks_for_review(session, config, task)? {
        let standing = review::standing_at(session, config, task, &tree, outcome.verify.digest)?;
        outcome.review = Some(words(&standing));
        let shut = review_gate(session, config, task, &standing, outcome)
            .or_else(|| rewritten(session, task, &outcome.verify));
        if let Some(refusal) = shut {
            if !request.force_review {
                return Ok(Some(refusal));
            }
            outcome.forced = true;
            outcome.findings.push(Finding::new(
                "review",
                Level::Warn,
                format!("forced: {}", refusal.message),
            ));
        }
    } else {
        outcome.review_off = Some(unasked(config));
    }
    let report = levers::run(session, config, task, &tree)?;
    for line in report.unclear() {
        outcome.findings.push(Finding::new("levers", Level::Warn, line));
    }
    let strict = config.protocol.done_levers == Strictness::Refuse;
    let refusal = report.refusal().or_else(|| report.unjudged());
    outcome.levers = Some(report);
    match refusal {
        Some(refusal) if strict => Ok(Some(advised(session, task, refusal))),
        Some(refusal) => {
            outcome.findings.push(warning(advised(session, task, refusal)));
            Ok(None)
        }
        None => Ok(None),
    }
}

/// What a lever says, where policy only warns.
pub(crate) fn warning(refusal: Refusal) -> Finding {
    let finding = Finding::new(refusal.code.as_str(), Level::Warn, refusal.message);
    match refusal.hint {
        Some(hint) => finding.cure(hint),
        None => finding,
    }
}

/// The finding of a lever, with what to do about it.
pub(crate) fn advised(session: &Session<'_>, task: &Task, refusal: Refusal) -> Refusal {
    let id = quote(&task.id);
    let test = match task.tests.as_slice() {
        [only] => quote(&only.path),
        _ => "PATH".to_owned(),
    };
    let amend = session.cmd(&format!("amend-spec {id} --test {test} --why \"...\""));
    let tests: Vec<String> = task.tests.iter().map(|lock| format!("`{}`", lock.path)).collect();
    let code = refusal.code;
    if code == codes::VACUOUS_TEST {
        refusal.hint("let the test assert what the change does, then lock it anew with a reason").next(amend)
    } else if code == codes::NO_TEST_CHANGE {
        refusal
            .hint("add a test, or change one, that asserts what the files above do now; then verify again")
            .next(session.cmd("verify"))
    } else if code == codes::MUTANTS_SURVIVE && tests.is_empty() {
        refusal
            .hint("add or change a test of the files above that fails for a fault in them; then verify again")
            .next(session.cmd("verify"))
    } else if code == codes::MUTANTS_SURVIVE {
        let hint = format!(
            "a test beside {} that fails for a fault in the files above; one that is locked changes with `{amend}`",
            tests.join(", ")
        );
        refusal.hint(hint).next(session.cmd("verify"))
    } else if code == codes::LEVER_INCONCLUSIVE {
        let label = session.cmd(&format!("task edit {id} --label no-test"));
        refusal
            .hint(format!(
                "what was done before `start`, and what lies where tests lie, is not judged; \
                 a person lets a task go without by `{label}`"
            ))
            .next(session.cmd(&format!("task show {id}")))
    } else {
        refusal
    }
}

/// The refusal where the toolchain itself changed code after the review judged it.
fn rewritten(session: &Session<'_>, task: &Task, verify: &verify::Report) -> Option<Refusal> {
    let code = |path: &&String| crate::source::language::is_code(path);
    let changed: Vec<String> = verify.changed.iter().filter(code).cloned().collect();
    if changed.is_empty() {
        return None;
    }
    Some(
        Refusal::new(codes::REVIEW_STALE, "the toolchain changed code that the review had judged before")
            .facts(changed)
            .hint("commit what it makes, or have git ignore it, then have the change reviewed again")
            .next(session.cmd(&format!("review {}", quote(&task.id)))),
    )
}

/// The refusal for a pass that policy doesn't take, or for no pass.
fn review_gate(
    session: &Session<'_>,
    config: &Config,
    task: &Task,
    standing: &Standing,
    outcome: &mut Outcome,
) -> Option<Refusal> {
    let Standing::Pass { bound, high, by_hand, review } = standing else {
        return standing.refusal(session, task).map(|refusal| refusal.next(ask(session, config, task)));
    };
    let strict = config.protocol.review_findings == Strictness::Refuse;
    let again = ask(session, config, task);
    if *high {
        let message = "the review passes with a finding that weighs high";
        let facts =
            review.findings.iter().filter(|f| f.severity.eq_ignore_ascii_case("high")).map(review::line);
        if strict {
            return Some(Refusal::new(codes::REVIEW_BLOCKED, message).facts(facts).next(again));
        }
        outcome.findings.push(Finding::new("review", Level::Warn, message));
        outcome.findings.extend(facts.map(|fact| Finding::new("review", Level::Warn, fact)));
    }
    if *by_hand {
        let message = format!("the review was made by hand, by {}", review.by);
        if strict {
            let refusal = Refusal::new(codes::REVIEW_MISSING, message);
            return Some(if has_reviewer(config) {
                refusal.next(again)
            } else {
                refusal.hint("`protocol.reviewFindings` takes no review by hand: a person sets `protocol.review.command`")
            });
        }
        outcome.findings.push(Finding::new("review", Level::Info, message));
    }
    if !bound {
        let message = "the review is unbound: its program didn't say what it judged";
        outcome.findings.push(Finding::new("review", Level::Warn, message));
    }
    None
}

/// Whether a reviewer command is set.
pub(crate) fn has_reviewer(config: &Config) -> bool {
    !config.protocol.review.command.trim().is_empty()
}

/// The command that asks for the review of a task.
pub(crate) fn ask(session: &Session<'_>, config: &Config, task: &Task) -> String {
    let by_hand = if has_reviewer(config) { "" } else { " --note \"...\"" };
    session.cmd(&format!("review {}{by_hand}", quote(&task.id)))
}

fn words(standing: &Standing) -> String {
    match standing {
        Standing::Missing => "missing".to_owned(),
        Standing::Blocked { .. } => "block".to_owned(),
        Standing::Stale { why, .. } => format!("stale: {}", why.words()),
        Standing::Pass { bound: false, .. } => "pass, unbound".to_owned(),
        Standing::Pass { .. } => "pass".to_owned(),
    }
}

/// Whether the cadence asks for a review before this task is done.
pub(crate) fn asks_for_review(session: &Session<'_>, config: &Config, task: &Task) -> Result<bool, Refusal> {
    let cadence = config.protocol.cadence();
    if cadence.contains(&Cadence::PerTask) {
        return Ok(true);
    }
    if !cadence.contains(&Cadence::MilestoneBoundary) {
        return Ok(false);
    }
    Ok(closes_milestone(task, &session.all_tasks()?).is_some())
}

/// Why a task is done without a review.
fn unasked(config: &Config) -> String {
    let cadence = config.protocol.cadence();
    if cadence.contains(&Cadence::MilestoneBoundary) {
        "it is asked for at the end of a milestone".to_owned()
    } else if cadence.is_empty() {
        "`protocol.review.required` is not set".to_owned()
    } else {
        "`protocol.review.requiredAt` asks for it when the phase advances".to_owned()
    }
}

/// The milestone whose last open task this is.
fn closes_milestone<'t>(task: &'t Task, all: &[Task]) -> Option<&'t str> {
    let milestone = task.milestone.as_deref()?;
    let mut others =
        all.iter().filter(|other| other.id != task.id && other.milestone.as_deref() == Some(milestone));
    others.all(|other| other.state == State::Done).then_some(milestone)
}

/// The refusal for a locked test that git does not track: a colleague and CI would not have it (facts 4.3).
pub(crate) fn untracked(session: &Session<'_>, task: &Task) -> Result<Option<Refusal>, Refusal> {
    let tree = tree::of(session, task).path;
    let Some(git) = session.git(&tree) else { return Ok(None) };
    let paths: Vec<&str> = task
        .tests
        .iter()
        .map(|lock| lock.path.as_str())
        .filter(|path| !path.starts_with("../"))
        .filter(|path| !path.starts_with(".chalk/") || path.starts_with(".chalk/tests/"))
        .collect();
    let tracked =
        git.is_tracked(&paths.iter().map(RepoPath::new).collect::<Vec<_>>()).map_err(session::git)?;
    let missing: Vec<String> = paths
        .iter()
        .zip(tracked)
        .filter(|(_, tracked)| !tracked)
        .map(|(path, _)| (*path).to_owned())
        .collect();
    if missing.is_empty() {
        return Ok(None);
    }
    let quoted: Vec<_> = missing.iter().map(|path| quote(path)).collect();
    let add = format!("{} add {}", git_in(session, &tree), quoted.join(" "));
    Ok(Some(
        Refusal::new(
            codes::TEST_UNTRACKED,
            "a locked test is not tracked by git, so that nobody else would have it",
        )
        .facts(missing)
        .next(add),
    ))
}

/// Closes the task, unless what the gates relied on changed meanwhile.
fn close(
    draft: &mut Draft<'_, '_>,
    judged: &Task,
    request: &Request,
    outcome: &mut Outcome,
) -> Result<(), Refusal> {
    let session = draft.session();
    let (index, task) = draft.find(&judged.id)?;
    let same = task.state == judged.state
        && task.tests == judged.tests
        && task.acceptance_criteria == judged.acceptance_criteria
        && task.reviews == judged.reviews;
    if !same {
        return Err(Refusal::new(
            codes::SPINE_MOVED,
            format!("`{}` changed while its gates ran", task.display_id()),
        )
        .next(session.cmd(&format!("done {}", quote(&task.id)))));
    }
    let now = draft.now();
    draft.set_task(index, &["state".into()], &json!(State::Done))?;
    draft.set_task(index, &["doneAt".into()], &json!(now))?;
    for (number, directive) in task.directives.iter().enumerate() {
        if !directive.resolved {
            draft.set_task(index, &["directives".into(), number.into(), "resolved".into()], &json!(true))?;
            draft.set_task(index, &["directives".into(), number.into(), "resolvedAt".into()], &json!(now))?;
        }
    }
    if outcome.forced {
        // `stats` counts by this beginning.
        draft.decision(
            &format!("Overrode review gate for {}", task.title),
            request.why.as_deref(),
            Some(&task.id),
        );
    }
    draft.event("work-item-accepted", &format!("Done: {}", task.title), "", Some(&task.id));
    let all = draft.all_tasks()?;
    if let Some(milestone) = closes_milestone(&task, &all) {
        draft.event("milestone-hit", &format!("Milestone done: {milestone}"), "", Some(&task.id));
        outcome.milestone = Some(milestone.to_owned());
    }
    Ok(())
}
