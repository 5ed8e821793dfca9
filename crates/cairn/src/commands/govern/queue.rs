//! `govern queue`: what the gates saw and a person should look at, sized by a budget. Whoever is judged resolves nothing.

use std::collections::BTreeMap;

use gate::Refusal;
use govern::queue::{self, Kind, Proposal, Queue, QueueError, Reason, Resolution};
use govern::receipts::Note;
use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::{Answer, Document};
use crate::cli::value;
use crate::codes;
use crate::ctx::Ctx;
use crate::page::{Page, Row};

/// Arguments of `govern queue`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub action: Action,
}

/// What `govern queue` does.
#[derive(Debug, clap::Subcommand)]
pub enum Action {
    /// List what waits, oldest first
    List,
    /// Show one proposal
    Show {
        /// Its name.
        id: String,
    },
    /// Take a proposal off the queue; needs a person at a terminal
    Resolve {
        /// Its name.
        id: String,
        /// Nothing needs to be done about it.
        #[arg(long)]
        reject: bool,
        /// The reason, which is kept.
        #[arg(long, value_name = "TEXT", value_parser = value::text)]
        why: String,
    },
}

/// What `govern queue list` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Listed {
    /// What waits, oldest first.
    pub open: Vec<Proposal>,
    /// How many may wait; none where the policy can't be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cap: Option<usize>,
    /// How many were resolved.
    pub resolved: u64,
    /// What found no room, by kind.
    pub dropped: BTreeMap<Kind, u64>,
}

/// What `govern queue show` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Shown {
    /// The proposal.
    pub proposal: Proposal,
}

/// What `govern queue resolve` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Resolved {
    /// The proposal.
    pub proposal: Proposal,
    /// What was decided.
    pub how: Resolution,
    /// The reason.
    pub why: String,
}

impl Document for Listed {
    fn render(&self, page: &mut Page) {
        let row = |proposal: &Proposal| {
            let session = proposal.session.clone().unwrap_or_default();
            let cells = [&proposal.id, proposal.kind.as_str(), &proposal.agent, &session];
            Row::new(cells).notes([proposal.fact.clone()])
        };
        if self.open.is_empty() {
            page.line("nothing waits for a person");
        } else {
            page.table(["ID", "KIND", "AGENT", "SESSION"], &self.open.iter().map(row).collect::<Vec<_>>());
            page.next("cairn govern queue resolve <id> --why \"...\"");
        }
        if !self.dropped.is_empty() {
            let each: Vec<String> =
                self.dropped.iter().map(|(kind, count)| format!("{count} {}", kind.as_str())).collect();
            let most = self.cap.map_or_else(String::new, |cap| format!(": {cap} wait at most"));
            page.caution(format_args!("no room for {}{most}", each.join(", ")));
        }
    }
}

fn lines(page: &mut Page, proposal: &Proposal) {
    page.head(format_args!("{}  {}", proposal.id, proposal.kind.as_str()));
    let session = proposal.session.as_deref().unwrap_or("no session");
    page.under(format_args!("{} ({session}), {}", proposal.agent, proposal.at));
    page.under(&proposal.fact);
    page.hint(&proposal.next);
}

impl Document for Shown {
    fn render(&self, page: &mut Page) {
        lines(page, &self.proposal);
    }
}

impl Document for Resolved {
    fn render(&self, page: &mut Page) {
        let word = match self.how {
            Resolution::Accepted => "accepted",
            Resolution::Rejected => "rejected",
        };
        page.ok(format_args!("proposal {} is {word}", self.proposal.id));
    }
}

fn refusal(error: &QueueError) -> Refusal {
    match error {
        QueueError::Gone(_) => {
            Refusal::new(codes::PROPOSAL_GONE, error.to_string()).next("cairn govern queue list")
        }
        QueueError::Damaged { path, .. } => {
            Refusal::new(codes::QUEUE_UNREADABLE, error.to_string()).hint(format!(
                "move `{}` away: the queue begins anew, and the receipts still say what happened",
                path.display()
            ))
        }
        QueueError::File(_) | QueueError::Lock(_) => Refusal::new(codes::QUEUE_UNREADABLE, error.to_string())
            .hint("make the place readable and writable, then run the command again"),
    }
}

/// The queue of the repository around the world's folder.
///
/// # Errors
/// It can't be read.
pub(super) fn load(ctx: &Ctx<'_>) -> Result<(govern::State, Queue), Refusal> {
    let state = crate::hook::state(ctx.world)?;
    let queue = Queue::load(&state.queue()).map_err(|error| refusal(&error))?;
    Ok((state, queue))
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    let (state, queue) = load(ctx)?;
    let find = |id: &str| queue.find(id).cloned().ok_or_else(|| refusal(&QueueError::Gone(id.to_owned())));
    match args.action {
        Action::List => {
            // A policy that can't be read may be the very thing that waits.
            let cap = crate::hook::policy(ctx.world).ok().map(|policy| policy.discipline.cap());
            let Queue { open, resolved, dropped, .. } = queue;
            Ok(Answer::of(&Listed { open, cap, resolved, dropped }))
        }
        Action::Show { id } => Ok(Answer::of(&Shown { proposal: find(&id)? })),
        Action::Resolve { id, reject, why } => {
            let proposal = find(&id)?;
            let reason = Reason::new(&why)?;
            let how = if reject { Resolution::Rejected } else { Resolution::Accepted };
            ctx.person_types(&id, &format!("{}  {}\n", proposal.kind.as_str(), proposal.fact))?;
            let figures = [(if reject { "rejected" } else { "accepted" }, 1)];
            let digests = [("proposal", canon::Sha256::of(&proposal.id)), ("why", canon::Sha256::of(&why))];
            let note =
                Note { marker: "queue-resolve", figures: &figures, digests: &digests, ..Note::default() };
            crate::hook::record(&state, ctx.world, &note)?;
            let proposal = queue::resolve(&state.queue(), &id, how, &reason, ctx.world.now())
                .map_err(|error| refusal(&error))?;
            Ok(Answer::of(&Resolved { proposal, how, why: reason.as_str().to_owned() }))
        }
    }
}
