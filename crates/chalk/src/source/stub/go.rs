//! Stubs of Go files.
//!
//! A stub has to compile and its package has to initialise, or each test of the package is red. So an import
//! that only bodies used becomes a blank one, `init` does nothing, and the functions that a package variable
//! is worked out with keep their bodies. Constants and variables stay.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use tree_sitter::Node;

use super::edits::Edits;
use crate::source::syntax::{Descend, children, field_text, first_child, text_of, walk};

const BODY: &str = "{ panic(\"stub\") }";

/// Takes the behaviour out of the file at `root`.
pub(super) fn stub(root: Node, text: &str, edits: &mut Edits) {
    let file = File::read(root, text);
    let on_load = file.functions_on_load();
    let mut gone = Vec::new();
    for function in &file.functions {
        let Some(body) = function.child_by_field_name("body") else { continue };
        let name = field_text(*function, "name", text).unwrap_or_default();
        if name == "init" && function.kind() == "function_declaration" {
            edits.replace(body, "{}");
        } else if on_load.contains(name) {
            continue;
        } else {
            edits.replace(body, BODY);
        }
        gone.push(body.byte_range());
    }
    for body in &file.literals {
        edits.replace(*body, BODY);
        gone.push(body.byte_range());
    }
    gone.sort_by_key(|range| range.start);
    blank_imports(&file, root, &gone, edits);
}

struct File<'tree, 'text> {
    text: &'text str,
    functions: Vec<Node<'tree>>,
    /// Values of the package variables.
    values: Vec<Node<'tree>>,
    /// Bodies of function literals in those values that nothing calls while the package initialises.
    literals: Vec<Node<'tree>>,
    /// Names that the file declares for the package.
    declared: HashSet<&'text str>,
    imports: Vec<Node<'tree>>,
}

impl<'tree, 'text> File<'tree, 'text> {
    fn read(root: Node<'tree>, text: &'text str) -> Self {
        let mut file = Self {
            text,
            functions: Vec::new(),
            values: Vec::new(),
            literals: Vec::new(),
            declared: HashSet::new(),
            imports: Vec::new(),
        };
        walk(root, |node| {
            match node.kind() {
                "function_declaration" | "method_declaration" => file.functions.push(node),
                "import_spec" => file.imports.push(node),
                "var_spec" | "const_spec" => {
                    let mut cursor = node.walk();
                    let names = node.children_by_field_name("name", &mut cursor);
                    file.declared.extend(names.map(|name| text_of(name, text)));
                    file.values.extend(node.child_by_field_name("value"));
                }
                "source_file" | "import_declaration" | "import_spec_list" | "var_declaration"
                | "var_spec_list" | "const_declaration" => return Descend::Into,
                _ => {}
            }
            Descend::Past
        });
        for value in &file.values {
            collect_literals(*value, &mut file.literals);
        }
        file
    }

    /// Names of the functions and methods that may run while the package initialises.
    fn functions_on_load(&self) -> HashSet<&'text str> {
        let mut by_name: HashMap<&str, Vec<Node>> = HashMap::new();
        for function in &self.functions {
            if let Some(name) = field_text(*function, "name", self.text) {
                by_name.entry(name).or_default().push(*function);
            }
        }
        let skip: HashSet<usize> = self.literals.iter().map(Node::id).collect();
        let mut open = Vec::new();
        for value in &self.values {
            names_in(*value, self.text, &skip, &mut open);
        }
        let mut on_load = HashSet::new();
        while let Some(name) = open.pop() {
            // Taking the functions out of the map is what ends a recursion.
            for function in by_name.remove(name).unwrap_or_default() {
                on_load.insert(name);
                if let Some(body) = function.child_by_field_name("body") {
                    names_in(body, self.text, &skip, &mut open);
                }
            }
        }
        on_load
    }
}

/// Bodies of the function literals in `value`, but for those that are called or handed to a call on the spot.
fn collect_literals<'tree>(value: Node<'tree>, literals: &mut Vec<Node<'tree>>) {
    let mut called = HashSet::new();
    walk(value, |node| {
        match node.kind() {
            "call_expression" => {
                called.extend(node.child_by_field_name("function").map(|function| function.id()));
                called.extend(
                    node.child_by_field_name("arguments")
                        .map(children)
                        .unwrap_or_default()
                        .iter()
                        .map(Node::id),
                );
            }
            "parenthesized_expression" if called.contains(&node.id()) => {
                called.extend(first_child(node).map(|inner| inner.id()));
            }
            "func_literal" => {
                if !called.contains(&node.id()) {
                    literals.extend(node.child_by_field_name("body"));
                }
                return Descend::Past;
            }
            _ => {}
        }
        Descend::Into
    });
}

fn names_in<'text>(node: Node, text: &'text str, skip: &HashSet<usize>, names: &mut Vec<&'text str>) {
    walk(node, |inner| {
        if skip.contains(&inner.id()) {
            return Descend::Past;
        }
        if matches!(inner.kind(), "identifier" | "field_identifier") {
            names.push(text_of(inner, text));
        }
        Descend::Into
    });
}

/// Makes blank each import that only the bodies in `gone` used: an unused import does not compile.
fn blank_imports(file: &File, root: Node, gone: &[Range<usize>], edits: &mut Edits) {
    let mut all = HashSet::new();
    let mut kept = HashSet::new();
    walk(root, |node| {
        let package = match node.kind() {
            "selector_expression" => node.child_by_field_name("operand"),
            "qualified_type" => node.child_by_field_name("package"),
            _ => None,
        };
        if let Some(package) = package.filter(|name| name.named_child_count() == 0) {
            let name = text_of(package, file.text);
            all.insert(name);
            let next = gone.partition_point(|range| range.end <= package.start_byte());
            if gone.get(next).is_none_or(|range| range.start > package.start_byte()) {
                kept.insert(name);
            }
        }
        Descend::Into
    });
    let names: Vec<Option<&str>> =
        file.imports.iter().map(|spec| package_name(*spec, file.text, &all)).collect();
    let explained: HashSet<&str> = names.iter().flatten().copied().collect();
    let unexplained = kept.iter().any(|name| !explained.contains(name) && !file.declared.contains(name));
    for (spec, name) in file.imports.iter().zip(names) {
        let used = match name {
            Some("." | "_" | "C") => true,
            Some(name) => kept.contains(name),
            // A package may call itself anything; then it is the one behind a name that nothing else explains.
            None => unexplained,
        };
        if used {
            continue;
        }
        match (spec.child_by_field_name("name"), spec.child_by_field_name("path")) {
            (Some(alias), _) => edits.replace(alias, "_"),
            (None, Some(path)) => edits.insert(path.start_byte(), "_ "),
            (None, None) => {}
        }
    }
}

/// The name that the file uses an import by: its alias, or what of the path is among the names in use.
fn package_name<'text>(spec: Node, text: &'text str, in_use: &HashSet<&'text str>) -> Option<&'text str> {
    if let Some(alias) = field_text(spec, "name", text) {
        return Some(alias);
    }
    let path = field_text(spec, "path", text)?.trim_matches(['"', '`']);
    let mut elements = path.rsplit('/');
    let last = elements.next()?;
    if last == "C" {
        return Some(last);
    }
    let is_version = last.strip_prefix('v').is_some_and(|digits| digits.parse::<u32>().is_ok());
    let last = if is_version { elements.next().unwrap_or(last) } else { last };
    let unversioned = last.split_once(".v").map_or(last, |(name, _)| name);
    let bare = unversioned.strip_prefix("go-").unwrap_or(unversioned);
    let bare = bare.strip_suffix("-go").or_else(|| bare.strip_suffix(".go")).unwrap_or(bare);
    let candidates = [
        unversioned.to_owned(),
        bare.to_owned(),
        bare.replace('-', ""),
        bare.replace('-', "_"),
        unversioned.replace('-', ""),
        unversioned.replace('-', "_"),
        bare.rsplit(['-', '.']).next().unwrap_or(bare).to_owned(),
    ];
    candidates.iter().find_map(|candidate| in_use.get(candidate.as_str()).copied())
}
