//! Go's import declarations.

use tree_sitter::Node;

use super::literals::plain_content;
use super::{Import, ImportKind};
use crate::source::syntax::{Descend, field_text, line_of, walk};

/// `names` holds the name that the file gives the package, `.` and `_` included, where it gives one.
pub(super) fn imports(root: Node, text: &str) -> Vec<Import> {
    let mut found = Vec::new();
    walk(root, |node| match node.kind() {
        "import_spec" => {
            let path = node.child_by_field_name("path").and_then(|path| plain_content(path, text));
            if let Some(path) = path {
                let alias = field_text(node, "name", text).map(str::to_owned);
                found.push(
                    Import::new(path, line_of(node), ImportKind::Import)
                        .with_names(alias.into_iter().collect()),
                );
            }
            Descend::Past
        }
        "source_file" | "import_declaration" | "import_spec_list" | "ERROR" => Descend::Into,
        _ => Descend::Past,
    });
    found
}
