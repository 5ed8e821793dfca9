//! The commitment gate (G5): what reaches beyond the project and can't be taken back waits for a person.

use gate::event::Decision;

use super::{Act, Found, Known};
use crate::classify::{Argv, Place};
use crate::codes;

pub(super) fn judge(act: &Act<'_>, known: &Known<'_>) -> Option<Found> {
    let ask = |fact: String| {
        Some(Found {
            decision: Decision::Ask,
            gate: "G5",
            rule: "G5-1".to_owned(),
            reason: codes::COMMITMENT,
            fact,
            next: "a person decides on this very call".to_owned(),
            ticket: true,
        })
    };
    if act.effects.starts_agent {
        return ask("another agent would be started".to_owned());
    }
    for touched in act.changes {
        if matches!(touched.target.place, Place::Path(_))
            && touched.paths.iter().any(|path| !path.starts_with(known.root) && !is_scratch(path))
        {
            return ask(format!("{} lies outside the project", touched.target.written));
        }
    }
    let command = act.effects.commands.iter().find_map(beyond)?;
    ask(format!("`{command}` reaches beyond this machine"))
}

/// The places that every program may fill.
fn is_scratch(path: &std::path::Path) -> bool {
    ["/tmp", "/var/tmp", "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"]
        .iter()
        .any(|place| path.starts_with(place))
}

/// A command that publishes, pushes or deletes elsewhere.
fn beyond(argv: &Argv) -> Option<String> {
    let program = argv.program()?;
    let words: Vec<&str> = argv.arguments().filter(|word| !word.starts_with('-')).collect();
    let verb = words.first().copied().unwrap_or_default();
    let second = words.get(1).copied().unwrap_or_default();
    let reaches = match program {
        "git" => verb == "push" || (verb == "remote" && second == "set-url") || verb == "send-email",
        "gh" | "glab" => !matches!(second, "view" | "list" | "status" | "diff" | "checks" | "checkout" | ""),
        "npm" | "pnpm" | "yarn" | "bun" => matches!(verb, "publish" | "unpublish" | "deprecate"),
        "cargo" => matches!(verb, "publish" | "yank"),
        "twine" => verb == "upload",
        "gem" => matches!(verb, "push" | "yank"),
        "docker" | "podman" => verb == "push",
        "kubectl" => {
            matches!(verb, "apply" | "delete" | "create" | "replace" | "patch" | "scale" | "rollout")
        }
        "terraform" | "tofu" | "pulumi" => matches!(verb, "apply" | "destroy" | "up"),
        "aws" | "gcloud" | "az" => !words
            .iter()
            .any(|word| word.starts_with("list") || word.starts_with("describe") || word.starts_with("get")),
        "ssh" | "scp" | "sftp" | "rsync" => program != "rsync" || words.iter().any(|word| word.contains(':')),
        _ => false,
    };
    reaches.then(|| format!("{program} {verb}").trim_end().to_owned())
}
