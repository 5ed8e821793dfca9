//! Blocks of code: closed, with a language, and holding what it says (SFS-006, SFS-007).

use super::finding::{Check, Findings};
use super::mermaid;
use super::structure::{Fence, Structure};

pub(super) fn check(structure: &Structure<'_>, found: &mut Findings) {
    for fence in &structure.fences {
        let line = structure.line(fence.start);
        if fence.is_indented {
            let message = "code that is indented has no language";
            found.error(Check::Fences, line, message, "put it in a fence with a language");
            continue;
        }
        if !fence.is_closed {
            let cure = "close it with a line of as many marks, before its list or quote ends";
            found.error(Check::Fences, line, "nothing closes this fence", cure);
        }
        let Some(language) = fence.language.as_deref() else {
            let cure = "write `mermaid` for a diagram, `json` for a schema, `text` for a listing";
            found.error(Check::Fences, line, "the fence has no language", cure);
            continue;
        };
        content(structure, fence, language, line, found);
    }
}

fn content(structure: &Structure<'_>, fence: &Fence, language: &str, line: usize, found: &mut Findings) {
    match language {
        // A diagram whose end is unknown would be judged by whatever follows it.
        "mermaid" if fence.is_closed => {
            if let Some(fault) = mermaid::fault(&fence.code) {
                found.error(Check::Fences, line + fault.line, fault.message, fault.cure);
            }
        }
        "text" | "txt" | "plain" | "plaintext" | "ascii" => {
            if let Some(at) = fence.code.lines().position(is_drawn) {
                let at = structure.line(fence.start) + 1 + at;
                let message = "this looks like a diagram, and stands in a fence for listings";
                found.warning_at(Check::Diagrams, (at, 1), message, "draw it in a `mermaid` fence");
            }
        }
        "dot" | "graphviz" | "plantuml" | "ditaa" => {
            let message = format!("`{language}` is not what diagrams are drawn in");
            found.warning_at(Check::Diagrams, (line, 1), message, "draw it in a `mermaid` fence");
        }
        _ => {}
    }
    let is_front_matter =
        fence.code.starts_with("---\n") && fence.code.lines().nth(1).is_some_and(|l| l.contains(':'));
    if is_front_matter && !matches!(language, "yaml" | "mermaid") {
        let message = "front matter is shown in a fence of another language than yaml";
        found.error(Check::Fences, line, message, "write `yaml` behind the fence");
    }
}

/// Whether a line has an arrow or the side of a box.
fn is_drawn(line: &str) -> bool {
    let has_box = line.chars().any(|c| ('\u{2500}'..='\u{259f}').contains(&c));
    let arrows = ["->", "=>", "<-", "\u{2190}", "\u{2191}", "\u{2192}", "\u{2193}"];
    let line = line.trim();
    let is_side = line.len() > 2 && line.starts_with('+') && line.contains("--") && line.ends_with('+');
    has_box || is_side || arrows.iter().any(|arrow| line.contains(arrow))
}
