//! The course of a session: what is judged, noted and answered at each of its moments.

use std::path::{Path, PathBuf};

use agents::Reading;
use gate::event::{Call, Decision, Event, Moment, Tool, Verdict};
use gate::protected::{Damaged, FOLDS, Kept};
use govern::State;
use govern::classify::{Context, Effects, classify, named};
use govern::gates::{self, Act, Found, Known, verify};
use govern::health;
use govern::policy::Policy;
use govern::queue::Kind;
use govern::receipts::{self, Note, Receipts};
use govern::session::{self, Entry, Session, SessionError};
use store::World;
use store::file;
use store::git::{Git, Layout};

use super::snapshot::Snapshot;
use super::{compare, pause, resolve, ticket, twin};

/// How much of the log is read back to hold an agent's words against it.
pub(super) const LOOK_BACK: u64 = 4 * 1024 * 1024;

/// Everything that a moment needs.
pub(super) struct Course<'c> {
    pub(super) reading: &'c Reading,
    pub(super) event: &'c Event,
    pub(super) world: &'c World,
    pub(super) layout: Option<Layout>,
    pub(super) state: State,
    pub(super) snapshot: Snapshot,
    /// What was known when the event came.
    pub(super) session: Session,
    pub(super) session_file: PathBuf,
}

/// Judges an event.
///
/// # Errors
/// Something that the judgement rests on can't be read or written.
pub(super) fn run(reading: &Reading, mut world: World) -> Result<Verdict, String> {
    let event = &reading.event;
    if let Some(cwd) = event.cwd.as_ref().filter(|cwd| cwd.is_dir()) {
        world.cwd.clone_from(cwd);
    }
    world.cwd = resolve::real(&world.cwd);
    let layout = Layout::discover(&world.cwd).map_err(|error| error.to_string())?;
    let root = layout.as_ref().map_or_else(|| world.cwd.clone(), |layout| layout.work_tree.clone());
    let state = State::of(layout.as_ref(), &root, &world.env).map_err(|error| error.to_string())?;
    let snapshot = Snapshot::load(&world, layout.as_ref(), &state)?;
    let name = event.session.as_deref().unwrap_or("none");
    let session_file = state.session(&event.agent, name);
    if let Some(folder) = session_file.parent() {
        super::make_folder(folder)?;
    }
    let (session, damage) = match Session::load(&session_file) {
        Ok(session) => (session, None),
        Err(error) if error.is_damage() => (Session::default(), Some(error)),
        Err(error) => return Err(error.to_string()),
    };
    let mut course = Course { reading, event, world: &world, layout, state, snapshot, session, session_file };
    if let Some(damage) = damage {
        course.forget(&damage)?;
    }
    match event.event {
        Moment::PreTool => course.before(),
        Moment::PostTool => course.after(),
        _ => course.once(),
    }
}

impl Course<'_> {
    pub(super) fn receipts(&self) -> Result<Receipts<'_>, String> {
        let receipts = Receipts::open(&self.state, self.world).map_err(|error| error.to_string())?;
        Ok(receipts.under(self.snapshot.policy_digest))
    }

    pub(super) fn remember(&self, entries: &[Entry]) -> Result<(), String> {
        session::record(&self.session_file, entries).map_err(|error| error.to_string())
    }

    pub(super) fn note(&self, marker: &str, entries: Vec<Entry>) -> Result<Verdict, String> {
        self.receipts()?
            .note(self.event, &Note { marker, ..Note::default() })
            .map_err(|error| error.to_string())?;
        self.remember(&entries)?;
        Ok(Verdict::allow())
    }

    /// What was known of the session is lost: it begins anew with every check due, and that is put on record. Before a
    /// call that is an error, at any other moment it goes on.
    fn forget(&mut self, damage: &SessionError) -> Result<(), String> {
        let checks = self.snapshot.policy.checks.keys();
        let due = checks.map(|name| Entry::Mark { name: verify::due(name), value: String::new() });
        let entries: Vec<Entry> = due.collect();
        let stamp = self.world.now().as_millis();
        let begun = session::begin_anew(&self.session_file, stamp, &entries);
        if begun.map_err(|error| format!("{damage}; {error}"))? {
            self.put(&Note { marker: "session-damaged", ..Note::default() })?;
        }
        if self.event.event == Moment::PreTool {
            return Err(format!("{damage}; it is put aside, and the session begins anew"));
        }
        self.session = Session::load(&self.session_file).map_err(|error| error.to_string())?;
        Ok(())
    }

    pub(super) fn effects(&self, call: &Call) -> Effects {
        let mut effects = self.in_context(|context| classify(&call.tool, context));
        let folder = effects.alone.as_mut().and_then(|alone| alone.folder.as_mut());
        if let Some(folder) = folder {
            *folder = resolve::real(folder);
        }
        effects
    }

    fn in_context<T>(&self, ask: impl FnOnce(Context<'_>) -> T) -> T {
        let roots = [self.state.root().to_owned()];
        let home = self.world.env.get("HOME").map(PathBuf::from);
        let cwd = self.event.cwd.as_deref().map(|_| self.world.cwd.as_path());
        ask(Context { cwd, roots: &roots, home: home.as_deref() })
    }

    /// Before a call: it is judged, the judgement is put on record, and then it is answered.
    fn before(&self) -> Result<Verdict, String> {
        let call = self.event.call.as_ref().ok_or("the event names no call")?;
        let effects = self.effects(call);
        if !self.state.folder().join("seen.json").exists() {
            self.look(false)?;
        }
        let mut found = self.judge(&effects)?;
        let mut context = Vec::new();
        let mut marker = None;
        if !found.is_empty()
            && let Some(pause) = pause::running(&self.state, self.world.now())
        {
            let all = found.len();
            found.retain(|found| !pause::lifts(found));
            if found.len() < all {
                context.push(pause.to_string());
                marker = Some("paused");
            }
        }
        if !found.is_empty()
            && found.iter().all(|found| found.ticket)
            && ticket::redeem(&self.state, self.reading, self.world.now())
        {
            context.push("a person granted this one call".to_owned());
            marker = Some(receipts::APPROVED);
            found.clear();
        }
        let mut verdict = match found.first() {
            Some(first) => self.with_ticket(first, &found).verdict(),
            None => Verdict::allow(),
        };
        verdict.context = context;
        let mut entries = Vec::new();
        let call_key = receipts::equal(call).unwrap_or_default();
        if verdict.decision == Decision::Allow
            && self.session.succeeded.contains(&call_key)
            && effects.is_acting()
        {
            verdict.context.push(
                "retry hint: the very same call succeeded before in this session; look at what it did before you rely on \
                 doing it twice"
                    .to_owned(),
            );
            entries.push(Entry::Retried);
            marker = marker.or(Some(health::RETRY_HINT));
        }
        let writes = names(self.state.root(), &effects);
        let known = receipts::Known {
            writes: &writes,
            protected: Some(self.snapshot.digest()),
            probe: None,
            marker: marker.filter(|_| verdict.decision == Decision::Allow),
        };
        let written = self.receipts()?.judged(self.event, &verdict, &known);
        let written = written.map_err(|error| error.to_string())?;
        if !written.new {
            return Ok(twin::as_judged(verdict, &written.receipt));
        }
        entries.push(match verdict.decision {
            Decision::Deny => Entry::Denied {
                gate: verdict.gate.clone().unwrap_or_default(),
                rule: verdict.rule.clone().unwrap_or_default(),
            },
            _ => Entry::Allowed,
        });
        self.remember(&entries)?;
        if verdict.decision <= Decision::Observe {
            verdict.context.extend(self.again(0)?);
        }
        Ok(verdict)
    }

    fn judge(&self, effects: &Effects) -> Result<Vec<Found>, String> {
        let changes: Vec<_> = effects.changes().map(resolve::touched).collect();
        // What nothing is known of is judged before the call by what it is given: that it read is found by nobody after.
        let named = match &self.event.call {
            Some(call) if matches!(call.tool, Tool::Mcp { .. } | Tool::Other) => {
                self.in_context(|context| named(&call.input, context))
            }
            _ => Vec::new(),
        };
        let reads: Vec<_> = effects.reads.iter().map(resolve::touched).collect();
        let mentions: Vec<_> = effects.mentions.iter().chain(&named).map(resolve::touched).collect();
        let walks: Vec<Vec<PathBuf>> =
            effects.recursive_reads.iter().map(|walk| resolve::paths(&walk.root)).collect();
        let act = Act {
            event: self.event,
            effects,
            changes: &changes,
            reads: &reads,
            mentions: &mentions,
            walks: &walks,
        };
        let mut found = self.by_rules(|rules| {
            gates::judge(&act, &known(self.state.root(), rules, &self.snapshot.policy, &self.session))
        })?;
        let others = self.elsewhere(&act)?;
        if !others.is_empty() {
            found.extend(others);
            gates::order(&mut found);
        }
        Ok(found)
    }

    /// What the kept rules say. Damaged ones are made anew.
    pub(super) fn by_rules<T>(&self, ask: impl Fn(&Kept<'_>) -> Result<T, Damaged>) -> Result<T, String> {
        self.snapshot.ask(self.world, self.layout.as_ref(), &self.state, ask)
    }

    /// The finding with the way to a person: the agent asks by itself, or a ticket waits for an answer.
    fn with_ticket(&self, first: &Found, all: &[Found]) -> Found {
        let mut found = first.clone();
        let can_pass = all.iter().all(|found| found.ticket);
        let asks = found.decision == Decision::Ask && self.reading.can_ask();
        if can_pass
            && !asks
            && let Some(id) = ticket::make(&self.state, self.reading, &found.fact, self.world.now())
        {
            found.next = format!(
                "{}; a person can let this one call pass by running `cairn approve {id}` in another terminal, then make \
                 the very same call again",
                found.next
            );
        }
        found
    }

    /// What changed since the last look: of the protected files, and with `all` of whatever git sees.
    pub(super) fn look(&self, all: bool) -> Result<compare::Found, String> {
        let git = Git::new(self.state.root(), &self.world.env);
        let stamp = self.world.now().as_millis();
        let layout = self.layout.as_ref();
        let found = self.by_rules(|rules| compare::compare(&self.state, layout, &git, rules, all, stamp))?;
        if found.is_blind {
            self.put(&Note { marker: "look-damaged", ..Note::default() })?;
            let fact = "what the last look at the files saw was damaged: what changed since is not known";
            self.propose(Kind::Drift, "seen.json", fact, "git status");
        }
        Ok(found)
    }
}

/// What the gates may look at of a repository.
pub(super) fn known<'k>(
    root: &'k Path,
    rules: &'k Kept<'k>,
    policy: &'k Policy,
    session: &'k Session,
) -> Known<'k> {
    Known { root, rules, policy, session, fold: FOLDS, file: &content, is_occupied: &is_occupied }
}

fn content(path: &Path) -> Option<Vec<u8>> {
    file::read(path).ok().flatten()
}

fn is_occupied(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
}

pub(super) fn name(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned()
}

/// The paths that the call writes or deletes, as far as they are known, from the top.
pub(super) fn names(root: &Path, effects: &Effects) -> Vec<String> {
    let mut names: Vec<String> =
        effects.changes().flat_map(resolve::paths).map(|path| name(root, &path)).collect();
    names.sort();
    names.dedup();
    names
}
