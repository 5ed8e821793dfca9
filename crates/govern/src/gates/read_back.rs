//! Reading back (G2): what changed and no check is about is looked at again before anything else is done.
//!
//! A read counts whoever of the session makes it, and whatever part of the file it shows: the gate asks that somebody
//! looked, not how far.

use std::path::Path;

use gate::event::Tool;
use gate::protected::Scope;
use gate::words;

use super::{Act, Found, Known, plan, verify};
use crate::classify::{Effects, Place};
use crate::policy::{Policy, Switch};
use crate::session::Session;

/// The marks that say which files are to be read back: `read-back:<path>`. A folder's ends with `/`.
const DUE: &str = "read-back:";

/// How many files and folders a denial names.
const NAMED: usize = 20;

/// What `git diff` may be given without showing less than the change.
const HARMLESS: &[&str] = &["-p", "-u", "--patch", "--no-color", "--no-ext-diff", "--minimal", "--histogram"];

/// What the gate says before an acting call.
pub(super) fn judge(act: &Act<'_>, known: &Known<'_>) -> Option<Found> {
    if !act.effects.is_acting() || plan::is_about_plans(act) || !known.policy.is_on(Switch::ReadBack) {
        return None;
    }
    let is_there = |name: &&str| {
        let path = known.root.join(name);
        if is_folder(name) { (known.is_occupied)(&path) } else { (known.file)(&path).is_some() }
    };
    let all: Vec<&str> = due(known.session).filter(is_there).collect();
    let due: Vec<&str> = all.iter().copied().filter(|name| !lies_in(name, &all)).collect();
    let (named, more) = due.split_at(due.len().min(NAMED));
    let (last, others) = named.split_last()?;
    let fact = match (others, more) {
        ([], _) => format!("{last} changed, no check is about it, and nobody looked at it since"),
        (_, []) => said(&format!("{} and {last}", others.join(", "))),
        _ => said(&format!("{} and {} more", named.join(", "), more.len())),
    };
    let next = match last {
        _ if !others.is_empty() => format!("run `{}`", command(named, act, known.root)),
        folder if is_folder(folder) => format!("list {folder} with `{}`", command(named, act, known.root)),
        file => format!("read {file}"),
    };
    let next = match more {
        [] => format!("{next}, then make the call again"),
        _ => format!("{next}, then make the call again: it names the others"),
    };
    Some(verify::unverified(fact, next))
}

fn said(names: &str) -> String {
    format!("{names} changed, no check is about them, and nobody looked at them since")
}

/// One command that shows all of them, from where the agent stands.
fn command(names: &[&str], act: &Act<'_>, root: &Path) -> String {
    let is_at_top = act.event.cwd.as_deref().is_none_or(|cwd| cwd == root);
    let word = |name: &&str| match name {
        name if !is_at_top => words::quote(&root.join(name).to_string_lossy()),
        name if name.starts_with('-') => words::quote(&format!("./{name}")),
        name => words::quote(name),
    };
    let of = |program: &str, names: Vec<&&str>| {
        let words: Vec<String> = names.into_iter().map(word).collect();
        (!words.is_empty()).then(|| format!("{program} {}", words.join(" ")))
    };
    let (folders, files) = names.iter().partition(|name| is_folder(name));
    let parts = [of("cat", files), of("ls -R", folders)];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Whether a name lies in a folder of `names`: whoever looks at the folder has looked at it.
pub fn lies_in(name: &str, names: &[&str]) -> bool {
    let is_in = |folder: &&&str| is_folder(folder) && name != **folder && name.starts_with(**folder);
    names.iter().find(is_in).is_some()
}

fn is_folder(name: &str) -> bool {
    name.ends_with('/')
}

/// The mark of a file that is to be read back.
pub fn mark(path: &str) -> String {
    format!("{DUE}{path}")
}

/// What is to be read back, from the top of the repository.
pub fn due(session: &Session) -> impl Iterator<Item = &str> {
    session.marks.keys().filter_map(|mark| mark.strip_prefix(DUE))
}

/// Those of the changed paths that are in the repository and no check is about; none where the policy asks for none.
pub fn unchecked<'p>(policy: &Policy, paths: &'p [String]) -> Vec<&'p String> {
    if !policy.is_on(Switch::ReadBack) {
        return Vec::new();
    }
    let patterns = policy.checks.values().flat_map(|check| &check.paths);
    let scopes: Vec<Scope> = patterns.map(|pattern| Scope::Glob(pattern.clone())).collect();
    let is_covered = |path: &str| scopes.iter().any(|scope| scope.holds(path));
    paths.iter().filter(|path| !Path::new(path).is_absolute() && !is_covered(path)).collect()
}

/// Whether a call, which read at most, showed what lies at `name` below `root`: by its name, or by a pattern of names.
/// Of a folder, which was new, it is enough to see what is in it or to read one of its files.
pub fn shows(act: &Act<'_>, root: &Path, name: &str) -> bool {
    if !act.effects.is_read_only() || is_sent_away(act) {
        return false;
    }
    let path = root.join(name.trim_end_matches('/'));
    let meets = |other: &Path| other == path || is_folder(name) && other.starts_with(&path);
    let by_name = act.reads.iter().any(|read| match &read.target.place {
        Place::Path(_) => read.paths.iter().any(|other| meets(other)),
        // `**` is also what can't be told.
        Place::Pattern(pattern) => {
            let is_met = if is_folder(name) {
                read.target.may_touch_within(&path, false)
            } else {
                read.target.may_touch(&path, false)
            };
            is_met && !pattern.contains("**")
        }
        Place::Unknown => false,
    });
    let walks = act.effects.recursive_reads.iter().zip(act.walks);
    let by_walk = |(walk, paths): (&crate::classify::Walk, &Vec<std::path::PathBuf>)| {
        (walk.content || is_folder(name)) && paths.iter().any(|other| meets(other))
    };
    by_name || walks.into_iter().any(by_walk)
}

/// Whether nobody sees what a shell command prints.
fn is_sent_away(act: &Act<'_>) -> bool {
    let Some(Tool::Shell { command, background, .. }) = act.event.call.as_ref().map(|call| &call.tool) else {
        return false;
    };
    let told = ["2>&1", "2>/dev/null", "2> /dev/null"]
        .iter()
        .fold(command.clone(), |text, part| text.replace(part, ""));
    *background || told.contains('>')
}

/// What a plain `git diff` was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diff {
    /// Against `HEAD`, and not against the index.
    pub head: bool,
    /// The paths that it names, as it spells them; none are all.
    pub paths: Vec<String>,
}

/// The `git diff` that a call is: alone, of the files as they lie on disk, with the change itself in its output.
pub fn diff(act: &Act<'_>) -> Option<Diff> {
    if act.effects.is_acting() || is_sent_away(act) {
        return None;
    }
    let Effects { commands, .. } = act.effects;
    let [argv] = commands.as_slice() else { return None };
    if argv.program() != Some("git") || argv.has_unknown() {
        return None;
    }
    let mut words = argv.arguments().skip_while(|word| *word == "--no-pager");
    if words.next() != Some("diff") {
        return None;
    }
    let mut diff = Diff { head: false, paths: Vec::new() };
    let mut are_paths = false;
    for word in words {
        match word {
            _ if are_paths => diff.paths.push(word.to_owned()),
            // What stood before it were revisions.
            "--" if diff.paths.is_empty() => are_paths = true,
            "--" => return None,
            "HEAD" => diff.head = true,
            _ if HARMLESS.contains(&word) || word.starts_with("-U") || word.starts_with("--unified=") => {}
            _ if word.starts_with(['-', ':']) => return None,
            _ => diff.paths.push(word.to_owned()),
        }
    }
    Some(diff)
}
