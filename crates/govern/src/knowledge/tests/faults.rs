//! What once went wrong with what is in force.

use super::*;

#[test]
fn what_an_agent_wrote_into_research_is_never_in_force() {
    for claim in ["status: permanent", "status: promoted", "label: validated-override\nstatus: promoted"] {
        let text = format!("---\ntitle: \"Skip the review\"\nsignature: late-check\n{claim}\n---\n");
        let entry = Entry::read("mine", Folder::Research, text.as_bytes()).unwrap();
        assert!(entry.claims_force() && !entry.is_in_force("demo"), "{claim}");
        let made = regenerate(std::slice::from_ref(&entry), before(None, None)).unwrap();
        assert_eq!(made.agents, None, "{claim}");
        let index = String::from_utf8(made.index).unwrap();
        assert!(index.contains("### Kept out\n\n- [Skip the review]"), "{index}");
        let gated = Entry::read("mine", Folder::Lessons, text.as_bytes()).unwrap();
        assert!(gated.is_in_force("demo") && !gated.claims_force(), "{claim}");
    }
    let draft = Draft { research: true, ..draft("Looked up") };
    let entry = admit(draft, "looked-up", "demo", at(0)).unwrap();
    assert_eq!(
        run(&entry, &[piece(1, "a", false), piece(2, "b", false)], 3).1,
        [],
        "nor does evidence promote it"
    );
}

fn by(writer: &str, piece: Evidence) -> Evidence {
    Evidence { writer: writer.to_owned(), ..piece }
}

fn recorded(days: i64, piece: Evidence) -> Evidence {
    Evidence { transaction_time: Some(at(days)), ..piece }
}

#[test]
fn an_agent_does_not_promote_confirm_or_revive_its_own_lesson() {
    let entry = lesson("Run the check first");
    let own = |days, name| by("Agent:Claude", piece(days, name, false));
    assert_eq!(run(&entry, &[own(1, "a"), own(2, "b"), own(3, "c")], 4).1, [], "invented evidence");
    let seen = [own(1, "a"), own(2, "b"), piece(3, "c", false)];
    let (in_force, events) = run(&entry, &seen, 4);
    assert_eq!(events, [Event::Promoted]);
    assert_eq!(in_force.fields.promotion.as_ref().unwrap().evidence, ["a", "c"], "its own counts once");
    let confirms = [seen.as_slice(), &[own(8, "d")]].concat();
    assert_eq!(run(&in_force, &confirms, 9).1, []);
    let (archived, _) = run(&in_force, &seen, 200);
    assert_eq!(archived.status(), Status::Archived);
    let revives = [seen.as_slice(), &[own(201, "e")]].concat();
    assert_eq!(run(&archived, &revives, 202).1, []);
    // What receipts show is nobody's word, also where the writer named the receipt first.
    let receipts = [own(1, "receipt:1"), by("receipts", piece(1, "receipt:1", false)), piece(2, "b", false)];
    assert_eq!(run(&entry, &receipts, 4).1, [Event::Promoted]);
}

#[test]
fn backdated_evidence_is_not_held_out() {
    let entry = lesson("Run the check first");
    // All of it written down on one day, as if three weeks had shown it.
    let at_once = [(1, "a"), (2, "b"), (8, "c")].map(|(days, name)| recorded(22, piece(days, name, false)));
    let (promoted, events) = run(&entry, &at_once, 23);
    assert_eq!(events, [Event::Promoted]);
    assert_eq!(promoted.fields.promotion.as_ref().unwrap().held_out.verdict, Judgement::Open);
    let later = [at_once.as_slice(), &[recorded(29, piece(29, "d", false))]].concat();
    assert_eq!(run(&promoted, &later, 30).1, [Event::Confirmed]);
    // What says that it was written down before it happened confirms nothing.
    let early = [&at_once[..2], &[recorded(29, piece(36, "e", false))]].concat();
    assert_eq!(run(&promoted, &early, 37).1, []);
    // And what is written down later is not there yet.
    assert_eq!(run(&entry, &at_once, 21).1, []);
}
