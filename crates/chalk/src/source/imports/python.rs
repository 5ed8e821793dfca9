//! Python's import statements, and the calls that import by name.

use tree_sitter::Node;

use super::literals::plain_content;
use super::{Import, ImportKind};
use crate::source::syntax::{Descend, children, field_text, first_child, line_of, text_of, walk};

pub(super) fn imports(root: Node, text: &str) -> Vec<Import> {
    let mut found = Vec::new();
    walk(root, |node| {
        let line = line_of(node);
        match node.kind() {
            "import_statement" => {
                for item in children(node) {
                    let name = item.child_by_field_name("name").unwrap_or(item);
                    found.push(Import::new(dotted(name, text), line, ImportKind::Import));
                }
                Descend::Past
            }
            "import_from_statement" => {
                if let Some(module) = node.child_by_field_name("module_name") {
                    let import = Import::new(dotted(module, text), line, ImportKind::Import);
                    found.push(import.with_names(imported_names(node, module, text)));
                }
                Descend::Past
            }
            "call" => {
                let by_name = field_text(node, "function", text).is_some_and(imports_by_name);
                let module = node
                    .child_by_field_name("arguments")
                    .filter(|_| by_name)
                    .and_then(first_child)
                    .and_then(|argument| plain_content(argument, text));
                found.extend(module.map(|module| Import::new(module, line, ImportKind::Import)));
                Descend::Into
            }
            _ => Descend::Into,
        }
    });
    found
}

fn imports_by_name(function: &str) -> bool {
    matches!(
        function,
        "importlib.import_module" | "import_module" | "__import__" | "pytest.importorskip" | "importorskip"
    )
}

fn imported_names(statement: Node, module: Node, text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for item in children(statement) {
        match item.kind() {
            _ if item.id() == module.id() => {}
            "wildcard_import" => names.push("*".to_owned()),
            "aliased_import" => {
                names.extend(
                    ["name", "alias"]
                        .iter()
                        .filter_map(|field| item.child_by_field_name(field).map(|name| dotted(name, text))),
                );
            }
            _ => names.push(dotted(item, text)),
        }
    }
    names
}

/// Blanks are allowed around the dots of a name.
fn dotted(node: Node, text: &str) -> String {
    text_of(node, text).split_whitespace().collect()
}
