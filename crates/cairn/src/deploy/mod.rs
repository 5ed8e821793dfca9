//! Deployments on disk: the target, what is observed of it, the steps that change it, and the trials of what was
//! deployed. What follows on what is decided by [`govern::deploy`].

pub mod drive;
mod engine;
pub mod gather;
pub mod mend;
mod rehearsal;
mod steps;
pub mod toolsets;
mod trials;

use std::path::{Path, PathBuf};
use std::time::Duration;

use agents::AgentId;
use agents::install::{Scope, targets};
use canon::Sha256;
use gate::Refusal;
use govern::State;
use govern::deploy::desk::{Desk, DeskError};
use govern::deploy::state::Refused;
use govern::receipts::{Kind, Receipt, document, key, verify};
use store::World;
use store::lock::Guard;

use crate::codes;
use crate::hook::installed::Installed;

/// How long one deployment waits for another.
const WAIT: Duration = Duration::from_secs(5);

/// What the signed receipts call an approval.
const APPROVAL: &str = "deploy-approve";

/// What mends the files of a deployment that are not as they were written.
const MEND: &str = "cairn govern deploy mend";

/// What they call the end of a deployment.
const DONE: &str = "deploy-done";

/// A target, with its deployment's files and the state of its gates.
pub struct Place {
    /// The files of the deployment.
    pub desk: Desk,
    /// The state of the gates.
    pub state: State,
}

impl Place {
    /// The target around a folder: its repository, or outside git the folder itself.
    ///
    /// # Errors
    /// There is no such folder, or no place for the state of the gates.
    pub fn find(world: &World, folder: Option<&Path>) -> Result<Self, Refusal> {
        let folder = folder.map_or_else(|| world.cwd.clone(), |folder| world.cwd.join(folder));
        let real = std::fs::canonicalize(&folder).ok().filter(|real| real.is_dir()).ok_or_else(|| {
            Refusal::new(codes::NO_TARGET, format!("there is no folder `{}`", folder.display()))
                .hint("name the folder of the target with `--target`")
        })?;
        let state = State::find(&real, &world.env).map_err(|error| {
            Refusal::new(codes::NO_STATE, error.to_string()).hint("set `HOME` to a folder of your own")
        })?;
        Ok(Self { desk: Desk::at(state.root()), state })
    }

    /// The target.
    pub fn target(&self) -> &Path {
        self.desk.target()
    }

    /// Keeps other deployments of this target out.
    ///
    /// # Errors
    /// Another one is at work.
    pub fn lock(&self) -> Result<Guard, Refusal> {
        Guard::acquire(&self.state.folder().join("deploy.lock"), WAIT).map_err(|error| {
            Refusal::new(codes::NOT_WRITTEN, error.to_string()).hint("wait for it, then try again")
        })
    }

    /// Whether a person approved this plan as this receipt has it. The receipt tells two plans of the same content apart.
    ///
    /// # Errors
    /// The signed receipts can't be read.
    pub fn is_approved(&self, plan: Sha256, receipt: Sha256) -> Result<bool, Refusal> {
        self.is_noted(APPROVAL, &[("plan", plan), ("receipt", receipt)])
    }

    /// Whether a deployment ended with this receipt.
    ///
    /// # Errors
    /// The signed receipts can't be read.
    pub fn is_done(&self, end: Sha256) -> Result<bool, Refusal> {
        self.is_noted(DONE, &[("receipts", end)])
    }

    /// What is wrong with the signed receipts; none where they are as they were written.
    ///
    /// # Errors
    /// They can't be read.
    fn signed_fault(&self) -> Result<Option<String>, Refusal> {
        let keys = key::known(self.state.keys()).map_err(|error| unreadable(&error))?;
        let found = verify::verify(&self.state, &keys).map_err(|error| unreadable(&error))?;
        Ok(found.fault.map(|fault| format!("the signed receipts are broken at {fault}")))
    }

    /// The signed receipts, which are checked.
    ///
    /// # Errors
    /// They can't be read, or are not as they were written.
    fn signed(&self) -> Result<Vec<Receipt>, Refusal> {
        if let Some(fault) = self.signed_fault()? {
            return Err(unreadable(&fault)
                .hint(format!("let a person run `{MEND}`, which keeps what is there aside"))
                .next(MEND));
        }
        document::export(&self.state, &[]).map(|log| log.receipts).map_err(|error| unreadable(&error))
    }

    /// Whether the signed receipts hold such a note.
    fn is_noted(&self, marker: &str, digests: &[(&str, Sha256)]) -> Result<bool, Refusal> {
        Ok(self.signed()?.iter().any(|line| {
            line.kind == Kind::Note
                && line.marker.as_deref() == Some(marker)
                && digests.iter().all(|(name, digest)| line.digests.get(*name) == Some(digest))
        }))
    }
}

fn unreadable(error: &dyn std::fmt::Display) -> Refusal {
    Refusal::new(codes::RECEIPTS_UNREADABLE, error.to_string()).next("cairn receipts verify")
}

/// The agent of this name.
///
/// # Errors
/// No agent is called so.
fn agent(name: &str) -> Result<AgentId, Refusal> {
    AgentId::parse(name).ok_or_else(|| {
        Refusal::new(codes::UNKNOWN_AGENT, format!("no agent is called `{name}`"))
            .next("cairn govern deploy plan")
    })
}

/// The files that wiring an agent writes, as absolute paths.
pub fn settings(installed: &Installed<'_>, agent: AgentId) -> Result<Vec<PathBuf>, Refusal> {
    targets(agent, Scope::Shared)?.iter().map(|target| installed.path(target)).collect()
}

/// A file of the deployment that can't be used, as a refusal.
pub fn unusable(error: &DeskError) -> Refusal {
    let code = match error {
        DeskError::File(_) => codes::NOT_WRITTEN,
        DeskError::Receipts(_) | DeskError::Damaged { .. } => codes::DEPLOY_DAMAGED,
        DeskError::Research(fault) => fault.reason,
    };
    let refusal = Refusal::new(code, error.to_string()).hint(mending(error));
    if code == codes::DEPLOY_DAMAGED { refusal.next(MEND) } else { refusal }
}

/// What mends a file of the deployment that can't be used.
fn mending(error: &DeskError) -> String {
    match error {
        DeskError::File(_) => "make the place writable, and no link, then run the command again".to_owned(),
        _ => format!(
            "put the file back as it was, as with `git restore` where it is committed; else let a person run `{MEND}`, which \
             keeps what is there aside"
        ),
    }
}

/// A transition that is not in the table, as a refusal.
pub fn illegal(refused: &Refused, resume: &str) -> Refusal {
    let message = match refused {
        Refused::Illegal(illegal) => illegal.to_string(),
        Refused::Unmet(what) => format!("the deployment can't go on: {what}"),
    };
    Refusal::new(codes::DEPLOY_STATE, message).next(resume)
}
