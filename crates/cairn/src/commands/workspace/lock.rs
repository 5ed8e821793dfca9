//! `workspace lock`: who holds the write lock, and batches of writes under it.

use chant::lock::{Failure, Report, WriteLock};
use gate::{Exit, Refusal};

use super::place;
use crate::answer::{Answer, Document};
use crate::ctx::Ctx;
use crate::page::Page;

/// Who holds the write lock; take it for a batch of writes
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to do instead of looking.
    #[command(subcommand)]
    action: Option<Action>,
}

/// What `lock` does.
#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Take the lock for a batch; each write of it runs with CHANT_WRITE_LOCK=<token>
    Acquire {
        /// Who writes the batch.
        #[arg(long, value_name = "NAME")]
        holder: String,
        /// How long it lasts, as in `90` or `5m`; at most ten minutes.
        #[arg(long, value_name = "DURATION")]
        ttl: Option<String>,
    },
    /// End a batch
    Release {
        /// The token that `acquire` printed.
        #[arg(long)]
        token: String,
    },
}

impl Document for Report {
    fn render(&self, page: &mut Page) {
        match (&self.token, &self.holder) {
            (Some(token), Some(holder)) => {
                page.ok(format_args!("the write lock is held until {}", holder.expires_at));
                page.under(format_args!("token: {token}"));
                page.hint(format_args!("run each write of the batch with CHANT_WRITE_LOCK={token}"));
            }
            (None, Some(holder)) => {
                let who = holder.by.as_deref().unwrap_or(&holder.verb);
                page.line(format_args!("held by {who} ({}) until {}", holder.verb, holder.expires_at));
            }
            _ => page.line("nobody holds the write lock"),
        }
    }
}

impl Document for Failure {
    fn render(&self, page: &mut Page) {
        page.bad(format_args!("{}: {}", self.error.code, self.error.message));
    }

    fn exit(&self) -> Exit {
        Exit::Refused
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    let place = place(ctx)?;
    let lock = WriteLock::new(place.root(), place.layout(), ctx.world);
    let done = match &args.action {
        None => lock.status(),
        Some(Action::Acquire { holder, ttl }) => lock.open_batch(holder, ttl.as_deref()),
        Some(Action::Release { token }) => lock.close_batch(token),
    };
    Ok(match done {
        Ok(report) => Answer::of(&report),
        Err(failure) => Answer::of(&failure),
    })
}
