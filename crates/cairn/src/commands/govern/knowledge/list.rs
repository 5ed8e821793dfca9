//! `govern knowledge list`: every entry, and where it stands.

use gate::Refusal;
use govern::knowledge::Status;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Desk, Listed};
use crate::answer::{Answer, Document};
use crate::page::{Page, Row};

/// Arguments of `govern knowledge list`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// With this status alone.
    #[arg(long, value_enum)]
    status: Option<Which>,
}

/// A status, as the filter takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Which {
    /// It waits for evidence.
    Candidate,
    /// It is in force.
    Promoted,
    /// It was taken out of force.
    Archived,
    /// Its content is gone.
    Erased,
}

impl From<Which> for Status {
    fn from(which: Which) -> Self {
        match which {
            Which::Candidate => Self::Candidate,
            Which::Promoted => Self::Promoted,
            Which::Archived => Self::Archived,
            Which::Erased => Self::Erased,
        }
    }
}

/// What `govern knowledge list` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct List {
    /// The vault, from the top of the repository.
    pub vault: String,
    /// What this project is called.
    pub project: String,
    /// The entries, by folder and name.
    pub entries: Vec<Listed>,
    /// What can't be read.
    pub damaged: Vec<String>,
}

impl Document for List {
    fn render(&self, page: &mut Page) {
        if self.entries.is_empty() && self.damaged.is_empty() {
            page.line(format_args!("nothing is kept in `{}`", self.vault));
            page.next("cairn govern knowledge add <title> --label fact --evidence <reference>");
            return;
        }
        let row = |entry: &Listed| Row::new([&entry.standing(), &entry.id, &entry.title]);
        page.table(["STATUS", "NAME", "TITLE"], &self.entries.iter().map(row).collect::<Vec<_>>());
        for damaged in &self.damaged {
            page.bad(damaged);
        }
    }
}

/// Runs the command.
pub fn run(desk: &Desk, args: Args) -> Result<Answer, Refusal> {
    let found = desk.vault.read()?;
    let project = found.terms.project.clone();
    let status = args.status.map(Status::from);
    let listed = found.notes.iter().map(|note| Listed::of(&note.entry, &project));
    let entries = listed.filter(|entry| status.is_none_or(|status| entry.status == status)).collect();
    let damaged = found.damaged.iter().map(|refusal| refusal.message.clone()).collect();
    Ok(Answer::of(&List { vault: desk.vault.name().to_owned(), project, entries, damaged }))
}
