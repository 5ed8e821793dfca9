//! `govern spec-lint`: whether a spec is written as the spec-format specification wants it, and a plan as the plan
//! gate does. Reads the files that are named, asks nothing of the network, and writes nothing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use canon::Timestamp;
use canon::text::{counted, one_line};
use gate::{Exit, ReasonCode, Refusal};
use govern::gates;
use govern::spec_lint::{Check, Finding, Given, LinkCache, Profile, Severity, Sibling, lint};
use schemars::JsonSchema;
use serde::Serialize;
use store::file;

use crate::answer::{Answer, Document};
use crate::codes;
use crate::ctx::Ctx;
use crate::page::Page;

/// The largest file that is read, in bytes.
const MOST: u64 = 4 * 1024 * 1024;

/// How many findings of one check in one file are shown to people; the document has them all.
const SHOWN: usize = 20;

/// Arguments of `govern spec-lint`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Specs, or folders whose specs are meant.
    #[arg(value_name = "PATH", required_unless_present = "plan")]
    paths: Vec<PathBuf>,
    /// The sections that are asked for: `sfs-1.1`, `workflow-1.1`, or a file.
    #[arg(long, value_name = "NAME|FILE", default_value = Profile::DEFAULT)]
    profile: String,
    /// What external links answered when someone looked: a dated file.
    #[arg(long, value_name = "FILE")]
    links: Option<PathBuf>,
    /// A plan to judge as the plan gate would; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    plan: Option<String>,
}

/// What `govern spec-lint` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Linted {
    /// The profile that says which sections are asked for.
    pub profile: String,
    /// Each spec.
    pub files: Vec<Spec>,
    /// Markdown files in the folders that were named which are no specs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<String>,
    /// When the external links were looked up; nobody did if it is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links_at: Option<Timestamp>,
    /// The plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    /// How many rules do not hold.
    pub errors: usize,
    /// How many findings are for a person to judge.
    pub warnings: usize,
    /// How many findings say that nobody looked.
    pub not_checked: usize,
}

/// A spec, and what was found in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Spec {
    /// The file, as it was named.
    pub path: String,
    /// What was found, by line.
    pub findings: Vec<Finding>,
}

/// A plan, and what the plan gate says of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Plan {
    /// The file, as it was named.
    pub path: String,
    /// The rule that it does not keep, as in `PL-003`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<&'static str>,
    /// The reason that the gate would give.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<ReasonCode>,
    /// The fact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fact: Option<String>,
}

impl Document for Linted {
    fn render(&self, page: &mut Page) {
        for spec in &self.files {
            let path = one_line(&spec.path);
            if spec.findings.is_empty() {
                page.ok(format_args!("{path}: nothing found"));
                continue;
            }
            page.head(path);
            render(&spec.findings, page);
        }
        for path in &self.skipped {
            page.aside(format_args!("· {}: skipped, it is no spec", one_line(path)));
        }
        if let Some(plan) = &self.plan {
            let path = one_line(&plan.path);
            match (plan.rule, &plan.fact) {
                (Some(rule), Some(fact)) => page.bad(format_args!("{path}: {rule}: {}", one_line(fact))),
                _ => page.ok(format_args!("{path}: the plan is valid")),
            }
        }
        if !self.files.is_empty() {
            page.line(format_args!(
                "{} under {}: {}, {}, {} not checked",
                counted(self.files.len(), "spec"),
                one_line(&self.profile),
                counted(self.errors, "error"),
                counted(self.warnings, "warning"),
                self.not_checked
            ));
            if let Some(at) = self.links_at {
                page.under(format_args!("external links as they were at {at}"));
            }
        }
    }

    fn exit(&self) -> Exit {
        let is_faulty = self.plan.as_ref().is_some_and(|plan| plan.rule.is_some());
        if self.errors > 0 || is_faulty { Exit::Red } else { Exit::Done }
    }
}

fn render(findings: &[Finding], page: &mut Page) {
    let mut shown: Vec<(Check, usize)> = Vec::new();
    for finding in findings {
        let at = shown.iter().position(|(check, _)| *check == finding.check).unwrap_or_else(|| {
            shown.push((finding.check, 0));
            shown.len() - 1
        });
        shown[at].1 += 1;
        if shown[at].1 > SHOWN {
            continue;
        }
        let column = finding.column.map(|column| format!(":{column}")).unwrap_or_default();
        let line = format!("{}{column}: {} {}", finding.line, finding.check.id(), finding.message);
        match finding.severity {
            Severity::Error => page.bad(line),
            Severity::Warning => page.caution(line),
            Severity::NotChecked => page.aside(format_args!("· {line}")),
        }
        if let Some(cure) = &finding.cure {
            page.hint(cure);
        }
    }
    for (check, number) in shown.into_iter().filter(|(_, number)| *number > SHOWN) {
        page.under(format_args!("and {} more of {}", number - SHOWN, check.id()));
    }
}

fn unreadable(message: impl Into<String>) -> Refusal {
    Refusal::new(codes::SPEC_UNREADABLE, message)
}

/// A file that the caller named.
fn take(ctx: &Ctx<'_>, path: &Path) -> Result<Vec<u8>, Refusal> {
    let whole = ctx.world.cwd.join(path);
    let name = path.display();
    match file::read_at_most(&whole, MOST) {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) if whole.exists() => {
            Err(unreadable(format!("`{name}` is larger than {MOST} bytes")).hint("name a spec"))
        }
        Ok(None) => {
            Err(unreadable(format!("there is no file `{name}`")).hint("name a spec, or a folder of specs"))
        }
        Err(error) => Err(unreadable(error.to_string()).hint("make the file readable, then try again")),
    }
}

fn profile(ctx: &Ctx<'_>, named: &str) -> Result<Profile, Refusal> {
    if let Some(profile) = Profile::built_in(named) {
        return Ok(profile);
    }
    let path = Path::new(named);
    if !ctx.world.cwd.join(path).exists() {
        let known = Profile::BUILT_IN.map(|name| format!("`{name}`")).join(" and ");
        let message = format!("no profile is called `{named}`, and there is no such file");
        return Err(Refusal::new(codes::PROFILE_UNREADABLE, message).hint(format!("{known} are built in")));
    }
    Profile::read(&take(ctx, path)?).map_err(|damage| {
        Refusal::new(codes::PROFILE_UNREADABLE, damage.message.clone())
            .at(path, Some(damage.line), Some(damage.column))
            .next("cairn schema govern/spec-profile")
    })
}

fn links(ctx: &Ctx<'_>, path: &Path) -> Result<LinkCache, Refusal> {
    LinkCache::read(&take(ctx, path)?).map_err(|damage| {
        unreadable(damage.message.clone())
            .at(path, Some(damage.line), Some(damage.column))
            .next("cairn schema govern/spec-links")
    })
}

/// The Markdown files in a folder, by name, each with its bytes. What can't be read there is none of ours, but for
/// the file that was named.
fn folder(whole: &Path) -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(whole)? {
        let Ok(name) = entry?.file_name().into_string() else { continue };
        if Path::new(&name).extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        if let Ok(Some(bytes)) = file::read_at_most(&whole.join(&name), MOST) {
            found.push((name, bytes));
        }
    }
    found.sort();
    Ok(found)
}

/// The specs to look at, and the files of the named folders that are none.
#[derive(Default)]
struct Named {
    specs: Vec<PathBuf>,
    skipped: Vec<String>,
}

impl Named {
    fn add(&mut self, ctx: &Ctx<'_>, path: PathBuf) -> Result<(), Refusal> {
        let whole = ctx.world.cwd.join(&path);
        if !whole.is_dir() {
            self.specs.push(path);
            return Ok(());
        }
        let files = folder(&whole).map_err(|error| {
            unreadable(format!("the folder `{}` can't be read: {error}", path.display()))
                .hint("make it readable, then try again")
        })?;
        let (specs, others): (Vec<_>, Vec<_>) =
            files.into_iter().partition(|(name, bytes)| Sibling::read(name, bytes).is_some());
        if specs.is_empty() {
            let message = format!("there is no spec in `{}`", path.display());
            return Err(
                unreadable(message).hint("a spec is a `.md` file whose front matter says `type: spec`")
            );
        }
        self.specs.extend(specs.into_iter().map(|(name, _)| path.join(name)));
        self.skipped.extend(others.into_iter().map(|(name, _)| path.join(name).display().to_string()));
        Ok(())
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    let profile = profile(ctx, &args.profile)?;
    let cache = args.links.as_deref().map(|path| links(ctx, path)).transpose()?;
    let mut named = Named::default();
    for path in args.paths {
        named.add(ctx, path)?;
    }
    let mut seen = BTreeSet::new();
    let mut files = Vec::new();
    for path in named.specs {
        let whole = ctx.world.cwd.join(&path);
        if seen.insert(whole.clone()) {
            files.push(spec(ctx, &path, &whole, &profile, cache.as_ref())?);
        }
    }
    let count = |severity| {
        let all = files.iter().flat_map(|spec| &spec.findings);
        all.filter(|finding| finding.severity == severity).count()
    };
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let not_checked = count(Severity::NotChecked);
    let plan = args.plan.as_deref().map(|from| plan(ctx, from)).transpose()?;
    let links_at = cache.map(|cache| cache.at);
    let (profile, skipped) = (profile.name, named.skipped);
    let linted = Linted { profile, files, skipped, links_at, plan, errors, warnings, not_checked };
    Ok(Answer::report(&linted, ctx.json))
}

fn spec(
    ctx: &Ctx<'_>,
    path: &Path,
    whole: &Path,
    profile: &Profile,
    links: Option<&LinkCache>,
) -> Result<Spec, Refusal> {
    let bytes = take(ctx, path)?;
    let name = whole.file_name().unwrap_or_default().to_string_lossy();
    let siblings = whole.parent().and_then(|parent| folder(parent).ok()).map(|files| {
        files.iter().filter_map(|(name, bytes)| Sibling::read(name, bytes)).collect::<Vec<Sibling>>()
    });
    let given = Given { name: &name, siblings: siblings.as_deref(), profile, links };
    Ok(Spec { path: path.display().to_string(), findings: lint(&bytes, given) })
}

fn plan(ctx: &Ctx<'_>, from: &str) -> Result<Plan, Refusal> {
    let todos = crate::commands::plan::steps(ctx, from)?;
    let fault = gates::judge_plan(&todos);
    Ok(Plan {
        path: from.to_owned(),
        rule: fault.as_ref().map(|fault| fault.rule),
        reason: fault.as_ref().map(|fault| fault.reason),
        fact: fault.map(|fault| fault.fact),
    })
}
