//! The specs in one folder: which of them is in force (SFS-001).

use super::finding::{Check, Findings};
use super::front::{Front, Status};
use super::version::Version;

/// Another spec in the folder, as far as this one depends on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sibling {
    name: String,
    version: Version,
    status: Option<Status>,
}

impl Sibling {
    /// A file of the folder, if it is a spec: by its front matter, or by its name where that can't be read.
    pub fn read(name: &str, bytes: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(bytes);
        let front = Front::read(&canon::front_matter::to_lf(text.trim_start_matches('\u{feff}')));
        let named = Version::of_file(name).map(|(_, version)| version);
        let (version, status) = match front {
            Some(front) if front.is_spec => (front.version, front.status),
            Some(_) => return None,
            None => (None, None),
        };
        Some(Self { name: name.to_owned(), version: version.or(named)?, status })
    }

    /// Its file name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Holds a file against the other versions of its document; another document is another matter.
pub(super) fn check(name: &str, siblings: Option<&[Sibling]>, front: &Front, found: &mut Findings) {
    let (Some(siblings), Some((document, _))) = (siblings, Version::of_file(name)) else { return };
    let is_other_version = |one: &&Sibling| {
        one.name != name && Version::of_file(&one.name).is_some_and(|(other, _)| other == document)
    };
    let others: Vec<&Sibling> = siblings.iter().filter(is_other_version).collect();
    match front.status {
        Some(Status::Canonical) => canonical(&others, front, found),
        Some(Status::Superseded) => superseded(document, &others, front, found),
        None => {}
    }
}

fn canonical(others: &[&Sibling], front: &Front, found: &mut Findings) {
    for other in others {
        if other.status == Some(Status::Canonical) {
            let message = format!("`{}` is canonical too: one version is in force", other.name);
            let cure = "set the older one to `status: superseded`, with `superseded_by`";
            found.error(Check::FrontMatter, front.line("status"), message, cure);
        } else if front.version.is_some_and(|version| other.version < version)
            && !front.supersedes.contains(&other.version)
        {
            let before = other.version;
            let message = format!("`{}` comes before it, and `supersedes` leaves {before} out", other.name);
            found.error(Check::FrontMatter, front.line("supersedes"), message, format!("add \"{before}\""));
        }
    }
}

fn superseded(document: &str, others: &[&Sibling], front: &Front, found: &mut Findings) {
    let Some(next) = front.superseded_by else { return };
    if !others.iter().any(|other| other.version == next) {
        let message = format!("its successor `{document}-v{next}.md` is not there");
        let cure = "put the successor beside it, or mend `superseded_by`";
        found.error(Check::FrontMatter, front.line("superseded_by"), message, cure);
    }
}
