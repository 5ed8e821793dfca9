//! `hook status`: what is installed, with the cure of what is not right, and a call that must be denied.

use std::collections::BTreeMap;

use agents::install::{Scope, State, Status};
use agents::{AgentId, Lack, Provision, Reach, Standing};
use gate::{Exit, Refusal, words};
use govern::policy::{Check, Policy, Protect, Switch};
use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::{Answer, Document};
use crate::ctx::Ctx;
use crate::hook::canary::{self, Canary};
use crate::hook::installed::Installed;
use crate::hook::pause::{self, Pause};
use crate::page::Page;

/// What `hook status` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Statuses {
    /// Each file of each agent.
    pub files: Vec<Status>,
    /// What the agents that are there can't give a gate, or not everywhere.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub degraded: Vec<Degraded>,
    /// Whether the gate lives.
    pub gate: Canary,
    /// What the policy asks for and nobody can do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dead_ends: Vec<String>,
    /// What the policy in force asks for; none where it can't be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<InForce>,
    /// The pause at this moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<Pause>,
    #[serde(skip)]
    one: bool,
}

/// What the strictest of the person's policy, that of `HEAD` and that of the working tree asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct InForce {
    /// The gates that are on.
    pub gates: Vec<&'static str>,
    /// What is checked by running it.
    pub checks: BTreeMap<String, Check>,
    /// More paths that agents leave alone.
    pub protect: Vec<Protect>,
}

impl InForce {
    fn of(policy: Policy) -> Self {
        let gates = Switch::ALL.into_iter().filter(|gate| policy.is_on(*gate)).map(Switch::name).collect();
        Self { gates, checks: policy.checks, protect: policy.protect }
    }

    fn render(&self, page: &mut Page) {
        if self.gates.is_empty() && self.checks.is_empty() && self.protect.is_empty() {
            return;
        }
        let gates = if self.gates.is_empty() { "no gate".to_owned() } else { self.gates.join(", ") };
        page.aside(format_args!("· the policy in force: on are {gates}"));
        for (name, check) in &self.checks {
            let words: Vec<String> = check.command.iter().map(|word| words::quote(word)).collect();
            page.under(format_args!("check {name}: {} for {}", words.join(" "), check.paths.join(", ")));
        }
        for entry in &self.protect {
            let hidden = if entry.hidden { ", hidden" } else { "" };
            page.under(format_args!("protected{hidden}: {} ({})", entry.path, entry.because));
        }
    }
}

/// What one agent can't give.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Degraded {
    /// The agent.
    pub agent: AgentId,
    /// The version that the facts are of.
    pub version: &'static str,
    /// The contracts that do not stand natively, as `govern health` has them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contracts: Vec<Provision>,
    /// Each ability that is missing, or does not reach everywhere.
    pub lacks: Vec<Lack>,
    /// What else is known.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub notes: &'static [&'static str],
}

impl Degraded {
    fn of(agent: AgentId) -> Option<Self> {
        let can = agent.capabilities();
        let lacks = can.lacks();
        let contracts = agent.degraded();
        let is_whole = contracts.is_empty() && lacks.is_empty();
        (!is_whole).then_some(Self { agent, version: can.version, contracts, lacks, notes: can.notes })
    }

    fn render(&self, page: &mut Page) {
        page.aside(format_args!("· what {} {} can't give, or not everywhere:", self.agent, self.version));
        self.contracts.iter().for_each(|provision| page.under(stands(provision)));
        self.lacks.iter().for_each(|lack| page.under(told(lack)));
        for note in self.notes {
            page.under(format_args!("note: {note}"));
        }
    }
}

/// How a contract stands, in one line.
pub fn stands(provision: &Provision) -> String {
    let word = match provision.standing {
        Standing::Native => "native",
        Standing::Degraded => "degraded",
        Standing::Absent => "absent",
    };
    format!("{} {}: {word}: {}", provision.contract, provision.contract.subject(), provision.by)
}

/// What is missing of an ability, in one line.
pub fn told(lack: &Lack) -> String {
    let reach = if lack.reach == Reach::None { "not there" } else { "in part" };
    format!("{} {reach} ({}): {}", lack.ability, lack.contract, lack.meaning)
}

impl Document for Statuses {
    fn render(&self, page: &mut Page) {
        let is_there = |status: &&Status| status.state != State::Absent || !status.problems.is_empty();
        let mut none = true;
        for status in self.files.iter().filter(|status| self.one || is_there(status)) {
            none = false;
            line(page, status);
        }
        if none {
            page.caution("no agent calls cairn here");
            page.next("cairn hook install claude");
        }
        self.degraded.iter().for_each(|degraded| degraded.render(page));
        if let Some(policy) = &self.policy {
            policy.render(page);
        }
        if self.gate.alive {
            page.ok(format_args!("the gate lives: {}", self.gate.message));
        } else {
            page.bad(format_args!("critical: the gate does not judge: {}", self.gate.message));
        }
        for dead_end in &self.dead_ends {
            page.caution(dead_end);
            page.hint("put the file there, or take `planSpec` out of the policy, and commit that");
        }
        if let Some(pause) = &self.paused {
            page.caution(pause);
            page.next("cairn hook resume");
        }
    }

    fn exit(&self) -> Exit {
        let is_wrong = |status: &Status| !matches!(status.state, State::Installed | State::Absent);
        if self.gate.alive && !self.files.iter().any(is_wrong) { Exit::Done } else { Exit::Red }
    }
}

fn line(page: &mut Page, status: &Status) {
    let whose = if status.scope == Scope::Shared { "shared" } else { "private" };
    let what = |state: &str| format!("{} ({whose})  {state}  {}", status.agent, status.path);
    match status.state {
        State::Installed => page.ok(what("installed")),
        State::Absent => page.aside(format_args!("· {}", what("absent"))),
        State::Stale if status.is_silent() => page.bad(what("stale, and no call is judged")),
        State::Stale => page.caution(what("stale")),
        State::Broken => page.bad(what("broken")),
        State::Off => page.bad(what("off")),
        State::Damaged => page.bad(what("damaged")),
    }
    status.problems.iter().for_each(|problem| page.under(problem));
    if let Some(cure) = &status.cure {
        page.hint(cure);
    }
}

/// Runs `hook status`.
pub(super) fn run(ctx: &Ctx<'_>, agent: Option<AgentId>) -> Result<Answer, Refusal> {
    let state = crate::hook::state(ctx.world)?;
    let installed = Installed::new(&state, ctx.world, &super::program(ctx)?);
    let with_settings = |agent: &AgentId| agents::install::targets(*agent, Scope::Private).is_ok();
    let asked: Vec<AgentId> = match agent {
        Some(agent) => vec![agent],
        None => AgentId::ALL.into_iter().filter(with_settings).collect(),
    };
    let files: Result<Vec<_>, _> = asked.iter().map(|agent| installed.status(*agent)).collect();
    let files = files?.concat();
    let is_there = |wanted: &AgentId| {
        files.iter().any(|file: &Status| file.agent == *wanted && file.state != State::Absent)
    };
    let degraded = asked.iter().filter(|one| agent.is_some() || is_there(one));
    let degraded = degraded.filter_map(|one| Degraded::of(*one)).collect();
    let gate = canary::ask(ctx.world);
    let paused = pause::running(&state, ctx.world.now());
    // Where it can't be read, the gate says why.
    let policy = crate::hook::policy(ctx.world).ok();
    let spec = policy.as_ref().filter(|policy| policy.is_on(Switch::Plan));
    let spec = spec.and_then(|policy| policy.plan_spec.as_ref());
    let spec = spec.filter(|spec| !state.root().join(spec).is_file());
    let said = |spec| {
        format!("the plan gate wants {spec} read, and no such file is there: every acting call is denied")
    };
    let dead_ends = spec.map(said).into_iter().collect();
    let policy = policy.map(InForce::of);
    Ok(Answer::of(&Statuses { files, degraded, gate, policy, dead_ends, paused, one: agent.is_some() }))
}
