//! `govern knowledge`: the vault of what the repository learned. One file a command.

pub mod add;
pub mod archive;
pub mod check;
pub mod erase;
pub mod evidence;
pub mod list;
pub mod pass;
pub mod promote;
pub mod quarantine;
pub mod regen;
pub mod show;

use gate::Refusal;
use govern::State;
use govern::knowledge::codes as reasons;
use govern::knowledge::vault::{Blocks, Shelf, Vault};
use govern::knowledge::{Entry, Evidence, Label, Scope, Status, of_receipts, receipt_of};
use govern::receipts::{Note, Receipt, document, key, verify};
use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::Answer;
use crate::codes;
use crate::ctx::Ctx;

/// Arguments of `govern knowledge`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub action: Action,
}

/// What `govern knowledge` does.
#[derive(Debug, clap::Subcommand)]
pub enum Action {
    /// List what is kept, and what of it is in force
    List(list::Args),
    /// Show one entry with the evidence about it
    Show(show::Args),
    /// Add a candidate; refused without label, writer and evidence (WS-007)
    Add(add::Args),
    /// Add a piece of evidence for or against an entry
    Evidence(evidence::Args),
    /// Promote, confirm, demote, archive and revive by the evidence (WS-010 to WS-012)
    Pass(pass::Args),
    /// Put an entry into force by a person's word, or into this project; needs a person at a terminal
    Promote(promote::Args),
    /// Take an entry out of force and keep it
    Archive(archive::Args),
    /// Keep a risky entry out of use until a person releases it (WS-009)
    Quarantine(quarantine::Args),
    /// End the quarantine of an entry; needs a person at a terminal
    Release(quarantine::Release),
    /// Take the content of entries away for good, by name or by scope; needs a person at a terminal
    Erase(erase::Args),
    /// Make the blocks in AGENTS.md and Index.md anew (G14)
    Regen(regen::Args),
    /// Check the vault, AGENTS.md and its budget
    Check(check::Args),
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    let desk = Desk::open(ctx)?;
    match args.action {
        Action::List(args) => list::run(&desk, args),
        Action::Show(args) => show::run(ctx, &desk, args),
        Action::Add(args) => add::run(ctx, &desk, args),
        Action::Evidence(args) => evidence::run(ctx, &desk, args),
        Action::Pass(args) => pass::run(ctx, &desk, args),
        Action::Promote(args) => promote::run(ctx, &desk, args),
        Action::Archive(args) => archive::run(ctx, &desk, args),
        Action::Quarantine(args) => quarantine::run(ctx, &desk, args),
        Action::Release(args) => quarantine::release(ctx, &desk, args),
        Action::Erase(args) => erase::run(ctx, &desk, args),
        Action::Regen(args) => regen::run(&desk, args),
        Action::Check(args) => check::run(ctx, &desk, args),
    }
}

/// Where the commands work: the vault, and the state of the gates.
pub struct Desk {
    state: State,
    vault: Vault,
}

/// Evidence of both kinds.
struct Feed {
    evidence: Vec<Evidence>,
    /// How many pieces somebody added.
    added: usize,
    /// How many pieces receipts show.
    receipted: usize,
}

impl Desk {
    fn open(ctx: &Ctx<'_>) -> Result<Self, Refusal> {
        let state = crate::hook::state(ctx.world)?;
        let policy = crate::hook::policy(ctx.world)?;
        let vault = Vault::new(&state, &policy.knowledge)?;
        Ok(Self { state, vault })
    }

    /// The receipts up to the first line that is not as it was written, and what is wrong with that one.
    fn receipts(&self) -> Result<(Vec<Receipt>, Option<String>), Refusal> {
        let unreadable = |error: &dyn std::fmt::Display| {
            Refusal::new(codes::RECEIPTS_UNREADABLE, error.to_string()).next("cairn receipts verify")
        };
        let keys = key::known(self.state.keys()).map_err(|error| unreadable(&error))?;
        let verified = verify::verify(&self.state, &keys).map_err(|error| unreadable(&error))?;
        let mut receipts = document::export(&self.state, &keys).map_err(|error| unreadable(&error))?.receipts;
        let fault = verified.fault.as_ref().map(|fault| {
            receipts.retain(|receipt| receipt.seq <= verified.lines);
            format!("receipts count up to line {} alone: {fault}", verified.lines)
        });
        Ok((receipts, fault))
    }

    /// Refuses a reference to a receipt that there is not.
    fn refuse_unknown_receipt(&self, reference: &str) -> Result<(), Refusal> {
        let Some(number) = receipt_of(reference) else { return Ok(()) };
        let (receipts, _) = self.receipts()?;
        if receipts.iter().any(|receipt| receipt.seq.to_string() == number) {
            return Ok(());
        }
        Err(Refusal::new(reasons::NO_EVIDENCE, format!("there is no receipt `{number}`"))
            .hint("name one that is there, or the address of what shows it; nothing was changed")
            .next("cairn receipts list"))
    }

    /// The evidence that somebody added, and what receipts show up to the first line that is not as it was written.
    fn feed(&self, ctx: &Ctx<'_>, kept: &Shelf) -> Result<Feed, Refusal> {
        let (receipts, fault) = self.receipts()?;
        if let Some(fault) = fault {
            ctx.warn(fault);
        }
        let receipted = of_receipts(&receipts, kept.terms.window_days);
        let (added, number) = (kept.evidence.len(), receipted.len());
        let evidence = kept.evidence.iter().cloned().chain(receipted).collect();
        Ok(Feed { evidence, added, receipted: number })
    }

    /// Changes one entry and makes both blocks anew. All of it is checked, then `before` runs, then it is written.
    fn change(
        &self,
        name: &str,
        change: impl FnOnce(&mut Entry) -> Result<(), Refusal>,
        before: impl FnOnce() -> Result<(), Refusal>,
    ) -> Result<Changed, Refusal> {
        let writing = self.vault.write()?;
        let old = writing.shelf.find(name)?.clone();
        let mut new = old.clone();
        change(&mut new)?;
        let entries = writing.shelf.entries().into_iter();
        let entries: Vec<Entry> =
            entries.map(|entry| if entry == old { new.clone() } else { entry }).collect();
        let planned = writing.plan(&entries, &[], Blocks::Both)?;
        before()?;
        let (files, project) = (planned.names(), writing.shelf.terms.project.clone());
        writing.commit(&planned)?;
        Ok(Changed { entry: Listed::of(&new, &project), files })
    }

    /// The same for what a person was shown: it is on record, and what moved meanwhile is not changed.
    fn decide(
        &self,
        ctx: &Ctx<'_>,
        shown: &Entry,
        marker: &str,
        change: impl FnOnce(&mut Entry),
    ) -> Result<Changed, Refusal> {
        let unmoved = |entry: &mut Entry| {
            if entry != shown {
                return Err(moved(&shown.id));
            }
            change(entry);
            Ok(())
        };
        self.change(&shown.path(), unmoved, || self.record(ctx, marker))
    }

    /// Puts a person's act on the vault on record.
    fn record(&self, ctx: &Ctx<'_>, marker: &str) -> Result<(), Refusal> {
        crate::hook::record(&self.state, ctx.world, &Note { marker, ..Note::default() })
    }
}

fn moved(id: &str) -> Refusal {
    Refusal::new(reasons::ENTRY_MOVED, format!("`{id}` changed while it was shown"))
        .hint("nothing was changed; run the command again and read it")
}

/// Who acts: an agent by what it is started with, anybody else as they say.
fn writer(ctx: &Ctx<'_>, by: Option<String>) -> Option<String> {
    let agent = ctx.world.env.get("CHANT_AGENT").map(|name| format!("agent:{}", name.to_string_lossy()));
    agent.or(by)
}

/// One entry as lists have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Listed {
    /// Its name.
    pub id: String,
    /// Its path in the vault.
    pub path: String,
    /// What it says.
    pub title: String,
    /// Where it stands in its life.
    pub status: Status,
    /// What kind of knowledge it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<Label>,
    /// What recurs when it matters.
    pub signature: String,
    /// Where it may be applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// Whether it applies in this project.
    pub applies: bool,
    /// Whether agents read it every time.
    pub in_force: bool,
    /// Whether it is kept out of use.
    pub quarantined: bool,
}

impl Listed {
    fn of(entry: &Entry, project: &str) -> Self {
        Self {
            id: entry.id.clone(),
            path: entry.path(),
            // What holds a credential is named alone.
            title: if entry.holds_secret() { entry.id.clone() } else { entry.title() },
            status: entry.status(),
            label: entry.fields.label,
            signature: entry.signature(),
            scope: entry.fields.scope.clone(),
            applies: entry.applies_in(project),
            in_force: entry.is_in_force(project),
            quarantined: entry.fields.quarantine.is_some(),
        }
    }

    /// Its status in a word, with what keeps it from being applied.
    fn standing(&self) -> String {
        match self.status {
            status if self.quarantined => format!("{status}, quarantined"),
            status if !self.applies => format!("{status}, elsewhere"),
            status => status.to_string(),
        }
    }
}

/// What a change of one entry prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Changed {
    /// The entry as it is now.
    pub entry: Listed,
    /// The files that changed, from the top of the repository.
    pub files: Vec<String>,
}

impl Changed {
    fn told(&self, page: &mut crate::page::Page, what: &str) {
        page.ok(format_args!("{}: {what}", self.entry.id));
        for file in &self.files {
            page.under(file);
        }
    }
}
