use gate::ReasonCode;
use serde_json::{Value, json};
use store::tree::{Overlay, WorkTree};

use super::*;

const SCHEMA: &str = r#"{ "$id": "urn:x:note:1", "type": "object", "required": ["id", "title"],
    "properties": { "id": { "type": "string", "pattern": "^N-" }, "title": { "type": "string", "minLength": 1 } } }"#;

const KIND: &str = r#"
    export const recordKind = {
      name: "note",
      location: { dir: "notes", match: "^N-\\d{3,}-.+\\.md$" },
      format: "markdown-front-matter",
      schema: { id: "urn:x:note:1", path: "note.schema.json" },
      idField: "id",
    };"#;

fn load_with(kind: &str, schema: &str) -> Result<Kind, Refusal> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("k")).unwrap();
    let disk = WorkTree::new(folder.path());
    let tree =
        Overlay::new(&disk).with("k/note.kind.mjs".into(), kind).with("k/note.schema.json".into(), schema);
    load(&tree, &"k/note.kind.mjs".into())
}

fn refused(kind: &str) -> (ReasonCode, String) {
    let refusal = load_with(kind, SCHEMA).unwrap_err();
    (refusal.code, refusal.message)
}

fn with(options: &str) -> String {
    KIND.replace("idField: \"id\",", &format!("idField: \"id\", {options}"))
}

#[test]
fn a_kind_is_read_with_places_relative_to_its_file() {
    let kind = load_with(KIND, SCHEMA).unwrap();
    assert_eq!(kind.name, "note");
    assert_eq!(kind.folder, RepoPath::from("k/notes"));
    assert_eq!(kind.id, IdRule::Field("id".into()));
    assert!(kind.holds(b"N-001-x.md"));
    for name in [&b"N-01-x.md"[..], b"x/N-001-x.md.txt", b"N-\xd9\xa0\xd9\xa1\xd9\xa2-x.md", b"N-001-\xff.md"]
    {
        assert!(!kind.holds(name), "{name:?}");
    }
    assert_eq!(kind.schema.order(), ["id", "title"]);
    assert_eq!(kind.rank(Some("decided")), None);
    assert!(!kind.is_approved(None));
}

#[test]
fn every_option_is_read() {
    let text = with(
        r#"stateField: "state", states: ["proposed", "decided", "ratified"], closedStates: ["ratified"],
        supersedes: { field: "supersedes", key: "decision" }, remediates: { field: "remediates" },
        approval: { proposed: 0, decided: 1, ratified: 2 }, pins: { field: "evidence" }, constrains: { field: "constrains" },
        outOfScope: { field: "out" }, proposedBy: { field: "proposed_by" }, source: { field: "source" },
        reviews: { field: "reviews", decider: "decided_by", ratified: "ratified" }, seal: { field: "closed_digest" },
        spec: true, answers: { points: "../points.json" },
        session: { verdicts: "verdicts", seal: "s", subjects: { kinds: ["a.kind.mjs", "../b.kind.mjs"] },
                   openedRev: "o", closedRev: "c", closedOn: "on" },
        work: { needs: "needs", implements: "implements", decisions: "d.kind.mjs", open: "proposed", done: "ratified",
                closedOn: "closed_on", acceptance: { field: "acceptance", implementer: "owner" },
                tier: { field: "tier", tiers: ["small"] }, attempts: { field: "max", max: 3 },
                answers: "../a.kind.mjs", contract: { field: "contract", kind: "c.kind.mjs" }, source: "source" }"#,
    );
    let kind = load_with(&text, SCHEMA).unwrap();
    assert_eq!(kind.rank(Some("decided")), Some(1));
    assert!(kind.is_closed(Some("ratified")) && !kind.is_closed(Some("decided")) && !kind.is_closed(None));
    assert_eq!(kind.answers, Some(RepoPath::from("points.json")));
    let session = kind.session.as_ref().unwrap();
    assert_eq!(session.subjects, [RepoPath::from("k/a.kind.mjs"), RepoPath::from("b.kind.mjs")]);
    let work = kind.work.as_ref().unwrap();
    assert_eq!(work.contract.as_ref().unwrap().kind, RepoPath::from("k/c.kind.mjs"));
    assert_eq!(work.attempts.as_ref().unwrap().max, Some(3));
    assert!(kind.is_spec);
}

#[test]
fn a_function_in_another_export_is_no_matter() {
    let text = format!(
        "export function commitJoins(c) {{ return `${{c}}`; }}\n{KIND}\nexport const f = () => {{}};"
    );
    assert!(load_with(&text, SCHEMA).is_ok());
}

#[test]
fn each_fault_of_a_kind_file_has_its_code() {
    let cases = [
        (
            "export const recordKind = make();".to_owned(),
            codes::KIND_UNREADABLE,
            "could not be loaded without running it",
        ),
        ("export const other = {};".to_owned(), codes::KIND_INVALID, "it has no recordKind export"),
        (
            "export const recordKind = [];".to_owned(),
            codes::KIND_INVALID,
            "recordKind: an object is expected",
        ),
        (with("colour: 1"), codes::KIND_INVALID, "colour: no such option"),
        (with("pins: { field: \"a\", key: \"b\" }"), codes::KIND_INVALID, "pins.key: no such option"),
        (with("pins: {}"), codes::KIND_INVALID, "pins.field: it is required"),
        (with("idFrom: \"sha256\""), codes::KIND_INVALID, "exactly one of idField and idFrom"),
        (with("supersedes: { field: \"s\" }"), codes::KIND_INVALID, "supersedes: it needs states"),
        (with("stateField: \"s\""), codes::KIND_INVALID, "come together"),
        (
            with("stateField: \"s\", states: [], closedStates: [\"a\"]"),
            codes::KIND_INVALID,
            "states: at least one state is expected; closedStates: `a` is none of states",
        ),
        (
            with("stateField: \"s\", states: [\"a\"], closedStates: [], approval: { b: -1 }"),
            codes::KIND_INVALID,
            "approval.b: it is none of states; approval.b: a whole number from 0 is expected",
        ),
        (
            with(
                "stateField: \"s\", states: [\"a\"], closedStates: [], reviews: { field: \"r\", decider: \"d\", ratified: \"z\" }",
            ),
            codes::KIND_INVALID,
            "reviews: reviews.ratified must be one of states",
        ),
        (
            KIND.replace("dir: \"notes\"", "dir: \"../../out\""),
            codes::KIND_INVALID,
            "leads out of the repository",
        ),
        (KIND.replace("dir: \"notes\"", "dir: \"/etc\""), codes::KIND_INVALID, "leads out of the repository"),
        (KIND.replace("^N-", "(N-"), codes::KIND_INVALID, "is no regular expression"),
        (KIND.replace("name: \"note\"", "name: \"Note\""), codes::KIND_INVALID, "`Note` is no kind name"),
        (
            KIND.replace("note.schema.json", "none.json"),
            codes::SCHEMA_UNREADABLE,
            "schema k/none.json does not exist",
        ),
        (
            KIND.replace("urn:x:note:1", "urn:x:note:2"),
            codes::SCHEMA_ID_MISMATCH,
            "the $id urn:x:note:1, and the kind names urn:x:note:2",
        ),
    ];
    for (text, code, message) in cases {
        let refusal = refused(&text);
        assert_eq!(refusal.0, code, "{}", refusal.1);
        assert!(refusal.1.contains(message), "{}", refusal.1);
    }
    let folder = tempfile::tempdir().unwrap();
    let none = load(&WorkTree::new(folder.path()), &"x.kind.mjs".into()).unwrap_err();
    assert_eq!(
        (none.code, none.message.as_str()),
        (codes::KIND_UNREADABLE, "kind file x.kind.mjs does not exist")
    );
}

#[test]
fn each_fault_of_a_schema_has_its_code() {
    let refused = |schema: &str| load_with(KIND, schema).unwrap_err();
    let broken = refused("{\n  \"$id\": }");
    assert_eq!((broken.code, broken.at.unwrap().line), (codes::SCHEMA_UNREADABLE, Some(2)));
    assert_eq!(refused("{}").code, codes::SCHEMA_ID_MISMATCH);
    for schema in [
        r#"{ "$id": "urn:x:note:1", "type": 5 }"#,
        r#"{ "$id": "urn:x:note:1", "$ref": "https://example.org/never-fetched.json" }"#,
        r#"{ "$id": "urn:x:note:1", "properties": { "a": { "pattern": "(" } } }"#,
    ] {
        assert_eq!(refused(schema).code, codes::SCHEMA_INVALID, "{schema}");
    }
}

fn problems(schema: &Value, data: &Value) -> Option<String> {
    let mut schema = schema.clone();
    schema["$id"] = json!("urn:x:note:1");
    load_with(KIND, &schema.to_string()).unwrap().schema.problems(data)
}

#[test]
fn what_is_wrong_with_the_data_is_said_with_its_place() {
    let schema = json!({
        "required": ["id"], "additionalProperties": false,
        "properties": { "id": { "type": "string" }, "list": { "items": { "enum": ["a", "b"] } }, "n": { "minimum": 1 } },
    });
    assert_eq!(problems(&schema, &json!({"id": "x"})), None);
    assert_eq!(
        problems(&schema, &json!({"list": ["a", "c"], "n": 0, "z": 1})).unwrap(),
        "/list/1 must be one of [\"a\",\"b\"]; /n must be >= 1; / must NOT have additional properties (z); \
         / must have required property 'id'"
    );
}

#[test]
fn a_described_branch_speaks_for_the_errors_within_it() {
    let schema = json!({
        "properties": { "reviews": { "type": "array", "items": { "$ref": "#/definitions/review" } } },
        "allOf": [
            { "if": { "properties": { "state": { "const": "x" } } },
              "then": { "description": "State x names {who}.", "properties": { "a": { "type": "string", "minLength": 1 } } } },
        ],
        "definitions": { "review": {
            "if": { "properties": { "verdict": { "const": "dissent" } } },
            "then": { "description": "The dissent by {reviewer} has no note, {nobody}.", "required": ["note"] },
            "else": { "required": ["ok"] },
        } },
    });
    let data = json!({"state": "x", "who": "me", "a": 1, "reviews": [
        {"verdict": "dissent", "reviewer": "ann"}, {"verdict": "dissent", "reviewer": "bob"}, {"verdict": "agree"},
    ]});
    assert_eq!(
        problems(&schema, &data).unwrap(),
        "The dissent by ann has no note, {nobody}.; The dissent by bob has no note, {nobody}.; \
         /reviews/2 must have required property 'ok'; State x names me."
    );
}

#[test]
fn a_pathological_pattern_ends() {
    let schema = json!({ "properties": { "a": { "pattern": "^(?=(a+)+$)(a|a)*b(?!x)$" } } });
    let data = json!({ "a": "a".repeat(50_000) });
    assert!(problems(&schema, &data).is_some());
}

/// In JavaScript a dot is no line end of any sort, and a class is of ASCII letters.
#[test]
fn names_are_matched_as_javascript_matches_them() {
    let kind = load_with(&KIND.replace(r"^N-\\d{3,}-.+\\.md$", r"^N-.+[.]md$"), SCHEMA).unwrap();
    assert!(kind.holds(b"N-a.md") && kind.holds("N-\u{85}.md".as_bytes()));
    for name in ["N-a\nb.md", "N-a\rb.md", "N-a\u{2028}b.md", "N-a\u{2029}b.md"] {
        assert!(!kind.holds(name.as_bytes()), "{name:?}");
    }
}
