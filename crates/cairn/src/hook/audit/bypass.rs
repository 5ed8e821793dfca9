//! Commits that may have gone past git's hooks: what the receipts say of such calls, and what nobody can say of commits.
//!
//! A receipt holds arguments as digests. It names the rule that a call broke, and the digests of the first words of each
//! command, which is enough to find `git commit --no-verify` again. A flag that stands further behind is found where the
//! same call was denied before, and not where the gates were paused all along.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use canon::Sha256;
use canon::text::counted;
use gate::Refusal;
use gate::event::Decision;
use govern::codes::GATE_BYPASS;
use govern::receipts::{Kind, Receipt, short};
use store::git::Git;

use super::{Point, Shown, from, unreadable};

/// What is looked for among the first words of a command.
const PAST: [&str; 6] = [
    "git commit --no-verify",
    "git commit -n",
    "git merge --no-verify",
    "git push --no-verify",
    "git rebase --no-verify",
    "git am --no-verify",
];

/// The hooks that judge a commit.
const HOOKS: [&str; 4] = ["commit-msg", "pre-commit", "pre-merge-commit", "prepare-commit-msg"];

/// The calls on record that would go past git's hooks.
pub(super) fn calls(receipts: &[Receipt]) -> Vec<Point> {
    const WHAT: &str = "hook bypass";
    let past: BTreeSet<String> = PAST.iter().map(|command| short(command)).collect();
    let is_bypass = |line: &Receipt| line.reason.as_deref() == Some(GATE_BYPASS.as_str());
    let bypasses: BTreeSet<Sha256> =
        receipts.iter().filter(|line| is_bypass(line)).filter_map(|line| line.args_hash).collect();
    let judged = |line: &Receipt| {
        let seq = line.parent_seq?;
        let at = receipts.binary_search_by_key(&seq, |line| line.seq).ok()?;
        Some(&receipts[at])
    };
    let (mut denied, mut granted, mut unjudged) = (0, Vec::new(), Vec::new());
    for line in receipts {
        match line.kind {
            Kind::Judged if is_bypass(line) && line.decision == Some(Decision::Deny) => denied += 1,
            Kind::Seen => {
                let names_it = line.runs.iter().any(|run| past.contains(run));
                if !names_it && !line.args_hash.is_some_and(|args| bypasses.contains(&args)) {
                    continue;
                }
                match judged(line) {
                    // A result of a denied call is a contradiction of the chain, and told there.
                    Some(judged) if judged.decision == Some(Decision::Deny) => {}
                    Some(judged) if judged.marker.is_some() || is_bypass(judged) => granted.push(line.seq),
                    _ => unjudged.push(line.seq),
                }
            }
            _ => {}
        }
    }
    let lines = |lines: &[u64]| lines.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    let mut points = Vec::new();
    if !unjudged.is_empty() {
        let fact = format!(
            "{} went past git's hooks, and no person let it: line {}",
            counted(unjudged.len(), "call"),
            lines(&unjudged)
        );
        points.push(Point::new(WHAT, Shown::Contradicts, fact).cure("cairn receipts show <line>"));
    }
    if !granted.is_empty() {
        let fact = format!(
            "{} went past git's hooks because a person let it: line {}; what the hooks would have said is not known",
            counted(granted.len(), "call"),
            lines(&granted)
        );
        points.push(Point::new(WHAT, Shown::NotShown, fact).cure("run the hooks on those commits"));
    }
    if denied > 0 {
        let fact = format!("{} that would go past git's hooks got a denial", counted(denied, "call"));
        points.push(Point::new(WHAT, Shown::Proved, fact));
    }
    points
}

/// Whether the hooks ran at the commits that count, where there are hooks: git keeps no record of it.
pub(super) fn commits(
    git: &Git,
    root: &Path,
    receipts: &[Receipt],
    since: Option<&str>,
) -> Result<Vec<Point>, Refusal> {
    let Some(first) = receipts.first() else { return Ok(Vec::new()) };
    let hooks = active(git, root)?;
    if hooks.is_empty() || git.resolve("HEAD").map_err(|error| unreadable(&error))?.is_none() {
        return Ok(Vec::new());
    }
    let from = from(git, first, since)?;
    let output =
        git.output(["rev-list", "--no-merges", &from, "HEAD", "--"]).map_err(|error| unreadable(&error))?;
    let commits = output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count();
    if commits == 0 {
        return Ok(Vec::new());
    }
    let run = short("git commit");
    let on_record =
        receipts.iter().filter(|line| line.kind == Kind::Seen && line.runs.contains(&run)).count();
    let names: Vec<String> = hooks.iter().map(|hook| format!("`{hook}`")).collect();
    let fact = format!(
        "whether {} ran at {} is not known: git keeps no record of it, and `--no-verify` leaves no trace; {} on record ran \
         `git commit`",
        names.join(" and "),
        counted(commits, "commit"),
        counted(on_record, "call")
    );
    Ok(vec![
        Point::new("hooks of commits", Shown::NotShown, fact).cure("run the hooks on what was committed"),
    ])
}

/// The hooks that git would run at a commit.
fn active(git: &Git, root: &Path) -> Result<Vec<&'static str>, Refusal> {
    let output = git.output(["rev-parse", "--git-path", "hooks"]).map_err(|error| unreadable(&error))?;
    let folder = root.join(path(output.stdout.strip_suffix(b"\n").unwrap_or(&output.stdout)));
    Ok(HOOKS.into_iter().filter(|hook| is_runnable(&folder.join(hook))).collect())
}

#[cfg(unix)]
fn path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

#[cfg(unix)]
fn is_runnable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_runnable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file())
}
