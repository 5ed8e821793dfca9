use crate::scratch::Scratch;

#[test]
fn a_skill_is_a_file_with_a_safe_name() {
    let scratch = Scratch::chalk();
    let ran =
        scratch.run(&["chalk", "skill", "add", "../Run the Tests", "# Running tests\n\nUse `cargo test`."]);
    insta::assert_snapshot!(ran.all(), @"
    exit 0
    --- out
    ✓ kept: run-the-tests  Running tests
      .chalk/skills/run-the-tests.md
    --- err
    ");
    assert_eq!(scratch.read(".chalk/skills/run-the-tests.md"), "# Running tests\n\nUse `cargo test`.\n");
    scratch.write("how-to.md", "\n## Deploy\r\nwith care\r\n");
    scratch.run(&["chalk", "skill", "add", "deploy", "--from", "how-to.md"]).ok();
    insta::assert_snapshot!(scratch.run(&["chalk", "skill"]).all(), @"
    exit 0
    --- out
    deploy  Deploy
    run-the-tests  Running tests
    --- err
    ");
    assert!(scratch.read(".chalk/updates.jsonl").contains("Skill added: deploy"));
}

#[test]
fn nothing_is_overwritten_in_whatever_case() {
    let scratch = Scratch::plain();
    scratch.write(".chalk/skills/Deploy.md", "mine\n");
    let before = scratch.spine();
    let ran = scratch.run(&["chalk", "skill", "add", "deploy", "other"]).refused(1, "name-taken");
    insta::assert_snapshot!(ran.all(), @"
    exit 1
    --- out
    --- err
    ✗ there is a skill `Deploy` already (name-taken)
      at: [root]/.chalk/skills/Deploy.md
      hint: edit that file, or choose another name; nothing was changed
    ");
    assert_eq!(scratch.spine(), before);
}

#[test]
fn a_skill_without_name_or_text_is_refused() {
    let scratch = Scratch::chalk();
    let before = scratch.spine();
    scratch.run(&["chalk", "skill", "add", "..", "text"]).refused(1, "makes no file name");
    scratch.run(&["chalk", "skill", "add", "x"]).refused(1, "usage");
    scratch.run(&["chalk", "skill", "add", "x", " "]).refused(1, "empty");
    scratch.run(&["chalk", "skill", "add", "x", "--from", "gone.md"]).refused(1, "gone.md");
    scratch.run(&["chalk", "skill", "add", "x", "y", "--from", "gone.md"]).refused(1, "usage");
    scratch.write("blank.md", "\n");
    scratch.run(&["chalk", "skill", "add", "x", "--from", "blank.md"]).refused(1, "is empty");
    scratch.write("latin1.md", b"\xe4");
    scratch.run(&["chalk", "skill", "add", "x", "--from", "latin1.md"]).refused(1, "not UTF-8");
    assert_eq!(scratch.spine(), before);
    scratch.write(".chalk/held-out/h1.test.mjs", "secret\n");
    for path in
        [".chalk/held-out/h1.test.mjs", "./.chalk/../.chalk/held-out/h1.test.mjs", ".chalk/chalk.json"]
    {
        scratch.run(&["chalk", "skill", "add", "x", "--from", path]).refused(1, "is not for a context");
    }
}

#[test]
#[cfg(unix)]
fn a_linked_skill_is_passed_over_and_named() {
    let scratch = Scratch::chalk();
    scratch.write("secret", "secret text");
    std::fs::create_dir_all(scratch.path(".chalk/skills")).unwrap();
    std::os::unix::fs::symlink("../../secret", scratch.path(".chalk/skills/leak.md")).unwrap();
    let ran = scratch.run(&["chalk", "skill"]).ok();
    assert!(ran.err.contains("`leak` is passed over"), "{}", ran.all());
    let context = scratch.run(&["chalk", "context"]).ok();
    assert!(!context.out.contains("secret text"));
}
