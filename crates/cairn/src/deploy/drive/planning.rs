//! From the report of the probe to a plan that waits for a person.

use std::path::{Path, PathBuf};

use canon::Sha256;
use gate::Refusal;
use govern::deploy::contract::Bridge;
use govern::deploy::machine::Event;
use govern::deploy::notice::{self, Notice};
use govern::deploy::plan::{Plan, Vault};
use govern::deploy::probe::Report;
use govern::deploy::receipt::{Entry, Kind};
use govern::deploy::report::{Missing, missing};
use govern::deploy::state::{Deployment, PlanRef};
use govern::deploy::{FOLDER, desk, seed};
use govern::research::{Method, Needs, Observation, Research};
use store::git::Git;

use super::super::gather::probe;
use super::super::{settings, unusable};
use super::{Drive, bad_plan, gate_refuses};
use crate::codes;
use crate::hook::installed::Installed;

/// What came of planning.
pub enum Planned {
    /// There is no report that can be used.
    Unprobed(Notice),
    /// Nothing can be deployed.
    Blocked(Missing),
    /// There is a plan, which waits for a person; with what is weaker on this target.
    Ready(Box<Plan>, Notice, Option<Notice>),
}

impl Drive<'_> {
    /// From the report of the probe to a plan that waits for a person.
    ///
    /// # Errors
    /// A file can't be read or written, or the source vault can't be copied.
    pub fn plan(mut self) -> Result<(Deployment, Planned), Refusal> {
        let report = match self.report()? {
            Ok(report) => report,
            Err(fact) => {
                let notice = notice::probe_failed(&fact).map_err(|fault| gate_refuses(&fault))?;
                self.advance(Event::ProbeFailed)?;
                return Ok((self.state, Planned::Unprobed(notice)));
            }
        };
        self.state.verdict = Some(report.verdict);
        self.state.toolset.clone_from(&report.selected);
        let digest = Sha256::of(report.text());
        let fact = format!("{:?}", report.verdict).to_lowercase();
        self.record(Entry::new(Kind::Feasibility, "probe", fact).result(digest))?;
        self.advance(Event::Probed)?;
        self.found_out("analysis", analysed(&report, digest))?;
        self.keep()?;
        let told = missing(&report, &self.state.research).map_err(|fault| gate_refuses(&fault))?;
        if let Some(missing) = told {
            self.advance(Event::FoundBlocked)?;
            return Ok((self.state, Planned::Blocked(missing)));
        }
        let vault = self.vault(&report)?;
        let files = self.files(&report)?;
        let planned = planned(&report, &vault, &files);
        let plan = Plan::of(&report, vault, &files).map_err(|bad| bad_plan(&bad))?;
        self.found_out("plan", planned)?;
        self.place.desk.write(desk::PLAN, &plan.text()).map_err(|error| unusable(&error))?;
        let digest = plan.digest();
        self.record(
            Entry::new(Kind::Plan, "plan", "the plan gate accepts it").args(plan.report).result(digest),
        )?;
        self.state.plan = Some(PlanRef { path: format!("{FOLDER}/{}", desk::PLAN), sha256: digest });
        self.advance(Event::PlanMade)?;
        let refs = self.state.research.clone();
        let waits = Notice::approval(&plan, refs.clone()).map_err(|fault| gate_refuses(&fault))?;
        let weaker = notice::of_report(&report, &refs).map_err(|fault| gate_refuses(&fault))?;
        Ok((self.state, Planned::Ready(Box::new(plan), waits, weaker)))
    }

    /// The report on disk, if the target is still as it says; else the fact.
    fn report(&self) -> Result<Result<Report, String>, Refusal> {
        let bytes = self.place.desk.read(desk::REPORT).map_err(|error| unusable(&error))?;
        let report = match Report::read(bytes.as_deref()) {
            Ok(report) => report,
            Err(failure) => return Ok(Err(failure.0)),
        };
        let again = probe(self.world, self.place, &report.asked, &self.program);
        let is_same = bytes.as_deref() == Some(again.text().as_bytes());
        Ok(if is_same {
            Ok(report)
        } else {
            Err("the target is not as the report of the probe says".to_owned())
        })
    }

    fn vault(&self, report: &Report) -> Result<Vault, Refusal> {
        let path = report.asked.vault.clone().unwrap_or_default();
        let digest = seed::digest(Path::new(&path)).map_err(|error| {
            Refusal::new(codes::DEPLOY_VAULT, error.to_string())
                .hint("nothing was changed; make the source vault one that can be copied")
                .next("cairn govern probe")
        })?;
        let git = Git::new(Path::new(&path), &self.world.env);
        let commit = git.resolve("HEAD").ok().flatten().map(|commit| commit.to_string());
        Ok(Vault { path, digest, commit })
    }

    /// The files that the bridge writes, from the target's top.
    fn files(&self, report: &Report) -> Result<Vec<String>, Refusal> {
        let Some(toolset) = report.toolset().filter(|toolset| toolset.bridge == Bridge::Shipped) else {
            return Ok(Vec::new());
        };
        let Some(agent) = agents::AgentId::parse(&toolset.name) else { return Ok(Vec::new()) };
        let installed = Installed::new(&self.place.state, self.world, &self.program);
        let target = self.place.target();
        let name = |path: PathBuf| path.strip_prefix(target).unwrap_or(&path).display().to_string();
        Ok(settings(&installed, agent)?.into_iter().map(name).collect())
    }
}

fn observation(at: impl Into<String>, seen: impl Into<String>, digest: Option<Sha256>) -> Observation {
    Observation { at: at.into(), seen: seen.into(), digest }
}

/// What was found out about the target.
fn analysed(report: &Report, digest: Sha256) -> Research {
    let failed = report.vectors.iter().filter(|vector| !vector.pass);
    let mut evidence = vec![observation(
        format!("{FOLDER}/{}", desk::REPORT),
        format!("{} checks", report.vectors.len()),
        Some(digest),
    )];
    evidence.extend(failed.map(|vector| observation(vector.id.clone(), vector.actual.clone(), None)));
    let selected = report.selected.as_deref().unwrap_or("none");
    Research {
        question: "Can the workflow be deployed on this target with what is there?".to_owned(),
        needs: Needs::Local,
        method: Method::Local,
        local_evidence: evidence,
        online_sources: Vec::new(),
        findings: vec![
            format!("verdict: {}", format!("{:?}", report.verdict).to_lowercase()),
            format!("toolset: {selected}"),
        ],
        used_in: vec![format!("{FOLDER}/{}", desk::PLAN)],
    }
}

/// What was found out about what the plan changes.
fn planned(report: &Report, vault: &Vault, files: &[String]) -> Research {
    let mut evidence = vec![observation(vault.path.clone(), "the source vault", Some(vault.digest))];
    evidence.extend(files.iter().map(|file| observation(file.clone(), "written by the bridge", None)));
    Research {
        question: "What does the deployment change at the target?".to_owned(),
        needs: Needs::Local,
        method: Method::Local,
        local_evidence: evidence,
        online_sources: Vec::new(),
        findings: report.adaptations.clone(),
        used_in: vec![format!("{FOLDER}/{}", desk::PLAN)],
    }
}
