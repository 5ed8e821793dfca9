//! Everything that is believed, read at base.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use store::git::{Git, Objects, Oid, RepoPath};
use store::tree::{Revision, Tree, TreeError};

use crate::policy::{Policy, RefusedRunner};
use crate::position::Positions;
use crate::principal;
use crate::provenance::Provenance;
use crate::{Base, History, NoBase, Signers, policy, rotation};

/// Whom a repository believes: policy, signers and their history, as the base revision has them.
///
/// What the working tree or a branch says of these files counts for nothing until it is part of base.
pub struct Trust {
    pub(crate) repository: Option<Repository>,
    base: Result<Base, Option<NoBase>>,
    policy: Policy,
    policy_problem: Option<String>,
    signers: Option<Signers>,
    refused_runners: Vec<RefusedRunner>,
    history: History,
    pub(crate) positions: OnceLock<Positions>,
    pub(crate) judged: Mutex<HashMap<Oid, Provenance>>,
}

pub(crate) struct Repository {
    pub(crate) git: Git,
    pub(crate) objects: Arc<Objects>,
}

/// How far a name says who somebody is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameForm {
    /// The signers file at base lists it.
    Signer,
    /// An account of a forge.
    Forge,
    /// It holds the role of agents, runners or services, or an agent session lists it.
    Role,
    /// A bare name, which says nothing.
    Name,
}

impl Trust {
    /// Reads trust at the revision that `flag` names, or else at the usual one.
    pub fn read(git: &Git, objects: Arc<Objects>, flag: Option<&str>) -> Result<Self, TreeError> {
        let base = Base::find(&objects, flag)?;
        let mut trust = Self::empty();
        if let Ok(base) = &base {
            trust.take(git, &objects, &base.commit)?;
        }
        trust.base = base.map_err(Some);
        trust.repository = Some(Repository { git: git.clone(), objects });
        Ok(trust)
    }

    /// Outside a repository nobody is believed, and nothing asks for belief.
    pub fn empty() -> Self {
        Self {
            repository: None,
            base: Err(None),
            policy: Policy::default(),
            policy_problem: None,
            signers: None,
            refused_runners: Vec::new(),
            history: History::default(),
            positions: OnceLock::new(),
            judged: Mutex::default(),
        }
    }

    fn take(&mut self, git: &Git, objects: &Arc<Objects>, base: &Oid) -> Result<(), TreeError> {
        let Some(tree) = Revision::open(Arc::clone(objects), base.as_str())? else { return Ok(()) };
        if let Some(text) = tree.read(&RepoPath::from(policy::PATH))? {
            match Policy::read(&text) {
                Ok(policy) => self.policy = policy,
                Err(problem) => self.policy_problem = Some(problem),
            }
        }
        let Some(text) = tree.read(&self.policy.signers)? else { return Ok(()) };
        let signers = Signers::read(&text);
        self.refused_runners = self.policy.refuse_signers(&signers);
        self.signers = Some(signers);
        self.history = History::read(git, objects, base, &self.policy.signers)?;
        Ok(())
    }

    /// The revision that trust was read at.
    pub fn base(&self) -> Option<&Base> {
        self.base.as_ref().ok()
    }

    /// Why there is none.
    pub fn no_base(&self) -> Option<&NoBase> {
        self.base.as_ref().err().and_then(Option::as_ref)
    }

    /// Whether attestation is on: base has a signers file.
    pub fn is_active(&self) -> bool {
        self.signers.is_some()
    }

    /// Where the signers file lies, from the top of the repository.
    pub fn signers_path(&self) -> &RepoPath {
        &self.policy.signers
    }

    /// The signers at base; none while attestation is off.
    pub fn signers(&self) -> Option<&Signers> {
        self.signers.as_ref()
    }

    /// The policy at base; the empty one where there is none, or where it can't be read.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Why the policy can't be read.
    pub fn policy_problem(&self) -> Option<&str> {
        self.policy_problem.as_deref()
    }

    /// Machines of the policy that are not believed.
    pub fn refused_runners(&self) -> &[RefusedRunner] {
        &self.refused_runners
    }

    /// The sets of signers up to base; empty while attestation is off.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Why nothing can be attested. Empty when all is well.
    pub fn problems(&self) -> Vec<String> {
        let mut problems: Vec<String> = self.no_base().map(ToString::to_string).into_iter().collect();
        problems.extend(self.policy_problem.clone());
        if let Some(broken) = &self.history.broken {
            let at =
                broken.commit.as_ref().map(|commit| format!(" at {}", short(commit))).unwrap_or_default();
            let path = self.signers_path();
            problems.push(format!("the history of `{path}` is broken{at}: {}", broken.message));
        }
        problems
    }

    /// The files whose change needs a signature: the policy, the signers file and its rotation file.
    pub fn protected(&self) -> Vec<RepoPath> {
        let signers = self.signers_path();
        let mut paths = vec![RepoPath::from(policy::PATH), signers.clone(), rotation::path(signers)];
        paths.sort();
        paths.dedup();
        paths
    }

    /// How far `name` says who somebody is; `in_session` is whether an agent session lists it.
    pub fn name_form(&self, name: &str, in_session: bool) -> NameForm {
        let holds = |role| self.policy.holds(role, name);
        if self.signers.as_ref().is_some_and(|signers| signers.lists(name)) {
            NameForm::Signer
        } else if principal::is_forge_identity(name) {
            NameForm::Forge
        } else if in_session || holds(policy::AGENT) || holds("runner") || holds("service") {
            NameForm::Role
        } else {
            NameForm::Name
        }
    }
}

pub(crate) fn short(commit: &Oid) -> &str {
    commit.as_str().get(..8).unwrap_or_default()
}
