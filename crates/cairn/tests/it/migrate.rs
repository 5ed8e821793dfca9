use serde_json::json;

use crate::scratch::Scratch;

#[test]
fn a_spine_of_schema_1_0_is_brought_to_1_1_after_a_copy() {
    let scratch = Scratch::chalk();
    let before = (scratch.read(".chalk/chalk.json"), scratch.read(".chalk/tasks.json"));
    let spine = scratch.spine();
    let ran = scratch.run(&["chalk", "migrate", "--dry-run"]);
    insta::assert_snapshot!(ran.all(), @r#"
    exit 0
    --- out
    would migrate from schema 1.0 to 1.1
      `version` becomes "1.1"
      `writerVersion` is added as "0.3.0"
      the files are copied first; nothing was written
      hint: programs before 0.3.0 refuse the spine from then on
    --- err
    "#);
    assert_eq!(scratch.spine(), spine);
    let ran = scratch.run(&["chalk", "migrate"]);
    insta::assert_snapshot!(ran.all(), @r#"
    exit 0
    --- out
    ✓ migrated from schema 1.0 to 1.1
      `version` becomes "1.1"
      `writerVersion` is added as "0.3.0"
      the files as they were are in `.chalk/backups/2026-12-01T00-00-03-000Z`
      hint: programs before 0.3.0 refuse the spine from then on
    --- err
    "#);
    let config = scratch.json(".chalk/chalk.json");
    assert_eq!((&config["version"], &config["writerVersion"]), (&json!("1.1"), &json!("0.3.0")));
    let backup = ".chalk/backups/2026-12-01T00-00-03-000Z";
    assert_eq!(scratch.read(&format!("{backup}/chalk.json")), before.0);
    assert_eq!(scratch.read(&format!("{backup}/tasks.json")), before.1);
    assert!(scratch.read(".chalk/decisions.md").contains("## Migrated the spine from schema 1.0 to 1.1"));
    let spine = scratch.spine();
    let ran = scratch.run(&["chalk", "migrate"]).ok();
    assert!(ran.out.contains("nothing to do"), "{}", ran.out);
    assert_eq!(scratch.spine(), spine);
}

#[test]
fn an_existing_stamp_stays() {
    let scratch = Scratch::chalk();
    let mut config = scratch.json(".chalk/chalk.json");
    config["writerVersion"] = json!("0.2.9");
    scratch.write(".chalk/chalk.json", canon::json::pretty(&config));
    let ran = scratch.run(&["chalk", "migrate", "--json"]).ok();
    assert_eq!(ran.json()["steps"], json!(["`version` becomes \"1.1\""]));
    assert_eq!(scratch.json(".chalk/chalk.json")["writerVersion"], "0.2.9");
}

#[test]
fn an_unknown_schema_is_left_alone() {
    let scratch = Scratch::chalk();
    scratch.configure("/version", json!("0.4"));
    let before = scratch.spine();
    scratch.run(&["chalk", "migrate"]).refused(1, "no migration starts from schema 0.4");
    assert_eq!(scratch.spine(), before);
}
