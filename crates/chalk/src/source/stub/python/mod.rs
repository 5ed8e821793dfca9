//! Stubs of Python modules.
//!
//! The hard part is what runs on import. Declarative code (a base class that a call makes, a type variable, the
//! columns of a table class) has to keep working, so: class bodies keep all but their methods' bodies; a module
//! variable that such code needs keeps its value, and a function that is called on the way keeps its body.
//! Everything else of the module's own doing goes: constants get another value of their type, computed values
//! become `None`, statements become `pass`.

mod module;

use std::collections::HashSet;

use tree_sitter::Node;

use super::edits::Edits;
use crate::source::syntax::{children, field_text, first_child, text_of};
use module::{
    Module, is_dunder, names_assigned_below, names_bound_by, parts_of_compound, root_name, stays_on_import,
    targets_and_value,
};

/// How deep blocks and values are followed; what lies deeper stays, or becomes `None`.
const MAX_DEPTH: usize = 100;

/// Takes the behaviour out of the module at `root`.
pub(super) fn stub<'text>(root: Node, text: &'text str, edits: &mut Edits<'text>) {
    let module = Module::read(root, text);
    let on_import = module.needed_on_import();
    Stub { text, edits, module: &module, on_import: &on_import }.block(root, Place::Module, 0);
}

/// What a statement stands in.
#[derive(Clone, Copy)]
enum Place<'tree> {
    Module,
    Class(Node<'tree>),
}

struct Stub<'a, 'tree, 'text> {
    text: &'text str,
    edits: &'a mut Edits<'text>,
    module: &'a Module<'tree, 'text>,
    on_import: &'a HashSet<&'text str>,
}

impl Stub<'_, '_, '_> {
    fn block(&mut self, block: Node, place: Place, depth: usize) {
        if depth < MAX_DEPTH {
            for statement in children(block) {
                self.statement(statement, place, depth);
            }
        }
    }

    fn statement(&mut self, node: Node, place: Place, depth: usize) {
        match node.kind() {
            "decorated_definition" => {
                for decorator in children(node).into_iter().filter(|child| child.kind() == "decorator") {
                    if self.module.is_local_decorator(decorator) {
                        self.edits.replace(decorator, "");
                    }
                }
                if let Some(definition) = node.child_by_field_name("definition") {
                    self.statement(definition, place, depth);
                }
            }
            "function_definition" => self.function(node, place),
            "class_definition" => {
                if let Some(body) = node.child_by_field_name("body") {
                    self.block(body, Place::Class(node), depth + 1);
                }
            }
            "if_statement" | "try_statement" | "with_statement" => {
                for block in parts_of_compound(node).0 {
                    self.block(block, place, depth + 1);
                }
            }
            _ if matches!(place, Place::Class(_)) => {}
            "import_statement"
            | "import_from_statement"
            | "future_import_statement"
            | "pass_statement"
            | "type_alias_statement"
            | "global_statement" => {}
            "expression_statement" => self.expression_statement(node, depth),
            _ => {
                let names = names_assigned_below(node, self.text);
                if !names.iter().any(|name| self.on_import.contains(name)) {
                    self.without_value(node, &names);
                }
            }
        }
    }

    fn function(&mut self, node: Node, place: Place) {
        let name = field_text(node, "name", self.text).unwrap_or_default();
        let stays = match place {
            Place::Module => self.on_import.contains(name),
            Place::Class(class) => self.module.runs_on_import(class, name),
        };
        if stays {
            return;
        }
        if let Some(body) = node.child_by_field_name("body") {
            self.edits.replace(body, "return None");
        }
    }

    fn expression_statement(&mut self, node: Node, depth: usize) {
        match first_child(node) {
            Some(assignment) if assignment.kind() == "assignment" => self.assignment(assignment, depth),
            _ if stays_on_import(node, self.text) => {}
            _ => self.edits.replace(node, "pass"),
        }
    }

    fn assignment(&mut self, node: Node, depth: usize) {
        let (targets, Some(value)) = targets_and_value(node) else { return };
        let names: Vec<&str> = targets.iter().flat_map(|target| names_bound_by(*target, self.text)).collect();
        if names.iter().any(|name| is_dunder(name) || self.on_import.contains(name)) {
            return;
        }
        match targets.iter().find(|target| target.kind() != "identifier") {
            None => self.value(value, depth),
            Some(target) if matches!(target.kind(), "attribute" | "subscript") => {
                let owner = root_name(*target, self.text);
                if self.module.functions.contains_key(owner) || self.module.classes.contains(owner) {
                    self.value(value, depth);
                } else if self.module.is_own(owner) {
                    self.without_value(node, &names);
                }
            }
            Some(target) if is_pairwise(*target, value) && targets.len() == 1 => {
                for item in children(value) {
                    self.value(item, depth + 1);
                }
            }
            Some(_) => self.without_value(node, &names),
        }
    }

    /// Puts `a = b = None` in the place of `node`, or `pass` when it binds no name.
    fn without_value(&mut self, node: Node, names: &[&str]) {
        let mut seen = HashSet::new();
        let mut line = String::new();
        for name in names.iter().filter(|name| seen.insert(**name)) {
            if !self.module.functions.contains_key(name) && !self.module.classes.contains(name) {
                line.push_str(name);
                line.push_str(" = ");
            }
        }
        self.edits.replace(node, if line.is_empty() { "pass".to_owned() } else { line + "None" });
    }

    fn value(&mut self, node: Node, depth: usize) {
        if let Some(other) = other_literal(node, self.text) {
            self.edits.replace(node, other);
            return;
        }
        match node.kind() {
            "none" | "identifier" => {}
            _ if depth >= MAX_DEPTH => self.edits.replace(node, "None"),
            "parenthesized_expression" | "pair" => {
                if let Some(inner) = node.child_by_field_name("value").or_else(|| first_child(node)) {
                    self.value(inner, depth + 1);
                }
            }
            "list" | "tuple" | "set" | "dictionary" => {
                let items = children(node);
                if items.iter().any(|item| item.kind().ends_with("splat")) {
                    self.edits.replace(
                        node,
                        match node.kind() {
                            "list" => "[]",
                            "tuple" => "()",
                            "set" => "set()",
                            _ => "{}",
                        },
                    );
                } else {
                    for item in items {
                        self.value(item, depth + 1);
                    }
                }
            }
            "lambda" => {
                if let Some(body) = node.child_by_field_name("body") {
                    self.edits.replace(body, "None");
                }
            }
            "call" => {
                let makes_collection = field_text(node, "function", self.text)
                    .is_some_and(|name| matches!(name, "dict" | "list" | "set" | "frozenset" | "tuple"));
                match node.child_by_field_name("arguments").filter(|_| makes_collection) {
                    Some(arguments) => self.edits.replace(arguments, "()"),
                    None => self.edits.replace(node, "None"),
                }
            }
            _ => self.edits.replace(node, "None"),
        }
    }
}

/// A literal of the same type as `node` with another value; `None` when `node` is no such literal.
fn other_literal(node: Node, text: &str) -> Option<&'static str> {
    let written = text_of(node, text);
    Some(match node.kind() {
        "string" | "concatenated_string" => {
            let prefix = written.split(['"', '\'']).next().unwrap_or_default();
            let is_empty = written[prefix.len()..].chars().all(|quote| matches!(quote, '"' | '\''));
            match (prefix.contains(['b', 'B']), is_empty) {
                (true, true) => "b\"stub\"",
                (true, false) => "b\"\"",
                (false, true) => "\"stub\"",
                (false, false) => "\"\"",
            }
        }
        "integer" if written == "0" => "1",
        "integer" => "0",
        "float" if written.trim_matches(['0', '.']).is_empty() => "1.0",
        "float" => "0.0",
        "unary_operator" => {
            return other_literal(node.child_by_field_name("argument")?, text).filter(|_| {
                node.child_by_field_name("argument")
                    .is_some_and(|of| matches!(of.kind(), "integer" | "float"))
            });
        }
        "true" => "False",
        "false" => "True",
        _ => return None,
    })
}

/// Whether a list of names stands against a list of as many values.
fn is_pairwise(target: Node, value: Node) -> bool {
    let names = children(target);
    matches!(value.kind(), "expression_list" | "tuple" | "list")
        && names.len() == value.named_child_count()
        && names.iter().all(|name| name.kind() == "identifier")
        && children(value).iter().all(|item| !item.kind().ends_with("splat"))
}
