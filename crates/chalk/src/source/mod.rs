//! What source text says of itself, for the gates that need to know.
//!
//! This module owns the questions that a gate asks about a file's name and text, and answers them without
//! running anything. All of it is pure: paths and texts come in as arguments, and nothing is read, but for
//! [`size`], which walks a folder, and [`impact`], which reads through a function that it is given.
//!
//! | question | asked by | answered in |
//! |---|---|---|
//! | Does this text hold anything but comments? | the required-test lever | [`says_something`] |
//! | Is this path code, and in which language? Does it look like a test? | the required-test lever, change sets | [`language`] |
//! | How much code is there? | the held-out floor and the staleness of an audit (P7) | [`size`] |
//! | What does this file import, which strings does it say? | locks on what a test takes in (P6) | [`imports`] |
//! | Which tests reach a changed file? | the test-impact map of the context (P3) | [`impact`] |
//! | What is left of this file without its behaviour? | the break-it lever | [`stub`] |
//!
//! # How sure an answer is
//!
//! Names are conventions: a path that looks like a test proves that a file exists, not that it asserts. Texts
//! in Rust, JavaScript, TypeScript, Python and Go are parsed by grammar; others are searched for words and
//! quotes. A text with syntax errors still gives its imports and strings as far as they can be made out, but no
//! stub. So an answer can be incomplete, and each function says in which direction: a gate must read "nothing
//! found" as "cannot tell", never as "there is none".
//!
//! # Foreign text
//!
//! Every text here was written by somebody else, perhaps to do harm. No function panics on any text, and all
//! of them end: texts above one mebibyte are not parsed, the parser's steps are counted, trees are walked
//! without recursion or to a fixed depth, and the impact map has bounds on files, bytes and hops that it reports.
//!
//! # Invariants
//!
//! - Only the syntax module, which is private, knows the parser; the rest sees nodes of a tree that is done.
//! - A stub parses wherever its file did.
//! - `size::published` equals the published formula of `lastAudit.size`, with its oddities; better figures go
//!   into `size::own`.

pub mod impact;
pub mod imports;
pub mod language;
pub mod size;
pub mod stub;
mod syntax;

use language::Language;

/// How a line of a comment begins, in the languages that have no grammar here.
const COMMENTS: [&str; 7] = ["#", "//", "/*", "*", "--", ";", "%"];

/// Whether a text holds anything but blank space and comments. A shape and not a meaning: one statement of any
/// kind is something.
#[must_use]
pub fn says_something(path: &str, text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}');
    let Some(language) = Language::of(path) else { return !text.trim().is_empty() };
    if let Some(tree) = syntax::parse(language, text) {
        return tree.root_node().has_error() || syntax::first_child(tree.root_node()).is_some();
    }
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.any(|line| !COMMENTS.iter().any(|mark| line.starts_with(mark)))
}

#[cfg(test)]
mod tests {
    use super::says_something;

    #[test]
    fn comments_and_blank_space_say_nothing() {
        for (path, text) in [
            ("a.test.js", " \n"),
            ("a.test.ts", "// later\n/* and\nmore */\n"),
            ("test_a.py", "\u{feff}# later\n"),
            ("a_test.go", "// later\n"),
            ("a.test.sh", "#!/bin/sh\n\n# later\n"),
            ("ATest.java", "/*\n * later\n */\n"),
            ("data.json", "\n"),
        ] {
            assert!(!says_something(path, text), "{path}");
        }
        for (path, text) in [
            ("a.test.js", "import './a.js';\n"),
            ("test_a.py", "def test_a(): assert"),
            ("a.test.sh", "#!/bin/sh\ntrue\n"),
            ("data.json", "{}"),
            ("notes", "# heading"),
        ] {
            assert!(says_something(path, text), "{path}");
        }
    }
}
