//! The vault on disk.

use std::fs;
use std::path::PathBuf;

use gate::Level;
use store::Env;

use super::promoted;
use crate::State;
use crate::knowledge::vault::{Blocks, ITEMS, Vault};
use crate::knowledge::{Entry, Settings, check, codes};

/// A repository with a state folder beside it.
fn vault(settings: &Settings) -> (tempfile::TempDir, PathBuf, Vault) {
    let folder = tempfile::tempdir().unwrap();
    let base = fs::canonicalize(folder.path()).unwrap();
    let root = base.join("demo");
    fs::create_dir_all(&root).unwrap();
    let env: Env = [("HOME", base.join("home").as_os_str())].into_iter().collect();
    let state = State::of(None, &root, &env).unwrap();
    let vault = Vault::new(&state, settings).unwrap();
    (folder, root, vault)
}

fn put(vault: &Vault, entry: Entry) {
    let writing = vault.write().unwrap();
    let mut entries = writing.shelf.entries();
    entries.push(entry);
    let planned = writing.plan(&entries, &[], Blocks::Both).unwrap();
    writing.commit(&planned).unwrap();
}

#[test]
fn dp_013_the_first_write_makes_a_whole_vault() {
    let (_folder, root, vault) = vault(&Settings::default());
    assert_eq!(vault.read().unwrap().missing, ITEMS);
    put(&vault, promoted("First"));
    let shelf = vault.read().unwrap();
    assert_eq!((shelf.missing.len(), shelf.notes.len(), shelf.terms.project.as_str()), (0, 1, "demo"));
    assert!(fs::read_to_string(root.join("AGENTS.md")).unwrap().contains("- First ([first]"));
    assert!(!vault.legacy().exists());
    let findings = check::check(&vault, &shelf);
    assert!(findings.iter().all(|finding| finding.level == Level::Ok), "{findings:?}");
    // An idle write changes no byte and touches no file.
    let times = |name: &str| fs::metadata(root.join(name)).unwrap().modified().unwrap();
    let was = (times("AGENTS.md"), times(".governance/vault/Index.md"));
    let writing = vault.write().unwrap();
    let planned = writing.plan(&shelf.entries(), &[], Blocks::Both).unwrap();
    assert_eq!(planned.names(), [""; 0]);
    writing.commit(&planned).unwrap();
    assert_eq!((times("AGENTS.md"), times(".governance/vault/Index.md")), was);
}

#[test]
fn a_vault_outside_of_the_repository_or_behind_a_link_is_refused() {
    let (_folder, root, _) = vault(&Settings::default());
    let env: Env = [("HOME", root.join("home").as_os_str())].into_iter().collect();
    let state = State::of(None, &root, &env).unwrap();
    for name in ["../vault", "/vault", "", "a//b", ".git/vault", ".", "a\\b", "c:/x", ".chalk/x"] {
        let settings = Settings { vault: Some(name.to_owned()), ..Settings::default() };
        assert_eq!(Vault::new(&state, &settings).unwrap_err().code, codes::VAULT_PLACE, "{name}");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        let outside = root.with_file_name("outside");
        fs::create_dir_all(outside.join("Lessons")).unwrap();
        let vault =
            Vault::new(&state, &Settings { vault: Some("v".to_owned()), ..Settings::default() }).unwrap();
        symlink(&outside, root.join("v")).unwrap();
        assert_eq!(vault.read().unwrap_err().code, codes::VAULT_PLACE);
        assert_eq!(vault.write().unwrap_err().code, codes::VAULT_PLACE);
        fs::remove_file(root.join("v")).unwrap();
        fs::create_dir(root.join("v")).unwrap();
        symlink(outside.join("Lessons"), root.join("v/Lessons")).unwrap();
        assert_eq!(vault.write().unwrap_err().code, codes::VAULT_PLACE);
        fs::remove_file(root.join("v/Lessons")).unwrap();
        symlink(outside.join("AGENTS.md"), root.join("AGENTS.md")).unwrap();
        assert_eq!(vault.write().unwrap_err().code, codes::NOT_WRITTEN);
        assert_eq!(fs::read_dir(outside.join("Lessons")).unwrap().count(), 0);
    }
}

#[test]
fn what_cannot_be_read_stops_every_write() {
    let (_folder, root, vault) = vault(&Settings::default());
    put(&vault, promoted("First"));
    let before = fs::read(root.join("AGENTS.md")).unwrap();
    fs::write(root.join(".governance/vault/Lessons/odd.md"), "---\nlabel: gossip\n---\n").unwrap();
    let refusal = vault.write().unwrap_err();
    assert_eq!(refusal.code, codes::ENTRY_DAMAGED);
    assert!(refusal.message.contains("Lessons/odd.md"), "{}", refusal.message);
    fs::remove_file(root.join(".governance/vault/Lessons/odd.md")).unwrap();
    fs::write(root.join(".governance/vault/evidence.jsonl"), "{}\n").unwrap();
    assert_eq!(vault.write().unwrap_err().at.unwrap().line, Some(1));
    assert_eq!(fs::read(root.join("AGENTS.md")).unwrap(), before);
}

#[test]
fn writers_at_once_lose_nothing() {
    let (_folder, _, vault) = vault(&Settings::default());
    std::thread::scope(|scope| {
        for number in 0..8 {
            let vault = &vault;
            scope.spawn(move || put(vault, promoted(&format!("Lesson {number}"))));
        }
    });
    let shelf = vault.read().unwrap();
    assert_eq!(shelf.notes.len(), 8);
    let index = String::from_utf8(shelf.index.unwrap()).unwrap();
    assert_eq!(index.matches("- [Lesson ").count(), 8);
}
