use std::path::PathBuf;

use gate::event::Verdict;
use store::chain::Link as _;

use super::*;
use crate::receipts::tests::{Bench, shell};
use crate::receipts::verify::{Verification, Why};
use crate::receipts::{Known, Receipt, ReceiptError};

fn call(bench: &Bench, id: &str) -> Result<(), ReceiptError> {
    bench.hand.turn(60_000);
    let event = shell(Some(id), "ls");
    bench.receipts().judged(&event, &Verdict::allow(), &Known::default()).map(|_| ())
}

fn checkpoint(bench: &Bench) -> Result<(), ReceiptError> {
    bench.hand.turn(60_000);
    bench.receipts().checkpoint(&shell(None, "x"), None).map(|_| ())
}

fn head_file(bench: &Bench) -> PathBuf {
    bench.state.receipts().with_extension("jsonl.head")
}

/// A call, a checkpoint as second line, and three calls after it.
fn filled() -> Bench {
    let bench = Bench::new();
    call(&bench, "a").unwrap();
    checkpoint(&bench).unwrap();
    for id in ["b", "c", "d"] {
        call(&bench, id).unwrap();
    }
    bench
}

/// Leaves so many lines of the log, and a head file about the last of them with `more` behind it.
fn cut(bench: &Bench, lines: usize, more: impl FnOnce(&Receipt) -> String) {
    let text = fs::read_to_string(bench.state.receipts()).unwrap();
    let short: String = text.split_inclusive('\n').take(lines).collect();
    let last = Receipt::read(short.lines().last().unwrap().as_bytes()).unwrap();
    fs::write(bench.state.receipts(), &short).unwrap();
    fs::write(head_file(bench), format!("{} {}{}\n", last.seq, last.hash(), more(&last))).unwrap();
}

/// Puts log and head by, lets something happen, and puts both back.
fn goes_back(bench: &Bench, happens: impl FnOnce()) {
    let put_by = [bench.state.receipts(), head_file(bench)].map(|path| (fs::read(&path).unwrap(), path));
    happens();
    for (bytes, path) in &put_by {
        fs::write(path, bytes).unwrap();
    }
}

fn why(found: &Verification) -> Option<(u64, Why)> {
    found.fault.as_ref().map(|fault| (fault.line, fault.why))
}

fn is_put_aside(bench: &Bench) {
    let error = call(bench, "e").unwrap_err();
    assert!(matches!(error, ReceiptError::Broken { .. }), "{error}");
    assert_eq!(bench.verify().breaks.len(), 1);
    call(bench, "e").unwrap();
}

#[test]
fn a_head_is_signed_from_the_first_line_on() {
    let bench = filled();
    let found = bench.verify();
    assert!(found.sound && found.unsigned_heads.is_empty(), "{found:?}");
    assert_eq!(found.head_signed, Some(true));
    assert_eq!(fs::read_to_string(head_file(&bench)).unwrap().split_whitespace().count(), 3);
}

/// The end of a log was cut off behind the last checkpoint and the head file rewritten: nothing told.
#[test]
fn a_head_that_was_rewritten_is_found() {
    type Forgery = fn(&Receipt) -> String;
    let forgeries: [(&str, Forgery); 3] = [
        ("none", |_| String::new()),
        ("that of the line", |last| format!(" {}", last.sig)),
        ("that of another key", |last| {
            format!(" {}", sign(Head { n: last.seq, hash: last.hash() }, &SigningKey::from_seed(&[9; 32])))
        }),
    ];
    for (what, forgery) in forgeries {
        let bench = filled();
        cut(&bench, 3, forgery);
        assert_eq!(why(&bench.verify()), Some((3, Why::HeadSignature)), "{what}");
        is_put_aside(&bench);
    }
}

/// Before there was a signature, and where nothing says that there was, the head file is taken as it is, on record.
#[test]
fn a_head_of_an_older_program_is_read() {
    let bench = filled();
    cut(&bench, 5, |_| String::new());
    let witness = fs::read_to_string(bench.state.witness()).unwrap();
    let old: Vec<&str> = witness.split_whitespace().take(2).collect();
    fs::write(bench.state.witness(), old.join(" ") + "\n").unwrap();
    let found = bench.verify();
    assert!(found.sound, "{found:?}");
    assert_eq!(found.head_signed, Some(false));
    call(&bench, "e").unwrap();
    let found = bench.verify();
    assert!(found.sound && found.head_signed == Some(true), "{found:?}");
    assert_eq!(found.unsigned_heads, [6]);
    call(&bench, "f").unwrap();
    assert_eq!(bench.verify().unsigned_heads, [6], "it is said once");
}

/// A log that went back behind a checkpoint was found by `verify` alone, and not after the next checkpoint.
#[test]
fn a_log_that_went_back_is_put_aside_at_the_next_checkpoint() {
    let bench = filled();
    goes_back(&bench, || {
        call(&bench, "e").unwrap();
        checkpoint(&bench).unwrap();
    });
    let found = bench.verify();
    assert_eq!(why(&found), Some((6, Why::CutTail)));
    let message = found.fault.unwrap().message;
    assert!(message.contains("the end of the log was cut off here: a checkpoint of 2027-"), "{message}");
    // What is written on does not hide it.
    for id in ["f", "g", "h"] {
        call(&bench, id).unwrap();
    }
    assert_eq!(why(&bench.verify()), Some((8, Why::Witness)));
    let error = checkpoint(&bench).unwrap_err().to_string();
    assert!(error.contains("and that line is another one now"), "{error}");
    let found = bench.verify();
    assert!(found.sound && found.breaks.len() == 1, "{found:?}");
    checkpoint(&bench).unwrap();
}

#[test]
fn a_log_that_ends_before_what_was_witnessed_is_put_aside() {
    let bench = filled();
    goes_back(&bench, || {
        call(&bench, "e").unwrap();
        checkpoint(&bench).unwrap();
    });
    let error = checkpoint(&bench).unwrap_err().to_string();
    assert!(error.contains("it ends before what was witnessed: a checkpoint of"), "{error}");
    assert!(error.contains("is of line 7, and its last is 5"), "{error}");
}

/// The limit of all this, which the docs tell: nothing was witnessed since.
#[test]
fn a_state_that_was_put_by_since_the_last_checkpoint_is_good_again() {
    let bench = filled();
    goes_back(&bench, || call(&bench, "e").unwrap());
    assert!(bench.verify().sound);
}

#[test]
fn a_crash_between_line_and_head_is_no_forgery() {
    let bench = filled();
    let before = fs::read(head_file(&bench)).unwrap();
    call(&bench, "e").unwrap();
    fs::write(head_file(&bench), before).unwrap();
    assert!(bench.verify().sound);
    call(&bench, "f").unwrap();
    let found = bench.verify();
    assert!(found.sound && found.unsigned_heads.is_empty(), "{found:?}");
}

/// A line of a later version was said to be changed.
#[test]
fn a_line_of_a_later_version_can_t_be_judged() {
    let bench = filled();
    let text = fs::read_to_string(bench.state.receipts()).unwrap();
    let later = text.lines().last().unwrap().replace("\"v\":1", "\"v\":2");
    for line in [later.clone(), later.replace("\"v\":2", "\"v\":2,\"wholly\":\"new\"")] {
        fs::write(bench.state.receipts(), format!("{text}{line}\n")).unwrap();
        let found = bench.verify();
        assert_eq!(why(&found), Some((6, Why::Newer)));
        assert!(!found.sound && found.is_newer() && found.lines == 5);
        // It is left as it is.
        assert!(matches!(call(&bench, "e"), Err(ReceiptError::Newer(_))));
    }
    fs::write(bench.state.receipts(), text.replacen("\"allow\"", "\"deny\"", 1)).unwrap();
    assert_eq!(why(&bench.verify()), Some((1, Why::Changed)));
}
