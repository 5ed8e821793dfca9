use serde_json::json;

use crate::scratch::Scratch;

#[test]
fn a_lesson_is_one_bullet_and_an_event() {
    let scratch = Scratch::chalk();
    let ran = scratch.run(&[
        "chalk",
        "lesson",
        "add",
        "Test the empty state,\nnot only the happy path",
        "--by",
        "Ada",
    ]);
    insta::assert_snapshot!(ran.all(), @"
    exit 0
    --- out
    ✓ kept: Test the empty state, not only the happy path  (Ada, 2026-12-01)
    --- err
    ");
    insta::assert_snapshot!(scratch.read(".chalk/lessons.md"), @"- Test the empty state, not only the happy path  _(Ada, 2026-12-01)_");
    let log = scratch.read(".chalk/updates.jsonl");
    assert!(
        log.lines().last().unwrap().contains("\"type\":\"lesson-learned\",\"title\":\"Lesson learned\""),
        "{log}"
    );
}

#[test]
fn the_same_lesson_is_not_kept_twice() {
    let scratch = Scratch::plain();
    scratch.run(&["chalk", "lesson", "add", "once"]).ok();
    let before = scratch.spine();
    let ran = scratch.run(&["chalk", "lesson", "add", "once", "--json"]).ok();
    assert_eq!(ran.json()["known"], true);
    assert_eq!(scratch.spine(), before);
}

#[test]
fn lists_are_bounded_and_newest_first() {
    let scratch = Scratch::chalk();
    insta::assert_snapshot!(scratch.run(&["chalk", "lesson"]).all(), @"
    exit 0
    --- out
    no lessons yet
    --- err
    ");
    let lines: Vec<String> = (1..=20).map(|n| format!("- lesson {n}  _(retro, 2026-06-25)_")).collect();
    scratch.write(".chalk/lessons.md", format!("# Lessons\n\n{}\n- by hand", lines.join("\n")));
    insta::assert_snapshot!(scratch.run(&["chalk", "lesson"]).all(), @"
    exit 0
    --- out
    - by hand
    - lesson 20  (retro, 2026-06-25)
    - lesson 19  (retro, 2026-06-25)
    - lesson 18  (retro, 2026-06-25)
    - lesson 17  (retro, 2026-06-25)
    - lesson 16  (retro, 2026-06-25)
    - lesson 15  (retro, 2026-06-25)
    - lesson 14  (retro, 2026-06-25)
    - lesson 13  (retro, 2026-06-25)
    - lesson 12  (retro, 2026-06-25)
    - lesson 11  (retro, 2026-06-25)
    - lesson 10  (retro, 2026-06-25)
    - lesson 9  (retro, 2026-06-25)
    - lesson 8  (retro, 2026-06-25)
    - lesson 7  (retro, 2026-06-25)
    and 6 older ones (`--all`)
    --- err
    ");
    let all = scratch.run(&["chalk", "lesson", "list", "--all", "--json"]).ok().json();
    assert_eq!(all["lessons"].as_array().unwrap().len(), 21);
    assert_eq!(all["lessons"][0], json!({ "text": "by hand" }));
    // A last line without its end is not run together with the next one.
    scratch.run(&["chalk", "lesson", "add", "after"]).ok();
    assert!(scratch.read(".chalk/lessons.md").contains("- by hand\n- after  _(agent, 2026-12-01)_\n"));
}

#[test]
fn a_crlf_file_stays_crlf() {
    let scratch = Scratch::chalk();
    scratch.write(".chalk/lessons.md", "- one  _(retro, 2026-06-25)_\r\n");
    scratch.run(&["chalk", "lesson", "add", "two"]).ok();
    let text = scratch.read(".chalk/lessons.md");
    assert_eq!(text, "- one  _(retro, 2026-06-25)_\r\n- two  _(agent, 2026-12-01)_\r\n");
}

#[test]
fn a_lesson_that_says_nothing_is_refused() {
    let scratch = Scratch::chalk();
    let before = scratch.spine();
    scratch.run(&["chalk", "lesson", "add", " \u{200b}"]).refused(1, "empty");
    scratch.run(&["chalk", "lesson", "add"]).refused(1, "usage");
    scratch.run(&["chalk", "lesson", "add", "x", "--by"]).refused(1, "--by");
    scratch.run(&["chalk", "lesson", "drop"]).refused(1, "usage");
    assert_eq!(scratch.spine(), before);
}
