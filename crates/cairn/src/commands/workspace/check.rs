//! `workspace check`: the workspace against the catalogue of checks.

use canon::text::counted;
use chant::check::{
    Declared, Diagnostic, Document as Printed, Failure, LockFinding, Query, Report, as_sarif,
};
use chant::declaration::Severity;
use gate::{Exit, Refusal};

use super::{failed, handover, place};
use crate::answer::{Answer, Document};
use crate::ctx::Ctx;
use crate::page::Page;

/// Check the declaration, members, records, boxes and diagrams
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Check a revision instead of the working tree.
    #[arg(long, value_name = "REV", allow_hyphen_values = true)]
    at: Option<String>,
    /// How to print: for people, as the contract's document, or as a SARIF log.
    #[arg(long, value_name = "FORMAT", value_parser = ["stylish", "json", "sarif"])]
    format: Option<String>,
    /// Ask for generators to be run; they belong to the members' own toolchain, so what is found says that none was.
    #[arg(long)]
    generated: bool,
    /// A kind file whose records and the files that they pin are checked too; may be given several times.
    #[arg(long, value_name = "FILE")]
    kind: Vec<String>,
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    let place = place(ctx)?;
    if let Some(answer) = handover::run(ctx, &place, args.at.as_deref())? {
        return Ok(answer);
    }
    let query = Query { at: args.at.as_deref(), kinds: &args.kind, generated: args.generated };
    let format = args.format.as_deref();
    let report = match chant::check::check(&place, &query) {
        Ok(report) => report,
        Err(refusal) if args.at.is_some() && is_of_revision(&refusal) => {
            let failure = Printed::Failure(Failure::of(&refusal));
            return Ok(match format {
                Some("json") => Answer::document(&failure),
                _ => failed(ctx, &refusal, failure),
            });
        }
        Err(refusal) => return Err(refusal),
    };
    if report.declaration.is_none() && !args.kind.is_empty() {
        ctx.warn("there is no declaration around this folder, so --kind is not looked at");
    }
    Ok(match format {
        Some("json") => Answer::document(&Printed::Report(Box::new(report))),
        Some("sarif") => {
            let tool = chant::sarif::Tool { name: "cairn", version: env!("CARGO_PKG_VERSION") };
            let exit = exit(&report);
            Answer::foreign(&as_sarif(&place, &report, tool), exit)
        }
        _ => Answer::report(&Printed::Report(Box::new(report.short())), ctx.json),
    })
}

/// Whether a refusal is one that the contract has a document for.
fn is_of_revision(refusal: &Refusal) -> bool {
    matches!(refusal.code, chant::codes::NOT_A_GIT_REPOSITORY | chant::codes::REVISION_UNKNOWN)
}

fn exit(report: &Report) -> Exit {
    if report.ok { Exit::Done } else { Exit::Refused }
}

impl Document for Printed {
    fn exit(&self) -> Exit {
        match self {
            Self::Report(report) => exit(report),
            Self::Failure(_) => Exit::Refused,
        }
    }

    fn render(&self, page: &mut Page) {
        match self {
            Self::Report(report) => show(page, report),
            Self::Failure(failure) => {
                let problem = &failure.error.problem;
                page.bad(format_args!("{}: {}", problem.code, problem.message));
            }
        }
    }
}

fn show(page: &mut Page, report: &Report) {
    match (report.lock, &report.findings[..], &report.declaration) {
        (None, _, None) => page.ok("no declaration and no lineage lock: nothing to check"),
        (Some(lock), [], _) => page.ok(format_args!("{lock}: no open manual steps")),
        (_, findings, _) => show_lock(page, findings),
    }
    if let Some(declared) = &report.declaration {
        show_declared(page, declared);
    }
}

fn show_lock(page: &mut Page, findings: &[LockFinding]) {
    for finding in findings {
        let path = finding.path.as_deref().or(finding.scope.as_deref()).unwrap_or_default();
        page.under(canon::text::one_line(&format!("{path}: {}", finding.message)));
    }
    if !findings.is_empty() {
        page.bad(format_args!("{} failed", counted(findings.len(), "check")));
    }
}

fn show_declared(page: &mut Page, declared: &Declared) {
    let found = declared.by_check();
    let mut files: Vec<&str> = Vec::new();
    for diagnostic in &found {
        if !files.contains(&diagnostic.file.as_str()) {
            files.push(&diagnostic.file);
        }
    }
    for file in files {
        page.blank();
        page.head(file);
        for diagnostic in found.iter().filter(|diagnostic| diagnostic.file == file) {
            page.line(line(diagnostic));
        }
    }
    let count = |severity| found.iter().filter(|diagnostic| diagnostic.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let counts = format!("{}, {}", counted(errors, "error"), counted(warnings, "warning"));
    if found.is_empty() {
        page.ok(format_args!("{}: {counts}", declared.file));
    } else {
        page.blank();
        page.line(format_args!("\u{2716} {counts}"));
    }
    if !declared.suppressed.is_empty() {
        page.blank();
        page.head("Suppressed");
        for diagnostic in &declared.suppressed {
            let reason = diagnostic.reason.as_deref().unwrap_or_default();
            page.line(format_args!(
                "{}  {}",
                line(diagnostic),
                canon::text::one_line(&format!("({reason})"))
            ));
        }
    }
}

/// The line number, the column and the severity in columns, then the message and the id.
fn line(diagnostic: &Diagnostic) -> String {
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
        Severity::Off => "off",
    };
    let message = canon::text::one_line(&diagnostic.message);
    format!("{:>5}:{:<5}{severity:<9}{message}  {}", diagnostic.line, diagnostic.column, diagnostic.rule_id)
}
