use super::*;

fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("queue.jsonl");
    (folder, path)
}

fn proposal(kind: Kind, subject: &str) -> Proposal {
    let at = Timestamp::from_millis(5);
    Proposal::new(kind, "claude", Some("s1"), subject, at).saying("it happened", "look at it")
}

fn why(words: &str) -> Reason {
    Reason::new(words).unwrap()
}

/// The write gate of what is kept holds for the queue too.
#[test]
fn a_credential_is_not_kept() {
    let (_folder, path) = place();
    let secret = format!("{}\npassword=hunter2", "x ".repeat(195));
    let one =
        Proposal::new(Kind::Drift, "claude", None, "a", Timestamp::from_millis(5)).saying(&secret, "look");
    assert!(one.fact.starts_with("the fact holds ") && one.fact.ends_with("kept nowhere"), "{}", one.fact);
    assert_eq!(one.next, "look");
    propose(&path, 5, one).unwrap();
    assert!(!std::fs::read_to_string(&path).unwrap().contains("hunter2"));
    assert_eq!(Reason::new(&secret).unwrap_err().code, crate::knowledge::codes::HOLDS_SECRET);
    assert_eq!(why("meant\nso").as_str(), "meant so");
}

#[test]
fn one_thing_is_proposed_once_also_after_it_is_resolved() {
    let (_folder, path) = place();
    assert_eq!(Queue::load(&path).unwrap(), Queue::default());
    let one = proposal(Kind::Drift, "a");
    assert_eq!(propose(&path, 5, one.clone()).unwrap(), Outcome::Added);
    assert_eq!(propose(&path, 5, proposal(Kind::Drift, "a")).unwrap(), Outcome::Known);
    assert_eq!(propose(&path, 5, proposal(Kind::RepeatedBlocks, "a")).unwrap(), Outcome::Added);
    let queue = Queue::load(&path).unwrap();
    assert_eq!((queue.open.len(), queue.resolved, queue.left_out()), (2, 0, 0));
    let at = Timestamp::from_millis(9);
    assert_eq!(resolve(&path, &one.id, Resolution::Rejected, &why("meant\nso"), at).unwrap(), one);
    let gone = resolve(&path, &one.id, Resolution::Accepted, &why(""), at).unwrap_err();
    assert!(matches!(&gone, QueueError::Gone(id) if *id == one.id), "{gone}");
    assert_eq!(propose(&path, 5, one).unwrap(), Outcome::Known);
    let queue = Queue::load(&path).unwrap();
    assert_eq!((queue.open.len(), queue.resolved), (1, 1));
}

#[test]
fn what_finds_no_room_is_counted_and_may_come_again() {
    let (_folder, path) = place();
    for subject in ["a", "b", "c", "c", "d"] {
        propose(&path, 2, proposal(Kind::ReadGateSkip, subject)).unwrap();
    }
    let queue = Queue::load(&path).unwrap();
    assert_eq!((queue.open.len(), queue.left_out()), (2, 2));
    assert_eq!(queue.dropped, BTreeMap::from([(Kind::ReadGateSkip, 2)]));
    resolve(&path, &queue.open[0].id, Resolution::Accepted, &why(""), Timestamp::from_millis(9)).unwrap();
    assert_eq!(propose(&path, 2, proposal(Kind::ReadGateSkip, "d")).unwrap(), Outcome::Added);
    assert_eq!(Queue::load(&path).unwrap().left_out(), 1);
}

#[test]
fn what_is_said_is_bounded_and_on_one_line() {
    let long = proposal(Kind::Drift, "x").saying(&"a\nb ".repeat(5000), "\u{1b}[2J");
    assert!(long.fact.chars().count() <= 401 && !long.fact.contains('\n'));
    assert!(!long.next.contains('\u{1b}'), "{:?}", long.next);
}

#[test]
fn a_damaged_line_is_named_and_half_a_line_passed_over() {
    let (_folder, path) = place();
    propose(&path, 5, proposal(Kind::Drift, "a")).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("{text}{{\"is\":\"pro")).unwrap();
    assert_eq!(Queue::load(&path).unwrap().open.len(), 1);
    propose(&path, 5, proposal(Kind::Drift, "b")).unwrap();
    assert_eq!(Queue::load(&path).unwrap().open.len(), 2);
    std::fs::write(&path, format!("{text}nonsense\n{text}")).unwrap();
    let error = Queue::load(&path).unwrap_err().to_string();
    assert!(error.contains("queue.jsonl` line 2 is damaged"), "{error}");
    assert!(propose(&path, 5, proposal(Kind::Drift, "c")).is_err());
}

#[test]
fn parallel_proposals_keep_to_the_budget() {
    let (_folder, path) = place();
    std::thread::scope(|scope| {
        for n in 0..6 {
            let path = &path;
            scope.spawn(move || {
                for m in 0..5 {
                    while propose(path, 10, proposal(Kind::Drift, &format!("{n}-{m}"))).is_err() {}
                }
            });
        }
    });
    let queue = Queue::load(&path).unwrap();
    assert_eq!((queue.open.len(), queue.left_out()), (10, 20));
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_a_queue_or_damaged(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..300)) {
        let (_folder, path) = place();
        std::fs::write(&path, &bytes).unwrap();
        let is_empty = !bytes.contains(&b'\n');
        match Queue::load(&path) {
            Ok(queue) => proptest::prop_assert!(queue.open.is_empty()),
            Err(error) => proptest::prop_assert!(!is_empty && error.to_string().contains("is damaged")),
        }
    }
}
