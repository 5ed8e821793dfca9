//! How far the authorship of a commit, or of a file's last change, is established.

use std::collections::{HashMap, HashSet};

use store::git::{Git, GitError, ObjectKind, Oid, RepoPath};
use store::tree::TreeError;

use crate::commit::{SignedCommit, Unsigned};
use crate::policy::Adopted;
use crate::position::Positions;
use crate::rotation::Version;
use crate::trust::{Repository, short};
use crate::{Signers, Trust};

/// The one thing that attests commits.
const ATTESTOR: &str = "ssh-commit";

/// Levels of provenance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Signed by a signer that base lists.
    Attested,
    /// Signed in a way that can't be checked here.
    Unverifiable,
    /// Within a range that the policy takes in without signatures.
    Adopted,
    /// None of these.
    Unattested,
}

impl Level {
    /// As documents write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Attested => "attested",
            Self::Unverifiable => "attested-unverifiable-here",
            Self::Adopted => "adopted",
            Self::Unattested => "unattested",
        }
    }
}

/// What is known of an authorship.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provenance {
    /// How far it goes.
    pub level: Level,
    /// The commit that the content comes from; none for content that no commit holds.
    pub commit: Option<Oid>,
    /// What was asked, where something was.
    pub attestor: Option<&'static str>,
    /// Who signed, as the signers file writes it.
    pub principal: Option<String>,
    /// The fingerprint of the key.
    pub key: Option<String>,
    /// Why it is this level, for people.
    pub reason: String,
}

impl Provenance {
    /// Nothing vouches for it.
    pub fn unattested(commit: Option<Oid>, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self { level: Level::Unattested, commit, attestor: None, principal: None, key: None, reason }
    }

    /// Content that the working tree has changed.
    pub fn uncommitted() -> Self {
        Self::unattested(None, "the working tree has uncommitted changes to this file")
    }
}

impl Trust {
    /// The provenance of files as `rev` has them, in the order of `paths`, which are named from the top of the
    /// repository. `is_dirty` tells the files whose content in the working tree is another.
    pub fn files(
        &self,
        rev: &str,
        paths: &[RepoPath],
        is_dirty: &dyn Fn(&RepoPath) -> bool,
    ) -> Result<Vec<Provenance>, TreeError> {
        let all = |reason: &str| Ok(vec![Provenance::unattested(None, reason); paths.len()]);
        let Some(repository) = &self.repository else { return all("this is no git repository") };
        if let Some(reason) = self.off() {
            return all(&reason);
        }
        let clean: Vec<RepoPath> = paths.iter().filter(|path| !is_dirty(path)).cloned().collect();
        let last = match repository.objects.commit(rev)? {
            Some(commit) => repository.git.last_changes(commit.as_str(), &clean)?,
            None => HashMap::new(),
        };
        let commits: HashSet<Oid> = last.values().cloned().collect();
        let commits: Vec<Oid> = commits.into_iter().collect();
        let judged: HashMap<&Oid, Provenance> = commits.iter().zip(self.commits(&commits)?).collect();
        Ok(paths
            .iter()
            .map(|path| match last.get(path).and_then(|commit| judged.get(commit)) {
                Some(provenance) => provenance.clone(),
                None if is_dirty(path) => Provenance::uncommitted(),
                None => Provenance::unattested(None, "no commit holds this file"),
            })
            .collect())
    }

    /// The provenance of commits, in their order.
    pub fn commits(&self, commits: &[Oid]) -> Result<Vec<Provenance>, TreeError> {
        let Some(repository) = &self.repository else {
            let reason = "this is no git repository";
            return Ok(commits.iter().map(|oid| Provenance::unattested(Some(oid.clone()), reason)).collect());
        };
        if let Some(reason) = self.off() {
            let one = |oid: &Oid| Provenance::unattested(Some(oid.clone()), reason.clone());
            return Ok(commits.iter().map(one).collect());
        }
        let mut known = match self.judged.lock() {
            Ok(judged) => judged.clone(),
            Err(_) => HashMap::new(),
        };
        let new: HashSet<&Oid> = commits.iter().filter(|oid| !known.contains_key(oid)).collect();
        let new: Vec<Oid> = new.into_iter().cloned().collect();
        let judged = self.judge(repository, &new)?;
        known.extend(judged.iter().map(|(oid, provenance)| (oid.clone(), provenance.clone())));
        if let Ok(mut memory) = self.judged.lock() {
            memory.extend(judged);
        }
        let missing = |oid: &Oid| Provenance::unattested(Some(oid.clone()), "the commit is not here");
        Ok(commits.iter().map(|oid| known.get(oid).cloned().unwrap_or_else(|| missing(oid))).collect())
    }

    /// Why nothing is judged.
    fn off(&self) -> Option<String> {
        let problems = self.problems();
        if !problems.is_empty() {
            return Some(problems.join("; "));
        }
        let base = self.base().map(|base| short(&base.commit)).unwrap_or_default();
        let path = self.signers_path();
        (!self.is_active()).then(|| format!("no signers file ({path}) at base {base}; attestation is off"))
    }

    fn judge(&self, repository: &Repository, commits: &[Oid]) -> Result<Vec<(Oid, Provenance)>, TreeError> {
        let mut signed = Vec::new();
        let mut judged = Vec::new();
        let mut objects = repository.objects.read_many(commits)?.into_iter();
        for oid in commits {
            let object = objects.next().flatten().filter(|object| object.kind == ObjectKind::Commit);
            let Some(object) = object else { continue };
            let commit = SignedCommit::read(oid, &object.content);
            if commit.signature.is_some() {
                signed.push((oid, commit));
            } else {
                judged.push((oid.clone(), refused(oid, &Unsigned::Not)));
            }
        }
        // Where commits stand is only worth asking where a signature is to be judged.
        if !signed.is_empty() {
            let names: Vec<&Oid> = signed.iter().map(|(oid, _)| *oid).collect();
            let outside = self.outside(repository, &names)?;
            for (oid, commit) in &signed {
                let version = if outside.contains(*oid) {
                    self.history().newest()
                } else {
                    self.positions.get().and_then(|positions| positions.version(self.history(), oid))
                };
                judged.push(((*oid).clone(), judge_by(version, oid, commit)));
            }
        }
        adopt(&repository.git, &self.policy().adopted, &mut judged)?;
        Ok(judged)
    }

    /// Those of `commits` that are no part of base.
    fn outside(&self, repository: &Repository, commits: &[&Oid]) -> Result<HashSet<Oid>, TreeError> {
        let Some(base) = self.base() else { return Ok(HashSet::new()) };
        if self.positions.get().is_none() {
            let positions = Positions::read(&repository.git, &base.commit, self.history())?;
            let _ = self.positions.set(positions);
        }
        let known = |oid: &Oid| self.positions.get().is_some_and(|positions| positions.knows(oid));
        let unknown: Vec<Oid> = commits.iter().filter(|oid| !known(oid)).map(|oid| (*oid).clone()).collect();
        if unknown.is_empty() {
            return Ok(HashSet::new());
        }
        let lineage = repository.git.lineage(&unknown, std::slice::from_ref(&base.commit))?;
        Ok(lineage.into_iter().map(|line| line.commit).collect())
    }
}

fn judge_by(version: Option<&Version>, oid: &Oid, commit: &SignedCommit) -> Provenance {
    let Some(signers) = version.and_then(|version| version.signers.as_deref()) else {
        let reason = "no set of signers was in effect where this commit came into base";
        return Provenance::unattested(Some(oid.clone()), reason);
    };
    judge_commit(signers, oid, commit)
}

/// The provenance of one commit by one set of signers.
pub(crate) fn judge_commit(signers: &Signers, oid: &Oid, commit: &SignedCommit) -> Provenance {
    match commit.author(signers) {
        Ok(proof) => Provenance {
            level: Level::Attested,
            commit: Some(oid.clone()),
            attestor: Some(ATTESTOR),
            principal: Some(proof.signer.principal.as_str().to_owned()),
            key: Some(proof.key),
            reason: format!("signed by {}", proof.signer.principal),
        },
        Err(why) => refused(oid, &why),
    }
}

fn refused(oid: &Oid, why: &Unsigned) -> Provenance {
    let level = match why {
        Unsigned::Unchecked(_) => Level::Unverifiable,
        _ => Level::Unattested,
    };
    let key = match why {
        Unsigned::Unlisted { key } => Some(key.clone()),
        _ => None,
    };
    let attestor = Some(ATTESTOR);
    Provenance { level, commit: Some(oid.clone()), attestor, principal: None, key, reason: why.to_string() }
}

/// Lifts what is unattested and lies in an adopted range.
pub(crate) fn adopt(git: &Git, ranges: &[Adopted], judged: &mut [(Oid, Provenance)]) -> Result<(), GitError> {
    for range in ranges {
        if judged.iter().all(|(_, provenance)| provenance.level != Level::Unattested) {
            break;
        }
        let here = |oid: &Oid| git.exists(oid);
        // A range whose ends are not here takes nothing in: how far it reaches can't be told.
        if !here(&range.to)? || !range.from.as_ref().map_or(Ok(true), here)? {
            continue;
        }
        let without = range.from.as_slice();
        let lineage = git.lineage(std::slice::from_ref(&range.to), without)?;
        let adopted: HashSet<&Oid> = lineage.iter().map(|line| &line.commit).collect();
        for (oid, provenance) in judged.iter_mut() {
            if provenance.level == Level::Unattested && adopted.contains(oid) {
                provenance.level = Level::Adopted;
                provenance.reason =
                    format!("in a range that the policy at base adopts; {}", provenance.reason);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
