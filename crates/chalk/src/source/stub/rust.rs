//! Stubs of Rust files.
//!
//! A stub has to compile, or each test of the crate is red. So constants and macros stay as they are; a
//! `const fn` that a constant of the file needs stays, since its panic would be an error of the compiler; and a
//! function that returns an opaque type keeps its body, unless it is one that can be made out of nothing. Tests
//! inside the file stay, since they may be the tests that are asked about.

use std::collections::{HashMap, HashSet};

use tree_sitter::Node;

use super::edits::Edits;
use crate::source::syntax::{Descend, children, field_text, text_of, walk};

/// Takes the behaviour out of the file at `root`.
pub(super) fn stub(root: Node, text: &str, edits: &mut Edits) {
    let on_compile = const_functions_on_compile(root, text);
    let mut of_test = false;
    let mut drop_impl_end = 0;
    walk(root, |node| {
        if node.is_extra() {
            return Descend::Past;
        }
        if node.kind() == "attribute_item" {
            of_test |= marks_test(text_of(node, text));
            return Descend::Past;
        }
        if std::mem::take(&mut of_test) {
            return Descend::Past;
        }
        match node.kind() {
            "source_file" | "mod_item" | "trait_item" | "declaration_list" => Descend::Into,
            "impl_item" => {
                if field_text(node, "trait", text)
                    .is_some_and(|name| name.rsplit("::").next() == Some("Drop"))
                {
                    drop_impl_end = node.end_byte();
                }
                Descend::Into
            }
            "function_item" => {
                let body = node.child_by_field_name("body");
                // A value of the type may be dropped by a test that only makes one, and a panic there aborts.
                let stub = if node.start_byte() < drop_impl_end { Some("{}") } else { body_for(node, text) };
                let stays = is_const(node, text)
                    && field_text(node, "name", text).is_some_and(|name| on_compile.contains(name));
                if let (Some(body), Some(stub), false) = (body, stub, stays) {
                    edits.replace(body, stub);
                }
                Descend::Past
            }
            _ => Descend::Past,
        }
    });
    allow_unused(root, text, edits);
}

/// Unused parameters and imports are no errors in a stub, whatever the crate says of them.
fn allow_unused(root: Node, text: &str, edits: &mut Edits) {
    const ALLOW: &str = "#![allow(warnings, unused)]";
    let line_end = edits.line_end();
    let head = children_with_comments(root)
        .into_iter()
        .filter(|child| matches!(child.kind(), "shebang" | "inner_attribute_item"))
        .map(|child| child.end_byte())
        .max();
    match head {
        Some(end) if text[..end].ends_with('\n') => edits.insert(end, format!("{ALLOW}{line_end}")),
        Some(end) => edits.insert(end, format!("{line_end}{ALLOW}")),
        None => {
            let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
            edits.insert(start, format!("{ALLOW}{line_end}"));
        }
    }
}

fn children_with_comments(node: Node) -> Vec<Node> {
    let mut cursor = node.walk();
    node.children(&mut cursor).collect()
}

/// Whether an attribute makes its item a test or part of the test build only.
fn marks_test(attribute: &str) -> bool {
    let written: String = attribute.split_whitespace().collect();
    let inner = written.trim_start_matches("#[").trim_end_matches(']');
    if let Some(condition) = inner.strip_prefix("cfg(") {
        return condition.split(['(', ')', ',']).any(|word| word == "test")
            && !condition.contains("not(test");
    }
    let name = inner.split(['(', '=']).next().unwrap_or_default();
    matches!(name.rsplit("::").next(), Some("test" | "rstest" | "test_case" | "bench"))
}

/// The body that takes the place of the function's own, or `None` where it has to stay.
fn body_for(function: Node, text: &str) -> Option<&'static str> {
    let opaque = function.child_by_field_name("return_type").map_or(0, count_opaque);
    match opaque {
        0 if is_const(function, text) => Some("{ panic!() }"),
        0 => Some("{ unimplemented!() }"),
        1 => opaque_body(function.child_by_field_name("return_type")?, text),
        _ => None,
    }
}

fn count_opaque(node: Node) -> usize {
    let mut count = 0;
    walk(node, |inner| {
        count += usize::from(inner.kind() == "abstract_type");
        Descend::Into
    });
    count
}

/// A body for `impl Iterator` and `impl Future`, the two opaque types that can be had without a value, as long
/// as nothing else is asked of them.
fn opaque_body(return_type: Node, text: &str) -> Option<&'static str> {
    let mut bounds = vec![return_type];
    let mut body = None;
    while let Some(bound) = bounds.pop() {
        match (bound.kind(), text_of(bound, text)) {
            ("bounded_type", _) => bounds.extend(children(bound)),
            ("abstract_type", _) => {
                let name = bound.child_by_field_name("trait")?;
                let name = name.child_by_field_name("type").unwrap_or(name);
                body = Some(match text_of(name, text).rsplit("::").next()? {
                    "Iterator" => "{ ::core::iter::from_fn(|| unimplemented!()) }",
                    "Future" => "{ async { unimplemented!() } }",
                    _ => return None,
                });
            }
            ("lifetime" | "use_bounds", _) | (_, "Send" | "Sync" | "Unpin") => {}
            _ => return None,
        }
    }
    body
}

fn is_const(function: Node, text: &str) -> bool {
    children(function)
        .into_iter()
        .filter(|child| child.kind() == "function_modifiers")
        .any(|modifiers| text_of(modifiers, text).split_whitespace().any(|word| word == "const"))
}

/// Names of the `const` functions that the compiler may run for this file's constants, directly or through
/// others.
fn const_functions_on_compile<'text>(root: Node, text: &'text str) -> HashSet<&'text str> {
    let mut open = Vec::new();
    let mut functions: HashMap<&str, Vec<Node>> = HashMap::new();
    walk(root, |node| {
        let constant = match node.kind() {
            "const_item" | "static_item" | "enum_variant" => node.child_by_field_name("value"),
            "array_type" => node.child_by_field_name("length"),
            "const_block" => Some(node),
            _ => None,
        };
        if let Some(constant) = constant {
            names_in(constant, text, &mut open);
            return Descend::Past;
        }
        if node.kind() == "function_item"
            && is_const(node, text)
            && let Some(name) = field_text(node, "name", text)
        {
            functions.entry(name).or_default().push(node);
        }
        Descend::Into
    });
    let mut needed = HashSet::new();
    while let Some(name) = open.pop() {
        // Taking the functions out of the map is what ends a recursion.
        for function in functions.remove(name).unwrap_or_default() {
            needed.insert(name);
            if let Some(body) = function.child_by_field_name("body") {
                names_in(body, text, &mut open);
            }
        }
    }
    needed
}

fn names_in<'text>(node: Node, text: &'text str, names: &mut Vec<&'text str>) {
    walk(node, |inner| {
        if matches!(inner.kind(), "identifier" | "field_identifier") {
            names.push(text_of(inner, text));
        }
        Descend::Into
    });
}
