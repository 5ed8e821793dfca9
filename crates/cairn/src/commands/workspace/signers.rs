//! `workspace signers`: the sets of signers up to base, and the rotation file that lets the next set follow.

use chant::signers::{self, Document as Signers, Failure, Rotated, Signed, Version};
use gate::{Exit, Refusal};

use super::{failed, place};
use crate::answer::{Answer, Document};
use crate::ctx::Ctx;
use crate::page::{Page, Row};

/// The signer sets up to base
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    /// The revision that trust is read at; by default the branch that work is merged to.
    #[arg(long, value_name = "REV", allow_hyphen_values = true)]
    base: Option<String>,
    /// What to do; without it the sets are listed.
    #[command(subcommand)]
    action: Option<Action>,
}

/// What can be done with the next set.
#[derive(Debug, clap::Subcommand)]
pub enum Action {
    /// Write the rotation file of the next set, without signatures yet
    Rotate {
        /// How many of its signers must sign the set after it; by default as many as now.
        #[arg(long, value_name = "N")]
        threshold: Option<u64>,
    },
    /// Sign the rotation file with a key of the set in effect
    Sign {
        /// The private key, or the public one of a key that an agent holds.
        #[arg(long, value_name = "FILE")]
        key: String,
    },
}

impl Document for Signers {
    fn exit(&self) -> Exit {
        if self.broken.is_some() { Exit::Refused } else { Exit::Done }
    }

    fn render(&self, page: &mut Page) {
        page.head(format_args!("{}  (at base {:.8})", self.signers_path, self.base));
        let rows: Vec<_> = self.versions.iter().map(row).collect();
        page.table(["VERSION", "COMMIT", "THRESHOLD", "PRINCIPALS", "SIGNED BY"], &rows);
        if let Some(broken) = &self.broken {
            let at = broken.commit.as_ref().map(|commit| format!("{commit:.8} ")).unwrap_or_default();
            page.bad(format_args!("{at}{}: {}", broken.code, broken.message));
        }
    }
}

fn row(version: &Version) -> Row<5> {
    let commit = version.commit.as_ref().map_or("-".to_owned(), |commit| format!("{commit:.8}"));
    if version.version == 0 {
        return Row::new(["removed", &commit, "-", "-", "-"]);
    }
    let names = |names: &[String]| if names.is_empty() { "-".to_owned() } else { names.join(", ") };
    let (number, threshold) = (version.version.to_string(), version.threshold.to_string());
    Row::new([&number, &commit, &threshold, &names(&version.principals), &names(&version.signed_by)])
}

impl Document for Rotated {
    fn render(&self, page: &mut Page) {
        page.ok(format_args!("wrote {}: version {}", self.path, self.version));
        page.under(format_args!("signers: {}", canon::text::one_line(&self.principals.join(", "))));
        page.under(format_args!("signatures: 0 of {} by signers of the set in effect", self.need));
        if self.dropped > 0 {
            page.caution(format_args!(
                "{} of an earlier rotation went",
                canon::text::counted(self.dropped, "signature")
            ));
        }
        page.next("chant workspace signers sign --key <file>");
    }
}

impl Document for Signed {
    fn render(&self, page: &mut Page) {
        page.ok(format_args!("{} signed version {}", self.principal, self.version));
        page.under(format_args!("signatures: {} of {}", self.have, self.need));
        if (self.have as u64) < self.need {
            page.next("chant workspace signers sign --key <file>");
        } else {
            page.hint(format_args!("commit the signers file and {} together, signed", self.path));
        }
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    match args.action {
        None => match place(ctx).and_then(|place| signers::list(&place, args.base.as_deref())) {
            Ok(listed) => {
                for note in listed.notes {
                    ctx.warn(note);
                }
                Ok(Answer::in_form(&listed.document, ctx.json))
            }
            Err(refusal) => Ok(failed(ctx, &refusal, Failure::from(&refusal))),
        },
        Some(Action::Rotate { threshold }) => {
            let rotated = signers::rotate(&place(ctx)?, threshold)?;
            for note in &rotated.notes {
                ctx.warn(note);
            }
            Ok(Answer::in_form(&rotated, ctx.json))
        }
        Some(Action::Sign { key }) => Ok(Answer::in_form(&signers::sign(&place(ctx)?, &key)?, ctx.json)),
    }
}
