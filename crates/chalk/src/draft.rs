//! A change of the spine in the making: everything it read was read under the lock, and everything it
//! writes is written at once.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use canon::json::{Damage, Editor, Step};
use canon::{Sha256, Timestamp, text};
use gate::Refusal;
use serde_json::{Value, json};
use store::chain::{Chain, Record};
use store::file::{self, Identity};
use store::lock::{LockError, WriteLock};
use store::transaction::{self, Transaction};

use crate::codes;
use crate::finished;
use crate::model::log::{DECISIONS_HEADING, decision_entry};
use crate::model::{Config, Event, Question, Strictness, Task};
use crate::seen::{self, Seen, Tail};
use crate::session::{Session, io};
use crate::standing::{self, Standing, Written};
use crate::tasks::{Tasks, TasksEdit, appended, resolve};

/// How long a writer waits for another one (the published 15 seconds).
const PATIENCE: Duration = Duration::from_secs(15);
/// How many tasks a warning names.
const NAMED: usize = 3;

/// A change in the making. Dropped without [`commit`](Session::write), it changes nothing.
pub struct Draft<'s, 'w> {
    session: &'s Session<'w>,
    by: String,
    now: Timestamp,
    _lock: WriteLock,
    journal: PathBuf,
    chain: Chain,
    last: Option<Record>,
    standing: Standing,
    /// The ids of tasks that are done without a record of it.
    unrecorded: Vec<String>,
    /// A reason that turns the record into an acceptance.
    accepted: Option<String>,
    config: Config,
    config_text: Editor,
    config_digest: Sha256,
    config_dirty: bool,
    /// `tasks.json` once somebody needed it; none where the file is missing.
    tasks: OnceCell<Option<TasksEdit>>,
    /// What is known of `tasks.json` without reading it.
    seen: Seen,
    known: Option<seen::Entry>,
    /// Tasks to add behind a content that nobody needs to read.
    appended: Vec<Value>,
    questions: Option<Editor>,
    events: String,
    decisions: String,
    others: Transaction,
}

impl<'s, 'w> Draft<'s, 'w> {
    pub(crate) fn begin(session: &'s Session<'w>, by: &str) -> Result<Self, Refusal> {
        let folder = session.spine.folder();
        if fs::symlink_metadata(&folder).is_ok_and(|metadata| metadata.is_symlink()) {
            return Err(Refusal::new(codes::IO, format!("`{}` is a symbolic link", session.shown(&folder)))
                .hint("make it a folder; nothing is written through a link"));
        }
        let state = session.create_state()?.to_owned();
        let now = session.now();
        let lock = Self::lock(session)?;
        if let Some(holder) = &lock.broken {
            let whose = match holder.split_whitespace().next() {
                Some(pid) => format!("of process {pid}, which is gone"),
                None => "that an interrupted writer left".to_owned(),
            };
            session.warn(format!("took over the write lock {whose}"));
        }
        let journal = state.join("journal.json");
        match transaction::recover(&journal) {
            Ok(true) => session.warn("finished the write of a command that was killed"),
            Ok(false) => {}
            Err(error) => return Err(Refusal::new(codes::IO, error.to_string()).at(journal, None, None)),
        }
        sweep(&folder);
        let config_bytes = session.read("chalk.json")?.unwrap_or_default();
        let config = session.parse_config(&config_bytes)?;
        let config_digest = Sha256::of(&config_bytes);
        let damaged = |damage: Damage| session.damaged("chalk.json", &damage);
        let config_text = Editor::new(String::from_utf8_lossy(&config_bytes)).map_err(damaged)?;
        let seen = Seen::load(&state);
        let known = seen.entry("tasks.json", &session.path("tasks.json")).cloned();
        let mut draft = Self {
            session,
            by: by.to_owned(),
            now,
            _lock: lock,
            journal,
            chain: session.spine_chain()?,
            last: None,
            standing: Standing::Unrecorded,
            unrecorded: Vec::new(),
            accepted: None,
            config,
            config_text,
            config_digest,
            config_dirty: false,
            tasks: OnceCell::new(),
            seen,
            known,
            appended: Vec::new(),
            questions: None,
            events: String::new(),
            decisions: String::new(),
            others: Transaction::new(),
        };
        draft.stand()?;
        Ok(draft)
    }

    /// Takes the write lock.
    pub(crate) fn lock(session: &Session<'_>) -> Result<WriteLock, Refusal> {
        let guard = session.create_state()?.join("lock");
        WriteLock::acquire(&session.path(".lock"), &guard, PATIENCE, session.now()).map_err(|error| {
            match error {
                LockError::Held { .. } => Refusal::new(codes::LOCKED, error.to_string())
                    .hint("try again; if that process hangs, end it, and the lock goes with it"),
                LockError::Odd(_) | LockError::NotHeld { .. } => {
                    Refusal::new(codes::LOCKED, error.to_string())
                }
                LockError::File(error) => io(error),
            }
        })
    }

    fn stand(&mut self) -> Result<(), Refusal> {
        let before = self.digests()?;
        match standing::last(&self.chain) {
            Ok(None) => {}
            Ok(Some((record, written))) => {
                self.standing = standing::compare(self.session, &written, &before);
                self.last = Some(record);
                self.unrecorded = written.unrecorded;
            }
            Err(message) => self.standing = Standing::Broken(message),
        }
        if let Some(refusal) = self.standing.refusal(self.session)
            && self.by != "accept"
        {
            return Err(refusal);
        }
        if let Some(warning) = self.standing.warning(self.session)
            && self.by != "accept"
        {
            self.session.warn(warning);
        }
        if !matches!(self.standing, Standing::Clean | Standing::Broken(_)) {
            self.look_for_unrecorded();
        }
        Ok(())
    }

    /// Looks for tasks that came to be done past every gate, and names those that a commit brought in: nothing
    /// else says anything of them.
    fn look_for_unrecorded(&mut self) {
        // What can't be read is refused by whoever needs it.
        let Ok(tasks) = self.all_tasks() else { return };
        let unrecorded = finished::unrecorded(self.session, &tasks);
        let fresh: Vec<&&Task> =
            unrecorded.iter().filter(|task| !self.unrecorded.contains(&task.id)).collect();
        if matches!(self.standing, Standing::Foreign(_)) && !fresh.is_empty() {
            let ids: Vec<String> = fresh.iter().take(NAMED).map(|task| format!("`{}`", task.id)).collect();
            let more = fresh.len().saturating_sub(NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            self.session.warn(format!(
                "a commit brought in a `.chalk/tasks.json` with tasks that are done, but by no gate that is on \
                 record: {}{more}; `{}` tells more",
                ids.join(", "),
                self.session.cmd("doctor")
            ));
        }
        let unrecorded = unrecorded.into_iter().map(|task| task.id.clone()).collect();
        self.unrecorded = unrecorded;
    }

    fn digests(&self) -> Result<BTreeMap<String, Option<Sha256>>, Refusal> {
        let tasks = match &self.known {
            Some(entry) => Some(entry.sha256),
            None => self.loaded()?.map(TasksEdit::digest),
        };
        Ok(BTreeMap::from([
            ("chalk.json".to_owned(), Some(self.config_digest)),
            ("tasks.json".to_owned(), tasks),
        ]))
    }

    /// `tasks.json`, read when it is first needed.
    fn loaded(&self) -> Result<Option<&TasksEdit>, Refusal> {
        if self.tasks.get().is_none() {
            let session = self.session;
            let edit = match session.read("tasks.json")? {
                Some(bytes) => {
                    let tasks = Tasks::new(bytes).map_err(|damage| session.damaged("tasks.json", &damage))?;
                    Some(TasksEdit::new(tasks))
                }
                None => None,
            };
            if self
                .known
                .as_ref()
                .is_some_and(|known| Some(known.sha256) != edit.as_ref().map(TasksEdit::digest))
            {
                return Err(Refusal::new(
                    codes::SPINE_MOVED,
                    "`.chalk/tasks.json` changed while the command ran",
                )
                .hint("run it again"));
            }
            let _ = self.tasks.set(edit);
        }
        Ok(self.tasks.get().and_then(Option::as_ref))
    }

    /// The instant of the change.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// The session.
    pub fn session(&self) -> &'s Session<'w> {
        self.session
    }

    /// How the spine stood when the lock was taken.
    pub fn standing(&self) -> &Standing {
        &self.standing
    }

    /// `chalk.json` as it was read under the lock.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Sets a value of `chalk.json`, and its `updatedAt`.
    pub fn set_config(&mut self, path: &[Step<'_>], value: &Value) -> Result<(), Refusal> {
        let fits = self.config_text.set(path, value);
        self.config_fits(fits)
    }

    /// Adds a value to an array of `chalk.json`, and makes the array where it is missing.
    pub fn push_config(&mut self, path: &[Step<'_>], value: &Value) -> Result<(), Refusal> {
        let fits = if self.config_text.get(path).is_none_or(|raw| raw == "null") {
            self.config_text.set(path, &json!([value]))
        } else {
            self.config_text.push(path, value)
        };
        self.config_fits(fits)
    }

    fn config_fits(&mut self, fits: bool) -> Result<(), Refusal> {
        if !fits {
            return Err(Refusal::new(
                codes::SPINE_DAMAGED,
                "`.chalk/chalk.json` has no place for the new value",
            )
            .at(self.session.path("chalk.json"), None, None));
        }
        self.config_text.set(&["updatedAt".into()], &json!(self.now));
        self.config_dirty = true;
        Ok(())
    }

    fn edit(&mut self) -> Result<&mut TasksEdit, Refusal> {
        self.loaded()?;
        self.tasks.get_mut().and_then(Option::as_mut).ok_or_else(|| self.session.missing_tasks())
    }

    /// The file of tasks as it was read under the lock.
    pub fn tasks(&self) -> Result<&Tasks, Refusal> {
        self.loaded()?.map(TasksEdit::tasks).ok_or_else(|| self.session.missing_tasks())
    }

    fn damaged(&self) -> impl Fn(Damage) -> Refusal + use<'s, 'w> {
        let session = self.session;
        move |damage| session.damaged("tasks.json", &damage)
    }

    /// Every task, whole, as read under the lock.
    pub fn all_tasks(&self) -> Result<Vec<Task>, Refusal> {
        self.tasks()?.all().map_err(self.damaged())
    }

    /// The place of the one task that `wanted` names, and the task.
    pub fn find(&mut self, wanted: &str) -> Result<(usize, Task), Refusal> {
        let index = {
            let heads = self.tasks()?.heads().map_err(self.damaged())?;
            resolve(heads.iter().map(|head| (&*head.id, &*head.title)), wanted, "task")
                .map_err(|refusal| refusal.next(self.session.cmd("backlog")))?
        };
        let damaged = self.damaged();
        let task = self.edit()?.task(index).map_err(damaged)?;
        Ok((index, task.unwrap_or_default()))
    }

    /// Sets a value of the task at `index`.
    pub fn set_task(&mut self, index: usize, path: &[Step<'_>], value: &Value) -> Result<(), Refusal> {
        let damaged = self.damaged();
        let mut fits = false;
        self.edit()?.edit(index, |task| fits = task.set(path, value)).map_err(damaged)?;
        self.fits(fits)
    }

    /// Adds a value to an array of the task at `index`, and makes the array where it is missing.
    pub fn push_task(&mut self, index: usize, key: &str, value: &Value) -> Result<(), Refusal> {
        let damaged = self.damaged();
        let mut fits = false;
        self.edit()?
            .edit(index, |task| {
                fits = if task.get(&[key.into()]).is_none_or(|raw| raw == "null") {
                    task.set(&[key.into()], &json!([value]))
                } else {
                    task.push(&[key.into()], value)
                };
            })
            .map_err(damaged)?;
        self.fits(fits)
    }

    /// Takes a key off the task at `index`.
    pub fn unset_task(&mut self, index: usize, key: &str) -> Result<(), Refusal> {
        let damaged = self.damaged();
        self.edit()?
            .edit(index, |task| {
                task.remove(&[key.into()]);
            })
            .map_err(damaged)
    }

    fn fits(&self, fits: bool) -> Result<(), Refusal> {
        if fits {
            return Ok(());
        }
        Err(Refusal::new(
            codes::SPINE_DAMAGED,
            "a task in `.chalk/tasks.json` has no place for the new value",
        )
        .at(self.session.path("tasks.json"), None, None)
        .hint("a field of the task has another type than the format says"))
    }

    /// Adds a task at the end.
    pub fn add_task(&mut self, task: Value) -> Result<(), Refusal> {
        // A content that our own write left is sound, and needs no look.
        let sound = self.standing == Standing::Clean;
        let known = self.known.as_ref().is_some_and(|known| known.tail.is_some());
        if sound && known && self.tasks.get().is_none() {
            self.appended.push(task);
            return Ok(());
        }
        if !sound {
            self.tasks()?.heads().map_err(self.damaged())?;
        }
        self.edit()?.add(task);
        Ok(())
    }

    /// Takes the task at `index` out of the file and gives its text.
    pub fn remove_task(&mut self, index: usize) -> Result<String, Refusal> {
        let damaged = self.damaged();
        let edit = self.edit()?;
        let raw = edit.raw(index).map_err(damaged)?;
        edit.remove(index);
        Ok(raw)
    }

    fn questions_text(&mut self) -> Result<&mut Editor, Refusal> {
        if self.questions.is_none() {
            let bytes = self.session.read("questions.json")?.unwrap_or_else(|| b"[]\n".to_vec());
            let bytes = if bytes.trim_ascii().is_empty() { b"[]\n".to_vec() } else { bytes };
            let damaged = |damage: Damage| self.session.damaged("questions.json", &damage);
            canon::json::read::<Vec<Question>>(
                canon::json::legible(&String::from_utf8_lossy(&bytes)).as_bytes(),
            )
            .map_err(damaged)?;
            self.questions = Some(Editor::new(String::from_utf8_lossy(&bytes)).map_err(damaged)?);
        }
        self.questions
            .as_mut()
            .ok_or_else(|| Refusal::new(codes::IO, "`.chalk/questions.json` can't be read"))
    }

    /// Adds a question.
    pub fn add_question(&mut self, question: &Question) -> Result<(), Refusal> {
        let value = serde_json::to_value(question).unwrap_or_default();
        self.questions_text()?.push(&[], &value);
        Ok(())
    }

    /// Sets a value of the question at `index`.
    pub fn set_question(&mut self, index: usize, key: &str, value: &Value) -> Result<(), Refusal> {
        self.questions_text()?.set(&[Step::Index(index), Step::Key(key)], value);
        Ok(())
    }

    /// Adds an event to `updates.jsonl` and gives its id.
    pub fn event(&mut self, kind: &str, title: &str, description: &str, task: Option<&str>) -> String {
        let event = Event {
            id: self.session.world.new_id("evt"),
            at: self.now.to_string(),
            kind: kind.to_owned(),
            title: text::one_line(title),
            description: description.to_owned(),
            phase: self.config.protocol.phase.clone(),
            actor_role: "agent".to_owned(),
            task_id: task.map(str::to_owned),
        };
        self.events.push_str(&event.line());
        event.id
    }

    /// Adds an entry to `decisions.md`, and the event that goes with it.
    pub fn decision(&mut self, title: &str, why: Option<&str>, task: Option<&str>) {
        self.decisions.push_str(&decision_entry(title, why, self.now));
        let title = format!("Decision: {title}");
        self.event("decision-logged", &title, why.map(text::one_line).unwrap_or_default().as_str(), task);
    }

    /// Replaces or creates another file below `.chalk/`; its folder is made.
    pub fn file(&mut self, name: &str, content: impl Into<Vec<u8>>) -> Result<(), Refusal> {
        let path = self.session.path(name);
        if let Some(folder) = path.parent() {
            file::create_folder(&self.session.spine.root, folder).map_err(io)?;
        }
        self.others.replace(path, content.into());
        Ok(())
    }

    /// Adds whole lines to another file below `.chalk/`; its folder is made.
    pub fn lines(&mut self, name: &str, lines: &str) -> Result<(), Refusal> {
        let path = self.session.path(name);
        if let Some(folder) = path.parent() {
            file::create_folder(&self.session.spine.root, folder).map_err(io)?;
        }
        self.others.append(path, lines);
        Ok(())
    }

    /// Turns the record of this write into the acceptance of what was edited past the program. A broken
    /// record is put aside, and a new one begins.
    pub(crate) fn accept(&mut self, why: &str) -> Result<(), Refusal> {
        self.accepted = Some(why.to_owned());
        if matches!(self.standing, Standing::Broken(_)) {
            let stamp: String = self.now.to_string().chars().filter(char::is_ascii_alphanumeric).collect();
            self.chain.put_aside(&stamp).map_err(|error| Refusal::new(codes::IO, error.to_string()))?;
            self.last = None;
            self.standing = Standing::Unrecorded;
        }
        Ok(())
    }

    /// Writes everything at once.
    pub(crate) fn commit(mut self) -> Result<(), Refusal> {
        let session = self.session;
        let mut files = self.digests()?;
        let before = files.clone();
        let accepting = self.accepted.is_some();
        let noting = matches!(self.standing, Standing::Foreign(_));
        let mut transaction = self.others;
        let mut watched = accepting || noting;
        let refuse = {
            let written: Config =
                canon::json::read(canon::json::legible(self.config_text.as_str()).as_bytes())
                    .map_err(|damage| session.damaged("chalk.json", &damage))?;
            written.protocol.tamper_evident == Strictness::Refuse
        };
        let mut tail = self.known.as_ref().and_then(|known| known.tail.clone());
        let mut tasks_text = None;
        match self.tasks.into_inner() {
            Some(edit) => {
                let mut edit = edit.ok_or_else(|| session.missing_tasks())?;
                self.appended.into_iter().for_each(|task| edit.add(task));
                tasks_text = edit.finish().map_err(|damage| session.damaged("tasks.json", &damage))?;
            }
            None if !self.appended.is_empty() => {
                let known = tail
                    .as_ref()
                    .and_then(|tail| Some((tail.keep, tail.extended(&appended(&self.appended))?)));
                let Some((keep, (end, digest, next))) = known else {
                    return Err(Refusal::new(
                        codes::SPINE_MOVED,
                        "`.chalk/tasks.json` changed while the command ran",
                    )
                    .hint("run it again"));
                };
                files.insert("tasks.json".to_owned(), Some(digest));
                transaction.extend(session.path("tasks.json"), keep, end);
                tail = Some(next);
                watched = true;
            }
            None => {}
        }
        if let Some(text) = tasks_text {
            let (digest, new_tail) = Tail::of(&text);
            files.insert("tasks.json".to_owned(), Some(digest));
            transaction.replace(session.path("tasks.json"), text);
            tail = new_tail;
            watched = true;
        }
        let tasks_digest = files.get("tasks.json").copied().flatten();
        let wrote_tasks = files != before;
        if self.config_dirty {
            let text = self.config_text.into_text();
            files.insert("chalk.json".to_owned(), Some(Sha256::of(&text)));
            transaction.replace(session.path("chalk.json"), text);
            watched = true;
        }
        if let Some(questions) = self.questions {
            transaction.replace(session.path("questions.json"), questions.into_text());
        }
        if !self.events.is_empty() {
            let path = session.path("updates.jsonl");
            let lines = with_line_ends_of(&path, self.events)?;
            transaction.append(path, lines);
        }
        if !self.decisions.is_empty() {
            let path = session.path("decisions.md");
            let fresh = fs::metadata(&path).map_or(true, |metadata| metadata.len() == 0);
            let lines = if fresh { format!("{DECISIONS_HEADING}{}", self.decisions) } else { self.decisions };
            let lines = with_line_ends_of(&path, lines)?;
            transaction.append(path, lines);
        }
        if watched && !matches!(self.standing, Standing::Broken(_)) {
            let unaccepted = match &self.standing {
                Standing::Edited { files, .. } if !accepting => files.clone(),
                _ => Vec::new(),
            };
            let kind = match (&self.standing, accepting) {
                (_, true) => "accept",
                (Standing::Unrecorded, _) => "adopt",
                (Standing::Foreign(_), _) => "foreign",
                _ => "write",
            };
            let unrecorded = self.unrecorded;
            let body = Written { by: self.by, files, unaccepted, refuse, unrecorded, why: self.accepted };
            let body = serde_json::to_value(body).unwrap_or_default();
            let record = Chain::next(self.last.as_ref(), self.now, kind, body);
            transaction.record(self.chain, record);
        }
        transaction.commit(&self.journal).map_err(io)?;
        // The identity is that of what was just written: the lock is still held.
        if wrote_tasks
            && let (Some(digest), Some(identity)) = (tasks_digest, Identity::of(&session.path("tasks.json")))
            && let Some(state) = self.journal.parent()
        {
            self.seen.remember("tasks.json", true, identity, digest, tail);
            self.seen.save(state);
        }
        Ok(())
    }
}

/// `lines` with the line ends that the file at `path` has, so that a CRLF checkout stays one.
fn with_line_ends_of(path: &Path, lines: String) -> Result<String, Refusal> {
    let (tail, _) = file::read_tail(path, 4096).map_err(io)?;
    if tail.ends_with(b"\r\n") { Ok(lines.replace('\n', "\r\n")) } else { Ok(lines) }
}

/// Removes temporary files that killed writers left in the spine: the writer's number is in the name.
fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str().and_then(|name| name.strip_suffix(".tmp")) else { continue };
        let writer = name.rsplit_once('.').and_then(|(_, pid)| pid.parse::<u32>().ok());
        if writer.is_some_and(|pid| pid != std::process::id() && !store::lock::process_runs(pid)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
