//! Reading a kind file into a [`Kind`].

use std::collections::BTreeMap;

use canon::module;
use fancy_regex::{Regex, RegexBuilder};
use gate::Refusal;
use serde_json::{Map, Value};
use store::git::RepoPath;
use store::tree::Tree;

use super::schema::{Schema, SchemaFile};
use super::shape::{Shape, within};
use super::{
    Acceptance, Attempts, Contract, Format, IdRule, Kind, Link, Reviews, Session, States, Tier, Work,
};
use crate::codes;

/// How often a pattern of a kind file may try another way before it counts as undecided.
const BACKTRACKS: usize = 50_000;

const OPTIONS: [&str; 22] = [
    "name",
    "location",
    "format",
    "schema",
    "idField",
    "idFrom",
    "stateField",
    "states",
    "closedStates",
    "supersedes",
    "approval",
    "pins",
    "constrains",
    "outOfScope",
    "proposedBy",
    "source",
    "remediates",
    "reviews",
    "seal",
    "spec",
    "session",
    "work",
];

/// Reads the kind file `file` of a tree, with the schemas that it names.
///
/// # Errors
/// `kind-unreadable`, `kind-invalid`, `schema-unreadable`, `schema-id-mismatch` or `schema-invalid`.
pub fn load(tree: &dyn Tree, file: &RepoPath) -> Result<Kind, Refusal> {
    let (kind, schema) = described(tree, file)?;
    Ok(Kind { schema: Schema::load(tree, &schema)?, ..kind })
}

/// What a listing says of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    /// The kind's name.
    pub name: String,
    /// Whether its records list criteria that evidence meets.
    pub has_criteria: bool,
}

/// Reads as much of the kind file `file` as a listing says. The schemas must be there, but are not made ready to judge
/// records, which takes longer than everything else.
///
/// # Errors
/// `kind-unreadable`, `kind-invalid`, `schema-unreadable` or `schema-id-mismatch`.
pub fn outline(tree: &dyn Tree, file: &RepoPath) -> Result<Outline, Refusal> {
    let (kind, schema) = described(tree, file)?;
    Schema::texts(tree, &schema)?;
    let has_criteria = kind.work.is_some_and(|work| work.acceptance.is_some());
    Ok(Outline { name: kind.name, has_criteria })
}

/// The kind, still without its schema, and where the schema lies.
fn described(tree: &dyn Tree, file: &RepoPath) -> Result<(Kind, SchemaFile), Refusal> {
    let unreadable = |why: String| Refusal::new(codes::KIND_UNREADABLE, format!("kind file {file} {why}"));
    let bytes = match tree.read(file) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Err(unreadable("does not exist".into())),
        Err(error) => return Err(unreadable(format!("could not be loaded: {error}"))),
    };
    let text =
        std::str::from_utf8(&bytes).map_err(|_| unreadable("could not be loaded: it is not UTF-8".into()))?;
    let found = module::export(text, "recordKind").map_err(|damage| {
        unreadable(format!("could not be loaded without running it: {damage}"))
            .at(file.to_path(), Some(damage.line), Some(damage.column))
            .hint("write recordKind as plain data: objects, lists, strings, numbers, true, false and null")
    })?;
    let Some(value) = found else {
        let message = format!("kind file {file} is not a record kind: it has no recordKind export");
        return Err(Refusal::new(codes::KIND_INVALID, message));
    };

    let mut shape = Shape::named("recordKind");
    let parts = read(&mut shape, file, &value);
    let problems = shape.into_problems();
    parts.filter(|_| problems.is_empty()).ok_or_else(|| {
        let message = format!("kind file {file} is not a record kind: {}", problems.join("; "));
        Refusal::new(codes::KIND_INVALID, message)
    })
}

fn read(shape: &mut Shape, file: &RepoPath, value: &Value) -> Option<(Kind, SchemaFile)> {
    let options: Vec<&str> = OPTIONS.into_iter().chain(["answers"]).collect();
    let map = shape.closed(value, "", &options)?;
    let beside = file.parent();

    let name = shape.needed(map, "", "name");
    if let Some(name) = name.as_deref().filter(|name| !is_kind_name(name)) {
        shape.problem(
            "name",
            format!("`{name}` is no kind name: lower-case letters, digits and dashes, a letter first"),
        );
    }
    let location = location(shape, &beside, map);
    let format = match shape.needed(map, "", "format").as_deref() {
        Some("markdown-front-matter") => Some(Format::FrontMatter),
        Some("json") => Some(Format::Json),
        Some(_) => {
            shape.problem("format", "markdown-front-matter or json is expected");
            None
        }
        None => None,
    };
    let schema = schema(shape, &beside, map);
    let id = match (shape.text(map, "", "idField"), shape.text(map, "", "idFrom")) {
        (Some(field), None) => Some(IdRule::Field(field)),
        (None, Some(from)) if from == "sha256" => Some(IdRule::Sha256),
        (None, Some(_)) => {
            shape.problem("idFrom", "sha256 is expected");
            None
        }
        _ => {
            shape.problem("", "exactly one of idField and idFrom is expected");
            None
        }
    };
    let states = states(shape, map);
    let needs_states = |shape: &mut Shape, key: &str| {
        if map.contains_key(key) && states.is_none() {
            shape.problem(key, "it needs states");
        }
    };
    for key in ["supersedes", "approval", "session", "work"] {
        needs_states(shape, key);
    }
    let known =
        |state: &str| states.as_ref().is_some_and(|states| states.all.iter().any(|known| known == state));

    let approval = approval(shape, map, &known);
    let reviews =
        shape.block(map, "", "reviews", &["field", "decider", "ratified"]).and_then(|(block, path)| {
            let ratified = shape.text(block, &path, "ratified");
            if ratified.as_deref().is_some_and(|state| !known(state)) {
                shape.problem(&path, "reviews.ratified must be one of states");
            }
            let field = shape.needed(block, &path, "field");
            let decider = shape.needed(block, &path, "decider");
            Some(Reviews { field: field?, decider: decider?, ratified })
        });
    let is_spec = match map.get("spec") {
        None => false,
        Some(Value::Bool(true)) => true,
        Some(_) => {
            shape.problem("spec", "true is expected, or no such option");
            false
        }
    };
    let answers = shape.block(map, "", "answers", &["points"]).and_then(|(block, path)| {
        let points = shape.needed(block, &path, "points");
        path_beside(shape, &beside, &within(&path, "points"), points)
    });
    let kind = Kind {
        file: file.clone(),
        supersedes: link(shape, map, "supersedes"),
        remediates: link(shape, map, "remediates"),
        pins: shape.field(map, "", "pins"),
        constrains: shape.field(map, "", "constrains"),
        out_of_scope: shape.field(map, "", "outOfScope"),
        proposed_by: shape.field(map, "", "proposedBy"),
        source: shape.field(map, "", "source"),
        seal: shape.field(map, "", "seal"),
        session: session(shape, &beside, map),
        work: work(shape, &beside, map, &known),
        approval,
        reviews,
        is_spec,
        answers,
        name: name?,
        format: format?,
        id: id?,
        folder: location.as_ref()?.0.clone(),
        matches: location?.1,
        states,
        schema: Schema::none(),
    };
    Some((kind, schema?))
}

fn location(shape: &mut Shape, beside: &RepoPath, map: &Map<String, Value>) -> Option<(RepoPath, Regex)> {
    if !map.contains_key("location") {
        shape.problem("location", "it is required");
    }
    let (block, path) = shape.block(map, "", "location", &["dir", "match"])?;
    let dir = shape.needed(block, &path, "dir");
    let pattern = shape.needed(block, &path, "match");
    let folder = path_beside(shape, beside, &within(&path, "dir"), dir);
    let pattern = pattern?;
    match pattern_of(&pattern) {
        Ok(regex) => Some((folder?, regex)),
        Err(error) => {
            shape.problem(&within(&path, "match"), format!("`{pattern}` is no regular expression: {error}"));
            None
        }
    }
}

/// A JavaScript regular expression, bounded in the work that it may cause.
fn pattern_of(pattern: &str) -> Result<Regex, String> {
    RegexBuilder::new(&javascript_classes(pattern))
        .backtrack_limit(BACKTRACKS)
        .build()
        .map_err(|error| error.to_string())
}

/// The pattern with the classes that JavaScript means otherwise written out: of ASCII letters alone, and of all but
/// line ends.
fn javascript_classes(pattern: &str) -> String {
    let mut written = String::with_capacity(pattern.len());
    let mut in_class = false;
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                let escaped = letters.next();
                let class = match escaped {
                    Some('d') => "0-9",
                    Some('w') => "A-Za-z0-9_",
                    Some('/') => {
                        written.push('/');
                        continue;
                    }
                    other => {
                        written.push('\\');
                        written.extend(other);
                        continue;
                    }
                };
                let (open, close) = if in_class { ("", "") } else { ("[", "]") };
                written.extend([open, class, close]);
            }
            // What a class of JavaScript takes by its letter, this engine would take as a class within.
            '[' if in_class => written.push_str("\\["),
            '.' if !in_class => written.push_str("[^\\n\\r\\u{2028}\\u{2029}]"),
            _ => {
                in_class = if letter == '[' { true } else { in_class && letter != ']' };
                written.push(letter);
            }
        }
    }
    written
}

fn schema(shape: &mut Shape, beside: &RepoPath, map: &Map<String, Value>) -> Option<SchemaFile> {
    if !map.contains_key("schema") {
        shape.problem("schema", "it is required");
    }
    let (block, path) = shape.block(map, "", "schema", &["id", "path", "refs"])?;
    let named = |shape: &mut Shape, block: &Map<String, Value>, path: &str| {
        let id = shape.needed(block, path, "id");
        let file = shape.needed(block, path, "path");
        let file = path_beside(shape, beside, &within(path, "path"), file);
        Some((id?, file?))
    };
    let own = named(shape, block, &path);
    let mut refs = Vec::new();
    match block.get("refs") {
        None => {}
        Some(Value::Array(items)) => {
            for (n, item) in items.iter().enumerate() {
                let path = format!("{path}.refs[{n}]");
                if let Some(block) = shape.closed(item, &path, &["id", "path"]) {
                    refs.extend(named(shape, block, &path));
                }
            }
        }
        Some(_) => shape.problem(&within(&path, "refs"), "a list is expected"),
    }
    let (id, file) = own?;
    Some(SchemaFile { id, file, refs })
}

fn states(shape: &mut Shape, map: &Map<String, Value>) -> Option<States> {
    let given = ["stateField", "states", "closedStates"].map(|key| map.contains_key(key));
    if given == [false; 3] {
        return None;
    }
    if given != [true; 3] {
        shape.problem("", "stateField, states and closedStates come together");
    }
    let field = shape.text(map, "", "stateField");
    let all = shape.texts(map, "", "states");
    let closed = shape.texts(map, "", "closedStates");
    let (field, all, closed) = (field?, all?, closed?);
    if all.is_empty() {
        shape.problem("states", "at least one state is expected");
    }
    for state in closed.iter().filter(|state| !all.contains(state)) {
        shape.problem("closedStates", format!("`{state}` is none of states"));
    }
    Some(States { field, all, closed })
}

fn link(shape: &mut Shape, map: &Map<String, Value>, key: &str) -> Option<Link> {
    let (block, path) = shape.block(map, "", key, &["field", "key"])?;
    let inner = shape.text(block, &path, "key");
    Some(Link { field: shape.needed(block, &path, "field")?, key: inner })
}

fn approval(
    shape: &mut Shape,
    map: &Map<String, Value>,
    known: &dyn Fn(&str) -> bool,
) -> Option<BTreeMap<String, u64>> {
    let Some(block) = map.get("approval")?.as_object() else {
        shape.problem("approval", "an object is expected");
        return None;
    };
    let mut ranks = BTreeMap::new();
    for (state, rank) in block {
        let path = within("approval", state);
        if !known(state) {
            shape.problem(&path, "it is none of states");
        }
        match rank.as_u64() {
            Some(rank) => {
                ranks.insert(state.clone(), rank);
            }
            None => shape.problem(&path, "a whole number from 0 is expected"),
        }
    }
    Some(ranks)
}

fn session(shape: &mut Shape, beside: &RepoPath, map: &Map<String, Value>) -> Option<Session> {
    let keys = ["verdicts", "seal", "subjects", "closedOn", "openedRev", "closedRev"];
    let (block, path) = shape.block(map, "", "session", &keys)?;
    let verdicts = shape.needed(block, &path, "verdicts");
    let seal = shape.needed(block, &path, "seal");
    let mut subjects = Vec::new();
    match shape.block(block, &path, "subjects", &["kind", "kinds"]) {
        Some((named, path)) => {
            let one = shape.text(named, &path, "kind");
            let many = shape.texts(named, &path, "kinds");
            if one.is_some() == many.is_some() {
                shape.problem(&path, "exactly one of kind and kinds is expected");
            }
            for file in one.into_iter().chain(many.into_iter().flatten()) {
                subjects.extend(path_beside(shape, beside, &path, Some(file)));
            }
        }
        None if block.contains_key("subjects") => {}
        None => shape.problem(&within(&path, "subjects"), "it is required"),
    }
    let closed_on = shape.text(block, &path, "closedOn");
    let opened_rev = shape.text(block, &path, "openedRev");
    let closed_rev = shape.text(block, &path, "closedRev");
    Some(Session { verdicts: verdicts?, seal: seal?, subjects, closed_on, opened_rev, closed_rev })
}

fn work(
    shape: &mut Shape,
    beside: &RepoPath,
    map: &Map<String, Value>,
    known: &dyn Fn(&str) -> bool,
) -> Option<Work> {
    let keys = [
        "needs",
        "implements",
        "decisions",
        "open",
        "done",
        "closedOn",
        "acceptance",
        "tier",
        "attempts",
        "answers",
        "contract",
        "source",
    ];
    let (block, path) = shape.block(map, "", "work", &keys)?;
    let state = |shape: &mut Shape, key: &str| {
        let state = shape.needed(block, &path, key)?;
        if !known(&state) {
            shape.problem(&within(&path, key), format!("`{state}` is none of states"));
        }
        Some(state)
    };
    let file = |shape: &mut Shape, block: &Map<String, Value>, path: &str, key: &str| {
        let file = shape.text(block, path, key);
        path_beside(shape, beside, &within(path, key), file)
    };
    let (open, done) = (state(shape, "open"), state(shape, "done"));
    let needs = shape.needed(block, &path, "needs");
    let implements = shape.needed(block, &path, "implements");
    if !block.contains_key("decisions") {
        shape.problem(&within(&path, "decisions"), "it is required");
    }
    let decisions = file(shape, block, &path, "decisions");
    let acceptance =
        shape.block(block, &path, "acceptance", &["field", "implementer"]).and_then(|(block, path)| {
            let implementer = shape.text(block, &path, "implementer");
            Some(Acceptance { field: shape.needed(block, &path, "field")?, implementer })
        });
    let tier = shape.block(block, &path, "tier", &["field", "tiers"]).and_then(|(block, path)| {
        if !block.contains_key("tiers") {
            shape.problem(&within(&path, "tiers"), "it is required");
        }
        let tiers = shape.texts(block, &path, "tiers");
        Some(Tier { field: shape.needed(block, &path, "field")?, tiers: tiers? })
    });
    let attempts = shape.block(block, &path, "attempts", &["field", "max"]).map(|(block, path)| {
        let max = block.get("max").and_then(|max| {
            let whole = max.as_u64().filter(|&max| max >= 1);
            if whole.is_none() {
                shape.problem(&within(&path, "max"), "a whole number from 1 is expected");
            }
            whole
        });
        Attempts { field: shape.text(block, &path, "field"), max }
    });
    let contract = shape.block(block, &path, "contract", &["field", "kind"]).and_then(|(block, path)| {
        if !block.contains_key("kind") {
            shape.problem(&within(&path, "kind"), "it is required");
        }
        let kind = file(shape, block, &path, "kind");
        Some(Contract { field: shape.needed(block, &path, "field")?, kind: kind? })
    });
    let source = match block.get("source") {
        Some(Value::Object(_)) => shape.field(block, &path, "source"),
        _ => shape.text(block, &path, "source"),
    };
    Some(Work {
        closed_on: shape.text(block, &path, "closedOn"),
        answers: file(shape, block, &path, "answers"),
        needs: needs?,
        implements: implements?,
        decisions: decisions?,
        open: open?,
        done: done?,
        acceptance,
        tier,
        attempts,
        contract,
        source,
    })
}

/// A path that is relative to the kind file's folder and stays in the repository.
fn path_beside(shape: &mut Shape, beside: &RepoPath, path: &str, file: Option<String>) -> Option<RepoPath> {
    let file = file?;
    let joined = beside.join(&file);
    if file.starts_with('/') || joined.first() == b".." {
        shape.problem(path, format!("`{file}` leads out of the repository"));
        return None;
    }
    Some(joined)
}

fn is_kind_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}
