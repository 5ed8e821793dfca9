use std::fs;

use gate::{Exit, Refusal};
use serde_json::{Value, json};

use super::{Request, Reviewed, Staleness, Standing, run};
use crate::change::fixture::{Fixture, ID};
use crate::codes;

/// A fixture with work on disk and a reviewer that runs `body`.
fn reviewed_by(body: &str) -> Fixture {
    let fixture = Fixture::new();
    with_reviewer(&fixture, body);
    fixture.write("work", "1\n");
    fixture
}

fn with_reviewer(fixture: &Fixture, body: &str) {
    let command = fixture.script("reviewer", body);
    fixture.configure(json!({ "review": { "command": command } }));
}

fn review(fixture: &Fixture) -> Result<Reviewed, Refusal> {
    run(&fixture.session(), ID, &Request::Reviewer { retry: true })
}

fn by_hand(fixture: &Fixture, by: Option<&str>, block: bool) -> Result<Reviewed, Refusal> {
    let request = Request::ByHand { note: "read it".into(), by: by.map(str::to_owned), block };
    run(&fixture.session(), ID, &request)
}

fn standing(fixture: &Fixture) -> Standing {
    let session = fixture.session();
    let task = session.task(ID).unwrap();
    super::standing(&session, &session.config().unwrap(), &task, &session.spine.tree).unwrap()
}

fn is_bound_pass(standing: &Standing) -> bool {
    matches!(standing, Standing::Pass { bound: true, .. })
}

fn staleness(fixture: &Fixture) -> Staleness {
    match standing(fixture) {
        Standing::Stale { why, .. } => why,
        other => panic!("{other:?}"),
    }
}

fn event(fixture: &Fixture) -> Value {
    let lines = fs::read_to_string(fixture.root.join(".chalk/updates.jsonl")).unwrap();
    serde_json::from_str(lines.lines().next_back().unwrap()).unwrap()
}

const PASS: &str = r#"cat > /dev/null; echo '{"verdict":"pass"}'"#;
const BLOCK: &str = r#"cat > /dev/null
echo '{"verdict":"BLOCK","findings":[{"severity":"High","area":"test-adequacy","note":"no test"}]}'"#;

#[test]
fn a_pass_is_recorded_with_what_it_judged() {
    let fixture = reviewed_by(PASS);
    let head = fixture.git(&["rev-parse", "HEAD"]);
    let reviewed = review(&fixture).unwrap();
    assert_eq!((reviewed.exit(), reviewed.files), (Exit::Done, Some(1)));
    assert_eq!(
        fixture.stored()["reviews"],
        json!([{
            "at": "2026-12-01T12:00:00.000Z", "by": "adversary", "verdict": "pass", "findings": [], "decisions": [],
            "digest": reviewed.digest, "base": head, "asked": super::asked(&fixture.session().task(ID).unwrap()),
        }])
    );
    assert_eq!(event(&fixture)["title"], "Review (pass): Add two numbers");
    assert_eq!(event(&fixture)["type"], "progress-update");
    let record = fixture.session().results().unwrap().last().unwrap().unwrap();
    assert_eq!((record.kind.as_str(), &record.body["digest"]), ("review", &json!(reviewed.digest)));
    let log = fs::read(record.body["run"]["log"].as_str().unwrap()).unwrap();
    assert_eq!(record.body["run"]["logSha256"], json!(canon::Sha256::of(log)));
    assert!(is_bound_pass(&standing(&fixture)));
}

#[test]
fn a_block_is_a_verdict_and_not_an_error() {
    let fixture = reviewed_by(BLOCK);
    let reviewed = review(&fixture).unwrap();
    assert_eq!((reviewed.exit(), reviewed.high), (Exit::Blocked, true));
    assert_eq!(fixture.stored()["reviews"][0]["verdict"], "block");
    assert_eq!(event(&fixture)["title"], "Review (block): Add two numbers");
    assert_eq!(event(&fixture)["description"], "findings: 1 high");
    assert!(matches!(standing(&fixture), Standing::Blocked { .. }));
}

#[test]
fn the_exit_code_and_stderr_of_the_reviewer_are_no_verdict() {
    let fixture = reviewed_by(&format!("{PASS}; echo '{{\"verdict\":\"block\"}}' >&2; exit 7"));
    assert_eq!(review(&fixture).unwrap().verdict, "pass");
    with_reviewer(&fixture, "echo '{\"verdict\":\"block\"}' >&2; exit 0");
    assert_eq!(review(&fixture).unwrap().verdict, "block", "without output, what is on stderr counts");
}

#[test]
fn the_reviewer_sees_committed_uncommitted_and_untracked_work() {
    let fixture = Fixture::new();
    fixture.git(&["checkout", "-q", "-b", "feature"]);
    fixture.write("committed", "first part\n");
    fixture.commit("half of it");
    fixture.write("README", "second part\n");
    fixture.write("untracked", "third part\n");
    fixture.write(".chalk/held-out/secret.test.mjs", "hidden\n");
    let prompt = fixture.beside("prompt");
    with_reviewer(&fixture, &format!("cat > '{}'; echo '{{\"verdict\":\"pass\"}}'", prompt.display()));
    review(&fixture).unwrap();
    let prompt = fs::read_to_string(prompt).unwrap();
    for text in [
        "+first part",
        "+second part",
        "+third part",
        "3 files changed",
        "Add two numbers",
        "- adds",
        "a goal",
    ] {
        assert!(prompt.contains(text), "{text} is not in {prompt}");
    }
    for text in ["hidden", "tasks.json"] {
        assert!(!prompt.contains(text), "{text} is in {prompt}");
    }
}

#[test]
fn a_long_diff_is_cut_and_the_cut_files_are_named() {
    let fixture = Fixture::new();
    let prompt = fixture.beside("prompt");
    let command =
        fixture.script("reviewer", &format!("cat > '{}'; echo '{{\"verdict\":\"pass\"}}'", prompt.display()));
    fixture.configure(json!({ "review": { "command": command, "diffLimit": 2000 } }));
    fixture.write("long", "line\n".repeat(5000));
    fixture.write("short", "whole\n");
    assert_eq!(review(&fixture).unwrap().cut, ["long"]);
    let prompt = fs::read_to_string(prompt).unwrap();
    assert!(prompt.len() < 8000 && prompt.contains("+whole"), "{prompt}");
    assert!(prompt.contains("read them in the working folder:\n- long\n"), "{prompt}");
}

#[test]
fn a_change_after_the_pass_makes_it_stale_and_its_return_makes_it_fresh() {
    let fixture = reviewed_by(PASS);
    review(&fixture).unwrap();
    fixture.write("work", "2\n");
    assert_eq!(staleness(&fixture), Staleness::ContentMoved);
    fixture.write("work", "1\n");
    assert!(is_bound_pass(&standing(&fixture)));
    fixture.write("untracked", "");
    assert_eq!(staleness(&fixture), Staleness::ContentMoved);
    fs::remove_file(fixture.root.join("untracked")).unwrap();
    fixture.write(".chalk/updates.jsonl", "");
    fixture.commit("committing is no change");
    assert!(is_bound_pass(&standing(&fixture)));
}

#[test]
fn a_pass_for_the_last_commit_is_none_for_the_whole_branch() {
    let fixture = Fixture::new();
    with_reviewer(&fixture, PASS);
    fixture.commit("reviewer");
    let first = fixture.git(&["rev-parse", "HEAD"]);
    fixture.write("one", "1");
    fixture.commit("one");
    fixture.write("two", "1");
    fixture.commit("two");
    assert_eq!(review(&fixture).unwrap().files, Some(1));
    assert!(is_bound_pass(&standing(&fixture)));
    let mut fields = json!({ "cairn": { "base": first } });
    fields["reviews"] = fixture.stored()["reviews"].clone();
    fixture.task(fields);
    assert_eq!(staleness(&fixture), Staleness::BaseMoved);
    assert_eq!(review(&fixture).unwrap().files, Some(2));
    assert!(is_bound_pass(&standing(&fixture)));
}

#[test]
fn a_pass_of_another_program_counts_and_is_unbound() {
    let fixture = Fixture::new();
    fixture.task(json!({ "reviews": [{ "at": "x", "by": "adversary", "verdict": "pass", "findings": [] }] }));
    fixture.write("work", "1");
    assert!(matches!(standing(&fixture), Standing::Pass { bound: false, by_hand: false, .. }));
}

#[test]
fn nothing_to_review_calls_nobody_and_records_nothing() {
    let fixture = Fixture::without_git();
    fixture.git(&["init", "-q", "-b", "main"]);
    let called = fixture.beside("called");
    with_reviewer(&fixture, &format!("touch '{}'; {PASS}", called.display()));
    fixture.commit("the spine alone");
    let before = fixture.stored();
    assert_eq!(review(&fixture).unwrap_err().code, codes::REVIEW_EMPTY);
    assert!(!called.exists());
    assert_eq!(fixture.stored(), before);
    assert!(!fixture.root.join(".chalk/updates.jsonl").exists());
}

#[test]
fn outside_git_the_reviewer_runs_without_a_diff_and_is_bound_all_the_same() {
    let fixture = Fixture::without_git();
    with_reviewer(&fixture, PASS);
    let reviewed = review(&fixture).unwrap();
    assert_eq!((reviewed.files, reviewed.base), (None, None));
    assert!(is_bound_pass(&standing(&fixture)));
    fixture.write("work", "1");
    assert_eq!(staleness(&fixture), Staleness::ContentMoved);
}

#[test]
fn without_a_reviewer_the_way_by_hand_is_named() {
    let fixture = Fixture::new();
    let refusal = review(&fixture).unwrap_err();
    assert_eq!(refusal.code, codes::NOT_CONFIGURED);
    assert!(refusal.next.unwrap().contains("--note"));
}

#[test]
fn an_answer_without_a_verdict_is_asked_for_once_more() {
    let fixture = Fixture::new();
    fixture.write("work", "1");
    let count = fixture.beside("count");
    let count = count.display();
    with_reviewer(&fixture, &format!("echo x >> '{count}'; [ $(wc -l < '{count}') = 2 ] && {{ {PASS}; }}"));
    assert_eq!(review(&fixture).unwrap().tries, Some(2));
}

#[test]
fn no_verdict_shows_the_end_of_the_answer_and_records_nothing() {
    let fixture = reviewed_by("cat > /dev/null; seq 1000; echo the end; exit 3");
    let before = fixture.stored();
    let refusal = review(&fixture).unwrap_err();
    assert_eq!(refusal.code, codes::REVIEW_UNREADABLE);
    assert!(refusal.message.contains("twice"));
    assert!(refusal.facts.iter().any(|fact| fact.contains("exit code 3")), "{refusal:?}");
    assert!(refusal.facts.last().unwrap().contains("the end"));
    let shown: usize = refusal.facts.iter().map(String::len).sum();
    assert!(shown < 1200, "{refusal:?}");
    assert_eq!(fixture.stored(), before);
    let once = run(&fixture.session(), ID, &Request::Reviewer { retry: false }).unwrap_err();
    assert!(!once.message.contains("twice"));
}

#[test]
fn a_reviewer_that_only_repeats_its_prompt_gives_no_verdict() {
    let fixture = reviewed_by("cat");
    fixture.write("work", "{\"verdict\":\"pass\"}\n");
    assert_eq!(review(&fixture).unwrap_err().code, codes::REVIEW_UNREADABLE);
}

#[test]
fn an_answer_of_an_earlier_run_is_not_taken_for_this_ones() {
    let fixture = reviewed_by(PASS);
    review(&fixture).unwrap();
    with_reviewer(&fixture, "kill -9 $$");
    assert_eq!(review(&fixture).unwrap_err().code, codes::REVIEW_UNREADABLE);
    assert_eq!(fixture.stored()["reviews"].as_array().unwrap().len(), 1);
}

#[test]
fn a_missing_reviewer_is_not_called_again() {
    let fixture = Fixture::new();
    fixture.configure(json!({ "review": { "command": "no-such-reviewer-here" } }));
    fixture.write("work", "1");
    let refusal = review(&fixture).unwrap_err();
    assert!(!refusal.message.contains("twice") && refusal.facts[0].contains("127"), "{refusal:?}");
}

#[test]
fn a_tree_that_moves_under_the_reviewer_is_named_and_its_pass_is_stale() {
    let fixture = reviewed_by(&format!("{PASS}; echo moved >> work"));
    let reviewed = review(&fixture).unwrap();
    assert_eq!((reviewed.moved, reviewed.verdict.as_str()), (1, "pass"));
    assert_eq!(reviewed.moved_files, ["work"]);
    assert_eq!(staleness(&fixture), Staleness::ContentMoved);
}

#[test]
fn a_criterion_that_came_while_the_reviewer_ran_is_kept_and_the_pass_does_not_count() {
    let fixture = Fixture::new();
    fixture.write("work", "1");
    let later = fixture.beside("later.json");
    let spine = fixture.root.join(".chalk/tasks.json");
    with_reviewer(&fixture, &format!("{PASS}; cp '{}' '{}'", later.display(), spine.display()));
    fixture.task(json!({ "acceptanceCriteria": [{ "text": "adds" }, { "text": "subtracts" }] }));
    fs::rename(&spine, &later).unwrap();
    fixture.task(json!({}));
    let session = fixture.session();
    let reviewed = run(&session, ID, &Request::Reviewer { retry: true }).unwrap();
    assert_eq!((reviewed.verdict.as_str(), reviewed.exit()), ("stale", Exit::Refused));
    assert!(session.take_warnings().iter().any(|warning| warning.contains("while the reviewer ran")));
    let stored = fixture.stored();
    assert_eq!(stored["acceptanceCriteria"][1]["text"], "subtracts");
    assert_eq!(stored["reviews"][0]["verdict"], "stale");
    assert!(matches!(standing(&fixture), Standing::Stale { .. }));
}

#[test]
fn a_task_that_went_away_while_the_reviewer_ran_gets_no_review() {
    let fixture = Fixture::new();
    fixture.write("work", "1");
    let spine = fixture.root.join(".chalk/tasks.json");
    with_reviewer(&fixture, &format!("{PASS}; echo '[]' > '{}'", spine.display()));
    assert_eq!(review(&fixture).unwrap_err().code, codes::NOT_FOUND);
    assert_eq!(fs::read_to_string(spine).unwrap(), "[]\n");
}

#[test]
fn a_pass_lets_a_task_go_on_that_waits_for_review_and_for_nothing_else() {
    for (needs, verdict, state) in
        [("review", PASS, "in-progress"), ("review", BLOCK, "blocked"), ("creds", PASS, "blocked")]
    {
        let fixture = reviewed_by(verdict);
        fixture.task(json!({
            "state": "blocked", "blockedFrom": "in-progress",
            "block": { "needs": needs, "reason": "r", "at": "x" },
        }));
        let reviewed = review(&fixture).unwrap();
        assert_eq!(fixture.stored()["state"], state, "{needs}");
        assert_eq!(reviewed.unblocked, state != "blocked");
        assert_eq!(fixture.stored().get("block").is_some(), state == "blocked");
        assert_eq!(fixture.stored().get("blockedFrom").is_some(), state == "blocked");
    }
}

#[test]
fn a_review_by_hand_says_whose_hand() {
    let fixture = reviewed_by(PASS);
    let session = fixture.session();
    let request = Request::ByHand { note: "read it".into(), by: Some("Ada\nL".into()), block: false };
    let reviewed = run(&session, ID, &request).unwrap();
    assert!(session.take_warnings().iter().any(|warning| warning.contains("was not asked")));
    assert_eq!((reviewed.by.as_str(), reviewed.by_hand, reviewed.exit()), ("Ada L", true, Exit::Done));
    assert!(matches!(standing(&fixture), Standing::Pass { bound: true, by_hand: true, .. }));
    assert_eq!(by_hand(&fixture, None, true).unwrap().exit(), Exit::Blocked);
    let entries = fixture.stored()["reviews"].clone();
    assert_eq!((&entries[1]["by"], &entries[1]["note"]), (&json!("human"), &json!("read it")));
    fixture.git(&["config", "user.name", "Grace"]);
    assert_eq!(by_hand(&fixture, None, false).unwrap().by, "Grace");
    fixture.git(&["config", "user.name", "adversary"]);
    assert_eq!(by_hand(&fixture, None, false).unwrap().by, "human");
    assert_eq!(by_hand(&fixture, Some("Adversary"), false).unwrap_err().code, codes::USAGE);
}

#[test]
fn a_review_by_hand_needs_no_change_and_no_whole_history() {
    let fixture = Fixture::without_git();
    fixture.git(&["init", "-q", "-b", "main"]);
    fixture.commit("the spine alone");
    assert_eq!(by_hand(&fixture, None, false).unwrap().verdict, "pass");
    assert!(is_bound_pass(&standing(&fixture)));
}

#[cfg(unix)]
#[test]
fn the_reviewer_runs_in_the_tree_of_the_task() {
    let fixture = Fixture::new();
    let tree = fixture.beside("tree");
    fixture.git(&["worktree", "add", "-q", "-b", "feature", tree.to_str().unwrap()]);
    fs::write(tree.join("work"), "1").unwrap();
    fixture.task(json!({ "worktree": tree }));
    with_reviewer(&fixture, &format!("pwd >&2; ls >&2; {PASS}"));
    fixture.write("unrelated", "1");
    let reviewed = review(&fixture).unwrap();
    assert_eq!((reviewed.tree.path.as_path(), reviewed.files), (tree.as_path(), Some(1)));
}

#[test]
fn a_shallow_clone_is_not_reviewed_by_half() {
    let fixture = Fixture::new();
    fixture.git(&["checkout", "-q", "-b", "feature"]);
    for name in ["one", "two"] {
        fixture.write(name, "1");
        fixture.commit(name);
    }
    let mut clone = reviewed_by(PASS);
    let folder = clone.beside("clone");
    let url = format!("file://{}", fixture.root.display());
    clone.git(&["clone", "-q", "--depth", "1", "-b", "feature", &url, folder.to_str().unwrap()]);
    clone.root.clone_from(&folder);
    clone.world.cwd = folder;
    with_reviewer(&clone, PASS);
    assert_eq!(review(&clone).unwrap_err().code, codes::HISTORY_CUT);
    assert_eq!(by_hand(&clone, None, false).unwrap().base, None);
}

#[test]
fn a_review_made_in_a_linked_work_tree_counts_there_and_is_kept_in_the_one_spine() {
    let mut fixture = Fixture::new();
    let tree = fixture.beside("tree");
    fixture.git(&["worktree", "add", "-q", "-b", "feature", tree.to_str().unwrap()]);
    fs::write(tree.join("work"), "1").unwrap();
    with_reviewer(&fixture, PASS);
    let main = std::mem::replace(&mut fixture.world.cwd, tree.clone());
    assert_eq!(review(&fixture).unwrap().tree.path, tree);
    assert!(is_bound_pass(&standing(&fixture)));
    assert_eq!(fixture.stored()["reviews"][0]["verdict"], "pass");
    fixture.world.cwd = main;
    assert_eq!(staleness(&fixture), Staleness::ContentMoved, "the work is not in the main tree");
    assert_eq!(fixture.session().results().unwrap().last().unwrap().unwrap().kind, "review");
}

#[test]
fn work_in_a_submodule_is_part_of_what_was_judged() {
    let other = Fixture::new();
    let fixture = reviewed_by(PASS);
    fixture.git(&["submodule", "add", "-q", other.root.to_str().unwrap(), "lib"]);
    fixture.commit("submodule");
    fixture.write("lib/README", "edited in place\n");
    review(&fixture).unwrap();
    assert!(is_bound_pass(&standing(&fixture)));
    fixture.write("lib/README", "edited once more\n");
    assert_eq!(staleness(&fixture), Staleness::ContentMoved);
}

#[test]
fn a_repository_without_a_commit_and_a_detached_head_are_reviewed() {
    let fixture = Fixture::without_git();
    fixture.git(&["init", "-q", "-b", "main"]);
    with_reviewer(&fixture, PASS);
    fixture.write("work", "1");
    assert_eq!(review(&fixture).unwrap().base, None);
    assert!(is_bound_pass(&standing(&fixture)));
    fixture.commit("first");
    fixture.git(&["checkout", "-q", "--detach"]);
    assert!(is_bound_pass(&standing(&fixture)), "committing the same files changes nothing");
    fixture.write("work", "2");
    assert_eq!(review(&fixture).unwrap().files, Some(1));
}

#[test]
fn no_private_rule_keeps_a_file_from_the_reviewer_or_from_the_digest() {
    let fixture = Fixture::new();
    let seen = fixture.beside("seen");
    with_reviewer(&fixture, &format!("cat > {}; echo '{{\"verdict\":\"pass\"}}'", seen.display()));
    fs::write(fixture.root.join(".git/info/exclude"), "private\n").unwrap();
    fixture.write("private", "evil\n");
    let session = fixture.session();
    run(&session, ID, &Request::Reviewer { retry: false }).unwrap();
    let prompt = fs::read_to_string(seen).unwrap();
    assert!(prompt.contains("+evil\n") && prompt.contains("rule that is not committed"), "{prompt}");
    let named =
        |warning: &String| warning.contains("ignored by a private rule") && warning.contains("`private`");
    assert!(session.take_warnings().iter().any(named));
    fixture.write("private", "more evil\n");
    assert_eq!(staleness(&fixture), Staleness::ContentMoved);
}

#[test]
fn a_gate_can_not_hide_between_the_state_of_the_spine() {
    let fixture = reviewed_by(PASS);
    review(&fixture).unwrap();
    fixture.write(".chalk/plans/todo/01_add.plan.md", "x");
    assert!(is_bound_pass(&standing(&fixture)));
    fixture.write(".chalk/plans/todo/gate.mjs", "x");
    assert_eq!(staleness(&fixture), Staleness::ContentMoved);
}
