//! The module syntax of JavaScript and TypeScript, old and new.

use tree_sitter::Node;

use super::literals::plain_content;
use super::{Import, ImportKind};
use crate::source::syntax::{Descend, children, field_text, first_child, line_of, text_of, walk};

pub(super) fn imports(root: Node, text: &str) -> Vec<Import> {
    let mut found = Vec::new();
    // `const { a } = require("m")`: the call is met after the declaration that holds its names.
    let mut taken_apart: Option<(usize, Vec<String>)> = None;
    walk(root, |node| {
        match node.kind() {
            "import_statement" => found.extend(import_statement(node, text)),
            "export_statement" => found.extend(export_from(node, text)),
            "variable_declarator" => taken_apart = names_taken_apart(node, text),
            "call_expression" => {
                if let Some(module) = module_of_call(node, text) {
                    let names = match taken_apart.take() {
                        Some((call, names)) if call == node.id() => names,
                        _ => Vec::new(),
                    };
                    found.push(Import::new(module, line_of(node), ImportKind::Import).with_names(names));
                }
            }
            _ => {}
        }
        Descend::Into
    });
    found
}

fn import_statement(node: Node, text: &str) -> Option<Import> {
    let parts = children(node);
    let source = node.child_by_field_name("source").or_else(|| {
        parts
            .iter()
            .find(|part| part.kind() == "import_require_clause")
            .and_then(|clause| clause.child_by_field_name("source"))
    })?;
    let mut names = Vec::new();
    for clause in parts.iter().filter(|part| part.kind() == "import_clause") {
        for item in children(*clause) {
            match item.kind() {
                "namespace_import" => names.push("*".to_owned()),
                "named_imports" => {
                    for specifier in children(item) {
                        push_names(specifier, text, &mut names);
                    }
                }
                _ => names.push("default".to_owned()),
            }
        }
    }
    Some(Import::new(plain_content(source, text)?, line_of(node), ImportKind::Import).with_names(names))
}

fn export_from(node: Node, text: &str) -> Option<Import> {
    let source = node.child_by_field_name("source")?;
    let mut names = Vec::new();
    let mut listed = false;
    for item in children(node) {
        match item.kind() {
            "export_clause" => {
                listed = true;
                for specifier in children(item) {
                    push_names(specifier, text, &mut names);
                }
            }
            "namespace_export" => {
                names.extend(children(item).first().map(|name| text_of(*name, text).to_owned()));
            }
            _ => {}
        }
    }
    if !listed {
        names.insert(0, "*".to_owned());
    }
    Some(Import::new(plain_content(source, text)?, line_of(node), ImportKind::Reexport).with_names(names))
}

/// The names of `a as b`, both.
fn push_names(specifier: Node, text: &str, names: &mut Vec<String>) {
    for field in ["name", "alias"] {
        names.extend(field_text(specifier, field, text).map(str::to_owned));
    }
}

/// The module that `require("m")`, `require.resolve("m")` or `import("m")` names by a plain string.
pub(in crate::source) fn module_of_call(call: Node, text: &str) -> Option<String> {
    let function = call.child_by_field_name("function")?;
    let loads = match function.kind() {
        "import" => true,
        "identifier" => text_of(function, text) == "require",
        "member_expression" => text_of(function, text) == "require.resolve",
        _ => false,
    };
    if !loads {
        return None;
    }
    plain_content(*children(call.child_by_field_name("arguments")?).first()?, text)
}

/// Of `const { a, b: c } = call`, the call's node and the names on the module's side.
fn names_taken_apart(declarator: Node, text: &str) -> Option<(usize, Vec<String>)> {
    let pattern = declarator.child_by_field_name("name").filter(|name| name.kind() == "object_pattern")?;
    let mut value = declarator.child_by_field_name("value")?;
    if value.kind() == "await_expression" {
        value = first_child(value)?;
    }
    let names = children(pattern)
        .into_iter()
        .map(|item| match item.kind() {
            "rest_pattern" => "*",
            "pair_pattern" => field_text(item, "key", text).unwrap_or("*"),
            "object_assignment_pattern" => field_text(item, "left", text).unwrap_or("*"),
            _ => text_of(item, text),
        })
        .map(str::to_owned)
        .collect();
    Some((value.id(), names))
}
