use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use store::tree::WorkTree;

use super::*;
use crate::declaration::{Reader, discover, read};
use crate::published;

struct Place {
    _temp: tempfile::TempDir,
    top: PathBuf,
}

impl Place {
    fn new(declaration: Value, files: &[(&str, &str)]) -> Self {
        let temp = tempfile::tempdir().unwrap();
        let place = Self { top: temp.path().canonicalize().unwrap(), _temp: temp };
        place.write("chant.workspace.json", &declaration.to_string());
        for (name, text) in files {
            place.write(name, text);
        }
        place
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.top.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn list(&self, base: Option<&Declaration>) -> Value {
        let tree = WorkTree::new(&self.top);
        let found = discover(&tree, &RepoPath::from("")).unwrap();
        let workspace = read(&tree, &found, Reader::Root).unwrap();
        let query = Query {
            tree: &tree,
            loaded: &tree,
            workspace: &workspace,
            base,
            installed: None,
            root: ".".to_owned(),
            acceptance: &|_| None,
        };
        let listing = list(&query).unwrap();
        published::check("ls", &listing);
        serde_json::to_value(listing).unwrap()
    }
}

fn declaration(more: Value) -> Value {
    let mut value = json!({ "name": "acme", "schema": 1, "members": [] });
    value.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    value
}

const KIND: &str = r#"export const recordKind = { name: "note", location: { dir: ".", match: "^n-[0-9]+\\.md$" }, format: "markdown-front-matter", schema: { id: "urn:note", path: "note.schema.json" }, idField: "id" };"#;

#[test]
fn a_workspace_is_listed_whole() {
    let place = Place::new(
        declaration(json!({
            "x-team": "core", "minReader": "0.103.0",
            "members": [
                { "name": "app", "dir": "app", "kind": "other", "because": "b", "roles": ["api", { "name": "ui", "path": "web" }], "x-colour": "red" },
                { "name": "gone", "dir": "gone", "kind": "chant", "upstream": "u" },
                { "name": "samples", "kind": "examples", "glob": "samples/*" },
                { "name": "none", "kind": "examples", "glob": ["a", "b"] },
            ],
            "agents": [{ "name": "builder", "member": "app" }],
            "diagrams": [{ "name": "d", "title": "D", "source": "d.mmd", "renderer": { "tool": "mermaid", "version": "1.0.0" } }],
            "pins": [{ "path": "kinds" }],
        })),
        &[("app/a", ""), ("samples/x/chant.config.ts", ""), ("samples/y/a", "")],
    );
    let listed = place.list(None);
    assert_eq!(
        listed["workspace"],
        json!({
            "name": "acme", "root": ".", "file": "chant.workspace.json", "schema": 1, "minReader": "0.103.0",
            "pins": [{ "package": null, "version": null, "path": "kinds", "integrity": null }],
            "records": [], "agentsFrom": "working-tree", "x-team": "core",
        })
    );
    assert_eq!(
        listed["members"][0],
        json!({
            "name": "app", "dir": "app", "kind": "other",
            "roles": [{ "name": "api", "path": null }, { "name": "ui", "path": "web" }],
            "upstream": null, "because": "b", "readable": true, "reason": null,
            "records": [], "generated": [], "agents": ["builder"], "x-colour": "red",
        })
    );
    assert_eq!(listed["members"][1]["reason"]["code"], "dir-missing");
    assert_eq!(listed["groups"][0]["matches"], json!(["samples/x"]));
    assert_eq!(listed["groups"][0]["skipped"], json!(["samples/y"]));
    assert_eq!(listed["groups"][1]["reason"]["code"], "no-matches");
    assert_eq!(listed["diagrams"][0]["render"], Value::Null);
    assert_eq!(listed["summary"], json!({ "members": 2, "unreadable": 1, "groups": 2, "matches": 1 }));
    let keys: Vec<&String> = listed.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "$schema",
            "contract",
            "chant",
            "x-cairn",
            "at",
            "workspace",
            "members",
            "groups",
            "diagrams",
            "summary"
        ]
    );
}

#[test]
fn sessions_come_from_the_declaration_at_base() {
    let place = Place::new(
        declaration(json!({ "members": [{ "name": "app", "dir": ".", "kind": "other", "because": "b" }] })),
        &[],
    );
    let base = declaration(json!({
        "members": [{ "name": "app", "dir": ".", "kind": "other", "because": "b" }],
        "agents": [{ "name": "late", "members": ["app"] }, { "name": "early", "member": "app" }],
    }));
    let base: Declaration = serde_json::from_value(base).unwrap();
    let listed = place.list(Some(&base));
    assert_eq!(listed["workspace"]["agentsFrom"], "base");
    assert_eq!(listed["members"][0]["agents"], json!(["late", "early"]));
}

#[test]
fn kinds_of_records_are_listed_with_their_names_or_what_is_wrong() {
    let place = Place::new(
        declaration(json!({
            "records": [{ "kind": "notes/note.kind.mjs" }, { "kind": "gone.kind.mjs", "name": "lost" }],
            "members": [{ "name": "app", "dir": "app", "kind": "other", "because": "b", "records": [{ "kind": "bad.kind.mjs" }] }],
        })),
        &[
            ("notes/note.kind.mjs", KIND),
            (
                "notes/note.schema.json",
                r#"{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "urn:note", "type": "object"}"#,
            ),
            ("app/bad.kind.mjs", "export const recordKind = { name: f() };"),
        ],
    );
    let listed = place.list(None);
    let own = &listed["workspace"]["records"];
    assert_eq!(own[0]["reason"], Value::Null, "{}", own[0]);
    assert_eq!((&own[0]["name"], &own[0]["kind"]), (&json!("note"), &json!("note")));
    assert_eq!((&own[1]["name"], &own[1]["kind"]), (&json!("lost"), &Value::Null));
    assert_eq!(own[1]["reason"]["code"], "kind-unreadable");
    let member = &listed["members"][0];
    assert_eq!(member["records"][0]["path"], "app/bad.kind.mjs");
    assert_eq!(member["records"][0]["reason"]["code"], "kind-unreadable");
    assert_eq!(member["readable"], true);
}

#[test]
fn generated_files_are_merged_with_what_the_member_noted() {
    let place = Place::new(
        declaration(json!({ "members": [{
            "name": "api", "dir": "api", "kind": "other", "because": "b",
            "generated": [
                { "path": "out.json", "generator": "make out" },
                { "path": "notes.md", "generator": "x", "handWritten": { "because": "c" } },
            ],
        }] })),
        &[
            (
                "api/.chant/generated.json",
                r#"{"schema": 1, "files": [
                    {"path": ".github/workflows/api.yml", "command": "chant build", "env": "prod"},
                    {"path": ".gitlab-ci.yml"}, {"path": ".github/workflows/bad.yml"}, {"path": ".gitea/workflows/gone.yml"},
                    {"path": "api/out.json", "command": "old", "env": "dev"}, {"path": "api/notes.md"}
                ]}"#,
            ),
            (
                ".github/workflows/api.yml",
                "on: push\njobs:\n  build:\n    runs-on: x\n  ship:\n    name: Ship it\n",
            ),
            (".github/workflows/bad.yml", "jobs: ["),
            (
                ".gitlab-ci.yml",
                "stages: [a]\ndefault: {image: x}\n.hidden: {script: x}\nunit:\n  name: no\n  script: y\n",
            ),
        ],
    );
    let listed = place.list(None);
    let file = |path: &str, command: &str, env: Value, jobs: Value| json!({ "path": path, "command": command, "env": env, "jobs": jobs });
    assert_eq!(
        listed["members"][0]["generated"],
        json!([
            file(".gitea/workflows/gone.yml", "", json!(null), json!(null)),
            file(".github/workflows/api.yml", "chant build", json!("prod"), json!(["build", "Ship it"])),
            file(".github/workflows/bad.yml", "", json!(null), json!(null)),
            file(".gitlab-ci.yml", "", json!(null), json!(["unit"])),
            file("api/out.json", "make out", json!("dev"), json!(null)),
        ])
    );
    place.write("api/.chant/generated.json", "{");
    assert_eq!(place.list(None)["members"][0]["generated"].as_array().unwrap().len(), 1);
}

#[test]
fn a_declaration_that_cannot_be_read_is_a_failure() {
    let temp = tempfile::tempdir().unwrap();
    let tree = WorkTree::new(temp.path().canonicalize().unwrap());
    let missing = discover(&tree, &RepoPath::from("")).unwrap_err();
    let failure = Failure::new(&missing);
    published::check("ls", &failure);
    assert_eq!(failure.error.location, None);
    fs::create_dir(temp.path().join("w")).unwrap();
    fs::write(temp.path().join("w/chant.workspace.json"), "{\n  \"name\": 1\n}").unwrap();
    let found = discover(&tree, &RepoPath::from("w")).unwrap();
    let failure = Failure::new(&read(&tree, &found, Reader::Root).unwrap_err());
    published::check("ls", &failure);
    let location = Location { file: "chant.workspace.json".into(), line: 2, column: 11 };
    assert_eq!(failure.error.location, Some(location));
}

#[test]
fn criteria_are_asked_of_kinds_that_have_some() {
    let Some(folder) = published::data("reference-workspace") else { return };
    let tree = WorkTree::new(folder.canonicalize().unwrap());
    let found = discover(&tree, &RepoPath::from("")).unwrap();
    let workspace = read(&tree, &found, Reader::Root).unwrap();
    let acceptance = |file: &RepoPath| {
        assert_eq!(*file, RepoPath::from("work/work.kind.mjs"));
        Some(vec![Acceptance { item: "W-001".into(), state: None, met: 1, total: 2 }])
    };
    let query = Query {
        tree: &tree,
        loaded: &tree,
        workspace: &workspace,
        base: None,
        installed: None,
        root: ".".to_owned(),
        acceptance: &acceptance,
    };
    let listing = list(&query).unwrap();
    published::check("ls", &listing);
    let names: Vec<_> = listing.workspace.records.iter().map(|kind| kind.kind.as_deref().unwrap()).collect();
    assert_eq!(names, ["decision", "work"]);
    assert!(listing.workspace.records[0].acceptance.is_none());
    assert_eq!(listing.workspace.records[1].acceptance.as_ref().unwrap()[0].total, 2);
}

#[test]
fn a_commit_is_listed_as_a_checkout_of_it_is() {
    let scratch = crate::fixture::Scratch::notes();
    let text = declaration(json!({
        "records": [{ "kind": "notes/note.kind.mjs" }],
        "members": [
            { "name": "app", "dir": "app", "kind": "chant" },
            { "name": "gone", "dir": "gone", "kind": "other", "because": "b" },
            { "name": "samples", "kind": "examples", "glob": "samples/**" },
        ],
        "agents": [{ "name": "builder", "member": "app" }],
    }));
    scratch.write("sub/chant.workspace.json", text.to_string());
    fs::rename(scratch.root.join("notes"), scratch.root.join("sub/notes")).unwrap();
    scratch.write("sub/app/chant.config.ts", "");
    scratch.write("sub/samples/deep/one/chant.config.json", "{}");
    scratch.git(&["add", "-A"]);
    scratch.git(&["commit", "-q", "-m", "a"]);

    let disk = WorkTree::new(&scratch.root);
    let objects =
        std::sync::Arc::new(store::git::Git::new(&scratch.root, &scratch.world.env).objects().unwrap());
    let commit = store::tree::Revision::open(objects, "HEAD").unwrap().unwrap();
    let listed = |tree: &dyn Tree| {
        let found = discover(tree, &RepoPath::from("sub/app")).unwrap();
        let workspace = read(tree, &found, Reader::Root).unwrap();
        let query = Query {
            tree,
            loaded: &disk,
            workspace: &workspace,
            base: None,
            installed: None,
            root: found.root.to_string(),
            acceptance: &|_| None,
        };
        let listing = list(&query).unwrap();
        published::check("ls", &listing);
        serde_json::to_value(listing).unwrap()
    };
    let mut at = listed(&commit);
    assert_eq!(at["at"], json!(scratch.git(&["rev-parse", "HEAD"])));
    assert_eq!(at["workspace"]["agentsFrom"], "at");
    assert_eq!(at["workspace"]["root"], "sub");
    at["at"] = Value::Null;
    at["workspace"]["agentsFrom"] = json!("working-tree");
    let dir =
        at["members"][1]["reason"]["message"].as_str().unwrap().split(" at ").next().unwrap().to_owned();
    at["members"][1]["reason"]["message"] = json!(dir);
    assert_eq!(at, listed(&disk));
    // What came since is not there yet.
    scratch.write("sub/gone/x", "");
    assert_eq!(listed(&commit)["members"][1]["reason"]["code"], "dir-missing");
    assert_eq!(listed(&disk)["members"][1]["reason"], Value::Null);
}
