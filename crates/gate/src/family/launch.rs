//! Programs that start another program, and what they start.

use crate::words::{base_name, commands};

/// What a program does with its arguments.
pub(super) enum Launch {
    /// Starts this command.
    Command(Vec<String>),
    /// Has this text run by a shell, with these parameters.
    Text(String, Vec<String>),
    /// Starts nothing of interest.
    Nothing,
    /// Nobody knows: a program of its own.
    Itself,
}

/// How a launcher's own words end and the command begins.
struct Launcher {
    /// The words that make it up: `npm exec`.
    words: &'static [&'static str],
    /// Options whose value is the next word.
    valued: &'static [&'static str],
    /// Words after the options that aren't the command.
    skipped: usize,
}

const fn launcher(
    words: &'static [&'static str],
    valued: &'static [&'static str],
    skipped: usize,
) -> Launcher {
    Launcher { words, valued, skipped }
}

const fn runner(words: &'static [&'static str]) -> Launcher {
    launcher(words, &["-p", "--package", "--from", "--with", "--python", "--spec"], 0)
}

const LAUNCHERS: [Launcher; 34] = [
    launcher(&["env"], &["-u", "--unset", "-C", "--chdir"], 0),
    launcher(&["timeout"], &["-s", "--signal", "-k", "--kill-after"], 1),
    launcher(&["gtimeout"], &["-s", "--signal", "-k", "--kill-after"], 1),
    launcher(&["nice"], &["-n", "--adjustment"], 0),
    launcher(&["ionice"], &["-c", "--class", "-n", "--classdata"], 0),
    launcher(&["sudo"], &["-u", "--user", "-g", "--group", "-D", "--chdir", "-h", "-p", "-C", "-T"], 0),
    launcher(&["doas"], &["-u", "-C"], 0),
    launcher(&["time"], &["-f", "--format", "-o", "--output"], 0),
    launcher(&["exec"], &["-a"], 0),
    launcher(&["stdbuf"], &["-i", "--input", "-o", "--output", "-e", "--error"], 0),
    launcher(&["caffeinate"], &["-t", "-w"], 0),
    launcher(&["xargs"], &["-I", "-n", "-P", "-L", "-d", "-E", "-s", "-a"], 0),
    launcher(&["nohup"], &[], 0),
    launcher(&["setsid"], &[], 0),
    launcher(&["command"], &[], 0),
    launcher(&["builtin"], &[], 0),
    // Words of the shell's grammar before a command.
    launcher(&["!"], &[], 0),
    launcher(&["{"], &[], 0),
    launcher(&["if"], &[], 0),
    launcher(&["while"], &[], 0),
    launcher(&["then"], &[], 0),
    launcher(&["else"], &[], 0),
    launcher(&["do"], &[], 0),
    runner(&["npx"]),
    runner(&["bunx"]),
    runner(&["uvx"]),
    runner(&["bun", "x"]),
    runner(&["npm", "exec"]),
    runner(&["pnpm", "exec"]),
    runner(&["pnpm", "dlx"]),
    runner(&["yarn", "dlx"]),
    runner(&["pipx", "run"]),
    runner(&["uv", "run"]),
    runner(&["uv", "tool", "run"]),
];

const SHELLS: [&str; 7] = ["sh", "bash", "dash", "zsh", "ksh", "ash", "fish"];

const INTERPRETERS: [&str; 9] = ["node", "deno", "bun", "tsx", "python", "pypy", "ruby", "perl", "php"];

/// Programs whose arguments decide what runs.
const DISPATCHERS: [&str; 13] =
    ["make", "just", "task", "npm", "pnpm", "yarn", "cargo", "go", "docker", "podman", "ssh", "curl", "gh"];

/// Commands beside the one that matters: those that prepare it or use its answer, and what else
/// stands first in a line of a script.
const ACCESSORIES: [&str; 40] = [
    "cat", "echo", "printf", "tee", "jq", "sed", "grep", "head", "tail", "tr", "git", "mkdir", "mktemp",
    "rm", "date", "sleep", "test", "[", "[[", "true", "false", ":", "set", "source", ".", "trap", "umask",
    "ulimit", "unset", "shift", "read", "return", "exit", "local", "for", "case", "esac", "fi", "done", "}",
];

/// What `program` starts, given these arguments.
pub(super) fn launch(program: &str, arguments: &[String]) -> Launch {
    let name = base_name(program);
    if name == "command" && arguments.first().is_some_and(|word| matches!(word.as_str(), "-v" | "-V")) {
        return Launch::Nothing;
    }
    if let Some((launcher, rest)) = LAUNCHERS.iter().find_map(|launcher| {
        let rest = launcher.words.split_first().filter(|(first, _)| **first == name).map(|(_, rest)| rest)?;
        let matches =
            arguments.len() >= rest.len() && arguments.iter().zip(rest).all(|(word, other)| word == other);
        matches.then(|| (launcher, &arguments[rest.len()..]))
    }) {
        return Launch::Command(behind(launcher, rest));
    }
    if SHELLS.contains(&name) {
        return shell(arguments);
    }
    if is_interpreter(name) {
        return interpreter(name, arguments);
    }
    if ACCESSORIES.contains(&name) { Launch::Nothing } else { Launch::Itself }
}

/// Whether the program's arguments are part of what it is.
pub(super) fn is_dispatcher(program: &str) -> bool {
    let name = base_name(program);
    DISPATCHERS.contains(&name) || SHELLS.contains(&name) || is_interpreter(name)
}

fn is_interpreter(name: &str) -> bool {
    INTERPRETERS.contains(&name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}

/// The command behind a launcher's options and its own operands.
fn behind(launcher: &Launcher, arguments: &[String]) -> Vec<String> {
    let mut rest = arguments;
    while let Some((option, after)) = rest.split_first().filter(|(word, _)| word.starts_with('-')) {
        rest = after;
        match option.as_str() {
            "--" => break,
            "-S" | "--split-string" if launcher.words == ["env"] => {
                let Some((text, after)) = rest.split_first() else { return Vec::new() };
                let mut words = commands(text).into_iter().next().unwrap_or_default();
                words.extend_from_slice(after);
                return words;
            }
            option if launcher.valued.contains(&option) => rest = rest.get(1..).unwrap_or_default(),
            _ => {}
        }
    }
    rest.get(launcher.skipped..).unwrap_or_default().to_vec()
}

fn shell(arguments: &[String]) -> Launch {
    let count = arguments.iter().take_while(|word| word.starts_with('-')).count();
    let (options, operands) = arguments.split_at(count);
    let takes_text = options.iter().any(|word| !word.starts_with("--") && word.contains('c'));
    match operands.split_first() {
        Some((text, rest)) if takes_text => {
            Launch::Text(text.clone(), rest.get(1..).unwrap_or_default().to_vec())
        }
        Some(_) => Launch::Command(operands.to_vec()),
        None => Launch::Itself,
    }
}

/// The script or the module that an interpreter runs.
fn interpreter(name: &str, arguments: &[String]) -> Launch {
    let mut rest = arguments;
    while let Some((word, after)) = rest.split_first() {
        match word.as_str() {
            "-m" if name.starts_with("py") => return Launch::Command(after.to_vec()),
            "-c" | "-e" | "--eval" => return Launch::Itself,
            "run" if matches!(name, "deno" | "bun") => rest = after,
            word if word.starts_with('-') => rest = after,
            _ => return Launch::Command(rest.to_vec()),
        }
    }
    Launch::Itself
}
