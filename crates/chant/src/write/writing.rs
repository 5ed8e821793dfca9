//! Carrying a planned write out: under the write lock, judged by the writer's scope, validated as the records would be
//! read, and written whole or not at all.

use std::io::ErrorKind;
use std::path::PathBuf;

use gate::Refusal;
use serde_json::Value;
use store::file::{self, FileError, Staged};
use store::git::{Oid, RepoPath};
use store::lock::FolderLock;
use store::state;
use store::transaction::{self, Transaction};
use store::tree::{Entry, EntryKind, Overlay, Tree, WorkTree};
use trust::Trust;

use super::document::{Conflict, Failed, Verb};
use super::scope::{Attempt, Scope};
use super::{Before, Draft, fields, usage};
use crate::journal::{self, Journal};
use crate::kind::{self, Kind};
use crate::lock::{WriteLock, Writer};
use crate::place::{Place, tree_failed};
use crate::records::{self, GitTimes, Need, NoTimes, Reading, Record, Records, Times};
use crate::{Problem, codes};

/// Why a write was refused. Nothing has changed then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The reason.
    pub refusal: Refusal,
    /// Of a conflict: the record as it is now.
    pub conflict: Option<Box<Conflict>>,
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Self { refusal, conflict: None }
    }
}

impl Refused {
    /// As the document of a write.
    pub fn document(&self, verb: Verb) -> Failed {
        Failed::new(verb, &self.refusal, self.conflict.as_deref().cloned())
    }
}

/// One write, from its first read to its last write.
pub(super) struct Writing<'p, 'w> {
    pub place: &'p Place<'w>,
    pub kind: Kind,
    pub head: Option<Oid>,
    verb: Verb,
    by: Option<&'p str>,
    dry_run: bool,
    tree: WorkTree,
    trust: Trust,
    lock: Option<FolderLock>,
}

/// A file as the write leaves it.
pub(super) struct Output<'d> {
    pub path: &'d RepoPath,
    pub text: &'d str,
    /// What the file held when the write was planned; none for a new file.
    pub before: Option<&'d str>,
}

impl<'p, 'w> Writing<'p, 'w> {
    /// Takes the lock, unless nothing will be written, and finds the kind.
    pub fn open(
        place: &'p Place<'w>,
        verb: Verb,
        by: Option<&'p str>,
        dry_run: bool,
        find: impl FnOnce(&Place<'w>) -> Result<Kind, Refusal>,
    ) -> Result<Self, Refusal> {
        let lock = if dry_run {
            None
        } else {
            let lock = WriteLock::new(place.root(), place.layout(), place.world);
            Some(lock.acquire(Writer { verb: verb.command(), by })?)
        };
        if let Some(journal) = interrupted(place).filter(|_| !dry_run) {
            transaction::recover(&journal).map_err(|error| {
                Refusal::new(
                    codes::LOCATION_MISSING,
                    format!("a write that was cut off can't be finished: {error}"),
                )
            })?;
        }
        let writing = Self {
            kind: find(place)?,
            head: place.head()?,
            verb,
            by,
            dry_run,
            tree: place.work_tree(),
            trust: place.trust(None)?,
            place,
            lock,
        };
        if !dry_run {
            writing.sweep();
        }
        Ok(writing)
    }

    /// Removes what writers that were killed left beside the records: no other is at work while this one holds the
    /// lock. What can't be removed stays.
    fn sweep(&self) {
        let entries = self.tree.list(&self.kind.folder).ok().flatten().unwrap_or_default();
        let is_left_behind = |entry: &&Entry| entry.kind == EntryKind::File && is_temporary(&entry.name);
        for entry in entries.iter().filter(is_left_behind) {
            let path = self.disk(&self.kind.folder.join(&entry.name));
            let _ = std::fs::remove_file(path);
        }
    }

    /// The records of a kind as they are.
    pub fn records(&self, kind: &Kind) -> Result<Records, Refusal> {
        self.read(&self.tree, kind)
    }

    fn read(&self, tree: &dyn Tree, kind: &Kind) -> Result<Records, Refusal> {
        let (workspace, need): (RepoPath, Need) = records::around(tree, &kind.file)?;
        let env = &self.place.world.env;
        let reading = Reading { tree, kinds: tree, workspace: &workspace, need, judge: &self.trust, env };
        let mut times: Box<dyn Times> = match &self.head {
            Some(head) => Box::new(GitTimes::new(self.place.git(), head.as_str())),
            None => Box::new(NoTimes),
        };
        records::read(&reading, kind, &mut *times)
    }

    /// The names of all files in the folder of the kind's records.
    pub fn names(&self) -> Result<Vec<String>, Refusal> {
        let entries = self.tree.list(&self.kind.folder).map_err(tree_failed)?.unwrap_or_default();
        Ok(entries.into_iter().filter_map(|entry| String::from_utf8(entry.name).ok()).collect())
    }

    /// The record with this id as it stands.
    pub fn before(&self, kind: &Kind, records: &Records, id: &str) -> Result<Option<Before>, Refusal> {
        fields::id_field(kind)?;
        let Some(record) = records.get(id) else { return Ok(None) };
        let Some(bytes) = self.tree.read(&record.path).map_err(tree_failed)? else { return Ok(None) };
        Before::read(kind, record.path.clone(), &bytes).map(Some)
    }

    /// The record that a command names, with the digest that its caller expects.
    pub fn named(&self, records: &Records, id: &str, expect: Option<&str>) -> Result<Before, Refused> {
        let Some(before) = self.before(&self.kind, records, id)? else {
            let message = format!("no record of the kind {} has the id {id}", self.kind.name);
            return Err(Refusal::new(codes::RECORD_NOT_FOUND, message).into());
        };
        let Some(expected) = expect else { return Ok(before) };
        before.expect(&self.kind, expected).map_err(|refusal| {
            let is_conflict = refusal.code == codes::RECORD_CONFLICT;
            let last = || {
                let journal = Journal::read(self.place.layout()?);
                journal.last_write(&before.path, || canon::Sha256::of(&before.text))
            };
            let conflict =
                is_conflict.then(|| Box::new(Conflict::new(&self.kind, &before, expected, last())));
            Refused { refusal, conflict }
        })?;
        Ok(before)
    }

    /// Refuses a write that is not the writer's to make.
    pub fn judge(
        &self,
        path: &RepoPath,
        named: &[&str],
        session: Option<(&Kind, &RepoPath)>,
    ) -> Result<(), Refusal> {
        let scope = Scope::read(self.place, &self.trust, &self.kind)?;
        let attempt = Attempt { verb: self.verb, kind: &self.kind, path, by: self.by, named };
        scope.judge(&attempt)?;
        match session {
            Some((kind, path)) => scope.judge_place(&Attempt { kind, path, ..attempt }),
            None => Ok(()),
        }
    }

    /// Reads the records of a kind again as the write would leave them. The written record must have no reasons, and
    /// no other may gain one.
    pub fn validate(
        &self,
        kind: &Kind,
        before: &Records,
        path: &RepoPath,
        outputs: &[Output<'_>],
        ratifies: bool,
    ) -> Result<Record, Refusal> {
        let overlay = outputs
            .iter()
            .fold(Overlay::new(&self.tree), |overlay, output| overlay.with(output.path.clone(), output.text));
        let after = self.read(&overlay, kind)?;
        let mut written = None;
        for record in after.records {
            if record.path == *path {
                written = Some(record);
                continue;
            }
            let known = before.records.iter().find(|known| known.path == record.path);
            // By code, since the message of a reason that stands already may tell of what is written.
            let count =
                |reasons: &[Problem], code| reasons.iter().filter(|reason| reason.code == code).count();
            let known = known.map_or(&[][..], |known| &known.reasons);
            let gained: Vec<&Problem> = record
                .reasons
                .iter()
                .filter(|reason| count(&record.reasons, reason.code) > count(known, reason.code))
                .collect();
            if let Some(first) = gained.first() {
                let other = record.id.clone().unwrap_or_else(|| record.path.to_string());
                let message = format!("writing {path} would make {other} invalid: {}", joined(&gained));
                return Err(Refusal::new(self.listed(first), message));
            }
        }
        let Some(written) = written else {
            let message = format!("{path} would not be read as a record of the kind {}", kind.name);
            return Err(Refusal::new(codes::RECORD_UNPARSEABLE, message));
        };
        if ratifies {
            quorum(&written)?;
        }
        match written.reasons.first() {
            Some(first) => {
                let message = format!(
                    "{path} would be invalid: {}",
                    joined(&written.reasons.iter().collect::<Vec<_>>())
                );
                Err(Refusal::new(self.listed(first), message))
            }
            None => Ok(written),
        }
    }

    /// The code of a reason, as the document of this write may carry it.
    fn listed(&self, reason: &Problem) -> gate::ReasonCode {
        let document = self.verb.document();
        if document.may_fail_with(reason.code) { reason.code } else { codes::RECORD_SCHEMA_INVALID }
    }

    /// Writes the files, all or none, and notes them in the journal.
    pub fn commit(&self, outputs: &[Output<'_>]) -> Result<(), Refusal> {
        if self.dry_run {
            return Ok(());
        }
        if self.lock.as_ref().is_some_and(|lock| !lock.is_held()) {
            let message = "the time of this write was up, and another writer has broken its lock";
            return Err(Refusal::new(codes::WRITE_LOCK_NOT_HELD, message).hint("run it again"));
        }
        for output in outputs {
            self.refuse_moved(output)?;
        }
        let mark = self.mark();
        match outputs {
            [] => return Ok(()),
            [only] => self.write_one(only, &mark)?,
            several => self.write_all(several, mark)?,
        }
        // The write is made; a journal that can't be kept only knows less.
        if let Some(layout) = self.place.layout() {
            let agent =
                self.place.world.env.get("CHANT_AGENT").map(|agent| agent.to_string_lossy().into_owned());
            let write = journal::Write {
                verb: self.verb.command(),
                by: self.by,
                agent: agent.as_deref().filter(|agent| !agent.is_empty()),
                at: self.place.world.now(),
            };
            for output in outputs {
                let _ = Journal::read(layout).note(output.path, output.text.as_bytes(), &write);
            }
        }
        Ok(())
    }

    /// Refuses where a program that takes no lock changed the file since the write was planned.
    fn refuse_moved(&self, output: &Output<'_>) -> Result<(), Refusal> {
        let Some(before) = output.before else { return Ok(()) };
        let now = self.tree.read(output.path).map_err(tree_failed)?;
        if now.as_deref() == Some(before.as_bytes()) {
            return Ok(());
        }
        let code = if self.verb.document().may_fail_with(codes::RECORD_CONFLICT) {
            codes::RECORD_CONFLICT
        } else {
            codes::WRITE_USAGE_INVALID
        };
        Err(Refusal::new(code, format!("{} changed while this write was made", output.path))
            .hint("run it again"))
    }

    fn write_one(&self, output: &Output<'_>, mark: &str) -> Result<(), Refusal> {
        let file = self.disk(output.path);
        let failed = |error: FileError| self.unwritable(&error);
        let mut staged = Staged::write_as(&file, mark, output.text.as_bytes()).map_err(failed)?;
        let put = if output.before.is_some() { staged.commit() } else { staged.commit_new() };
        match put {
            Err(error) if error.source.kind() == ErrorKind::AlreadyExists => {
                return Err(Refusal::new(
                    codes::RECORD_ID_TAKEN,
                    format!("{} is there already, and is never overwritten", output.path),
                ));
            }
            Err(error) if !staged.is_committed() => return Err(failed(error)),
            _ => {}
        }
        // The file has its new content; a folder that can't be synced is no reason to call that off.
        let _ = file::sync_folder(&file);
        Ok(())
    }

    fn write_all(&self, outputs: &[Output<'_>], mark: String) -> Result<(), Refusal> {
        let Some(journal) = interrupted(self.place) else {
            return Err(Refusal::new(
                codes::LOCATION_MISSING,
                "two files are written as one, and there is no place for the note that makes this safe: HOME is not set",
            ));
        };
        let folder = journal.parent().unwrap_or(&journal);
        std::fs::create_dir_all(folder).map_err(|error| {
            Refusal::new(codes::LOCATION_MISSING, format!("can't create {}: {error}", folder.display()))
        })?;
        let mut transaction = Transaction::new().marked(mark);
        for output in outputs {
            transaction.replace(self.disk(output.path), output.text);
        }
        transaction.commit(&journal).map_err(|error| self.unwritable(&error))
    }

    fn unwritable(&self, error: &FileError) -> Refusal {
        let message = format!("records directory {} can't be written: {error}", self.kind.folder);
        Refusal::new(codes::LOCATION_MISSING, message)
    }

    fn disk(&self, path: &RepoPath) -> PathBuf {
        self.place.root().join(path.to_path())
    }

    /// What the temporary files of this write are called after.
    fn mark(&self) -> String {
        let mut chance = [0; 4];
        self.place.world.entropy.fill(&mut chance);
        format!("chant-{}-{:08x}", std::process::id(), u32::from_be_bytes(chance))
    }
}

/// Where the steps of a write of several files are noted: what the lock guards it guards too, so each working tree has
/// its own.
fn interrupted(place: &Place<'_>) -> Option<PathBuf> {
    let folder = match place.layout() {
        Some(layout) => layout.git_dir.join("cairn/chant"),
        None => state::folder(None, place.root(), "chant", &place.world.env)?,
    };
    Some(folder.join("write.json"))
}

/// Whether a file is called as this program, and the published one, call what they are about to put in another's place.
fn is_temporary(name: &[u8]) -> bool {
    let rest = name.strip_suffix(b".tmp").unwrap_or_default();
    let mut parts = rest.rsplitn(3, |&byte| byte == b'-');
    let (chance, process, before) = (parts.next(), parts.next(), parts.next());
    chance.is_some_and(|part| part.len() == 8 && part.iter().all(u8::is_ascii_hexdigit))
        && process.is_some_and(|part| !part.is_empty() && part.iter().all(u8::is_ascii_digit))
        && before.is_some_and(|part| part.ends_with(b".chant"))
}

fn joined(problems: &[&Problem]) -> String {
    problems.iter().map(|problem| problem.message.as_str()).collect::<Vec<_>>().join("; ")
}

/// Refuses a ratification for which too few verdicts count.
fn quorum(record: &Record) -> Result<(), Refusal> {
    let Some(quorum) = record.quorum.as_ref().and_then(|quorum| quorum.0.as_ref()) else { return Ok(()) };
    if quorum.met {
        return Ok(());
    }
    let id = record.id.as_deref().unwrap_or_default();
    let not_counted: Vec<String> = quorum
        .not_counted
        .iter()
        .filter_map(|verdict| Some(format!("{}, {}", verdict.reviewer, verdict.reason.as_ref()?.code)))
        .collect();
    let not_counted = match not_counted.as_slice() {
        [] => String::new(),
        some => format!(" (not counted: {})", some.join("; ")),
    };
    let message = format!(
        "{id} can't be ratified yet: its quorum needs {} agreeing verdicts that count, and it has {}{not_counted}. Add \
         verdicts with chant workspace records review {id} --verdict agree --by <name>",
        quorum.need, quorum.agreed
    );
    Err(Refusal::new(codes::RATIFY_QUORUM_NOT_MET, message))
}

/// The kind that a write is of: the one that is named, or the only one that the workspace declares.
pub(super) fn kind(place: &Place<'_>, typed: Option<&str>) -> Result<Kind, Refusal> {
    if let Some(typed) = typed {
        return records::named(place, typed);
    }
    let kinds = declared(place)?;
    match kinds.as_slice() {
        [only] => kind::load(&place.work_tree(), only),
        [] => Err(usage("the workspace declares no kind of records; name one with --kind <kind file>")),
        several => {
            let names: Vec<String> = several.iter().map(ToString::to_string).collect();
            Err(usage(format!("name the kind with --kind; the workspace declares {}", names.join(", "))))
        }
    }
}

/// The kind files that the workspace declares.
pub(super) fn declared(place: &Place<'_>) -> Result<Vec<RepoPath>, Refusal> {
    match records::declared(place, None) {
        Ok(workspace) => {
            Ok(workspace.declaration.kinds().iter().map(|kind| workspace.at(&kind.path)).collect())
        }
        Err(refusal) if refusal.code == codes::DECLARATION_MISSING => Ok(Vec::new()),
        Err(refusal) => Err(refusal),
    }
}

/// Everybody whom a draft newly names as proposer or decider.
pub(super) fn authors<'d>(kind: &Kind, draft: &'d Draft) -> Vec<&'d str> {
    let decider = kind.reviews.as_ref().map(|reviews| &reviews.decider);
    kind.proposed_by
        .iter()
        .chain(decider)
        .filter(|field| draft.changed.contains(field))
        .filter_map(|field| draft.data.get(field).and_then(Value::as_str))
        .filter(|name| !name.trim().is_empty())
        .collect()
}
