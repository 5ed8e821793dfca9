mod faults;
mod vault;

use canon::Timestamp;
use proptest::prelude::*;

use super::admit::{Draft, admit, name};
use super::budget::{BYTES, LINES, Size};
use super::lifecycle::{Event, Room, pass};
use super::regen::{Before, regenerate};
use super::*;
use crate::receipts::Receipt;

const DAY: i64 = 24 * 60 * 60 * 1000;
/// The first instant of a window of seven days.
const START: i64 = 2900 * 7 * DAY;

fn at(days: i64) -> Timestamp {
    Timestamp::from_millis(START + days * DAY)
}

fn terms() -> Terms {
    Terms::new(&Settings::default(), "demo".to_owned())
}

fn draft(title: &str) -> Draft {
    Draft {
        title: title.to_owned(),
        label: Some(Label::Fact),
        signature: Some("late-check".to_owned()),
        writer: Some("agent:claude".to_owned()),
        evidence: Some("receipt:12".to_owned()),
        body: "Why it is so.\n".to_owned(),
        ..Draft::default()
    }
}

fn lesson(title: &str) -> Entry {
    let entry = admit(draft(title), &name(title, |_| false), "demo", at(0)).unwrap();
    let read = Entry::read(&entry.id, entry.folder, entry.file().as_bytes()).unwrap();
    assert_eq!(read, entry, "what is written is what is read");
    entry
}

fn piece(days: i64, reference: &str, contradicts: bool) -> Evidence {
    Evidence {
        at: at(days),
        transaction_time: None,
        signature: "Late-Check".to_owned(),
        contradicts,
        reference: reference.to_owned(),
        writer: "ada".to_owned(),
        project: None,
        note: None,
    }
}

fn run(entry: &Entry, evidence: &[Evidence], days: i64) -> (Entry, Vec<Event>) {
    let passed = pass(std::slice::from_ref(entry), evidence, &terms(), at(days), Room::Free);
    let again = pass(&passed.entries, evidence, &terms(), at(days), Room::Free);
    assert_eq!(
        (again.entries.as_slice(), again.changes.len()),
        (passed.entries.as_slice(), 0),
        "an idle pass"
    );
    let events = passed.changes.iter().map(|change| change.event).collect();
    (passed.entries[0].clone(), events)
}

#[test]
fn ws_007_what_says_too_little_is_refused() {
    for (change, code) in [
        ((|draft: &mut Draft| draft.label = None) as fn(&mut Draft), codes::NO_LABEL),
        (|draft| draft.writer = None, codes::NO_PROVENANCE),
        (|draft| draft.writer = Some(" \u{200b}".to_owned()), codes::NO_PROVENANCE),
        (|draft| draft.evidence = None, codes::NO_EVIDENCE),
        (|draft| draft.title = "\n".to_owned(), codes::NO_TITLE),
        (|draft| draft.title = "x".repeat(201), codes::NO_TITLE),
        (|draft| draft.label = Some(Label::ValidatedOverride), codes::NEEDS_PERSON),
        (|draft| draft.body = "password=hunter2".to_owned(), codes::HOLDS_SECRET),
        (|draft| draft.evidence = Some("https://a:hunter2@b/c".to_owned()), codes::HOLDS_SECRET),
    ] {
        let mut draft = draft("Run the check first");
        change(&mut draft);
        let refusal = admit(draft, "a", "demo", at(0)).unwrap_err();
        assert_eq!(refusal.code, code);
        assert!(refusal.hint.is_some() && !format!("{refusal:?}").contains("hunter2"));
    }
    let told = Draft { body: "Ask ada@lovelace.uk.".to_owned(), ..draft("Ask") };
    let entry = admit(told, "a", "demo", at(0)).unwrap();
    assert_eq!(entry.sensitive.len(), 1, "personal data is named, and let in");
}

#[test]
fn ws_010_two_pieces_in_one_window_promote() {
    let entry = lesson("Run the check first");
    let (one, events) = run(&entry, &[piece(1, "a", false)], 2);
    assert_eq!((one.status(), events.len()), (Status::Candidate, 0));
    let apart = [piece(6, "a", false), piece(7, "b", false)];
    assert_eq!(run(&entry, &apart, 8).1, [], "in two windows");
    let twice = [piece(1, "a", false), piece(2, "a", false)];
    assert_eq!(run(&entry, &twice, 8).1, [], "the same piece twice");
    let early = run(&entry, &[piece(1, "a", false), piece(3, "b", false)], 2);
    assert_eq!(early.1, [], "what is not there yet");
    let both = [piece(1, "a", false), piece(2, "b", false)];
    let (promoted, events) = run(&entry, &both, 3);
    assert_eq!((promoted.status(), events.as_slice()), (Status::Promoted, &[Event::Promoted][..]));
    let promotion = promoted.fields.promotion.unwrap();
    assert_eq!(
        (promotion.window, promotion.evidence.as_slice()),
        (2900, &["a".to_owned(), "b".to_owned()][..])
    );
    assert_eq!((promotion.held_out.from, promotion.held_out.verdict), (2901, Judgement::Open));
}

#[test]
fn ws_011_a_later_window_confirms_or_demotes() {
    let entry = lesson("Run the check first");
    let mut evidence = vec![piece(1, "a", false), piece(2, "b", false)];
    let (promoted, _) = run(&entry, &evidence, 3);
    evidence.push(piece(8, "c", false));
    let (confirmed, events) = run(&promoted, &evidence, 9);
    assert_eq!(events, [Event::Confirmed]);
    assert_eq!(confirmed.fields.promotion.as_ref().unwrap().held_out.window, Some(2901));
    evidence.push(piece(15, "d", true));
    let (demoted, events) = run(&confirmed, &evidence, 16);
    assert_eq!((demoted.status(), events.as_slice()), (Status::Candidate, &[Event::Demoted][..]));
    assert_eq!(demoted.fields.promotion.as_ref().unwrap().held_out.verdict, Judgement::Contradicted);
    // The old evidence does not bring it back, nor does more of the window that contradicts.
    evidence.extend([piece(15, "e", false), piece(16, "f", false)]);
    assert_eq!(run(&demoted, &evidence, 17).1, []);
    evidence.extend([piece(22, "g", false), piece(23, "h", false)]);
    assert_eq!(run(&demoted, &evidence, 24).1, [Event::Promoted]);
    // Both at once: a pass that comes late leaves nothing for the next one.
    assert_eq!(run(&confirmed, &evidence, 24).1, [Event::Demoted, Event::Promoted]);
    // A lesson that is new to evidence of both kinds does not come and go.
    assert_eq!(run(&entry, &evidence[..4], 16).1, []);
}

#[test]
fn ws_012_only_what_recurs_after_the_archive_revives() {
    let evidence = [piece(1, "a", false), piece(2, "b", false)];
    let (promoted, _) = run(&lesson("Run the check first"), &evidence, 3);
    let (archived, events) = run(&promoted, &evidence, 200);
    assert_eq!((archived.status(), events.as_slice()), (Status::Archived, &[Event::Archived][..]));
    assert_eq!(archived.fields.archived_at, Some(at(200)));
    for idle in 201..204 {
        assert_eq!(run(&archived, &evidence, idle), (archived.clone(), vec![]), "zero flaps");
    }
    let older = [evidence.as_slice(), &[piece(199, "c", false), piece(200, "d", false)]].concat();
    assert_eq!(run(&archived, &older, 202), (archived.clone(), vec![]), "dated before");
    let newer = [evidence.as_slice(), &[piece(201, "e", false)]].concat();
    let (revived, events) = run(&archived, &newer, 202);
    assert_eq!(
        (revived.status(), events.as_slice()),
        (Status::Promoted, &[Event::Revived, Event::Confirmed][..])
    );
    assert_eq!(run(&revived, &newer, 203).1, []);
    let against = [evidence.as_slice(), &[piece(201, "e", true)]].concat();
    assert_eq!(run(&archived, &against, 202).1, [], "a contradiction is no recurrence");
}

#[test]
fn a_legacy_archived_lesson_is_archived_now() {
    let text = "---\nstatus: archived\nsignature: late-check\n---\nOld.\n";
    let entry = Entry::read("old", Folder::Lessons, text.as_bytes()).unwrap();
    let evidence = [piece(1, "a", false), piece(2, "b", false)];
    let (same, events) = run(&entry, &evidence, 3);
    assert_eq!((same.fields.clone(), events), (entry.fields.clone(), vec![]), "and it is not written down");
}

#[test]
fn a_legacy_lesson_in_force_is_judged_by_every_window_and_promoted_by_none() {
    let text = "---\nstatus: permanent\nsignature: late-check\n---\nOld.\n";
    let entry = Entry::read("old", Folder::Lessons, text.as_bytes()).unwrap();
    assert_eq!(run(&entry, &[piece(1, "a", false)], 400), (entry.clone(), vec![]));
    let (demoted, events) = run(&entry, &[piece(1, "a", true)], 2);
    assert_eq!((demoted.status(), events.as_slice()), (Status::Candidate, &[Event::Demoted][..]));
    let evidence = [piece(1, "a", true), piece(8, "b", false), piece(9, "c", false)];
    assert_eq!(run(&demoted, &evidence, 10).1, [], "it does not say what it is, nor where it comes from");
}

#[test]
fn legacy_files_are_read_as_they_are() {
    for (text, title, status) in [
        ("# Run it twice\n\nBecause.\n", "Run it twice", Status::Candidate),
        ("", "old", Status::Candidate),
        ("---\nstatus: permanent\ntags: [a]\n---\n# Permanent\n", "Permanent", Status::Promoted),
        (
            "---\r\ntitle: With CRLF\r\narchivedAt: 2026-08-01\r\nstatus: archived\r\n---\r\nx\r\n",
            "With CRLF",
            Status::Archived,
        ),
    ] {
        let entry = Entry::read("old", Folder::Lessons, text.as_bytes()).unwrap();
        assert_eq!((entry.title().as_str(), entry.status()), (title, status), "{text:?}");
        assert!(entry.applies_in("anything"));
        // A change keeps what this program does not know, and every line end.
        let mut changed = entry.clone();
        changed.fields.archived_why = Some("over".to_owned());
        let new = changed.rewrite(&entry.fields, text).unwrap();
        assert!(new.contains("over") && text.lines().skip(1).all(|line| new.contains(line)), "{new}");
        assert_eq!(new.contains('\r'), text.contains('\r'));
    }
    let error = Entry::read("old", Folder::Lessons, b"---\nstatus: nonsense\n---\n").unwrap_err();
    assert!(error.message.contains("unknown variant `nonsense`"), "{error}");
    let error = Entry::read("old", Folder::Lessons, b"---\nstatus: archived\n").unwrap_err();
    assert!(error.message.contains("no line `---` closes it"), "{error}");
}

#[test]
fn ws_008_an_entry_of_another_project_is_not_applied() {
    let mut entry = lesson("Run the check first");
    entry.fields.scope = Some(Scope::Project("other".to_owned()));
    let evidence = [piece(1, "a", false), piece(2, "b", false)];
    assert_eq!(run(&entry, &evidence, 3).1, [], "evidence here does not promote it");
    entry.fields.status = Some(Status::Promoted);
    assert!(!entry.is_in_force("demo"));
    let made = regenerate(&[entry.clone()], before(None, None)).unwrap();
    assert_eq!(made.agents, None, "nothing of it is in AGENTS.md");
    assert!(String::from_utf8(made.index).unwrap().contains("### Of other projects"));
    entry.fields.scope = Some(Scope::Shared);
    assert!(!entry.is_in_force("demo"), "the word alone elevates nothing");
    entry.fields.elevated =
        Some(Elevation { into: "demo".to_owned(), by: "ada".to_owned(), at: at(0), why: "x".to_owned() });
    assert!(entry.is_in_force("demo") && !entry.is_in_force("third"));
    // Evidence from elsewhere says nothing here.
    let mut foreign = evidence.clone();
    foreign[1].project = Some("other".to_owned());
    assert_eq!(run(&lesson("Run the check first"), &foreign, 3).1, []);
}

#[test]
fn ws_009_what_is_quarantined_is_out_of_use_and_still_there() {
    let evidence = [piece(1, "a", false), piece(2, "b", false)];
    let (mut entry, _) = run(&lesson("Run the check first"), &evidence, 3);
    assert!(entry.is_in_force("demo"));
    entry.fields.quarantine =
        Some(Quarantine { by: "ada".to_owned(), at: at(4), why: "it looks planted".to_owned() });
    assert!(!entry.is_in_force("demo"));
    let (same, events) = run(&entry, &[evidence.as_slice(), &[piece(9, "c", true)]].concat(), 200);
    assert_eq!((same, events), (entry.clone(), vec![]), "and no evidence moves it");
    let index = String::from_utf8(regenerate(&[entry], before(None, None)).unwrap().index).unwrap();
    assert!(index.contains("### Kept out"), "{index}");
}

#[test]
fn a_lesson_that_holds_a_credential_is_never_in_force() {
    let text = "---\ntitle: x\nstatus: promoted\n---\nexport API_KEY=hunter2\n";
    let entry = Entry::read("old", Folder::Lessons, text.as_bytes()).unwrap();
    assert!(!entry.is_in_force("demo"));
    let text = "---\ntitle: the password=hunter2 is it\nstatus: promoted\n---\n";
    let titled = Entry::read("old", Folder::Lessons, text.as_bytes()).unwrap();
    let made = regenerate(&[titled], before(None, None)).unwrap();
    assert!(!String::from_utf8(made.index).unwrap().contains("hunter2"));
}

fn before<'b>(agents: Option<&'b [u8]>, index: Option<&'b [u8]>) -> Before<'b> {
    Before { agents, index, vault: VAULT, project: "demo" }
}

fn promoted(title: &str) -> Entry {
    let mut entry = lesson(title);
    entry.fields.status = Some(Status::Promoted);
    entry
}

#[test]
fn the_block_is_made_anew_and_every_other_byte_stays() {
    let entries = [promoted("First"), promoted("Second, with [brackets](x) and `ticks`")];
    let mine = "# Mine\r\n\r\n<!-- chalk:begin (x) -->\r\ntheirs\r\n<!-- chalk:end -->\r\n";
    let once = regenerate(&entries, before(Some(mine.as_bytes()), None)).unwrap();
    let agents = String::from_utf8(once.agents.clone().unwrap()).unwrap();
    assert!(agents.starts_with(mine) && !agents.replace("\r\n", "").contains('\n'), "{agents}");
    let again = regenerate(&entries, before(once.agents.as_deref(), Some(&once.index))).unwrap();
    assert_eq!(again, once, "twice is once");
    // One less: the rest stays.
    let fewer = regenerate(&entries[..1], before(once.agents.as_deref(), Some(&once.index)));
    assert_eq!(fewer.unwrap_err().code, codes::LESSON_LOST, "its file is gone");
    let mut archived = entries.clone();
    archived[1].fields.status = Some(Status::Archived);
    let fewer = regenerate(&archived, before(once.agents.as_deref(), Some(&once.index))).unwrap();
    assert!(String::from_utf8(fewer.agents.unwrap()).unwrap().starts_with(mine));
    assert!(String::from_utf8(fewer.index).unwrap().contains("### Archive\n\n- [Second"));
}

#[test]
fn a_line_that_somebody_wrote_into_the_block_is_not_lost() {
    let once = regenerate(&[promoted("First")], before(None, None)).unwrap();
    let agents = String::from_utf8(once.agents.unwrap()).unwrap();
    let edited = agents.replace("- First", "- By hand\n- First");
    let refusal = regenerate(&[promoted("First")], before(Some(edited.as_bytes()), None)).unwrap_err();
    assert_eq!((refusal.code, refusal.facts.as_slice()), (codes::LESSON_LOST, &["- By hand".to_owned()][..]));
    let damaged = agents.replace("<!-- cairn-knowledge:end -->", "");
    let refusal = regenerate(&[promoted("First")], before(Some(damaged.as_bytes()), None)).unwrap_err();
    assert_eq!(refusal.code, codes::BLOCK_DAMAGED);
    let utf16 = regenerate(&[promoted("First")], before(Some(b"\xff\xfea\0"), None)).unwrap_err();
    assert_eq!(utf16.code, codes::NOT_WRITTEN);
}

#[test]
fn the_whole_file_counts_against_the_budget() {
    let entries = [promoted("First")];
    let lines = "x\n".repeat(LINES - 5);
    let refusal = regenerate(&entries, before(Some(lines.as_bytes()), None)).unwrap_err();
    assert_eq!(refusal.code, codes::OVER_BUDGET);
    assert!(refusal.message.contains("200 lines are the most"), "{}", refusal.message);
    let bytes = format!("# Long\n\n{}\n", "x".repeat(BYTES - 100));
    let refusal = regenerate(&entries, before(Some(bytes.as_bytes()), None)).unwrap_err();
    assert!(refusal.facts[0].contains("from line 1: Long"), "{:?}", refusal.facts);
    // What is over the budget already may become smaller.
    let made = regenerate(&entries, before(None, None)).unwrap();
    let large = [made.agents.unwrap(), vec![b'x'; BYTES]].concat();
    let archived = Entry {
        fields: Fields { status: Some(Status::Archived), ..entries[0].fields.clone() },
        ..entries[0].clone()
    };
    let smaller = regenerate(&[archived], before(Some(&large), None)).unwrap();
    assert!(!smaller.size.fits() && smaller.size.bytes < large.len());
    assert_eq!(Size::of(b"a\nb"), Size { bytes: 3, lines: 2 });
    assert_eq!(Size::of(b""), Size { bytes: 0, lines: 0 });
}

#[test]
fn names_come_from_titles() {
    assert_eq!(name("Run the check, first!", |_| false), "run-the-check-first");
    assert_eq!(name("../../etc/passwd", |_| false), "etc-passwd");
    assert_eq!(name("Größe", |name| name == "gr-e"), "gr-e-2");
    assert_eq!(name("数", |_| false), "entry");
    assert_eq!(name(&"w".repeat(60), |_| false).len(), 48);
    assert!(name(&"word ".repeat(100), |_| false).len() <= 48);
}

#[test]
fn receipts_of_one_session_are_one_piece_a_window() {
    let denied = |seq: u64, session: &str, days: i64| -> Receipt {
        let line = serde_json::json!({
            "v": 1, "seq": seq, "prev_hash": "0".repeat(64), "kind": "judged", "at": at(days), "agent": "claude",
            "session": session, "decision": "deny", "reason": "unread-file", "rule": "G1-2", "figures": {},
            "digests": {}, "runs": [], "writes": [], "key": "k",
        });
        serde_json::from_value(line).unwrap()
    };
    let lines = [denied(1, "s1", 0), denied(2, "s1", 1), denied(3, "s2", 1), denied(4, "s1", 8)];
    let pieces = of_receipts(&lines, 7);
    let about = |signature: &str| pieces.iter().filter(|piece| piece.is_about(signature)).count();
    assert_eq!((about("reason:unread-file"), about("rule:g1-2")), (3, 3));
}

prop_compose! {
    fn pieces()(list in prop::collection::vec((0..60_i64, 0..6_u8, prop::bool::weighted(0.25)), 0..12)) -> Vec<Evidence> {
        list.into_iter().map(|(days, name, contradicts)| piece(days, &format!("e{name}"), contradicts)).collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(800))]
    #[test]
    fn a_pass_over_a_pass_changes_nothing(evidence in pieces(), days in prop::collection::vec(0..400_i64, 1..5)) {
        let mut entry = lesson("Run the check first");
        let mut days = days;
        days.sort_unstable();
        for day in days {
            let terms = Terms { archive_after_days: Some(30), ..terms() };
            let once = pass(&[entry.clone()], &evidence, &terms, at(day), Room::Free);
            let twice = pass(&once.entries, &evidence, &terms, at(day), Room::Free);
            prop_assert_eq!(twice.changes, []);
            prop_assert_eq!(&twice.entries, &once.entries);
            entry = once.entries.into_iter().next().unwrap();
            // What is in force is not contradicted by a window from its own on.
            if let (Status::Promoted, Some(promotion)) = (entry.status(), &entry.fields.promotion) {
                let against = evidence.iter().any(|piece| {
                    piece.contradicts && piece.at <= at(day) && piece.window(7) >= promotion.window
                });
                prop_assert!(!against);
            }
        }
    }

    #[test]
    fn no_file_is_too_odd(bytes in prop::collection::vec(any::<u8>(), 0..200), text in "(---\n)?(\\PC{0,20}\n){0,4}(---\n)?\\PC{0,20}") {
        for bytes in [bytes.as_slice(), text.as_bytes()] {
            if let Ok(entry) = Entry::read("a", Folder::Lessons, bytes) {
                let _ = (entry.title(), entry.signature(), render::agents_line(&entry, VAULT));
                let _ = regenerate(&[entry], before(Some(bytes), None));
            }
            let _ = read_lines(bytes);
        }
    }
}
