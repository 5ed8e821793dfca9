//! What a source file brings in from elsewhere, and the plain strings that it names things with.
//!
//! Nothing is resolved here: a module is given as it is written. A text with syntax errors gives what can still
//! be recognised in it; a text that is too large to parse gives nothing.

mod go;
mod javascript;
mod literals;
mod python;
mod rust;

#[cfg(test)]
mod tests;

use tree_sitter::Node;

use super::language::Language;
use super::syntax;

pub(in crate::source) use javascript::module_of_call;
pub use literals::Literal;

/// One thing that a file brings in.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Import {
    /// The module as it is written: `./a.js`, `..pkg.mod`, `example.org/m/pkg`, `crate::a::b`.
    ///
    /// Of a Rust `use` with a list, each leaf's path in full, without its last name.
    pub module: String,
    /// Line of the import, counted from one.
    pub line: usize,
    /// What is taken out of the module by name. Empty when the module is taken as a whole or for its effects;
    /// `*` for everything, `default` for a JavaScript default. A renamed item gives both of its names.
    pub names: Vec<String>,
    /// In which way it is brought in.
    pub kind: ImportKind,
    /// Rust only: the inline modules around it, joined by `::`; what `self` and `super` start from.
    pub scope: String,
}

/// In which way an [`Import`] is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ImportKind {
    /// An import for the file's own use: `import`, `require`, `use`, `extern crate`.
    Import,
    /// An import that the file passes on: `export ... from`, `pub use`.
    Reexport,
    /// A Rust `mod name;`: the module is a file below this one.
    Module,
    /// A path of a file beside this one: Rust's `#[path]` and `include!`.
    File,
    /// A Rust path in code that names a module without importing it, such as `krate::parse::run()`.
    Path,
}

impl Import {
    fn new(module: impl Into<String>, line: usize, kind: ImportKind) -> Self {
        Self { module: module.into(), line, names: Vec::new(), kind, scope: String::new() }
    }

    fn with_names(self, names: Vec<String>) -> Self {
        Self { names, ..self }
    }
}

/// What `text` imports, in the order of the text. Empty for languages without a grammar here.
#[must_use]
pub fn imports(language: Language, text: &str) -> Vec<Import> {
    let Some(tree) = syntax::parse(language, text) else { return Vec::new() };
    imports_of_tree(language, tree.root_node(), text)
}

/// Both [`imports`] and [`literals`] from one parse, which is most of the cost of either.
pub(in crate::source) fn imports_and_literals(language: Language, text: &str) -> (Vec<Import>, Vec<Literal>) {
    match syntax::parse(language, text) {
        Some(tree) => {
            let root = tree.root_node();
            (imports_of_tree(language, root, text), literals::of_tree(root, text))
        }
        None => (Vec::new(), literals_without_tree(language, text)),
    }
}

fn imports_of_tree(language: Language, root: Node, text: &str) -> Vec<Import> {
    match language {
        Language::Rust => rust::imports(root, text),
        Language::JavaScript | Language::TypeScript | Language::Tsx => javascript::imports(root, text),
        Language::Python => python::imports(root, text),
        Language::Go => go::imports(root, text),
        _ => Vec::new(),
    }
}

/// The plain string literals of `text`, in order: those without a value put in, their simple escapes undone.
///
/// By the grammar where there is one, else what stands between a pair of quotes on one line.
#[must_use]
pub fn strings(language: Language, text: &str) -> Vec<String> {
    literals(language, text).into_iter().map(|literal| literal.text).collect()
}

/// As [`strings`], with the line of each.
#[must_use]
pub fn literals(language: Language, text: &str) -> Vec<Literal> {
    match syntax::parse(language, text) {
        Some(tree) => literals::of_tree(tree.root_node(), text),
        None => literals_without_tree(language, text),
    }
}

fn literals_without_tree(language: Language, text: &str) -> Vec<Literal> {
    // What has a grammar and did not parse is too large or too hostile to be looked into.
    if syntax::has_grammar(language) || text.len() > syntax::MAX_TEXT {
        return Vec::new();
    }
    literals::between_quotes(text)
}
