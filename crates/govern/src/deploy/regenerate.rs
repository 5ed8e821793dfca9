//! The agents' instructions at the target, made anew from its vault and never copied from the source.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use canon::managed::Markers;
use store::file;

/// The file of the instructions.
pub const FILE: &str = "AGENTS.md";

/// The most lines of the block, which every agent loads.
const LINES: usize = 200;
/// The most bytes of the block.
const BYTES: usize = 25 * 1024;

/// The longest summary of a rule, in characters.
const SUMMARY: usize = 240;

/// Makes the instructions from a vault.
pub trait Regenerate {
    /// What becomes of the file. Nothing is written.
    ///
    /// # Errors
    /// Why it can't be made.
    fn regenerate(&self, vault: &Path, existing: Option<&[u8]>) -> Result<Vec<u8>, String>;
}

/// Puts the rules of the vault into a block of the file; the rest of it stays as it is.
#[derive(Debug, Clone, Copy, Default)]
pub struct RulesBlock;

const MARKERS: Markers =
    Markers { name: "cairn-rules", note: "made from the vault; what is edited inside is overwritten" };

impl Regenerate for RulesBlock {
    fn regenerate(&self, vault: &Path, existing: Option<&[u8]>) -> Result<Vec<u8>, String> {
        let mut block = String::from("## Rules of this repository\n\n");
        for (name, text) in rules(vault)? {
            let (title, summary) = told(&name, &text);
            let _ = writeln!(block, "- **{title}**: {summary} ({}/Rules/{name})", super::VAULT);
        }
        let (lines, bytes) = (block.lines().count(), block.len());
        if lines > LINES || bytes > BYTES {
            return Err(format!(
                "the rules take {lines} lines and {bytes} bytes; {LINES} lines and {BYTES} bytes are the most that every \
                 agent should load"
            ));
        }
        let damaged =
            |damaged: canon::managed::Damaged| format!("{FILE} line {}: {}", damaged.line, damaged.what);
        MARKERS.splice(existing.unwrap_or_default(), &block).map_err(damaged)
    }
}

/// The rules of a vault, sorted by name.
fn rules(vault: &Path) -> Result<Vec<(String, String)>, String> {
    let folder = vault.join("Rules");
    let unreadable = |error: std::io::Error| format!("`{}` can't be read: {error}", folder.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(&folder).map_err(unreadable)? {
        let name = entry.map_err(unreadable)?.file_name().to_string_lossy().into_owned();
        let is_rule = Path::new(&name).extension().is_some_and(|end| end.eq_ignore_ascii_case("md"));
        if !is_rule || !folder.join(&name).is_file() {
            continue;
        }
        let bytes = file::read(&folder.join(&name)).map_err(|error| error.to_string())?.unwrap_or_default();
        found.push((name, String::from_utf8_lossy(&bytes).into_owned()));
    }
    found.sort();
    Ok(found)
}

/// The title and the first words of a rule.
fn told(name: &str, text: &str) -> (String, String) {
    let body = match text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")) {
        Some((_, body)) => body,
        None => text,
    };
    let lines = || body.lines().map(str::trim).filter(|line| !line.is_empty());
    let title = lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(name.trim_end_matches(".md"));
    let words =
        lines().find(|line| !line.starts_with('#') && !line.starts_with("<!--")).unwrap_or("see the file");
    let one = |text: &str| canon::text::one_line(text);
    (one(title), canon::text::clip(&one(words), SUMMARY))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vault(rules: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("Rules")).unwrap();
        for (name, text) in rules {
            fs::write(folder.path().join("Rules").join(name), text).unwrap();
        }
        folder
    }

    fn made(vault: &Path, existing: Option<&str>) -> String {
        String::from_utf8(RulesBlock.regenerate(vault, existing.map(str::as_bytes)).unwrap()).unwrap()
    }

    #[test]
    fn the_rules_stand_in_a_block_beside_the_user_s_text() {
        let vault = vault(&[
            ("b.md", "---\nid: 1\n---\n# Verify\n\nRun the tests.\n"),
            ("a.md", "No heading here.\n"),
            ("picture.png", "x"),
        ]);
        let first = made(vault.path(), Some("# Mine\n"));
        assert!(first.starts_with("# Mine\n\n<!-- cairn-rules:begin"), "{first}");
        assert!(first.contains(
            "- **a**: No heading here. (.governance/vault/Rules/a.md)\n- **Verify**: Run the tests."
        ));
        assert_eq!(made(vault.path(), Some(&first)), first, "twice is once");
        fs::remove_file(vault.path().join("Rules/a.md")).unwrap();
        let second = made(vault.path(), Some(&first));
        assert!(second.starts_with("# Mine\n") && !second.contains("No heading"));
        assert!(made(vault.path(), None).starts_with("<!-- cairn-rules:begin"));
    }

    #[test]
    fn what_every_agent_loads_stays_small() {
        let names: Vec<String> = (0..300).map(|n| format!("{n:03}.md")).collect();
        let many: Vec<(&str, &str)> =
            names.iter().map(|name| (name.as_str(), "# Rule\n\nWords.\n")).collect();
        let error = RulesBlock.regenerate(vault(&many).path(), None).unwrap_err();
        assert!(error.contains("302 lines"), "{error}");
    }

    #[test]
    fn a_damaged_block_or_a_missing_vault_is_an_error() {
        let one = vault(&[("a.md", "x\n")]);
        let damaged = "<!-- cairn-rules:begin -->\nno end\n";
        let error = RulesBlock.regenerate(one.path(), Some(damaged.as_bytes())).unwrap_err();
        assert!(error.starts_with("AGENTS.md line 1"), "{error}");
        assert!(RulesBlock.regenerate(Path::new("/nothing/here"), None).is_err());
    }
}
