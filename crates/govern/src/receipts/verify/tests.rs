use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use gate::event::Verdict;
use proptest::prelude::*;
use trust::ed25519::SigningKey;

use super::*;
use crate::receipts::tests::{Bench, done, shell};
use crate::receipts::{Known, key};

/// A log of eight lines: calls, a checkpoint as fifth, and calls after it.
struct Sample {
    bytes: Vec<u8>,
    keys: Vec<VerifyingKey>,
    beside: Beside,
}

fn sample() -> &'static Sample {
    static SAMPLE: OnceLock<Sample> = OnceLock::new();
    SAMPLE.get_or_init(|| {
        let bench = Bench::new();
        fill(&bench);
        let chain = Chain::<Receipt>::of(bench.state.receipts());
        Sample {
            bytes: fs::read(bench.state.receipts()).unwrap(),
            keys: key::known(bench.state.keys()).unwrap(),
            beside: Beside {
                head: Some(chain.head().unwrap()),
                witness: witness::read(&bench.state.witness()).unwrap(),
                ..Beside::default()
            },
        }
    })
}

fn fill(bench: &Bench) {
    let receipts = bench.receipts();
    for id in ["a", "b"] {
        let event = shell(Some(id), "cargo test");
        receipts.judged(&event, &Verdict::allow(), &Known::default()).unwrap();
        receipts.seen(&done(event, 0, "ok"), &Known::default()).unwrap();
    }
    receipts.checkpoint(&shell(None, "x"), None).unwrap();
    for id in ["c", "d", "e"] {
        receipts.judged(&shell(Some(id), "ls"), &Verdict::allow(), &Known::default()).unwrap();
    }
}

fn check(bytes: &[u8]) -> Option<Fault> {
    let sample = sample();
    bytes_of(bytes, &sample.beside, &sample.keys).fault
}

fn lines() -> Vec<String> {
    let text = String::from_utf8(sample().bytes.clone()).unwrap();
    text.split_inclusive('\n').map(str::to_owned).collect()
}

/// The line with the same number in another chain by the same key: good by itself.
fn foreign_line(number: usize) -> String {
    let bench = Bench::new();
    fs::create_dir_all(bench.state.keys()).unwrap();
    fill(&bench);
    let text = fs::read_to_string(bench.state.receipts()).unwrap();
    text.split_inclusive('\n').nth(number - 1).unwrap().to_owned()
}

/// The sample's lines with the receipt on line `number` changed and signed anew by `key`.
fn forged(number: usize, key: &SigningKey, change: impl Fn(&mut Receipt)) -> String {
    let mut lines = lines();
    let mut receipt = Receipt::read(lines[number - 1].trim_end().as_bytes()).unwrap();
    change(&mut receipt);
    let head = Head { n: receipt.seq - 1, hash: receipt.prev_hash };
    receipt.seal(head, key, &key.public().id());
    lines[number - 1] = receipt.line();
    lines.concat()
}

#[test]
fn an_untouched_log_is_sound() {
    let sample = sample();
    let found = bytes_of(&sample.bytes, &sample.beside, &sample.keys);
    assert!(found.sound, "{found:?}");
    assert_eq!((found.lines, found.checkpoints, found.since_checkpoint), (8, 1, 3));
    assert!(bytes_of(b"", &Beside::default(), &sample.keys).sound, "an empty log is no fault");
}

#[test]
fn each_kind_of_tampering_is_named_with_its_line() {
    let lines = lines();
    let without = |at: usize| [&lines[..at - 1], &lines[at..]].concat().concat();
    let swapped = |a: usize, b: usize| {
        let mut lines = lines.clone();
        lines.swap(a - 1, b - 1);
        lines.concat()
    };
    let edited = |at: usize, from: &str, to: &str| {
        let mut lines = lines.clone();
        assert!(lines[at - 1].contains(from), "{from}");
        lines[at - 1] = lines[at - 1].replacen(from, to, 1);
        lines.concat()
    };
    let whole = lines.concat();
    let other = SigningKey::from_seed(&[9; 32]);
    let table: Vec<(&str, String, u64, Why)> = vec![
        ("a value", edited(3, "\"allow\"", "\"deny\""), 3, Why::Changed),
        ("a name", edited(3, "\"gate\"", "\"gat3\""), 3, Why::Changed),
        ("a number", edited(4, "\"exit\":0", "\"exit\":1"), 4, Why::Changed),
        ("its own number", edited(4, "\"seq\":4", "\"seq\":9"), 4, Why::Changed),
        ("white space", edited(2, "{\"agent\"", "{ \"agent\""), 2, Why::Changed),
        ("the key's name", edited(2, "\"key\":\"SHA256:", "\"key\":\"SHA255:"), 2, Why::Changed),
        ("a signature", edited(2, "\"sig\":\"", "\"sig\":\"A"), 2, Why::Changed),
        ("an escape", edited(1, "\"Bash\"", "\"\\u0042ash\""), 1, Why::Changed),
        ("an added member", edited(1, "{\"agent\"", "{\"a\":1,\"agent\""), 1, Why::Changed),
        ("an envelope", edited(5, "\"payload\":\"", "\"payload\":\"e"), 5, Why::Changed),
        ("an empty line", edited(3, "\n", "\n\n"), 4, Why::Changed),
        ("two lines as one", edited(3, "\n", " "), 3, Why::Changed),
        ("a first line gone", without(1), 1, Why::Removed),
        ("a middle line gone", without(4), 4, Why::Removed),
        ("a checkpoint gone", without(5), 5, Why::Removed),
        ("the last line gone", without(8), 8, Why::CutTail),
        ("half of the log gone", lines[..4].concat(), 5, Why::CutTail),
        ("all of it gone", String::new(), 1, Why::CutTail),
        ("neighbours swapped", swapped(2, 3), 2, Why::Moved),
        ("distant lines swapped", swapped(1, 8), 1, Why::Moved),
        ("a line twice", edited(2, "\n", &format!("\n{}", lines[1])), 3, Why::Moved),
        ("half a line", whole[..whole.len() - 9].to_owned(), 8, Why::Torn),
        ("no last line end", whole.trim_end().to_owned(), 8, Why::Torn),
        ("another key", forged(3, &other, |_| ()), 3, Why::ForeignKey),
        ("another chain's line", edited(3, &lines[2], &foreign_line(3)), 3, Why::ForeignKey),
    ];
    for (what, text, line, why) in table {
        let fault = check(text.as_bytes()).unwrap_or_else(|| panic!("{what} is not found"));
        assert_eq!((fault.line, fault.why), (line, why), "{what}: {fault}");
    }
}

/// Who has the key can sign, but what comes after still names what was there.
#[test]
fn a_line_signed_anew_is_found_by_the_next_one() {
    let key = SigningKey::from_seed(&[1; 32]);
    let bench = Bench::new();
    fs::create_dir_all(bench.state.keys()).unwrap();
    let pem: PathBuf = bench.state.keys().join("gate.pem");
    fs::write(&pem, key.to_pem().unwrap()).unwrap();
    #[cfg(unix)]
    fs::set_permissions(&pem, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    fill(&bench);
    let text = fs::read_to_string(bench.state.receipts()).unwrap();
    let again = |number: usize, change: &dyn Fn(&mut Receipt)| {
        let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        let mut receipt = Receipt::read(lines[number - 1].trim_end().as_bytes()).unwrap();
        change(&mut receipt);
        let head = Head { n: receipt.seq - 1, hash: receipt.prev_hash };
        receipt.seal(head, &key, &key.public().id());
        lines[number - 1] = receipt.line();
        fs::write(bench.state.receipts(), lines.concat()).unwrap();
        let fault = bench.verify().fault.unwrap();
        (fault.line, fault.why)
    };
    assert_eq!(again(3, &|line| line.decision = None), (4, Why::Replaced));
    assert_eq!(again(8, &|line| line.decision = None), (8, Why::Head));
    assert_eq!(again(5, &|line| line.checkpoint = None), (5, Why::Checkpoint));
    let other = foreign_line(5);
    let envelope = Receipt::read(other.trim_end().as_bytes()).unwrap().checkpoint;
    assert_eq!(again(5, &|line| line.checkpoint.clone_from(&envelope)), (5, Why::Checkpoint));
    // The whole log and its head made anew: only what lies outside the repository tells.
    fs::remove_dir_all(bench.state.folder()).unwrap();
    let receipts = bench.receipts();
    assert!(receipts.judged(&shell(Some("a"), "ls"), &Verdict::allow(), &Known::default()).is_err());
    assert_eq!(bench.verify().breaks.len(), 1);
}

#[test]
fn the_head_file_must_name_the_last_line() {
    let bench = Bench::new();
    fill(&bench);
    let path = bench.state.receipts().with_extension("jsonl.head");
    let good = fs::read_to_string(&path).unwrap();
    for bad in ["", "8", "nonsense", &good.replacen('8', "9", 1), &good.replacen('8', "7", 1)] {
        fs::write(&path, bad).unwrap();
        let fault = bench.verify().fault.unwrap();
        assert!(matches!(fault.why, Why::Head | Why::CutTail), "{bad}: {fault}");
    }
    fs::remove_file(&path).unwrap();
    assert_eq!(bench.verify().fault.unwrap().why, Why::Head);
    fs::write(&path, good).unwrap();
    assert!(bench.verify().sound);
    // Log and head cut off together, but a checkpoint was remembered elsewhere.
    let text = fs::read_to_string(bench.state.receipts()).unwrap();
    let short: String = text.split_inclusive('\n').take(2).collect();
    fs::write(bench.state.receipts(), &short).unwrap();
    let last = Receipt::read(short.lines().last().unwrap().as_bytes()).unwrap();
    fs::write(&path, format!("2 {}\n", last.hash())).unwrap();
    assert_eq!(bench.verify().fault.map(|fault| (fault.line, fault.why)), Some((3, Why::CutTail)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn any_changed_byte_is_found(at in any::<prop::sample::Index>(), to in any::<u8>()) {
        let mut bytes = sample().bytes.clone();
        let at = at.index(bytes.len());
        prop_assume!(bytes[at] != to);
        bytes[at] = to;
        let line = sample().bytes[..at].iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
        let fault = check(&bytes);
        prop_assert!(fault.is_some(), "byte {} as {}", at, to);
        prop_assert_eq!(fault.map(|fault| fault.line), Some(line));
    }

    #[test]
    fn any_removed_byte_is_found(at in any::<prop::sample::Index>()) {
        let mut bytes = sample().bytes.clone();
        let at = at.index(bytes.len());
        bytes.remove(at);
        prop_assert!(check(&bytes).is_some(), "byte {}", at);
    }

    #[test]
    fn any_other_order_of_lines_is_found(order in Just((0..8_usize).collect::<Vec<_>>()).prop_shuffle(), keep in 0..8_usize) {
        let lines = lines();
        let text: String = order.iter().take(8 - keep).map(|&at| lines[at].as_str()).collect();
        let same = keep == 0 && order.windows(2).all(|pair| pair[0] < pair[1]);
        prop_assert_eq!(check(text.as_bytes()).is_none(), same);
    }
}
