//! Who writes, and whether that writer may: write scope and identity, as the declaration at base says them.

use std::sync::Arc;

use gate::Refusal;
use store::git::RepoPath;
use store::tree::{Revision, Tree};
use trust::policy::DomainClass;
use trust::{Class, NameForm, Trust, principal};

use super::Verb;
use crate::codes;
use crate::declaration::{self, Agent, Attribution, Declaration, Reach, Reader, Workspace};
use crate::kind::Kind;
use crate::members::Installed;
use crate::members::classes::{self, CORE};
use crate::place::{Place, tree_failed};

/// A write that is to be judged.
#[derive(Clone, Copy)]
pub(super) struct Attempt<'a> {
    /// What is done.
    pub verb: Verb,
    /// To a record of which kind.
    pub kind: &'a Kind,
    /// In which file, from the top of the repository.
    pub path: &'a RepoPath,
    /// Who the write says it is by.
    pub by: Option<&'a str>,
    /// Everybody whom it names.
    pub named: &'a [&'a str],
}

/// What base says of writers; nothing where no declaration is.
pub(super) struct Scope<'a> {
    workspace: Option<Workspace>,
    trust: &'a Trust,
    agent: Option<String>,
    domain: Vec<DomainClass>,
}

impl<'a> Scope<'a> {
    /// Reads the declaration around `kind` at base; where base has none, the one in the working tree.
    pub fn read(place: &Place<'_>, trust: &'a Trust, kind: &Kind) -> Result<Self, Refusal> {
        let agent = place.world.env.get("CHANT_AGENT").map(|name| name.to_string_lossy().into_owned());
        let agent = agent.filter(|name| !name.is_empty());
        let at_base = match (trust.base(), place.objects()?) {
            (Some(base), Some(objects)) => {
                Revision::open(Arc::clone(objects), base.commit.as_str()).map_err(tree_failed)?
            }
            _ => None,
        };
        let around = kind.file.parent();
        let work_tree = place.work_tree();
        let mut tree: &dyn Tree = &work_tree;
        let workspace = match at_base.as_ref().map(|base| (base, declared(base, &around))) {
            Some((base, Some(found))) => {
                tree = base;
                Some(found)
            }
            _ => declared(&work_tree, &around),
        };
        let workspace = workspace.transpose().map_err(|refusal| {
            member(&format!("nobody can say what the writer may write: {}", refusal.message))
        })?;
        let domain = workspace.as_ref().map(|workspace| {
            let installed = Installed::of(place, &workspace.root, None);
            classes::supplied(tree, &workspace.root, &workspace.declaration, installed.as_ref())
        });
        Ok(Self { workspace, trust, agent, domain: domain.unwrap_or_default() })
    }

    /// Refuses a write that is not the writer's to make.
    ///
    /// # Errors
    /// `agent-unknown`, `write-scope-member`, `write-scope-kind`, `write-scope-class-unknown`,
    /// `principal-unidentified`.
    pub fn judge(&self, attempt: &Attempt<'_>) -> Result<(), Refusal> {
        let Some(workspace) = &self.workspace else {
            return match &self.agent {
                Some(name) => Err(unknown_agent(name)),
                None => Ok(()),
            };
        };
        let (session, class) = self.writer(&workspace.declaration, attempt.by)?;
        self.reach(workspace, session, &class, attempt)?;
        verbs(workspace, &class, attempt)?;
        match session {
            Some(_) => Ok(()),
            None => self.identified(&workspace.declaration, attempt),
        }
    }

    /// Refuses a file that is not the writer's to change, whatever is done to it.
    pub fn judge_place(&self, attempt: &Attempt<'_>) -> Result<(), Refusal> {
        let Some(workspace) = &self.workspace else { return Ok(()) };
        let (session, class) = self.writer(&workspace.declaration, attempt.by)?;
        self.reach(workspace, session, &class, attempt)
    }

    fn writer<'d>(
        &self,
        declaration: &'d Declaration,
        by: Option<&str>,
    ) -> Result<(Option<&'d Agent>, Class), Refusal> {
        let session = self.session(declaration, by)?;
        let class = match session {
            Some(_) => Class::Agent,
            None => by.map_or(Class::Human, |by| self.trust.policy().class(by, &self.domain)),
        };
        Ok((session, class))
    }

    fn reach(
        &self,
        workspace: &Workspace,
        session: Option<&Agent>,
        class: &Class,
        attempt: &Attempt<'_>,
    ) -> Result<(), Refusal> {
        match session {
            Some(session) => in_session(workspace, session, attempt),
            None => self.in_class(workspace, class, attempt),
        }
    }

    fn session<'d>(
        &self,
        declaration: &'d Declaration,
        by: Option<&str>,
    ) -> Result<Option<&'d Agent>, Refusal> {
        if let Some(name) = &self.agent {
            return match declaration.agents.iter().find(|agent| agent.name == *name) {
                Some(agent) => Ok(Some(agent)),
                None => Err(unknown_agent(name)),
            };
        }
        let lists =
            |agent: &&Agent, by: &str| agent.principals.iter().any(|name| principal::is_same(name, by));
        Ok(by.and_then(|by| declaration.agents.iter().find(|agent| lists(agent, by))))
    }

    fn in_class(&self, workspace: &Workspace, class: &Class, attempt: &Attempt<'_>) -> Result<(), Refusal> {
        let declaration = &workspace.declaration;
        let known = |name: &str| CORE.contains(&name) || self.domain.iter().any(|class| class.name == name);
        let mut declared = declaration.write_scope.iter().flat_map(serde_json::Map::keys);
        if *class == Class::Human
            && let Some(unknown) = declared.find(|name| !known(name))
        {
            let message = format!(
                "the declaration's writeScope names the class {unknown}, which no pinned package supplies, so nobody can \
                 say that the writer is not in it"
            );
            return Err(Refusal::new(codes::WRITE_SCOPE_CLASS_UNKNOWN, message)
                .hint("install the pinned package that supplies the class, or take the entry out"));
        }
        let Some(scope) = declaration.scope_of(class.as_str()) else { return Ok(()) };
        let Reach::Members(members) = &scope.members else { return Ok(()) };
        let owner = inside(workspace, attempt.path).and_then(|path| declaration.owner(&path));
        if owner.is_some_and(|owner| members.contains(&owner.name)) {
            return Ok(());
        }
        let whose = owner.map_or("in no member".to_owned(), |owner| format!("in the member {}", owner.name));
        Err(member(&format!(
            "{} is {whose}, and the class {} writes only {}",
            attempt.path,
            class.as_str(),
            members.join(", ")
        )))
    }

    fn identified(&self, declaration: &Declaration, attempt: &Attempt<'_>) -> Result<(), Refusal> {
        if declaration.identity.attribution != Attribution::Identified || attempt.verb == Verb::Close {
            return Ok(());
        }
        let in_session = |name: &str| {
            declaration
                .agents
                .iter()
                .any(|agent| agent.principals.iter().any(|known| principal::is_same(known, name)))
        };
        let bare = |name: &&str| self.trust.name_form(name, in_session(name)) == NameForm::Name;
        match attempt.by.iter().chain(attempt.named).copied().find(|name| bare(name)) {
            Some(name) => Err(Refusal::new(
                codes::PRINCIPAL_UNIDENTIFIED,
                format!("{name:?} is a bare name, and people are named here by an identity"),
            )
            .hint(
                "name an account, as in github:<login>, or a principal that the signers file at base lists",
            )),
            None => Ok(()),
        }
    }
}

/// The declaration around a folder; none where there is none.
fn declared(tree: &dyn Tree, folder: &RepoPath) -> Option<Result<Workspace, Refusal>> {
    match declaration::discover(tree, folder) {
        Ok(found) => Some(declaration::read(tree, &found, Reader::Any)),
        Err(refusal) if refusal.code == codes::DECLARATION_MISSING => None,
        Err(refusal) => Some(Err(refusal)),
    }
}

fn in_session(workspace: &Workspace, session: &Agent, attempt: &Attempt<'_>) -> Result<(), Refusal> {
    let declaration = &workspace.declaration;
    let is_own = |kind: &&declaration::DeclaredKind<'_>| workspace.at(&kind.path) == attempt.kind.file;
    let kinds = declaration.kinds();
    if kinds.iter().find(is_own).is_some_and(|kind| kind.member.is_none()) {
        return Ok(());
    }
    let owner = inside(workspace, attempt.path).and_then(|path| declaration.owner(&path));
    if owner.is_some_and(|owner| session.members.contains(&owner.name)) {
        return Ok(());
    }
    let whose = owner.map_or("in no member".to_owned(), |owner| format!("in the member {}", owner.name));
    Err(member(&format!(
        "{} is {whose}, and the agent session {} writes only {}",
        attempt.path,
        session.name,
        session.members.join(", ")
    )))
}

/// Whether the class may do this to records of the kind.
fn verbs(workspace: &Workspace, class: &Class, attempt: &Attempt<'_>) -> Result<(), Refusal> {
    let scope = workspace.declaration.scope_of(class.as_str());
    let Some(records) = scope.and_then(|scope| scope.records) else { return Ok(()) };
    let kinds = workspace.declaration.kinds();
    let declared = kinds.iter().find(|kind| workspace.at(&kind.path) == attempt.kind.file);
    let names = declared.and_then(|kind| kind.name).into_iter().chain([attempt.kind.name.as_str()]);
    let allowed: Vec<_> = names.filter_map(|name| records.get(name)).flatten().copied().collect();
    if allowed.contains(&attempt.verb.in_scope()) {
        return Ok(());
    }
    let message = format!(
        "the class {} may not use `{}` on records of the kind {}",
        class.as_str(),
        attempt.verb.command(),
        attempt.kind.name
    );
    Err(Refusal::new(codes::WRITE_SCOPE_KIND, message)
        .hint("writeScope in the declaration at base says who may"))
}

/// The path of a file from the workspace root.
fn inside(workspace: &Workspace, path: &RepoPath) -> Option<String> {
    let root = &workspace.root;
    let path = path.as_str()?;
    if root.is_empty() {
        return Some(path.to_owned());
    }
    path.strip_prefix(root.as_str()?)?.strip_prefix('/').map(str::to_owned)
}

fn member(message: &str) -> Refusal {
    Refusal::new(codes::WRITE_SCOPE_MEMBER, message)
        .hint("the declaration at base says which members a writer has")
}

fn unknown_agent(name: &str) -> Refusal {
    Refusal::new(codes::AGENT_UNKNOWN, format!("the declaration at base declares no agent session {name:?}"))
        .hint("CHANT_AGENT names it; declare it under `agents` and merge that first")
}
