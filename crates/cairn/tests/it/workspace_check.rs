//! `workspace check`, as a user meets it.

use std::fs;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::scratch::Scratch;

fn declare(scratch: &Scratch, more: &Value) {
    let mut value = json!({ "name": "demo", "schema": 1, "members": [] });
    value.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    scratch.write("chant.workspace.json", format!("{value:#}\n"));
}

/// A workspace with a member that nothing reads, one whose folder is missing, and one that is suppressed.
fn workspace() -> Scratch {
    let scratch = Scratch::repository();
    let suppress = json!([{ "check": "WSP004", "because": "it comes later" }]);
    declare(
        &scratch,
        &json!({ "members": [
            { "name": "app", "dir": "app", "kind": "other", "because": "no kind\nreads it" },
            { "name": "gone", "dir": "gone", "kind": "design" },
            { "name": "later", "dir": "later", "kind": "design", "suppress": suppress },
            { "name": "box", "dir": "box", "kind": "design", "box": {} },
        ] }),
    );
    scratch.write("app/f", "");
    scratch.write("box/.env", "A=1\nAPI_KEY=hunter2\n");
    scratch.commit("a workspace");
    scratch
}

#[test]
fn what_is_found_is_told_to_people() {
    let scratch = workspace();
    assert_snapshot!(scratch.run(&["chant", "workspace", "check"]).all(), @"
    exit 1
    --- out

    chant.workspace.json
       13:14   error    gone has the directory gone, which does not exist  WSP004
        5:5    warning  app (app) is of kind other, which nothing reads: no kind reads it  WSP009

    box/.env
        2:9    error    box-credential-declared: box/.env holds a literal value for API_KEY, and the box box holds no credential: put a ${VAR} or the address of a secret manager in its place, or declare a capability with a broker  WSP121

    ✖ 2 errors, 1 warning

    Suppressed
       18:14   error    later has the directory later, which does not exist  WSP004  (it comes later)
    --- err
    ");
    let inner = scratch.run_in(&scratch.path("app"), &["cairn", "workspace", "check"]);
    assert!(inner.out.contains("\n../chant.workspace.json\n"), "{}", inner.all());
    declare(&scratch, &json!({}));
    assert_snapshot!(scratch.run(&["chant", "workspace", "check"]).all(), @"
    exit 0
    --- out
    ✓ chant.workspace.json: 0 errors, 0 warnings
    --- err
    ");
    fs::remove_file(scratch.path("chant.workspace.json")).unwrap();
    assert_snapshot!(scratch.run(&["chant", "workspace", "check", "--kind", "a.kind.mjs"]).all(), @"
    exit 0
    --- out
    ✓ no declaration and no lineage lock: nothing to check
    --- err
    warning: there is no declaration around this folder, so --kind is not looked at
    ");
    scratch.write(".chant/workspace.lock.json", "{}");
    scratch.run(&["chant", "workspace", "check"]).refused(1, "the lineage lock can't be read");
}

#[test]
fn what_is_found_is_a_document() {
    let scratch = workspace();
    let short = scratch.run(&["chant", "workspace", "check", "--json"]);
    assert_eq!(short.code, 1);
    let short = short.json();
    let keys: Vec<&String> = short.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["lock", "ok", "findings", "declaration"]);

    let whole = scratch.run(&["chant", "workspace", "check", "--format", "json"]);
    assert_eq!(whole.code, 1);
    let mut whole = whole.json();
    assert_eq!(whole["workspace"], json!({ "name": "demo", "root": "." }));
    assert_eq!(
        (&whole["contract"], &whole["chant"], &whole["at"]),
        (&json!(1), &json!("0.108.0"), &json!(null))
    );
    assert_eq!(whole["x-cairn"], json!({ "version": env!("CARGO_PKG_VERSION") }));
    for key in ["$schema", "contract", "chant", "x-cairn", "at", "workspace"] {
        whole.as_object_mut().unwrap().remove(key).unwrap();
    }
    assert_eq!(whole, short);
    assert!(!whole.to_string().contains("hunter2"));

    let log = scratch.run(&["chant", "workspace", "check", "--format", "sarif"]);
    assert_eq!(log.code, 1);
    let results = &log.json()["runs"][0]["results"];
    assert_eq!(results.as_array().unwrap().len(), 4);
    assert_eq!(results[2]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "box/.env");
}

#[test]
fn a_revision_that_is_not_there_is_a_failure() {
    let scratch = workspace();
    let at = |rev: &str, more: &[&str]| {
        scratch.run(&[&["chant", "workspace", "check", "--at", rev][..], more].concat())
    };
    assert_eq!(at("HEAD", &["--format", "json"]).json()["at"].as_str().unwrap().len(), 40);
    for more in [&["--json"][..], &["--format", "json"]] {
        let failure = at("none", more);
        assert_eq!(failure.code, 1);
        let failure = failure.json();
        assert_eq!(
            (&failure["error"]["code"], &failure["error"]["location"]),
            (&json!("revision-unknown"), &json!(null))
        );
        assert_eq!(failure["contract"], 1);
    }
    at("none", &[]).refused(1, "revision-unknown");
    at("HEAD", &["--format", "xml"]).refused(1, "--format");
    let outside = Scratch::empty();
    outside.run(&["chant", "workspace", "check", "--at", "HEAD"]).refused(1, "not-a-git-repository");
}

/// A workspace that pins another version, which is installed as a script.
#[cfg(unix)]
fn pinned(script: &str) -> Scratch {
    use std::os::unix::fs::PermissionsExt as _;
    let scratch = Scratch::repository();
    declare(&scratch, &json!({ "pins": [{ "package": "@intentius/chant", "version": "0.90.0" }] }));
    let package = "node_modules/@intentius/chant";
    scratch.write(
        &format!("{package}/package.json"),
        json!({ "version": "0.90.0", "bin": { "chant": "bin/chant" } }).to_string(),
    );
    scratch.write(&format!("{package}/bin/chant"), script);
    let program = scratch.path(&format!("{package}/bin/chant"));
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
    scratch
}

#[cfg(unix)]
#[test]
fn a_root_that_pins_another_version_is_handed_the_command_line() {
    let script = "#!/bin/sh\nprintf '%s\\n' \"$CHANT_WORKSPACE_ROOT_CHANT\" \"$PWD\" \"$@\" > told\nexit 7\n";
    let scratch = pinned(script);
    scratch.write("app/f", "");
    let root = scratch.root();
    let told = |args: &[&str]| {
        let ran = scratch.run(args);
        assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (7, "", ""));
        fs::read_to_string(scratch.path("told")).unwrap().replace(root.to_str().unwrap(), "[root]")
    };
    let expected = "0.90.0\n[root]\nworkspace\ncheck\n--format\njson\n--kind\na b\n";
    for called in [&["chant"][..], &["cairn"], &["cairn", "chant"]] {
        let args = [called, &["workspace", "check", "--format", "json", "--kind", "a b"]].concat();
        assert_eq!(told(&args), expected);
    }

    assert_eq!(told(&["chant", "workspace", "ls", "app"]), "0.90.0\n[root]\nworkspace\nls\napp\n");

    // Who was handed the command line answers it, and so does everyone where the program is missing.
    scratch
        .run_with("CHANT_WORKSPACE_ROOT_CHANT", "0.90.0", &["chant", "workspace", "check"])
        .refused(1, "root-chant-required");
    fs::remove_dir_all(scratch.path("node_modules")).unwrap();
    scratch.run(&["chant", "workspace", "check"]).refused(1, "root-chant-required");

    let broken = pinned("#!/no/such/interpreter\n");
    broken.run(&["chant", "workspace", "check"]).refused(1, "can't be started");
}

#[test]
fn an_id_given_twice_on_two_branches_is_named_with_both_files() {
    let scratch = Scratch::repository();
    declare(&scratch, &json!({ "records": [{ "kind": "notes/note.kind.mjs" }] }));
    scratch.write(
        "notes/note.kind.mjs",
        r#"export const recordKind = {
  name: "note", location: { dir: ".", match: "^n-.*\\.md$" }, format: "markdown-front-matter",
  schema: { id: "urn:test:note:1", path: "note.schema.json" }, idField: "id",
};
"#,
    );
    scratch.write("notes/note.schema.json", r#"{ "$id": "urn:test:note:1", "type": "object" }"#);
    scratch.commit("a kind");
    let note = |title: &str| {
        scratch.write(&format!("notes/n-001-{title}.md"), "---\nid: n-001\n---\n");
        scratch.commit(title);
    };
    scratch.git(&["checkout", "-q", "-b", "other"]);
    note("theirs");
    scratch.git(&["checkout", "-q", "main"]);
    note("ours");
    scratch.run(&["chant", "workspace", "check"]).ok();
    scratch.git(&["merge", "-q", "other", "-m", "merged"]);
    let ran = scratch.run(&["chant", "workspace", "check"]);
    assert_eq!(ran.code, 1);
    for part in ["record-id-duplicate", "notes/n-001-ours.md", "notes/n-001-theirs.md", "--prefix", "WSP114"]
    {
        assert!(ran.out.contains(part), "{part}: {}", ran.all());
    }
}
