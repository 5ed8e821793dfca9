//! What a Python module declares, and which of it runs when the module is imported.

use std::collections::{HashMap, HashSet};

use tree_sitter::Node;

use crate::source::syntax::{Descend, children, field_text, first_child, text_of, walk};

/// What the module declares, and what runs when it is imported.
pub(super) struct Module<'tree, 'text> {
    text: &'text str,
    pub(super) functions: HashMap<&'text str, Vec<Node<'tree>>>,
    pub(super) classes: HashSet<&'text str>,
    values: HashMap<&'text str, Vec<Node<'tree>>>,
    /// Expressions that stay, and are evaluated on import.
    evaluated: Vec<Node<'tree>>,
    /// Classes that others name as their metaclass: they run when a class is made.
    metaclasses: HashSet<&'text str>,
    /// Functions in class bodies, and the names that class bodies call.
    methods: HashMap<&'text str, Vec<Node<'tree>>>,
    called_in_class: HashSet<&'text str>,
}

impl<'tree, 'text> Module<'tree, 'text> {
    pub(super) fn read(root: Node<'tree>, text: &'text str) -> Self {
        let mut module = Self {
            text,
            functions: HashMap::new(),
            classes: HashSet::new(),
            values: HashMap::new(),
            evaluated: Vec::new(),
            metaclasses: HashSet::new(),
            methods: HashMap::new(),
            called_in_class: HashSet::new(),
        };
        let mut open = vec![root];
        let mut decorators = Vec::new();
        while let Some(block) = open.pop() {
            for statement in children(block) {
                module.declare(statement, &mut decorators, &mut open);
            }
        }
        // Only with all names known can a decorator of this module be told from one that comes from outside.
        decorators.retain(|decorator| {
            !completes_property(*decorator, text) && !module.is_local_decorator(*decorator)
        });
        module.evaluated.extend(decorators);
        module
    }

    fn declare(&mut self, node: Node<'tree>, decorators: &mut Vec<Node<'tree>>, open: &mut Vec<Node<'tree>>) {
        match node.kind() {
            "decorated_definition" => {
                decorators.extend(children(node).into_iter().filter(|child| child.kind() == "decorator"));
                if let Some(definition) = node.child_by_field_name("definition") {
                    self.declare(definition, decorators, open);
                }
            }
            "function_definition" => {
                if let Some(name) = field_text(node, "name", self.text) {
                    self.functions.entry(name).or_default().push(node);
                }
                self.signature(node);
            }
            "class_definition" => self.class(node, decorators),
            "expression_statement" => {
                if let Some(assignment) = first_child(node).filter(|inner| inner.kind() == "assignment") {
                    self.assignment(assignment);
                } else if stays_on_import(node, self.text) {
                    self.evaluated.push(node);
                }
            }
            "if_statement" | "try_statement" | "with_statement" => {
                let (blocks, headers) = parts_of_compound(node);
                open.extend(blocks);
                self.evaluated.extend(headers);
            }
            _ => {
                for name in names_assigned_below(node, self.text) {
                    self.values.entry(name).or_default().push(node);
                }
            }
        }
    }

    /// Defaults and annotations are evaluated with the `def`. A bare name there may stand for anything.
    fn signature(&mut self, function: Node<'tree>) {
        let parameters = function.child_by_field_name("parameters").map(children).unwrap_or_default();
        let evaluated = parameters
            .iter()
            .flat_map(|parameter| {
                [parameter.child_by_field_name("type"), parameter.child_by_field_name("value")]
            })
            .chain([function.child_by_field_name("return_type")])
            .flatten()
            .filter(|expression| expression.kind() != "identifier")
            .filter(|expression| {
                first_child(*expression).is_none_or(|inner| inner.kind() != "identifier")
                    || expression.kind() != "type"
            });
        self.evaluated.extend(evaluated);
    }

    fn class(&mut self, class: Node<'tree>, decorators: &mut Vec<Node<'tree>>) {
        self.classes.extend(field_text(class, "name", self.text));
        let mut open = vec![class];
        while let Some(node) = open.pop() {
            match node.kind() {
                "class_definition" => {
                    if let Some(bases) = node.child_by_field_name("superclasses") {
                        self.evaluated.push(bases);
                        self.metaclasses.extend(children(bases).iter().filter_map(|base| {
                            let is_meta = field_text(*base, "name", self.text) == Some("metaclass");
                            base.child_by_field_name("value")
                                .filter(|_| is_meta)
                                .map(|value| text_of(value, self.text))
                        }));
                    }
                    open.extend(node.child_by_field_name("body"));
                }
                "decorated_definition" => {
                    decorators.extend(children(node).into_iter().filter(|child| child.kind() == "decorator"));
                    open.extend(node.child_by_field_name("definition"));
                }
                "function_definition" => {
                    if let Some(name) = field_text(node, "name", self.text) {
                        self.methods.entry(name).or_default().push(node);
                    }
                    self.signature(node);
                }
                "block" => open.extend(children(node)),
                "if_statement" | "try_statement" | "with_statement" => {
                    let (blocks, headers) = parts_of_compound(node);
                    open.extend(blocks);
                    self.evaluated.extend(headers);
                }
                _ => {
                    self.called_in_class.extend(names_called_by(node, self.text));
                    self.evaluated.push(node);
                }
            }
        }
    }

    /// Whether a method of `class` runs on import: the class makes classes, or its body calls the method.
    pub(super) fn runs_on_import(&self, class: Node, method: &str) -> bool {
        let name = field_text(class, "name", self.text).unwrap_or_default();
        let bases = class.child_by_field_name("superclasses").map(children).unwrap_or_default();
        let extends = |ends: &[&str]| {
            bases.iter().any(|base| ends.iter().any(|end| text_of(*base, self.text).ends_with(end)))
        };
        self.called_in_class.contains(method)
            || self.metaclasses.contains(name)
            || bases.iter().any(|base| text_of(*base, self.text) == "type")
            || extends(&["ABCMeta", "EnumMeta", "EnumType"])
            // The members of an enumeration are made with its class.
            || extends(&["Enum", "Flag"])
                && matches!(method, "__new__" | "__init__" | "_generate_next_value_" | "_missing_")
    }

    fn assignment(&mut self, assignment: Node<'tree>) {
        let (targets, Some(value)) = targets_and_value(assignment) else { return };
        for target in targets {
            match target.kind() {
                "identifier" => {
                    let name = text_of(target, self.text);
                    self.values.entry(name).or_default().push(value);
                    if is_dunder(name) {
                        self.evaluated.push(value);
                    }
                }
                "attribute" | "subscript" => {
                    if !self.is_own(root_name(target, self.text)) {
                        self.evaluated.push(assignment);
                    }
                }
                _ => {
                    for name in names_bound_by(target, self.text) {
                        self.values.entry(name).or_default().push(value);
                    }
                }
            }
        }
    }

    pub(super) fn is_own(&self, name: &str) -> bool {
        self.functions.contains_key(name) || self.classes.contains(name) || self.values.contains_key(name)
    }

    /// Whether a decorator is, or comes from, something that this module makes and the stub therefore empties.
    pub(super) fn is_local_decorator(&self, decorator: Node) -> bool {
        let mut name = first_child(decorator).map_or("", |expression| root_name(expression, self.text));
        if completes_property(decorator, self.text) {
            return false;
        }
        // A variable is followed to what made it, through a bounded number of aliases.
        for _ in 0..8 {
            if self.functions.contains_key(name) || self.classes.contains(name) {
                return true;
            }
            let Some(value) = self.values.get(name).and_then(|values| values.first()) else { return false };
            name = root_name(*value, self.text);
        }
        true
    }

    /// The names that code which stays needs on import, directly or through others.
    pub(super) fn needed_on_import(&self) -> HashSet<&'text str> {
        let mut open = Vec::new();
        for expression in &self.evaluated {
            names_in(*expression, self.text, &mut open);
        }
        open.extend(&self.metaclasses);
        for name in &self.called_in_class {
            for method in self.methods.get(name).into_iter().flatten() {
                names_in(*method, self.text, &mut open);
            }
        }
        let mut needed = HashSet::new();
        while let Some(name) = open.pop() {
            if !needed.insert(name) {
                continue;
            }
            let values = self.values.get(name).into_iter().flatten();
            for node in values.chain(self.functions.get(name).into_iter().flatten()) {
                names_in(*node, self.text, &mut open);
            }
        }
        needed
    }
}

/// Whether the decorator is `@name.setter` or its like, where the name is one of the class around it.
fn completes_property(decorator: Node, text: &str) -> bool {
    first_child(decorator)
        .and_then(|expression| field_text(expression, "attribute", text))
        .is_some_and(|name| matches!(name, "setter" | "getter" | "deleter"))
}

/// Blocks of an `if`, `try` or `with`, and the expressions that its lines evaluate.
pub(super) fn parts_of_compound(node: Node) -> (Vec<Node>, Vec<Node>) {
    let mut blocks = Vec::new();
    let mut headers = Vec::new();
    let mut open = vec![node];
    while let Some(part) = open.pop() {
        for child in children(part) {
            match child.kind() {
                "block" => blocks.push(child),
                kind if kind.ends_with("_clause") && kind != "with_clause" => open.push(child),
                _ => headers.push(child),
            }
        }
    }
    (blocks, headers)
}

/// Statements that later imports of the module depend on: documentation, the search path, what is exported.
pub(super) fn stays_on_import(statement: Node, text: &str) -> bool {
    let Some(expression) = first_child(statement) else { return false };
    match expression.kind() {
        "string" => true,
        "call" => field_text(expression, "function", text)
            .is_some_and(|function| function.starts_with("sys.path.") || function.starts_with("__all__.")),
        "augmented_assignment" => field_text(expression, "left", text).is_some_and(is_dunder),
        _ => false,
    }
}

/// `a` and `b` with `1` of `a = b = 1`; no value for a bare annotation.
pub(super) fn targets_and_value(assignment: Node) -> (Vec<Node>, Option<Node>) {
    let mut targets = Vec::new();
    let mut node = assignment;
    loop {
        targets.extend(node.child_by_field_name("left"));
        match node.child_by_field_name("right") {
            Some(inner) if inner.kind() == "assignment" => node = inner,
            value => return (targets, value),
        }
    }
}

/// The names that an assignment to `target` binds; none for an attribute or an item.
pub(super) fn names_bound_by<'text>(target: Node, text: &'text str) -> Vec<&'text str> {
    let mut names = Vec::new();
    walk(target, |node| {
        match node.kind() {
            "identifier" => names.push(text_of(node, text)),
            "attribute" | "subscript" => return Descend::Past,
            _ => {}
        }
        Descend::Into
    });
    names
}

/// The names that a loop or a `match` would have bound in the module.
pub(super) fn names_assigned_below<'text>(statement: Node, text: &'text str) -> Vec<&'text str> {
    let mut names = Vec::new();
    walk(statement, |node| match node.kind() {
        "assignment" | "for_statement" => {
            names.extend(
                node.child_by_field_name("left").map(|left| names_bound_by(left, text)).unwrap_or_default(),
            );
            Descend::Into
        }
        "function_definition" | "class_definition" => {
            names.extend(field_text(node, "name", text));
            Descend::Past
        }
        _ => Descend::Into,
    });
    names
}

/// The names of the functions that evaluating `node` calls by a bare name.
fn names_called_by<'text>(node: Node, text: &'text str) -> Vec<&'text str> {
    let mut names = Vec::new();
    walk(node, |inner| {
        if inner.kind() == "call" {
            let function = inner.child_by_field_name("function").filter(|name| name.kind() == "identifier");
            names.extend(function.map(|name| text_of(name, text)));
        }
        Descend::Into
    });
    names
}

/// The name that a chain of attributes, calls and items starts with.
pub(super) fn root_name<'text>(expression: Node, text: &'text str) -> &'text str {
    let mut node = expression;
    loop {
        let inner = ["function", "object", "value"].iter().find_map(|field| node.child_by_field_name(field));
        match inner {
            Some(inner) => node = inner,
            None if node.kind() == "identifier" => return text_of(node, text),
            None => return "",
        }
    }
}

pub(super) fn is_dunder(name: &str) -> bool {
    name.len() > 4 && name.starts_with("__") && name.ends_with("__")
}

/// The names that evaluating `node` looks up; names of attributes and of keyword arguments are not among them,
/// and a `lambda` looks up nothing until it is called.
fn names_in<'text>(node: Node, text: &'text str, names: &mut Vec<&'text str>) {
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        match node.kind() {
            "identifier" => names.push(text_of(node, text)),
            "lambda" => {}
            "attribute" => open.extend(node.child_by_field_name("object")),
            "keyword_argument" => open.extend(node.child_by_field_name("value")),
            _ => open.extend(children(node)),
        }
    }
}
