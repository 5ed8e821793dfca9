//! `govern health`: what is counted of the gates, what waits, and how far each installed agent lets the contracts hold.

use agents::install::{Scope, State as Standing};
use agents::{AgentId, Lack, Provision, Standing as Stands};
use canon::text::counted;
use gate::Refusal;
use govern::health::{Counts, SessionCounts, sessions};
use govern::receipts::document;
use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::{Answer, Document};
use crate::codes;
use crate::commands::hook::status::{stands, told};
use crate::ctx::Ctx;
use crate::hook::installed::Installed;
use crate::page::{Page, Row};

/// How many sessions are shown.
const SESSIONS: usize = 10;

/// Arguments of `govern health`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Every agent, also those that are not installed here.
    #[arg(long)]
    all: bool,
}

/// How one agent lets the contracts hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Agent {
    /// The agent.
    pub agent: AgentId,
    /// Whether it calls cairn here.
    pub installed: bool,
    /// C-1 to C-9.
    pub contracts: Vec<Provision>,
    /// Each ability that is missing, or does not reach everywhere, as `hook status` has it.
    pub lacks: Vec<Lack>,
}

/// What waits for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Waiting {
    /// Proposals that wait.
    pub open: usize,
    /// Proposals that found no room.
    pub dropped: u64,
    /// Proposals that were resolved.
    pub resolved: u64,
}

/// What `govern health` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Health {
    /// How many receipts were counted.
    pub receipts: u64,
    /// What they say.
    pub counts: Counts,
    /// The sessions with the most denials.
    pub sessions: Vec<SessionCounts>,
    /// What waits for a person.
    pub queue: Waiting,
    /// The agents that call cairn here.
    pub agents: Vec<Agent>,
}

impl Document for Health {
    fn render(&self, page: &mut Page) {
        let counts = &self.counts;
        if self.receipts == 0 {
            page.line("there is no receipt yet, so nothing is counted");
        } else {
            page.head("Counted");
            let of = format!("{} of {}", counts.claims_verified, counts.claims_total);
            page.under(format_args!(
                "claims verified: {of} (invalid {}, unverifiable {}, labelled {})",
                counts.claims_invalid, counts.claims_unverifiable, counts.claims_labelled
            ));
            page.under(format_args!("calls denied: {} of {}", counts.blocked(), counts.calls));
            for (gate, count) in &counts.blocks {
                page.under(format_args!("  {gate}: {count}"));
            }
            page.under(format_args!("calls made again after they succeeded: {}", counts.retries));
            page.under(format_args!(
                "pins said: {} ({} after {}), dropped: {}",
                counts.pinned,
                counts.pinned_after_compaction,
                number(counts.compactions, "compaction"),
                counts.pins_dropped
            ));
            page.under(format_args!(
                "prompts against a pin: {}, final messages with findings: {} (pins they go against: {})",
                counts.conflicts, counts.reviews, counts.pins_broken
            ));
            page.under(format_args!(
                "token budget crossed: {}, told to plan first: {}, lessons skipped: {}",
                counts.over_budget, counts.plan_first, counts.lessons_skipped
            ));
            if counts.silent_gates > 0 {
                let what = number(counts.silent_gates, "gate");
                page.bad(format_args!("critical: {what} did not judge"));
                page.next("cairn hook status");
            }
        }
        let row = |one: &SessionCounts| {
            let each = one.blocks.iter().map(|(what, count)| format!("{what}: {count}"));
            Row::new([&one.agent, &one.session, &*format!("{} of {}", one.blocked(), one.calls)]).notes(each)
        };
        page.table(["AGENT", "SESSION", "DENIED"], &self.sessions.iter().map(row).collect::<Vec<_>>());
        let Waiting { open, dropped, .. } = self.queue;
        if open > 0 || dropped > 0 {
            let more = if dropped > 0 { format!(", {dropped} found no room") } else { String::new() };
            page.caution(format_args!("{} for a person{more}", wait(open)));
            page.next("cairn govern queue list");
        }
        if self.agents.is_empty() {
            page.aside("no agent calls cairn here");
        }
        for agent in &self.agents {
            contracts(page, agent);
        }
    }
}

fn number(count: u64, thing: &str) -> String {
    counted(usize::try_from(count).unwrap_or(usize::MAX), thing)
}

fn wait(open: usize) -> String {
    let verb = if open == 1 { "waits" } else { "wait" };
    format!("{} {verb}", counted(open, "proposal"))
}

fn contracts(page: &mut Page, agent: &Agent) {
    page.head(format_args!("{}{}", agent.agent, if agent.installed { "" } else { " (not installed)" }));
    for provision in &agent.contracts {
        let line = stands(provision);
        match provision.standing {
            Stands::Native => page.under(line),
            Stands::Degraded => page.caution(line),
            Stands::Absent => page.bad(line),
        }
    }
    agent.lacks.iter().for_each(|lack| page.under(told(lack)));
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    let (state, queue) = super::queue::load(ctx)?;
    let lines = document::lines(&state).map_err(|error| {
        Refusal::new(codes::RECEIPTS_UNREADABLE, error.to_string()).next("cairn receipts verify")
    })?;
    let installed = Installed::new(&state, ctx.world, &crate::commands::hook::program(ctx)?);
    let calls = |agent: AgentId| {
        let targets = [Scope::Private, Scope::Shared]
            .map(|scope| agents::install::targets(agent, scope).unwrap_or_default());
        targets
            .iter()
            .flatten()
            .filter_map(|target| installed.status_of(target).ok())
            .any(|status| status.state != Standing::Absent)
    };
    let agents = AgentId::ALL.into_iter().map(|agent| Agent {
        agent,
        installed: calls(agent),
        contracts: agent.contracts().to_vec(),
        lacks: agent.capabilities().lacks(),
    });
    Ok(Answer::of(&Health {
        receipts: lines.len() as u64,
        counts: Counts::of(&lines),
        sessions: sessions(&lines, SESSIONS),
        queue: Waiting { open: queue.open.len(), dropped: queue.left_out(), resolved: queue.resolved },
        agents: agents.filter(|agent| args.all || agent.installed).collect(),
    }))
}
