//! Rust's `use`, `mod`, `extern crate`, `include!`, and the paths in code that need no import.

use std::collections::HashSet;

use tree_sitter::Node;

use super::literals::plain_content;
use super::{Import, ImportKind};
use crate::source::syntax::{Descend, children, field_text, first_child, line_of, text_of, walk};

/// How deep lists of a `use` and inline modules are followed; the depth of real code is a tenth of it. Without
/// a bound the full path of each leaf of a hostile text costs the square of its length.
const MAX_DEPTH: usize = 64;

pub(super) fn imports(root: Node, text: &str) -> Vec<Import> {
    let mut finder = Finder { text, ..Finder::default() };
    walk(root, |node| finder.visit(node));
    finder.end_path();
    finder.found
}

#[derive(Default)]
struct Finder<'text> {
    text: &'text str,
    found: Vec<Import>,
    /// Inline modules around the current node: the byte where each ends, and its name.
    modules: Vec<(usize, &'text str)>,
    /// The `#[path]` that the next `mod` takes.
    path_attribute: Option<String>,
    path: PathRun<'text>,
    include: Include,
    seen_paths: HashSet<(String, String)>,
}

/// A path in code, put together token by token: inside the arguments of a macro there are only tokens.
#[derive(Default)]
struct PathRun<'text> {
    segments: Vec<&'text str>,
    line: usize,
    /// Whether the last token was `::`, so that a name would continue the path.
    open: bool,
}

/// How much of `include_str!("...")` has been read.
#[derive(Default, PartialEq, Eq)]
enum Include {
    #[default]
    Nothing,
    Name,
    Bang,
}

impl Finder<'_> {
    fn visit(&mut self, node: Node) -> Descend {
        while self.modules.last().is_some_and(|(end, _)| *end <= node.start_byte()) {
            self.modules.pop();
        }
        match node.kind() {
            "attribute_item" => {
                if let Some(path) = path_attribute(node, self.text) {
                    self.path_attribute = Some(path);
                }
                return Descend::Past;
            }
            "line_comment" | "block_comment" => return Descend::Past,
            "mod_item" => {
                self.end_path();
                self.module(node);
                return Descend::Into;
            }
            _ => self.path_attribute = None,
        }
        match node.kind() {
            "use_declaration" => {
                self.end_path();
                self.use_declaration(node);
                return Descend::Past;
            }
            "extern_crate_declaration" => {
                self.end_path();
                if let Some(name) = field_text(node, "name", self.text) {
                    self.push(Import::new(name, line_of(node), ImportKind::Import));
                }
                return Descend::Past;
            }
            "string_literal" | "raw_string_literal" if self.include == Include::Bang => {
                self.include = Include::Nothing;
                if let Some(path) = plain_content(node, self.text) {
                    self.push(Import::new(path, line_of(node), ImportKind::File));
                }
            }
            _ => {}
        }
        if node.child_count() == 0 {
            self.token(node);
        }
        Descend::Into
    }

    fn push(&mut self, import: Import) {
        let names: Vec<&str> = self.modules.iter().map(|(_, name)| *name).collect();
        self.found.push(Import { scope: names.join("::"), ..import });
    }

    fn module(&mut self, node: Node) {
        let Some(name) = field_text(node, "name", self.text) else { return };
        if let Some(body) = node.child_by_field_name("body") {
            self.path_attribute = None;
            if self.modules.len() < MAX_DEPTH {
                self.modules.push((body.end_byte(), name));
            }
            return;
        }
        let (module, kind) = match self.path_attribute.take() {
            Some(path) => (path, ImportKind::File),
            None => (name.to_owned(), ImportKind::Module),
        };
        self.push(Import::new(module, line_of(node), kind).with_names(vec![name.to_owned()]));
    }

    fn use_declaration(&mut self, node: Node) {
        let Some(argument) = node.child_by_field_name("argument") else { return };
        let passed_on = children(node).iter().any(|child| child.kind() == "visibility_modifier");
        let kind = if passed_on { ImportKind::Reexport } else { ImportKind::Import };
        for (module, names) in leaves(argument, self.text) {
            self.push(Import::new(module, line_of(node), kind).with_names(names));
        }
    }

    fn token(&mut self, node: Node) {
        let token = text_of(node, self.text);
        self.include = match (&self.include, token) {
            (_, "include" | "include_str" | "include_bytes") => Include::Name,
            (Include::Name, "!") | (Include::Bang, "(" | "[" | "{" | "\"") => Include::Bang,
            _ => Include::Nothing,
        };
        match node.kind() {
            "identifier" | "type_identifier" | "crate" | "self" | "super" | "metavariable" => {
                if !self.path.open {
                    self.end_path();
                    self.path.line = line_of(node);
                }
                self.path.open = false;
                if self.path.segments.len() < MAX_DEPTH {
                    self.path.segments.push(if token == "$crate" { "crate" } else { token });
                }
            }
            "::" if !self.path.segments.is_empty() && !self.path.open => self.path.open = true,
            _ => self.end_path(),
        }
    }

    fn end_path(&mut self) {
        let PathRun { segments, line, .. } = std::mem::take(&mut self.path);
        let Some((last, module)) = segments.split_last().filter(|(_, module)| !module.is_empty()) else {
            return;
        };
        // A path that starts with a type is inside what an import already names; the standard library is no
        // file of the repository.
        let starts_at_module = module[0].starts_with(|first: char| !first.is_uppercase());
        if !starts_at_module || matches!(module[0], "std" | "core" | "alloc") {
            return;
        }
        let import =
            Import::new(module.join("::"), line, ImportKind::Path).with_names(vec![(*last).to_owned()]);
        // Macro code repeats the same path a hundred times.
        if self.seen_paths.insert((import.module.clone(), (*last).to_owned())) {
            self.push(import);
        }
    }
}

/// The string of `#[path = "..."]`.
fn path_attribute(item: Node, text: &str) -> Option<String> {
    let attribute = first_child(item).filter(|attribute| attribute.kind() == "attribute")?;
    let name = first_child(attribute)?;
    if text_of(name, text) != "path" {
        return None;
    }
    plain_content(attribute.child_by_field_name("value")?, text)
}

/// Each leaf of a `use` tree: the path of the module in full, and the name that is taken out of it.
fn leaves(argument: Node, text: &str) -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    let mut open = vec![(argument, String::new(), 0)];
    while let Some((node, prefix, depth)) = open.pop() {
        match node.kind() {
            "scoped_use_list" | "use_list" => {
                let path = field_text(node, "path", text).map_or(String::new(), without_blanks);
                let prefix = join(&prefix, &path);
                let list = node.child_by_field_name("list").unwrap_or(node);
                if depth < MAX_DEPTH {
                    let items = children(list).into_iter().rev();
                    open.extend(items.map(|item| (item, prefix.clone(), depth + 1)));
                }
            }
            "use_wildcard" => {
                let path =
                    first_child(node).map_or(String::new(), |path| without_blanks(text_of(path, text)));
                found.push((join(&prefix, &path), vec!["*".to_owned()]));
            }
            "use_as_clause" => {
                let path = field_text(node, "path", text).map_or(String::new(), without_blanks);
                let alias = field_text(node, "alias", text).map(str::to_owned);
                let (module, mut names) = leaf(&prefix, &path);
                // `use a as b` names no item of a module, and `as _` gives no name.
                if !names.is_empty() {
                    names.extend(alias.filter(|alias| alias != "_"));
                }
                found.push((module, names));
            }
            _ => found.push(leaf(&prefix, &without_blanks(text_of(node, text)))),
        }
    }
    found
}

fn leaf(prefix: &str, path: &str) -> (String, Vec<String>) {
    let full = join(prefix, path);
    match full.rsplit_once("::") {
        Some((module, name)) if !module.is_empty() => (module.to_owned(), vec![name.to_owned()]),
        _ => (full.trim_start_matches("::").to_owned(), Vec::new()),
    }
}

fn join(prefix: &str, path: &str) -> String {
    match (prefix, path) {
        (_, "") => prefix.to_owned(),
        ("", _) => path.to_owned(),
        _ => format!("{prefix}::{path}"),
    }
}

fn without_blanks(path: &str) -> String {
    path.split_whitespace().collect()
}
