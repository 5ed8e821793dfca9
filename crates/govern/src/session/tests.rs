use super::*;

fn read_of(path: &str, first: u64, last: Option<u64>, content: &str) -> Entry {
    let content = Some(Sha256::of(content));
    Entry::Read(Read { path: path.to_owned(), first, last, content, by: None, compactions: None })
}

fn mark(name: &str) -> Entry {
    Entry::Mark { name: name.to_owned(), value: "v".to_owned() }
}

fn denied() -> Entry {
    Entry::Denied { gate: "plan".to_owned(), rule: "PL-001".to_owned() }
}

fn plan() -> Entry {
    let todo = Todo { content: Some("write the parser".to_owned()), status: None, priority: None };
    Entry::Plan(Plan { todos: vec![todo], text: None, at: Timestamp::from_millis(5) })
}

fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions").join("s.jsonl");
    (folder, path)
}

#[test]
fn what_is_recorded_is_known() {
    let (_folder, path) = place();
    assert_eq!(Session::load(&path).unwrap(), Session::default());
    let wrote = Entry::Wrote { path: "b".to_owned(), content: None };
    record(&path, &[read_of("a", 1, Some(50), "x"), plan(), mark("m"), mark("n"), wrote]).unwrap();
    record(&path, &[denied(), Entry::Allowed, denied(), denied(), Entry::Turn]).unwrap();
    record(&path, &[Entry::Unmark { name: "n".to_owned() }, Entry::Succeeded { call: "c".to_owned() }])
        .unwrap();
    let session = Session::load(&path).unwrap();
    assert_eq!(session.reads["a"].len(), 1);
    assert!(session.wrote.contains_key("b") && session.succeeded.contains("c"));
    assert_eq!(session.marks.keys().collect::<Vec<_>>(), ["m"]);
    assert_eq!(session.plan.as_ref().unwrap().todos.len(), 1);
    let counters =
        Counters { denied: 3, denied_in_a_row: 2, turns: 1, judged: 4, steps: 3, ..Counters::default() };
    assert_eq!(session.counters, counters);
    record(&path, &[Entry::PlanEnded]).unwrap();
    assert_eq!(Session::load(&path).unwrap().plan, None);
}

/// Tests that were run again after an edit had a retry hint.
#[test]
fn a_write_forgets_which_calls_succeeded_before_it() {
    let mut session = Session::default();
    let succeeded = |call: &str| Entry::Succeeded { call: call.to_owned() };
    session.learn(succeeded("test"));
    assert!(session.succeeded.contains("test"));
    session.learn(Entry::Wrote { path: "b".to_owned(), content: None });
    assert!(session.succeeded.is_empty());
    session.learn(succeeded("edit"));
    assert!(session.succeeded.contains("edit"));
}

#[test]
fn reads_say_which_lines_of_which_content() {
    let mut session = Session::default();
    for entry in [
        read_of("a", 1, Some(50), "x"),
        read_of("a", 1, Some(20), "x"),
        Entry::Compacted,
        read_of("a", 10, None, "x"),
    ] {
        session.learn(entry);
    }
    let reads = &session.reads["a"];
    assert_eq!(reads.iter().map(|read| read.compactions).collect::<Vec<_>>(), [Some(0), Some(0), Some(1)]);
    assert!(reads[0].covers(1, Some(50)) && reads[0].covers(7, Some(9)));
    assert!(!reads[0].covers(400, Some(400)) && !reads[0].covers(1, None));
    assert!(reads[2].covers(10, None) && reads[2].covers(4000, Some(4001)) && !reads[2].covers(9, Some(12)));
    session.learn(read_of("a", 1, None, "x"));
    assert_eq!(session.reads["a"].len(), 3, "the later read of the same content shows all of the one before");
}

#[test]
fn a_long_file_is_written_anew_and_says_the_same() {
    let (_folder, path) = place();
    let mut whole = Session::default();
    for n in 0..40 {
        let many: Vec<Entry> = (0..50)
            .flat_map(|m| {
                [read_of(&format!("file-{m}"), 1, Some(n), "same"), denied(), mark(&format!("mark-{m}"))]
            })
            .chain([Entry::Compacted, plan(), Entry::Went { steps: 1, tokens: 7 }, Entry::Retried])
            .chain([Entry::Pinned { ids: vec![format!("p{n}")], all: n % 3 == 0 }, Entry::OverBudget])
            .collect();
        many.iter().cloned().for_each(|entry| whole.learn(entry));
        record(&path, &many).unwrap();
    }
    assert_eq!(Session::load(&path).unwrap(), whole);
    assert!(fs::metadata(&path).unwrap().len() < 4 * LARGEST);
}

#[test]
fn half_a_line_is_passed_over_and_a_damaged_one_named() {
    let (_folder, path) = place();
    record(&path, &[mark("a"), mark("b")]).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{text}{{\"is\":\"ma")).unwrap();
    assert_eq!(Session::load(&path).unwrap().marks.len(), 2);
    record(&path, &[mark("c")]).unwrap();
    assert_eq!(Session::load(&path).unwrap().marks.len(), 3);
    fs::write(&path, format!("{text}nonsense\n{text}")).unwrap();
    let error = Session::load(&path).unwrap_err();
    assert!(error.to_string().ends_with("line 3 is damaged") && error.is_damage(), "{error}");
    // It is put aside once, and begins anew.
    assert!(begin_anew(&path, 7, &[mark("d")]).unwrap());
    assert!(!begin_anew(&path, 8, &[mark("e")]).unwrap());
    let marks = Session::load(&path).unwrap().marks;
    assert!(marks.len() == 1 && marks.contains_key("d"), "{marks:?}");
    assert!(fs::read_to_string(path.with_extension("broken-7")).unwrap().contains("nonsense"));
}

#[test]
fn parallel_writers_lose_nothing() {
    let (_folder, path) = place();
    std::thread::scope(|scope| {
        for n in 0..10 {
            let path = &path;
            scope.spawn(move || {
                for m in 0..20 {
                    while record(path, &[mark(&format!("{n}-{m}"))]).is_err() {}
                    Session::load(path).unwrap();
                }
            });
        }
    });
    assert_eq!(Session::load(&path).unwrap().marks.len(), 200);
}

#[test]
fn old_sessions_are_forgotten() {
    let (_folder, path) = place();
    record(&path, &[mark("a")]).unwrap();
    let folder = path.parent().unwrap();
    assert_eq!(forget(folder, Timestamp::from_millis(0)).unwrap(), 0);
    assert_eq!(forget(folder, Timestamp::from_millis(i64::MAX)).unwrap(), 1);
    assert_eq!(fs::read_dir(folder).unwrap().count(), 0);
    assert_eq!(forget(&folder.join("gone"), Timestamp::from_millis(0)).unwrap(), 0);
}

#[test]
fn what_an_older_version_wrote_is_read() {
    let (_folder, path) = place();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let counted = r#"{"is":"counted","denied":2,"denied_in_a_row":0,"turns":1,"compactions":0}"#;
    fs::write(&path, format!("{counted}\n{{\"is\":\"denied\"}}\n")).unwrap();
    let session = Session::load(&path).unwrap();
    assert_eq!((session.counters.denied, session.counters.turns), (3, 1));
    assert_eq!(session.blocks.values().sum::<u64>(), 1);
}

#[test]
fn denials_are_counted_by_gate_and_rule() {
    let mut session = Session::default();
    for entry in [denied(), denied(), Entry::Denied { gate: "G1".to_owned(), rule: "G1-2".to_owned() }] {
        session.learn(entry);
    }
    let blocks: Vec<_> = session.blocks.iter().map(|(what, count)| (what.as_str(), *count)).collect();
    assert_eq!(blocks, [("G1 G1-2", 1), ("plan PL-001", 2)]);
}

#[test]
fn of_many_that_find_a_thing_due_one_claims_it() {
    let (_folder, path) = place();
    let claimed = std::sync::atomic::AtomicU32::new(0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            let (path, claimed) = (&path, &claimed);
            scope.spawn(move || {
                let due = |session: &Session| {
                    if session.counters.is_over { Vec::new() } else { vec![Entry::OverBudget] }
                };
                loop {
                    match claim(path, due) {
                        Ok(true) => {
                            claimed.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                            break;
                        }
                        Ok(false) => break,
                        Err(_) => {}
                    }
                }
            });
        }
    });
    assert_eq!(claimed.into_inner(), 1);
    assert!(Session::load(&path).unwrap().counters.is_over);
}
