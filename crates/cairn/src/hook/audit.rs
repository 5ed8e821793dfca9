//! What the repository shows afterwards: commits, files and settings held against the receipts.

mod bypass;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use agents::AgentId;
use agents::install::{self, Scope, State as Standing};
use canon::text::counted;
use gate::Refusal;
use gate::event::Decision;
use govern::State;
use govern::receipts::{Kind, Receipt, document, key, short, verify};
use schemars::JsonSchema;
use serde::Serialize;
use store::World;
use store::git::{Git, Layout, RepoPath};

use super::compare::dirty;
use super::installed::Installed;
use crate::codes;

/// What the evidence says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    /// What is on record shows it.
    Proved,
    /// Nothing on record shows it.
    NotShown,
    /// What is on record says otherwise.
    Contradicts,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Point {
    /// What was looked at.
    pub what: &'static str,
    /// What the evidence says.
    pub shown: Shown,
    /// The fact, in one sentence.
    pub fact: String,
    /// The files that it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cure: Option<String>,
}

impl Point {
    fn new(what: &'static str, shown: Shown, fact: impl Into<String>) -> Self {
        Self { what, shown, fact: fact.into(), paths: Vec::new(), cure: None }
    }

    fn cure(mut self, cure: impl Into<String>) -> Self {
        self.cure = Some(cure.into());
        self
    }
}

/// Looks at everything. `since` is the commit from which on history counts; without one it counts from the first
/// receipt on.
///
/// # Errors
/// The receipts, the repository or an agent's settings can't be read.
pub fn audit(
    world: &World,
    state: &State,
    program: &Path,
    since: Option<&str>,
) -> Result<Vec<Point>, Refusal> {
    let mut points = vec![chain(state)?];
    let receipts = document::export(state, &[]).map(|log| log.receipts);
    let layout = Layout::discover(state.root()).map_err(|error| unreadable(&error))?;
    if layout.is_some() {
        let git = Git::new(state.root(), &world.env);
        // A head file that can't be read is a fault of the chain, which is on the list.
        let receipts = receipts.unwrap_or_default();
        points.extend(files(&git, &receipts, since)?);
        points.extend(repository(&git, state)?);
        points.extend(bypass::calls(&receipts));
        points.extend(bypass::commits(&git, state.root(), &receipts, since)?);
    }
    points.extend(settings(&Installed::new(state, world, program))?);
    Ok(points)
}

fn unreadable(error: &dyn std::fmt::Display) -> Refusal {
    Refusal::new(codes::RECEIPTS_UNREADABLE, error.to_string()).hint("make it readable, then try again")
}

fn chain(state: &State) -> Result<Point, Refusal> {
    const WHAT: &str = "receipts";
    let keys = key::known(state.keys()).map_err(|error| unreadable(&error))?;
    let found = verify::verify(state, &keys).map_err(|error| unreadable(&error))?;
    let point = |shown, fact: String| Point::new(WHAT, shown, fact).cure("cairn receipts verify");
    Ok(if let Some(fault) = found.fault.as_ref().filter(|_| found.is_newer()) {
        point(Shown::NotShown, format!("the chain can't be judged from {fault}"))
    } else if let Some(fault) = &found.fault {
        point(Shown::Contradicts, format!("the chain is broken at {fault}"))
    } else if let Some(one) = found.contradictions.first() {
        let fact = format!("line {} has a result of a call that line {} denied", one.seen, one.denied);
        point(Shown::Contradicts, fact)
    } else if let Some(broken) = found.breaks.first() {
        point(Shown::Contradicts, format!("at {} the log before this one was found damaged", broken.at))
    } else if let Some(line) = found.unsigned_heads.first() {
        let fact = format!(
            "before line {line} the head file was not signed: an older cairn wrote it, or the end was cut off"
        );
        point(Shown::NotShown, fact)
    } else if found.lines == 0 {
        Point::new(WHAT, Shown::NotShown, "there is none").cure("cairn hook status")
    } else {
        let lines = counted(usize::try_from(found.lines).unwrap_or(usize::MAX), "line");
        Point::new(WHAT, Shown::Proved, format!("the chain of {lines} is whole"))
    })
}

/// The files that changed, by what the receipts say of writing them.
fn files(git: &Git, receipts: &[Receipt], since: Option<&str>) -> Result<Vec<Point>, Refusal> {
    let Some(first) = receipts.first() else { return Ok(Vec::new()) };
    let mut changed: BTreeSet<String> = dirty(git).unwrap_or_default().into_iter().collect();
    changed.extend(committed(git, first, since)?);
    let mut written = BTreeSet::new();
    let mut denied = BTreeSet::new();
    for line in receipts {
        let is_denied = line.decision == Some(Decision::Deny);
        let is_call = matches!(line.kind, Kind::Judged | Kind::Seen);
        let whose = if is_denied { &mut denied } else { &mut written };
        if is_call {
            whose.extend(line.writes.iter().cloned());
        }
    }
    let mut groups: BTreeMap<Shown, Vec<String>> = BTreeMap::new();
    for path in changed {
        let name = short(&path);
        let shown = match (written.contains(&name), denied.contains(&name)) {
            (true, _) => Shown::Proved,
            (false, true) => Shown::Contradicts,
            (false, false) => Shown::NotShown,
        };
        groups.entry(shown).or_default().push(path);
    }
    let point = |(shown, paths): (Shown, Vec<String>)| {
        let number = counted(paths.len(), "changed file");
        let fact = match shown {
            Shown::Proved => format!("{number} with a receipt of the write"),
            Shown::NotShown => format!("{number} without a receipt: a person or another program wrote there"),
            Shown::Contradicts => {
                format!("{number} that a call was denied to write, and no call was let write")
            }
        };
        Point { paths, ..Point::new("files", shown, fact) }
    };
    Ok(groups.into_iter().map(point).collect())
}

/// Which commits count, as git's log takes it.
fn from(git: &Git, first: &Receipt, since: Option<&str>) -> Result<String, Refusal> {
    let Some(rev) = since else { return Ok(format!("--since={}", first.at)) };
    let base = git.resolve(rev).map_err(|error| unreadable(&error))?;
    let base = base.ok_or_else(|| {
        Refusal::new(codes::NO_COMMIT, format!("`{rev}` names no commit")).next("git log --oneline")
    })?;
    Ok(format!("^{base}"))
}

/// The files of the commits that count. Merges are told by what was merged.
fn committed(git: &Git, first: &Receipt, since: Option<&str>) -> Result<Vec<String>, Refusal> {
    let from = from(git, first, since)?;
    if git.resolve("HEAD").map_err(|error| unreadable(&error))?.is_none() {
        return Ok(Vec::new());
    }
    let output = git
        .output([
            "log",
            "-z",
            "--format=",
            "--name-only",
            "--no-renames",
            "--no-ext-diff",
            &from,
            "HEAD",
            "--",
        ])
        .map_err(|error| unreadable(&error))?;
    let names = output.stdout.split(|byte| matches!(byte, 0 | b'\n')).filter(|name| !name.is_empty());
    Ok(names.map(|name| String::from_utf8_lossy(name).into_owned()).collect())
}

fn repository(git: &Git, state: &State) -> Result<Vec<Point>, Refusal> {
    let hooks = git.config("core.hooksPath").map_err(|error| unreadable(&error))?;
    let mut points = vec![match hooks {
        Some(path) => Point::new(
            "git hooks",
            Shown::NotShown,
            format!("`core.hooksPath` takes them from `{path}`; whether others ran is not shown"),
        )
        .cure("git config --unset core.hooksPath"),
        None => Point::new("git hooks", Shown::Proved, "they are those of the repository"),
    }];
    let names = [govern::policy::PATH, ".chalk/chalk.json", ".chalk/tasks.json"];
    let there: Vec<RepoPath> =
        names.into_iter().filter(|name| state.root().join(name).exists()).map(RepoPath::from).collect();
    let ignored = git.ignored(&there).map_err(|error| unreadable(&error))?;
    let hidden: Vec<String> = there
        .iter()
        .zip(ignored)
        .filter(|(_, is)| *is)
        .map(|(path, _)| path.legible().into_owned())
        .collect();
    if !hidden.is_empty() {
        let fact = "git ignores what the gates rest on, so that nobody else sees it change";
        let point = Point::new("state", Shown::NotShown, fact).cure("take the lines out of `.gitignore`");
        points.push(Point { paths: hidden, ..point });
    }
    Ok(points)
}

/// Installations that are on record, as they stand.
fn settings(installed: &Installed<'_>) -> Result<Vec<Point>, Refusal> {
    let mut points = Vec::new();
    for agent in AgentId::ALL {
        for scope in [Scope::Private, Scope::Shared] {
            for target in install::targets(agent, scope).unwrap_or_default() {
                let path = installed.path(&target)?;
                if installed.kept(&path).is_none() {
                    continue;
                }
                let status = installed.status_of(&target)?;
                let (shown, fact) = match status.state {
                    Standing::Installed => (Shown::Proved, format!("{agent} calls cairn")),
                    Standing::Absent => (
                        Shown::Contradicts,
                        format!("the entries of {agent} are gone, and nobody uninstalled them"),
                    ),
                    Standing::Off => (Shown::Contradicts, format!("the hooks of {agent} are switched off")),
                    _ => (Shown::NotShown, format!("the entries of {agent} are not as they were installed")),
                };
                let point = Point::new("agent settings", shown, fact);
                let point = if shown == Shown::Proved {
                    point
                } else {
                    point.cure(format!("cairn hook status {agent}"))
                };
                points.push(Point { paths: vec![path.display().to_string()], ..point });
            }
        }
    }
    Ok(points)
}
