//! `review`: the adversarial reviewer (P5), and reviews by hand.
//!
//! The reviewer is given the whole change and asked to refute it. Its verdict is recorded with the content digest
//! of the tree that it judged, and counts for that content alone ([`standing`]).

mod objects;
mod prompt;
mod reviewer;
mod standing;
#[cfg(test)]
mod tests;
mod verdict;

use std::path::Path;

use canon::{Sha256, Timestamp, text};
use gate::words::quote;
use gate::{Exit, Refusal};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use store::digest::changed_between;
use store::git::Oid;

use crate::change::{self, Change, Origin};
use crate::codes;
use crate::content;
use crate::draft::Draft;
use crate::exec::RunRecord;
use crate::model::{Config, Review, ReviewFinding, State, Task};
use crate::session::Session;
use crate::tree;

pub use standing::{Staleness, Standing, asked, recorded, standing, standing_at};
pub use verdict::{Verdict, find as find_verdict};

/// Who a review by the configured command is by.
pub const ADVERSARY: &str = "adversary";

/// How many moved files are named.
const NAMED: usize = 20;

/// How a review is asked for.
#[derive(Debug, Clone)]
pub enum Request {
    /// From the configured reviewer.
    Reviewer {
        /// Whether it is called a second time after an answer without a verdict.
        retry: bool,
    },
    /// It has been made by hand.
    ByHand {
        /// What was found.
        note: String,
        /// Who reviewed; git's user where nobody is named.
        by: Option<String>,
        /// Whether it blocks.
        block: bool,
    },
}

/// A recorded review.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Reviewed {
    /// The task.
    pub id: String,
    /// Its title.
    pub title: String,
    /// `pass`, `block`, or `stale`: a pass over criteria or locks that changed while the reviewer ran.
    pub verdict: String,
    /// `adversary`, or the name of a person.
    pub by: String,
    /// No reviewer command gave it.
    pub by_hand: bool,
    /// When, ISO 8601.
    pub at: Timestamp,
    /// What was found.
    pub findings: Vec<ReviewFinding>,
    /// A finding weighs high.
    pub high: bool,
    /// Judgement calls that a person should look at, as the reviewer wrote them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decisions: Option<Value>,
    /// The text of a review by hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The tree that was judged.
    pub tree: tree::Judged,
    /// The content digest of the tree.
    pub digest: Sha256,
    /// The commit where the change begins; none outside git and before the first commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// Why it begins there; none outside git.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// How many files changed; none outside git.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<usize>,
    /// Files whose part of the diff was cut.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cut: Vec<String>,
    /// How many files changed while the reviewer ran: the pass is for what they were before, and stale.
    pub moved: usize,
    /// The first of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moved_files: Vec<String>,
    /// The pass let a task go on that was blocked for review.
    pub unblocked: bool,
    /// How often the reviewer was called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tries: Option<u32>,
    /// The reviewer's run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunRecord>,
    /// The command that comes next.
    pub next: String,
}

impl Reviewed {
    /// The exit code that goes with the verdict.
    pub fn exit(&self) -> Exit {
        match self.verdict.as_str() {
            "pass" => Exit::Done,
            "block" => Exit::Blocked,
            _ => Exit::Refused,
        }
    }
}

/// Reviews the change of the task that `wanted` names, and records the verdict.
///
/// # Errors
/// [`REVIEW_EMPTY`](codes::REVIEW_EMPTY), [`NOT_CONFIGURED`](codes::NOT_CONFIGURED),
/// [`REVIEW_UNREADABLE`](codes::REVIEW_UNREADABLE) or [`HISTORY_CUT`](codes::HISTORY_CUT). Nothing is recorded then.
pub fn run(session: &Session<'_>, wanted: &str, request: &Request) -> Result<Reviewed, Refusal> {
    let config = session.config()?;
    let task = session.task(wanted)?;
    tree::refuse_another(session, &task)?;
    let tree = tree::of(session, &task);
    let judged = match request {
        Request::Reviewer { retry } => by_reviewer(session, &config, &task, &tree.path, *retry)?,
        Request::ByHand { note, by, block } => {
            by_hand(session, &config, &task, &tree.path, note, by.as_deref(), !block)?
        }
    };
    session.write("review", |draft| record(draft, &task, tree, judged))
}

/// A verdict on a change, not yet recorded.
struct Judged {
    verdict: Verdict,
    by: String,
    note: Option<String>,
    change: Seen,
    cut: Vec<String>,
    moved: Vec<String>,
    run: Option<(RunRecord, u32)>,
}

/// What is kept of the change that was judged.
struct Seen {
    digest: Sha256,
    base: Option<String>,
    origin: Option<Origin>,
    files: Option<usize>,
}

impl Seen {
    fn of(change: &Change) -> Self {
        let (base, origin, files) = match change {
            Change::Unknown(_) => (None, None, None),
            Change::Known(set) => {
                let base = set.base.commit.as_ref().map(Oid::to_string);
                (base, Some(set.base.origin), Some(set.files.len()))
            }
        };
        Self { digest: change.digest(), base, origin, files }
    }
}

fn by_reviewer(
    session: &Session<'_>,
    config: &Config,
    task: &Task,
    tree: &Path,
    retry: bool,
) -> Result<Judged, Refusal> {
    let Some(command) = config.protocol.command(&config.protocol.review.command) else {
        let by_hand = session.cmd(&format!("review {} --note \"...\"", quote(&task.id)));
        return Err(Refusal::new(codes::NOT_CONFIGURED, "no reviewer is set in `protocol.review.command`")
            .hint("set one that reads a prompt on stdin and prints a verdict, or record a review by hand")
            .next(by_hand));
    };
    let change = change::of(session, config, task, tree)?;
    if change.is_empty() {
        let since = match &change {
            Change::Known(set) if set.base.origin == Origin::Start => match &set.base.commit {
                Some(commit) => {
                    format!(
                        "nothing changed since the task was started at commit {}",
                        text::prefix(commit.as_str(), 12)
                    )
                }
                None => "nothing changed since the task was started".to_owned(),
            },
            _ => "nothing differs from what is committed, and no commit has content".to_owned(),
        };
        return Err(Refusal::new(codes::REVIEW_EMPTY, "there is no change to review")
            .fact(format!("in `{}` {since}", tree.display()))
            .hint(
                "the state in `.chalk/` and what `init` made count as no change; the reviewer was not called",
            ));
    }
    let prompt = prompt::build(config, task, &change)?;
    if let Some(first) = prompt.private.first() {
        let count = prompt.private.len();
        session.warn(format!(
            "ignored by a private rule, and content all the same: {count} untracked, such as `{first}`; what is to be \
             ignored belongs into a `.gitignore`"
        ));
    }
    let seconds = config.protocol.timeouts.review;
    let (seen, before) = (Seen::of(&change), change.content().clone());
    // The reviewer takes minutes, and what git needed for the change lies in the temporary folder until then.
    drop(change);
    let reply = reviewer::ask(session, &command, tree, &prompt.text, seconds, retry)?;
    let after = content::digest(session, config, tree)?;
    let moved = changed_between(&before, &after).iter().map(change::shown).collect();
    let mut verdict = reply.verdict;
    verdict.decisions.get_or_insert_with(|| json!([]));
    Ok(Judged {
        verdict,
        by: ADVERSARY.to_owned(),
        note: None,
        change: seen,
        cut: prompt.cut,
        moved,
        run: Some((reply.run, reply.tries)),
    })
}

fn by_hand(
    session: &Session<'_>,
    config: &Config,
    task: &Task,
    tree: &Path,
    note: &str,
    by: Option<&str>,
    pass: bool,
) -> Result<Judged, Refusal> {
    let change = match change::of(session, config, task, tree) {
        Ok(change) => Seen::of(&change),
        // A person may know the change from elsewhere; what the pass is bound to is the content.
        Err(refusal) if refusal.code == codes::HISTORY_CUT => {
            session.warn(format!("the review is bound to the files, not to a base: {refusal}"));
            let digest = content::digest(session, config, tree)?.digest;
            Seen { digest, base: None, origin: None, files: None }
        }
        Err(refusal) => return Err(refusal),
    };
    let by = match by.map(text::one_line) {
        // The reviewer's own name, by which its entries are told from those of people.
        Some(name) if name.eq_ignore_ascii_case(ADVERSARY) => {
            return Err(Refusal::new(codes::USAGE, format!("`{name}` is the name of the reviewer command"))
                .hint("give the name of the person who reviewed"));
        }
        Some(name) => name,
        None => git_user(session, tree).unwrap_or_else(|| "human".to_owned()),
    };
    if config.protocol.command(&config.protocol.review.command).is_some() {
        session.warn("the configured reviewer was not asked: this review is by hand");
    }
    Ok(Judged {
        verdict: Verdict { pass, findings: Vec::new(), decisions: None },
        by,
        note: Some(note.trim().to_owned()),
        change,
        cut: Vec::new(),
        moved: Vec::new(),
        run: None,
    })
}

/// Git's user, unless that is nobody or poses as the reviewer command.
fn git_user(session: &Session<'_>, tree: &Path) -> Option<String> {
    let name = session.git(tree)?.config("user.name").ok()??;
    let name = text::one_line(&name);
    (!text::is_blank(&name) && !name.eq_ignore_ascii_case(ADVERSARY)).then_some(name)
}

/// Adds the review to the task as it is now, which may not be what the reviewer was shown.
fn record(
    draft: &mut Draft<'_, '_>,
    shown: &Task,
    tree: tree::Judged,
    judged: Judged,
) -> Result<Reviewed, Refusal> {
    let session = draft.session();
    let (index, task) = draft.find(&shown.id)?;
    let asked = asked(shown);
    let outdated = asked != standing::asked(&task);
    let pass = judged.verdict.pass && !outdated;
    let verdict = match judged.verdict.pass {
        true if outdated => "stale",
        true => "pass",
        false => "block",
    };
    if outdated {
        session
            .warn("the criteria or locked tests changed while the reviewer ran: it judged by the old ones");
    }
    let review = Review {
        at: draft.now().to_string(),
        by: judged.by,
        verdict: verdict.to_owned(),
        findings: judged.verdict.findings,
        decisions: judged.verdict.decisions,
        note: judged.note,
        digest: Some(judged.change.digest),
        base: judged.change.base,
        asked: Some(asked),
    };
    draft.push_task(index, "reviews", &serde_json::to_value(&review).unwrap_or_default())?;
    let unblocked = pass && unblock(draft, index, &task)?;

    let title = text::one_line(&task.title);
    let summary = review.note.clone().unwrap_or_else(|| tally(&review.findings));
    draft.event("progress-update", &format!("Review ({verdict}): {title}"), &summary, Some(&task.id));
    let (run, tries) = judged.run.unzip();
    let body = json!({
        "task": task.id, "verdict": verdict, "by": review.by, "digest": review.digest, "base": review.base,
        "asked": asked, "files": judged.change.files, "moved": judged.moved.len(), "tries": tries, "run": run,
    });
    // The lock of the spine is held, so two processes don't mix their lines.
    session
        .results()?
        .append(draft.now(), "review", body)
        .map_err(|error| Refusal::new(codes::IO, error.to_string()))?;

    let id = quote(&task.id);
    let next = match verdict {
        "pass" if judged.moved.is_empty() => session.cmd(&format!("done {id}")),
        _ => session.cmd(&format!("review {id}")),
    };
    Ok(Reviewed {
        id: task.id,
        title,
        verdict: review.verdict.clone(),
        by_hand: review.by != ADVERSARY,
        by: review.by.clone(),
        at: draft.now(),
        high: review.has_high(),
        findings: review.findings,
        decisions: review.decisions,
        note: review.note,
        tree,
        digest: judged.change.digest,
        base: review.base,
        origin: judged.change.origin,
        files: judged.change.files,
        cut: judged.cut,
        moved: judged.moved.len(),
        moved_files: judged.moved.into_iter().take(NAMED).collect(),
        unblocked,
        tries,
        run,
        next,
    })
}

/// Lets a task go on that waits for a review; whether it did.
fn unblock(draft: &mut Draft<'_, '_>, index: usize, task: &Task) -> Result<bool, Refusal> {
    let waits = task.block.as_ref().is_some_and(|block| block.needs == "review");
    if task.state != State::Blocked || !waits {
        return Ok(false);
    }
    let from = match &task.blocked_from {
        Some(state @ (State::Todo | State::Specd | State::InProgress)) => state.clone(),
        _ => State::Specd,
    };
    draft.set_task(index, &["state".into()], &json!(from))?;
    draft.unset_task(index, "block")?;
    draft.unset_task(index, "blockedFrom")?;
    Ok(true)
}

/// How many findings of each weight there are; empty for none.
fn tally(findings: &[ReviewFinding]) -> String {
    let count = |severity: &str| findings.iter().filter(|finding| finding.severity == severity).count();
    let parts = ["high", "med", "low"].map(|severity| (count(severity), severity));
    let parts: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, severity)| format!("{count} {severity}"))
        .collect();
    if parts.is_empty() { String::new() } else { format!("findings: {}", parts.join(", ")) }
}

/// A finding on one line.
pub fn line(finding: &ReviewFinding) -> String {
    let area = if finding.area.is_empty() { String::new() } else { format!(" {}:", finding.area) };
    format!("[{}]{area} {}", finding.severity, text::one_line(&finding.note))
}
