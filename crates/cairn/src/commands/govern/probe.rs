//! `govern probe`: what is feasible on a target, decided from what is observed there.

use std::path::PathBuf;

use agents::AgentId;
use gate::Refusal;
use govern::deploy::probe::{Asked, Report, Verdict, Weight};
use govern::deploy::report::{Analysis, analysis};
use schemars::JsonSchema;
use serde::Serialize;

use super::deploy::show;
use crate::answer::{Answer, Document};
use crate::codes;
use crate::commands::hook::{agent, program};
use crate::ctx::Ctx;
use crate::deploy::{Place, drive, gather, unusable};
use crate::page::{Page, Row};

/// Arguments of `govern probe`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The target; by default the repository around this folder.
    #[arg(long, value_name = "FOLDER")]
    pub(super) target: Option<PathBuf>,
    /// The source vault.
    #[arg(long, value_name = "FOLDER")]
    vault: Option<PathBuf>,
    /// The agent to use; by default one is selected.
    #[arg(long, value_name = "NAME", value_parser = agent)]
    agent: Option<AgentId>,
    /// The model that will work there, for the report.
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Ask no program for its version.
    #[arg(long)]
    no_run: bool,
    /// Print the report without writing it.
    #[arg(long)]
    dry_run: bool,
}

/// What `govern probe` prints: the report as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Probed(Report);

impl Document for Probed {
    fn render(&self, page: &mut Page) {
        match analysis(self.0.clone(), &[]) {
            Ok(analysis) => render(&analysis, page),
            Err(fault) => page.bad(format_args!("{}: {}", fault.rule, fault.fact)),
        }
    }
}

/// The analysis for people.
pub(super) fn render(analysis: &Analysis, page: &mut Page) {
    let report = &analysis.report;
    let around = report.asked.folder.as_ref().map(|folder| format!(", the repository around {folder}"));
    let told = format!("{} on {}{}", verdict(report.verdict), report.target, around.unwrap_or_default());
    match report.verdict {
        Verdict::Blocked => page.bad(told),
        Verdict::Partial => page.caution(told),
        Verdict::Implementable => page.ok(told),
    }
    let row = |vector: &govern::deploy::probe::Vector| {
        let weight = match vector.weight {
            Weight::Required => "required",
            Weight::Optional => "optional",
            Weight::Informational => "told",
        };
        let stands = if vector.pass { "holds" } else { "fails" };
        Row::new([&vector.id, stands, weight, &vector.name, &vector.actual])
    };
    page.table(
        ["CHECK", "STANDS", "WEIGHT", "ABOUT", "FOUND"],
        &report.vectors.iter().map(row).collect::<Vec<_>>(),
    );
    if let Some(notice) = &analysis.notice {
        show::notice(notice, page);
    }
    page.next(analysis.next());
}

/// The word for a verdict.
pub(super) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Blocked => "blocked",
        Verdict::Partial => "partial",
        Verdict::Implementable => "implementable",
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    let place = Place::find(ctx.world, args.target.as_deref())?;
    let program = program(ctx)?;
    let whole = |folder: PathBuf| {
        let path = ctx.world.cwd.join(folder);
        std::fs::canonicalize(&path).unwrap_or_else(|_| store::file::plain(&path)).display().to_string()
    };
    let target = place.target().display().to_string();
    let asked = Asked {
        folder: args.target.map(whole).filter(|folder| *folder != target),
        vault: args.vault.map(whole),
        agent: args.agent.map(|agent| agent.as_str().to_owned()),
        run: !args.no_run,
        model: args.model.map(|name| canon::text::one_line(&name)),
    };
    let report = gather::probe(ctx.world, &place, &asked, &program);
    if !args.dry_run {
        let _guard = place.lock()?;
        // A deployment whose steps run rests on its report: with another one it could go neither on nor back.
        if let Ok(Some(state)) = place.desk.state()
            && state.phase.is_under_way()
        {
            let message =
                format!("deployment {} is {}, and rests on the report that is there", state.run, state.phase);
            return Err(Refusal::new(codes::DEPLOY_STATE, message)
                .hint("look at the target with `--dry-run`, which writes nothing; or let the deployment end first")
                .next(state.phase.resume()));
        }
        let written = drive::write_report(&place, &report);
        written.map_err(|error| unusable(&error).next("cairn govern probe --dry-run"))?;
    }
    Ok(Answer::report(&Probed(report), ctx.json))
}
