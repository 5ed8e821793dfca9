//! `skill`: how-to text, given to every context.

use std::path::PathBuf;

use chalk::skill::{Added, List, Skill, add, list, read_source};
use gate::Refusal;

use crate::answer::{Answer, Document};
use crate::cli::value;
use crate::ctx::Ctx;
use crate::page::Page;

/// Keep how-to text for every context
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to do; without it the skills are listed.
    #[command(subcommand)]
    pub action: Option<Action>,
}

/// What `skill` does.
#[derive(Debug, clap::Subcommand)]
pub enum Action {
    /// Add a skill
    Add {
        /// Its name.
        #[arg(value_parser = value::text)]
        name: String,
        /// Its text.
        #[arg(value_parser = value::text, required_unless_present = "from")]
        text: Option<String>,
        /// A file with its text.
        #[arg(long, value_name = "FILE", conflicts_with = "text")]
        from: Option<PathBuf>,
    },
    /// List the skills
    List,
}

fn line(skill: &Skill) -> String {
    format!("{}  {}", skill.name, skill.title)
}

impl Document for Added {
    fn render(&self, page: &mut Page) {
        page.ok(format_args!("kept: {}", line(&self.skill)));
        page.under(&self.skill.path);
    }
}

impl Document for List {
    fn render(&self, page: &mut Page) {
        if self.skills.is_empty() {
            page.line("no skills yet");
        }
        for skill in &self.skills {
            page.line(line(skill));
        }
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    match args.action {
        Some(Action::Add { name, text, from }) => ctx
            .act(|session| {
                let content = match (&text, &from) {
                    (_, Some(path)) => read_source(session, path)?,
                    (text, None) => text.clone().unwrap_or_default(),
                };
                add(session, &name, &content)
            })
            .map(|added| Answer::of(&added)),
        Some(Action::List) | None => ctx.read(list).map(|list| Answer::of(&list)),
    }
}
