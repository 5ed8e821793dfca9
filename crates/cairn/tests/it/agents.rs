use std::fs;

use crate::scratch::Scratch;

const BEGIN: &str = "<!-- chalk:begin (managed by `chalk agents` — edits inside are overwritten) -->";
const END: &str = "<!-- chalk:end -->";

#[test]
fn the_contract_goes_into_both_files_and_a_second_run_changes_no_byte() {
    let scratch = Scratch::chalk();
    scratch.write("CLAUDE.md", "# House rules\n\nTabs.\n");
    insta::assert_snapshot!(scratch.run(&["chalk", "agents"]).all(), @"
    exit 0
    --- out
    ✓ AGENTS.md  created
    ✓ CLAUDE.md  updated
    --- err
    ");
    insta::assert_snapshot!(scratch.read("CLAUDE.md"), @r#"
    # House rules

    Tabs.

    <!-- chalk:begin (managed by `chalk agents` — edits inside are overwritten) -->
    ## How work goes on here

    The state of this project lies in `.chalk/`, and gates decide whether a task moves on. Begin each turn with
    `chalk next`: it names the one step that comes next, with its command.

    1. Read `chalk context ID`. Don't work from memory.
    2. Start with `chalk start ID`. It is refused without acceptance criteria: `chalk spec ID --criterion "..."`.
    3. Work on that task alone, with your own tools. Locked tests are read-only; one that is wrong is changed with
       a reason: `chalk amend-spec ID --test PATH --why "..."`.
    4. Verify with `chalk verify` until it is green. The toolchain decides, not your own view of the work.
    5. Finish with `chalk done ID`. Where a review has to come first, it is `chalk review ID`.
    6. Write down what the next one needs to know: `chalk update "..."`, `chalk decision "..." --why "..."`, `chalk question add "..."`.

    - `.chalk/spec.md` is yours to edit. Everything else in `.chalk/` changes through commands only.
    - The held-out tests are not for you: don't look for them, don't read them.
    - A refused command says why, and which command comes next. Going round a gate is never the next step.
    - What you can't go on without, say with `chalk block ID --needs decision --reason "..."`.
    <!-- chalk:end -->
    "#);
    let files = [scratch.read("AGENTS.md"), scratch.read("CLAUDE.md")];
    insta::assert_snapshot!(scratch.run(&["chalk", "agents"]).all(), @"
    exit 0
    --- out
    ✓ AGENTS.md  up to date
    ✓ CLAUDE.md  up to date
    --- err
    ");
    assert_eq!(files, [scratch.read("AGENTS.md"), scratch.read("CLAUDE.md")]);
    assert!(!scratch.path("GEMINI.md").exists());
}

#[test]
fn commands_are_named_as_the_caller_types_them() {
    let scratch = Scratch::chalk();
    scratch.run(&["cairn", "agents", "--json"]).ok();
    let text = scratch.read("AGENTS.md");
    assert!(text.contains("`cairn next`") && text.contains("`cairn chalk block ID"), "{text}");
    assert!(text.starts_with(BEGIN), "the marker is the same for every implementation");
}

#[test]
fn a_stray_begin_marker_never_deletes_user_text() {
    let scratch = Scratch::chalk();
    let text = format!("# Mine\n{BEGIN}\nmy text\n");
    scratch.write("AGENTS.md", &text);
    for _ in 0..2 {
        let ran = scratch.run(&["chalk", "agents"]).refused(1, "block-damaged");
        insta::allow_duplicates! { insta::assert_snapshot!(ran.all(), @"
        exit 1
        --- out
        --- err
        ✗ the markers of the managed block are damaged: `AGENTS.md` line 2: a block begins that never ends (block-damaged)
          at: [root]/AGENTS.md:2
          hint: take the stray marker line out by hand, then run the command again; no file was changed
          next: chalk agents
        "); }
    }
    assert_eq!(scratch.read("AGENTS.md"), text);
    assert!(!scratch.path("CLAUDE.md").exists(), "no file changes unless all can");
    scratch.write("AGENTS.md", format!("{END}\nmine\n{BEGIN}\n"));
    let refused = scratch.run(&["chalk", "agents", "--json"]).refused(1, "block-damaged").json();
    assert_eq!(refused["error"]["at"]["line"], 1);
}

#[test]
fn a_crlf_file_stays_crlf_outside_and_inside_the_block() {
    let scratch = Scratch::chalk();
    scratch.write("AGENTS.md", "# Mine\r\n\r\nkept\r\n");
    scratch.run(&["chalk", "agents"]).ok();
    let text = scratch.read("AGENTS.md");
    assert!(text.starts_with("# Mine\r\n\r\nkept\r\n\r\n<!-- chalk:begin"));
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
    scratch.run(&["chalk", "agents"]).ok();
    assert_eq!(scratch.read("AGENTS.md"), text);
    // What an implementation that knew no CRLF leaves in such a file is mended, not doubled.
    let block = text.replace("\r\n", "\n");
    let block = &block[block.find("<!-- chalk:begin").unwrap()..];
    scratch.write("AGENTS.md", format!("# Mine\r\n\r\nkept\r\n\r\n{block}"));
    scratch.run(&["chalk", "agents"]).ok();
    assert_eq!(scratch.read("AGENTS.md").matches("chalk:begin").count(), 1);
}

#[test]
#[cfg(unix)]
fn a_linked_file_is_not_written_through() {
    let scratch = Scratch::chalk();
    std::os::unix::fs::symlink("AGENTS.md", scratch.path("CLAUDE.md")).unwrap();
    let ran = scratch.run(&["chalk", "agents"]).ok();
    insta::assert_snapshot!(ran.all(), @"
    exit 0
    --- out
    ✓ AGENTS.md  created
    ✓ CLAUDE.md  a symbolic link to `AGENTS.md`, which has the contract
    --- err
    ");
    assert!(fs::symlink_metadata(scratch.path("CLAUDE.md")).unwrap().is_symlink());
    assert_eq!(scratch.read("AGENTS.md").matches("chalk:begin").count(), 1);
}

#[test]
fn a_definition_that_was_edited_is_kept_shown_and_refused() {
    let scratch = Scratch::chalk();
    scratch.run(&["chalk", "agents", "--claude"]).ok();
    let path = ".claude/agents/chalk-reviewer.md";
    let edited = scratch.read(path).replace("name: chalk-reviewer", "name: chalk-Reviewer");
    scratch.write(path, &edited);
    let ran = scratch.run(&["chalk", "agents", "--claude"]);
    insta::assert_snapshot!(ran.all(), @"
    exit 1
    --- out
    --- err
    ✓ AGENTS.md  up to date
    ✓ CLAUDE.md  up to date
    ✓ .claude/agents/chalk-executor.md  up to date
    ✓ .claude/agents/chalk-planner.md  up to date
    ✗ .claude/agents/chalk-reviewer.md  changed by hand, so it was kept; delete it to get the program's
      @ line 2
      - name: chalk-Reviewer
      + name: chalk-reviewer
    ");
    assert_eq!(scratch.read(path), edited);
    scratch.run(&["chalk", "agents", "--claude", "--json"]).refused(1, "kept");
}

#[test]
fn a_folder_without_git_gets_the_contract_and_one_without_a_spine_does_not() {
    let scratch = Scratch::plain();
    scratch.run(&["chalk", "agents", "--claude"]).ok();
    assert!(scratch.path("AGENTS.md").exists());
    let empty = Scratch::empty();
    empty.run(&["chalk", "agents"]).refused(1, "no-spine");
    assert!(!empty.path("AGENTS.md").exists());
}

#[test]
fn a_block_of_the_node_implementation_is_replaced_in_place() {
    let scratch = Scratch::chalk();
    scratch.write("AGENTS.md", format!("before\n\n{BEGIN}\n# Its words\n{END}\n\nafter\n"));
    scratch.run(&["chalk", "agents"]).ok();
    let text = scratch.read("AGENTS.md");
    assert!(
        text.starts_with(&format!("before\n\n{BEGIN}\n")) && text.ends_with(&format!("{END}\n\nafter\n"))
    );
    assert!(!text.contains("Its words"));
}

/// The knowledge has a block of its own in AGENTS.md: of two that rewrite it at once, one lost what the other wrote.
#[test]
fn the_contract_waits_while_the_knowledge_writes_its_block() {
    let scratch = Scratch::chalk();
    let state = scratch.govern();
    fs::create_dir_all(&state).unwrap();
    let guard = govern::knowledge::vault::alone(&state).unwrap();
    let mut child = crate::race::spawn(&scratch, &["agents"]);
    std::thread::sleep(std::time::Duration::from_millis(700));
    assert!(child.try_wait().unwrap().is_none() && !scratch.path("AGENTS.md").exists());
    drop(guard);
    assert!(child.wait().unwrap().success());
    assert!(scratch.read("AGENTS.md").contains(BEGIN));
}
