use canon::Timestamp;
use gate::ReasonCode;
use serde_json::json;
use store::tree::{Overlay, WorkTree};
use trust::seal::Subject;

use super::*;
use crate::Problem;
use crate::kind::load;

const DECISION: &str = r#"export const recordKind = {
  name: "decision", location: { dir: ".", match: "^[a-z]+-[0-9]{3,}-.+\\.md$" }, format: "markdown-front-matter",
  schema: { id: "urn:x:decision", path: "d.schema.json" }, idField: "id", stateField: "state",
  states: ["proposed", "decided", "ratified"], closedStates: ["ratified"],
  supersedes: { field: "supersedes", key: "decision" }, approval: { proposed: 0, decided: 1, ratified: 2 },
  pins: { field: "evidence" }, proposedBy: { field: "proposed_by" }, source: { field: "source" },
  reviews: { field: "reviews", decider: "decided_by", ratified: "ratified" }, seal: { field: "closed_digest" },
};"#;

const SESSION: &str = r#"export const recordKind = {
  name: "session", location: { dir: ".", match: "^S-[0-9]{4,}-.+\\.md$" }, format: "markdown-front-matter",
  schema: { id: "urn:x:session", path: "s.schema.json" }, idField: "id", stateField: "state",
  states: ["open", "closed"], closedStates: ["closed"],
  session: { verdicts: "verdicts", seal: "closed_digest", subjects: { kind: "d.kind.mjs" }, openedRev: "opened_rev",
             closedRev: "closed_rev", closedOn: "closed" },
};"#;

const NOTE: &str = r#"export const recordKind = {
  name: "note", location: { dir: ".", match: "^n-[0-9]{3,}\\.json$" }, format: "json",
  schema: { id: "urn:x:session", path: "s.schema.json" }, idField: "id",
};"#;

fn kind(text: &str) -> Kind {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("d")).unwrap();
    let disk = WorkTree::new(folder.path());
    let schema = r#"{"$id": "urn:x:decision", "required": ["schema", "id", "title", "state"],
        "properties": {"schema": {}, "id": {}, "title": {}, "state": {}, "proposed_by": {}, "decided_by": {}, "reviews": {}}}"#;
    let tree = Overlay::new(&disk)
        .with("d/d.kind.mjs".into(), text)
        .with("d/d.schema.json".into(), schema)
        .with("d/s.schema.json".into(), r#"{"$id": "urn:x:session"}"#);
    load(&tree, &"d/d.kind.mjs".into()).unwrap()
}

fn fields(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

fn opening(value: Value) -> Opening<'static> {
    Opening { fields: fields(value), prefix: None, by: None, head: None, sign: None, from_agent: false }
}

fn before(kind: &Kind, text: &str) -> Before {
    Before::read(kind, "d/a-001-x.md".into(), text.as_bytes()).unwrap()
}

fn amended(kind: &Kind, text: &str, value: Value) -> Result<Draft, ReasonCode> {
    let amendment = Amendment { fields: fields(value), head: None, sign: None };
    amend(kind, &before(kind, text), amendment).map_err(|refusal| refusal.code)
}

struct Pen;

impl Sign for Pen {
    fn seal(&self, subject: &Subject) -> Result<trust::Seal, String> {
        let signature = String::from_utf8(subject.payload().unwrap().to_vec()).unwrap();
        Ok(trust::Seal { signer: "signer".into(), key: "SHA256:k".into(), signature })
    }
}

const OPEN: &str = "---\nid: a-001   # the id\ntitle: 'X'\nstate: proposed\n# who\ndecided_by: ada\nreviews: []\n---\n\nWhy.\n";

fn decided() -> String {
    OPEN.replace("proposed", "decided")
}

#[test]
fn a_new_record_is_written_in_the_published_form() {
    let kind = kind(DECISION);
    let existing = Existing { ids: vec!["a-007".into()], ..Existing::default() };
    let mut opening =
        opening(json!({"x-own": [1], "state": "proposed", "title": "How `it` goes", "schema": 1}));
    opening.by = Some("ada");
    let draft = new(&kind, &existing, opening).unwrap();
    assert_eq!(draft.path, RepoPath::from("d/a-008-how-it-goes.md"));
    let expected = "---\nschema: 1\nid: \"a-008\"\ntitle: \"How `it` goes\"\nstate: \"proposed\"\nproposed_by: \"ada\"\n\
                    x-own:\n  - 1\n---\n\n# How `it` goes\n";
    assert_eq!(draft.text, expected);
    assert!(!draft.ratifies);
}

#[test]
fn a_record_that_opens_closed_is_sealed_last() {
    let kind = kind(DECISION);
    let mut given = opening(json!({"id": "a-001", "title": "T", "state": "ratified", "decided_by": "ada"}));
    given.sign = Some(&Pen);
    let draft = new(&kind, &Existing::default(), given).unwrap();
    assert!(draft.ratifies);
    assert_eq!(draft.changed[draft.changed.len() - 2..], ["seal", "closed_digest"]);
    let read = front_matter::parse(draft.text.as_bytes()).unwrap();
    assert_eq!(read.data["closed_digest"].as_str(), whole(&draft.data, read.body()).as_deref());
    let seal = draft.seal.unwrap();
    let unsigned = "---\nid: \"a-001\"\ntitle: \"T\"\n---\n\n# T\n";
    let digest = Sha256::of(unsigned.replace("---\n\n", "decided_by: \"ada\"\n---\n\n"));
    assert_eq!(seal.signature, format!("a-001\n{digest}\nada\nratified"));
}

fn whole(data: &Map<String, Value>, body: &str) -> Option<String> {
    crate::records::whole_seal("closed_digest", data, body)
}

#[test]
fn a_new_record_is_refused_with_its_reason() {
    let kind = kind(DECISION);
    let existing = Existing { ids: vec!["a-001".into()], ..Existing::default() };
    let refused = |value: Value, change: fn(&mut Opening<'_>)| {
        let mut opening = opening(value);
        change(&mut opening);
        new(&kind, &existing, opening).unwrap_err().code
    };
    let same: fn(&mut Opening<'_>) = |_| {};
    let proposal = || json!({"title": "T", "state": "proposed"});
    assert_eq!(refused(json!({"id": "a-001", "title": "T"}), same), codes::RECORD_ID_TAKEN);
    assert_eq!(refused(json!({"id": "A", "title": "T"}), same), codes::RECORD_PATH_UNMATCHED);
    assert_eq!(refused(json!({"id": "../a-002", "title": "T"}), same), codes::RECORD_PATH_UNMATCHED);
    assert_eq!(refused(json!({"id": 2, "title": "T"}), same), codes::WRITE_INPUT_INVALID);
    assert_eq!(refused(json!({"seal": {}}), same), codes::WRITE_INPUT_INVALID);
    assert_eq!(refused(json!({"closed_digest": "x"}), same), codes::WRITE_INPUT_INVALID);
    assert_eq!(
        refused(json!({"id": "a-002", "title": "T"}), |o| o.prefix = Some("a")),
        codes::WRITE_USAGE_INVALID
    );
    assert_eq!(refused(proposal(), |o| o.by = Some(" ")), codes::WRITE_USAGE_INVALID);
    assert_eq!(
        refused(json!({"title": "T", "state": "proposed", "proposed_by": "bob"}), |o| o.by = Some("ada")),
        codes::WRITE_INPUT_INVALID
    );
    assert_eq!(refused(proposal(), |o| o.sign = Some(&Pen)), codes::RECORD_SIGN_FAILED);
    assert_eq!(
        refused(json!({"title": "T", "state": "decided"}), |o| o.from_agent = true),
        codes::RECORD_STATE_NOT_INITIAL
    );
    assert_eq!(
        refused(json!({"title": "T", "state": "decided", "source": {"via": "harvest"}}), same),
        codes::SOURCE_HARVEST_NOT_PROPOSED
    );
    let note = kind_of_note();
    assert_eq!(new(&note, &existing, opening(json!({}))).unwrap_err().code, codes::WRITE_USAGE_INVALID);
}

fn kind_of_note() -> Kind {
    kind(&NOTE.replace("urn:x:session\", path: \"s.", "urn:x:decision\", path: \"d."))
}

#[test]
fn a_record_of_a_content_addressed_kind_is_named_by_its_bytes() {
    let text = NOTE.replace("urn:x:session\", path: \"s.", "urn:x:decision\", path: \"d.");
    let kind =
        kind(&text.replace("idField: \"id\"", "idFrom: \"sha256\"").replace("^n-[0-9]{3,}", "^[0-9a-f]{64}"));
    let draft =
        new(&kind, &Existing::default(), opening(json!({"z": 1, "state": "s", "title": "T"}))).unwrap();
    assert_eq!(draft.text, "{\n  \"title\": \"T\",\n  \"state\": \"s\",\n  \"z\": 1\n}\n");
    assert_eq!(draft.id, Sha256::of(&draft.text).to_string());
    assert_eq!(draft.path.to_string(), format!("d/{}.json", draft.id));
    let existing = Existing { names: vec![format!("{}.json", draft.id)], ..Existing::default() };
    let again = new(&kind, &existing, opening(json!({"title": "T", "z": 1, "state": "s"})));
    assert_eq!(again.unwrap_err().code, codes::RECORD_ID_TAKEN);
    let prefixed = Opening { prefix: Some("a"), ..opening(json!({})) };
    assert_eq!(new(&kind, &existing, prefixed).unwrap_err().code, codes::WRITE_USAGE_INVALID);
}

#[test]
fn a_new_session_notes_the_commit_it_opened_at() {
    let kind = kind(SESSION);
    let mut given = opening(json!({"id": "S-0001", "title": "T", "state": "open"}));
    given.head = Some("abc");
    assert_eq!(new(&kind, &Existing::default(), given).unwrap().data["opened_rev"], "abc");
    let given = opening(json!({"id": "S-0001", "title": "T", "state": "open"}));
    assert_eq!(new(&kind, &Existing::default(), given).unwrap().data["opened_rev"], Value::Null);
}

#[test]
fn an_amendment_changes_its_blocks_alone() {
    let kind = kind(DECISION);
    for text in [OPEN.to_owned(), OPEN.replace('\n', "\r\n")] {
        let draft = amended(&kind, &text, json!({"title": "Y", "state": "proposed"})).unwrap();
        assert_eq!(draft.text, text.replace("title: 'X'", "title: \"Y\""));
        assert_eq!(draft.changed, ["title"]);
    }
    let draft = amended(&kind, OPEN, json!({"state": "proposed", "reviews": []})).unwrap();
    assert_eq!((draft.text.as_str(), draft.changed.len()), (OPEN, 0));
    let draft = amended(&kind, OPEN, json!({"zeta": 1, "proposed_by": "b", "title": "Y"})).unwrap();
    assert_eq!(draft.changed, ["title", "proposed_by", "zeta"]);
    assert!(draft.text.contains("reviews: []\nproposed_by: \"b\"\nzeta: 1\n---\n"), "{}", draft.text);
    let flow = "---\n{id: a-001, title: X, state: proposed}\n---\nWhy.\n";
    let draft = amended(&kind, flow, json!({"title": "Y"})).unwrap();
    assert_eq!(draft.text, "---\nid: \"a-001\"\ntitle: \"Y\"\nstate: \"proposed\"\n---\nWhy.\n");
}

#[test]
fn an_amendment_is_refused_in_the_published_order() {
    let kind = kind(DECISION);
    let closed = OPEN.replace("proposed", "ratified");
    let code = |text: &str, value: Value| amended(&kind, text, value).unwrap_err();
    assert_eq!(code(&closed, json!({"id": "b", "title": "Y"})), codes::AMEND_ID_IMMUTABLE);
    assert_eq!(code(&closed, json!({"title": "Y"})), codes::RECORD_CLOSED);
    assert!(amended(&kind, &closed, json!({"title": "X"})).unwrap().changed.is_empty());
    let signed = Amendment { fields: Map::new(), head: None, sign: Some(&Pen) };
    assert_eq!(amend(&kind, &before(&kind, &closed), signed).unwrap_err().code, codes::RECORD_CLOSED);
    assert_eq!(code(&decided(), json!({"title": "Y"})), codes::AMEND_SUPERSEDE_INSTEAD);
    assert_eq!(code(&decided(), json!({"state": "proposed"})), codes::AMEND_SUPERSEDE_INSTEAD);
    assert!(amended(&kind, &decided(), json!({"evidence": [], "reviews": [1]})).is_ok());
    assert_eq!(code(OPEN, json!({"seal": null})), codes::WRITE_INPUT_INVALID);
}

#[test]
fn ratifying_seals_the_record() {
    let kind = kind(DECISION);
    let draft = amended(&kind, &decided(), json!({"state": "ratified"})).unwrap();
    assert!(draft.ratifies);
    assert_eq!(draft.changed, ["state", "closed_digest"]);
    let read = front_matter::parse(draft.text.as_bytes()).unwrap();
    assert_eq!(read.data["closed_digest"].as_str(), whole(&read.data, read.body()).as_deref());
    // The digest that verdicts name leaves the state and the seal out.
    assert_eq!(draft.digest, before(&kind, &decided()).digest);
}

#[test]
fn an_authors_seal_goes_when_the_text_moves() {
    let kind = kind(DECISION);
    let sealed = OPEN.replace("reviews: []\n", "reviews: []\nseal:\n  signer: ada\n\n");
    let draft = amended(&kind, &sealed, json!({"title": "Y"})).unwrap();
    assert!(draft.seal_dropped);
    assert_eq!(draft.changed, ["title", "seal"]);
    assert!(!draft.text.contains("seal:"), "{}", draft.text);
    assert!(!amended(&kind, &sealed, json!({"state": "decided"})).unwrap().seal_dropped);
    let amendment = Amendment { fields: fields(json!({"title": "Y"})), head: None, sign: Some(&Pen) };
    let draft = amend(&kind, &before(&kind, &sealed), amendment).unwrap();
    assert!(!draft.seal_dropped);
    assert_eq!(draft.seal.unwrap().signature, format!("a-001\n{}\nada\nproposed", draft.digest));
}

fn verdict<'a>(verdict: &'a str, by: &'a str, note: Option<&'a str>) -> Review<'a> {
    Review { verdict, by, note, on: "2026-01-02", session: None, head: None, sign: None }
}

#[test]
fn a_verdict_names_the_text_that_it_judged() {
    let kind = kind(DECISION);
    let before = before(&kind, OPEN);
    let mut given = verdict("agree", "bob", Some("fine"));
    given.sign = Some(&Pen);
    let judged = review(&kind, &before, &given).unwrap();
    let keys: Vec<_> = judged.entry.keys().map(String::as_str).collect();
    assert_eq!(keys, ["reviewer", "verdict", "note", "on", "digest", "seal"]);
    assert_eq!(judged.entry["digest"], before.digest.to_string());
    assert_eq!(judged.draft.digest, before.digest);
    assert_eq!(
        judged.entry["seal"]["signature"],
        format!("a-001\n{}\nagree\nbob\n2026-01-02", before.digest)
    );
    let (head, tail) = OPEN.split_once("reviews: []\n").unwrap();
    assert!(judged.draft.text.starts_with(head) && judged.draft.text.ends_with(tail));
}

#[test]
fn a_verdict_is_refused_in_the_published_order() {
    let kind = kind(DECISION);
    let code = |text: &str, given: Review<'_>| review(&kind, &before(&kind, text), &given).unwrap_err().code;
    let closed = OPEN.replace("proposed", "ratified");
    assert_eq!(code(&closed, verdict("yes", "bob", None)), codes::WRITE_USAGE_INVALID);
    assert_eq!(code(&closed, verdict("agree", " ", None)), codes::WRITE_USAGE_INVALID);
    assert_eq!(code(&closed, verdict("dissent", "bob", None)), codes::RECORD_CLOSED);
    assert_eq!(code(OPEN, verdict("dissent", "bob", Some(" \n"))), codes::REVIEW_NOTE_REQUIRED);
    let sessions = self::kind(SESSION);
    let session = "---\nid: S-0001\nstate: open\n---\n";
    let refused = review(&sessions, &before(&sessions, session), &verdict("agree", "bob", None)).unwrap_err();
    assert_eq!(refused.code, codes::REVIEW_UNSUPPORTED);
}

#[test]
fn a_session_takes_the_verdict_too() {
    let (kind, sessions) = (kind(DECISION), kind(SESSION));
    let session = "---\nid: S-0001\nstate: open\nverdicts: []\n---\nNotes\n";
    let read = |text: &str| Before::read(&sessions, "s/S-0001-x.md".into(), text.as_bytes()).unwrap();
    let before = before(&kind, OPEN);
    let open = read(session);
    let mut given = verdict("agree", "bob", None);
    given.session = Some((&sessions, &open));
    let judged = review(&kind, &before, &given).unwrap();
    assert_eq!(judged.entry["session"], "S-0001");
    let expected = format!(
        "verdicts:\n  - record: \"a-001\"\n    principal: \"bob\"\n    verdict: \"agree\"\n    digest: \"{}\"\n",
        before.digest
    );
    assert_eq!(judged.session.unwrap().text, session.replace("verdicts: []\n", &expected));
    let closed = read(&session.replace("open", "closed"));
    given.session = Some((&sessions, &closed));
    assert_eq!(review(&kind, &before, &given).unwrap_err().code, codes::SESSION_NOT_OPEN);
}

#[test]
fn a_closed_session_is_sealed() {
    let sessions = kind(SESSION);
    let text = "---\nid: S-0001\nopened_rev: null\nstate: open   # still\nclosed: null\n---\nNotes\n";
    let open = Before::read(&sessions, "s/S-0001-x.md".into(), text.as_bytes()).unwrap();
    let now = Timestamp::from_millis(1_790_000_000_123);
    let closing = close(&sessions, &open, Some("abc"), now).unwrap();
    let expected = "---\nid: S-0001\nopened_rev: \"abc\"\nstate: \"closed\"\nclosed: \"2026-09-21T14:13:20Z\"\nclosed_rev: \"abc\"\nclosed_digest: \"";
    assert!(closing.draft.text.starts_with(expected), "{}", closing.draft.text);
    assert_eq!(closing.draft.changed, ["opened_rev", "state", "closed", "closed_rev", "closed_digest"]);
    // printf '%s' '{"body":"Notes\n","core":{"closed":"2026-09-21T14:13:20Z","closed_rev":"abc","id":"S-0001","opened_rev":"abc","state":"closed"}}' | sha256sum
    assert_eq!(closing.seal, "sha256:0f1d78b4413017d4c0122b627f8b924c38d5119b00773545a4e9cf3c148ef6ff");
    let again = Before::read(&sessions, "s/S-0001-x.md".into(), closing.draft.text.as_bytes()).unwrap();
    assert_eq!(close(&sessions, &again, None, now).unwrap_err().code, codes::RECORD_CLOSED);
    let decisions = kind(DECISION);
    assert_eq!(
        close(&decisions, &before(&decisions, OPEN), None, now).unwrap_err().code,
        codes::WRITE_USAGE_INVALID
    );
}

#[test]
fn an_expected_digest_is_compared() {
    let kind = kind(DECISION);
    let before = before(&kind, OPEN);
    assert!(before.expect(&kind, &before.digest.to_string()).is_ok());
    assert_eq!(before.expect(&kind, &"0".repeat(64)).unwrap_err().code, codes::RECORD_CONFLICT);
    for digest in ["", "abc", &"G".repeat(64), &before.digest.to_string().to_uppercase()] {
        assert_eq!(before.expect(&kind, digest).unwrap_err().code, codes::WRITE_USAGE_INVALID);
    }
}

#[test]
fn documents_follow_their_schemas() {
    use crate::published::check;
    let (kind, sessions) = (kind(DECISION), kind(SESSION));
    let warnings =
        || vec![Problem::new(codes::RECORD_NO_EVIDENCE, "x"), Problem::new(codes::RECORD_UNATTESTED, "y")];
    let draft = amended(&kind, &decided(), json!({"state": "ratified"})).unwrap();
    let tail = Tail::new(Verb::Amend, &draft, warnings(), true);
    assert_eq!(tail.warnings.len(), 1);
    check("records-amend", &Amended::new(&kind, &draft, tail));
    let draft = new(&kind, &Existing::default(), opening(json!({"id": "a-001", "title": "T"}))).unwrap();
    check("records-new", &Created::new(&kind, &draft, Tail::new(Verb::New, &draft, warnings(), false)));
    let session = Before::read(&sessions, "s".into(), b"---\nid: S-0001\nstate: open\n---\n").unwrap();
    let mut given = verdict("agree", "bob", None);
    given.session = Some((&sessions, &session));
    let before = before(&kind, OPEN);
    let judged = review(&kind, &before, &given).unwrap();
    check(
        "records-review",
        &Reviewed::new(&kind, &judged, Tail::new(Verb::Review, &judged.draft, warnings(), true)),
    );
    let oid = "a".repeat(40);
    let closing = close(&sessions, &session, Some(&oid), Timestamp::from_millis(0)).unwrap();
    let tail = Tail::new(Verb::Close, &closing.draft, warnings(), false);
    check("records-close", &Closed::new(&sessions, &closing, Some(&oid), tail));
    for verb in [Verb::New, Verb::Amend, Verb::Review, Verb::Close] {
        let name = verb.command().replace(' ', "-");
        check(&name, &Failed::new(verb, &usage("x"), None));
        if verb != Verb::New {
            let refusal = before.expect(&kind, &"0".repeat(64)).unwrap_err();
            let conflict = Conflict::new(&kind, &before, "x", None);
            check(&name, &Failed::new(verb, &refusal, Some(conflict)));
        }
    }
}
