//! Judging a change, `base..head`, by the policy at base. What the change does to its own copy of the policy counts
//! for nothing.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use store::git::{MergeBase, ObjectKind, Oid, RepoPath};
use store::tree::{Revision, Tree, TreeError};

use crate::commit::{SignedCommit, Unsigned};
use crate::provenance::{adopt, judge_commit};
use crate::rotation::{self, Break, Broken};
use crate::trust::{Repository, short};
use crate::{Base, Fault, History, Level, Provenance, Signers, Trust};

/// What is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// There is a repository with a base and a head.
    Range,
    /// The policy at base can be read.
    Policy,
    /// The line of signers at base is unbroken.
    History(Break),
    /// A signature by a listed key verifies.
    Attestation,
    /// A change of the policy is signed by someone who may make it.
    ProtectedWrite,
    /// A changed set of signers follows the one at base.
    Rotation(Break),
    /// Every commit is attested; only where the caller asks for it.
    RequireAttested,
}

/// One check that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Which.
    pub check: Check,
    /// The commit that fails it, if one does.
    pub commit: Option<Oid>,
    /// One sentence.
    pub message: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.commit {
            Some(commit) => write!(f, "{} {}", short(commit), self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// One commit of the change, judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedCommit {
    /// The commit.
    pub commit: Oid,
    /// The first line of its message.
    pub subject: String,
    /// How far its authorship is established.
    pub provenance: Provenance,
    /// A merge that adds nothing to what it brings in, and so needs no signature.
    pub is_plain_merge: bool,
    /// Files of the policy that it changes or deletes.
    pub protected: Vec<RepoPath>,
}

/// A set of signers that the change proposes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The version at base.
    pub from: u64,
    /// The version at head.
    pub to: u64,
    /// Whose signatures bring it in.
    pub signed_by: Vec<String>,
}

/// The judgement of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// Where the policy was read.
    pub base: Option<Base>,
    /// The last commit of the change.
    pub head: Option<Oid>,
    /// Whether there are signers at base; without them nothing is checked.
    pub is_active: bool,
    /// The commits, oldest first.
    pub commits: Vec<JudgedCommit>,
    /// The new set of signers, where the change brings a valid one.
    pub proposal: Option<Proposal>,
    /// What people should know, though it fails nothing.
    pub notes: Vec<String>,
    /// The checks that failed.
    pub failures: Vec<Failure>,
}

impl Verification {
    /// Whether the change passes.
    pub fn passes(&self) -> bool {
        self.failures.is_empty()
    }

    /// Whether it fails by nothing but the caller's demand that every commit be attested.
    pub fn lacks_attestation_only(&self) -> bool {
        !self.passes() && self.failures.iter().all(|failure| failure.check == Check::RequireAttested)
    }

    fn fail(&mut self, check: Check, commit: Option<&Oid>, message: impl Into<String>) {
        self.failures.push(Failure { check, commit: commit.cloned(), message: message.into() });
    }
}

impl Trust {
    /// Judges the commits of base..`head`.
    pub fn verify(&self, head: &str, require_attested: bool) -> Result<Verification, TreeError> {
        let mut report = Verification {
            base: self.base().cloned(),
            head: None,
            is_active: self.is_active(),
            commits: Vec::new(),
            proposal: None,
            notes: Vec::new(),
            failures: Vec::new(),
        };
        let Some(repository) = &self.repository else {
            report.fail(Check::Range, None, "this is no git repository");
            return Ok(report);
        };
        report.head = repository.objects.commit(head)?;
        if let Some(no_base) = self.no_base() {
            report.fail(Check::Range, None, no_base.to_string());
        }
        if report.head.is_none() {
            let shown = head.escape_debug();
            report.fail(Check::Range, None, format!("`{shown}` names no commit of this repository"));
        }
        if let Some(problem) = self.policy_problem() {
            report.fail(Check::Policy, None, format!("the policy at base can't be read: {problem}"));
        }
        let (true, Some(base), Some(head)) = (report.passes(), self.base(), report.head.clone()) else {
            return Ok(report);
        };
        if let Some(broken) = self.broken(repository, base)? {
            let message = format!("the history of the signers at base is broken: {}", broken.message);
            report.fail(Check::History(broken.kind), broken.commit.as_ref(), message);
            return Ok(report);
        }
        let Some(signers) = self.signers() else {
            let message = format!(
                "there is no signers file (`{}`) at base {}: attestation is off and nothing was checked",
                self.signers_path(),
                short(&base.commit)
            );
            if require_attested {
                report.fail(Check::RequireAttested, None, message.clone());
            }
            report.notes.push(message);
            return Ok(report);
        };
        self.judge_commits(repository, base, &head, signers, &mut report)?;
        self.judge_rotation(repository, base, &head, &mut report)?;
        if require_attested {
            let open =
                |judged: &&JudgedCommit| judged.provenance.level != Level::Attested && !judged.is_plain_merge;
            let failures: Vec<Failure> = report
                .commits
                .iter()
                .filter(open)
                .map(|judged| Failure {
                    check: Check::RequireAttested,
                    commit: Some(judged.commit.clone()),
                    message: format!("is {}: {}", judged.provenance.level.as_str(), judged.provenance.reason),
                })
                .collect();
            report.failures.extend(failures);
        }
        Ok(report)
    }

    /// Where the line of signers breaks; also where they were taken out altogether.
    fn broken(&self, repository: &Repository, base: &Base) -> Result<Option<Broken>, TreeError> {
        if self.is_active() {
            return Ok(self.history().broken.clone());
        }
        let path = self.signers_path();
        Ok(History::read(&repository.git, &repository.objects, &base.commit, path)?.broken)
    }

    fn judge_commits(
        &self,
        repository: &Repository,
        base: &Base,
        head: &Oid,
        signers: &Signers,
        report: &mut Verification,
    ) -> Result<(), TreeError> {
        let protected: HashSet<RepoPath> = self.protected().into_iter().collect();
        let touched = repository.git.own_changes(&base.commit, head)?;
        let oids: Vec<Oid> = touched.iter().map(|one| one.commit.clone()).collect();
        let objects = repository.objects.read_many(&oids)?;
        let mut judged = Vec::new();
        let mut subjects = Vec::new();
        for (oid, object) in oids.iter().zip(objects) {
            let content =
                object.filter(|object| object.kind == ObjectKind::Commit).map(|object| object.content);
            let content = content.unwrap_or_default();
            let commit = SignedCommit::read(oid, &content);
            if let Err(Unsigned::Invalid(Fault::Wrong)) = commit.author(signers) {
                report.fail(
                    Check::Attestation,
                    Some(oid),
                    "carries a signature by a listed key that does not verify",
                );
            }
            subjects.push(subject(&content));
            judged.push((oid.clone(), judge_commit(signers, oid, &commit)));
        }
        adopt(&repository.git, &self.policy().adopted, &mut judged)?;
        for ((one, (_, provenance)), subject) in touched.into_iter().zip(judged).zip(subjects) {
            let own = if one.parents.len() > 2 {
                self.differing(repository, &one.commit, &one.parents)?
            } else {
                one.paths.iter().filter(|path| protected.contains(*path)).cloned().collect()
            };
            if !own.is_empty() {
                self.judge_write(signers, &one.commit, &own, &provenance, report);
            }
            report.commits.push(JudgedCommit {
                is_plain_merge: one.parents.len() == 2 && one.paths.is_empty(),
                commit: one.commit,
                subject,
                provenance,
                protected: own,
            });
        }
        Ok(())
    }

    /// Files of the policy in which a merge of many differs from any of its parents: nothing tells what merging them
    /// without a hand would give.
    fn differing(
        &self,
        repository: &Repository,
        commit: &Oid,
        parents: &[Oid],
    ) -> Result<Vec<RepoPath>, TreeError> {
        let paths = self.protected();
        let files = |commit: &Oid| -> Result<Vec<Option<Vec<u8>>>, TreeError> {
            match Revision::open(Arc::clone(&repository.objects), commit.as_str())? {
                Some(tree) => tree.read_many(&paths),
                None => Ok(vec![None; paths.len()]),
            }
        };
        let own = files(commit)?;
        let mut differing = vec![false; paths.len()];
        for parent in parents {
            for ((differs, own), theirs) in differing.iter_mut().zip(&own).zip(files(parent)?) {
                *differs |= *own != theirs;
            }
        }
        Ok(paths.into_iter().zip(differing).filter_map(|(path, differs)| differs.then_some(path)).collect())
    }

    fn judge_write(
        &self,
        signers: &Signers,
        commit: &Oid,
        paths: &[RepoPath],
        provenance: &Provenance,
        report: &mut Verification,
    ) {
        let signer = provenance.principal.as_deref().filter(|_| provenance.level == Level::Attested);
        if signer.is_some_and(|signer| self.policy().may_write(signers, signer)) {
            return;
        }
        let names: Vec<String> = paths.iter().map(|path| format!("`{path}`")).collect();
        let message = match signer {
            Some(signer) => format!(
                "changes {} and is signed by {signer}, who does not hold the role admin at base",
                names.join(", ")
            ),
            None => format!(
                "changes {} without the signature of someone listed at base: {}",
                names.join(", "),
                provenance.reason
            ),
        };
        report.fail(Check::ProtectedWrite, Some(commit), message);
    }

    /// Whether a set of signers that the change has touched follows the one at base.
    fn judge_rotation(
        &self,
        repository: &Repository,
        base: &Base,
        head: &Oid,
        report: &mut Verification,
    ) -> Result<(), TreeError> {
        let signers = self.signers_path();
        let paths = [signers.clone(), rotation::path(signers)];
        let files = |commit: &Oid| -> Result<Vec<Option<Vec<u8>>>, TreeError> {
            match Revision::open(Arc::clone(&repository.objects), commit.as_str())? {
                Some(tree) => tree.read_many(&paths),
                None => Ok(vec![None; paths.len()]),
            }
        };
        let proposed = files(head)?;
        // A branch that began before base's last rotation has the old files, and has not touched them.
        let fork = match repository.git.merge_base(base.commit.as_str(), head.as_str())? {
            MergeBase::Found(fork) => fork,
            MergeBase::None | MergeBase::CutOff => base.commit.clone(),
        };
        if proposed == files(&fork)? {
            return Ok(());
        }
        let mut proposed = proposed.into_iter();
        // Taking the file out is a protected write, judged as such.
        let (Some(Some(set)), rotation) = (proposed.next(), proposed.next().flatten()) else { return Ok(()) };
        let newest = self.history().newest();
        match rotation::next(newest, &set, rotation.as_deref()) {
            Ok(None) => {}
            Ok(Some(version)) => {
                report.proposal = Some(Proposal {
                    from: newest.map_or(0, |newest| newest.version),
                    to: version.version,
                    signed_by: version.signed_by.iter().map(ToString::to_string).collect(),
                });
            }
            Err(broken) => {
                let message = format!("the signers at head do not follow those at base: {}", broken.message);
                report.fail(Check::Rotation(broken.kind), None, message);
            }
        }
        Ok(())
    }
}

/// The first line of a commit's message.
fn subject(object: &[u8]) -> String {
    let text = String::from_utf8_lossy(object);
    let message = text.split_once("\n\n").map(|(_, message)| message).unwrap_or_default();
    canon::text::one_line(message.trim_start().lines().next().unwrap_or_default())
}

#[cfg(test)]
mod tests;
