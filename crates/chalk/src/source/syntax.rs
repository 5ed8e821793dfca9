//! Bounded parsing: the one door to tree-sitter.
//!
//! Source text is foreign input. A parse here takes at most [`MAX_TEXT`] bytes and a number of parser steps
//! that grows with the text, so no file makes a gate hang; and every walk over a tree is a loop over a
//! cursor, since a tree can be nested as deep as its text is long.

use std::ops::ControlFlow;

use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree, TreeCursor};

use super::language::Language;

/// The largest text, in bytes, that is parsed or searched.
pub(super) const MAX_TEXT: usize = 1 << 20;

/// Parses `text`, or says `None`: no grammar for the language, text above [`MAX_TEXT`], or a text on which the
/// parser does not finish within its steps.
///
/// The tree of a broken text has error nodes; [`Node::has_error`] of its root tells.
pub(super) fn parse(language: Language, text: &str) -> Option<Tree> {
    if text.len() > MAX_TEXT {
        return None;
    }
    let mut parser = Parser::new();
    parser.set_language(&grammar(language)?).ok()?;
    // The parser asks after each hundred operations. The densest files seen take four operations a byte; the
    // allowance is three times that, and counted, since a clock would make the answer depend on the machine.
    let mut left = 1_000 + text.len() / 8;
    let mut progress = |_: &ParseState| match left.checked_sub(1) {
        Some(rest) => {
            left = rest;
            ControlFlow::Continue(())
        }
        None => ControlFlow::Break(()),
    };
    let bytes = text.as_bytes();
    parser.parse_with_options(
        &mut |offset, _| bytes.get(offset..).unwrap_or_default(),
        None,
        Some(ParseOptions::new().progress_callback(&mut progress)),
    )
}

/// Whether [`parse`] knows the language.
pub(super) fn has_grammar(language: Language) -> bool {
    grammar(language).is_some()
}

fn grammar(language: Language) -> Option<tree_sitter::Language> {
    Some(match language {
        Language::Rust => tree_sitter_rust::LANGUAGE.into(),
        Language::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
        Language::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        Language::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
        Language::Python => tree_sitter_python::LANGUAGE.into(),
        Language::Go => tree_sitter_go::LANGUAGE.into(),
        _ => return None,
    })
}

/// What a walk does below the node that it was shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Descend {
    Into,
    Past,
}

/// Shows `visit` each node at and below `top`, parents first and in the order of the text.
pub(super) fn walk<'tree>(top: Node<'tree>, mut visit: impl FnMut(Node<'tree>) -> Descend) {
    let mut cursor = top.walk();
    loop {
        let into = visit(cursor.node()) == Descend::Into;
        if into && cursor.goto_first_child() {
            continue;
        }
        if !advance(&mut cursor) {
            return;
        }
    }
}

/// Moves to the next node that is not below the current one.
fn advance(cursor: &mut TreeCursor) -> bool {
    while !cursor.goto_next_sibling() {
        if !cursor.goto_parent() {
            return false;
        }
    }
    true
}

/// The named children of `node`, comments left out.
pub(super) fn children(node: Node) -> Vec<Node> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.is_extra()).collect()
}

/// The first of [`children`].
pub(super) fn first_child(node: Node) -> Option<Node> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| !child.is_extra())
}

/// The text of `node`.
pub(super) fn text_of<'text>(node: Node, text: &'text str) -> &'text str {
    text.get(node.byte_range()).unwrap_or_default()
}

/// The text of the child of `node` in `field`.
pub(super) fn field_text<'text>(node: Node, field: &str, text: &'text str) -> Option<&'text str> {
    node.child_by_field_name(field).map(|child| text_of(child, text))
}

/// The line of `node`, counted from one.
pub(super) fn line_of(node: Node) -> usize {
    node.start_position().row + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRAMMARS: [Language; 6] = [
        Language::Rust,
        Language::JavaScript,
        Language::TypeScript,
        Language::Tsx,
        Language::Python,
        Language::Go,
    ];

    #[test]
    fn a_text_above_the_bound_is_not_parsed() {
        assert!(parse(Language::Rust, &" ".repeat(MAX_TEXT)).is_some());
        assert!(parse(Language::Rust, &" ".repeat(MAX_TEXT + 1)).is_none());
        assert!(parse(Language::Java, "class A {}").is_none());
    }

    #[test]
    fn hostile_nesting_ends() {
        for open in ["(", "[", "{", "<", "a(", "fn f(){", "\"", "`${", "if x:\n ", "x=>", "<a>", "!"] {
            let text = open.repeat(4_000);
            for language in GRAMMARS {
                if let Some(tree) = parse(language, &text) {
                    walk(tree.root_node(), |_| Descend::Into);
                }
            }
        }
    }

    #[test]
    fn a_walk_stays_below_its_top_and_can_skip() {
        let text = "fn a() { b(); } fn c() { d(); }";
        let tree = parse(Language::Rust, text).unwrap();
        let first = tree.root_node().named_child(0).unwrap();
        let mut names = Vec::new();
        walk(first, |node| {
            if node.kind() == "identifier" {
                names.push(text_of(node, text));
            }
            if node.kind() == "block" { Descend::Past } else { Descend::Into }
        });
        assert_eq!(names, ["a"]);
    }
}
