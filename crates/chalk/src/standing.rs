//! Whether the spine is as the program's last write left it.
//!
//! Each write of `chalk.json` or `tasks.json` leaves the digests of both in a chain outside the work
//! tree. A state that the chain doesn't know came another way: with git (a pull, a checkout, another
//! program's commit), which is accepted and noted; or past everything, which is named by every command
//! until a person accepts it.

use std::collections::BTreeMap;

use canon::Sha256;
use gate::Refusal;
use serde::{Deserialize, Serialize};
use store::chain::{Chain, Record};
use store::file::{self, Identity};
use store::git::RepoPath;

use crate::codes;
use crate::model::Strictness;
use crate::seen::{Seen, Tail};
use crate::session::{Session, io};

/// The files whose digests are kept.
pub(crate) const WATCHED: [&str; 2] = ["chalk.json", "tasks.json"];

/// How the spine stands to the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// No write is on record: a new spine, or one that only other programs wrote.
    Unrecorded,
    /// As the last write left it.
    Clean,
    /// Changed, and equal to what git has at HEAD.
    Foreign(Vec<String>),
    /// Changed past the program.
    Edited {
        /// Which files.
        files: Vec<String>,
        /// Whether policy, now or at the last write, refuses to go on.
        refuse: bool,
    },
    /// The chain itself is not what was written.
    Broken(String),
}

/// The body of a record of the spine chain.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Written {
    /// The command that wrote.
    pub by: String,
    /// The digests that it left; a missing file has none.
    pub files: BTreeMap<String, Option<Sha256>>,
    /// Files that were edited past the program and not accepted yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unaccepted: Vec<String>,
    /// The policy at that time, so that switching it off by hand doesn't help.
    #[serde(default)]
    pub refuse: bool,
    /// The ids of tasks that were done without a record of it, so that each is named once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unrecorded: Vec<String>,
    /// Why an edit was accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// The last record of the chain; a broken chain gives its message.
pub(crate) fn last(chain: &Chain) -> Result<Option<(Record, Written)>, String> {
    let Some(record) = chain.last().map_err(|error| error.to_string())? else { return Ok(None) };
    let written = serde_json::from_value(record.body.clone())
        .map_err(|error| format!("`{}`: the last record is unknown: {error}", chain.path().display()))?;
    Ok(Some((record, written)))
}

/// The digests of the watched files as they are; a large file that was seen before and not touched since is
/// not read again.
fn digests(session: &Session<'_>) -> Result<BTreeMap<String, Option<Sha256>>, Refusal> {
    let state = session.state()?;
    let mut seen = Seen::load(state);
    let mut news = false;
    let mut digests = BTreeMap::new();
    for name in WATCHED {
        let path = session.path(name);
        if let Some(entry) = seen.entry(name, &path) {
            digests.insert(name.to_owned(), Some(entry.sha256));
            continue;
        }
        let identity = Identity::of(&path);
        let bytes = file::read(&path).map_err(io)?;
        let digest = bytes.as_deref().map(|bytes| match std::str::from_utf8(bytes) {
            Ok(text) => Tail::of(text),
            Err(_) => (Sha256::of(bytes), None),
        });
        if let (Some(identity), Some((digest, tail))) = (identity, &digest)
            && identity.size() > 0
        {
            seen.remember(name, false, identity, *digest, tail.clone());
            news = true;
        }
        digests.insert(name.to_owned(), digest.map(|(digest, _)| digest));
        if name == "tasks.json" {
            session.keep_tasks(bytes);
        }
    }
    if news && state.is_dir() {
        seen.save(state);
    }
    Ok(digests)
}

/// Compares the spine with the chain.
pub(crate) fn examine(session: &Session<'_>) -> Result<Standing, Refusal> {
    // Without a place for the chain there is nothing to compare with; a write says so.
    let Ok(chain) = session.spine_chain() else { return Ok(Standing::Unrecorded) };
    match last(&chain) {
        Err(message) => Ok(Standing::Broken(message)),
        Ok(None) => Ok(Standing::Unrecorded),
        Ok(Some((_, written))) => Ok(compare(session, &written, &digests(session)?)),
    }
}

/// Compares `now` with the last record.
pub(crate) fn compare(
    session: &Session<'_>,
    written: &Written,
    now: &BTreeMap<String, Option<Sha256>>,
) -> Standing {
    let changed: Vec<&String> = now
        .iter()
        .filter(|(name, digest)| {
            written.files.get(*name) != Some(digest) || written.unaccepted.contains(name)
        })
        .map(|(name, _)| name)
        .collect();
    if changed.is_empty() {
        return Standing::Clean;
    }
    let edited: Vec<String> = changed
        .iter()
        .filter(|name| now.get(**name).is_none_or(Option::is_none) || !equals_head(session, name))
        .map(|name| (*name).clone())
        .collect();
    if edited.is_empty() {
        return Standing::Foreign(changed.into_iter().cloned().collect());
    }
    let refuse = written.refuse
        || session.config().is_ok_and(|config| config.protocol.tamper_evident == Strictness::Refuse);
    Standing::Edited { files: edited, refuse }
}

/// Whether git has the file at HEAD as it is now. Git that can't be asked has not got it.
fn equals_head(session: &Session<'_>, name: &str) -> bool {
    let Some(git) = session.git(&session.spine.root) else { return false };
    git.equals_head(&RepoPath::new(format!(".chalk/{name}"))).unwrap_or(false)
}

impl Standing {
    /// The sentence for people where something is wrong.
    pub fn complaint(&self) -> Option<String> {
        match self {
            Self::Edited { files, .. } => {
                let files: Vec<String> = files.iter().map(|name| format!("`.chalk/{name}`")).collect();
                let were = if files.len() == 1 { "was" } else { "were" };
                Some(format!(
                    "{} {were} changed past the program, and not committed either",
                    files.join(" and ")
                ))
            }
            Self::Broken(message) => Some(format!("the record of writes is broken: {message}")),
            _ => None,
        }
    }

    /// The warning where something is wrong, with the way out.
    pub fn warning(&self, session: &Session<'_>) -> Option<String> {
        let complaint = self.complaint()?;
        Some(format!("{complaint}; accept it with `{}`", session.cmd("accept --why \"...\"")))
    }

    /// The refusal where policy refuses to go on; a broken record refuses under the same policy.
    pub fn refusal(&self, session: &Session<'_>) -> Option<Refusal> {
        let refuses = match self {
            Self::Edited { refuse, .. } => *refuse,
            Self::Broken(_) => {
                session.config().is_ok_and(|config| config.protocol.tamper_evident == Strictness::Refuse)
            }
            _ => false,
        };
        let complaint = self.complaint().filter(|_| refuses)?;
        Some(
            Refusal::new(codes::SPINE_TAMPERED, complaint)
                .hint("look at the change (`git diff .chalk`), then accept it with a reason or restore the file")
                .next(session.cmd("accept --why \"...\"")),
        )
    }
}
