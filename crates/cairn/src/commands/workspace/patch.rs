//! `workspace patch`: the hunks of a diff, for a reader that runs no git.

use std::num::NonZeroU64;

use chant::patch::{self, Asked, Document as Patch, FILE_BYTES, Failure, Request};
use gate::Refusal;

use super::{failed, place};
use crate::answer::{Answer, Document};
use crate::ctx::Ctx;
use crate::page::Page;

/// The hunks of a diff, as a document
#[derive(Debug, clap::Args)]
pub struct Args {
    /// `<base>..<head>`, `<base>...<head>`, or one commit against its first parent; with `--worktree` the commit that
    /// the working tree is compared with.
    #[arg(value_name = "RANGE", required_unless_present = "worktree")]
    range: Option<String>,
    /// Only this file or folder, from the workspace root; repeatable.
    #[arg(long = "path", value_name = "PATH")]
    paths: Vec<String>,
    /// Bytes of hunk text that one file gets; all together get 16 times that.
    #[arg(long, value_name = "N", default_value_t = FILE_BYTES)]
    max_bytes: NonZeroU64,
    /// Compare the working tree, by default with HEAD.
    #[arg(long)]
    worktree: bool,
}

impl Document for Patch {
    fn render(&self, page: &mut Page) {
        page.line(patch::text(self).trim_end_matches('\n'));
    }
}

fn read(ctx: &Ctx<'_>, args: &Args) -> Result<Patch, Refusal> {
    let asked = match &args.range {
        range if args.worktree => Asked::Worktree(range.as_deref()),
        range => Asked::Range(range.as_deref().unwrap_or_default()),
    };
    let request = Request { asked, paths: &args.paths, file_bytes: args.max_bytes };
    patch::at(&place(ctx)?, &request)
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    match read(ctx, &args) {
        Ok(patch) => Ok(Answer::in_form(&patch, ctx.json)),
        Err(refusal) => {
            let mut page = Page::new();
            page.refusal(&refusal);
            Ok(failed(ctx, &refusal, Failure::from(&refusal)).beside(page))
        }
    }
}
