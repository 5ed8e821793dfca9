//! Agent definitions for Claude Code below `.claude/agents/`, under the names that `--executor claude`
//! configures.
//!
//! Each file ends with a seal: the digest of the text above it. A file with a sound seal is as the program
//! wrote it and may be refreshed; any other one is the user's own and is kept.

use std::fs;
use std::path::Path;

use canon::Sha256;
use gate::Refusal;
use store::file;

use super::{FileResult, Outcome};
use crate::session::{Naming, io};

const FOLDER: &str = ".claude/agents";

/// Writes the agent definitions that are missing and refreshes those that nobody changed.
///
/// A file that somebody changed is kept and its difference shown; so is one behind a symbolic link.
pub fn install(root: &Path, naming: Naming) -> Result<Vec<FileResult>, Refusal> {
    let folder = root.join(FOLDER);
    file::create_folder(root, &folder).map_err(io)?;
    let mut results = Vec::new();
    for (name, body) in definitions(naming) {
        let shown = format!("{FOLDER}/{name}.md");
        let path = folder.join(format!("{name}.md"));
        if let Ok(target) = fs::read_link(&path) {
            let detail = format!("a symbolic link to `{}`, left alone", target.display());
            results.push(FileResult {
                detail: Some(detail),
                ..FileResult::new(&shown, Outcome::LinkedElsewhere)
            });
            continue;
        }
        let new = sealed(&body);
        let result = match file::read(&path).map_err(io)? {
            None => {
                file::replace(&path, new.as_bytes()).map_err(io)?;
                FileResult::new(&shown, Outcome::Created)
            }
            Some(old) => {
                let old = String::from_utf8_lossy(&old).replace("\r\n", "\n");
                if old == new {
                    FileResult::new(&shown, Outcome::Unchanged)
                } else if is_sealed(&old) {
                    file::replace(&path, new.as_bytes()).map_err(io)?;
                    FileResult::new(&shown, Outcome::Updated)
                } else {
                    FileResult {
                        detail: Some(
                            "changed by hand, so it was kept; delete it to get the program's".to_owned(),
                        ),
                        difference: difference(&old, &new),
                        ..FileResult::new(&shown, Outcome::Kept)
                    }
                }
            }
        };
        results.push(result);
    }
    Ok(results)
}

const SEAL: &str = "<!-- chalk:seal ";

fn seal(body: &str) -> String {
    format!("{SEAL}{} -->\n", Sha256::of(body))
}

fn sealed(body: &str) -> String {
    format!("{body}{}", seal(body))
}

/// Whether `text` (with plain line ends) is a text of the program's, of whichever release.
fn is_sealed(text: &str) -> bool {
    text.rfind(SEAL).is_some_and(|at| text[at..] == seal(&text[..at]))
}

/// The lines in which two texts differ: one stretch from the first to the last of them, cut where it is
/// long.
fn difference(old: &str, new: &str) -> Vec<String> {
    const SHOWN: usize = 6;
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let same = |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| pairs.take_while(|(a, b)| a == b).count();
    let head = same(&mut old.iter().zip(&new));
    let tail = same(&mut old[head..].iter().rev().zip(new[head..].iter().rev()));
    let mut shown = vec![format!("@ line {}", head + 1)];
    for (mark, lines) in [('-', &old[head..old.len() - tail]), ('+', &new[head..new.len() - tail])] {
        shown.extend(lines.iter().take(SHOWN).map(|line| format!("{mark} {line}")));
        if lines.len() > SHOWN {
            shown.push(format!("{mark} ... {} more lines", lines.len() - SHOWN));
        }
    }
    shown
}

/// Names and texts of the definitions.
fn definitions(naming: Naming) -> [(&'static str, String); 3] {
    let c = |rest: &str| format!("`{}`", naming(rest));
    let executor = format!(
        "\
---
name: chalk-executor
description: Works on one Chalk task, whose context it is given, until verify is green.
---

You are given the context of one task. Do that task and nothing beside it.

- The acceptance criteria say when it is done. The locked tests are the contract: read them, never change
  them. Where one contradicts a criterion, stop and ask with {question}.
- Change as little as the task needs, in the style of the code around it. A change of behaviour comes with a
  test that fails without it.
- Run {verify} before you stop, and go on until it is green.
- Don't run {done} and don't review yourself: others judge.
- Don't look for held-out tests, don't edit files in `.chalk/` other than `spec.md`, and don't weaken a
  configured command.
- What you decided on the way, record with {decision}.

Say at the end what you changed, and what you are not sure of.
",
        question = c("question add \"...\""),
        verify = c("verify"),
        done = c("done"),
        decision = c("decision \"...\" --why \"...\""),
    );
    let planner = "\
---
name: chalk-planner
description: Plans one Chalk task without touching a file, and asks what must be known first.
tools: Read, Grep, Glob
---

You are given a goal or one task. Read the code that it touches, and change nothing.

Print Markdown with two sections:

## Plan

Numbered steps, each small enough to be checked by itself. Name the files. Say for each step which test shows
that it holds; where a criterion can't be checked by a machine, say how to word it so that it can.

## Questions

One bullet for each thing that a person has to decide before the work begins. Leave the list empty when there
is none; don't ask what the code answers.
"
    .to_owned();
    let reviewer = "\
---
name: chalk-reviewer
description: Tries to refute one change, and prints a verdict as JSON.
tools: Read, Grep, Glob
---

You are given a change and what it is meant to do. Your job is to refute it. You change nothing.

Look for all four:

- correctness: an input for which it does the wrong thing;
- test-adequacy: behaviour that no test would miss if it were gone. A change of behaviour without such a test
  is a block;
- design-intent: what the criteria or the spec ask for and the change doesn't do, or does otherwise;
- regression: what worked before and doesn't now.

Read the code around the change before you judge; a guess is no finding. Block for what must not go in as it
is. What is merely not to your taste is a low finding or none.

Print one JSON object and nothing after it:

{\"verdict\": \"pass\" or \"block\", \"findings\": [{\"severity\": \"high\", \"med\" or \"low\", \"area\": one of the four,
\"note\": what, where, and for which input}]}
"
    .to_owned();
    [("chalk-executor", executor), ("chalk-planner", planner), ("chalk-reviewer", reviewer)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naming(rest: &str) -> String {
        format!("chalk {rest}")
    }

    fn outcome(root: &Path) -> Vec<Outcome> {
        install(root, naming).unwrap().into_iter().map(|file| file.outcome).collect()
    }

    #[test]
    fn one_edited_byte_keeps_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        assert_eq!(outcome(root), [Outcome::Created; 3]);
        assert_eq!(outcome(root), [Outcome::Unchanged; 3]);
        let path = root.join(".claude/agents/chalk-planner.md");
        let edited = fs::read_to_string(&path).unwrap().replace("Plans one", "Plans  one");
        fs::write(&path, &edited).unwrap();
        let results = install(root, naming).unwrap();
        assert_eq!(results[1].outcome, Outcome::Kept);
        assert_eq!(results[1].difference.len(), 3, "{:?}", results[1].difference);
        assert!(results[1].difference[1].starts_with("- description: Plans  one"));
        assert_eq!(fs::read_to_string(&path).unwrap(), edited);
    }

    #[test]
    fn a_definition_that_nobody_changed_is_refreshed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        outcome(root);
        let path = root.join(".claude/agents/chalk-executor.md");
        fs::write(&path, sealed("what an older release wrote\n").replace('\n', "\r\n")).unwrap();
        assert_eq!(outcome(root)[0], Outcome::Updated);
        assert!(fs::read_to_string(&path).unwrap().starts_with("---\nname: chalk-executor\n"));
    }

    #[test]
    fn a_definition_without_a_seal_is_somebody_elses() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join(".claude/agents")).unwrap();
        fs::write(root.join(".claude/agents/chalk-reviewer.md"), "# mine\n").unwrap();
        assert_eq!(outcome(root), [Outcome::Created, Outcome::Created, Outcome::Kept]);
    }

    #[test]
    #[cfg(unix)]
    fn nothing_is_written_through_a_linked_folder() {
        let folder = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(outside.path(), folder.path().join(".claude")).unwrap();
        install(folder.path(), naming).unwrap_err();
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    }
}
