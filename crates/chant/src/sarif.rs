//! Findings as a SARIF 2.1.0 log, the form in which code hosts take them in.

use std::collections::BTreeMap;

use serde::Serialize;
use store::git::RepoPath;

/// The program that found something.
#[derive(Debug, Clone, Copy)]
pub struct Tool<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its version.
    pub version: &'a str,
}

/// What a check looks for.
#[derive(Debug, Clone, Copy)]
pub struct Rule<'a> {
    /// Its id, as in `WSP004`.
    pub id: &'a str,
    /// Its name, as in `member-dir-missing`.
    pub name: &'a str,
    /// What it says, in a sentence.
    pub description: &'a str,
    /// How much it counts where nothing else is set.
    pub level: Level,
}

/// One finding of a rule.
#[derive(Debug, Clone)]
pub struct Finding<'a> {
    /// The rule's id.
    pub rule: &'a str,
    /// How much it counts.
    pub level: Level,
    /// What was found.
    pub message: &'a str,
    /// Where: a file from the top of the repository.
    pub place: Option<Place<'a>>,
    /// Why it doesn't count, of a finding that the declaration suppresses.
    pub because: Option<&'a str>,
}

/// A place in a file.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The file.
    pub path: &'a RepoPath,
    /// The line and the column in characters, both from 1.
    pub at: Option<(usize, usize)>,
}

/// How much a finding counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// It fails the check.
    Error,
    /// It should be looked at.
    Warning,
    /// It is good to know.
    Note,
}

/// A log of one run.
#[derive(Debug, Serialize)]
pub struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Driven,
    column_kind: &'static str,
    results: Vec<Outcome>,
}

#[derive(Debug, Serialize)]
struct Driven {
    driver: Driver,
}

#[derive(Debug, Serialize)]
struct Driver {
    name: String,
    version: String,
    rules: Vec<Descriptor>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    id: String,
    name: String,
    short_description: Text,
    default_configuration: Configuration,
}

#[derive(Debug, Serialize)]
struct Configuration {
    level: Level,
}

#[derive(Debug, Serialize)]
struct Text {
    text: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Outcome {
    rule_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_index: Option<usize>,
    level: Level,
    message: Text,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locations: Vec<Location>,
    /// Empty where nothing is suppressed: with this list on every result, a reader knows that nothing was left out.
    suppressions: Vec<Suppression>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: Artifact,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Artifact {
    uri: String,
    uri_base_id: &'static str,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: usize,
    start_column: usize,
}

#[derive(Debug, Serialize)]
struct Suppression {
    kind: &'static str,
    justification: String,
}

/// The log of one run: the rules that have findings, in the order of `rules`, and the findings in theirs.
pub fn log(tool: Tool<'_>, rules: &[Rule<'_>], findings: &[Finding<'_>]) -> Log {
    let named: Vec<&Rule<'_>> =
        rules.iter().filter(|rule| findings.iter().any(|finding| finding.rule == rule.id)).collect();
    let index: BTreeMap<&str, usize> =
        named.iter().enumerate().map(|(index, rule)| (rule.id, index)).collect();
    let run = Run {
        tool: Driven {
            driver: Driver {
                name: tool.name.to_owned(),
                version: tool.version.to_owned(),
                rules: named.iter().map(|rule| descriptor(rule)).collect(),
            },
        },
        column_kind: "unicodeCodePoints",
        results: findings.iter().map(|finding| outcome(finding, index.get(finding.rule).copied())).collect(),
    };
    Log { schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0", runs: [run] }
}

fn descriptor(rule: &Rule<'_>) -> Descriptor {
    Descriptor {
        id: rule.id.to_owned(),
        name: rule.name.to_owned(),
        short_description: Text { text: rule.description.to_owned() },
        default_configuration: Configuration { level: rule.level },
    }
}

fn outcome(finding: &Finding<'_>, rule_index: Option<usize>) -> Outcome {
    let suppress = |because: &str| Suppression { kind: "external", justification: because.to_owned() };
    Outcome {
        rule_id: finding.rule.to_owned(),
        rule_index,
        level: finding.level,
        message: Text { text: finding.message.to_owned() },
        locations: finding.place.iter().map(location).collect(),
        suppressions: finding.because.map(suppress).into_iter().collect(),
    }
}

fn location(place: &Place<'_>) -> Location {
    let region = |(start_line, start_column)| Region { start_line, start_column };
    Location {
        physical_location: PhysicalLocation {
            artifact_location: Artifact { uri: uri(place.path), uri_base_id: "%SRCROOT%" },
            region: place.at.map(region),
        },
    }
}

/// The path as a relative URI: every byte but letters, digits, `-._~` and `/` percent-encoded.
fn uri(path: &RepoPath) -> String {
    use std::fmt::Write;
    let mut uri = String::new();
    for &byte in path.as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const RULES: [Rule<'_>; 2] = [
        Rule { id: "WSP004", name: "member-dir-missing", description: "no folder", level: Level::Error },
        Rule { id: "WSP009", name: "other-member", description: "another kind", level: Level::Warning },
    ];

    fn written(findings: &[Finding<'_>]) -> serde_json::Value {
        serde_json::to_value(log(Tool { name: "chant", version: "0.108.0" }, &RULES, findings)).unwrap()
    }

    #[test]
    fn a_finding_has_its_rule_place_and_suppression() {
        let path = RepoPath::from("a b/c:\u{e9}.md");
        let finding = Finding {
            rule: "WSP009",
            level: Level::Note,
            message: "it is so",
            place: Some(Place { path: &path, at: Some((3, 5)) }),
            because: Some("we know"),
        };
        assert_eq!(
            written(&[finding]),
            json!({
                "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
                "version": "2.1.0",
                "runs": [{
                    "tool": { "driver": {
                        "name": "chant",
                        "version": "0.108.0",
                        "rules": [{
                            "id": "WSP009",
                            "name": "other-member",
                            "shortDescription": { "text": "another kind" },
                            "defaultConfiguration": { "level": "warning" },
                        }],
                    } },
                    "columnKind": "unicodeCodePoints",
                    "results": [{
                        "ruleId": "WSP009",
                        "ruleIndex": 0,
                        "level": "note",
                        "message": { "text": "it is so" },
                        "locations": [{ "physicalLocation": {
                            "artifactLocation": { "uri": "a%20b/c%3A%C3%A9.md", "uriBaseId": "%SRCROOT%" },
                            "region": { "startLine": 3, "startColumn": 5 },
                        } }],
                        "suppressions": [{ "kind": "external", "justification": "we know" }],
                    }],
                }],
            })
        );
    }

    #[test]
    fn findings_keep_their_order_and_name_their_rules_by_place() {
        let finding = |rule| Finding { rule, level: Level::Error, message: "m", place: None, because: None };
        let log = written(&[finding("WSP009"), finding("WSP004"), finding("unlisted")]);
        let run = &log["runs"][0];
        let ids: Vec<_> =
            run["results"].as_array().unwrap().iter().map(|result| &result["ruleIndex"]).collect();
        assert_eq!(ids, [&json!(1), &json!(0), &json!(null)]);
        assert_eq!(run["results"][0]["suppressions"], json!([]));
        assert_eq!(run["results"][0].get("locations"), None);
        assert_eq!(written(&[])["runs"][0]["results"], json!([]));
    }
}
