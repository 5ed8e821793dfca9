use std::fs;
use std::path::{Path, PathBuf};

use canon::Algorithm;
use serde_json::{Value, json};
use store::tree::WorkTree;

use super::*;
use crate::declaration::{FILES, Found, Reader, parse};

/// Files in a temporary folder.
struct Place {
    _temp: tempfile::TempDir,
    top: PathBuf,
    tree: WorkTree,
}

impl Place {
    fn new(files: &[(&str, &str)]) -> Self {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        let tree = WorkTree::new(&top);
        let place = Self { _temp: temp, top, tree };
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

    fn installed(&self) -> Installed {
        Installed { root: self.top.clone(), top: self.top.clone() }
    }

    fn kinds(&self, pins: Value) -> Kinds {
        let pins: Vec<crate::declaration::Pin> = serde_json::from_value(pins).unwrap();
        Kinds::load(&self.tree, &RepoPath::from(""), &pins, Some(&self.installed()))
    }
}

fn workspace(members: Value) -> Workspace {
    let text = json!({ "name": "acme", "schema": 1, "members": members }).to_string();
    parse(text.as_bytes(), &Found { root: RepoPath::from(""), file: FILES[0] }, Reader::Any).unwrap()
}

fn member(dir: &str, kind: &str) -> Value {
    json!({ "name": "app", "dir": dir, "kind": kind, "because": "b" })
}

const KINDS: &str = r#"{"schema": 1, "x-a": 1, "kinds": [
    {"name": "terraform", "description": "a root module", "precedence": 400, "probe": {"anyFile": ["*.tf", "main.json"]},
     "outputs": ["url"], "fields": {"port": {"type": "integer", "default": 80}, "run": {"type": "object", "fields": {"cmd": {"type": "string"}}}}},
    {"name": "live", "description": "a live root", "precedence": 401, "probe": {"anyBlock": {"in": ["*.hcl"], "blocks": ["live"]}}}
]}"#;
const EXPORTS: &str = r#"{"name": "p", "version": "1.0.0", "exports": {"./workspace-kinds": "./k.json"}}"#;

#[test]
fn why_a_member_cannot_be_read() {
    let place = Place::new(&[
        ("chant/chant.config.json", "{}"),
        ("nested/chant.workspace.jsonc", "{}"),
        ("plain/a", ""),
        ("file", ""),
    ]);
    for (dir, kind, code) in [
        ("chant", "chant", None),
        ("nested", "workspace", None),
        ("plain", "other", None),
        ("plain", "design", None),
        ("plain", "chant", Some(codes::KIND_PROBE_FAILED)),
        ("plain", "workspace", Some(codes::KIND_PROBE_FAILED)),
        ("gone", "other", Some(codes::DIR_MISSING)),
        ("gone", "rust", Some(codes::DIR_MISSING)),
        ("file", "other", Some(codes::DIR_MISSING)),
        ("plain", "rust", Some(codes::UNKNOWN_KIND)),
    ] {
        let workspace = workspace(json!([member(dir, kind)]));
        let (_, member) = workspace.declaration.members().next().unwrap();
        let found = reason(&place.tree, &workspace, member, &Kinds::built_in()).unwrap();
        assert_eq!(found.as_ref().map(|problem| problem.code), code, "{dir} {kind}");
        if code == Some(codes::UNKNOWN_KIND) {
            assert!(found.unwrap().message.ends_with("known kinds: chant, design, other, workspace"));
        }
    }
}

#[test]
fn kinds_come_from_pinned_packages_and_directories() {
    let place = Place::new(&[
        ("node_modules/p/package.json", EXPORTS),
        ("node_modules/p/k.json", KINDS),
        ("a/main.tf", ""),
        ("b/x.hcl", "# live {\n  live{\n}\n"),
        ("c/x.hcl", "alive {}\nlive \"x\" {}\n"),
    ]);
    let kinds = place.kinds(json!([{ "package": "p", "version": "1.0.0" }]));
    assert_eq!(kinds.problems, []);
    assert_eq!(kinds.names(), ["chant", "design", "live", "other", "terraform", "workspace"]);
    let terraform = kinds.get("terraform").unwrap();
    assert_eq!(terraform.fields["port"].default, Some(json!(80)));
    assert!(matches!(&terraform.fields["run"].of, FieldType::Object(fields) if fields.contains_key("cmd")));
    assert_eq!(terraform.outputs, Outputs::Listed(vec!["url".into()]));
    let probed =
        |kind: &str, dir: &str| probe(&place.tree, kinds.get(kind).unwrap(), &RepoPath::from(dir)).unwrap();
    assert!(probed("terraform", "a") && !probed("terraform", "b"));
    assert!(probed("live", "b") && !probed("live", "c") && !probed("live", "a"));

    place.write("kinds/tf/package.json", EXPORTS);
    place.write("kinds/tf/k.json", KINDS);
    assert!(place.kinds(json!([{ "path": "kinds/tf" }])).get("live").is_some());
    // Two sources of one name are none.
    let both = place.kinds(json!([{ "package": "p", "version": "1.0.0" }, { "path": "kinds/tf" }]));
    assert!(both.get("live").is_none());
    assert_eq!(both.problems.iter().map(|problem| problem.pin).collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn a_pin_that_supplies_nothing_says_why() {
    let entry = |more: &str| {
        format!(
            r#"{{"schema": 1, "kinds": [{{"name": "tf", "description": "d", "precedence": 4, "probe": {{"anyFile": ["a"]}}{more}}}]}}"#
        )
    };
    for (manifest, kinds, message) in [
        (r#"{"version": "2.0.0"}"#, KINDS.to_owned(), "p is pinned at 1.0.0, and 2.0.0 is installed"),
        ("{", KINDS.to_owned(), "no JSON"),
        (
            r#"{"version": "1.0.0", "exports": {"./workspace-kinds": "./k.js"}}"#,
            KINDS.to_owned(),
            "must name a .json file",
        ),
        (
            r#"{"version": "1.0.0", "exports": {"./workspace-kinds": {"default": 1}}}"#,
            KINDS.to_owned(),
            "must name a .json file",
        ),
        (
            r#"{"version": "1.0.0", "exports": {"./workspace-kinds": "./../../secret.json"}}"#,
            KINDS.to_owned(),
            "is not there, or not within",
        ),
        (
            r#"{"version": "1.0.0", "exports": {"./workspace-kinds": "./gone.json"}}"#,
            KINDS.to_owned(),
            "is not there",
        ),
        (EXPORTS, "[".to_owned(), "./k.json: line 1"),
        (EXPORTS, r#"{"schema": 2, "kinds": []}"#.to_owned(), "has format 2"),
        (
            EXPORTS,
            KINDS.replace("\"live\", \"description", "\"terraform\", \"description"),
            "kind terraform is listed twice",
        ),
        (EXPORTS, KINDS.replace("\"terraform\"", "\"other\""), "kind other is built in"),
        (EXPORTS, KINDS.replace("\"terraform\"", "\"Tf\""), "is no name of a kind"),
        (EXPORTS, KINDS.replace("400", "1000"), "from 1 to 999"),
        (EXPORTS, KINDS.replace("main.json", "../main.json"), "no name of a file"),
        (EXPORTS, KINDS.replace("\"integer\"", "\"any\""), "field port of kind terraform"),
        (EXPORTS, entry("").replace("\"anyFile\": [\"a\"]", ""), "looks at nothing"),
        (EXPORTS, entry("").replace("anyFile", "run"), "unknown field"),
    ] {
        let place = Place::new(&[
            ("node_modules/p/package.json", manifest),
            ("node_modules/p/k.json", &kinds),
            ("secret.json", KINDS),
        ]);
        let found = place.kinds(json!([{ "package": "p", "version": "1.0.0" }]));
        let said: Vec<&str> = found.problems.iter().map(|problem| problem.message.as_str()).collect();
        assert!(said.len() == 1 && said[0].contains(message), "{message}: {said:?}");
    }
    let place = Place::new(&[("node_modules/p/package.json", r#"{"version": "1.0.0"}"#)]);
    assert_eq!(
        place.kinds(json!([{ "package": "p", "version": "1.0.0" }])).problems,
        [],
        "a toolchain without kinds"
    );
    assert!(
        place.kinds(json!([{ "package": "q", "version": "1.0.0" }])).problems[0]
            .message
            .contains("not installed")
    );
    assert!(place.kinds(json!([{ "path": "gone" }])).problems[0].message.contains("no package.json"));
}

#[test]
fn the_integrity_of_a_directory_is_the_hash_of_its_list() {
    let place = Place::new(&[
        ("k/package.json", EXPORTS),
        ("k/k.json", KINDS),
        ("k/sub/a", "a"),
        ("k/node_modules/x/y", "left out"),
        ("k/sub/.git/y", "left out"),
    ]);
    let found = integrity(&place.tree, &RepoPath::from("k"), Algorithm::Sha256).unwrap();
    let line = |name: &str, text: &str| {
        format!("{} {name}\n", canon::Hashed::of(Algorithm::Sha256, text.as_bytes()).hex())
    };
    let list = [line("k.json", KINDS), line("package.json", EXPORTS), line("sub/a", "a")].concat();
    assert_eq!(found, canon::Hashed::of(Algorithm::Sha256, list.as_bytes()).integrity());
    assert_eq!(place.kinds(json!([{ "path": "k", "integrity": found }])).problems, []);
    place.write("k/sub/a", "b");
    let kinds = place.kinds(json!([{ "path": "k", "integrity": found }]));
    assert!(kinds.get("live").is_none() && kinds.problems[0].message.contains("its files have sha256-"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("a", place.top.join("k/sub/link")).unwrap();
        let found = integrity(&place.tree, &RepoPath::from("k"), Algorithm::Sha512);
        assert!(found.unwrap_err().contains("symbolic link"));
    }
}

#[test]
fn globs_find_directories() {
    let place = Place::new(&[
        ("a/one/x", ""),
        ("a/two/x", ""),
        ("a/three/deep/two/x", ""),
        ("a/.hidden/two/x", ""),
        ("a/node_modules/two/x", ""),
        ("a/file", ""),
        ("b{c}/x", ""),
        ("two/x", ""),
    ]);
    for (glob, found) in [
        ("a/*", "a/one a/three a/two"),
        ("a/t*", "a/three a/two"),
        ("a/tw?", "a/two"),
        ("a/[a-o]*", "a/one"),
        ("a/[!t]*", "a/one"),
        ("**/two", "a/three/deep/two a/two two"),
        ("**/two/**", "a/three/deep/two a/two two"),
        ("**", "a a/one a/three a/three/deep a/three/deep/two a/two b{c} two"),
        ("a/.hidden/*", "a/.hidden/two"),
        ("b{c}", "b{c}"),
        ("b{*}", "b{c}"),
        ("a/[", ""),
        ("a/file", ""),
        ("gone/*", ""),
    ] {
        let paths = expand(&place.tree, &RepoPath::from(""), glob).unwrap();
        let paths: Vec<String> = paths.iter().map(ToString::to_string).collect();
        assert_eq!(paths.join(" "), found, "{glob}");
    }
}

#[cfg(unix)]
#[test]
fn globs_do_not_follow_links() {
    let place = Place::new(&[("a/one/x", "")]);
    std::os::unix::fs::symlink("..", place.top.join("a/loop")).unwrap();
    let found = expand(&place.tree, &RepoPath::from(""), "**").unwrap();
    assert_eq!(found, [RepoPath::from("a"), RepoPath::from("a/one")]);
}

fn two_groups(first: &str, second: &str) -> Workspace {
    workspace(json!([
        member("app", "chant"),
        { "name": "inner", "dir": "inner", "kind": "workspace" },
        { "name": "first", "kind": "examples", "glob": first },
        { "name": "second", "kind": "examples", "glob": [second, format!("{second}/**")] },
    ]))
}

#[test]
fn a_match_holds_a_project() {
    let place = Place::new(&[
        ("x/a/chant.config.ts", ""),
        ("x/b/1/2/3/4/chant.config.json", ""),
        ("x/c/1/2/3/4/5/chant.config.json", ""),
        ("x/d/package.json", r#"{"devDependencies": {"@intentius/chant-lexicon-aws": "1"}}"#),
        ("x/e/package.json", r#"{"dependencies": {"@intentius/chanting": "1"}}"#),
        ("x/f/package.json", "{"),
        ("x/g/node_modules/y/chant.config.ts", ""),
        ("app/chant.config.ts", ""),
    ]);
    let workspace = two_groups("x/*", "none/*");
    let groups = groups(&place.tree, &workspace).unwrap();
    assert_eq!(groups[0].projects, ["x/a", "x/b", "x/d"]);
    assert_eq!(groups[0].skipped, ["x/c", "x/e", "x/f", "x/g"]);
    assert!(groups[1].projects.is_empty() && groups[1].skipped.is_empty());
}

#[test]
fn a_match_lies_in_nobodys_way() {
    let place = Place::new(&[
        ("app/chant.config.ts", ""),
        ("app/x/a/chant.config.ts", ""),
        ("inner/x/chant.config.ts", ""),
        ("x/a/chant.config.ts", ""),
    ]);
    for (first, second, message) in [
        ("ap*", "none", "group first matches app, which is the directory of member app"),
        ("inner/*", "none", "group first matches inner/x, which lies in the nested workspace inner"),
        ("x/*", "x/a", "group second matches x/a, which group first matches too"),
    ] {
        let workspace = two_groups(first, second);
        let refusal = groups(&place.tree, &workspace).unwrap_err();
        assert_eq!(refusal.code, codes::PLACEMENT_INVALID);
        assert!(refusal.message.starts_with(message), "{}", refusal.message);
        assert_eq!(refusal.at.unwrap().path, Path::new(FILES[0]));
    }
    // Within another member's directory it may lie.
    assert_eq!(groups(&place.tree, &two_groups("app/x/*", "none")).unwrap()[0].projects, ["app/x/a"]);
    let around = workspace(json!([member("x/a", "chant"), { "name": "g", "kind": "examples", "glob": "x" }]));
    assert!(groups(&place.tree, &around).unwrap_err().message.contains("which holds member app (x/a)"));
}
