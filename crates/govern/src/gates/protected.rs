//! Protected paths: what may not be written, and what may not be read.

use std::path::Path;

use gate::event::Decision;
use gate::protected::{Access, Damaged, Guard, Scope};

use super::{Act, Found, Known, Touched};
use crate::classify::{Place, Walk, escape};
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
            add(shut(&guard, &touched.target.written, codes::PROTECTED_PATH));
        }
    }
    for touched in act.reads {
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
                found.next =
                    format!("leave it out, as in `grep -r --exclude-dir={name}`, or read a folder beside it");
            }
            add(found);
        }
    }
    Ok(found)
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
                Scope::Below(folder) => touched.target.may_touch_within(&known.root.join(folder), known.fold),
                Scope::Glob(pattern) => {
                    let top = escape(&known.root.to_string_lossy());
                    touched.target.may_touch_match(&format!("{top}/{pattern}"), known.fold)
                }
                Scope::Outside(folders) => !folders
                    .iter()
                    .any(|folder| touched.target.may_touch_within(&known.root.join(folder), known.fold)),
            };
            known.rules.all()?.into_iter().filter(may_touch).collect()
        }
        Place::Path(_) => {
            let mut guards: Vec<Guard> = Vec::new();
            for path in &touched.paths {
                let name = known.name(path);
                let mut more = known.rules.on(&name)?;
                // Whoever replaces or removes a folder touches what lies in it.
                if touched.target.tree {
                    more.extend(known.rules.within(&name)?);
                }
                guards.extend(more);
            }
            guards.dedup();
            guards
        }
    })
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
