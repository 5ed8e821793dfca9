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
    act.effects.commands.iter().find_map(|argv| {
        let called = Called::of(argv)?;
        if called.is_rehearsal() {
            return None;
        }
        let what = if called.reaches_out() {
            "reaches beyond this machine"
        } else if called.destroys() {
            "can't be taken back"
        } else {
            return None;
        };
        ask(format!("`{}` {what}", format!("{} {}", called.program, called.verb()).trim_end()))
    })
}

/// The places that every program may fill.
fn is_scratch(path: &std::path::Path) -> bool {
    ["/tmp", "/var/tmp", "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"]
        .iter()
        .any(|place| path.starts_with(place))
}

/// A program with its words, apart from what its options take.
struct Called<'a> {
    program: &'a str,
    all: Vec<&'a str>,
    words: Vec<&'a str>,
}

impl<'a> Called<'a> {
    fn of(argv: &'a Argv) -> Option<Self> {
        let mut program = argv.program()?;
        let all: Vec<&str> = argv.arguments().collect();
        let valued: &[&str] = match program {
            "git" => &["-C", "-c", "--git-dir", "--work-tree", "--namespace"],
            "kubectl" => &["-n", "--namespace", "--context", "--kubeconfig", "-f"],
            "docker" | "podman" => &["--context", "-H", "--config"],
            "npm" | "pnpm" | "yarn" => &["--prefix", "-C", "--dir", "--cwd", "-w", "--workspace"],
            _ => &[],
        };
        let is_value = |at: usize| at > 0 && valued.contains(&all[at - 1]);
        let kept = (0..all.len()).filter(|&at| !all[at].starts_with('-') && !is_value(at));
        let mut words: Vec<&str> = kept.map(|at| all[at]).collect();
        // A module that is run is the program.
        if program.starts_with("python") && all.first() == Some(&"-m") && !words.is_empty() {
            program = words.remove(0);
        }
        Some(Self { program, all, words })
    }

    fn verb(&self) -> &'a str {
        self.words.first().copied().unwrap_or_default()
    }

    fn second(&self) -> &'a str {
        self.words.get(1).copied().unwrap_or_default()
    }

    fn has(&self, flags: &[&str]) -> bool {
        self.all.iter().any(|word| flags.contains(word))
    }

    /// Whether one of these letters stands in a bundle of short flags.
    fn has_short(&self, letter: char) -> bool {
        self.all.iter().any(|word| {
            word.strip_prefix('-').is_some_and(|flags| !flags.starts_with('-') && flags.contains(letter))
        })
    }

    /// Whether it only says what it would do.
    fn is_rehearsal(&self) -> bool {
        let says = |word: &&str| matches!(*word, "--dry-run" | "--dryrun") || word.starts_with("--dry-run=");
        self.all.iter().any(|word| says(word) && *word != "--dry-run=none")
            || self.program == "rsync" && self.has_short('n')
            || self.program == "git" && matches!(self.verb(), "push" | "clean") && self.has_short('n')
    }

    /// Whether it publishes, sends, or changes something elsewhere.
    fn reaches_out(&self) -> bool {
        let (verb, second) = (self.verb(), self.second());
        match self.program {
            "git" => verb == "push" || (verb == "remote" && second == "set-url") || verb == "send-email",
            "gh" | "glab" => {
                !matches!(second, "view" | "list" | "status" | "diff" | "checks" | "checkout" | "")
            }
            "npm" | "pnpm" | "yarn" | "bun" => matches!(verb, "publish" | "unpublish" | "deprecate"),
            "cargo" => matches!(verb, "publish" | "yank"),
            "poetry" | "uv" | "hatch" | "flit" | "pdm" => verb == "publish",
            "twine" => verb == "upload",
            "gem" => matches!(verb, "push" | "yank"),
            "docker" | "podman" => verb == "push" || verb == "image" && second == "push",
            "kubectl" => {
                matches!(verb, "apply" | "delete" | "create" | "replace" | "patch" | "scale" | "rollout")
            }
            "terraform" | "tofu" | "pulumi" => matches!(verb, "apply" | "destroy" | "up"),
            "aws" | "gcloud" | "az" => !self.words.iter().any(|word| {
                word.starts_with("list") || word.starts_with("describe") || word.starts_with("get")
            }),
            "ssh" | "scp" | "sftp" => true,
            "rsync" => self.words.iter().any(|word| word.contains(':')),
            "curl" | "wget" => self.sends() && !self.words.iter().any(|word| is_here(word)),
            _ => false,
        }
    }

    /// Whether `curl` or `wget` sends more than a question.
    fn sends(&self) -> bool {
        const METHODS: [&str; 4] = ["POST", "PUT", "DELETE", "PATCH"];
        let wget = ["--post-data", "--post-file", "--body-data", "--body-file"];
        let long = ["--data", "--form", "--upload-file", "--json"];
        let asks = self.program == "curl" && (self.has(&["-G", "--get"]));
        let method = |at: usize, word: &str| {
            let behind = word.strip_prefix("--request=").or_else(|| word.strip_prefix("--method="));
            let behind = behind.or_else(|| word.strip_prefix("-X").filter(|method| !method.is_empty()));
            let next = || {
                matches!(word, "-X" | "--request" | "--method")
                    .then(|| self.all.get(at + 1).copied())
                    .flatten()
            };
            let given = behind.or_else(next).unwrap_or_default().to_ascii_uppercase();
            METHODS.contains(&given.as_str())
        };
        self.all.iter().enumerate().any(|(at, word)| {
            let starts = |flags: &[&str]| flags.iter().any(|flag| word.starts_with(flag));
            method(at, word)
                || self.program == "wget" && starts(&wget)
                || self.program == "curl"
                    && (starts(&["-T", "-F"]) || starts(&long[1..]) || !asks && starts(&["-d", long[0]]))
        })
    }

    /// Whether it takes away what nothing brings back.
    fn destroys(&self) -> bool {
        let (verb, second) = (self.verb(), self.second());
        match self.program {
            "git" => match verb {
                "clean" => self.has_short('f') || self.has(&["--force"]),
                "reset" => self.has(&["--hard"]),
                "reflog" => matches!(second, "expire" | "delete"),
                "gc" => self.has(&["--prune=now", "--prune=all"]),
                _ => false,
            },
            "dd" => self.words.iter().any(|word| {
                let device = word.strip_prefix("of=/dev/");
                device.is_some_and(|name| !matches!(name, "null" | "stdout" | "stderr" | "tty"))
            }),
            "shutdown" | "reboot" | "poweroff" | "halt" => true,
            "systemctl" => matches!(verb, "poweroff" | "reboot" | "halt"),
            program => program == "mkfs" || program.starts_with("mkfs."),
        }
    }
}

/// Whether an address is one of this machine.
fn is_here(address: &str) -> bool {
    let host = address.split_once("://").map_or(address, |(_, rest)| rest);
    let host = host.split('/').next().unwrap_or_default();
    ["localhost", "127.0.0.1", "[::1]", "0.0.0.0"]
        .iter()
        .any(|here| host.strip_prefix(here).is_some_and(|rest| rest.is_empty() || rest.starts_with(':')))
}
