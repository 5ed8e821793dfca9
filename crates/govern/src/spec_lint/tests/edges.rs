//! The edges.

use super::*;

#[test]
fn a_byte_order_mark_alone() {
    assert_eq!(found("\u{feff}"), [("SFS-001", 1), ("SFS-002", 1), ("SFS-003", 1), ("SFS-005", 1)]);
}

#[test]
fn an_empty_file() {
    assert_eq!(found(""), [("SFS-001", 1), ("SFS-002", 1), ("SFS-003", 1)]);
    assert_eq!(found("\n\n"), [("SFS-001", 1), ("SFS-002", 1), ("SFS-003", 1)]);
}

#[test]
fn cr_in_a_fence_alone() {
    let finding = one("flowchart LR\n", "flowchart LR\r\n", "SFS-005", "flowchart LR");
    assert_eq!(finding.column, Some(13));
}

#[test]
fn not_ascii_inside_a_fence() {
    one("A[person]", "A[p\u{e9}rson]", "SFS-004", "  A[p");
}

#[test]
fn a_fence_of_tildes() {
    let text = with("```mermaid\nflowchart", "~~~mermaid\nflowchart").replacen(
        "((inside))\n```",
        "((inside))\n~~~",
        1,
    );
    assert_eq!(found(text), []);
    one("A door opens", "~~~\nx\n~~~\n\nA door opens", "SFS-007", "~~~\nx");
}

#[test]
fn a_fence_in_a_fence() {
    assert_eq!(found(with("A door opens", "````text\n```\nno language here\n```\n````\n\nA door opens")), []);
    // The same with marks of one length closes at the second line, and opens anew at the last.
    let text = with("A door opens", "```text\n```json\nx\n```\n\nA door opens");
    assert_eq!(found(text), []);
}

#[test]
fn a_fence_opened_in_a_list() {
    assert_eq!(found(with("A door opens", "- so:\n\n  ```text\n  x\n  ```\n\nA door opens")), []);
    one("A door opens", "- so:\n\n  ```text\n  x\n\nA door opens", "SFS-007", "  ```text");
    one("A door opens", "> ```text\n> x\n\nA door opens", "SFS-007", "> ```text");
}

#[test]
fn a_heading_in_a_fence_is_none() {
    assert_eq!(
        found(with("A door opens", "```text\n## 99. Not a section\n# Not a title\n```\n\nA door opens")),
        []
    );
    one("A door opens", "```text\n## Door\n```\n\n[It](#door) opens", "SFS-008", "[It]");
}

#[test]
fn a_bare_reference_in_code_is_none() {
    assert_eq!(found(with("A door opens", "`sec 5` and `sec5` are code; sec`5` too. A door opens")), []);
}

#[test]
fn headings_of_one_name_have_anchors_with_a_number() {
    let twice = "### Notes\n\nOne.\n\n### Notes\n\nTwo.\n\nA door opens";
    let text = with("A door opens", twice);
    let linked =
        |anchor: &str| text.replace("[principles](#1-design-principles)", &format!("[notes](#{anchor})"));
    assert_eq!(found(linked("notes")), []);
    assert_eq!(found(linked("notes-1")), []);
    let text = linked("notes-2");
    assert_eq!(found(&text), [("SFS-008", line(&text, "[notes]"))]);
}

#[test]
fn a_link_to_itself_in_another_case() {
    one("A door opens", "[Here](#1-Design-PRINCIPLES) a door opens", "SFS-009", "[Here]");
    one("A door opens", "[There](#19-Glossary) a door opens", "SFS-008", "[There]");
}

#[test]
fn a_superseded_spec_that_supersedes() {
    let superseded = DOOR.replace("status: canonical", "status: superseded").replace(
        "**CANONICAL (current).** The first version.",
        "**SUPERSEDED** by v1.1 (`door-spec-v1.1.md`).",
    );
    let next = Sibling::read("door-spec-v1.1.md", DOOR.replace("\"1.0\"", "\"1.1\"").as_bytes()).unwrap();
    let check = |text: &str| -> Vec<(&'static str, usize)> {
        let all = lint_as(NAME, text.as_bytes(), std::slice::from_ref(&next));
        all.iter().map(|one| (one.check.id(), one.line)).collect()
    };
    let good = superseded.replace("supersedes: []", "superseded_by: \"1.1\"");
    assert_eq!(check(&good), []);
    let both = superseded.replace("supersedes: []", "supersedes: []\nsuperseded_by: \"1.1\"");
    assert_eq!(check(&both), [("SFS-001", line(&both, "supersedes:"))]);
    let neither = superseded.replace("supersedes: []\n", "");
    assert_eq!(check(&neither), [("SFS-001", line(&neither, "status:"))]);
    // The notice names who replaced it.
    let other = good.replace("by v1.1 (`door-spec-v1.1.md`)", "by another");
    assert_eq!(check(&other), [("SFS-002", line(&other, "> **SUPERSEDED"))]);
    // Its successor has to be there.
    let all = lint_as(NAME, good.as_bytes(), &[]);
    assert_eq!((all.len(), all[0].line), (1, line(&good, "superseded_by:")));
    assert_eq!(all[0].message, "its successor `door-spec-v1.1.md` is not there");
}

#[test]
fn two_canonicals() {
    let other = |name: &str, version: &str| {
        Sibling::read(name, DOOR.replace("\"1.0\"", &format!("\"{version}\"")).as_bytes()).unwrap()
    };
    let all = lint_as(NAME, DOOR.as_bytes(), &[other("door-spec-v1.1.md", "1.1")]);
    assert_eq!((all.len(), all[0].check.id(), all[0].line), (1, "SFS-001", line(DOOR, "status:")));
    assert_eq!(all[0].message, "`door-spec-v1.1.md` is canonical too: one version is in force");
    // Another document has its own version in force, and the file itself is no other one.
    assert_eq!(lint_as(NAME, DOOR.as_bytes(), &[other("gate-spec-v1.1.md", "1.1"), other(NAME, "1.0")]), []);
}

#[test]
fn a_version_that_is_left_out() {
    let old = DOOR
        .replace("status: canonical", "status: superseded")
        .replace("supersedes: []", "superseded_by: \"2.0\"");
    let old = Sibling::read(NAME, old.as_bytes()).unwrap();
    let text = DOOR
        .replace("\"1.0\"", "\"2.0\"")
        .replace("v1.0", "v2.0")
        .replace("supersedes: []", "supersedes: [\"1.1\"]");
    let all = lint_as("door-spec-v2.0.md", text.as_bytes(), &[old]);
    assert_eq!((all.len(), all[0].line), (1, line(&text, "supersedes:")), "{all:#?}");
    assert_eq!(all[0].cure.as_deref(), Some("add \"1.0\""));
}

#[test]
fn an_extension_without_sources() {
    let extension = "\n## 25. Windows\n\nThey stay shut.\n";
    let text = format!("{}{extension}", with("A door opens", "Beside [windows](#25-windows) a door opens"));
    assert_eq!(found(&text), [("SFS-010", line(&text, "## 25."))]);
    let whole = format!("{text}\n**Sources:** none - own.\n");
    assert_eq!(found(whole), []);
    // It is in the inventory where something links to it.
    let text = format!("{DOOR}{extension}\n**Sources:** none - own.\n");
    assert_eq!(found(&text), [("SFS-003", line(&text, "## 25."))]);
    let text = text.replace("## 25.", "## 26.");
    assert_eq!(found(&text), [("SFS-003", line(&text, "## 26.")); 2]);
}
