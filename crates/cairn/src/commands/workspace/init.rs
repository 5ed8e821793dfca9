//! `workspace init`: propose a declaration for this repository, and write it where somebody agrees.

use std::path::PathBuf;

use chant::Place;
use chant::init::{Change, Document as Made, Leaving, Plan, Stack};
use gate::Refusal;
use store::git::RepoPath;

use crate::answer::{Answer, Document};
use crate::ctx::Ctx;
use crate::page::{Page, Row};

/// Propose a declaration for this repository, and write it
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder of the workspace; by default the top of the repository.
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
    /// The workspace's name; by default that of the repository.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Write the proposal without asking.
    #[arg(long)]
    yes: bool,
    /// List each directory and file that leaves the root project.
    #[arg(long)]
    verbose: bool,
    /// Not offered.
    #[arg(long, hide = true, num_args = 0..=1, default_missing_value = "")]
    profile: Option<String>,
}

/// What `init` prints.
#[derive(serde::Serialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct Printed {
    made: Made,
    #[serde(skip)]
    verbose: bool,
    /// The proposal was shown with the question.
    #[serde(skip)]
    was_asked: bool,
}

impl Printed {
    fn propose(&self, page: &mut Page) {
        page.head(format_args!("{}, as proposed", self.made.file));
        page.line(canon::json::pretty(&self.made.declaration));
        let leaving: Vec<_> =
            self.made.leaving.iter().flat_map(|leaving| leaves(leaving, self.verbose)).collect();
        if !leaving.is_empty() {
            page.blank();
            page.line("what leaves the root project");
            page.table_under(["DIRECTORY", "OWNER", ".TS FILES"], &leaving);
        }
        if !self.made.stacks.is_empty() {
            page.blank();
            page.line("the ownership stack of each chant member; set them in their configuration");
            let stacks: Vec<_> = self.made.stacks.iter().map(stack).collect();
            page.table_under(["MEMBER", "STACK", "CHANGE"], &stacks);
        }
        page.blank();
    }
}

impl Document for Printed {
    fn render(&self, page: &mut Page) {
        if !self.was_asked {
            self.propose(page);
        }
        if self.made.written {
            page.ok(format_args!("wrote {}", self.made.file));
        } else {
            page.line("nothing was written");
            page.hint("`--yes` writes it");
        }
    }
}

fn leaves(leaving: &Leaving, verbose: bool) -> Vec<Row<3>> {
    let row = |directory: &str, files: usize| Row::new([directory, &leaving.owner, &files.to_string()]);
    if leaving.group && !verbose {
        let directories = leaving.directories.len();
        let name =
            if directories == 1 { "1 directory".to_owned() } else { format!("{directories} directories") };
        let files = leaving.directories.iter().map(|directory| directory.files.len()).sum();
        return vec![row(&name, files)];
    }
    let directories = leaving.directories.iter().map(|directory| {
        let files = if verbose { directory.files.clone() } else { Vec::new() };
        let files = files.iter().map(|file| canon::text::one_line(file));
        row(&directory.dir, directory.files.len()).notes(files)
    });
    directories.collect()
}

fn stack(stack: &Stack) -> Row<3> {
    let change = match stack.change {
        Change::Keep => "keep".to_owned(),
        Change::Rename => format!("rename to {}", stack.proposed),
        Change::Set => format!("set to {}", stack.proposed),
    };
    Row::new([&stack.member, stack.current.as_deref().unwrap_or("-"), &change])
}

/// The preview, with the question at its end.
fn question(ctx: &Ctx<'_>, printed: &Printed) -> String {
    let mut page = Page::new();
    printed.propose(&mut page);
    let members = printed.made.declaration["members"].as_array().map_or(0, Vec::len);
    format!(
        "{}write {} with {}? [y/N] ",
        page.finish(ctx.terminal.colour_err),
        printed.made.file,
        if members == 1 { "1 entry".to_owned() } else { format!("{members} entries") }
    )
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    if args.profile.is_some() {
        let refusal = Refusal::new(chant::codes::WRITE_USAGE_INVALID, "`--profile` is not offered here");
        return Err(refusal.hint("without it, `init` proposes what it finds in the repository"));
    }
    let place = Place::open(ctx.world, args.dir.as_deref())?;
    let root = if args.dir.is_some() { place.folder().clone() } else { RepoPath::default() };
    let plan = Plan::new(&place, &root, args.name.as_deref())?;
    let mut printed = Printed { made: plan.document(false), verbose: args.verbose, was_asked: false };
    let mut agreed = args.yes;
    if let (false, false, Some(ask)) = (args.yes, ctx.json, ctx.terminal.ask) {
        printed.was_asked = true;
        agreed = ask(&question(ctx, &printed));
    }
    if agreed {
        plan.write()?;
        printed.made.written = true;
    }
    Ok(Answer::in_form(&printed, ctx.json))
}
