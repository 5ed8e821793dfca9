//! `guard`: the held-out regression set (P7) is locked, authored and listed.

use chalk::guard::{Added, Authored, Listed, add, author, list};
use gate::Refusal;

use crate::answer::{Answer, Document};
use crate::cli::value;
use crate::ctx::Ctx;
use crate::page::Page;

/// Author and lock the held-out regression set (P7)
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub action: Action,
}

/// What `guard` does.
#[derive(Debug, clap::Subcommand)]
pub enum Action {
    /// Lock a held-out file
    Add {
        /// The files to lock.
        #[arg(required = true, value_parser = value::text)]
        paths: Vec<String>,
        /// The reason, needed where a locked file changed.
        #[arg(long, value_name = "REASON", value_parser = value::text)]
        why: Option<String>,
    },
    /// Let the configured author write tests from the spec alone, and lock them
    Gen,
    /// The locked files and whether they are intact
    List,
}

fn tests(count: usize) -> String {
    if count == 1 { "1 held-out test".to_owned() } else { format!("{count} held-out tests") }
}

impl Document for Added {
    fn render(&self, page: &mut Page) {
        for path in &self.locked {
            page.ok(format_args!("locked `{path}`"));
        }
        for path in &self.relocked {
            page.ok(format_args!("locked `{path}` again as it is now; the reason is logged as a decision"));
        }
        for path in &self.already {
            page.ok(format_args!("`{path}` is locked already, with this content"));
        }
        page.under(format_args!("{} in all", tests(self.count)));
    }
}

impl Document for Authored {
    fn render(&self, page: &mut Page) {
        if self.locked.is_empty() {
            page.ok("the author wrote nothing that is not locked already");
        } else {
            page.ok(format_args!("the author wrote {}, locked now", tests(self.locked.len())));
        }
        page.under(format_args!("{} in all", tests(self.count)));
    }
}

impl Document for Listed {
    fn render(&self, page: &mut Page) {
        page.head(format_args!("{} in `{}`", tests(self.count), self.dir));
        for file in &self.tests {
            let hash = file.sha256.short();
            if file.holds() {
                page.ok(format_args!("{hash}  {}", file.path));
            } else {
                page.bad(format_args!("{hash}  {}", file.sentence()));
            }
        }
        let line = self.size.in_words();
        if (self.count as u64) < self.size.floor {
            page.caution(line);
        } else {
            page.ok(line);
        }
        if !self.unlocked.is_empty() {
            let count = chalk::guard::files(self.unlocked.len());
            page.caution(format_args!("not locked: {count} in the folder"));
            page.hint("lock them with `guard add`, or take them away");
        }
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    match args.action {
        Action::Add { paths, why } => {
            ctx.act(|session| add(session, &paths, why.as_deref())).map(|added| Answer::of(&added))
        }
        Action::Gen => ctx.act(author).map(|authored| Answer::of(&authored)),
        Action::List => ctx.read(list).map(|listed| Answer::of(&listed)),
    }
}
