//! The parts of configuration files that decide how tests run, so that a new version of a dependency
//! in the same file is no alarm.

use serde_json::Value;

/// A named part of a file.
pub(super) type Section = (String, Vec<u8>);

fn canonical(value: &Value) -> Vec<u8> {
    canon::json::canonical(value).unwrap_or_else(|_| value.to_string().into_bytes())
}

/// The value at a dotted path.
fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('.').try_fold(value, |value, key| value.get(key)).filter(|value| !value.is_null())
}

fn chosen(value: &Value, paths: &[&str]) -> Vec<Section> {
    paths.iter().filter_map(|path| Some(((*path).to_owned(), canonical(at(value, path)?)))).collect()
}

/// The values at dotted paths of a JSON text; none where it is not JSON.
pub(super) fn of_json(text: &str, paths: &[&str]) -> Option<Vec<Section>> {
    let value: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
    Some(chosen(&value, paths))
}

/// The values at dotted paths of a TOML text; none where it is not TOML.
pub(super) fn of_toml(text: &str, paths: &[&str]) -> Option<Vec<Section>> {
    let value: Value = toml::from_str(text.trim_start_matches('\u{feff}')).ok()?;
    Some(chosen(&value, paths))
}

/// The sections of an INI text whose names begin so, without comments and without the key `deps`,
/// which pins versions.
pub(super) fn of_ini(text: &str, names: &[&str]) -> Vec<Section> {
    let mut sections: Vec<(String, String)> = Vec::new();
    let (mut open, mut pins) = (false, false);
    for line in text.lines() {
        let trimmed = line.trim();
        if let Some(name) = trimmed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            open = names.iter().any(|wanted| name.starts_with(wanted));
            pins = false;
            if open {
                sections.push((name.to_owned(), String::new()));
            }
            continue;
        }
        if trimmed.is_empty() || trimmed.starts_with(['#', ';']) || !open {
            continue;
        }
        if !line.starts_with([' ', '\t']) {
            let key = trimmed.split(['=', ':']).next().unwrap_or_default().trim();
            pins = key == "deps";
        }
        if !pins && let Some((_, body)) = sections.last_mut() {
            body.push_str(line.trim_end());
            body.push('\n');
        }
    }
    sections.into_iter().map(|(name, body)| (name, body.into_bytes())).collect()
}

/// The blocks of a Gradle build that configure tests: `test {`, `tasks.test {`, `tasks.named("test") {`,
/// `tasks.withType<Test> {`, `testing {`.
pub(super) fn of_gradle(text: &str) -> Vec<u8> {
    let mut found = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        let head = rest[..open].rsplit(['\n', '{', '}', ';']).next().unwrap_or_default().trim();
        let name = head.trim_end_matches("configureEach").trim_end_matches('.').trim();
        let configures = matches!(name, "test" | "tasks.test" | "testing")
            || name.starts_with("tasks.withType") && name.contains("Test")
            || name.starts_with("tasks.named") && name.to_ascii_lowercase().contains("test")
            || name.starts_with("tasks.register") && name.contains("Test");
        let length = if configures { block(&rest[open..]) } else { 1 };
        if configures {
            found.push_str(head);
            found.push_str(&rest[open..open + length]);
            found.push('\n');
        }
        rest = &rest[open + length..];
    }
    found.into_bytes()
}

/// The length of the block in braces that `text` begins with.
fn block(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 {
            return at + 1;
        }
    }
    text.len()
}

/// The plugins of a Maven build that run tests, without their versions.
pub(super) fn of_pom(text: &str) -> Vec<u8> {
    let mut found = String::new();
    for plugin in text.split("<plugin>").skip(1) {
        let plugin = plugin.split("</plugin>").next().unwrap_or_default();
        if plugin.contains("surefire") || plugin.contains("failsafe") {
            let lines = plugin.lines().map(str::trim);
            found.extend(lines.filter(|line| !line.starts_with("<version>")).flat_map(|line| [line, "\n"]));
        }
    }
    found.into_bytes()
}

/// A Mix project without its list of dependencies.
pub(super) fn of_mix(text: &str) -> Vec<u8> {
    let mut kept = String::new();
    let mut closing: Option<String> = None;
    for line in text.lines() {
        let indent = &line[..line.len() - line.trim_start().len()];
        match &closing {
            Some(end) if line == end.as_str() => closing = None,
            Some(_) => {}
            None if is_deps(line.trim()) => closing = Some(format!("{indent}end")),
            None => {
                kept.push_str(line);
                kept.push('\n');
            }
        }
    }
    kept.into_bytes()
}

fn is_deps(line: &str) -> bool {
    (line.starts_with("defp deps") || line.starts_with("def deps")) && line.ends_with(" do")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(sections: &[Section]) -> Vec<&str> {
        sections.iter().map(|(name, _)| name.as_str()).collect()
    }

    #[test]
    fn a_section_is_the_value_and_not_its_layout() {
        let a = of_json("{\"jest\":{\"a\":1,\"b\":2},\"dependencies\":{\"x\":\"1\"}}", &["jest", "mocha"]);
        let b = of_json("{\"dependencies\": {\"x\": \"2\"},\n \"jest\": {\"b\": 2, \"a\": 1}}", &["jest"]);
        assert_eq!(a, b);
        assert_eq!(names(&a.unwrap()), ["jest"]);
        assert_eq!(of_json("// no\n{}", &["jest"]), None);
    }

    #[test]
    fn toml_tables_by_their_dotted_names() {
        let text = "[project]\ndependencies = ['a==1']\n[tool.pytest.ini_options]\naddopts = '-q'\n";
        assert_eq!(names(&of_toml(text, &["tool.pytest", "tool.tox"]).unwrap()), ["tool.pytest"]);
        assert_eq!(of_toml("[x", &["x"]), None);
    }

    #[test]
    fn ini_sections_without_pinned_versions() {
        let text =
            "[tox]\nenvlist = a\n# note\n[testenv:a]\ndeps =\n    x==1\ncommands = pytest\n[other]\ny = 1\n";
        let found = of_ini(text, &["tox", "testenv"]);
        assert_eq!(names(&found), ["tox", "testenv:a"]);
        assert_eq!(found[1].1, b"commands = pytest\n");
        assert_eq!(found, of_ini(&text.replace("x==1", "x==2"), &["tox", "testenv"]));
    }

    #[test]
    fn blocks_of_other_builds() {
        let gradle = "dependencies { implementation 'a:1' }\ntasks.named(\"test\") {\n  filter { excludeTestsMatching 'x' }\n}\n";
        let found = String::from_utf8(of_gradle(gradle)).unwrap();
        assert!(found.contains("excludeTestsMatching") && !found.contains("implementation"), "{found}");
        assert!(of_gradle("latest { a }").is_empty());
        let pom = "<plugin><artifactId>maven-surefire-plugin</artifactId>\n<version>3</version>\n<skip>true</skip></plugin><plugin>other</plugin>";
        assert_eq!(
            String::from_utf8(of_pom(pom)).unwrap(),
            "<artifactId>maven-surefire-plugin</artifactId>\n<skip>true</skip>\n"
        );
        let mix = "def project do\n  [a: 1]\nend\ndefp deps do\n  [{:x, \"1\"}]\nend\n";
        assert_eq!(of_mix(mix), b"def project do\n  [a: 1]\nend\n");
    }

    proptest::proptest! {
        #[test]
        fn no_text_is_too_odd(text in "([\\[\\]{}=:;#\n a-z<>/\"]|<plugin>|test \\{){0,60}") {
            of_json(&text, &["a"]);
            of_toml(&text, &["a"]);
            of_ini(&text, &["a"]);
            of_gradle(&text);
            of_pom(&text);
            of_mix(&text);
        }
    }
}
