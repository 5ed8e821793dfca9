//! One document that fails, for each check.

use super::super::link_cache::LinkCache;
use super::*;

#[test]
fn sfs_001_front_matter() {
    one("type: spec", "type: note", "SFS-001", "type: note");
    one("status: canonical", "status: draft", "SFS-001", "status: draft");
    one("supersedes: []\n", "", "SFS-001", "status:");
}

#[test]
fn sfs_002_title_and_notice() {
    one("> **CANONICAL (current).** The first", "The first", "SFS-002", "The first");
    one("**CANONICAL (current).**", "**Current.**", "SFS-002", "> **Current");
    one("**CANONICAL (current).**", "**SUPERSEDED** by v1.1.", "SFS-002", "> **SUPERSEDED");
    one("# DOOR SPECIFICATION v1.0", "# DOOR SPECIFICATION v1.1", "SFS-002", "# DOOR");
    one("# DOOR SPECIFICATION v1.0\n", "Hello.\n\n# DOOR SPECIFICATION v1.0\n", "SFS-002", "Hello.");
    let text = format!("{DOOR}\n# A second title\n");
    assert_eq!(found(&text), [("SFS-002", line(&text, "# A second"))]);
}

#[test]
fn sfs_003_sections() {
    let text = with("## 7. Knowledge lifecycle", "## 7. Lore");
    assert_eq!(found(&text), [("SFS-003", line(&text, "## 7. Lore"))]);
    let none = "Not applicable to this spec: a door has no such thing.\n\n**Sources:** none - declarative scope statement.\n\n";
    let text = with(&format!("## 7. Knowledge lifecycle\n\n{none}"), "");
    let missing = lint_as(NAME, text.as_bytes(), &[]);
    assert_eq!(missing.len(), 1, "{missing:#?}");
    assert_eq!(missing[0].line, line(&text, "## 8."));
    assert_eq!(missing[0].message, "section 7, `Knowledge lifecycle`, is missing before this line");
    one("## 7. Knowledge", "## Knowledge", "SFS-003", "## Knowledge");
    one(
        "## 7. Knowledge lifecycle\n\nNot applicable to this spec: a door has no such thing.",
        "## 7. Knowledge lifecycle",
        "SFS-003",
        "## 7.",
    );
}

#[test]
fn sfs_004_ascii() {
    let finding = one("A door opens", "A door \u{2014} opens", "SFS-004", "A door");
    assert_eq!((finding.column, finding.cure.as_deref()), (Some(8), Some("write `-`")));
    assert_eq!(finding.message, "U+2014 is not ASCII");
}

#[test]
fn sfs_005_encoding() {
    let mut bytes = DOOR.as_bytes().to_vec();
    let at = DOOR.find("A door opens").unwrap();
    bytes[at] = 0xe9;
    let all = lint_as(NAME, &bytes, &[]);
    assert_eq!(all.len(), 1, "{all:#?}");
    assert_eq!((all[0].check.id(), all[0].line, all[0].column), ("SFS-005", line(DOOR, "A door"), Some(1)));
    one("A door opens", "A door\0 opens", "SFS-005", "A door");
    assert_eq!(found(DOOR.replace('\n', "\r\n")), [("SFS-005", 1)]);
    assert_eq!(found(format!("\u{feff}{DOOR}")), [("SFS-005", 1)]);
}

#[test]
fn sfs_006_diagrams() {
    let finding =
        one("A door opens", "```text\nperson\n  -> door\n```\n\nA door opens", "SFS-006", "  -> door");
    assert_eq!(finding.severity, Severity::Warning);
    one("A door opens", "```text\n+--+\n| x |\n+--+\n```\n\nA door opens", "SFS-006", "+--+");
    assert_eq!(found(with("A door opens", "```text\na listing\n```\n\nA door opens")), []);
}

#[test]
fn sfs_007_fences() {
    one("```mermaid\nflowchart", "```\nflowchart", "SFS-007", "```\nflowchart");
    one("flowchart LR", "flowchat LR", "SFS-007", "flowchat LR");
    one("B{ticket?}", "B{ticket?", "SFS-007", "  A[person]");
    one("A door opens", "    indented\n\nA door opens", "SFS-007", "    indented");
    one("A door opens", "```text\n---\ntype: spec\n---\n```\n\nA door opens", "SFS-007", "```text");
    // What an open fence takes in is no end of its section.
    let text = format!("{DOOR}\n```text\nno end\n");
    let sources = text.lines().count() - 3;
    assert_eq!(found(&text), [("SFS-010", sources), ("SFS-007", sources + 2)]);
}

#[test]
fn sfs_008_references() {
    let finding = one("A door opens", "As sec 19 says, a door opens", "SFS-008", "As sec 19");
    assert_eq!(finding.cure.as_deref(), Some("write `[sec 19](#19-glossary)`"));
    assert_eq!(finding.column, Some(4));
    one("A door opens", "As sec19 says, a door opens", "SFS-008", "As sec19");
    one("A door opens", "As sec.\n19 says, a door opens", "SFS-008", "As sec.");
    let finding = one("A door opens", "As [sec 19](#19-glosary) says, a door opens", "SFS-008", "As [sec");
    assert_eq!(finding.cure.as_deref(), Some("section 19 is `#19-glossary`"));
    assert_eq!(
        found(with("A door opens", "As [sec 19](#19-glossary) says in 30 secs or section 4, a door opens")),
        []
    );
}

#[test]
fn sfs_009_self_links() {
    one("A door opens", "[Here](#1-design-principles) a door opens", "SFS-009", "[Here]");
    one(
        "### Ticket schema\n",
        "### Ticket schema\n\n[Up](#21-contracts-schemas-and-state-machines)\n",
        "SFS-009",
        "[Up]",
    );
    one(
        "### Ticket schema\n",
        "### Ticket schema\n\n[Here](door-spec-v1.0.md#ticket-schema)\n",
        "SFS-009",
        "[Here]",
    );
    one("A door opens", "[Here](door-spec-v1.0.md) a door opens", "SFS-009", "[Here]");
    one("A door opens", "As in [the last](door-spec-v0.9.md) a door opens", "SFS-009", "As in");
    // A section may speak of another one, and of what stands in it.
    assert_eq!(found(with("### Ticket schema\n", "### Ticket schema\n\n[Next](#door-state-machine)\n")), []);
}

#[test]
fn sfs_010_sources() {
    let text = with("\n\n**Sources:** [principles](#1-design-principles)", "");
    assert_eq!(found(&text), [("SFS-010", line(&text, "## 2."))]);
    one(
        "**Sources:** [principles](#1-design-principles)",
        "**Sources:** the principles",
        "SFS-010",
        "**Sources:** the principles",
    );
    one(
        "**Sources:** [principles](#1-design-principles)",
        "**Sources:** none",
        "SFS-010",
        "**Sources:** none\n",
    );
    one(
        "[principles](#1-design-principles)\n",
        "[principles](#1-design-principles)\n\nMore.\n",
        "SFS-010",
        "**Sources:** [principles]",
    );
    one(
        "**Sources:** [principles](#1-design-principles)",
        "Sources: [principles](#1-design-principles)",
        "SFS-010",
        "## 2.",
    );
    assert_eq!(
        found(with(
            "**Sources:** [principles](#1-design-principles)\n",
            "**Sources:** [principles](#1-design-principles)\n\n---\n"
        )),
        []
    );
}

#[test]
fn sfs_011_benchmarks() {
    let finding = one("A door opens", "Losses fell by 45%. A door opens", "SFS-011", "Losses");
    assert_eq!((finding.severity, finding.column), (Severity::Warning, Some(16)));
    assert_eq!(found(with("A door opens", "`45%` is how a number looks. A door opens")), []);
}

#[test]
fn sfs_012_glossary() {
    let finding = one("A door opens", "A **turnstile** opens", "SFS-012", "A **turnstile**");
    assert_eq!((finding.severity, finding.column), (Severity::Warning, Some(5)));
    one("A door opens", "A door with RFID opens", "SFS-012", "A door with");
    assert_eq!(found(with("A door opens", "**Tickets** MUST be JSON. **Note:** a door opens")), []);
}

#[test]
fn sfs_013_contracts() {
    one("```json\n{ \"type\"", "```yaml\n{ \"type\"", "SFS-013", "### Ticket schema");
    one("\"required\": [\"number\"],", "\"required\": [\"number\"]", "SFS-013", "{ \"type\"");
    one("stateDiagram-v2\n  [*]", "flowchart LR\n  [*]", "SFS-013", "### Door state machine");
    let text = with("### Door state machine", "### Door as it moves");
    let at = ["[door state", "## 21."].map(|of| line(&text, of));
    assert_eq!(found(&text), [("SFS-008", at[0]), ("SFS-013", at[1])]);
    let text = with("[ticket schema](#ticket-schema)", "ticket schema");
    assert_eq!(found(&text), [("SFS-013", line(&text, "### Ticket schema"))]);
    one("- shut -> open, on a ticket\n- open -> shut,", "-", "SFS-013", "### Door state machine");
}

#[test]
fn sfs_014_conformance() {
    one("| ID | Contract", "| Id. | What", "SFS-014", "## 23.");
    one("| `DV-002`", "| `DV-001`", "SFS-014", "| `DV-001` | door | a ticket");
    one("| `DV-002` |", "| |", "SFS-014", "| | door");
    one("| door | a ticket | open |", "| door | a ticket | |", "SFS-014", "| `DV-002`");
    one("Levels: core", "Core", "SFS-014", "## 23.");
    one("Harness: a", "A", "SFS-014", "## 23.");
}

#[test]
fn sfs_015_external_links() {
    let text =
        with("[principles](#1-design-principles)", "[The RFC](https://www.rfc-editor.org/rfc/rfc8785)");
    let at = line(&text, "[The RFC]");
    let all = lint_as(NAME, text.as_bytes(), &[]);
    assert_eq!(all.len(), 1, "{all:#?}");
    assert_eq!((all[0].check.id(), all[0].line, all[0].severity), ("SFS-015", at, Severity::NotChecked));
    let profile = profile();
    let with_answer = |answer: &str| {
        let cache = format!(
            r#"{{"schema":1,"at":"2026-11-01T00:00:00.000Z","links":{{"https://www.rfc-editor.org/rfc/rfc8785":{answer}}}}}"#
        );
        let cache = LinkCache::read(cache.as_bytes()).unwrap();
        let given = Given { name: NAME, siblings: None, profile: &profile, links: Some(&cache) };
        lint(text.as_bytes(), given)
    };
    assert_eq!(with_answer(r#"{"status":200}"#), []);
    assert_eq!(with_answer(r#"{"status":200,"title":"RFC 8785: JSON Canonicalization Scheme"}"#), []);
    let gone = with_answer(r#"{"status":404}"#);
    assert_eq!((gone[0].severity, gone[0].line), (Severity::Error, at));
    assert!(gone[0].message.ends_with("answered 404 at 2026-11-01T00:00:00.000Z"), "{}", gone[0].message);
    let other = with_answer(r#"{"status":200,"title":"Parked domain"}"#);
    assert_eq!((other[0].severity, other[0].line), (Severity::Warning, at));
    // An address that nobody looked up stays unchecked.
    let bare = with("[principles](#1-design-principles)", "see https://example.org/a.");
    let cache = LinkCache::read(br#"{"schema":1,"at":"2026-11-01T00:00:00.000Z","links":{}}"#).unwrap();
    let all =
        lint(bare.as_bytes(), Given { name: NAME, siblings: None, profile: &profile, links: Some(&cache) });
    assert_eq!(all[0].message, "nobody looked whether `https://example.org/a` answers");
    assert!(LinkCache::read(br#"{"schema":3,"at":"2026-11-01T00:00:00.000Z","links":{}}"#).is_err());
}

#[test]
fn sfs_016_core() {
    one("Collapsed core: without", "Without", "SFS-016", "## 15.");
}

#[test]
fn sfs_x1_tables() {
    let text = with("|---|---|---|---|\n", "|---|---|---|\n");
    assert_eq!(found(&text), [("SFS-014", line(&text, "## 23.")), ("SFS-X1", line(&text, "| ID |"))]);
    one(
        "| `DV-002` | door | a ticket | open |",
        "| `DV-002` | door | a ticket | open | too much |",
        "SFS-X1",
        "| `DV-002`",
    );
    one("| a ticket | open |", "| a<br>ticket | open |", "SFS-X1", "| `DV-002`");
    assert_eq!(found(with("| a ticket | open |", "| a \\| b | open |")), []);
}

#[test]
fn sfs_x2_relative_links() {
    for target in ["/home/me/a.md", "file:///a.md", "C:/a.md"] {
        one("A door opens", &format!("[It]({target}) opens"), "SFS-X2", "[It]");
    }
    assert_eq!(found(with("A door opens", "[It](Research/door.md) opens")), []);
}
