//! After a call: its result is put on record, what it taught is remembered, and what it changed unannounced is found.

use std::path::Path;

use canon::Sha256;
use gate::event::{Call, Decision, Tool, Verdict};
use govern::classify::{Argv, Effects, Place};
use govern::gates::{self, Found, PLAN_SPEC_READ, SEARCHED, verify};
use govern::receipts::{self, Note, ReceiptError};
use govern::session::{Entry, Plan, Read};
use store::file;

use super::course::{Course, LOOK_BACK, name, names};
use super::{compare, plan, snapshot, ticket};

/// The most bytes of rules whose every file is looked at after each call: those of some two hundred files.
const FEW_RULES: usize = 64 * 1024;

impl Course<'_> {
    /// After a call: its result is put on record, what became known is remembered, and what changed unannounced is
    /// found.
    pub(super) fn after(&self) -> Result<Verdict, String> {
        let call = self.event.call.as_ref().ok_or("the event names no call")?;
        let effects = self.effects(call);
        let writes = names(self.state.root(), &effects);
        let known = receipts::Known { writes: &writes, ..receipts::Known::default() };
        let receipts = self.receipts()?;
        let written = match receipts.seen(self.event, &known) {
            // A new log is begun, and the result was seen all the same.
            Err(ReceiptError::Broken { .. }) => receipts.seen(self.event, &known),
            written => written,
        };
        let written = written.map_err(|error| error.to_string())?;
        ticket::over(&self.state, call);
        if !written.new {
            return Ok(Verdict::allow());
        }
        let is_ok =
            self.event.outcome.as_ref().is_none_or(|outcome| {
                outcome.ok.unwrap_or(true) && outcome.exit.is_none_or(|exit| exit == 0)
            });
        let ran = verify::ran(&self.snapshot.policy, self.event, &effects, self.state.root());
        // What a check changes as it passes is what passed. Of one that failed, the failure is known.
        let is_due = |name: &String| self.session.marks.contains_key(&verify::due(name));
        let ran: Vec<String> = ran.into_iter().filter(|name| is_ok || is_due(name)).collect();
        let mut entries = self.learned(call, &effects, is_ok, &ran);
        let (passed, tokens) = self.passed(call, is_ok);
        entries.extend(passed);
        if is_ok && gates::sets_plan(&effects) {
            let judged = receipts.judged_at(self.event, &written.receipt, LOOK_BACK);
            entries.extend(plan::since(&self.state, judged).map(Entry::Plan));
        }

        let is_open = effects.is_opaque() || matches!(call.tool, Tool::Shell { .. }) && effects.is_acting();
        let mut found = if is_open || self.is_worth_a_look(&writes)? {
            self.look(is_open)?
        } else {
            compare::Found::default()
        };
        if !found.fresh.is_empty() {
            found.add_fresh(&snapshot::in_order(self.world, &self.state, &found.fresh));
        }
        if !found.protected.is_empty() {
            found.settle(&snapshot::in_order(self.world, &self.state, &found.protected));
        }
        let changed: Vec<String> = found
            .changed
            .iter()
            .filter(|path| !writes.contains(path) && !self.is_own(path, &[]))
            .cloned()
            .collect();
        entries.extend(self.read_back_found(&effects, &changed));
        // A folder is new as a whole, also where the call announced each file in it.
        let unannounced: Vec<String> =
            changed.into_iter().filter(|path| writes.is_empty() || !self.is_own(path, &writes)).collect();
        if !unannounced.is_empty() {
            let note = Note { marker: "unannounced-write", paths: &unannounced, ..Note::default() };
            receipts.note(self.event, &note).map_err(|error| error.to_string())?;
            // Before the success of this very call, which a write forgets.
            entries.splice(0..0, unannounced.iter().map(|path| self.wrote(path)));
            entries.extend(self.due(&unannounced, &ran));
        }
        self.remember(&entries)?;
        // What the call announced was judged before it, and a person let it pass.
        let broken = found.protected.iter().find(|(path, _)| !writes.contains(path));
        let Some((path, guard)) = broken else {
            let mut verdict = Verdict::allow();
            if effects.is_acting() && written.receipt.parent_seq.is_none() {
                verdict.context.extend(self.unjudged()?);
            }
            verdict.context.extend(self.grown(false, tokens)?);
            return Ok(verdict);
        };
        let found = Found {
            decision: Decision::Deny,
            gate: "protected",
            rule: guard.rule.clone(),
            reason: govern::codes::PROTECTED_PATH,
            fact: format!("{path} changed during the last call, and {}", guard.fact),
            next: format!("put {path} back as it was, then go on; {}", guard.next),
            ticket: false,
        };
        self.drifted(&found);
        Ok(found.verdict())
    }

    /// Whether to look at every protected file after a call that ran nothing: where there are few of them, or where it
    /// wrote one itself. Else the next call that runs something finds what changed.
    fn is_worth_a_look(&self, writes: &[String]) -> Result<bool, String> {
        if self.snapshot.bytes() <= FEW_RULES {
            return Ok(true);
        }
        self.by_rules(|rules| {
            for path in writes {
                if !rules.on(path)?.is_empty() {
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }

    /// What the session knows now, `ran` being the checks that the call is.
    fn learned(&self, call: &Call, effects: &Effects, is_ok: bool, ran: &[String]) -> Vec<Entry> {
        let root = self.state.root();
        let policy = &self.snapshot.policy;
        let mut entries = Vec::new();
        let changed = names(root, effects);
        if !is_ok {
            // A command may have written before it failed; a tool for files that failed did nothing.
            let is_there = |path: &&String| root.join(path).symlink_metadata().is_ok();
            let shell = changed.iter().filter(|_| matches!(call.tool, Tool::Shell { .. }));
            let wrote: Vec<String> = shell.filter(is_there).cloned().collect();
            entries.extend(wrote.iter().map(|path| self.wrote(path)));
            entries.extend(self.due(&wrote, ran));
            entries.extend(self.to_read_back(&wrote));
            let red = |name: &String| Entry::Mark { name: verify::due(name), value: verify::RED.to_owned() };
            entries.extend(ran.iter().map(red));
            return entries;
        }
        let digest = |path: &Path| file::read(path).ok().flatten().map(Sha256::of);
        let spec = policy.plan_spec.as_deref();
        for target in &effects.reads {
            let Place::Path(path) = &target.place else { continue };
            let name = name(root, path);
            if spec == Some(&*name) {
                entries.push(Entry::Mark { name: PLAN_SPEC_READ.to_owned(), value: String::new() });
            }
            let (first, last) = match &call.tool {
                Tool::Read { first, lines, .. } => {
                    let first = first.unwrap_or(1);
                    (first, lines.map(|lines| first.saturating_add(lines).saturating_sub(1)))
                }
                _ => (1, None),
            };
            entries.push(Entry::Read(Read {
                path: name,
                first,
                last,
                content: digest(path),
                by: self.event.subagent.clone(),
                compactions: None,
            }));
        }
        for path in &changed {
            entries.push(self.wrote(path));
            if spec == Some(&**path) {
                entries.push(Entry::Unmark { name: PLAN_SPEC_READ.to_owned() });
            }
        }
        entries.extend(self.due(&changed, ran));
        entries.extend(self.read_back(effects, &changed));
        entries.extend(ran.iter().map(|name| Entry::Unmark { name: verify::due(name) }));
        for pattern in searched(call, effects) {
            entries.push(Entry::Mark { name: format!("{SEARCHED}{pattern}"), value: String::new() });
        }
        if let Tool::Plan { todos, text } = &call.tool {
            let mut todos = todos.clone();
            // A carrier that knows no priorities means nothing by leaving them out.
            if todos.iter().all(|todo| todo.priority.is_none()) {
                for todo in &mut todos {
                    todo.priority = Some("medium".to_owned());
                }
            }
            let plan = Plan { todos, text: text.as_ref().map(Sha256::of), at: self.world.now() };
            entries.push(Entry::Plan(plan));
        }
        if effects.is_acting()
            && let Ok(call) = receipts::equal(call)
        {
            entries.push(Entry::Succeeded { call });
        }
        entries
    }

    fn wrote(&self, path: &str) -> Entry {
        Entry::Wrote { path: path.to_owned(), content: self.content(path) }
    }

    /// The checks that these changed paths make due, but for those that just `ran`. One that failed may be mended until it
    /// runs again.
    fn due(&self, changed: &[String], ran: &[String]) -> Vec<Entry> {
        let due =
            verify::dirty(&self.snapshot.policy, changed).into_iter().filter(|name| !ran.contains(name));
        due.map(|name| {
            let name = verify::due(&name);
            let value = self.session.marks.get(&name).cloned().unwrap_or_default();
            Entry::Mark { name, value }
        })
        .collect()
    }
}

/// What was looked for.
fn searched(call: &Call, effects: &Effects) -> Vec<String> {
    if let Tool::Search { pattern, .. } = &call.tool {
        return vec![pattern.clone()];
    }
    let is_search =
        |program: Option<&str>| matches!(program, Some("grep" | "rg" | "ag" | "ack" | "git" | "find" | "fd"));
    let commands = effects.commands.iter().filter(|argv| is_search(argv.program()));
    commands
        .flat_map(Argv::arguments)
        .filter(|word| !word.starts_with('-'))
        .take(8)
        .map(str::to_owned)
        .collect()
}
