use super::*;
use crate::deploy::probe::Source;

struct Two {
    _folder: tempfile::TempDir,
    from: PathBuf,
    target: PathBuf,
    to: PathBuf,
}

fn two() -> Two {
    let folder = tempfile::tempdir().unwrap();
    let (from, target) = (folder.path().join("vault"), folder.path().join("project"));
    for name in
        ["Rules/a.md", "Rules/deep/b.md", "Lessons/l.md", "Research/r.md", "Templates/t.md", "Index.md"]
    {
        let path = from.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("# {name}\n")).unwrap();
    }
    fs::write(from.join(NOTE), "an older deployment\n").unwrap();
    fs::write(from.join("private.md"), "not part of it\n").unwrap();
    fs::create_dir(&target).unwrap();
    let to = target.join(super::super::VAULT);
    Two { _folder: folder, from, target, to }
}

fn go(two: &Two) -> Result<Seeded, SeedError> {
    let digest = digest(&two.from)?;
    let at = Timestamp::from_millis(1_796_083_200_000);
    let origin = Origin { path: "/w/vault", commit: Some("abc"), at, digest };
    seed(&two.from, &two.target, &two.to, &origin)
}

fn tree(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(at).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.push((path.clone(), fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

/// CV-6: the five parts are there, the source is as it was, and the origin is noted.
#[test]
fn a_vault_is_copied_and_its_source_stays() {
    let two = two();
    let before = tree(&two.from);
    let seeded = go(&two).unwrap();
    assert_eq!(tree(&two.from), before);
    assert_eq!(seeded, Seeded { files: 6, digest: digest(&two.from).unwrap() });
    assert_eq!(look(&two.to), Source { readable: true, missing: Vec::new() });
    let note = fs::read_to_string(two.to.join(NOTE)).unwrap();
    assert!(
        note.contains("source: `/w/vault`") && note.contains("commit: abc") && note.contains("2026-12-01")
    );
    assert!(!two.to.join("private.md").exists());
    let after = tree(&two.to);
    assert_eq!(go(&two).unwrap(), seeded, "twice is once");
    assert_eq!(tree(&two.to), after);
}

#[test]
fn what_is_missing_is_named() {
    let two = two();
    fs::remove_dir_all(two.from.join("Lessons")).unwrap();
    fs::remove_file(two.from.join("Index.md")).unwrap();
    assert_eq!(look(&two.from).missing, ["Lessons/", "Index.md"]);
    assert!(matches!(go(&two), Err(SeedError::Missing(part)) if part == "Lessons/"));
    assert!(!look(&two.from.join("nothing")).readable);
}

/// WS-008: what the source's project is called would make the target apply what is that project's alone.
#[test]
fn the_target_is_not_called_as_the_source_is() {
    for (index, becomes) in [
        ("---\nproject: source\n---\n# Knowledge\n", "# Knowledge\n"),
        ("---\nproject: source\nowner: us\n---\n# Knowledge\n", "---\nowner: us\n---\n# Knowledge\n"),
        ("---\r\nowner: us\r\nproject: source\r\n---\r\n# K\r\n", "---\nowner: us\n---\n# K\n"),
        ("---\nowner: us\n---\n# Knowledge\n", "---\nowner: us\n---\n# Knowledge\n"),
        ("---\nproject: [\n---\n", "---\nproject: [\n---\n"),
    ] {
        let two = two();
        fs::write(two.from.join("Index.md"), index).unwrap();
        go(&two).unwrap();
        assert_eq!(fs::read_to_string(two.to.join("Index.md")).unwrap(), becomes);
        fs::write(two.to.join("Index.md"), "---\nproject: target\n---\n# Mine\n").unwrap();
        go(&two).unwrap();
        let kept = fs::read_to_string(two.to.join("Index.md")).unwrap();
        assert!(kept.contains("project: target"), "an index that is there is the target's own");
    }
}

#[test]
fn other_files_of_the_target_are_kept_and_named() {
    let two = two();
    fs::create_dir_all(two.to.join("Rules")).unwrap();
    fs::write(two.to.join("Rules/a.md"), "mine\n").unwrap();
    let before = tree(&two.target);
    assert!(matches!(go(&two), Err(SeedError::Conflicts(files)) if files == ["Rules/a.md"]));
    assert_eq!(tree(&two.target), before, "nothing is written");
    fs::rename(two.to.join("Rules/a.md"), two.to.join("Rules/mine.md")).unwrap();
    go(&two).unwrap();
    assert_eq!(fs::read(two.to.join("Rules/mine.md")).unwrap(), b"mine\n");
}

#[test]
fn a_source_that_moved_is_not_copied() {
    let two = two();
    let origin =
        Origin { path: "x", commit: None, at: Timestamp::from_millis(0), digest: Sha256::of("before") };
    assert!(matches!(seed(&two.from, &two.target, &two.to, &origin), Err(SeedError::Moved)));
    assert!(!two.to.exists());
}

#[test]
fn a_vault_is_not_copied_into_itself() {
    let two = two();
    let digest = digest(&two.from).unwrap();
    let origin = Origin { path: "x", commit: None, at: Timestamp::from_millis(0), digest };
    let inside = two.from.join(super::super::VAULT);
    assert!(matches!(seed(&two.from, &two.from, &inside, &origin), Err(SeedError::Within)));
}

#[test]
#[cfg(unix)]
fn links_are_refused_on_both_sides() {
    let link = |two: &Two, at: &Path| std::os::unix::fs::symlink(two.from.join("private.md"), at).unwrap();
    let source = two();
    link(&source, &source.from.join("Rules/link.md"));
    assert!(matches!(go(&source), Err(SeedError::Odd(path)) if path.ends_with("Rules/link.md")));
    assert!(!source.to.exists());
    let target = two();
    fs::create_dir_all(target.to.join("Rules")).unwrap();
    link(&target, &target.to.join("Rules/a.md"));
    assert!(matches!(go(&target), Err(SeedError::File(_))));
    assert_eq!(fs::read(target.from.join("private.md")).unwrap(), b"not part of it\n");
}

/// Credentials went from the source vault into the target's.
#[test]
fn a_file_that_holds_a_secret_is_not_copied() {
    let two = two();
    let secret = format!("# How to\n\npassword = \"{}\"\n", "kX9vQ2mL7pRt4wZs");
    fs::write(two.from.join("Lessons/l.md"), &secret).unwrap();
    let error = go(&two).unwrap_err();
    let obstacle = error.obstacle(&two.from);
    assert_eq!(obstacle.check, CheckId::Content);
    assert!(obstacle.what.contains("Lessons/l.md") && obstacle.what.contains("line 3"), "{}", obstacle.what);
    assert!(!obstacle.what.contains("kX9v"), "what is kept from the target is kept from the report too");
    assert!(!two.to.exists());
    // What lies there already is written nowhere.
    fs::create_dir_all(two.to.join("Lessons")).unwrap();
    fs::write(two.to.join("Lessons/l.md"), &secret).unwrap();
    go(&two).unwrap();
}

/// Each was found only when the files were written, one at a time.
#[test]
#[cfg(unix)]
fn a_survey_names_all_that_is_in_the_way() {
    let two = two();
    fs::create_dir_all(two.to.join("Rules")).unwrap();
    fs::write(two.to.join("Rules/a.md"), "mine\n").unwrap();
    fs::write(two.to.join("Lessons"), "a file\n").unwrap();
    fs::create_dir_all(two.to.join("Research/DEPLOYMENT.md")).unwrap();
    std::os::unix::fs::symlink("nowhere", two.from.join("Rules/link.md")).unwrap();
    std::os::unix::fs::symlink("nowhere", two.from.join("Templates/link.md")).unwrap();
    let before = tree(&two.target);
    let errors = survey(&two.from, &two.target, &two.to).unwrap_err();
    let above = two.target.parent().unwrap().to_str().unwrap();
    let told = |error: &SeedError| {
        let Obstacle { check, what, how } = error.obstacle(&two.from);
        assert!(!how.is_empty());
        format!("{}: {}", check.as_str(), what.replace(above, ""))
    };
    let mut found: Vec<String> = errors.iter().map(told).collect();
    found.sort();
    assert_eq!(
        found,
        [
            "DP-007: `/vault/Rules/link.md` is a link, or nothing that is copied; a vault holds files and folders",
            "DP-007: `/vault/Templates/link.md` is a link, or nothing that is copied; a vault holds files and folders",
            "DP-008: cannot create `/project/.governance/vault/Lessons`: a file is in the way",
            "DP-008: cannot write `/project/.governance/vault/Research/DEPLOYMENT.md`: it is a folder",
            "DP-008: the target's vault has other files of these names: Rules/a.md",
        ]
    );
    assert_eq!(tree(&two.target), before);
}

#[test]
fn a_survey_is_what_is_copied() {
    let two = two();
    let survey = survey(&two.from, &two.target, &two.to).unwrap();
    assert_eq!(survey.missing.len(), 6);
    go(&two).unwrap();
    for (name, content) in &survey.missing {
        assert_eq!(&fs::read(two.to.join(name)).unwrap(), content);
    }
    assert!(super::survey(&two.from, &two.target, &two.to).unwrap().missing.is_empty());
}
