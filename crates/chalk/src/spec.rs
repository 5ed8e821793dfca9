//! `spec`: acceptance criteria and locked tests (P1, P2).

use std::collections::BTreeMap;
use std::path::PathBuf;

use canon::{Sha256, text};
use gate::Refusal;
use gate::words::quote;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use store::git::RepoPath;

use crate::codes;
use crate::content::{held_out_folder, is_left_out};
use crate::deciders;
use crate::draft::Draft;
use crate::held_out::HeldOut;
use crate::locks::{self, Named, Taken, is_same};
use crate::model::task::{Decider, Lock};
use crate::model::{Config, State, Task};
use crate::session::Session;

/// What to attach to a task.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Acceptance criteria.
    pub criteria: Vec<String>,
    /// Paths of tests, as seen from the caller's folder.
    pub tests: Vec<String>,
    /// Paths of held-out tests that belong to the task.
    pub held_out: Vec<String>,
}

/// What was attached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Specified {
    /// The whole id of the task.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its state now.
    pub state: State,
    /// The criteria that were given.
    pub criteria: Vec<Attached>,
    /// The tests that were given.
    pub tests: Vec<LockedTest>,
    /// The held-out paths that were given.
    pub held_out: Vec<Attached>,
    /// How many deciders of locked tests did not fit, and are not watched.
    pub deciders_cut: usize,
    /// The command that comes next.
    pub next: String,
}

/// A text that was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Attached {
    /// The text.
    pub text: String,
    /// It was there already.
    pub already: bool,
}

/// A test that was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LockedTest {
    /// Its path, relative to the root.
    pub path: String,
    /// The digest that is locked.
    pub sha256: Sha256,
    /// It was locked already, with this content.
    pub already: bool,
    /// How many things that decide it were recorded beside it.
    pub deciders: usize,
}

/// Attaches criteria, and locks tests with what decides them. All of it or nothing.
///
/// # Errors
/// - `wrong-state` for a done task: a changed test is `amend-spec`'s;
/// - `test-locked` for a path that is locked with another content, by this task, whose lock stays, or by a done one;
/// - `test-unreadable` for what is no file that can be locked, and for a held-out test;
/// - `usage` for a blank criterion, and where nothing is given.
pub fn spec(session: &Session<'_>, wanted: &str, request: &Request) -> Result<Specified, Refusal> {
    if request.criteria.is_empty() && request.tests.is_empty() && request.held_out.is_empty() {
        return Err(Refusal::new(codes::USAGE, "nothing to attach")
            .hint("give `--criterion \"...\"`, `--test <path>` or both; each may be repeated"));
    }
    if request.criteria.iter().any(|criterion| text::is_blank(criterion)) {
        return Err(Refusal::new(codes::USAGE, "a criterion is blank").hint("say what must hold"));
    }
    let config = session.config()?;
    let task = session.task(wanted)?;
    refuse_done(session, &task)?;
    let taken = take_all(session, &config, &request.tests)?;
    let unchanged = unchanged(session, &task, &taken)?;
    refuse_rewritten(session, &task, &taken)?;
    let mut deciders = collect(session, &config, &taken)?;
    warn_of_ignored(session, &taken)?;
    let held_out: Vec<String> = request.held_out.iter().map(|path| held_out_name(session, path)).collect();

    session.write("spec", |draft| {
        let (index, task) = draft.find(&task.id)?;
        refuse_done(session, &task)?;
        let criteria = attach_criteria(draft, index, &task, &request.criteria)?;
        let mut tests = Vec::new();
        for lock in taken.iter().map(|taken| &taken.lock) {
            let already = match task.tests.iter().find(|known| is_same(&known.path, &lock.path)) {
                Some(known) if known.sha256 == lock.sha256 || unchanged.contains(known) => true,
                Some(known) => return Err(other_content(session, &task, known, lock)),
                None => {
                    draft.push_task(index, "tests", &json!(lock))?;
                    let title = format!("Test locked: {}", lock.path);
                    draft.event(
                        "progress-update",
                        &title,
                        &format!("sha256 {}", lock.sha256),
                        Some(&task.id),
                    );
                    false
                }
            };
            // What decided a test when it was locked stays on record; locks of other programs have none.
            let recorded = task.cairn.as_ref().map(|own| own.deciders.as_slice()).unwrap_or_default();
            if already && recorded.iter().any(|decider| is_same(&decider.test, &lock.path)) {
                deciders.remove(&lock.path);
            }
            let deciders = deciders.get(&lock.path).map_or(0, Vec::len);
            tests.push(LockedTest { path: lock.path.clone(), sha256: lock.sha256, already, deciders });
        }
        let held_out = attach_held_out(draft, index, &task, &held_out)?;
        let deciders_cut = keep_deciders(draft, index, &task, std::mem::take(&mut deciders))?;
        let state = specd(draft, index, &task, !criteria.is_empty() || !tests.is_empty())?;
        let id = quote(&task.id);
        let next = match state {
            State::Specd => session.cmd(&format!("start {id}")),
            State::InProgress => session.cmd("verify"),
            State::Blocked => session.cmd(&format!("unblock {id}")),
            _ => session.cmd("next"),
        };
        Ok(Specified {
            title: task.title.clone(),
            state,
            criteria,
            tests,
            held_out,
            deciders_cut,
            next,
            id: task.id,
        })
    })
}

fn refuse_done(session: &Session<'_>, task: &Task) -> Result<(), Refusal> {
    if task.state != State::Done {
        return Ok(());
    }
    let id = task.display_id();
    Err(Refusal::new(codes::WRONG_STATE, format!("{id} is done"))
        .hint(format!(
            "what is asked of a done task doesn't change; a changed test of it is for `{}`",
            session.cmd(&format!("amend-spec {} --test <path> --why \"...\"", quote(&task.id)))
        ))
        .next(session.cmd("task add \"...\"")))
}

/// Takes a lock on each path, each path once. Held-out tests are none that a task may show.
pub(crate) fn take_all(
    session: &Session<'_>,
    config: &Config,
    paths: &[String],
) -> Result<Vec<Taken>, Refusal> {
    let mut taken: Vec<Taken> = Vec::new();
    for path in paths {
        refuse_held_out(session, config, path)?;
        let one = locks::take(session, path)?;
        if !taken.iter().any(|other| is_same(&other.lock.path, &one.lock.path)) {
            taken.push(one);
        }
    }
    Ok(taken)
}

fn refuse_held_out(session: &Session<'_>, config: &Config, path: &str) -> Result<(), Refusal> {
    let Named { name, file, .. } = locks::name(session, path)?;
    let inside = held_out_folder(config);
    let inside = inside.as_ref().map(String::as_bytes);
    // By its name also in a linked work tree, which has a folder of that name of its own.
    let by_name = is_left_out(name.as_bytes(), inside) && !is_left_out(name.as_bytes(), None);
    let is_held_out = by_name
        || HeldOut::of(session, config).is_ok_and(|set| {
            let folder = std::fs::canonicalize(&set.folder).unwrap_or_else(|_| set.folder.clone());
            file.starts_with(folder) || set.is_locked(&name)
        });
    if !is_held_out {
        return Ok(());
    }
    Err(Refusal::new(
        codes::TEST_UNREADABLE,
        format!("`{name}` is of the held-out set, which a task must not show"),
    )
    .hint("`spec --held-out <path>` says which task it belongs to, and shows nothing"))
}

/// What decides each of the taken tests, by path.
pub(crate) fn collect(
    session: &Session<'_>,
    config: &Config,
    taken: &[Taken],
) -> Result<BTreeMap<String, Vec<Decider>>, Refusal> {
    let mut trees: BTreeMap<&PathBuf, Vec<&str>> = BTreeMap::new();
    for Taken { lock, tree } in taken {
        trees.entry(tree).or_default().push(&lock.path);
    }
    let mut found: BTreeMap<String, Vec<Decider>> = BTreeMap::new();
    for (tree, tests) in trees {
        for decider in deciders::collect(session, config, tree, &tests)? {
            found.entry(decider.test.clone()).or_default().push(decider);
        }
    }
    Ok(found)
}

/// Puts the deciders of freshly locked tests into the task, and gives the number that did not fit.
pub(crate) fn keep_deciders(
    draft: &mut Draft<'_, '_>,
    index: usize,
    task: &Task,
    fresh: BTreeMap<String, Vec<Decider>>,
) -> Result<usize, Refusal> {
    if fresh.is_empty() {
        return Ok(0);
    }
    let recorded = task.cairn.as_ref().map(|own| own.deciders.as_slice()).unwrap_or_default();
    let tests: Vec<&str> = fresh.keys().map(String::as_str).collect();
    let all = fresh.values().flatten().cloned().collect();
    let (kept, cut) = deciders::kept(recorded, &tests, all);
    draft.set_task(index, &["cairn".into(), "deciders".into()], &json!(kept))?;
    Ok(cut)
}

/// Names what other checkouts will not have.
fn warn_of_ignored(session: &Session<'_>, taken: &[Taken]) -> Result<(), Refusal> {
    for Taken { lock, tree } in taken {
        let path = lock.path.as_str();
        if locks::is_outside(session, tree, path) {
            session.warn(format!("`{path}` lies outside the project, so nobody else has it"));
            continue;
        }
        if !locks::ignored(session.git(tree).as_ref(), &[path])?.is_empty() {
            session.warn(format!("git ignores `{path}`, so nobody else gets it, and `done` will refuse"));
        }
    }
    Ok(())
}

/// The locks of the task that hold for the taken files: with the same bytes, or but for git's line ends.
fn unchanged(session: &Session<'_>, task: &Task, taken: &[Taken]) -> Result<Vec<Lock>, Refusal> {
    let mut unchanged = Vec::new();
    for Taken { lock, tree } in taken {
        for known in task.tests.iter().filter(|known| is_same(&known.path, &lock.path)) {
            let one = Task { tests: vec![known.clone()], ..Task::default() };
            if locks::first_break(session, &one, tree)?.is_none() {
                unchanged.push(known.clone());
            }
        }
    }
    Ok(unchanged)
}

/// Refuses to lock what a done task locked with another content: its contract would be rewritten without a reason.
/// Content that any task locked since is no news.
fn refuse_rewritten(session: &Session<'_>, task: &Task, taken: &[Taken]) -> Result<(), Refusal> {
    if taken.is_empty() {
        return Ok(());
    }
    let all = session.all_tasks()?;
    for Taken { lock, tree } in taken {
        let mut rewritten = None;
        let mut is_known = false;
        for other in &all {
            for known in other.tests.iter().filter(|known| is_same(&known.path, &lock.path)) {
                let one = Task { tests: vec![known.clone()], ..Task::default() };
                if other.id == task.id || locks::first_break(session, &one, tree)?.is_none() {
                    is_known = true;
                } else if other.state == State::Done {
                    rewritten = Some((other, known));
                }
            }
        }
        if let Some((other, known)) = rewritten.filter(|_| !is_known) {
            let amend = format!("amend-spec {} --test {} --why \"...\"", quote(&task.id), quote(&known.path));
            let message = format!("`{}` is not what the done task `{}` locked", known.path, other.id);
            return Err(Refusal::new(codes::TEST_LOCKED, message)
                .fact(format!("locked: {}", known.sha256))
                .fact(format!("found:  {}", lock.sha256))
                .hint("put it back, or lock it as it is now with a reason, which is logged")
                .next(session.cmd(&amend)));
        }
    }
    Ok(())
}

fn other_content(session: &Session<'_>, task: &Task, known: &Lock, found: &Lock) -> Refusal {
    let amend = format!("amend-spec {} --test {} --why \"...\"", quote(&task.id), quote(&known.path));
    Refusal::new(codes::TEST_LOCKED, format!("`{}` is locked with another content", known.path))
        .fact(format!("locked: {}", known.sha256))
        .fact(format!("found:  {}", found.sha256))
        .hint("the lock stays as it was; a changed test needs a reason")
        .next(session.cmd(&amend))
}

fn attach_criteria(
    draft: &mut Draft<'_, '_>,
    index: usize,
    task: &Task,
    criteria: &[String],
) -> Result<Vec<Attached>, Refusal> {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut known: Vec<String> = task.criteria().map(words).collect();
    let mut attached = Vec::new();
    for criterion in criteria {
        let already = known.contains(&words(criterion));
        if !already {
            known.push(words(criterion));
            let text = criterion.trim();
            draft.push_task(index, "acceptanceCriteria", &json!({ "text": text }))?;
            draft.event("progress-update", &format!("Criterion added: {text}"), "", Some(&task.id));
        }
        attached.push(Attached { text: criterion.trim().to_owned(), already });
    }
    Ok(attached)
}

fn attach_held_out(
    draft: &mut Draft<'_, '_>,
    index: usize,
    task: &Task,
    paths: &[String],
) -> Result<Vec<Attached>, Refusal> {
    let mut known = task.held_out.clone();
    let mut attached = Vec::new();
    for path in paths {
        let already = known.iter().any(|other| is_same(other, path));
        if !already {
            known.push(path.clone());
            draft.push_task(index, "heldOut", &json!(path))?;
            draft.event("progress-update", "Held-out test attached", "", Some(&task.id));
        }
        attached.push(Attached { text: path.clone(), already });
    }
    Ok(attached)
}

/// A held-out path as the spine writes it. The file need not be there: the set may lie elsewhere.
fn held_out_name(session: &Session<'_>, path: &str) -> String {
    if path.starts_with('~') {
        return path.to_owned();
    }
    match locks::name(session, path) {
        Ok(named) => named.name,
        Err(_) => RepoPath::from(path.replace('\\', "/").as_str()).to_string(),
    }
}

/// Moves a task that has a criterion or a test now out of `todo`, also where a block came in between.
pub(crate) fn specd(
    draft: &mut Draft<'_, '_>,
    index: usize,
    task: &Task,
    has_contract: bool,
) -> Result<State, Refusal> {
    if has_contract && task.state == State::Todo {
        draft.set_task(index, &["state".into()], &json!(State::Specd))?;
        return Ok(State::Specd);
    }
    if has_contract && task.state == State::Blocked && task.blocked_from == Some(State::Todo) {
        draft.set_task(index, &["blockedFrom".into()], &json!(State::Specd))?;
    }
    Ok(task.state.clone())
}
