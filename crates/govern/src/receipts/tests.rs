use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicI64, Ordering};

use canon::{Clock, Timestamp};
use gate::event::{Moment, Outcome as Result_};
use serde_json::Value;
use store::chain::Link as _;
use store::fault::{self, Fault as Break};
use store::{Env, SystemEntropy};

use super::verify::{Verification, Why};
use super::*;

/// A clock that a test turns.
#[derive(Default)]
pub(crate) struct Hand(AtomicI64);

impl Hand {
    pub(crate) fn turn(&self, millis: i64) {
        self.0.fetch_add(millis, Ordering::Relaxed);
    }
}

impl Clock for &'static Hand {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_800_000_000_000 + self.0.load(Ordering::Relaxed))
    }
}

pub(crate) struct Bench {
    pub(crate) state: State,
    pub(crate) world: World,
    pub(crate) hand: &'static Hand,
    folder: Option<tempfile::TempDir>,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut bench = Self::at(folder.path());
        bench.folder = Some(folder);
        bench
    }

    pub(crate) fn at(folder: &Path) -> Self {
        let env: Env = [("HOME", folder.join("home").as_os_str())].into_iter().collect();
        let hand: &'static Hand = Box::leak(Box::default());
        let state = State::of(None, &folder.join("work"), &env).unwrap();
        let world =
            World { cwd: folder.to_owned(), env, clock: Box::new(hand), entropy: Box::new(SystemEntropy) };
        Self { state, world, hand, folder: None }
    }

    pub(crate) fn receipts(&self) -> Receipts<'_> {
        Receipts::open(&self.state, &self.world).unwrap()
    }

    pub(crate) fn verify(&self) -> Verification {
        verify::verify(&self.state, &key::known(self.state.keys()).unwrap()).unwrap()
    }

    pub(crate) fn lines(&self) -> Vec<Receipt> {
        let text = fs::read_to_string(self.state.receipts()).unwrap_or_default();
        text.lines().map(|line| Receipt::read(line.as_bytes()).unwrap()).collect()
    }
}

pub(crate) fn shell(id: Option<&str>, command: &str) -> Event {
    let tool =
        Tool::Shell { command: command.to_owned(), cwd: None, shell: "bash".to_owned(), background: false };
    let call = Call {
        id: id.map(str::to_owned),
        name: "Bash".to_owned(),
        tool,
        input: json!({ "command": command }),
    };
    Event {
        agent: "claude".to_owned(),
        event: Moment::PreTool,
        session: Some("s1".to_owned()),
        subagent: None,
        cwd: None,
        call: Some(call),
        outcome: None,
        text: None,
        source: None,
        stop_refused_before: false,
    }
}

pub(crate) fn done(mut event: Event, exit: i64, output: &str) -> Event {
    event.event = Moment::PostTool;
    event.outcome =
        Some(Result_ { ok: Some(exit == 0), exit: Some(exit), result: json!({ "stdout": output }) });
    event
}

fn deny() -> Verdict {
    let text = |text: &str| Some(text.to_owned());
    Verdict {
        decision: Decision::Deny,
        gate: text("plan"),
        rule: text("PL-001"),
        reason: text("no-plan"),
        message: text("secret words"),
        ..Verdict::allow()
    }
}

#[test]
fn a_call_gives_two_lines_that_its_id_joins() {
    let bench = Bench::new();
    let receipts = bench.receipts().under(Some(Sha256::of("policy")));
    let event = shell(Some("u1"), "cargo test --quiet");
    let judged = receipts.judged(&event, &Verdict::allow(), &Known::default()).unwrap().receipt;
    assert_eq!((judged.outcome, judged.decision), (Some(Outcome::Pending), Some(Decision::Allow)));
    let result = "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out\nhunter2";
    let paths = ["a.rs".to_owned()];
    let known = Known { writes: &paths, ..Known::default() };
    let seen = receipts.seen(&done(event, 0, result), &known).unwrap().receipt;
    assert_eq!((seen.call.as_deref(), seen.parent_seq, seen.seq), (Some("u1"), Some(1), 2));
    assert_eq!(seen.outcome, Some(Outcome::Success));
    assert_eq!(seen.args_hash, Some(Sha256::of(r#"{"command":"cargo test --quiet"}"#)));
    assert_eq!(seen.policy_hash, Some(Sha256::of("policy")));
    assert_eq!(seen.reversibility, Some(false));
    let figures: Vec<(&str, i64)> = seen.figures.iter().map(|(name, n)| (name.as_str(), *n)).collect();
    assert_eq!(figures, [("exit", 0), ("tests_failed", 0), ("tests_passed", 12), ("tests_skipped", 1)]);
    let text = fs::read_to_string(bench.state.receipts()).unwrap();
    for raw in ["cargo", "hunter2", "a.rs", "passed;"] {
        assert!(!text.contains(raw), "{raw} is kept");
    }
    for null in ["parent_seq", "post_condition_probe_hash", "evidence_ref"] {
        assert!(text.lines().next().unwrap().contains(&format!("\"{null}\":null")), "{text}");
    }
    assert!(bench.verify().sound);
}

#[test]
fn a_denial_is_a_proof_that_nothing_ran_until_a_result_says_otherwise() {
    let bench = Bench::new();
    let receipts = bench.receipts();
    let event = shell(Some("u1"), "rm -rf /");
    let known = Known { protected: Some(Sha256::of("tree")), ..Known::default() };
    let denied = receipts.judged(&event, &deny(), &known).unwrap().receipt;
    assert_eq!(denied.outcome, Some(Outcome::NotExecuted));
    let proof = denied.non_execution.clone().unwrap();
    assert_eq!(proof.protected_hash, known.protected);
    let answer = r#"["u1","deny","plan","PL-001","no-plan"]"#;
    assert_eq!(proof.answer_hash, Sha256::of(answer));
    assert!(!denied.line().contains("secret"));
    assert!(bench.verify().contradictions.is_empty());
    receipts.seen(&done(event, 0, ""), &Known::default()).unwrap();
    let found = bench.verify();
    assert!(found.sound);
    let contradiction = &found.contradictions[0];
    assert_eq!((contradiction.denied, contradiction.seen, contradiction.call.as_str()), (1, 2, "u1"));
}

#[test]
fn two_entries_give_one_receipt() {
    let bench = Bench::new();
    let receipts = bench.receipts();
    for id in [Some("u\"1"), None] {
        let before = bench.lines().len();
        let event = shell(id, "ls");
        for new in [true, false] {
            let written = receipts.judged(&event, &Verdict::allow(), &Known::default()).unwrap();
            assert_eq!(written.new, new, "{id:?}");
        }
        let event = done(event, 0, "x");
        for new in [true, false] {
            assert_eq!(receipts.seen(&event, &Known::default()).unwrap().new, new, "{id:?}");
        }
        assert_eq!(bench.lines().len(), before + 2);
        bench.hand.turn(10_000);
    }
    // The same id in another session is another call.
    let mut other = shell(Some("u\"1"), "ls");
    other.session = Some("s2".to_owned());
    assert!(receipts.judged(&other, &Verdict::allow(), &Known::default()).unwrap().new);
}

#[test]
fn a_second_entry_that_denies_is_on_record_too() {
    let bench = Bench::new();
    let receipts = bench.receipts();
    let event = shell(Some("u1"), "ls");
    receipts.judged(&event, &Verdict::allow(), &Known::default()).unwrap();
    let denied = receipts.judged(&event, &deny(), &Known::default()).unwrap();
    assert!(denied.new);
    assert_eq!(denied.receipt.parent_seq, Some(1));
    assert!(!receipts.judged(&event, &Verdict::allow(), &Known::default()).unwrap().new);
    assert!(!receipts.judged(&event, &deny(), &Known::default()).unwrap().new);
}

#[test]
fn calls_without_ids_are_joined_in_order() {
    let bench = Bench::new();
    let receipts = bench.receipts();
    let event = shell(None, "make");
    let judge = || {
        bench.hand.turn(5000);
        receipts.judged(&event, &Verdict::allow(), &Known::default()).unwrap().receipt
    };
    let (first, second) = (judge(), judge());
    assert!(first.call.as_ref().unwrap().starts_with('~'));
    assert_ne!(first.call, second.call);
    bench.hand.turn(5000);
    let see =
        |output: &str| receipts.seen(&done(event.clone(), 0, output), &Known::default()).unwrap().receipt;
    assert_eq!((see("a").call, see("b").call), (first.call, second.call));
    bench.hand.turn(5000);
    let orphan = see("c");
    assert_eq!(orphan.parent_seq, None);
    // A denied call has no result; the next equal one is another.
    let other = shell(None, "rm x");
    let denied = receipts.judged(&other, &deny(), &Known::default()).unwrap().receipt;
    bench.hand.turn(5000);
    let allowed = receipts.judged(&other, &Verdict::allow(), &Known::default()).unwrap().receipt;
    assert_ne!(denied.call, allowed.call);
    assert_eq!(receipts.seen(&done(other, 0, ""), &Known::default()).unwrap().receipt.call, allowed.call);
    assert!(bench.verify().contradictions.is_empty());
}

#[test]
fn a_stop_attests_the_chain() {
    let bench = Bench::new();
    let receipts = bench.receipts();
    let event = shell(Some("u1"), "cargo test");
    receipts.judged(&event, &Verdict::allow(), &Known::default()).unwrap();
    let result = "test result: ok. 12 passed; 0 failed; 0 ignored;";
    receipts.seen(&done(event.clone(), 0, result), &Known::default()).unwrap();
    let lines = receipts.of_session(&event, 1 << 20).unwrap();
    assert_eq!(lines, bench.lines());
    let found = evidence::judge("All 13 tests pass. The word is `hunter2 ok`.", &lines);
    let checkpoint = receipts.checkpoint(&event, Some(&found)).unwrap();
    assert_eq!((checkpoint.seq, checkpoint.evidence_ref.as_deref()), (4, Some("receipt:3")));
    let lines = bench.lines();
    let record = lines[2].evidence.as_ref().unwrap();
    assert_eq!((record.verdict, record.findings[0].receipted), (evidence::Verdict::Invalid, Some(12)));
    assert!(!lines[2].line().contains("hunter2"));
    let found = bench.verify();
    assert!(found.sound, "{found:?}");
    assert_eq!((found.lines, found.checkpoints, found.since_checkpoint), (4, 1, 0));
    let envelope = lines[3].checkpoint.as_ref().unwrap();
    let keys = key::known(bench.state.keys()).unwrap();
    let statement: Value = serde_json::from_slice(&envelope.open(&keys).unwrap().0).unwrap();
    assert_eq!(statement["subject"][0]["digest"]["sha256"], lines[2].hash().to_string());
    assert_eq!(statement["predicate"]["seq"], 3);
}

#[test]
fn many_threads_and_processes_make_one_chain() {
    let folder = tempfile::tempdir().unwrap();
    let me = std::env::current_exe().unwrap();
    let children: Vec<_> = (0..12)
        .map(|n| {
            let mut child = Command::new(&me);
            child.args(["--exact", "receipts::tests::a_child_appends", "--nocapture"]);
            child.env("CAIRN_TEST_CHILD", folder.path()).env("CAIRN_TEST_NAME", n.to_string());
            child.stdout(std::process::Stdio::null()).spawn().unwrap()
        })
        .collect();
    std::thread::scope(|scope| {
        for n in 12..20 {
            let folder = folder.path();
            scope.spawn(move || append(folder, &n.to_string(), 20));
        }
    });
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let bench = Bench::at(folder.path());
    let found = bench.verify();
    assert!(found.sound, "{found:?}");
    assert_eq!(found.lines, 20 * 20);
    assert_eq!(found.keys.len(), 1);
    let mut calls: Vec<Option<String>> = bench.lines().into_iter().map(|line| line.call).collect();
    calls.sort();
    calls.dedup();
    assert_eq!(calls.len(), 400, "no call is lost or there twice");
}

fn append(folder: &Path, name: &str, lines: u32) {
    let bench = Bench::at(folder);
    for n in 0..lines {
        let event = shell(Some(&format!("{name}-{n}")), "ls");
        let written = loop {
            match bench.receipts().judged(&event, &Verdict::allow(), &Known::default()) {
                // Twenty at once on a slow machine wait longer than a hook would.
                Err(ReceiptError::Lock(_)) => {}
                other => break other.unwrap(),
            }
        };
        assert!(written.new);
    }
}

#[test]
fn a_child_appends() {
    let Some(folder) = std::env::var_os("CAIRN_TEST_CHILD") else { return };
    let name = std::env::var("CAIRN_TEST_NAME").unwrap();
    let point = std::env::var("CAIRN_TEST_POINT").ok();
    if let Some(point) = point {
        fault::arm(&point, 1, Break::Kill);
        let bench = Bench::at(Path::new(&folder));
        let _ = bench.receipts().checkpoint(&shell(None, "ls"), None);
        panic!("{point} was not passed");
    }
    append(Path::new(&folder), &name, 20);
}

const POINTS: &[&str] = &["append", "appended", "chain", "stage", "staged", "rename", "renamed"];

#[test]
fn a_process_killed_at_any_step_loses_nothing() {
    let me = std::env::current_exe().unwrap();
    for point in POINTS {
        let folder = tempfile::tempdir().unwrap();
        append(folder.path(), "before", 2);
        let status = Command::new(&me)
            .args(["--exact", "receipts::tests::a_child_appends"])
            .envs([("CAIRN_TEST_POINT", *point), ("CAIRN_TEST_NAME", "x")])
            .env("CAIRN_TEST_CHILD", folder.path())
            .output()
            .unwrap();
        #[cfg(unix)]
        assert_eq!(
            std::os::unix::process::ExitStatusExt::signal(&status.status),
            Some(9),
            "{point}: {status:?}"
        );
        append(folder.path(), "after", 2);
        let found = Bench::at(folder.path()).verify();
        assert!(found.sound, "{point}: {found:?}");
        assert_eq!(found.lines, if *point == "append" { 4 } else { 5 }, "{point}");
    }
}

#[test]
fn a_full_disk_is_an_error_and_leaves_the_chain_whole() {
    // The point is armed for the whole process: a child of its own keeps other tests out.
    if std::env::var_os("CAIRN_TEST_FULL").is_none() {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "receipts::tests::a_full_disk_is_an_error_and_leaves_the_chain_whole"]);
        assert!(child.env("CAIRN_TEST_FULL", "1").output().unwrap().status.success());
        return;
    }
    for point in POINTS {
        let bench = Bench::new();
        let receipts = bench.receipts();
        let event = shell(Some("u1"), "ls");
        receipts.judged(&event, &Verdict::allow(), &Known::default()).unwrap();
        fault::arm(point, 1, Break::Full);
        assert!(receipts.checkpoint(&event, None).is_err(), "{point}");
        receipts.checkpoint(&event, None).unwrap();
        let found = bench.verify();
        assert!(found.sound, "{point}: {found:?}");
    }
}

#[test]
fn half_a_line_is_cut_off_and_noted() {
    let bench = Bench::new();
    append_one(&bench, "u1");
    let mut text = fs::read_to_string(bench.state.receipts()).unwrap();
    text.push_str("{\"agent\":\"cl");
    fs::write(bench.state.receipts(), &text).unwrap();
    let torn = bench.verify().fault.unwrap();
    assert_eq!((torn.line, torn.why), (2, Why::Torn));
    append_one(&bench, "u2");
    let lines = bench.lines();
    assert_eq!(lines[1].marker.as_deref(), Some("half_line_cut"));
    assert_eq!(
        (lines[1].figures["bytes"], lines[1].digests["half_line"]),
        (12, Sha256::of("{\"agent\":\"cl"))
    );
    assert_eq!(lines[2].call.as_deref(), Some("u2"));
    assert!(bench.verify().sound);
}

fn append_one(bench: &Bench, id: &str) {
    bench.receipts().judged(&shell(Some(id), "ls"), &Verdict::allow(), &Known::default()).unwrap();
}

#[test]
fn a_damaged_log_denies_once_and_is_kept() {
    type Damage = fn(&State);
    let damages: [(&str, Damage, (u64, Why)); 4] = [
        (
            "its last line changed",
            |state| {
                let text = fs::read_to_string(state.receipts()).unwrap();
                fs::write(state.receipts(), text.replace("\"u3\"", "\"u4\"")).unwrap();
            },
            (3, Why::Changed),
        ),
        (
            "its end cut off",
            |state| {
                let text = fs::read_to_string(state.receipts()).unwrap();
                fs::write(state.receipts(), text.lines().next().unwrap().to_owned() + "\n").unwrap();
            },
            (2, Why::CutTail),
        ),
        (
            "its head damaged",
            |state| fs::write(state.receipts().with_extension("jsonl.head"), "x").unwrap(),
            (3, Why::Head),
        ),
        ("all of it gone", |state| fs::remove_dir_all(state.folder()).unwrap(), (0, Why::CutTail)),
    ];
    for (what, damage, fault) in damages {
        let bench = Bench::new();
        append_one(&bench, "u1");
        bench.receipts().checkpoint(&shell(None, "ls"), None).unwrap();
        append_one(&bench, "u3");
        damage(&bench.state);
        assert!(!bench.verify().sound, "{what}");
        let event = shell(Some("u4"), "ls");
        let error = bench.receipts().judged(&event, &Verdict::allow(), &Known::default()).unwrap_err();
        assert!(matches!(error, ReceiptError::Broken { .. }), "{what}: {error}");
        assert!(bench.receipts().judged(&event, &Verdict::allow(), &Known::default()).unwrap().new, "{what}");
        let found = bench.verify();
        assert!(found.sound, "{what}: {found:?}");
        assert_eq!(found.breaks.len(), 1, "{what}");
        if what != "all of it gone" {
            let aside = format!("receipts.jsonl.{}", found.breaks[0].aside);
            assert!(bench.state.folder().join(aside).exists(), "{what}");
            let (line, why) = fault;
            let fault = found.breaks[0].fault.as_ref().unwrap();
            assert_eq!((fault.line, fault.why), (line, why), "{what}");
        }
    }
}

#[test]
fn state_that_cannot_be_written_is_an_error() {
    let bench = Bench::new();
    append_one(&bench, "u1");
    fs::remove_file(bench.state.receipts()).unwrap();
    fs::create_dir(bench.state.receipts()).unwrap();
    let receipts = bench.receipts();
    assert!(receipts.judged(&shell(Some("u2"), "ls"), &Verdict::allow(), &Known::default()).is_err());
    #[cfg(unix)]
    {
        let bench = Bench::new();
        let elsewhere = bench.world.cwd.join("elsewhere");
        fs::create_dir_all(bench.state.folder()).unwrap();
        fs::write(&elsewhere, "").unwrap();
        std::os::unix::fs::symlink(&elsewhere, bench.state.receipts()).unwrap();
        let event = shell(Some("u2"), "ls");
        assert!(bench.receipts().judged(&event, &Verdict::allow(), &Known::default()).is_err());
        assert_eq!(fs::read_to_string(elsewhere).unwrap(), "");
    }
}

#[test]
fn a_long_log_is_not_read_to_add_to_it() {
    let bench = Bench::new();
    append_one(&bench, "u1");
    // A line whose call stands far before the end of the log.
    let line = fs::read_to_string(bench.state.receipts()).unwrap();
    let long = line.repeat(5000);
    let path = bench.state.receipts();
    fs::write(&path, format!("{long}{line}")).unwrap();
    let receipts = bench.receipts();
    let begun = std::time::Instant::now();
    for n in 0..5 {
        let event = shell(Some(&format!("n{n}")), "ls");
        receipts.judged(&event, &Verdict::allow(), &Known::default()).unwrap();
    }
    let each = begun.elapsed() / 5;
    assert!(each.as_millis() < 100, "{each:?}");
}

#[test]
fn lists_shows_and_exports() {
    let bench = Bench::new();
    let receipts = bench.receipts();
    for (id, verdict) in [("u1", Verdict::allow()), ("u2", deny())] {
        bench.hand.turn(1000);
        receipts.judged(&shell(Some(id), "ls"), &verdict, &Known::default()).unwrap();
    }
    receipts.seen(&done(shell(Some("u1"), "ls"), 3, ""), &Known::default()).unwrap();
    let note = Note { marker: "retry_hint", figures: &[("n", 2)], ..Note::default() };
    receipts.note(&shell(None, "ls"), &note).unwrap();
    let filter = document::Filter::default();
    let list = document::list(&bench.state, &filter).unwrap();
    assert_eq!((list.lines, list.receipts.len()), (4, 3));
    let first = &list.receipts[0];
    assert_eq!((first.seen, first.outcome, first.figures["exit"]), (Some(3), Some(Outcome::Failure), 3));
    let count = |filter: document::Filter| document::list(&bench.state, &filter).unwrap().receipts.len();
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(count(document::Filter { decision: Some(Decision::Deny), ..filter.clone() }), 1);
    assert_eq!(count(document::Filter { tool: text("Bash"), ..filter.clone() }), 2);
    assert_eq!(count(document::Filter { session: text("s2"), ..filter.clone() }), 0);
    assert_eq!(count(document::Filter { last: Some(2), ..filter.clone() }), 2);
    let since = Timestamp::from_millis(first.at.as_millis() + 1);
    assert_eq!(count(document::Filter { since: Some(since), ..filter }), 2);
    for which in ["u1", "1", "3"] {
        assert_eq!(document::show(&bench.state, which).unwrap().lines.len(), 2, "{which}");
    }
    assert_eq!(document::show(&bench.state, "4").unwrap().lines.len(), 1);
    assert!(document::show(&bench.state, "nobody").unwrap().lines.is_empty());
    let keys = key::known(bench.state.keys()).unwrap();
    let export = document::export(&bench.state, &keys).unwrap();
    let text = serde_json::to_string(&export).unwrap();
    let mut read: document::Export = serde_json::from_str(&text).unwrap();
    assert!(read.verify(&keys).sound);
    assert_eq!(read.keys.len(), 1);
    read.receipts.pop();
    assert_eq!(read.verify(&keys).fault.unwrap().why, Why::CutTail);
}

/// Local models give ids that begin anew with each turn.
#[test]
fn an_id_that_is_used_again_is_another_call() {
    let bench = Bench::new();
    let receipts = bench.receipts();
    for command in ["ls", "ls", "pwd"] {
        let event = shell(Some("call_0"), command);
        assert!(receipts.judged(&event, &Verdict::allow(), &Known::default()).unwrap().new);
        let seen = receipts.seen(&done(event, 0, "x"), &Known::default()).unwrap();
        assert!(seen.new);
        assert_eq!(seen.receipt.parent_seq, Some(seen.receipt.seq - 1));
        bench.hand.turn(5000);
    }
    assert_eq!(bench.lines().len(), 6);
    let filter = document::Filter::default();
    assert_eq!(document::list(&bench.state, &filter).unwrap().receipts.len(), 3);
}

#[test]
fn a_result_that_comes_late_finds_its_call() {
    let bench = Bench::new();
    let receipts = bench.receipts();
    for id in [Some("slow"), None] {
        let event = shell(id, "make all");
        let judged = receipts.judged(&event, &Verdict::allow(), &Known::default()).unwrap().receipt;
        let long = "x".repeat(150);
        for n in 0..140 {
            let other = shell(Some(&format!("{id:?}-{long}-{n}")), "ls");
            receipts.judged(&other, &Verdict::allow(), &Known::default()).unwrap();
        }
        bench.hand.turn(600_000);
        let seen = receipts.seen(&done(event, 0, ""), &Known::default()).unwrap().receipt;
        assert_eq!((seen.parent_seq, seen.call), (Some(judged.seq), judged.call));
    }
    assert!(fs::metadata(bench.state.receipts()).unwrap().len() > 2 * log::NEAR);
}

#[test]
fn two_entries_of_a_stop_give_one_checkpoint() {
    let bench = Bench::new();
    let event = shell(None, "ls");
    let found = evidence::judge("Done.", &[]);
    let first = bench.receipts().checkpoint(&event, Some(&found)).unwrap();
    assert_eq!(bench.receipts().checkpoint(&event, Some(&found)).unwrap(), first);
    bench.hand.turn(5000);
    assert_eq!(bench.receipts().checkpoint(&event, None).unwrap().seq, 3);
}

/// The signature of a line, checked by another program over bytes that another program made.
#[test]
fn openssl_agrees() {
    let bench = Bench::new();
    append_one(&bench, "u1");
    let folder = tempfile::tempdir().unwrap();
    let line = &bench.lines()[0];
    let mut value: Value = serde_json::from_str(&line.line()).unwrap();
    let signature = value.as_object_mut().unwrap().remove("sig").unwrap();
    let sorted: std::collections::BTreeMap<String, Value> = serde_json::from_value(value).unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    write("line", &serde_json::to_vec(&sorted).unwrap());
    write("sig", &canon::base64::decode(signature.as_str().unwrap()).unwrap());
    write("key", key::known(bench.state.keys()).unwrap()[0].to_pem().unwrap().as_bytes());
    let args = ["pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", "key", "-in", "line", "-sigfile", "sig"];
    let Ok(output) = Command::new("openssl").args(args).current_dir(folder.path()).output() else {
        eprintln!("skipped: no openssl here");
        return;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
