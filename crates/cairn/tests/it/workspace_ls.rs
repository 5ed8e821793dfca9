//! `workspace ls`.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::scratch::Scratch;

const LS: [&str; 4] = ["chant", "workspace", "ls", "--json"];

const WORK: &str = r#"export const recordKind = {
  name: "work", location: { dir: ".", match: "^w-[0-9]+\\.md$" }, format: "markdown-front-matter",
  schema: { id: "urn:work", path: "work.schema.json" }, idField: "id", supersedes: { field: "supersedes" },
  stateField: "state", states: ["open", "done"], closedStates: ["done"], pins: { field: "evidence" },
  work: {
    needs: "needs", implements: "implements", decisions: "work.kind.mjs", open: "open", done: "done",
    acceptance: { field: "acceptance" },
  },
};
"#;

fn declare(scratch: &Scratch, declaration: &Value) {
    scratch.write("chant.workspace.json", declaration.to_string());
}

fn shop() -> Scratch {
    let scratch = Scratch::repository();
    declare(
        &scratch,
        &json!({
            "name": "shop", "schema": 1,
            "records": [{ "kind": "work/work.kind.mjs" }, { "kind": "none.kind.mjs", "name": "gone" }],
            "members": [
                { "name": "api", "dir": "api", "kind": "other", "because": "it serves",
                  "roles": ["service", { "name": "docs", "path": "doc" }] },
                { "name": "web", "dir": "web", "kind": "chant" },
                { "name": "samples", "kind": "examples", "glob": ["samples/*", "more/*"] },
                { "name": "none", "kind": "examples", "glob": "none/*" },
            ],
        }),
    );
    scratch.write("api/a", "");
    scratch.write("samples/one/chant.config.ts", "");
    scratch.write("work/work.kind.mjs", WORK);
    scratch.write("work/work.schema.json", r#"{ "$id": "urn:work", "type": "object" }"#);
    let item = |id: &str, state: &str, more: &str| {
        scratch
            .write(&format!("work/{id}.md"), format!("---\nid: {id}\ntitle: T\nstate: {state}\n{more}---\n"));
    };
    item(
        "w-1",
        "open",
        "acceptance:\n  - { id: a, verification: test }\n  - { id: b, verification: test }\n",
    );
    item("w-2", "done", "supersedes: [w-1]\nacceptance:\n  - { id: a, verification: test }\n");
    item("w-3", "open", "");
    scratch.commit("shop");
    scratch
}

#[test]
fn a_workspace_is_listed_for_people() {
    assert_snapshot!(shop().run(&["chant", "workspace", "ls"]).all(), @"
    exit 0
    --- out
    shop  (chant.workspace.json)

    MEMBER  KIND   DIR  ROLES
    api     other  api  service, docs (doc)
    web     chant  web
      dir-missing: web is no directory

    GROUP    KIND      GLOB              PROJECTS
    samples  examples  samples/* more/*  1
    none     examples  none/*            0
      no-matches: no directory that none/* matches holds a chant project

    RECORDS  FILE                MEMBER  ACCEPTANCE
    work     work/work.kind.mjs  -       0 of 1 item met
    gone     none.kind.mjs       -
      kind-unreadable: kind file none.kind.mjs does not exist

    2 members, 1 unreadable; 2 example groups with 1 project
    --- err
    ");
    let bare = Scratch::empty();
    declare(&bare, &json!({ "name": "bare", "schema": 1, "members": [] }));
    assert_snapshot!(bare.run(&["cairn", "workspace", "ls"]).all(), @"
    exit 0
    --- out
    bare  (chant.workspace.json)

    0 members, 0 unreadable; 0 example groups with 0 projects
    --- err
    ");
}

#[test]
fn the_document_follows_the_published_schema() {
    let scratch = shop();
    let listed = scratch.run(&LS).ok().json();
    assert_eq!(
        listed["workspace"]["records"][0],
        json!({
            "name": "work", "path": "work/work.kind.mjs", "kind": "work", "reason": null,
            "acceptance": [{ "item": "w-2", "state": "done", "met": 0, "total": 1 }],
        })
    );
    assert_eq!(listed["workspace"]["records"][1]["reason"]["code"], "kind-unreadable");
    assert_eq!(listed["members"][1]["reason"]["code"], "dir-missing");
    assert_eq!(listed["groups"][1]["reason"]["code"], "no-matches");
    assert_eq!(listed["workspace"]["root"], ".");
}

#[test]
fn any_folder_of_the_workspace_will_do() {
    let scratch = shop();
    scratch
        .write("inner/chant.workspace.jsonc", r#"{ "name": "inner", "schema": 1, "members": [], } // own"#);
    let listed = scratch.run(&LS).ok().json();
    let from = |args: &[&str], folder: &str| {
        scratch.run_in(&scratch.path(folder), &[&LS[..], args].concat()).ok().json()
    };
    assert_eq!(from(&[], "work"), listed);
    assert_eq!(from(&["api"], ""), listed);
    let inner = from(&["inner"], "")["workspace"].clone();
    assert_eq!((&inner["name"], &inner["root"]), (&json!("inner"), &json!("inner")));
}

#[test]
fn a_revision_and_a_bare_clone_are_read_too() {
    let scratch = shop();
    let now = scratch.run(&LS).ok().json();
    declare(&scratch, &json!({ "name": "other", "schema": 1, "members": [] }));
    let mut then = scratch.run(&[&LS[..], &["--at", "HEAD"]].concat()).ok().json();
    assert_eq!(then["at"], scratch.git(&["rev-parse", "HEAD"]).trim());
    assert_eq!(then["workspace"]["agentsFrom"], "at");
    then["at"] = now["at"].clone();
    then["workspace"]["agentsFrom"] = now["workspace"]["agentsFrom"].clone();
    // The messages of reasons say where they looked.
    let codes = |listed: &Value| listed["members"][1]["reason"]["code"].clone();
    assert_eq!(codes(&then), codes(&now));
    assert_eq!(then["workspace"]["records"][0], now["workspace"]["records"][0]);
    scratch.git(&["clone", "-q", "--bare", ".", "bare.git"]);
    let bare = scratch.run_in(&scratch.path("bare.git"), &[&LS[..], &["--at", "main"]].concat()).ok().json();
    assert_eq!(bare["workspace"]["records"][0], now["workspace"]["records"][0]);
}

#[test]
fn agent_sessions_come_from_base() {
    let scratch = Scratch::repository();
    let with = |agent: &str| {
        json!({
            "name": "shop", "schema": 1,
            "members": [{ "name": "api", "dir": "api", "kind": "other", "because": "b" }],
            "agents": [{ "name": agent, "member": "api" }],
        })
    };
    scratch.write("api/a", "");
    declare(&scratch, &with("first"));
    let agents = |args: &[&str]| {
        let listed = scratch.run(&[&LS[..], args].concat()).ok().json();
        (listed["members"][0]["agents"].clone(), listed["workspace"]["agentsFrom"].clone())
    };
    assert_eq!(agents(&[]), (json!(["first"]), json!("working-tree")));
    scratch.commit("declared");
    scratch.git(&["checkout", "-q", "-b", "work"]);
    declare(&scratch, &with("second"));
    scratch.commit("another");
    assert_eq!(agents(&[]), (json!(["first"]), json!("base")));
    assert_eq!(agents(&["--at", "HEAD"]), (json!(["second"]), json!("at")));
    // A declaration at base that can't be read says nothing.
    scratch.git(&["branch", "-q", "-f", "main", "main~1"]);
    assert_eq!(agents(&[]), (json!(["second"]), json!("working-tree")));
}

#[test]
fn what_can_t_be_read_is_a_failure_with_its_place() {
    let scratch = Scratch::repository();
    let failure = |args: &[&str]| {
        let ran = scratch.run(&[&LS[..], args].concat());
        assert_eq!(ran.code, 1, "{}", ran.all());
        let error = ran.json()["error"].clone();
        let at = &error["location"];
        let at = if at.is_null() {
            "-".to_owned()
        } else {
            format!("{}:{}:{}", at["file"], at["line"], at["column"])
        };
        format!("{} {at}", error["code"].as_str().unwrap())
    };
    assert_eq!(failure(&[]), "declaration-missing -");
    assert_eq!(failure(&["--at", "none"]), "revision-unknown -");
    assert_eq!(failure(&["nowhere"]), "not-a-git-repository -");
    for (text, expected) in [
        ("{", "declaration-unparseable \"chant.workspace.json\":1:2"),
        ("{ \"schema\": 2 }", "declaration-invalid \"chant.workspace.json\":1:13"),
        (
            r#"{ "name": "a", "schema": 1, "minReader": "9.0.0", "members": [] }"#,
            "reader-too-old \"chant.workspace.json\":1:42",
        ),
        (
            r#"{ "name": "a", "schema": 1, "members": [], "pins": [{ "package": "@intentius/chant", "version": "0.1.0" }] }"#,
            "root-chant-required \"chant.workspace.json\":1:97",
        ),
        (
            r#"{ "name": "a", "schema": 1, "members": [{ "name": "x", "dir": "x", "kind": "chant" }, { "name": "y", "dir": "x", "kind": "chant" }] }"#,
            "placement-invalid \"chant.workspace.json\":1:109",
        ),
    ] {
        scratch.write("chant.workspace.json", text);
        assert_eq!(failure(&[]), expected);
    }
    scratch.write("chant.workspace.jsonc", "{}");
    assert_eq!(failure(&[]), "declaration-ambiguous \"chant.workspace.jsonc\":1:1");
    let plain = Scratch::empty();
    plain.run(&[&LS[..], &["--at", "HEAD"]].concat()).refused(1, "not-a-git-repository");
    assert_snapshot!(scratch.run(&["chant", "workspace", "ls"]).all(), @"
    exit 1
    --- out
    --- err
    ✗ both chant.workspace.json and chant.workspace.jsonc exist (declaration-ambiguous)
      at: chant.workspace.jsonc:1:1
      hint: keep one of them
    ");
}
