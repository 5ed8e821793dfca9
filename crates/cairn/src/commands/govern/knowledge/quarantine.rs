//! `govern knowledge quarantine` and `release`: a risky entry is kept out of use at anybody's word, and comes back at a
//! person's (WS-009).

use gate::Refusal;
use govern::knowledge::{Entry, Quarantine, Status, codes};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Changed, Desk, writer};
use crate::answer::{Answer, Document};
use crate::cli::value;
use crate::ctx::Ctx;
use crate::page::Page;

/// Arguments of `govern knowledge quarantine`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The entry: its name, the beginning of it, or its path in the vault.
    entry: String,
    /// What is wrong with it.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = value::text)]
    why: String,
    /// Who says so; an agent is known by `CHANT_AGENT`.
    #[arg(long, value_name = "NAME", default_value = "person")]
    by: String,
}

/// Arguments of `govern knowledge release`.
#[derive(Debug, clap::Args)]
pub struct Release {
    /// The entry: its name, the beginning of it, or its path in the vault.
    entry: String,
}

/// What `govern knowledge quarantine` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Quarantined(Changed);

impl Document for Quarantined {
    fn render(&self, page: &mut Page) {
        self.0.told(page, "out of use until a person releases it");
    }
}

/// What `govern knowledge release` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Released(Changed);

impl Document for Released {
    fn render(&self, page: &mut Page) {
        self.0.told(page, "released");
    }
}

/// Runs `quarantine`.
pub fn run(ctx: &Ctx<'_>, desk: &Desk, args: Args) -> Result<Answer, Refusal> {
    let (at, by) = (ctx.world.now(), writer(ctx, Some(args.by)).unwrap_or_default());
    let quarantine = |entry: &mut Entry| {
        if entry.fields.quarantine.is_some() || entry.status() == Status::Erased {
            return Err(Refusal::new(codes::WRONG_STATUS, format!("`{}` is out of use already", entry.id))
                .next(format!("cairn govern knowledge show {}", entry.id)));
        }
        entry.fields.quarantine = Some(Quarantine { by, at, why: canon::text::one_line(&args.why) });
        Ok(())
    };
    let changed = desk.change(&args.entry, quarantine, || Ok(()))?;
    Ok(Answer::of(&Quarantined(changed)))
}

/// Runs `release`.
pub fn release(ctx: &Ctx<'_>, desk: &Desk, args: Release) -> Result<Answer, Refusal> {
    let found = desk.vault.read()?;
    let entry = found.find(&args.entry)?;
    let Some(quarantine) = &entry.fields.quarantine else {
        return Err(Refusal::new(codes::WRONG_STATUS, format!("`{}` is not in quarantine", entry.id))
            .next("cairn govern knowledge list"));
    };
    let text = format!("{}\nIt is in quarantine: {}\n", entry.title(), quarantine.why);
    ctx.person_types(&entry.id, &text)?;
    let changed = desk.decide(ctx, entry, "knowledge-release", |entry| entry.fields.quarantine = None)?;
    Ok(Answer::of(&Released(changed)))
}
