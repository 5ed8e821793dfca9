use super::*;
use crate::deploy::machine::Phase;
use crate::research::{Method, Needs, Observation};

const NOW: Timestamp = Timestamp::from_millis(0);

fn desk() -> (tempfile::TempDir, Desk) {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::at(folder.path());
    (folder, desk)
}

fn research(finding: &str) -> Research {
    Research {
        question: "What is there?".to_owned(),
        needs: Needs::Local,
        method: Method::Local,
        local_evidence: vec![Observation {
            at: REPORT.to_owned(),
            seen: "19 checks".to_owned(),
            digest: None,
        }],
        online_sources: Vec::new(),
        findings: vec![finding.to_owned()],
        used_in: vec![PLAN.to_owned()],
    }
}

#[test]
fn research_stands_in_the_chain_and_beside_it() {
    let (_folder, desk) = desk();
    let mut state = Deployment::new(1, NOW);
    desk.record(&mut state, NOW, Entry::new(Kind::Feasibility, "probe", "partial")).unwrap();
    desk.found_out(&mut state, NOW, "analysis", research("one")).unwrap();
    desk.found_out(&mut state, NOW, "analysis", research("two")).unwrap();
    assert_eq!((state.receipt_seq, state.research.len()), (3, 1));
    let lines = desk.receipts().unwrap();
    let written = desk.read("evidence/analysis.json").unwrap().unwrap();
    assert_eq!(written, lines[2].line().into_bytes());
    assert_eq!(lines[2].prev_hash, lines[1].hash());
    desk.write("evidence/analysis.json", &lines[1].line()).unwrap();
    assert!(desk.receipts().unwrap_err().to_string().contains("receipt 3"));
}

#[test]
fn research_that_bears_nothing_is_not_put_on_record() {
    let (_folder, desk) = desk();
    let mut state = Deployment::new(1, NOW);
    let external = Research { needs: Needs::External, ..research("one") };
    let error = desk.found_out(&mut state, NOW, "analysis", external).unwrap_err();
    assert!(error.to_string().starts_with("G3-2"), "{error}");
    assert!(!desk.folder().exists());
}

#[test]
fn a_state_is_read_as_it_was_written() {
    let (_folder, desk) = desk();
    assert_eq!(desk.state().unwrap(), None);
    let state = Deployment::new(3, NOW);
    desk.keep(&state).unwrap();
    assert_eq!(desk.state().unwrap(), Some(state));
    desk.write(STATE, "{").unwrap();
    assert!(desk.state().unwrap_err().to_string().contains("deploy-state.json"));
}

#[test]
#[cfg(unix)]
fn nothing_is_read_or_written_through_a_link() {
    let (folder, desk) = desk();
    let outside = folder.path().join("outside");
    fs::create_dir_all(&outside).unwrap();
    fs::write(outside.join(STATE), Deployment::new(1, NOW).text()).unwrap();
    std::os::unix::fs::symlink(&outside, desk.folder()).unwrap();
    assert!(desk.state().unwrap_err().to_string().contains("symbolic link"));
    assert!(desk.keep(&Deployment::new(2, NOW)).is_err());
    let mut state = Deployment::new(1, NOW);
    let entry = Entry::new(Kind::Feasibility, "probe", "x");
    assert!(desk.record(&mut state, NOW, entry).is_err());
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
}

/// A killed writer left half a line, and the next one could not go on.
#[test]
fn half_a_line_is_cut_off() {
    let (_folder, desk) = desk();
    let mut state = Deployment::new(1, NOW);
    let entry = |tool: &str| Entry::new(Kind::Step, tool, "done");
    desk.record(&mut state, NOW, entry("one")).unwrap();
    let path = desk.path(RECEIPTS);
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend(b"{\"fact\":\"ha");
    fs::write(&path, bytes).unwrap();
    desk.record(&mut state, NOW, entry("two")).unwrap();
    assert_eq!(desk.receipts().unwrap().len(), 2);
}

/// A newer report or plan lay in the place of what the finished deployment rests on, which had no report any more.
#[test]
fn what_is_done_keeps_what_it_rests_on() {
    let (_folder, desk) = desk();
    desk.write(REPORT, "the report").unwrap();
    desk.write(PLAN, "the plan").unwrap();
    let state = Deployment::new(2, NOW);
    assert_eq!(desk.finished(2).unwrap(), None);
    desk.finish(&state).unwrap();
    desk.write(REPORT, "a newer one").unwrap();
    desk.write(PLAN, "a newer one").unwrap();
    let finished = Finished { state, report: b"the report".to_vec(), plan: b"the plan".to_vec() };
    assert_eq!(desk.finished(2).unwrap(), Some(finished));
}

fn aside(desk: &Desk) -> Vec<String> {
    let entries = fs::read_dir(desk.path("evidence/aside-7")).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn nothing_is_mended_where_all_is_as_it_was_written() {
    let (_folder, desk) = desk();
    assert_eq!(desk.mend(NOW, "7").unwrap(), None);
    let mut state = Deployment::new(1, NOW);
    desk.found_out(&mut state, NOW, "analysis", research("one")).unwrap();
    desk.keep(&state).unwrap();
    assert_eq!(desk.mend(NOW, "7").unwrap(), None);
    assert_eq!(aside(&desk), [""; 0]);
}

/// There was no way on from receipts that were edited.
#[test]
fn a_new_chain_keeps_the_broken_one_aside_and_says_so() {
    let (_folder, desk) = desk();
    let mut state = Deployment::new(3, NOW);
    desk.found_out(&mut state, NOW, "analysis", research("one")).unwrap();
    desk.record(&mut state, NOW, Entry::new(Kind::Step, "one", "done")).unwrap();
    desk.keep(&state).unwrap();
    let text = String::from_utf8(fs::read(desk.path(RECEIPTS)).unwrap()).unwrap();
    let edited = text.replace("\"done\"", "\"gone\"");
    fs::write(desk.path(RECEIPTS), &edited).unwrap();
    assert!(desk.receipts().is_err());
    let mended = desk.mend(NOW, "7").unwrap().unwrap();
    assert!(mended.is_new_chain);
    assert_eq!(
        aside(&desk),
        ["analysis.json", "deploy-receipts.jsonl", "deploy-receipts.jsonl.head", "deploy-state.json"]
    );
    assert_eq!(desk.read("evidence/aside-7/deploy-receipts.jsonl").unwrap().unwrap(), edited.into_bytes());
    let lines = desk.receipts().unwrap();
    assert_eq!((lines.len(), lines[0].kind, lines[0].run), (1, Kind::Mend, 3));
    assert!(lines[0].fact.contains("evidence/aside-7"), "{}", lines[0].fact);
    assert_eq!(desk.state().unwrap(), None, "what it says can't be proved any more");
    assert_eq!(desk.mend(NOW, "7").unwrap(), None);
}

/// A person must be able to take back what a deployment changed whose receipts were edited meanwhile.
#[test]
fn a_deployment_that_changed_something_keeps_its_state() {
    let (_folder, desk) = desk();
    let mut state = Deployment { phase: Phase::Deploying, ..Deployment::new(1, NOW) };
    desk.record(&mut state, NOW, Entry::new(Kind::Step, "one", "done")).unwrap();
    desk.keep(&state).unwrap();
    fs::write(desk.path(RECEIPTS), "{}\n").unwrap();
    desk.mend(NOW, "7").unwrap().unwrap();
    let kept = desk.state().unwrap().unwrap();
    assert_eq!((kept.phase, kept.receipt_seq), (Phase::Deploying, 1));
}

#[test]
fn evidence_that_was_edited_comes_back_from_the_receipts() {
    let (_folder, desk) = desk();
    let mut state = Deployment::new(1, NOW);
    desk.found_out(&mut state, NOW, "analysis", research("one")).unwrap();
    desk.keep(&state).unwrap();
    let written = desk.read("evidence/analysis.json").unwrap();
    for edit in [Some("{}\n"), None] {
        match edit {
            Some(text) => desk.write("evidence/analysis.json", text).unwrap(),
            None => fs::remove_file(desk.path("evidence/analysis.json")).unwrap(),
        }
        assert!(desk.receipts().is_err());
        let mended = desk.mend(NOW, "7").unwrap().unwrap();
        assert!(!mended.is_new_chain);
        assert_eq!(desk.read("evidence/analysis.json").unwrap(), written);
        assert_eq!(desk.receipts().unwrap()[0].kind, Kind::Research, "the chain goes on");
        assert!(desk.state().unwrap().is_some());
    }
    assert_eq!(aside(&desk), ["analysis.json"]);
}

#[test]
fn a_damaged_state_is_put_aside_and_the_count_goes_on() {
    let (_folder, desk) = desk();
    let mut state = Deployment::new(4, NOW);
    desk.record(&mut state, NOW, Entry::new(Kind::Step, "one", "done")).unwrap();
    desk.write(STATE, "{").unwrap();
    assert!(!desk.mend(NOW, "7").unwrap().unwrap().is_new_chain);
    assert_eq!((aside(&desk), desk.state().unwrap()), (vec!["deploy-state.json".to_owned()], None));
    assert_eq!(desk.last().unwrap().unwrap().run, 4);
}

/// Without the head file a log whose end was cut off passed for a whole one.
#[test]
fn receipts_that_end_before_the_state_are_cut_off() {
    let (_folder, desk) = desk();
    let mut state = Deployment::new(1, NOW);
    for tool in ["one", "two"] {
        desk.record(&mut state, NOW, Entry::new(Kind::Step, tool, "done")).unwrap();
    }
    desk.keep(&state).unwrap();
    let text = String::from_utf8(fs::read(desk.path(RECEIPTS)).unwrap()).unwrap();
    fs::write(desk.path(RECEIPTS), text.split_inclusive('\n').next().unwrap()).unwrap();
    fs::remove_file(desk.path("deploy-receipts.jsonl.head")).unwrap();
    assert!(desk.receipts().unwrap_err().to_string().contains("ends before receipt 2"));
    assert!(desk.mend(NOW, "7").unwrap().unwrap().is_new_chain);
    desk.receipts().unwrap();
}
