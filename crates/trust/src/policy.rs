//! The trust policy, `.chant/trust.json`: where the signers stand, who holds which role, which machines sign.

use std::collections::BTreeMap;
use std::fmt;

use canon::json;
use serde::Deserialize;
use serde_json::Value;
use store::git::{Oid, RepoPath};

use crate::{Key, Principal, Signers};

/// Where the policy lies, from the top of the repository.
pub const PATH: &str = ".chant/trust.json";

/// Where the signers file lies unless the policy says otherwise.
pub const SIGNERS: &str = ".chant/allowed_signers";

/// The role whose holders alone change the policy, once somebody holds it.
pub const ADMIN: &str = "admin";

/// The role of agents, whose verdicts never count.
pub const AGENT: &str = "agent";

/// Who may do what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// Where the signers file lies, from the top of the repository.
    pub signers: RepoPath,
    /// The holders of each role.
    pub roles: BTreeMap<String, Vec<Principal>>,
    /// Commits that are taken in without signatures.
    pub adopted: Vec<Adopted>,
    /// Machines whose statements count.
    pub runners: Vec<Runner>,
}

/// The commits `from..to`; all up to `to` without `from`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adopted {
    /// Where the range begins; this commit is not in it.
    pub from: Option<Oid>,
    /// Its last commit.
    pub to: Oid,
    /// Why.
    pub note: Option<String>,
}

/// A machine that signs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runner {
    /// Its name.
    pub principal: Principal,
    /// What it is.
    pub class: RunnerClass,
    /// Its key, an Ed25519 one.
    pub key: Key,
}

/// Kinds of machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunnerClass {
    /// A job of continuous integration.
    Runner,
    /// A hosted service.
    Service,
}

impl RunnerClass {
    /// As the policy writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Runner => "runner",
            Self::Service => "service",
        }
    }
}

/// A machine that is not believed, since a person has its key or its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedRunner {
    /// The entry.
    pub runner: Runner,
    /// It is the key that the signers file lists, and not the name alone.
    pub by_key: bool,
}

impl fmt::Display for RefusedRunner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.by_key { "key" } else { "name" };
        write!(f, "runner `{}` is not used: the signers file lists its {what}", self.runner.principal)
    }
}

/// A class of principals that a package brings, held by a role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DomainClass {
    /// Its name.
    pub name: String,
    /// The role whose holders are in it.
    pub role: String,
}

/// What a principal is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Class {
    /// A coding agent.
    Agent,
    /// A job of continuous integration.
    Runner,
    /// A hosted service.
    Service,
    /// In the class of this name, which a package brings.
    Domain(String),
    /// None of these.
    Human,
}

impl Class {
    /// As documents write it.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Agent => AGENT,
            Self::Runner => "runner",
            Self::Service => "service",
            Self::Domain(name) => name,
            Self::Human => "human",
        }
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            signers: RepoPath::from(SIGNERS),
            roles: BTreeMap::new(),
            adopted: Vec::new(),
            runners: Vec::new(),
        }
    }
}

impl Policy {
    /// Reads the file strictly.
    ///
    /// # Errors
    /// One sentence that names the place and what is wrong there.
    pub fn read(text: &[u8]) -> Result<Self, String> {
        json::read::<Value>(text).map_err(|damage| format!("`{PATH}` is not JSON: {damage}"))?;
        let form: Form = json::read(text).map_err(|damage| format!("`{PATH}` is invalid: {damage}"))?;
        form.check().map_err(|(place, what)| format!("`{PATH}` is invalid: `{place}` {what}"))
    }

    /// Whether the principal of this name holds the role.
    pub fn holds(&self, role: &str, name: &str) -> bool {
        self.roles.get(role).is_some_and(|holders| holders.iter().any(|holder| holder.is(name)))
    }

    /// Every class that the principal is in, in the order in which they are asked; none for a human.
    pub fn classes(&self, name: &str, domain: &[DomainClass]) -> Vec<Class> {
        let own = [Class::Agent, Class::Runner, Class::Service];
        let mut classes: Vec<Class> =
            own.into_iter().filter(|class| self.holds(class.as_str(), name)).collect();
        let theirs = domain.iter().filter(|class| self.holds(&class.role, name));
        classes.extend(theirs.map(|class| Class::Domain(class.name.clone())));
        classes
    }

    /// What the principal is: the first class that it is in.
    pub fn class(&self, name: &str, domain: &[DomainClass]) -> Class {
        self.classes(name, domain).into_iter().next().unwrap_or(Class::Human)
    }

    /// Whether this signer's word is enough to change the policy.
    pub fn may_write(&self, signers: &Signers, name: &str) -> bool {
        match self.roles.get(ADMIN) {
            Some(admins) if !admins.is_empty() => self.holds(ADMIN, name),
            _ => signers.lists(name),
        }
    }

    /// Takes out the machines that share a key or a name with a signer.
    pub fn refuse_signers(&mut self, signers: &Signers) -> Vec<RefusedRunner> {
        let mut refused = Vec::new();
        self.runners.retain(|runner| {
            let by_key = signers.lists_key(&runner.key);
            let keep = !by_key && !signers.lists(runner.principal.as_str());
            if !keep {
                refused.push(RefusedRunner { runner: runner.clone(), by_key });
            }
            keep
        });
        refused
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    schema: u64,
    signers: Option<String>,
    #[serde(default)]
    roles: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    adopted: Vec<AdoptedForm>,
    #[serde(default)]
    runners: Vec<RunnerForm>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AdoptedForm {
    from: Option<String>,
    to: String,
    note: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RunnerForm {
    principal: String,
    class: RunnerClass,
    key: String,
}

impl Form {
    fn check(self) -> Result<Policy, (String, &'static str)> {
        if self.schema != 1 {
            return Err(("schema".into(), "must be 1"));
        }
        let signers = match &self.signers {
            Some(path) => inner_path(path).ok_or((
                "signers".into(),
                "must be a path inside the repository, with `/` and without `..`",
            ))?,
            None => RepoPath::from(SIGNERS),
        };
        let mut roles = BTreeMap::new();
        for (role, names) in self.roles {
            let holders: Option<Vec<Principal>> = names.iter().map(|name| Principal::new(name)).collect();
            let Some(holders) = holders.filter(|_| !role.trim().is_empty()) else {
                return Err((
                    format!("roles.{role}"),
                    "must be a name with a list of principals, none empty",
                ));
            };
            roles.insert(role, holders);
        }
        let mut adopted = Vec::new();
        for (index, range) in self.adopted.into_iter().enumerate() {
            let oid = |text: &str, what: &str| {
                Oid::parse(text).ok_or((format!("adopted[{index}].{what}"), "must be a full commit id"))
            };
            let from = range.from.as_deref().map(|from| oid(from, "from")).transpose()?;
            adopted.push(Adopted { from, to: oid(&range.to, "to")?, note: range.note });
        }
        let mut runners = Vec::new();
        for (index, runner) in self.runners.into_iter().enumerate() {
            let at = |what: &str| format!("runners[{index}].{what}");
            let principal =
                Principal::new(&runner.principal).ok_or((at("principal"), "must not be empty"))?;
            let key = runner.key.parse::<Key>().ok().filter(|key| key.ed25519().is_some());
            let key = key.filter(|_| runner.key.split(' ').count() == 2);
            let key = key.ok_or((at("key"), "must be `ssh-ed25519 <base64>`, without a comment"))?;
            runners.push(Runner { principal, class: runner.class, key });
        }
        Ok(Policy { signers, roles, adopted, runners })
    }
}

/// A file below the top, named in its one form.
fn inner_path(text: &str) -> Option<RepoPath> {
    let path = RepoPath::new(text);
    let plain = path.as_bytes() == text.as_bytes() && !text.contains(['\\', '\0']);
    (plain && !path.is_empty() && !text.starts_with('/') && path.first() != b"..").then_some(path)
}

#[cfg(test)]
mod tests;
