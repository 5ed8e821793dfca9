//! A source file without its behaviour.
//!
//! The stub of a file answers the question whether a test asserts anything: put in the place of the file, it
//! still gives a test everything that the test imports, and nothing of what the file did. A test that only
//! imports stays green, one that asserts goes red. Taking the file away instead would turn both red.
//!
//! What all languages share: signatures, types, imports and exports stay, bodies go. Code that runs while the
//! file is loaded is the delicate part, since a stub that fails to load makes each test red:
//!
//! | | body becomes | constants | code that runs on load |
//! |---|---|---|---|
//! | JavaScript, TypeScript | `{}`, or `undefined` after `=>`; a derived constructor keeps its `super(...)` | another value of the same type; objects and arrays keep their shape; what a call computes becomes `undefined` | dropped |
//! | Python | `return None` | the same, `None` for what is computed, unless code that stays needs it | dropped; classes, `if` and `try` stay |
//! | Rust | `unimplemented!()`, `panic!()` in a `const fn` | stay, since types depend on them | a `const fn` that a constant needs stays |
//! | Go | `panic("stub")`, nothing in `init` | stay | functions that a package variable needs stay |
//!
//! Where a file of another module runs something on load with what a stub gives it, the load can still fail:
//! whoever runs a test over a stub reads a failure to load as "cannot tell".

mod edits;
mod go;
mod javascript;
mod python;
mod rust;

#[cfg(test)]
mod tests;

use super::language::Language;
use super::syntax;
use edits::Edits;

/// The file `text` with the behaviour taken out.
///
/// `None` for a language that has no stubs, for a text with a syntax error or above one mebibyte, and for the
/// rare text whose stub would have a syntax error: what this returns parses.
#[must_use]
pub fn stub(language: Language, text: &str) -> Option<String> {
    let tree = syntax::parse(language, text).filter(|tree| !tree.root_node().has_error())?;
    let mut edits = Edits::new(text);
    match language {
        Language::JavaScript => javascript::stub(tree.root_node(), text, &mut edits),
        Language::TypeScript | Language::Tsx => {
            javascript::stub(tree.root_node(), text, &mut edits);
            javascript::silence_types(tree.root_node(), text, &mut edits);
        }
        Language::Python => python::stub(tree.root_node(), text, &mut edits),
        Language::Rust => rust::stub(tree.root_node(), text, &mut edits),
        Language::Go => go::stub(tree.root_node(), text, &mut edits),
        _ => return None,
    }
    let stubbed = edits.apply();
    syntax::parse(language, &stubbed).filter(|tree| !tree.root_node().has_error())?;
    Some(stubbed)
}
