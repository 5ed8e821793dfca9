//! The discipline of a session at each of its moments: pinned constraints said and said again, prompts held against
//! them, what is counted, and what waits for a person.

use std::fs;
use std::path::Path;

use canon::Sha256;
use gate::event::{Call, Moment, Verdict};
use govern::gates::Found;
use govern::health;
use govern::knowledge::vault::Vault;
use govern::queue::{self, Kind, Proposal};
use govern::receipts::Note;
use govern::session::depth::{self, Why};
use govern::session::lessons::{self, Lesson};
use govern::session::pins::{self, Said};
use govern::session::{self, Entry, Session, monitor};
use store::file;

use super::course::Course;
use super::silent;

/// The most lessons that are looked through, and the most bytes of each.
const LESSONS: (usize, u64) = (500, 64 * 1024);

/// The marks of results that nobody judged before, and of the alarm that there were.
const UNJUDGED: &str = "unjudged";
const ALARMED: &str = "silent-gate";

/// The marks of the subagents that were told the pinned constraints.
const TOLD: &str = "pinned-to:";

/// The mark of the last compaction after which nothing was said again.
const LOST: &str = "pins-lost";

impl Course<'_> {
    /// Adds what `decide` finds due at this very moment: of several calls at once one claims it.
    pub(super) fn claim(&self, decide: impl FnOnce(&Session) -> Vec<Entry>) -> Result<bool, String> {
        session::claim(&self.session_file, decide).map_err(|error| error.to_string())
    }

    /// Something is put on record.
    pub(super) fn put(&self, note: &Note<'_>) -> Result<(), String> {
        self.receipts()?.note(self.event, note).map(|_| ()).map_err(|error| error.to_string())
    }

    /// Something waits for a person. That it can't be kept stops nothing: it is on record already.
    pub(super) fn propose(&self, kind: Kind, subject: &str, fact: &str, next: &str) {
        let event = self.event;
        let proposal = Proposal::new(kind, &event.agent, event.session.as_deref(), subject, self.world.now());
        let cap = self.snapshot.policy.discipline.cap();
        let _ = queue::propose(&self.state.queue(), cap, proposal.saying(fact, next));
    }

    /// What is due to be said at a point that takes text, by what was known when the event came and the turns of the model
    /// that it adds.
    pub(super) fn again(&self, ahead: u64) -> Result<Vec<String>, String> {
        if self.snapshot.pins.is_empty() || !self.reading.takes_context() {
            return Ok(Vec::new());
        }
        // A subagent has a context of its own, which holds nothing of what the session was told.
        if let Some(subagent) = &self.event.subagent {
            return self.say_to(subagent);
        }
        match depth::due(&self.session, &self.snapshot.policy.discipline, ahead) {
            Some(why) => self.say(why, false),
            None => Ok(Vec::new()),
        }
    }

    /// Says the constraints that `why` asks for; `always` also where they were said just now.
    fn say(&self, why: Why, always: bool) -> Result<Vec<String>, String> {
        let constraints = &self.snapshot.pins;
        let all = !why.is_prohibitions();
        let gone =
            if why == Why::Compacted { pins::dropped(&self.session.said, constraints) } else { Vec::new() };
        let said = pins::say(constraints, !all).filter(|_| self.reading.takes_context());
        let Some(said) = said else {
            self.dropped(&gone)?;
            return Ok(Vec::new());
        };
        let discipline = &self.snapshot.policy.discipline;
        let ids = said.ids.clone();
        let is_mine = self.claim(|session| {
            if always || depth::due(session, discipline, 0) == Some(why) {
                vec![Entry::Pinned { ids, all }]
            } else {
                Vec::new()
            }
        })?;
        if !is_mine {
            return Ok(Vec::new());
        }
        self.dropped(&gone)?;
        self.put_said(&said, why.as_str())?;
        Ok(vec![said.text])
    }

    /// Says every constraint to a subagent, once.
    fn say_to(&self, subagent: &str) -> Result<Vec<String>, String> {
        let name = format!("{TOLD}{subagent}");
        if self.session.marks.contains_key(&name) {
            return Ok(Vec::new());
        }
        let Some(said) = pins::say(&self.snapshot.pins, false) else { return Ok(Vec::new()) };
        let is_mine = self.claim(|session| {
            if session.marks.contains_key(&name) {
                return Vec::new();
            }
            vec![Entry::Mark { name, value: String::new() }]
        })?;
        if !is_mine {
            return Ok(Vec::new());
        }
        self.put_said(&said, "subagent")?;
        Ok(vec![said.text])
    }

    /// Puts on record what was said, and in one word why.
    fn put_said(&self, said: &Said, why: &str) -> Result<(), String> {
        let number = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        let figures =
            [(why, 1), ("constraints", number(said.ids.len())), ("left_out", number(said.left_out))];
        let constraints = self.snapshot.pins.iter().filter(|constraint| said.ids.contains(&constraint.id));
        let digests: Vec<(&str, Sha256)> =
            constraints.map(|constraint| (constraint.id.as_str(), Sha256::of(&constraint.text))).collect();
        self.put(&Note { marker: health::PINNED, figures: &figures, digests: &digests, ..Note::default() })
    }

    /// Constraints that are not before the agent's eyes any more are put on record (WS-020).
    fn dropped(&self, ids: &[String]) -> Result<(), String> {
        if ids.is_empty() {
            return Ok(());
        }
        let mut figures = vec![("constraints", i64::try_from(ids.len()).unwrap_or(i64::MAX))];
        figures.extend(ids.iter().map(|id| (id.as_str(), 1)));
        self.put(&Note { marker: health::PIN_DROPPED, figures: &figures, ..Note::default() })
    }

    /// A session begins or goes on after a compaction.
    pub(super) fn begin(&self) -> Result<Verdict, String> {
        let is_compacted = self.event.source.as_deref() == Some("compact");
        let mut verdict = Verdict::allow();
        if !is_compacted {
            self.look(true)?;
        }
        self.note("session-start", Vec::new())?;
        if !is_compacted {
            self.hold()?;
            for sign in silent::signs(&self.state, self.world, self.reading.agent) {
                verdict.context.push(self.alarm(&sign)?);
            }
        }
        verdict.context.extend(self.say(if is_compacted { Why::Compacted } else { Why::Start }, true)?);
        Ok(verdict)
    }

    /// A gate that does not judge: on record, before a person, and said.
    pub(super) fn alarm(&self, sign: &str) -> Result<String, String> {
        self.put(&Note { marker: health::SILENT_GATE, ..Note::default() })?;
        let cure = format!("cairn hook status {}", self.reading.agent);
        self.propose(Kind::SilentGate, sign, sign, &cure);
        Ok(silent::critical(sign, self.reading.agent))
    }

    /// The context is about to be compacted.
    pub(super) fn compact(&self) -> Result<Verdict, String> {
        let mut verdict = self.note(health::COMPACT, vec![Entry::Compacted])?;
        if self.reading.takes_context() {
            verdict.context = self.say(Why::Compacted, true)?;
        }
        Ok(verdict)
    }

    /// A person said something: it is held against the pinned constraints, and nothing is blocked.
    pub(super) fn prompt(&self) -> Result<Verdict, String> {
        let text = self.event.text.as_deref().unwrap_or_default();
        let tokens = depth::tokens(text.len());
        // What was said before this prompt is no part of the turn that it begins.
        self.forget_words();
        let mut entries = vec![Entry::Went { steps: 1, tokens }];
        entries.extend(self.came_up(text));
        let mut verdict = self.note("prompt", entries)?;
        let priority = self.snapshot.policy.discipline.prompt();
        let conflicts = monitor::conflicts(text, priority, &self.snapshot.pins);
        if let Some(first) = conflicts.first() {
            let number = i64::try_from(conflicts.len()).unwrap_or(i64::MAX);
            let figures = [
                ("constraints", number),
                ("priority", i64::from(first.constraint.priority)),
                ("prompt_priority", i64::from(priority)),
            ];
            let digests: Vec<(&str, Sha256)> = conflicts
                .iter()
                .map(|conflict| (conflict.constraint.id.as_str(), Sha256::of(&conflict.constraint.text)))
                .collect();
            let marker = health::PIM_CONFLICT;
            self.put(&Note { marker, figures: &figures, digests: &digests, ..Note::default() })?;
            verdict.context.push(format!(
                "This prompt may go against a pinned constraint of a higher priority ({} against {priority}): {}. Ask the \
                 person before you act on it",
                first.constraint.priority,
                canon::text::clip(&first.constraint.text, 400)
            ));
        }
        verdict.context.extend(self.grown(true, tokens)?);
        Ok(verdict)
    }

    /// After a call: what passed is counted, and lessons that came up are remembered. The tokens are given with it.
    pub(super) fn passed(&self, call: &Call, is_ok: bool) -> (Vec<Entry>, u64) {
        let result = self.event.outcome.as_ref().map(|outcome| canon::json::compact(&outcome.result));
        let result = result.unwrap_or_default();
        let tokens = depth::tokens(canon::json::compact(&call.input).len() + result.len());
        let mut entries = vec![Entry::Went { steps: 1, tokens }];
        if !is_ok {
            // JSON keeps what a text breaks into lines on one.
            entries.extend(self.came_up(&result.replace("\\n", " ").replace("\\t", " ")));
        }
        (entries, tokens)
    }

    /// What is said as the session grows: pinned constraints, once that the token budget is crossed, and that a plan
    /// comes first. `tokens` are those of the event.
    pub(super) fn grown(&self, is_prompt: bool, tokens: u64) -> Result<Vec<String>, String> {
        let discipline = &self.snapshot.policy.discipline;
        let mut said = self.again(1)?;
        if self.crosses(tokens)? && said.is_empty() && self.event.subagent.is_none() {
            said.extend(self.say(Why::Depth, true)?);
        }
        // Told at the prompt, or with a result where the agent takes text there alone.
        let agent = self.reading.agent;
        let takes_prompt = agent.takes_context(Moment::Prompt);
        let takes_result = agent.takes_context(Moment::PostTool);
        let is_moment = if is_prompt {
            takes_prompt || !takes_result
        } else {
            !takes_prompt && (takes_result || agent.point("prompt").is_none())
        };
        if is_moment && depth::plans_first(&self.session, discipline) {
            let due = |session: &Session| {
                if depth::plans_first(session, discipline) { vec![Entry::PlanFirst] } else { Vec::new() }
            };
            if self.claim(due)? {
                let denied = i64::try_from(self.session.counters.denied).unwrap_or(i64::MAX);
                let figures = [("denied", denied)];
                self.put(&Note { marker: health::PLAN_FIRST, figures: &figures, ..Note::default() })?;
                let subject = self.session.blocks.keys().cloned().collect::<Vec<_>>().join(",");
                let fact = depth::denials(&self.session);
                self.propose(Kind::RepeatedBlocks, &subject, &fact, "cairn receipts list --decision deny");
                said.push(depth::plan_first(&self.session));
            }
        }
        Ok(said)
    }

    /// Whether this moment crosses the token budget; it is marked once.
    fn crosses(&self, tokens: u64) -> Result<bool, String> {
        let discipline = &self.snapshot.policy.discipline;
        let counters = &self.session.counters;
        // What this moment adds is in the file by now, while what was read lies before it.
        if counters.is_over || counters.tokens.saturating_add(tokens) < discipline.budget() {
            return Ok(false);
        }
        let mut figures = [("tokens", 0), ("budget", 0), ("turns", 0)];
        let is_mine = self.claim(|session| {
            if !depth::crosses(session, discipline) {
                return Vec::new();
            }
            let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
            figures[0].1 = number(session.counters.tokens);
            figures[1].1 = number(discipline.budget());
            figures[2].1 = number(session.counters.steps);
            vec![Entry::OverBudget]
        })?;
        if is_mine {
            self.put(&Note { marker: health::TOKEN_BUDGET, figures: &figures, ..Note::default() })?;
        }
        Ok(is_mine)
    }

    /// A result of a call that nobody judged: once is the race of an installation, twice a gate that is not asked.
    pub(super) fn unjudged(&self) -> Result<Vec<String>, String> {
        if self.session.counters.judged > 0 {
            return Ok(Vec::new());
        }
        let mut is_alarm = false;
        self.claim(|session| {
            let is_there = |name: &str| session.marks.contains_key(name);
            is_alarm = session.counters.judged == 0 && is_there(UNJUDGED) && !is_there(ALARMED);
            let name = if is_alarm { ALARMED } else { UNJUDGED };
            if is_there(name) {
                Vec::new()
            } else {
                vec![Entry::Mark { name: name.to_owned(), value: String::new() }]
            }
        })?;
        if !is_alarm {
            return Ok(Vec::new());
        }
        Ok(vec![self.alarm("calls of this session were made and none was judged before it")?])
    }

    /// The marks of lessons that come up in a text: of the vault, and of the folders that the policy names.
    fn came_up(&self, text: &str) -> Vec<Entry> {
        let policy = &self.snapshot.policy;
        let (mut folders, knowledge) = (policy.discipline.lessons.clone(), &policy.knowledge);
        if text.is_empty() {
            return Vec::new();
        }
        // A vault that lies nowhere holds no lessons, and the commands of the knowledge say so.
        let vault = Vault::new(&self.state, knowledge).ok();
        let project = vault.as_ref().map(Vault::project_here).unwrap_or_default();
        let ours = vault.map(|_| knowledge.lessons());
        folders.extend(ours.filter(|ours| !folders.iter().any(|folder| Path::new(ours).starts_with(folder))));
        let lessons = read_lessons(self.state.root(), &folders, &project);
        let names = lessons::come_up(text, &lessons, &self.session);
        names.into_iter().map(|name| Entry::Mark { name, value: String::new() }).collect()
    }

    /// At the end of a turn: lessons that nobody read, and constraints that nothing said again after a compaction.
    pub(super) fn end_of_turn(&self, tokens: u64) -> Result<(), String> {
        let mut skipped = Vec::new();
        self.claim(|session| {
            skipped = lessons::skipped(session);
            skipped
                .iter()
                .map(|path| Entry::Mark { name: lessons::flag(path), value: String::new() })
                .collect()
        })?;
        if !skipped.is_empty() {
            let number = i64::try_from(skipped.len()).unwrap_or(i64::MAX);
            let figures = [("lessons", number)];
            let marker = health::READ_GATE_SKIP;
            self.put(&Note { marker, figures: &figures, paths: &skipped, ..Note::default() })?;
            for path in &skipped {
                let fact = format!("what {path} warns of came up, and nobody read it in this session");
                self.propose(Kind::ReadGateSkip, path, &fact, "pin the lesson, or mend its signature");
            }
        }
        let counters = &self.session.counters;
        let is_lost = counters.compactions > 0 && !counters.is_pinned && !self.session.said.is_empty();
        let value = counters.compactions.to_string();
        if is_lost && self.session.marks.get(LOST) != Some(&value) {
            let ids: Vec<String> = self.session.said.iter().cloned().collect();
            self.dropped(&ids)?;
            self.remember(&[Entry::Mark { name: LOST.to_owned(), value }])?;
        }
        self.crosses(tokens)?;
        Ok(())
    }

    /// Something protected changed past the gates.
    pub(super) fn drifted(&self, found: &Found) {
        self.propose(Kind::Drift, &found.fact, &found.fact, &found.next);
    }
}

/// The lessons below some folders of the repository, each file read without following links.
fn read_lessons(root: &Path, folders: &[String], project: &str) -> Vec<Lesson> {
    let mut found = Vec::new();
    let mut waiting: Vec<String> = folders.to_vec();
    let mut files = 0;
    while let Some(folder) = waiting.pop() {
        let Ok(entries) = fs::read_dir(root.join(&folder)) else { continue };
        let mut entries: Vec<_> = entries.flatten().collect();
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let Ok(kind) = entry.file_type() else { continue };
            let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if kind.is_dir() {
                waiting.push(name);
            } else if kind.is_file() && entry.path().extension().is_some_and(|end| end == "md") {
                files += 1;
                if files > LESSONS.0 {
                    return found;
                }
                let bytes = file::read_at_most(&entry.path(), LESSONS.1).ok().flatten();
                found.extend(bytes.and_then(|bytes| Lesson::read(&name, &bytes, project)));
            }
        }
    }
    found
}
