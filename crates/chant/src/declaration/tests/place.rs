//! Finding the declaration, and the program that it pins.

use super::*;

#[test]
fn the_nearest_folder_with_a_declaration_wins() {
    let temp = tempfile::tempdir().unwrap();
    let top = temp.path().canonicalize().unwrap();
    let tree = WorkTree::new(&top);
    fs::create_dir_all(top.join("a/b/c")).unwrap();
    let find = |start: &str| discover(&tree, &RepoPath::from(start));
    assert_eq!(find("a/b").unwrap_err().code, codes::DECLARATION_MISSING);
    fs::write(top.join(FILES[0]), "{}").unwrap();
    fs::write(top.join("a/b").join(FILES[1]), "{}").unwrap();
    assert_eq!(find("a").unwrap(), found(FILES[0]));
    assert_eq!(find("a/b/c").unwrap(), Found { root: "a/b".into(), file: FILES[1] });
    assert_eq!(at_root(&tree, &"a".into()).unwrap_err().code, codes::DECLARATION_MISSING);
    fs::write(top.join("a/b").join(FILES[0]), "{}").unwrap();
    let refusal = find("a/b/c").unwrap_err();
    assert_eq!(refusal.code, codes::DECLARATION_AMBIGUOUS);
    let at = refusal.at.unwrap();
    assert_eq!((at.path, at.line, at.column), (PathBuf::from("a/b/chant.workspace.jsonc"), Some(1), Some(1)));
    // A folder of that name is no declaration.
    fs::create_dir_all(top.join("a").join(FILES[0])).unwrap();
    assert_eq!(find("a").unwrap(), found(FILES[0]));
}

#[cfg(unix)]
#[test]
fn nothing_is_read_through_a_link() {
    let temp = tempfile::tempdir().unwrap();
    let top = temp.path().canonicalize().unwrap();
    fs::create_dir(top.join("a")).unwrap();
    fs::write(top.join("elsewhere.json"), with(json!({})).to_string()).unwrap();
    std::os::unix::fs::symlink("../elsewhere.json", top.join("a").join(FILES[0])).unwrap();
    let refusal = discover(&WorkTree::new(&top), &"a".into()).unwrap_err();
    assert_eq!(refusal.code, codes::DECLARATION_UNPARSEABLE);
    assert!(refusal.message.contains("symbolic link"));
}

#[test]
fn another_version_is_handed_the_command_where_it_is_installed() {
    let temp = tempfile::tempdir().unwrap();
    let top = temp.path().canonicalize().unwrap();
    let root = top.join("w");
    let package = top.join("node_modules").join(CHANT);
    fs::create_dir_all(&root).unwrap();
    fs::create_dir_all(package.join("bin")).unwrap();
    let pins = json!({ "pins": [{ "package": CHANT, "version": "0.107.0" }], "new": 1 });
    fs::write(root.join(FILES[0]), with(pins).to_string()).unwrap();
    let tree = WorkTree::new(&top);
    let place = Found { root: "w".into(), file: FILES[0] };
    let ask = |manifest: &str| {
        fs::write(package.join("package.json"), manifest).unwrap();
        handover(&tree, &place, &root, &top)
    };
    let manifest = r#"{"version": "0.107.0", "bin": {"chant": "./bin/chant"}}"#;
    assert_eq!(ask(manifest), None, "the program is not there");
    fs::write(package.join("bin/chant"), "").unwrap();
    let program = package.join("./bin/chant");
    assert_eq!(ask(manifest), Some(Handover { program: program.clone(), version: "0.107.0".into() }));
    assert_eq!(ask(r#"{"version": "0.107.0", "bin": "bin/chant"}"#).unwrap().program, program);
    assert_eq!(ask(r#"{"version": "0.106.0", "bin": "bin/chant"}"#), None);
    assert_eq!(ask(r#"{"version": "0.107.0", "bin": "../../../w/chant.workspace.json"}"#), None);
    assert_eq!(ask("not json"), None);
    assert_eq!(handover(&tree, &place, &root, &root), None, "nothing above the repository is looked at");
}
