//! `records pin`: what a record writes to pin a file.

use canon::Sha256;
use chant::{Place, codes};
use gate::Refusal;
use store::tree::Tree;

use crate::answer::{Answer, Document};
use crate::page::Page;

/// The pin of a file: its path and the SHA-256 of its bytes
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The file.
    path: String,
}

/// The pin of a file, as a record's list of evidence holds it.
#[derive(serde::Serialize, schemars::JsonSchema)]
pub struct Pinned {
    /// The file, from the workspace root.
    path: String,
    /// The SHA-256 of its bytes.
    sha256: String,
}

impl Document for Pinned {
    fn render(&self, page: &mut Page) {
        page.line(format_args!("{}  {}", self.sha256, self.path));
    }
}

/// Runs the command.
pub fn run(place: &Place<'_>, args: &Args) -> Result<Answer, Refusal> {
    let tree = place.work_tree();
    let file = place.typed(&args.path);
    let invalid = |why: String| Refusal::new(codes::WRITE_INPUT_INVALID, format!("{file} {why}"));
    let content = tree.read(&file).map_err(|error| invalid(format!("can't be read: {error}")))?;
    let Some(content) = content else {
        return Err(invalid("is no file of this repository".into())
            .hint("a pin names a file in the workspace; links are not followed"));
    };
    // The workspace is the nearest one above where the command stands, as for the records that will pin the file.
    let root = place.declared(&tree).map(|found| found.root).unwrap_or_default();
    let path = file
        .as_bytes()
        .strip_prefix(root.as_bytes())
        .map(|rest| rest.strip_prefix(b"/").unwrap_or(rest))
        .and_then(|path| std::str::from_utf8(path).ok())
        .filter(|path| chant::records::is_workspace_path(path))
        .ok_or_else(|| {
            invalid(format!("is outside the workspace at {root}, or its name can't stand in a pin"))
        })?;
    Ok(Answer::of(&Pinned { path: path.to_owned(), sha256: Sha256::of(content).to_string() }))
}
