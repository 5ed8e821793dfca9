use crate::scratch::Scratch;

#[test]
fn every_cheat_is_refused() {
    let scratch = Scratch::empty();
    let ran = scratch.run(&["cairn", "demo"]);
    assert_eq!(ran.code, 0, "{}", ran.all());
    assert!(ran.out.contains("11 of 11 cheats refused"), "{}", ran.out);
}

#[test]
fn the_repository_can_be_kept() {
    let scratch = Scratch::empty();
    let ran = scratch.run(&["cairn", "demo", "--keep", "--json"]).ok();
    let told = ran.json();
    assert!(told["cheats"].as_u64().unwrap() >= 5);
    assert_eq!(told["cheats"], told["refused"]);
    let kept = std::path::PathBuf::from(told["kept"].as_str().unwrap());
    assert!(kept.join(".chalk/chalk.json").is_file());
    std::fs::remove_dir_all(kept.parent().unwrap()).unwrap();
}
