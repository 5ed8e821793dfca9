//! What git does with the spine: tracked, neither ignored nor merged line by line, with its history.

use gate::Level;
use store::git::{Git, GitError, Head, RepoPath};

use super::{Cure as _, Findings, few};
use crate::content;
use crate::session::{self, Session};

/// The files that are the project's state.
const STATE: [&str; 6] =
    ["chalk.json", "tasks.json", "updates.jsonl", "questions.json", "decisions.md", "spec.md"];

/// Names that stand for what must not be committed.
const LOCAL: [(&str, &str); 3] = [("local/probe", "local/"), (".lock", ".lock"), ("probe.1.tmp", "*.tmp")];

pub(super) fn check(session: &Session<'_>, findings: &mut Findings) {
    let root = &session.spine.root;
    let Some(git) = session.git(root) else {
        findings
            .info("git", "no repository: changes are not measured, and nothing is checked for being tracked");
        return;
    };
    let here = session.git(&session.spine.tree).unwrap_or_else(|| git.clone());
    if let Err(error) = head(&here, findings) {
        findings.refused("git", Level::Fail, &session::git(error));
        return;
    }
    let outcomes =
        [state(session, &git, findings), ignored(session, &git, findings), merging(&git, findings)];
    for error in outcomes.into_iter().filter_map(Result::err) {
        findings.refused("git", Level::Fail, &session::git(error));
    }
}

fn head(git: &Git, findings: &mut Findings) -> Result<(), GitError> {
    match git.head()? {
        Head::Branch { name, oid: Some(_) } => findings.ok("git", format!("on branch {name}")),
        Head::Branch { name, oid: None } => {
            findings.info("git", format!("branch {name} has no commit yet, so no change can be measured"));
        }
        Head::Detached { .. } => {
            findings
                .warn("git", "HEAD is detached: what is committed here is on no branch")
                .cured_by("git switch -c NAME");
        }
    }
    if git.is_shallow()? {
        findings
            .warn("history", "the clone is shallow: where history is cut, a change can't be measured")
            .cured_by("git fetch --unshallow");
    }
    Ok(())
}

/// The state must be in git's index: what an agent put on the ignore list exists for nobody else, and a
/// gate elsewhere would pass on an empty set.
fn state(session: &Session<'_>, git: &Git, findings: &mut Findings) -> Result<(), GitError> {
    let there = STATE.iter().filter(|name| session.path(name).exists());
    let paths: Vec<RepoPath> = there.map(|name| RepoPath::new(format!(".chalk/{name}"))).collect();
    let shown = |wanted: &[bool]| {
        let wanted = paths.iter().zip(wanted).filter(|(_, wanted)| **wanted);
        wanted.map(|(path, _)| String::from_utf8_lossy(path.as_bytes()).into_owned()).collect::<Vec<_>>()
    };
    let ignored = git.ignored(&paths)?;
    let tracked = git.is_tracked(&paths)?;
    let names = shown(&ignored);
    if let Some(first) = names.first() {
        findings.fail("state", format!("git ignores {}", few(names.iter().map(String::as_str)))).cured_by(
            format!("take out the rule that `git check-ignore -v {first}` names, then `git add .chalk`"),
        );
    }
    if git.head()?.oid().is_none() {
        return Ok(());
    }
    let mut taken_out = Vec::new();
    let mut fresh = Vec::new();
    for (path, (tracked, ignored)) in paths.iter().zip(tracked.iter().zip(&ignored)) {
        if *tracked || *ignored {
            continue;
        }
        let name = String::from_utf8_lossy(path.as_bytes()).into_owned();
        let list = if git.blob("HEAD", path)?.is_some() { &mut taken_out } else { &mut fresh };
        list.push(name);
    }
    if !taken_out.is_empty() {
        findings
            .fail("state", format!("taken out of git's index: {}", few(taken_out.iter().map(String::as_str))))
            .cured_by("git add .chalk");
    }
    if !fresh.is_empty() {
        findings
            .warn("state", format!("not committed yet: {}", few(fresh.iter().map(String::as_str))))
            .cured_by("git add .chalk, and commit it");
    }
    if names.is_empty() && taken_out.is_empty() && fresh.is_empty() {
        findings.ok("state", "git tracks the spine");
    }
    Ok(())
}

/// What is local or secret must be on the ignore list.
fn ignored(session: &Session<'_>, git: &Git, findings: &mut Findings) -> Result<(), GitError> {
    let mut probes: Vec<(String, String)> =
        LOCAL.iter().map(|(probe, rule)| (format!(".chalk/{probe}"), (*rule).to_owned())).collect();
    let folder = session.config().ok().and_then(|config| content::held_out_folder(&config));
    if let Some(folder) = folder {
        let rule = format!("{}/*", folder.strip_prefix(".chalk/").unwrap_or(&folder));
        probes.push((format!("{folder}/probe.test"), rule));
    }
    let paths: Vec<RepoPath> = probes.iter().map(|(probe, _)| RepoPath::new(probe)).collect();
    let open = git.ignored(&paths)?.into_iter().zip(&probes).filter(|(ignored, _)| !ignored);
    let rules: Vec<&str> = open.map(|(_, (_, rule))| rule.as_str()).collect();
    if rules.is_empty() {
        findings.ok("ignore", "git ignores what is local or held out");
    } else {
        findings
            .warn(
                "ignore",
                format!("`git add -A` would commit what is local or held out: {}", few(rules.clone())),
            )
            .cured_by(format!("put these lines into `.chalk/.gitignore`: {}", rules.join(" ")));
    }
    Ok(())
}

/// `merge=union` glues both sides of a document together, and doubles what both of them changed.
fn merging(git: &Git, findings: &mut Findings) -> Result<(), GitError> {
    let documents = [".chalk/chalk.json", ".chalk/tasks.json", ".chalk/questions.json"];
    let asked = ["check-attr", "-z", "merge", "--"].into_iter().chain(documents);
    let output = git.output(asked)?;
    let answers: Vec<&[u8]> = output.stdout.split(|&byte| byte == 0).collect();
    let union = answers.chunks_exact(3).filter(|answer| answer[2] == b"union");
    let union: Vec<String> = union.map(|answer| String::from_utf8_lossy(answer[0]).into_owned()).collect();
    if !union.is_empty() {
        let named = few(union.iter().map(String::as_str));
        findings
            .warn("merge", format!("`merge=union` doubles records that both sides changed: {named}"))
            .cured_by("take that attribute off; a conflict is refused here and loses nothing");
    }
    Ok(())
}
