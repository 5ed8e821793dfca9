//! `govern knowledge promote`: a person's word puts an entry into force, and takes it into this project or every one.

use gate::Refusal;
use govern::knowledge::{Elevation, Label, Override, Scope, Status, codes};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Changed, Desk, writer};
use crate::answer::{Answer, Document};
use crate::cli::value;
use crate::ctx::Ctx;
use crate::page::Page;

/// Arguments of `govern knowledge promote`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The entry: its name, the beginning of it, or its path in the vault.
    entry: String,
    /// Why it holds.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = value::text)]
    why: String,
    /// Where an entry of another project, or one for all, may be applied from now on.
    #[arg(long, value_enum)]
    elevate: Option<Where>,
    /// Who decides.
    #[arg(long, value_name = "NAME", default_value = "person")]
    by: String,
}

/// How far an entry is elevated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Where {
    /// Into this project.
    Here,
    /// Into every project to which the vault is taken.
    Everywhere,
}

/// What `govern knowledge promote` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Promoted(Changed);

impl Document for Promoted {
    fn render(&self, page: &mut Page) {
        self.0.told(page, "in force by a person's word");
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, desk: &Desk, args: Args) -> Result<Answer, Refusal> {
    let found = desk.vault.read()?;
    let entry = found.find(&args.entry)?;
    let project = &found.terms.project;
    if entry.status() == Status::Erased {
        return Err(Refusal::new(codes::WRONG_STATUS, format!("the content of `{}` is gone", entry.id))
            .next("cairn govern knowledge add <title>"));
    }
    if !entry.is_gated() {
        return Err(Refusal::new(
            codes::WRONG_STATUS,
            format!("`{}` is never in force: only what lies in Rules/ and Lessons/ can be", entry.path()),
        )
        .hint("add what it says as a lesson or a rule, and promote that")
        .next("cairn govern knowledge add <title> --label fact --evidence <reference>"));
    }
    if !entry.applies_in(project) && args.elevate.is_none() {
        let scope = entry.fields.scope.as_ref().map(ToString::to_string).unwrap_or_default();
        return Err(Refusal::new(
            codes::WRONG_STATUS,
            format!("`{}` is of scope {scope}, not of {project}", entry.id),
        )
        .hint("`--elevate here` takes it into this project"));
    }
    let reach = match args.elevate {
        Some(Where::Everywhere) => "every project".to_owned(),
        _ => project.clone(),
    };
    let text = format!("{}\nIt would be in force in {reach}, whatever the evidence says.\n", entry.title());
    ctx.person_types(&entry.id, &text)?;
    let (now, by) = (ctx.world.now(), writer(ctx, Some(args.by)).unwrap_or_default());
    let changed = desk.decide(ctx, entry, "knowledge-promote", |entry| {
        let fields = &mut entry.fields;
        fields.status = Some(Status::Promoted);
        fields.label = Some(Label::ValidatedOverride);
        fields.validated = Some(Override { by: by.clone(), at: now, why: args.why.clone() });
        if let Some(elevate) = args.elevate {
            let into = if elevate == Where::Everywhere { "*".to_owned() } else { project.clone() };
            if elevate == Where::Everywhere {
                fields.scope = Some(Scope::Shared);
            }
            fields.elevated = Some(Elevation { into, by, at: now, why: args.why });
        }
    })?;
    Ok(Answer::of(&Promoted(changed)))
}
