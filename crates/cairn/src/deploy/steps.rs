//! The steps that change the target. Each may be done again after it was broken off, and comes to the same.

use std::path::{Path, PathBuf};

use agents::AgentId;
use agents::install::Scope;
use canon::Sha256;
use gate::Refusal;
use govern::deploy::plan::{Plan, Step};
use govern::deploy::receipt::{Entry, Kind, Outcome, Receipt};
use govern::deploy::seed::{Origin, seed};
use govern::deploy::state::Deployment;
use govern::deploy::{SPEC, VAULT};
use govern::knowledge::regen::AGENTS;
use govern::knowledge::vault::{Blocks, Note as Entered, Planned, Shelf, Vault, Writing};
use govern::receipts::Note;
use store::World;

use super::engine::engine;
use super::gather::Programs;
use super::{Place, agent, settings};
use crate::codes;
use crate::hook::installed::{self, Installed};

/// What the steps are given.
pub(super) struct Work<'a> {
    pub world: &'a World,
    pub place: &'a Place,
    pub plan: &'a Plan,
    /// The path of this program.
    pub program: &'a Path,
}

/// The agents' instructions as they are and as they become; none where there are none.
struct Instructions {
    before: Option<Vec<u8>>,
    after: Option<Vec<u8>>,
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
            Step::DryRunMigrate => self.regenerated(|writing, _, made| {
                let fact = match &made.after {
                    None => format!("{AGENTS} stays away: nothing of {VAULT} is in force"),
                    after if *after == made.before => format!("{AGENTS} stays as it is"),
                    Some(after) => format!("{AGENTS} would change: {} bytes", after.len()),
                };
                Ok(made.receipted(step, format!("{fact}; {}", in_force(&writing.shelf))))
            }),
            Step::ApplyMigrate => self.migrate(before),
            Step::Verify => Err("the trials are no step that changes the target".to_owned()),
        }
    }

    fn engine(&self) -> Result<Entry, String> {
        let programs = Programs { env: &self.world.env, target: self.place.target(), run: true };
        let found = engine(&programs, self.program).map_err(|missing| missing.to_string())?;
        let own = env!("CARGO_PKG_VERSION");
        let fact = format!("cairn {own} at `{}` is the engine; nothing is copied", found.display());
        let found = found.as_os_str().as_encoded_bytes();
        Ok(entry(Step::RealizeEngine, fact)
            .args(Sha256::of(SPEC))
            .result(Sha256::of([found, own.as_bytes()].concat())))
    }

    fn vault(&self, state: &Deployment) -> Result<Entry, String> {
        knowledge(self.world, self.place).map_err(told)?;
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
        let said = |refusal: Refusal| refusal.message;
        let agent = agent(&self.plan.toolset).map_err(said)?;
        let installed = Installed::new(&self.place.state, self.world, self.program);
        let steps = wiring(&installed, agent).map_err(said)?;
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

    fn names(&self, steps: &[installed::Step]) -> String {
        let names = steps.iter().map(|step| {
            let path = step.path.strip_prefix(self.place.target()).unwrap_or(&step.path);
            format!("`{}`", path.display())
        });
        names.collect::<Vec<_>>().join(", ")
    }

    /// What becomes of the instructions and the index when they are made anew from the vault (G14), for `use_it`.
    fn regenerated<T>(
        &self,
        use_it: impl FnOnce(Writing<'_>, &Planned, &Instructions) -> Result<T, String>,
    ) -> Result<T, String> {
        let vault = knowledge(self.world, self.place).map_err(told)?;
        let writing = vault.write().map_err(told)?;
        let planned = writing.plan(&writing.shelf.entries(), &[], Blocks::Both).map_err(told)?;
        let after = planned.regenerated.as_ref().and_then(|made| made.agents.clone());
        let made = Instructions { before: writing.shelf.agents.clone(), after };
        use_it(writing, &planned, &made)
    }

    fn migrate(&self, before: &[Receipt]) -> Result<Entry, String> {
        let dry = before
            .iter()
            .rev()
            .find(|line| line.kind == Kind::Step && line.tool == Step::DryRunMigrate.as_str());
        self.regenerated(|writing, planned, made| {
            if dry.and_then(|line| line.result_hash) != Some(digest(made.after.as_deref())) {
                return Err(format!("{AGENTS} would become another than in the dry run"));
            }
            let counted = in_force(&writing.shelf);
            writing.commit(planned).map_err(|refusal| refusal.message)?;
            let fact = match made.after {
                Some(_) => format!("{AGENTS} has what is in force of {VAULT}"),
                None => format!("{AGENTS} stays away: nothing of {VAULT} is in force"),
            };
            Ok(made.receipted(Step::ApplyMigrate, format!("{fact}; {counted}")))
        })
    }
}

/// How much of a vault agents read every time.
fn in_force(shelf: &Shelf) -> String {
    let is_in_force = |note: &&Entered| note.entry.is_in_force(&shelf.terms.project);
    let count = shelf.notes.iter().filter(is_in_force).count();
    format!("entries of the vault: {count} in force, {} not", shelf.notes.len() - count)
}

/// The vault of the target, as every other command finds it there.
pub(super) fn knowledge(world: &World, place: &Place) -> Result<Vault, Refusal> {
    let settings = crate::hook::knowledge(world, place.target())?;
    if settings.folder() != VAULT {
        let message = format!(
            "the policy of the target has its vault in `{}`, and a deployment seeds {VAULT}",
            settings.folder()
        );
        return Err(Refusal::new(codes::DEPLOY_VAULT, message).at(govern::policy::PATH, None, None).hint(
            format!("let `knowledge.vault` in `{}` name {VAULT}, or take it out", govern::policy::PATH),
        ));
    }
    Vault::new(&place.state, &settings)
}

/// What wiring an agent changes, each file of which could be written.
pub(super) fn wiring(installed: &Installed<'_>, agent: AgentId) -> Result<Vec<installed::Step>, Refusal> {
    let steps = installed.plan_install(agent, Scope::Shared)?;
    steps.iter().try_for_each(|step| installed.check(step))?;
    Ok(steps)
}

/// What a failure brings back beside the governance folder: the instructions, the settings of the agent and what undoes
/// them.
pub(super) fn put_aside(
    place: &Place,
    installed: &Installed<'_>,
    agent: Option<AgentId>,
) -> Result<Vec<PathBuf>, Refusal> {
    let settings = agent.map_or_else(|| Ok(Vec::new()), |agent| settings(installed, agent))?;
    let undo: Vec<PathBuf> = settings.iter().map(|path| installed.undo_file(path)).collect();
    Ok([vec![place.target().join(AGENTS)], settings, undo].concat())
}

fn told(refusal: Refusal) -> String {
    match refusal.facts.first() {
        Some(fact) => format!("{}: {fact}", refusal.message),
        None => refusal.message,
    }
}

impl Instructions {
    fn receipted(&self, step: Step, fact: String) -> Entry {
        entry(step, fact).args(digest(self.before.as_deref())).result(digest(self.after.as_deref()))
    }
}

fn digest(bytes: Option<&[u8]>) -> Sha256 {
    Sha256::of(bytes.unwrap_or_default())
}

fn entry(step: Step, fact: impl Into<String>) -> Entry {
    Entry::new(Kind::Step, step.as_str(), fact)
}
