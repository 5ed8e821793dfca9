//! Protected paths: what may not be written, and what may not be read.

use std::path::Path;

use gate::event::{Decision, Tool};
use gate::protected::{Access, Damaged, GIT_FOLDER, Guard, Scope};

use super::{Act, Found, Known, Touched};
use crate::classify::{Argv, Place, Spares, Target, Walk, escape};
use crate::codes;

pub(super) fn judge(act: &Act<'_>, known: &Known<'_>) -> Result<Vec<Found>, Damaged> {
    let mut found: Vec<Found> = Vec::new();
    let mut add = |found_one: Found| {
        if !found.contains(&found_one) {
            found.push(found_one);
        }
    };
    for touched in act.changes {
        for guard in on(touched, known)? {
            let mut found = shut(&guard, &touched.target.written, codes::PROTECTED_PATH);
            if let Spares::Kept(_) = touched.target.spares {
                found.fact =
                    format!("it would take away what git ignores, and so {}: {}", folder(&guard), guard.fact);
                found.next = format!("leave it out, as in `git clean -fdx -e {}`", folder(&guard));
            }
            add(found);
        }
    }
    for touched in act.reads.iter().chain(act.mentions) {
        for guard in on(touched, known)?.into_iter().filter(|guard| guard.access == Access::Any) {
            add(shut(&guard, &touched.target.written, codes::HIDDEN_PATH));
        }
    }
    for (walk, roots) in act.effects.recursive_reads.iter().zip(act.walks) {
        for guard in through(walk, roots, known)? {
            let mut found = shut(&guard, &walk.root.written, codes::HIDDEN_PATH);
            if let Some(name) = last_name(&guard) {
                found.fact = format!(
                    "reading all of {} would read the held-out set in {}",
                    walk.root.written,
                    folder(&guard)
                );
                found.next = way_beside(act, &name, &folder(&guard));
            }
            add(found);
        }
    }
    Ok(found)
}

/// What to do in place of reading a folder with what it hides, in the words of the tool that was called.
fn way_beside(act: &Act<'_>, name: &str, folder: &str) -> String {
    if matches!(act.event.call.as_ref().map(|call| &call.tool), Some(Tool::Search { .. })) {
        return "give the search the path of a folder beside it, one call for each".to_owned();
    }
    let is_git = |argv: &Argv| argv.program() == Some("git") && argv.arguments().any(|word| word == "grep");
    if act.effects.commands.iter().any(is_git) {
        return format!("leave it out, as in `git grep x -- . ':!{folder}'`, or read a folder beside it");
    }
    format!("leave it out, as in `grep -r --exclude-dir={name}`, or read a folder beside it")
}

fn shut(guard: &Guard, written: &str, reason: gate::ReasonCode) -> Found {
    Found {
        decision: Decision::Deny,
        gate: "protected",
        rule: guard.rule.clone(),
        reason,
        fact: if written.is_empty() { guard.fact.clone() } else { format!("{written}: {}", guard.fact) },
        next: guard.next.clone(),
        ticket: guard.ticket,
    }
}

/// The rules about a target under any of its names.
fn on(touched: &Touched<'_>, known: &Known<'_>) -> Result<Vec<Guard>, Damaged> {
    Ok(match &touched.target.place {
        // Nothing can be said before the call; it is looked for afterwards.
        Place::Unknown => Vec::new(),
        Place::Pattern(_) => {
            let may_touch = |guard: &Guard| match &guard.scope {
                Scope::Path(path) => touched.target.may_touch(&known.root.join(path), known.fold),
                Scope::Below(folder) => {
                    let folder = known.root.join(folder);
                    touched.target.may_touch(&folder, known.fold)
                        || touched.target.may_touch_within(&folder, known.fold)
                            && (known.is_occupied)(&folder)
                }
                Scope::Glob(pattern) => {
                    let top = escape(&known.root.to_string_lossy());
                    touched.target.may_touch_match(&format!("{top}/{pattern}"), known.fold)
                }
                Scope::Outside(folders) => !folders
                    .iter()
                    .any(|folder| touched.target.may_touch_within(&known.root.join(folder), known.fold)),
            };
            let is_meant = |guard: &Guard| {
                may_touch(guard)
                    && !is_spared(touched, guard, true, known)
                    && !names_nothing_of_git(touched, guard, known)
            };
            known.rules.all()?.into_iter().filter(is_meant).collect()
        }
        Place::Path(_) => {
            let mut guards: Vec<Guard> = Vec::new();
            for path in &touched.paths {
                let name = known.name(path);
                let mut more = known.rules.on(&name)?;
                more.retain(|guard| !is_spared(touched, guard, false, known));
                // Whoever replaces or removes a folder touches what lies in it.
                if touched.target.tree {
                    let within = known.rules.within(&name)?.into_iter();
                    more.extend(within.filter(|guard| !is_spared(touched, guard, true, known)));
                }
                guards.extend(more);
            }
            guards.dedup();
            guards
        }
    })
}

/// Whether the program leaves alone what the rule is about, by what it is. With `within` the target holds that and does
/// not name it.
fn is_spared(touched: &Touched<'_>, guard: &Guard, within: bool, known: &Known<'_>) -> bool {
    let is_absent = || match &guard.scope {
        Scope::Below(folder) => {
            let path = known.root.join(folder);
            !(known.is_occupied)(&path) && (known.file)(&path).is_none()
        }
        _ => false,
    };
    match &touched.target.spares {
        Spares::Nothing => false,
        Spares::Kept(patterns) => {
            let place = folder(guard);
            guard.rule == GIT_FOLDER
                || is_absent()
                || patterns.iter().any(|pattern| is_named_by(pattern, &place))
                || guard.access == Access::Write && !is_ignored(&place, known)
        }
        Spares::Git => guard.rule == GIT_FOLDER || within && is_absent(),
        // What `HEAD` has of the settings and the policy is what a person committed.
        Spares::Committed => {
            guard.rule == GIT_FOLDER || within && (guard.rule.starts_with("cairn:") || is_absent())
        }
    }
}

/// Whether a pattern of an ignore file names a path or a folder that it lies in.
fn is_named_by(pattern: &str, path: &str) -> bool {
    let plain = pattern.trim_end_matches('/').trim_end_matches("/**").trim_start_matches('/');
    if plain.is_empty() {
        return false;
    }
    let is_anywhere = !pattern.trim_end_matches('/').contains('/');
    let pattern = if is_anywhere { format!("**/{plain}") } else { plain.to_owned() };
    Scope::Glob(pattern).holds(path)
}

/// Whether the ignore files on the way to a path say that git ignores it.
fn is_ignored(path: &str, known: &Known<'_>) -> bool {
    let folders = path.match_indices('/').map(|(at, _)| (&path[..at], &path[at + 1..]));
    let files = folders.map(|(folder, rest)| (format!("{folder}/.gitignore"), rest));
    let tops = [".git/info/exclude", ".gitignore"].map(|file| (file.to_owned(), path));
    let mut is_ignored = false;
    for (file, rest) in tops.into_iter().chain(files) {
        let text = (known.file)(&known.root.join(file)).unwrap_or_default();
        for line in String::from_utf8_lossy(&text).lines().map(str::trim_end) {
            match line.strip_prefix('!') {
                Some(line) if is_named_by(line, rest) => is_ignored = false,
                None if !line.starts_with('#') && is_named_by(line, rest) => is_ignored = true,
                _ => {}
            }
        }
    }
    is_ignored
}

/// Names that something has in git's own folder without which a repository is damaged.
const GITS: &[&str] = &[
    "COMMIT_EDITMSG",
    "FETCH_HEAD",
    "HEAD",
    "MERGE_HEAD",
    "ORIG_HEAD",
    "alternates",
    "commondir",
    "config",
    "config.worktree",
    "exclude",
    "gitdir",
    "heads",
    "hooks",
    "index",
    "index.lock",
    "info",
    "logs",
    "main",
    "master",
    "modules",
    "objects",
    "origin",
    "pack",
    "pack-0.idx",
    "pack-0.pack",
    "packed-refs",
    "pre-commit",
    "pre-push",
    "commit-msg",
    "post-commit",
    "refs",
    "remotes",
    "shallow",
    "stash",
    "tags",
    "worktrees",
    "0123456789abcdef0123456789abcdef012345",
];

/// Whether the target is whatever has a name, in any folder, and nothing of git's own has such a name.
fn names_nothing_of_git(touched: &Touched<'_>, guard: &Guard, known: &Known<'_>) -> bool {
    let (Place::Pattern(pattern), Scope::Below(folder)) = (&touched.target.place, &guard.scope) else {
        return false;
    };
    // What is looked for in git's own folder is meant.
    let Some((from, name)) = pattern.rsplit_once("**/") else { return false };
    let is_elsewhere =
        !from.contains(['*', '?', '[']) && !Path::new(from).starts_with(known.root.join(folder));
    if !is_elsewhere || name.contains('/') || name.contains("**") {
        return false;
    }
    let is_named = |gits: &&str| {
        let gits = Target { place: Place::Pattern(format!("/{gits}")), ..Target::unknown("") };
        gits.may_touch_match(&format!("/{name}"), true)
    };
    // A branch may have any name, but hardly one with an ending or an underscore in front.
    let is_distinct = name.contains('.') || name.starts_with('_') || name.contains("modules");
    guard.rule == GIT_FOLDER && is_distinct && !GITS.iter().any(is_named)
}

/// The rules about what is read by going through folders. A walk that opens no file sees names alone.
fn through(walk: &Walk, roots: &[std::path::PathBuf], known: &Known<'_>) -> Result<Vec<Guard>, Damaged> {
    if !walk.content {
        return Ok(Vec::new());
    }
    let mut guards = Vec::new();
    for root in roots {
        let name = known.name(root);
        guards.extend(known.rules.on(&name)?);
        guards
            .extend(known.rules.within(&name)?.into_iter().filter(|guard| !is_left_out(walk, &name, guard)));
    }
    guards.retain(|guard| guard.access == Access::Any && is_there(guard, known));
    Ok(guards)
}

fn is_there(guard: &Guard, known: &Known<'_>) -> bool {
    match &guard.scope {
        Scope::Below(folder) => (known.is_occupied)(&known.root.join(folder)),
        _ => true,
    }
}

/// Whether the walk passes by what the rule is about: by name, or since it passes by names that begin with a dot.
fn is_left_out(walk: &Walk, root: &str, guard: &Guard) -> bool {
    let place = folder(guard);
    if walk.excludes.iter().any(|exclude| exclude.contains('/') && is_named_by(exclude, &place)) {
        return true;
    }
    let below = place.strip_prefix(root).unwrap_or(&place).trim_start_matches('/');
    below.split('/').filter(|part| !part.is_empty()).any(|part| {
        walk.skips_hidden && part.starts_with('.')
            || walk.excludes.iter().any(|exclude| exclude.trim_matches(['*', '/']) == part)
    })
}

fn folder(guard: &Guard) -> String {
    match &guard.scope {
        Scope::Path(path) | Scope::Below(path) | Scope::Glob(path) => path.clone(),
        Scope::Outside(_) => String::new(),
    }
}

fn last_name(guard: &Guard) -> Option<String> {
    match &guard.scope {
        Scope::Below(path) => Some(Path::new(path).file_name()?.to_string_lossy().into_owned()),
        _ => None,
    }
}
