use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use store::tree::WorkTree;

use super::*;

struct Place {
    _temp: tempfile::TempDir,
    top: PathBuf,
    files: Vec<RepoPath>,
}

impl Place {
    fn new(files: &[(&str, &str)]) -> Self {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        for (name, text) in files {
            let path = top.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self { _temp: temp, top, files: files.iter().map(|(name, _)| RepoPath::from(*name)).collect() }
    }

    fn propose(&self) -> Proposal {
        propose(&WorkTree::new(&self.top), &self.files, &NAMES).unwrap()
    }

    fn members(&self) -> Value {
        serde_json::from_str::<Value>(&self.propose().text).unwrap()["members"].clone()
    }
}

const NAMES: Names<'static> = Names { given: Some("acme"), origin: None, folder: "x" };
const CHANT: &str = r#"{"dependencies": {"@intentius/chant": "1"}}"#;

#[test]
fn an_empty_folder_has_no_members() {
    let proposal = Place::new(&[]).propose();
    assert_eq!(proposal.text, "{\n  \"name\": \"acme\",\n  \"schema\": 1,\n  \"members\": []\n}\n");
    assert!(proposal.leaving.is_empty() && proposal.stacks.is_empty());
}

#[test]
fn projects_make_members() {
    let place = Place::new(&[
        ("chant.config.ts", ""),
        ("package.json", r#"{"name": "acme", "workspaces": ["packages/*"]}"#),
        ("services/api/chant.config.json", "{}"),
        ("services/api/package.json", r#"{"name": "@acme/acme-api"}"#),
        ("services/api/inner/chant.config.ts", ""),
        ("services/api/tools/package.json", "{}"),
        ("services/web/infra/chant.config.ts", ""),
        ("services/web/package.json", "{}"),
        ("packages/lib/package.json", r#"{"name": "@acme/lib"}"#),
        ("packages/lib/sub/package.json", "{}"),
        ("packages/lib/__fixtures__/a/chant.config.ts", ""),
        ("tools/package.json", "{}"),
        ("other/chant.workspace.json", "{}"),
        ("other/app/chant.config.ts", ""),
        ("vendor/node_modules/a/chant.config.ts", ""),
        (".hidden/chant.config.ts", ""),
        ("a/api/package.json", "{}"),
    ]);
    assert_eq!(
        place.members(),
        json!([
            { "name": "root", "dir": ".", "kind": "chant" },
            { "name": "api", "dir": "a/api", "kind": "other", "because": "an npm package with no chant project" },
            { "name": "other", "dir": "other", "kind": "workspace" },
            { "name": "lib", "dir": "packages/lib", "kind": "other", "because": "an npm workspace package with no chant project" },
            { "name": "api-2", "dir": "services/api", "kind": "chant" },
            { "name": "infra", "dir": "services/web/infra", "kind": "chant" },
            { "name": "tools", "dir": "tools", "kind": "other", "because": "an npm package with no chant project" },
        ])
    );
}

#[test]
fn examples_make_groups() {
    let place = Place::new(&[
        ("chant.config.ts", ""),
        ("examples/a/chant.config.ts", ""),
        ("examples/b/package.json", CHANT),
        ("examples/c/src/chant.config.json", ""),
        ("lexicons/aws/examples/a/chant.config.ts", ""),
        ("lexicons/gcp/examples/b/chant.config.ts", ""),
        ("tests/one/chant.config.ts", ""),
        ("tests/two/x", ""),
        ("tests/three/x", ""),
        ("samples/plain/package.json", "{}"),
    ]);
    assert_eq!(
        place.members(),
        json!([
            { "name": "root", "dir": ".", "kind": "chant" },
            { "name": "examples", "kind": "examples", "glob": "examples/*" },
            { "name": "fixtures", "kind": "examples", "glob": "tests/one" },
            { "name": "lexicon-examples", "kind": "examples", "glob": "lexicons/*/examples/*" },
        ])
    );
}

#[test]
fn a_wide_glob_takes_no_member() {
    let place = Place::new(&[
        ("lexicons/aws/examples/a/chant.config.ts", ""),
        ("lexicons/gcp/examples/b/chant.config.ts", ""),
        ("lexicons/pg/examples/old/chant.workspace.json", "{}"),
        ("examples/a/chant.config.ts", ""),
        ("examples/own/chant.workspace.json", "{}"),
    ]);
    assert_eq!(
        place.members(),
        json!([
            { "name": "own", "dir": "examples/own", "kind": "workspace" },
            { "name": "old", "dir": "lexicons/pg/examples/old", "kind": "workspace" },
            { "name": "examples", "kind": "examples", "glob": "examples/a" },
            { "name": "lexicons-aws-examples", "kind": "examples", "glob": "lexicons/aws/examples/*" },
            { "name": "lexicons-gcp-examples", "kind": "examples", "glob": "lexicons/gcp/examples/*" },
        ])
    );
}

#[test]
fn what_leaves_the_root_project_is_told() {
    let place = Place::new(&[
        ("chant.config.ts", ""),
        ("api/chant.config.ts", ""),
        ("api/src/a.ts", ""),
        ("api/src/a.test.ts", ""),
        ("api/src/__tests__/b.ts", ""),
        ("api/src/c.js", ""),
        ("api/examples/x/chant.config.ts", ""),
        ("examples/a/chant.config.ts", ""),
        ("examples/b/chant.config.json", ""),
    ]);
    let directory = |dir: &str, files: &[&str]| Directory {
        dir: dir.to_owned(),
        files: files.iter().map(|name| (*name).to_owned()).collect(),
    };
    assert_eq!(
        place.propose().leaving,
        [
            Leaving {
                owner: "api".into(),
                group: false,
                directories: vec![directory(
                    "api",
                    &["api/chant.config.ts", "api/src/a.ts", "api/examples/x/chant.config.ts"]
                )],
            },
            Leaving {
                owner: "examples".into(),
                group: true,
                directories: vec![
                    directory("examples/a", &["examples/a/chant.config.ts"]),
                    directory("examples/b", &[])
                ],
            },
        ]
    );
}

#[test]
fn stacks_are_distinct() {
    let place = Place::new(&[
        ("chant.config.ts", "export default { ownership: { team: 'x', stack: \"shared\" } };"),
        ("a/chant.config.ts", "export default { ownership: { stack: 'shared' } };"),
        ("b/chant.config.ts", "export default { ownership: { stack: name() } };"),
        ("c/chant.config.json", r#"{"ownership": {"stack": "b"}}"#),
        ("d/chant.config.json", "{}"),
    ]);
    let stacks: Vec<_> = place
        .propose()
        .stacks
        .into_iter()
        .map(|stack| (stack.member, stack.current, stack.proposed, stack.change))
        .collect();
    let row = |member: &str, current: Option<&str>, proposed: &str, change| {
        (member.to_owned(), current.map(str::to_owned), proposed.to_owned(), change)
    };
    assert_eq!(
        stacks,
        [
            row("root", Some("shared"), "shared", Change::Keep),
            row("a", Some("shared"), "a", Change::Rename),
            row("b", None, "b-2", Change::Set),
            row("c", Some("b"), "b", Change::Keep),
            row("d", None, "d", Change::Set),
        ]
    );
}

#[test]
fn the_workspace_is_named_after_what_is_known() {
    let called = |names: Names<'_>, files: &[(&str, &str)]| {
        let place = Place::new(files);
        propose(&WorkTree::new(&place.top), &place.files, &names).unwrap().workspace.declaration.name
    };
    let names = Names { given: None, origin: None, folder: "My Folder_1" };
    assert_eq!(called(names, &[]), "my-folder-1");
    assert_eq!(called(names, &[("package.json", r#"{"name": "@scope/Pack"}"#)]), "pack");
    for url in ["git@host:team/Repo.git", "https://host/team/Repo.git/", "/srv/Repo", "Repo"] {
        assert_eq!(
            called(Names { origin: Some(url), ..names }, &[("package.json", r#"{"name": "pack"}"#)]),
            "repo"
        );
    }
    assert_eq!(called(Names { given: Some("own"), origin: Some("x/y"), ..names }, &[]), "own");
    assert_eq!(called(Names { folder: "___", ..names }, &[]), "workspace");
    let long = "a".repeat(60);
    assert_eq!(called(Names { folder: &long, ..names }, &[]).len(), 40);
}

#[test]
fn nothing_is_proposed_over_a_declaration_or_for_a_bad_name() {
    for file in FILES {
        let place = Place::new(&[(file, "{}")]);
        let refusal = propose(&WorkTree::new(&place.top), &place.files, &NAMES).unwrap_err();
        assert!(refusal.message.contains("already"), "{}", refusal.message);
    }
    let place = Place::new(&[]);
    let names = Names { given: Some("Not A Name"), ..NAMES };
    assert!(propose(&WorkTree::new(&place.top), &[], &names).is_err());
}

#[test]
fn the_proposal_is_written_once() {
    let place = Place::new(&[("chant.config.ts", "")]);
    let tree = WorkTree::new(&place.top);
    let proposal = place.propose();
    write(&tree, &place.top, &proposal).unwrap();
    assert_eq!(fs::read_to_string(place.top.join(FILES[0])).unwrap(), proposal.text);
    assert!(write(&tree, &place.top, &proposal).is_err());
    let found = declaration::discover(&tree, &RepoPath::from("")).unwrap();
    assert!(declaration::read(&tree, &found, Reader::Root).is_ok());
}
