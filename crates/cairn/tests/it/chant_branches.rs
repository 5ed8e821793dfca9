//! Records on several branches and in several clones.

use serde_json::json;

use crate::scratch::Scratch;
use crate::workspace::{note, notes};

fn write_new(
    scratch: &Scratch,
    dir: &std::path::Path,
    title: &str,
    prefix: Option<&str>,
) -> serde_json::Value {
    std::fs::write(dir.join("fields.json"), json!({ "title": title, "state": "proposed" }).to_string())
        .unwrap();
    let mut args = vec!["chant", "workspace", "records", "new", "note", "--from", "fields.json"];
    args.extend(prefix.iter().flat_map(|prefix| ["--prefix", prefix]));
    let made = scratch.run_in(dir, &args).ok().json();
    std::fs::remove_file(dir.join("fields.json")).unwrap();
    made
}

/// Notes whose ids may have any prefix.
fn any_prefix() -> Scratch {
    let scratch = notes();
    let kind = scratch.read("notes/note.kind.mjs").replace("^n-[0-9]{3,}", "^[a-z]+-[0-9]{3,}");
    scratch.write("notes/note.kind.mjs", kind);
    scratch.commit("any prefix");
    scratch
}

#[test]
fn two_clones_that_take_one_number_are_told_and_cured() {
    let scratch = any_prefix();
    scratch.git(&["clone", "-q", ".", "../other"]);
    let other = scratch.root().parent().unwrap().join("other");
    let mine = write_new(&scratch, &scratch.root(), "Mine", None);
    scratch.commit("mine");
    let theirs = write_new(&scratch, &other, "Theirs", None);
    assert_eq!((&mine["id"], &theirs["id"]), (&json!("n-003"), &json!("n-003")));
    scratch.git_in(&other, &["add", "-A"]);
    scratch.git_in(&other, &["commit", "-qm", "theirs"]);
    scratch.git(&["pull", "-q", "--no-rebase", "--no-edit", "../other", "main"]);

    let shown = scratch.run(&["chant", "workspace", "records"]).ok();
    assert!(
        shown.out.contains("record-id-duplicate: notes/n-003-mine.md already has the id n-003"),
        "{}",
        shown.out
    );
    assert!(shown.out.contains("--prefix"), "{}", shown.out);
    let listed = scratch.run(&["chant", "workspace", "records", "--json"]).ok().json();
    let second = &listed["kinds"][0]["records"][3];
    assert_eq!(second["path"], "notes/n-003-theirs.md");
    assert_eq!(second["reasons"][0]["code"], "record-id-duplicate");
    // Nobody guesses which of the two is meant to go on: a write goes to the first, and the next id is a free one.
    assert_eq!(write_new(&scratch, &scratch.root(), "Next", None)["id"], "n-004");

    // The cure: their text again under a prefix of its own, and the file with the number taken removed.
    assert_eq!(write_new(&scratch, &scratch.root(), "Theirs", Some("other"))["id"], "other-001");
    std::fs::remove_file(scratch.path("notes/n-003-theirs.md")).unwrap();
    let listed = scratch.run(&["chant", "workspace", "records", "--json"]).ok().json();
    assert_eq!(listed["kinds"][0]["summary"]["invalid"], 0, "{listed:#}");
}

#[test]
fn clones_with_prefixes_of_their_own_never_meet() {
    let scratch = any_prefix();
    scratch.git(&["clone", "-q", ".", "../other"]);
    let other = scratch.root().parent().unwrap().join("other");
    for title in ["One", "Two"] {
        write_new(&scratch, &scratch.root(), title, Some("ada"));
        write_new(&scratch, &other, title, Some("bob"));
    }
    scratch.commit("ada");
    scratch.git_in(&other, &["add", "-A"]);
    scratch.git_in(&other, &["commit", "-qm", "bob"]);
    scratch.git(&["pull", "-q", "--no-rebase", "--no-edit", "../other", "main"]);
    let listed = scratch.run(&["chant", "workspace", "records", "--json"]).ok().json();
    let ids: Vec<&str> = listed["kinds"][0]["records"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|record| record["valid"] == true)
        .map(|record| record["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["ada-001", "ada-002", "bob-001", "bob-002", "n-001", "n-002"]);
}

/// A record on two branches is one record in two states, and each tree shows its own.
#[test]
fn a_record_on_two_branches_is_shown_as_each_has_it() {
    let scratch = notes();
    scratch.git(&["worktree", "add", "-q", "../linked", "-b", "feature"]);
    let linked = scratch.root().parent().unwrap().join("linked");
    std::fs::write(linked.join("set.json"), r#"{ "state": "ratified", "reviews": [] }"#).unwrap();
    std::fs::write(linked.join("notes/n-001.md"), "---\nid: n-001\ntitle: t\nstate: proposed\n---\n")
        .unwrap();
    scratch.git_in(&linked, &["commit", "-qam", "proposed again"]);
    let state = |dir: &std::path::Path, more: &[&str]| {
        let listed =
            scratch.run_in(dir, &[&["chant", "workspace", "records", "--json"], more].concat()).ok().json();
        let record = listed["kinds"][0]["records"][0].clone();
        assert_eq!((&record["id"], &record["reasons"]), (&json!("n-001"), &json!([])));
        record["state"].clone()
    };
    assert_eq!(state(&linked, &[]), "proposed");
    assert_eq!(state(&scratch.root(), &[]), "decided");
    assert_eq!(state(&scratch.root(), &["--at", "feature"]), "proposed");
    scratch.git(&["merge", "-q", "feature"]);
    assert_eq!(state(&scratch.root(), &[]), "proposed");
}

#[test]
fn a_write_after_a_pull_adds_its_own_file_alone() {
    let scratch = notes();
    scratch.git(&["clone", "-q", ".", "../other"]);
    let other = scratch.root().parent().unwrap().join("other");
    for n in 0..8 {
        write_new(&scratch, &other, &format!("Theirs {n}"), None);
    }
    scratch.git_in(&other, &["add", "-A"]);
    scratch.git_in(&other, &["commit", "-qm", "eight"]);
    scratch.run(&["chant", "workspace", "records", "--json"]).ok();
    scratch.git(&["pull", "-q", "../other", "main"]);
    let made = write_new(&scratch, &scratch.root(), "After the pull", None);
    assert_eq!(made["id"], "n-011");
    assert_eq!(scratch.git(&["status", "--porcelain"]), "?? notes/n-011-after-the-pull.md\n");
}

/// Records that are ignored or deleted are no empty set.
#[test]
fn records_that_are_gone_are_named() {
    let scratch = notes();
    scratch.git(&["rm", "-q", "-r", "--cached", "notes"]);
    scratch.write(".gitignore", "notes\n");
    for name in ["n-001.md", "n-002.md"] {
        std::fs::remove_file(scratch.path("notes").join(name)).unwrap();
    }
    let listed = scratch.run(&["chant", "workspace", "records", "--json"]).ok().json();
    assert_eq!(listed["kinds"][0]["checkout"]["deleted"], json!(["notes/n-001.md", "notes/n-002.md"]));
    std::fs::rename(scratch.path("notes"), scratch.path("elsewhere")).unwrap();
    scratch.run(&["chant", "workspace", "records", "--json"]).refused(1, "kind-unreadable");
    note(&scratch, "n-001", "decided", "");
    scratch.run(&["chant", "workspace", "records", "--json"]).refused(1, "kind-unreadable");
}

/// Another program holds git's index: reads and writes need it not, and nothing looks unchanged for that.
#[test]
fn a_held_index_hides_no_change() {
    let scratch = notes();
    note(&scratch, "n-001", "proposed", "");
    note(&scratch, "n-003", "proposed", "");
    std::fs::write(scratch.path(".git/index.lock"), "").unwrap();
    let states = || {
        let listed = scratch.run(&["chant", "workspace", "records", "--json"]).ok().json();
        let records = listed["kinds"][0]["records"].as_array().unwrap().clone();
        records.iter().map(|record| record["worktree"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(states(), ["modified", "committed", "new"]);
    write_new(&scratch, &scratch.root(), "Another", None);
    assert_eq!(states(), ["modified", "committed", "new", "new"]);
    assert!(scratch.path(".git/index.lock").exists());
}
