//! `workspace init`.

use insta::assert_snapshot;
use serde_json::json;

use crate::scratch::Scratch;

const INIT: [&str; 3] = ["chant", "workspace", "init"];
const FILE: &str = "chant.workspace.json";

/// A repository with a project at its top, members, and examples.
fn monorepo() -> Scratch {
    let scratch = Scratch::repository();
    let config = |stack: &str| format!("export default {{ ownership: {{ stack: \"{stack}\" }} }};\n");
    scratch.write("chant.config.ts", config("shop"));
    scratch.write("package.json", r#"{ "name": "shop", "workspaces": ["packages/*"] }"#);
    scratch.write("packages/lib/package.json", r#"{ "name": "@shop/lib" }"#);
    scratch.write("packages/lib/src/a.ts", "");
    scratch.write("packages/lib/src/a.test.ts", "");
    scratch.write("services/api/chant.config.ts", config("shop"));
    scratch.write("services/web/chant.config.ts", "export default {};\n");
    for example in ["one", "two", "three"] {
        scratch.write(&format!("examples/{example}/chant.config.ts"), "");
        scratch.write(&format!("examples/{example}/main.ts"), "");
    }
    scratch.commit("projects");
    scratch.git(&["remote", "add", "origin", "https://example.org/acme/shop.git"]);
    scratch
}

#[test]
fn without_a_terminal_only_yes_writes() {
    let scratch = monorepo();
    assert_snapshot!(scratch.run(&INIT).all(), @r#"
    exit 0
    --- out
    chant.workspace.json, as proposed
    {
      "name": "shop",
      "schema": 1,
      "members": [
        {
          "name": "root",
          "dir": ".",
          "kind": "chant"
        },
        {
          "name": "lib",
          "dir": "packages/lib",
          "kind": "other",
          "because": "an npm workspace package with no chant project"
        },
        {
          "name": "api",
          "dir": "services/api",
          "kind": "chant"
        },
        {
          "name": "web",
          "dir": "services/web",
          "kind": "chant"
        },
        {
          "name": "examples",
          "kind": "examples",
          "glob": "examples/*"
        }
      ]
    }

    what leaves the root project
      DIRECTORY      OWNER     .TS FILES
      packages/lib   lib       1
      services/api   api       1
      services/web   web       1
      3 directories  examples  6

    the ownership stack of each chant member; set them in their configuration
      MEMBER  STACK  CHANGE
      root    shop   keep
      api     shop   rename to api
      web     -      set to web

    nothing was written
      hint: `--yes` writes it
    --- err
    "#);
    assert!(!scratch.path(FILE).exists());
    let verbose = scratch.run(&[&INIT[..], &["--verbose"]].concat()).ok();
    assert!(verbose.out.contains("examples/two/main.ts"), "{}", verbose.all());
    let ran = scratch.run_in(&scratch.path("services/api"), &[&INIT[..], &["--yes"]].concat()).ok();
    assert!(ran.out.ends_with("✓ wrote chant.workspace.json\n"), "{}", ran.all());
    assert_eq!(scratch.json(FILE)["name"], "shop");
    scratch.run(&["chant", "workspace", "ls", "--json"]).ok();
}

#[test]
fn on_a_terminal_somebody_is_asked() {
    let scratch = monorepo();
    assert_snapshot!(scratch.run_asked(false, &INIT).all(), @"
    exit 0
    --- out
    nothing was written
      hint: `--yes` writes it
    --- err
    ");
    assert!(!scratch.path(FILE).exists());
    // A document is no place for a question.
    scratch.run_asked(true, &[&INIT[..], &["--json"]].concat()).ok();
    assert!(!scratch.path(FILE).exists());
    assert_snapshot!(scratch.run_asked(true, &INIT).all(), @"
    exit 0
    --- out
    ✓ wrote chant.workspace.json
    --- err
    ");
    assert!(scratch.path(FILE).exists());
}

#[test]
fn the_document_says_what_was_proposed() {
    let scratch = monorepo();
    let proposed = scratch.run(&[&INIT[..], &["--json"]].concat()).ok().json();
    assert_eq!((&proposed["written"], &proposed["file"]), (&json!(false), &json!(FILE)));
    let written = scratch.run(&[&INIT[..], &["--json", "--yes"]].concat()).ok().json();
    assert_eq!(written["written"], true);
    assert_eq!(written["declaration"], proposed["declaration"]);
    assert_eq!(scratch.json(FILE), written["declaration"]);
}

#[test]
fn a_folder_can_be_a_workspace_of_its_own() {
    let scratch = monorepo();
    let made = scratch.run(&[&INIT[..], &["services", "--yes", "--name", "services", "--json"]].concat());
    let made = made.ok().json();
    assert_eq!(made["file"], "services/chant.workspace.json");
    assert_eq!(
        scratch.json("services/chant.workspace.json"),
        json!({
            "name": "services", "schema": 1,
            "members": [
                { "name": "api", "dir": "api", "kind": "chant" },
                { "name": "web", "dir": "web", "kind": "chant" },
            ],
        })
    );
}

#[test]
fn what_can_t_be_made_is_refused() {
    let scratch = monorepo();
    let refused = |args: &[&str], text: &str| {
        scratch.run(&[&INIT[..], args].concat()).refused(1, text);
        assert!(!scratch.path(FILE).exists());
    };
    refused(&["--name", "No Name", "--yes"], "is no name of a workspace");
    refused(&["nowhere", "--yes"], "cannot use");
    refused(&["--profile", "app", "--yes"], "`--profile` is not offered here");
    refused(&["--profile"], "`--profile` is not offered here");
    scratch.write("chant.workspace.jsonc", "{}");
    refused(&["--yes"], "there is a chant.workspace.jsonc already");
    let plain = Scratch::empty();
    assert_snapshot!(plain.run(&[&INIT[..], &["--yes"]].concat()).all(), @"
    exit 1
    --- out
    --- err
    ✗ [root] lies in no git repository with a working tree (not-a-git-repository)
      hint: the proposal is made from the files that git knows; run `git init` first
    ");
    plain.run(&[&INIT[..], &["--yes", "--json"]].concat()).refused(1, "not-a-git-repository");
}
