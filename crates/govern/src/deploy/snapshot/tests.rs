use super::*;

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Everything below a folder but the deployment's own files and the snapshot.
fn tree(target: &Path) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    let mut found = Vec::new();
    let mut open = vec![target.to_owned()];
    while let Some(at) = open.pop() {
        for path in entries(&at).unwrap() {
            if is_own_file(&path, &target.join(FOLDER)) || path.ends_with(NAME) {
                continue;
            }
            if path.is_dir() {
                open.push(path.clone());
                found.push((path, None));
            } else {
                found.push((path.clone(), Some(fs::read(&path).unwrap())));
            }
        }
    }
    found.sort();
    found
}

struct Place {
    folder: tempfile::TempDir,
    others: Vec<PathBuf>,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().to_owned();
        write(&top.join(".governance/policy.json"), "{}\n");
        write(&top.join(".governance/vault/Rules/mine.md"), "mine\n");
        write(&top.join(".governance/deploy-state.json"), "the state before\n");
        write(&top.join("AGENTS.md"), "# Mine\r\n");
        let others = vec![top.join("AGENTS.md"), top.join(".claude/settings.json"), top.join("a/b/c.json")];
        Self { folder, others }
    }

    fn scope(&self) -> Scope<'_> {
        Scope { target: self.folder.path(), others: &self.others }
    }

    fn spoil(&self) {
        let top = self.folder.path();
        write(&top.join(".governance/policy.json"), "{ \"changed\": 1 }\n");
        fs::remove_file(top.join(".governance/vault/Rules/mine.md")).unwrap();
        write(&top.join(".governance/vault/Rules/new/other.md"), "new\n");
        write(&top.join(".governance/deploy-state.json"), "the state after\n");
        write(&top.join("AGENTS.md"), "# Other\n");
        write(&top.join(".claude/settings.json"), "{}\n");
        write(&top.join("a/b/c.json"), "{}\n");
    }
}

#[test]
fn everything_is_brought_back_to_the_byte() {
    let place = Place::new();
    let before = tree(place.folder.path());
    let digest = place.scope().take().unwrap();
    assert_eq!(tree(place.folder.path()), before);
    place.spoil();
    assert_ne!(tree(place.folder.path()), before);
    for _ in 0..2 {
        place.scope().restore(digest).unwrap();
        assert_eq!(tree(place.folder.path()), before, "with the folders that were made");
    }
    let state = fs::read_to_string(place.folder.path().join(".governance/deploy-state.json")).unwrap();
    assert_eq!(state, "the state after\n", "what happened is not forgotten");
    place.scope().forget().unwrap();
    assert!(!place.folder.path().join(NAME).exists());
}

#[test]
fn a_target_without_governance_gets_none() {
    let folder = tempfile::tempdir().unwrap();
    let scope = Scope { target: folder.path(), others: &[] };
    let digest = scope.take().unwrap();
    write(&folder.path().join(".governance/vault/Index.md"), "x\n");
    write(&folder.path().join(".governance/deploy-state.json"), "x\n");
    scope.restore(digest).unwrap();
    assert_eq!(entries(&folder.path().join(FOLDER)).unwrap().len(), 1);
}

#[test]
#[cfg(unix)]
fn permissions_come_back_too() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let agents = place.folder.path().join("AGENTS.md");
    fs::set_permissions(&agents, fs::Permissions::from_mode(0o640)).unwrap();
    let digest = place.scope().take().unwrap();
    fs::remove_file(&agents).unwrap();
    place.scope().restore(digest).unwrap();
    assert_eq!(fs::metadata(&agents).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn what_was_tampered_with_is_not_brought_back() {
    let place = Place::new();
    let digest = place.scope().take().unwrap();
    place.spoil();
    let spoiled = tree(place.folder.path());
    let kept = place.folder.path().join(NAME);
    let list = fs::read_to_string(kept.join(LIST)).unwrap();
    write(&kept.join(LIST), &list.replace("AGENTS.md", "AGENTS.txt"));
    assert!(place.scope().restore(digest).is_err());
    write(&kept.join(LIST), &list);
    let copy =
        entries(&kept).unwrap().into_iter().find(|path| fs::read(path).unwrap() == b"# Mine\r\n").unwrap();
    write(&copy, "# Evil\n");
    assert!(matches!(place.scope().restore(digest), Err(SnapshotError::Damaged(_))));
    assert_eq!(tree(place.folder.path()), spoiled, "nothing is changed");
    // A list of other files than those of this deployment is none of it.
    write(&copy, "# Mine\r\n");
    let other = Scope { target: place.folder.path(), others: &[] };
    assert!(matches!(other.restore(digest), Err(SnapshotError::Damaged(_))));
    place.scope().restore(digest).unwrap();
}

#[test]
fn what_someone_else_put_there_is_left_alone() {
    let place = Place::new();
    write(&place.folder.path().join(NAME).join("mine"), "x");
    assert!(matches!(place.scope().take(), Err(SnapshotError::InTheWay(_))));
    assert!(place.folder.path().join(NAME).join("mine").exists());
}

#[test]
#[cfg(unix)]
fn a_link_is_not_put_aside() {
    let place = Place::new();
    std::os::unix::fs::symlink("/etc/hosts", place.folder.path().join(".governance/link")).unwrap();
    let before = tree(place.folder.path());
    assert!(matches!(place.scope().take(), Err(SnapshotError::Odd(_))));
    assert!(matches!(place.scope().check(), Err(SnapshotError::Odd(_))));
    assert_eq!(tree(place.folder.path()), before, "found before anything is copied");
    fs::remove_file(place.folder.path().join(".governance/link")).unwrap();
    place.scope().take().unwrap();
    assert!(!place.folder.path().join(".governance.bak.tmp").exists());
}
