//! What a kind's data must look like: its JSON Schema (draft 7), compiled once, never fetched.

use std::collections::BTreeSet;
use std::fmt;

use gate::Refusal;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{Draft, PatternOptions, Registry, ValidationError, Validator};
use serde_json::{Map, Value};
use store::git::RepoPath;
use store::tree::Tree;

use crate::codes;

/// How often a pattern of a schema may try another way before the value counts as not matching.
const BACKTRACKS: usize = 100_000;

/// Where a kind's schema lies.
pub(super) struct SchemaFile {
    pub(super) id: String,
    pub(super) file: RepoPath,
    pub(super) refs: Vec<(String, RepoPath)>,
}

/// A compiled schema.
pub struct Schema {
    /// Its `$id`.
    pub id: String,
    /// Its text, which says in which order fields are written.
    pub text: Value,
    refs: Vec<(String, Value)>,
    validator: Option<Validator>,
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Schema").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Schema {
    /// In the place of a schema that is yet to be loaded.
    pub(super) fn none() -> Self {
        Self { id: String::new(), text: Value::Null, refs: Vec::new(), validator: None }
    }

    /// The texts of a schema and of those that it refers to by their ids.
    pub(super) fn texts(
        tree: &dyn Tree,
        named: &SchemaFile,
    ) -> Result<(Value, Vec<(String, Value)>), Refusal> {
        let text = read(tree, &named.id, &named.file)?;
        let mut refs = Vec::new();
        for (id, file) in &named.refs {
            refs.push((id.clone(), read(tree, id, file)?));
        }
        Ok((text, refs))
    }

    pub(super) fn load(tree: &dyn Tree, named: &SchemaFile) -> Result<Self, Refusal> {
        let (text, refs) = Self::texts(tree, named)?;
        let validator = compile(&text, &refs).map_err(|why| {
            Refusal::new(codes::SCHEMA_INVALID, format!("schema {} does not compile: {why}", named.file))
        })?;
        Ok(Self { id: named.id.clone(), text, refs, validator: Some(validator) })
    }

    /// What is wrong with a record's data, in one line; none if nothing is.
    pub fn problems(&self, data: &Value) -> Option<String> {
        let validator = self.validator.as_ref()?;
        if validator.is_valid(data) {
            return None;
        }
        let mut said = BTreeSet::new();
        let mut lines = Vec::new();
        for error in validator.iter_errors(data) {
            let line = self
                .branch(&error, data)
                .unwrap_or_else(|| line(error.instance_path().as_str(), &message(&error)));
            if said.insert(line.clone()) {
                lines.push(line);
            }
        }
        Some(lines.join("; "))
    }

    /// The fields in the order in which a new record has them: those required, then the others that are known.
    pub fn order(&self) -> Vec<&str> {
        let required = self.text["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let known = self.text["properties"].as_object().into_iter().flat_map(Map::keys).map(String::as_str);
        let mut order = Vec::new();
        for field in required.chain(known) {
            if !order.contains(&field) {
                order.push(field);
            }
        }
        order
    }

    /// Whether the schema knows a field of this name.
    pub fn knows(&self, field: &str) -> bool {
        self.text["properties"].get(field).is_some()
    }

    /// What the author of the schema says of a failed `then` or `else`, in place of the errors within it.
    fn branch(&self, error: &ValidationError, data: &Value) -> Option<String> {
        let path = error.evaluation_path().as_str().split('/').skip(1).map(unescape).collect::<Vec<_>>();
        let mut document = &self.text;
        let mut schema = document;
        // After these a segment is a name of the author's and no keyword.
        let mut is_name = false;
        let mut found: Option<(&str, usize)> = None;
        let mut deeper = 0;
        for part in &path {
            if part == "$ref" && !is_name {
                (document, schema) = self.referenced(document, schema.get("$ref")?.as_str()?)?;
                continue;
            }
            if found.is_some() {
                let by_name = matches!(
                    part.as_str(),
                    "items" | "additionalItems" | "additionalProperties" | "contains"
                );
                deeper += usize::from(is_name || by_name);
            }
            let keyword = !is_name;
            is_name = keyword && matches!(part.as_str(), "properties" | "patternProperties");
            schema = match schema {
                Value::Array(items) => items.get(part.parse::<usize>().ok()?)?,
                other => match other.get(part) {
                    Some(inner) => inner,
                    None => break,
                },
            };
            if keyword && found.is_none() && matches!(part.as_str(), "then" | "else") {
                found = schema.get("description").and_then(Value::as_str).map(|text| (text, 0));
                deeper = 0;
            }
        }
        let (description, _) = found?;
        let instance: Vec<_> = error.instance_path().as_str().split('/').skip(1).map(unescape).collect();
        let checked = &instance[..instance.len().saturating_sub(deeper)];
        let object = checked.iter().try_fold(data, |value, part| match value {
            Value::Array(items) => items.get(part.parse::<usize>().ok()?),
            other => other.get(part),
        });
        Some(filled(description, object.unwrap_or(&Value::Null)))
    }

    fn referenced<'s>(&'s self, document: &'s Value, reference: &str) -> Option<(&'s Value, &'s Value)> {
        let (id, pointer) = reference.split_once('#').unwrap_or((reference, ""));
        let document = match id {
            "" => document,
            id => self.refs.iter().find(|(known, _)| known == id).map(|(_, text)| text)?,
        };
        Some((document, document.pointer(pointer)?))
    }
}

fn read(tree: &dyn Tree, id: &str, file: &RepoPath) -> Result<Value, Refusal> {
    let unreadable = |why: String| Refusal::new(codes::SCHEMA_UNREADABLE, format!("schema {file} {why}"));
    let bytes = match tree.read(file) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Err(unreadable("does not exist".into())),
        Err(error) => return Err(unreadable(format!("can't be read: {error}"))),
    };
    let text = std::str::from_utf8(&bytes).map_err(|_| unreadable("is not UTF-8".into()))?;
    let schema: Value = serde_json::from_str(text).map_err(|error| {
        unreadable(format!("is not JSON: {error}")).at(
            file.to_path(),
            Some(error.line()),
            Some(error.column()),
        )
    })?;
    let found = schema.get("$id").and_then(Value::as_str);
    if found != Some(id) {
        let found = found.map_or_else(|| "no $id".to_owned(), |found| format!("the $id {found}"));
        let message = format!("schema {file} has {found}, and the kind names {id}");
        return Err(Refusal::new(codes::SCHEMA_ID_MISMATCH, message));
    }
    Ok(schema)
}

fn compile(schema: &Value, refs: &[(String, Value)]) -> Result<Validator, String> {
    let options = || {
        jsonschema::options()
            .with_draft(Draft::Draft7)
            .offline()
            .should_validate_formats(false)
            .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(BACKTRACKS))
    };
    if refs.is_empty() {
        return options().build(schema).map_err(|error| error.to_string());
    }
    let mut registry = Registry::new().draft(Draft::Draft7);
    for (id, text) in refs {
        registry = registry.add(id, text.clone()).map_err(|error| error.to_string())?;
    }
    let registry = registry.prepare().map_err(|error| error.to_string())?;
    options().with_registry(&registry).build(schema).map_err(|error| error.to_string())
}

fn line(path: &str, message: &str) -> String {
    format!("{} {message}", if path.is_empty() { "/" } else { path })
}

fn unescape(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~")
}

/// The text with each `{field}` replaced by the string that the object has there.
fn filled(text: &str, object: &Value) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        let (before, from) = rest.split_at(open);
        filled.push_str(before);
        let value = from.find('}').and_then(|end| Some((end, object.get(&from[1..end])?.as_str()?)));
        if let Some((end, value)) = value {
            filled.push_str(value);
            rest = &from[end + 1..];
        } else {
            filled.push('{');
            rest = &from[1..];
        }
    }
    filled + rest
}

/// An error in the words that schema validators share.
fn message(error: &ValidationError) -> String {
    use ValidationErrorKind as Kind;
    let shown = |value: &Value| canon::text::clip(&value.to_string(), 120);
    match error.kind() {
        Kind::Required { property } => {
            format!("must have required property '{}'", property.as_str().unwrap_or_default())
        }
        Kind::AdditionalProperties { unexpected } => {
            format!("must NOT have additional properties ({})", unexpected.join(", "))
        }
        Kind::Type { kind: TypeKind::Single(kind) } => format!("must be {kind}"),
        Kind::Type { kind: TypeKind::Multiple(kinds) } => {
            let kinds: Vec<_> = kinds.iter().map(|kind| kind.to_string()).collect();
            format!("must be {}", kinds.join(","))
        }
        Kind::Enum { options } => format!("must be one of {}", shown(options)),
        Kind::Constant { expected_value } => format!("must be {}", shown(expected_value)),
        Kind::Pattern { pattern } => format!("must match pattern \"{pattern}\""),
        Kind::BacktrackLimitExceeded { .. } => {
            "can't be matched against its pattern within bounds".to_owned()
        }
        Kind::MinLength { limit } => format!("must NOT have fewer than {limit} characters"),
        Kind::MaxLength { limit } => format!("must NOT have more than {limit} characters"),
        Kind::MinItems { limit } => format!("must NOT have fewer than {limit} items"),
        Kind::MaxItems { limit } => format!("must NOT have more than {limit} items"),
        Kind::MinProperties { limit } => format!("must NOT have fewer than {limit} properties"),
        Kind::MaxProperties { limit } => format!("must NOT have more than {limit} properties"),
        Kind::Minimum { limit } => format!("must be >= {limit}"),
        Kind::Maximum { limit } => format!("must be <= {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("must be > {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("must be < {limit}"),
        Kind::UniqueItems => "must NOT have duplicate items".to_owned(),
        Kind::AnyOf { .. } => "must match a schema in anyOf".to_owned(),
        Kind::OneOfNotValid { .. } | Kind::OneOfMultipleValid { .. } => {
            "must match exactly one schema in oneOf".to_owned()
        }
        Kind::Not { .. } => "must NOT be valid".to_owned(),
        Kind::FalseSchema => "must not be there".to_owned(),
        other => format!("breaks {}", other.keyword()),
    }
}
