//! The second opinion: the commands and redirections of a script as another parser sees them.

use std::ops::ControlFlow;

use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree};

use super::Unclear;
use super::outline::Outline;

/// How often the parser may report before it is stopped: it reports once in some hundred steps.
const MOST_REPORTS: usize = 20_000;

/// What the second parser finds in `script`; an error where it does not understand the script.
pub fn outline(script: &str) -> Result<Outline, Unclear> {
    let tree = parse(script)
        .filter(|tree| !tree.root_node().has_error())
        .ok_or_else(|| Unclear::new("one of two readers does not understand the shell syntax"))?;
    let mut outline = Outline::default();
    let mut cursor = tree.walk();
    loop {
        visit(cursor.node(), script, &mut outline);
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                outline.sort();
                return Ok(outline);
            }
        }
    }
}

fn parse(script: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    let mut reports = 0_usize;
    let mut progress = |_: &ParseState| {
        reports += 1;
        if reports > MOST_REPORTS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    // The parser's own scanner reads beyond its tables at a character that is not ASCII. To a shell all of these are
    // parts of words.
    let bytes: Vec<u8> = script.bytes().map(|byte| if byte.is_ascii() { byte } else { b'.' }).collect();
    let mut input = |at: usize, _| bytes.get(at..).unwrap_or_default();
    parser.parse_with_options(&mut input, None, Some(ParseOptions::new().progress_callback(&mut progress)))
}

fn visit(node: Node<'_>, script: &str, outline: &mut Outline) {
    if !node.is_named() {
        return;
    }
    let text = |node: Node<'_>| script.get(node.byte_range()).unwrap_or_default();
    match node.kind() {
        "command" => {
            outline.commands += 1;
            if let Some(name) = node.child_by_field_name("name") {
                outline.word(text(name));
            }
            arguments(node, "argument", 0, script, outline);
        }
        "declaration_command" | "unset_command" | "test_command" => {
            if let Some(first) = node.child(0)
                && text(first) != "[["
            {
                outline.commands += 1;
                outline.word(text(first));
            }
        }
        "file_redirect" => {
            let mut cursor = node.walk();
            let operator = node.children(&mut cursor).find(|child| !child.is_named()).map_or("", text);
            let target = node.child_by_field_name("destination").map_or("", text);
            outline.redirection(operator, target);
            // Words behind the target are taken for further targets, and are the command's own.
            arguments(node, "destination", 1, script, outline);
        }
        "heredoc_redirect" => {
            let mut cursor = node.walk();
            let start = node.children(&mut cursor).find(|child| child.kind() == "heredoc_start");
            outline.redirection("<<", start.map_or("", text));
            arguments(node, "argument", 0, script, outline);
        }
        "herestring_redirect" => {
            let mut cursor = node.walk();
            let word = node.named_children(&mut cursor).find(|child| child.kind() != "file_descriptor");
            outline.redirection("<<", word.map_or("", text));
        }
        _ => {}
    }
}

fn arguments(node: Node<'_>, field: &str, skip: usize, script: &str, outline: &mut Outline) {
    let mut cursor = node.walk();
    for argument in node.children_by_field_name(field, &mut cursor).skip(skip) {
        if argument.kind() != "process_substitution" {
            outline.word(script.get(argument.byte_range()).unwrap_or_default());
        }
    }
}
