//! Front matter as it is read.

use super::*;

#[test]
fn front_matter_that_is_not_closed() {
    let text = DOOR.replacen("supersedes: []\n---\n", "supersedes: []\n", 1);
    let all = lint_as(NAME, text.as_bytes(), &[]);
    assert_eq!((all[0].check.id(), all[0].line), ("SFS-001", 1));
    assert!(all[0].message.contains("no line `---` closes it"), "{}", all[0].message);
    let all = lint_as(NAME, &DOOR.as_bytes()[4..], &[]);
    assert!(all[0].message.contains("the first line is not `---`"), "{}", all[0].message);
}

#[test]
fn true_and_false_of_older_yaml() {
    for word in ["yes", "No", "on", "OFF", "y"] {
        let finding =
            one("status: canonical", &format!("status: canonical\nstrict: {word}"), "SFS-001", "strict:");
        assert!(finding.message.starts_with(&format!("`{word}` is true or false")), "{}", finding.message);
        assert_eq!(found(with("status: canonical", &format!("status: canonical\nstrict: \"{word}\""))), []);
    }
    one("status: canonical", "status: canonical\non: true", "SFS-001", "on: true");
    one("status: canonical", "status: canonical\nwords: [so, no]", "SFS-001", "words:");
}

#[test]
fn a_version_without_quotes_is_a_number() {
    let finding = one("version: \"1.0\"", "version: 1.0", "SFS-001", "version:");
    assert!(finding.message.contains("read as a number"), "{}", finding.message);
    let text = DOOR.replace("version: \"1.0\"", "version: 1.10");
    let all = lint_as("door-spec-v1.10.md", text.replace("v1.0", "v1.10").as_bytes(), &[]);
    assert_eq!((all.len(), all[0].line), (1, 4), "{all:#?}");
    assert_eq!(found(with("version: \"1.0\"", "version: '1.0'")), []);
    one("version: \"1.0\"", "version: \"one\"", "SFS-001", "version:");
    one("version: \"1.0\"\n", "", "SFS-001", "---");
}

#[test]
fn a_key_that_stands_twice() {
    let finding =
        one("supersedes: []", "supersedes: []\nstatus: canonical", "SFS-001", "status: canonical\n---");
    assert!(finding.message.contains("stands twice"), "{}", finding.message);
}

#[test]
fn versions_follow_each_other() {
    let check = |version: &str, listed: &str| {
        let text = DOOR.replace("\"1.0\"", &format!("\"{version}\"")).replace("v1.0", &format!("v{version}"));
        let text = text.replace("supersedes: []", &format!("supersedes: {listed}"));
        let all = lint_as(&format!("door-spec-v{version}.md"), text.as_bytes(), &[]);
        all.into_iter().map(|one| one.message).collect::<Vec<_>>()
    };
    assert_eq!(check("1.2", "[\"1.0\", \"1.1\"]"), [""; 0]);
    assert_eq!(check("2.0", "[\"1.0\", \"1.1\"]"), [""; 0]);
    assert_eq!(check("1.2", "[\"1.1\", \"1.0\"]").len(), 2);
    assert_eq!(check("1.2", "[\"1.0\"]"), ["1.2 does not come right after 1.0"]);
    assert_eq!(check("1.2", "[]"), ["1.2 has versions before it, and `supersedes` lists none"]);
    assert_eq!(check("1.1", "[1.0]").len(), 1);
    assert_eq!(check("1.1", "\"1.0\""), ["the field `supersedes` is no list"]);
}

#[test]
fn the_file_name_carries_the_version() {
    let under = |name: &str| -> Vec<_> {
        lint_as(name, DOOR.as_bytes(), &[]).into_iter().map(|one| (one.line, one.message)).collect()
    };
    let say = |text: &str| vec![(4, text.to_owned())];
    assert_eq!(under("door-spec-v1.1.md"), say("the file name says 1.1, and the front matter 1.0"));
    assert_eq!(under("door-spec.md"), say("the file name `door-spec.md` carries no version"));
}
