//! One document that passes, one that fails for each check, and the edges.

mod checks;
mod edges;
mod front;
mod no_panic;

use super::*;

/// The document that passes.
pub(super) const DOOR: &str = include_str!("tests/door-spec-v1.0.md");
pub(super) const NAME: &str = "door-spec-v1.0.md";

pub(super) fn profile() -> Profile {
    Profile::built_in(Profile::DEFAULT).unwrap()
}

pub(super) fn lint_as(name: &str, bytes: &[u8], siblings: &[Sibling]) -> Vec<Finding> {
    let profile = profile();
    lint(bytes, Given { name, siblings: Some(siblings), profile: &profile, links: None })
}

/// The checks that find something in a text, each with its line.
#[track_caller]
pub(super) fn found(text: impl AsRef<[u8]>) -> Vec<(&'static str, usize)> {
    lint_as(NAME, text.as_ref(), &[]).iter().map(|one| (one.check.id(), one.line)).collect()
}

/// The passing document with one text replaced once.
#[track_caller]
pub(super) fn with(from: &str, to: &str) -> String {
    assert!(DOOR.contains(from), "{from:?} is not in the document");
    DOOR.replacen(from, to, 1)
}

/// The line of the first place of a text in another, from 1.
#[track_caller]
pub(super) fn line(text: &str, of: &str) -> usize {
    let at = text.find(of).unwrap_or_else(|| panic!("{of:?} is nowhere"));
    text[..at].matches('\n').count() + 1
}

/// Asserts that replacing `from` by `to` gives one finding, at the line of `at`, and returns it.
#[track_caller]
pub(super) fn one(from: &str, to: &str, id: &str, at: &str) -> Finding {
    let text = with(from, to);
    let all = lint_as(NAME, text.as_bytes(), &[]);
    let ids: Vec<_> = all.iter().map(|one| (one.check.id(), one.line)).collect();
    assert_eq!(ids, [(id, line(&text, at))], "{all:#?}");
    all.into_iter().next().unwrap()
}

#[test]
fn the_minimal_document_passes() {
    assert_eq!(lint_as(NAME, DOOR.as_bytes(), &[]), []);
}

#[test]
fn both_numberings_pass_under_their_profile() {
    // What the workflow spec does: an extension as section 5, and the rest counts on.
    let counted_on = |line: &str| {
        let heading = line.strip_prefix("## ").and_then(|rest| rest.split_once(". "));
        match heading.map(|(number, title)| (number.parse::<u32>().unwrap(), title)) {
            Some((number, title)) if number >= 5 => format!("## {}. {title}\n", number + 1),
            _ => format!("{line}\n"),
        }
    };
    let text: String = DOOR.lines().map(counted_on).collect();
    let extension = "## 5. Decision-making process\n\nScoped out: a door decides nothing.\n\n**Sources:** none - scope.\n\n";
    let text = text.replace("## 6. Prose", &format!("{extension}## 6. Prose"));
    let text = text.replace("#6-enforcement-contracts", "#7-enforcement-contracts");
    let under = |name: &str| {
        let profile = Profile::built_in(name).unwrap();
        let given = Given { name: NAME, siblings: None, profile: &profile, links: None };
        lint(text.as_bytes(), given)
    };
    assert_eq!(under("workflow-1.1"), []);
    let other = under("sfs-1.1");
    assert!(other.iter().all(|one| one.check == Check::Sections), "{other:#?}");
    // Sections 6 to 24 are out of place, 25 is in no inventory, and section 5 is not the one that the core has there.
    assert_eq!(other[0].message, "this section has number 6; 5 is its place in sfs-1.1");
}

#[test]
fn a_team_has_its_own_profile() {
    let read = |text: &str| Profile::read(text.as_bytes());
    let text = r#"{"schema":1,"name":"two","sections":[{"name":"What"},{"name":"How","also":["Ways"]}]}"#;
    let profile = read(text).unwrap();
    let spec = "---\ntype: spec\nstatus: canonical\nversion: \"1.0\"\nsupersedes: []\n---\n# T v1.0\n\n> **CANONICAL**\n\n\
                ## 1. What it is\n\nX.\n\n**Sources:** none - own.\n\n## 2. Ways\n\nY.\n\n**Sources:** none - own.\n";
    let given = Given { name: "t-v1.0.md", siblings: None, profile: &profile, links: None };
    assert_eq!(lint(spec.as_bytes(), given), []);
    for (text, says) in [
        ("{", "line 1"),
        (r#"{"schema":2,"name":"n","sections":[{"name":"A"}]}"#, "schema 2"),
        (r#"{"schema":1,"name":"n","sections":[]}"#, "no section"),
        (r#"{"schema":1,"name":"n","sections":[{"name":"--"}]}"#, "without a letter"),
        (
            r#"{"schema":1,"name":"n","sections":[{"name":"A","role":"core"},{"name":"B","role":"core"}]}"#,
            "role",
        ),
        (r#"{"schema":1,"name":"n","sections":[{"name":"A","number":2}]}"#, "number"),
    ] {
        let damage = read(text).unwrap_err().to_string();
        assert!(damage.contains(says), "{text}: {damage}");
    }
    assert_eq!(Profile::built_in("other"), None);
    assert!(Profile::BUILT_IN.iter().all(|name| Profile::built_in(name).is_some()));
}
