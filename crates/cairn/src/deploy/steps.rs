//! The steps that change the target. Each may be done again after it was broken off, and comes to the same.

use std::path::Path;

use agents::install::Scope;
use canon::Sha256;
use govern::deploy::plan::{Plan, Step};
use govern::deploy::receipt::{Entry, Kind, Outcome, Receipt};
use govern::deploy::regenerate::{FILE, Regenerate};
use govern::deploy::seed::{Origin, seed};
use govern::deploy::state::Deployment;
use govern::deploy::{SPEC, VAULT};
use govern::receipts::Note;
use store::{World, file};

use super::gather::Programs;
use super::{Place, agent};
use crate::hook::installed::Installed;

/// What the steps are given.
pub(super) struct Work<'a> {
    pub world: &'a World,
    pub place: &'a Place,
    pub plan: &'a Plan,
    /// The path of this program.
    pub program: &'a Path,
    /// What makes the agents' instructions.
    pub regenerate: &'a dyn Regenerate,
}

impl Work<'_> {
    /// Does a step.
    ///
    /// # Errors
    /// The fact that kept it from being done.
    pub fn step(&self, step: Step, state: &Deployment, before: &[Receipt]) -> Result<Entry, String> {
        match step {
            Step::RealizeEngine => self.engine(),
            Step::NpmInstall => {
                let fact = "the reference engine is not used, so its modules are not installed";
                Ok(entry(step, fact).outcome(Outcome::NotApplicable))
            }
            Step::SeedVault => self.vault(state),
            Step::WireBridge => self.wire(),
            Step::DryRunMigrate => {
                let (before, after) = self.instructions()?;
                let changed =
                    if before.as_deref() == Some(&after) { "stays as it is" } else { "would change" };
                let fact = format!("{FILE} {changed}: {} bytes", after.len());
                Ok(entry(step, fact).args(Sha256::of(before.unwrap_or_default())).result(Sha256::of(after)))
            }
            Step::ApplyMigrate => self.migrate(before),
            Step::Verify => Err("the trials are no step that changes the target".to_owned()),
        }
    }

    fn engine(&self) -> Result<Entry, String> {
        let programs = Programs { env: &self.world.env, target: self.place.target(), run: true };
        let name = agents::install::SHARED_PROGRAM;
        let found =
            programs.find(name).ok_or("`cairn` is not on the `PATH`, so that no hook could start it")?;
        let own = env!("CARGO_PKG_VERSION");
        let version = programs.version(name).unwrap_or_else(|| "none".to_owned());
        if version != own {
            return Err(format!(
                "`{}` says that it is version {version}, and this is {own}",
                found.display()
            ));
        }
        let fact = format!("cairn {own} at `{}` is the engine; nothing is copied", found.display());
        let found = found.as_os_str().as_encoded_bytes();
        Ok(entry(Step::RealizeEngine, fact)
            .args(Sha256::of(SPEC))
            .result(Sha256::of([found, own.as_bytes()].concat())))
    }

    fn vault(&self, state: &Deployment) -> Result<Entry, String> {
        let vault = &self.plan.vault;
        let origin = Origin {
            path: &vault.path,
            commit: vault.commit.as_deref(),
            // When the steps began: the same however often they are taken up again.
            at: state.since,
            digest: vault.digest,
        };
        let target = self.place.target();
        let seeded = seed(Path::new(&vault.path), target, &target.join(VAULT), &origin);
        let seeded = seeded.map_err(|error| error.to_string())?;
        let fact = format!("{} copied to {VAULT}", canon::text::counted(seeded.files, "file"));
        Ok(entry(Step::SeedVault, fact).args(vault.digest).result(seeded.digest))
    }

    fn wire(&self) -> Result<Entry, String> {
        let said = |refusal: gate::Refusal| refusal.message;
        let agent = agent(&self.plan.toolset).map_err(said)?;
        let installed = Installed::new(&self.place.state, self.world, self.program);
        let steps = installed.plan_install(agent, Scope::Shared).map_err(said)?;
        let paths: Vec<String> = steps.iter().map(|step| step.path.display().to_string()).collect();
        if steps.iter().any(|step| step.edit.is_change()) {
            let note = Note { marker: "hook-install", paths: &paths, ..Note::default() };
            crate::hook::record(&self.place.state, self.world, &note).map_err(said)?;
        }
        let mut written = Vec::new();
        for step in &steps {
            installed.make(step).map_err(said)?;
            written.extend(step.edit.after.iter().flatten());
        }
        let fact = format!("`{agent}` asks cairn before each call, by {}", self.names(&steps));
        let args = Sha256::of(paths.join("\n"));
        Ok(entry(Step::WireBridge, fact).args(args).result(Sha256::of(written)))
    }

    fn names(&self, steps: &[crate::hook::installed::Step]) -> String {
        let names = steps.iter().map(|step| {
            let path = step.path.strip_prefix(self.place.target()).unwrap_or(&step.path);
            format!("`{}`", path.display())
        });
        names.collect::<Vec<_>>().join(", ")
    }

    /// The agents' instructions as they are and as they become.
    fn instructions(&self) -> Result<(Option<Vec<u8>>, Vec<u8>), String> {
        let target = self.place.target();
        let before = file::read(&target.join(FILE)).map_err(|error| error.to_string())?;
        let after = self.regenerate.regenerate(&target.join(VAULT), before.as_deref())?;
        Ok((before, after))
    }

    fn migrate(&self, before: &[Receipt]) -> Result<Entry, String> {
        let (old, new) = self.instructions()?;
        let dry = before
            .iter()
            .rev()
            .find(|line| line.kind == Kind::Step && line.tool == Step::DryRunMigrate.as_str());
        let result = Sha256::of(&new);
        if dry.and_then(|line| line.result_hash) != Some(result) {
            return Err(format!("{FILE} would become another than in the dry run"));
        }
        if old.as_deref() != Some(&new) {
            file::replace(&self.place.target().join(FILE), &new).map_err(|error| error.to_string())?;
        }
        let fact = format!("{FILE} has the rules of {VAULT}");
        Ok(entry(Step::ApplyMigrate, fact).args(Sha256::of(old.unwrap_or_default())).result(result))
    }
}

fn entry(step: Step, fact: impl Into<String>) -> Entry {
    Entry::new(Kind::Step, step.as_str(), fact)
}
