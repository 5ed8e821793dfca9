//! What a coding agent may not write in this workspace, in the one form that every layer has: the write scope and the
//! protected paths that the declaration at base gives to agents.

use std::path::PathBuf;
use std::sync::Arc;

use gate::Refusal;
use gate::protected::{Access, Guard, Protected, Scope};
use store::git::RepoPath;
use store::tree::{Revision, Tree};

use crate::declaration::{self, FILES, Reader, Workspace};
use crate::place::{Place, tree_failed};

/// The files that the rules are made from: the declaration, and the refs that say what base is.
pub fn sources(place: &Place<'_>) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in folders(place.folder()) {
        files.extend(FILES.iter().map(|name| place.root().join(folder.to_path()).join(name)));
    }
    if let Some(layout) = place.layout() {
        let refs = [
            "packed-refs",
            "reftable/tables.list",
            "refs/heads/main",
            "refs/heads/master",
            "refs/remotes/origin/HEAD",
            "refs/remotes/origin/main",
            "refs/remotes/origin/master",
        ];
        files.extend(refs.iter().map(|name| layout.common_dir.join(name)));
    }
    files
}

/// The folder and those above it.
fn folders(folder: &RepoPath) -> Vec<RepoPath> {
    let mut found = vec![folder.clone()];
    while let Some(last) = found.last().filter(|last| !last.is_empty()) {
        found.push(last.parent());
    }
    found
}

/// The rules for agents, from the declaration at base, or where base has none from the one in the working tree. With
/// `CHANT_AGENT` in the environment, for the agent session that it names. Paths are relative to the place's root.
///
/// # Errors
/// A declaration that can't be read: then nobody can say what an agent may write.
pub fn protected(place: &Place<'_>) -> Result<Protected, Refusal> {
    let mut rules = Protected::new();
    let Some(workspace) = governing(place)? else { return Ok(rules) };
    let declaration = &workspace.declaration;
    let below = |path: &str| workspace.at(path).to_string();
    let scope = declaration.scope_of("agent").unwrap_or_default();
    for entry in &scope.protected {
        rules.push(Guard {
            scope: Scope::Glob(below(&entry.path)),
            access: Access::Write,
            rule: "chant:protected".to_owned(),
            fact: format!("the declaration protects {} from agents", entry.path),
            next: "leave it as it is, or ask a person to make the change".to_owned(),
            ticket: true,
        });
    }
    let members = |names: &[String]| -> Vec<String> {
        let member = |name: &String| declaration.member(name).map(|(_, member)| below(member.folder()));
        names.iter().filter_map(member).collect()
    };
    let session = place.world.env.get("CHANT_AGENT").map(|name| name.to_string_lossy().into_owned());
    if let Some(name) = session {
        // A session that nobody declared reaches nothing.
        let declared = declaration.agents.iter().find(|agent| agent.name == name);
        let names = declared.map(|agent| agent.members.clone()).unwrap_or_default();
        let what = if names.is_empty() { "no member".to_owned() } else { names.join(", ") };
        rules.push(Guard {
            scope: Scope::Outside(members(&names)),
            access: Access::Write,
            rule: "chant:write-scope".to_owned(),
            fact: format!("the agent session {name} writes {what} alone"),
            next: "write within those members, or ask a person to make the change".to_owned(),
            ticket: true,
        });
    }
    Ok(rules)
}

fn governing(place: &Place<'_>) -> Result<Option<Workspace>, Refusal> {
    let work_tree = place.work_tree();
    let in_work_tree = declaration::discover(&work_tree, place.folder()).is_ok();
    let trust = place.trust(None)?;
    let base = match (trust.base(), place.objects()?) {
        (Some(base), Some(objects)) => {
            Revision::open(Arc::clone(objects), base.commit.as_str()).map_err(tree_failed)?
        }
        _ => None,
    };
    if let Some(base) = base
        && let Ok(found) = declaration::discover(&base, place.folder())
    {
        return declaration::read(&base as &dyn Tree, &found, Reader::Any).map(Some);
    }
    if !in_work_tree {
        return Ok(None);
    }
    let found = declaration::discover(&work_tree, place.folder())?;
    declaration::read(&work_tree, &found, Reader::Any).map(Some)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fixture::Scratch;

    fn declare(scratch: &Scratch, more: serde_json::Value) {
        let mut declaration = json!({ "name": "w", "schema": 1, "members": [
            { "name": "app", "dir": "app", "kind": "other", "because": "x" },
            { "name": "docs", "dir": "docs", "kind": "other", "because": "x" },
        ] });
        declaration.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        scratch.write("chant.workspace.json", declaration.to_string());
    }

    fn shut(scratch: &Scratch, path: &str) -> Vec<String> {
        let rules = protected(&scratch.place()).unwrap();
        rules.guards().iter().filter(|guard| guard.holds(path)).map(|guard| guard.rule.clone()).collect()
    }

    #[test]
    fn base_says_what_agents_may_write() {
        let mut scratch = Scratch::new();
        assert!(protected(&scratch.place()).unwrap().guards().is_empty());
        declare(
            &scratch,
            json!({
                "writeScope": { "agent": { "protected": ["app/locked/**"] } },
                "agents": [{ "name": "writer", "member": "docs" }],
            }),
        );
        scratch.commit("declared");
        // The working tree can't widen what base says.
        declare(&scratch, json!({}));
        assert_eq!(shut(&scratch, "app/a"), [""; 0]);
        assert_eq!(shut(&scratch, "app/locked/x"), ["chant:protected"]);
        scratch.world.env.set("CHANT_AGENT", "writer");
        assert_eq!(shut(&scratch, "docs/a"), [""; 0]);
        assert_eq!(shut(&scratch, "app/a"), ["chant:write-scope"]);
        scratch.world.env.set("CHANT_AGENT", "nobody");
        assert_eq!(shut(&scratch, "docs/a"), ["chant:write-scope"]);
    }
}
