//! The vectors of all families, read and checked.

use std::collections::BTreeMap;

use canon::{Sha256, json};
use gate::Refusal;
use serde::Deserialize;
use serde_json::Value;

use crate::codes;
use crate::digests::{Change, Manifest};
use crate::vector::Vector;

/// The files that are published with this program, in the order of their families.
const FILES: &[(&str, &str)] = &[
    ("pl", include_str!("../../../conformance/pl.json")),
    ("g1", include_str!("../../../conformance/g1.json")),
    ("g2", include_str!("../../../conformance/g2.json")),
    ("g3", include_str!("../../../conformance/g3.json")),
    ("g5", include_str!("../../../conformance/g5.json")),
    ("g6", include_str!("../../../conformance/g6.json")),
    ("rt", include_str!("../../../conformance/rt.json")),
    ("rg", include_str!("../../../conformance/rg.json")),
    ("ws", include_str!("../../../conformance/ws.json")),
    ("cv", include_str!("../../../conformance/cv.json")),
    ("c", include_str!("../../../conformance/c.json")),
    ("dp", include_str!("../../../conformance/dp.json")),
    ("dv", include_str!("../../../conformance/dv.json")),
    ("n", include_str!("../../../conformance/n.json")),
    ("sm", include_str!("../../../conformance/sm.json")),
    ("sfs", include_str!("../../../conformance/sfs.json")),
    ("adapters/answers", include_str!("../../../conformance/adapters/answers.json")),
    ("adapters/inputs", include_str!("../../../conformance/adapters/inputs.json")),
    ("adapters/payloads", include_str!("../../../conformance/adapters/payloads.json")),
    ("adapters/shells", include_str!("../../../conformance/adapters/shells.json")),
];

/// The digests as they were published.
const MANIFEST: &str = include_str!("../../../conformance/manifest.json");

/// One file of vectors.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Its name.
    family: String,
    /// What its vectors are about.
    #[serde(rename = "about")]
    _about: String,
    /// The vectors, whose digests are taken before they are understood.
    vectors: Vec<Value>,
}

/// Vectors with their families and digests.
#[derive(Debug, Clone, PartialEq)]
pub struct Corpus {
    vectors: Vec<(String, Vector)>,
    digests: Manifest,
}

/// The vectors that are published with this program.
///
/// # Errors
/// One of them is no vector, or is not the one that was published under its name.
pub fn published() -> Result<Corpus, Refusal> {
    let corpus = Corpus::read(FILES.iter().map(|(name, text)| (*name, text.as_bytes())))?;
    let manifest: Manifest = json::read(MANIFEST.as_bytes()).map_err(|damage| {
        Refusal::new(codes::CORPUS_DAMAGED, format!("the manifest of the vectors: {damage}"))
    })?;
    corpus.held_against(&manifest)?;
    Ok(corpus)
}

impl Corpus {
    /// Reads files of vectors, each with its name.
    ///
    /// # Errors
    /// A file is no JSON in which each name stands once, or holds something that is no vector.
    pub fn read<'f>(files: impl IntoIterator<Item = (&'f str, &'f [u8])>) -> Result<Self, Refusal> {
        let mut vectors: Vec<(String, Vector)> = Vec::new();
        let mut digests = BTreeMap::new();
        for (name, bytes) in files {
            let refuse = |message: String| Refusal::new(codes::CORPUS_DAMAGED, message);
            let object =
                json::record(bytes).map_err(|damage| refuse(format!("vectors `{name}`: {damage}")))?;
            let file = File::deserialize(Value::Object(object))
                .map_err(|error| refuse(format!("vectors `{name}`: {error}")))?;
            if file.family != name {
                return Err(refuse(format!("vectors `{name}`: the file calls itself `{}`", file.family)));
            }
            for (n, value) in (1..).zip(file.vectors) {
                let id = value["id"].as_str().map_or_else(|| format!("number {n}"), str::to_owned);
                let refuse = |message: String| refuse(format!("vectors `{name}`, {id}: {message}"));
                let digest = json::canonical(&value).map_err(|error| refuse(error.to_string()))?;
                let vector = Vector::deserialize(value).map_err(|error| refuse(error.to_string()))?;
                if let Some(fault) = vector.fault() {
                    return Err(refuse(fault));
                }
                if vectors.iter().any(|(_, other)| other.id == vector.id) {
                    return Err(refuse("the id stands twice".to_owned()));
                }
                digests.insert(vector.name(), Sha256::of(digest));
                vectors.push((name.to_owned(), vector));
            }
        }
        Ok(Self { vectors, digests: Manifest::of(digests) })
    }

    fn held_against(&self, manifest: &Manifest) -> Result<(), Refusal> {
        let Some(change) = self.digests.changes_since(manifest).into_iter().next() else { return Ok(()) };
        let message = match change {
            Change::Changed(name) => format!("the vector {name} is not the one that was published"),
            Change::Gone(name) => format!("the vector {name} was published and is gone"),
            Change::New(name) => format!("the vector {name} is not in the manifest"),
            Change::Whole => "the manifest's digest of the whole is another one".to_owned(),
        };
        Err(Refusal::new(codes::VECTOR_CHANGED, message).hint(
            "a published vector stays as it is; what is to be different gets a new version or a new id",
        ))
    }

    /// The digests of its vectors and of the whole.
    pub fn digests(&self) -> &Manifest {
        &self.digests
    }

    /// The digest of the whole.
    pub fn digest(&self) -> Sha256 {
        self.digests.corpus.unwrap_or_else(|| Sha256::of([]))
    }

    /// Every vector with the name of its family.
    pub fn vectors(&self) -> impl Iterator<Item = (&str, &Vector)> {
        self.vectors.iter().map(|(family, vector)| (family.as_str(), vector))
    }

    /// The names of the families.
    pub fn families(&self) -> Vec<&str> {
        let mut families: Vec<&str> = self.vectors.iter().map(|(family, _)| family.as_str()).collect();
        families.dedup();
        families
    }

    /// Whether a family is meant by a word: its name, or a folder of families.
    pub fn is_in(family: &str, word: &str) -> bool {
        let word = word.to_ascii_lowercase();
        family == word || family.strip_prefix(&*word).is_some_and(|rest| rest.starts_with('/'))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn all() -> Corpus {
        Corpus::read(FILES.iter().map(|(name, text)| (*name, text.as_bytes()))).unwrap()
    }

    /// With `CAIRN_UPDATE` set, what is new is taken into the manifest. What was published is never replaced.
    #[test]
    fn published_vectors_stay_as_they_are() {
        let published: Manifest = json::read(MANIFEST.as_bytes()).unwrap();
        let changes = all().digests.changes_since(&published);
        let is_new = |change: &Change| matches!(change, Change::New(_));
        let broken: Vec<_> = changes.iter().filter(|change| !is_new(change)).collect();
        if std::env::var_os("CAIRN_UPDATE").is_some() {
            assert!(
                broken.is_empty() || published.vectors.is_empty(),
                "published vectors changed: {broken:?}"
            );
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/manifest.json");
            let text = serde_json::to_value(&all().digests).unwrap();
            std::fs::write(path, format!("{}\n", json::pretty(&text))).unwrap();
        } else {
            assert!(changes.is_empty(), "run with CAIRN_UPDATE=1 to publish what is new: {changes:?}");
        }
    }

    #[test]
    fn every_file_of_vectors_is_published() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance");
        let mut names = Vec::new();
        for (prefix, folder) in [("", folder.clone()), ("adapters/", folder.join("adapters"))] {
            for entry in std::fs::read_dir(folder).unwrap() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                if let Some(stem) = name.strip_suffix(".json").filter(|stem| *stem != "manifest") {
                    names.push(format!("{prefix}{stem}"));
                }
            }
        }
        names.sort();
        let mut published: Vec<_> = FILES.iter().map(|(name, _)| (*name).to_owned()).collect();
        published.sort();
        assert_eq!(names, published);
    }

    /// A subject is written from the README: each rule that a vector expects stands in its table.
    #[test]
    fn every_expected_rule_is_in_the_readme() {
        fn verdicts(value: &Value, found: &mut Vec<String>) {
            match value {
                Value::Array(items) => items.iter().for_each(|item| verdicts(item, found)),
                Value::Object(members) => {
                    let words: Option<Vec<&str>> = ["gate", "rule", "reason", "hint"]
                        .iter()
                        .map(|key| members.get(*key)?.as_str())
                        .collect();
                    found.extend(words.map(|words| format!("| `{}` |", words.join("` | `"))));
                    members.values().for_each(|item| verdicts(item, found));
                }
                _ => {}
            }
        }
        let readme = include_str!("../../../conformance/README.md");
        let mut found = Vec::new();
        for (_, text) in FILES {
            let file: Value = json::read(text.as_bytes()).unwrap();
            for vector in file["vectors"].as_array().unwrap() {
                verdicts(&vector["expect"], &mut found);
            }
        }
        assert!(found.len() > 100);
        for row in found {
            assert!(readme.contains(&row), "{row}");
        }
    }

    const ONE: &str = r#"{"family":"x","about":"","vectors":[{"id":"X-1","version":1,"contract":"x","title":"t",
        "mark":"stated","level":"none","requires":["a"],"steps":[{"op":"x"}],"expect":{"outputs":[{"n":1}]}}]}"#;

    fn read(text: &str) -> Result<Corpus, Refusal> {
        Corpus::read([("x", text.as_bytes())])
    }

    #[test]
    fn a_changed_vector_is_named() {
        let before = read(ONE).unwrap();
        let digests = before.digests();
        assert_eq!(
            read(&ONE.replace(": ", ":").replace("\"t\"", "\"\\u0074\"")).unwrap().digest(),
            before.digest()
        );
        let changed = read(&ONE.replace("\"n\":1", "\"n\":2")).unwrap();
        let refusal = changed.held_against(digests).unwrap_err();
        assert_eq!(
            (refusal.code, refusal.message.as_str()),
            (codes::VECTOR_CHANGED, "the vector X-1@1 is not the one that was published")
        );
        let newer =
            read(&ONE.replace("\"n\":1", "\"n\":2").replace("\"version\":1", "\"version\":2")).unwrap();
        assert!(newer.held_against(digests).unwrap_err().message.contains("was published and is gone"));
        let forged = Manifest { corpus: Some(Sha256::of("x")), ..digests.clone() };
        assert!(before.held_against(&forged).unwrap_err().message.contains("digest of the whole"));
    }

    #[test]
    fn what_is_no_vector_is_refused_with_its_place() {
        for (from, to, what) in [
            ("\"x\",\"about\"", "\"y\",\"about\"", "calls itself `y`"),
            ("\"requires\":[\"a\"]", "\"requires\":[]", "X-1: it requires no capability"),
            ("[{\"n\":1}]", "[]", "X-1: it has 1 step and expects 0 outputs"),
            ("{\"n\":1}", "{\"decision\":\"deny\"}", "does not say `denies`"),
            ("{\"op\":\"x\"}", "{\"op\":\"x\",\"event\":\"y\"}", "either `event` or `op`"),
            ("\"version\":1", "\"version\":1,\"version\":1", "\"version\" repeats"),
            ("\"version\":1", "\"version\":1,\"extra\":1", "X-1: unknown field `extra`"),
        ] {
            let refusal = read(&ONE.replace(from, to)).unwrap_err();
            assert!(refusal.message.contains(what), "{what}: {}", refusal.message);
        }
    }
}
