//! The spec-format specification 1.1 (SFS): whether a Markdown file is a spec as that text wants one.
//!
//! [`lint`] is a pure function of the file's bytes, its name, a [`Profile`] that names the sections, and what else lies
//! in its folder. Each finding names one of the sixteen checks of the text. What only a person can judge is a warning;
//! what would need the network is reported as not checked, unless someone looked it up before and kept it in a
//! [`LinkCache`].

mod conformance;
mod contracts;
mod encoding;
mod fences;
mod finding;
mod front;
mod link_cache;
mod links;
mod mermaid;
mod profile;
mod prose;
mod reader;
mod sections;
mod siblings;
mod slug;
mod structure;
mod tables;
mod title;
mod version;

pub use finding::{Check, Finding, Severity};
pub use link_cache::LinkCache;
pub use profile::{Profile, Role, Section};
pub use siblings::Sibling;

use finding::Findings;
use structure::Structure;

/// What is known beside the bytes of a file.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    /// The name of the file, without its folder.
    pub name: &'a str,
    /// The other specs in its folder; none where the folder can't be listed.
    pub siblings: Option<&'a [Sibling]>,
    /// The sections that are asked for.
    pub profile: &'a Profile,
    /// What external links answered when someone looked.
    pub links: Option<&'a LinkCache>,
}

/// What the checks find in a file, in the order of its lines. A file that is a spec as the text wants it has no
/// finding, but for the one that says that its external links were not checked.
pub fn lint(bytes: &[u8], given: Given<'_>) -> Vec<Finding> {
    let mut found = Findings::default();
    let text = encoding::check(bytes, &mut found);
    let structure = Structure::read(&text);
    let front = front::check(&text, given.name, &mut found);
    siblings::check(given.name, given.siblings, &front, &mut found);
    title::check(&structure, &front, &mut found);
    sections::check(&structure, given.profile, &mut found);
    fences::check(&structure, &mut found);
    links::check(&structure, given, &mut found);
    prose::check(&structure, given.profile, &mut found);
    contracts::check(&structure, given.profile, &mut found);
    conformance::check(&structure, given.profile, &mut found);
    tables::check(&structure, &mut found);
    found.in_order()
}

#[cfg(test)]
mod tests;
