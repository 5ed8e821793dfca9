//! Stubs of JavaScript and TypeScript modules.
//!
//! A module's body is code, so all of it but declarations, exports and `module.exports` goes. A constant keeps
//! its type and gets another value, since an importer may read a property of it on load and a test may assert
//! its value. What a call, an operator or a property access computes is `undefined`: after the stubs, such an
//! expression could throw.

use std::collections::HashSet;

use tree_sitter::Node;

use super::edits::Edits;
use crate::source::imports::module_of_call;
use crate::source::syntax::{children, field_text, first_child, text_of};

/// How deep values and namespaces are followed; what lies deeper becomes `undefined`.
const MAX_DEPTH: usize = 100;

/// Takes the behaviour out of the module at `root`.
pub(super) fn stub<'text>(root: Node, text: &'text str, edits: &mut Edits<'text>) {
    let mut stub = Stub { text, edits, undefined: HashSet::new(), local: HashSet::new() };
    stub.statements(root, 0);
}

/// Switches the type check of the file off: a body of nothing returns no value of the declared type, and a test
/// runner that checks types would report that instead of running the test.
pub(super) fn silence_types(root: Node, text: &str, edits: &mut Edits) {
    let line_end = edits.line_end();
    let start = match first_child(root).filter(|first| first.kind() == "hash_bang_line") {
        Some(_) => text.find('\n').map_or(text.len(), |end| end + 1),
        None if text.starts_with('\u{feff}') => '\u{feff}'.len_utf8(),
        None => 0,
    };
    edits.insert(start, format!("// @ts-nocheck{line_end}"));
}

struct Stub<'a, 'text> {
    text: &'text str,
    edits: &'a mut Edits<'text>,
    /// Variables of the module that have become `undefined`.
    undefined: HashSet<&'text str>,
    /// Functions and classes of the module.
    local: HashSet<&'text str>,
}

impl<'text> Stub<'_, 'text> {
    fn text_of(&self, node: Node) -> &'text str {
        text_of(node, self.text)
    }

    fn statements(&mut self, block: Node, depth: usize) {
        let statements = children(block);
        for statement in &statements {
            let declaration = statement.child_by_field_name("declaration").unwrap_or(*statement);
            if is_function_or_class(declaration) {
                self.local.extend(field_text(declaration, "name", self.text));
            }
        }
        for statement in statements {
            self.statement(statement, depth);
        }
    }

    fn statement(&mut self, node: Node, depth: usize) {
        match node.kind() {
            "hash_bang_line"
            | "import_statement"
            | "empty_statement"
            | "interface_declaration"
            | "type_alias_declaration"
            | "enum_declaration"
            | "ambient_declaration"
            | "function_signature"
            | "import_alias" => {}
            "function_declaration" | "generator_function_declaration" => self.function(node, false),
            "class_declaration" | "abstract_class_declaration" => self.class(node, depth),
            "lexical_declaration" | "variable_declaration" => {
                for declarator in children(node) {
                    self.declarator(declarator, depth);
                }
            }
            "export_statement" => self.export(node, depth),
            "internal_module" | "module" if depth < MAX_DEPTH => {
                if let Some(body) = node.child_by_field_name("body") {
                    self.statements(body, depth + 1);
                }
            }
            "expression_statement" => self.expression_statement(node, depth),
            // A semicolon, not nothing: the lines around must not grow together.
            _ => self.edits.replace(node, ";"),
        }
    }

    fn export(&mut self, node: Node, depth: usize) {
        self.decorators(node);
        if let Some(declaration) = node.child_by_field_name("declaration") {
            self.statement(declaration, depth);
        } else if let Some(value) = node.child_by_field_name("value") {
            self.value(value, "undefined", depth);
        } else if let Some(value) = after_equals_sign(node) {
            self.value(value, "{}", depth);
        }
    }

    fn expression_statement(&mut self, node: Node, depth: usize) {
        let Some(expression) = first_child(node) else { return };
        match expression.kind() {
            // A directive such as `"use strict"`.
            "string" => {}
            "internal_module" => self.statement(expression, depth),
            "assignment_expression" if self.is_kept_target(expression) => self.assignment(expression, depth),
            "call_expression" if self.loads_module(expression) || self.marks_module(expression) => {}
            _ => self.edits.replace(node, ";"),
        }
    }

    /// `Object.defineProperty(exports, "__esModule", { value: true })`, which tells an importer how to read the
    /// exports.
    fn marks_module(&self, call: Node) -> bool {
        field_text(call, "function", self.text) == Some("Object.defineProperty")
            && field_text(call, "arguments", self.text).is_some_and(|all| all.contains("__esModule"))
    }

    fn loads_module(&self, expression: Node) -> bool {
        let mut node = expression;
        loop {
            let inner = match node.kind() {
                "call_expression" => return module_of_call(node, self.text).is_some(),
                "member_expression" => node.child_by_field_name("object"),
                "await_expression" | "parenthesized_expression" => first_child(node),
                _ => return false,
            };
            let Some(inner) = inner else { return false };
            node = inner;
        }
    }

    /// Whether the target of an assignment still exists after the stub, so that the assignment cannot throw.
    fn is_kept_target(&self, assignment: Node) -> bool {
        let Some(target) = assignment.child_by_field_name("left") else { return false };
        if target.kind() == "identifier" {
            return true;
        }
        if self.text_of(target) == "module.exports" {
            return true;
        }
        let Some(object) = target.child_by_field_name("object") else { return false };
        let name = self.text_of(object);
        matches!(name, "exports" | "module.exports")
            || self.local.contains(name.strip_suffix(".prototype").unwrap_or(name))
    }

    fn assignment(&mut self, node: Node, depth: usize) {
        let (Some(target), Some(value)) =
            (node.child_by_field_name("left"), node.child_by_field_name("right"))
        else {
            return;
        };
        // An importer may take the exports apart, which `undefined` does not allow.
        let otherwise = if self.text_of(target) == "module.exports" { "{}" } else { "undefined" };
        let kept =
            if value.kind() == "assignment_expression" && self.is_kept_target(value) && depth < MAX_DEPTH {
                self.assignment(value, depth + 1);
                true
            } else {
                self.value(value, otherwise, depth)
            };
        if !kept && target.kind() == "identifier" {
            self.undefined.insert(self.text_of(target));
        }
    }

    fn declarator(&mut self, node: Node, depth: usize) {
        let (Some(name), Some(value)) = (node.child_by_field_name("name"), node.child_by_field_name("value"))
        else {
            return;
        };
        if name.kind() == "identifier" {
            if !self.value(value, "undefined", depth) {
                self.undefined.insert(self.text_of(name));
            }
        } else if !self.loads_module(value) {
            // Nothing is left to take apart, so each name is declared by itself.
            let names = bound_names(name, self.text);
            self.undefined.extend(&names);
            if names.is_empty() {
                self.edits.replace(value, if name.kind() == "array_pattern" { "[]" } else { "{}" });
            } else {
                let each: Vec<String> = names.iter().map(|name| format!("{name} = undefined")).collect();
                self.edits.replace(node, each.join(", "));
            }
        }
    }

    /// Stubs the expression `node`, with `otherwise` for what cannot be kept; whether something was kept.
    fn value(&mut self, node: Node, otherwise: &str, depth: usize) -> bool {
        if let Some(other) = other_literal(node, self.text) {
            self.edits.replace(node, other);
            return true;
        }
        let inner = match node.kind() {
            "null" | "this" => return true,
            "identifier" if !self.undefined.contains(self.text_of(node)) => return true,
            "arrow_function" | "function_expression" | "generator_function" => {
                self.function(node, false);
                return true;
            }
            _ if self.loads_module(node) => return true,
            _ if depth >= MAX_DEPTH => None,
            "class" => {
                self.class(node, depth);
                return true;
            }
            "array" if children(node).iter().all(|item| item.kind() != "spread_element") => {
                for item in children(node) {
                    self.value(item, "undefined", depth + 1);
                }
                return true;
            }
            "array" => {
                self.edits.replace(node, "[]");
                return true;
            }
            "object" => {
                for member in children(node) {
                    self.member(member, depth + 1);
                }
                return true;
            }
            "parenthesized_expression" | "as_expression" | "satisfies_expression" | "non_null_expression" => {
                first_child(node)
            }
            "type_assertion" => children(node).last().copied(),
            "call_expression" => match field_text(node, "function", self.text) {
                Some("Object.freeze" | "Object.seal") => {
                    node.child_by_field_name("arguments").and_then(first_child)
                }
                Some("Symbol" | "Symbol.for") => return true,
                _ => None,
            },
            "new_expression" if self.empty_collection(node) => return true,
            _ => None,
        };
        if let Some(inner) = inner {
            return self.value(inner, otherwise, depth + 1);
        }
        self.edits.replace(node, otherwise);
        otherwise != "undefined"
    }

    /// Keeps `new Map(...)` and its kind, without what they are filled with.
    fn empty_collection(&mut self, node: Node) -> bool {
        let collection = field_text(node, "constructor", self.text)
            .is_some_and(|name| matches!(name, "Map" | "Set" | "WeakMap" | "WeakSet"));
        if let Some(arguments) = node.child_by_field_name("arguments").filter(|_| collection) {
            self.edits.replace(arguments, "()");
        }
        collection
    }

    /// A member of an object literal.
    fn member(&mut self, node: Node, depth: usize) {
        match node.kind() {
            "pair" => {
                if let Some(key) = node.child_by_field_name("key") {
                    self.computed_name(key);
                }
                if let Some(value) = node.child_by_field_name("value") {
                    self.value(value, "undefined", depth);
                }
            }
            "method_definition" => self.method(node, false),
            "spread_element" => {
                if let Some(spread) = first_child(node) {
                    // `undefined` may be spread into an object, so a name can stay.
                    if spread.kind() != "identifier" && !self.loads_module(spread) {
                        self.edits.replace(spread, "{}");
                    }
                }
            }
            _ => {}
        }
    }

    fn class(&mut self, node: Node, depth: usize) {
        self.decorators(node);
        let base = children(node)
            .into_iter()
            .find(|child| child.kind() == "class_heritage")
            .and_then(first_child)
            .and_then(|clause| match clause.kind() {
                "extends_clause" => clause.child_by_field_name("value"),
                "implements_clause" => None,
                _ => Some(clause),
            });
        if let Some(base) = base
            && !self.is_usable_base(base)
        {
            self.edits.replace(base, "Object");
        }
        let Some(body) = node.child_by_field_name("body") else { return };
        for member in children(body) {
            self.decorators(member);
            match member.kind() {
                "decorator" => self.decorator(member),
                "method_definition" => self.method(member, base.is_some()),
                "class_static_block" => {
                    if let Some(block) = member.child_by_field_name("body") {
                        self.edits.replace(block, "{}");
                    }
                }
                _ => {
                    if let Some(value) = member.child_by_field_name("value") {
                        self.value(value, "undefined", depth + 1);
                    }
                    for field in ["name", "property"] {
                        if let Some(name) = member.child_by_field_name(field) {
                            self.computed_name(name);
                        }
                    }
                }
            }
        }
    }

    /// Whether a class can still extend `base`: a call would give `undefined`, which is no class.
    fn is_usable_base(&self, base: Node) -> bool {
        base.kind() == "null" || self.names_something(base)
    }

    /// Whether `node` is a name, or names of properties, of something that is still there.
    fn names_something(&self, node: Node) -> bool {
        let mut node = node;
        while node.kind() == "member_expression" {
            let Some(object) = node.child_by_field_name("object") else { return false };
            node = object;
        }
        node.kind() == "identifier" && !self.undefined.contains(self.text_of(node))
    }

    fn method(&mut self, node: Node, derived: bool) {
        if let Some(name) = node.child_by_field_name("name") {
            self.computed_name(name);
        }
        self.function(node, derived && field_text(node, "name", self.text) == Some("constructor"));
    }

    /// The name of `[name()]: value`: a call there runs on load.
    fn computed_name(&mut self, name: Node) {
        if name.kind() != "computed_property_name" {
            return;
        }
        if let Some(expression) = first_child(name)
            && !matches!(expression.kind(), "string" | "number")
            && !self.names_something(expression)
        {
            self.edits.replace(expression, "undefined");
        }
    }

    fn function(&mut self, node: Node, derived_constructor: bool) {
        let Some(body) = node.child_by_field_name("body") else { return };
        let stub = if body.kind() != "statement_block" {
            "undefined".to_owned()
        } else if derived_constructor {
            format!("{{ {}; }}", self.super_call(body))
        } else {
            "{}".to_owned()
        };
        self.edits.replace(body, stub);
    }

    /// The constructor's own `super(...)` where it comes first and so depends on no statement before it.
    fn super_call(&self, body: Node) -> &'text str {
        children(body)
            .first()
            .and_then(|statement| first_child(*statement))
            .filter(|call| call.kind() == "call_expression")
            .filter(|call| {
                call.child_by_field_name("function").is_some_and(|callee| callee.kind() == "super")
            })
            .map_or("super(...arguments)", |call| self.text_of(call))
    }

    fn decorators(&mut self, node: Node) {
        for child in children(node).into_iter().filter(|child| child.kind() == "decorator") {
            self.decorator(child);
        }
    }

    /// Drops a decorator of this module: its stub returns `undefined`, which decorates nothing.
    fn decorator(&mut self, node: Node) {
        let mut root = first_child(node);
        while let Some(inner) = root.and_then(|expression| {
            expression.child_by_field_name("function").or_else(|| expression.child_by_field_name("object"))
        }) {
            root = Some(inner);
        }
        let name = root.map_or("", |root| self.text_of(root));
        if self.local.contains(name) || self.undefined.contains(name) {
            self.edits.replace(node, "");
        }
    }
}

fn is_function_or_class(node: Node) -> bool {
    matches!(
        node.kind(),
        "function_declaration"
            | "generator_function_declaration"
            | "class_declaration"
            | "abstract_class_declaration"
    )
}

/// A literal of the same type as `node` with another value; `None` when `node` is no such literal.
fn other_literal(node: Node, text: &str) -> Option<&'static str> {
    let written = text_of(node, text);
    Some(match node.kind() {
        "string" | "template_string" if written.len() == 2 => "\"stub\"",
        "string" | "template_string" => "\"\"",
        "number" | "unary_expression" if written.ends_with('n') && is_number(node) => {
            if written == "0n" {
                "1n"
            } else {
                "0n"
            }
        }
        "number" if written.trim_matches(['0', '.']).is_empty() => "1",
        "number" => "0",
        "unary_expression" if is_number(node) => "0",
        "true" => "false",
        "false" => "true",
        "regex" => "/(?!)/",
        _ => return None,
    })
}

/// Whether `node` is a number, with a sign or not.
fn is_number(node: Node) -> bool {
    node.kind() == "number"
        || node.child_by_field_name("argument").is_some_and(|argument| argument.kind() == "number")
            && node
                .child_by_field_name("operator")
                .is_some_and(|operator| matches!(operator.kind(), "-" | "+"))
}

/// The expression of `export = expression`.
fn after_equals_sign(export: Node) -> Option<Node> {
    let mut cursor = export.walk();
    let mut parts = export.children(&mut cursor);
    parts.find(|part| part.kind() == "=")?;
    parts.find(|part| part.is_named() && !part.is_extra())
}

/// The names that a pattern declares.
fn bound_names<'text>(pattern: Node, text: &'text str) -> Vec<&'text str> {
    let mut names = Vec::new();
    let mut open = vec![pattern];
    while let Some(node) = open.pop() {
        match node.kind() {
            "identifier" | "shorthand_property_identifier_pattern" => names.push(text_of(node, text)),
            "assignment_pattern" | "object_assignment_pattern" => {
                open.extend(node.child_by_field_name("left"));
            }
            "pair_pattern" => open.extend(node.child_by_field_name("value")),
            _ => open.extend(children(node).into_iter().rev()),
        }
    }
    names
}
