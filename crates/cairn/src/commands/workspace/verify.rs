//! `workspace verify`: judge every commit of a change by what was believed before it.

use std::collections::BTreeMap;

use canon::text::{counted, one_line};
use chant::verify::{self, Commit, Document as Verified};
use gate::{Exit, Refusal};

use super::place;
use crate::answer::{Answer, Document};
use crate::ctx::Ctx;
use crate::page::{Page, Row};

/// Judge every commit of a change by what was believed before it
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The revision that trust is read at; by default the branch that work is merged to.
    #[arg(long, value_name = "REV", allow_hyphen_values = true)]
    base: Option<String>,
    /// The last commit of the change.
    #[arg(long, value_name = "REV", default_value = "HEAD", allow_hyphen_values = true)]
    head: String,
    /// Fail unless every commit is attested.
    #[arg(long, value_name = "LEVEL", value_parser = ["attested"])]
    require: Option<String>,
}

impl Document for Verified {
    fn exit(&self) -> Exit {
        if self.ok { Exit::Done } else { Exit::Refused }
    }

    fn render(&self, page: &mut Page) {
        let rows: Vec<_> = self.commits.iter().map(commit).collect();
        page.table(["COMMIT", "LEVEL", "SIGNED BY", "SUBJECT"], &rows);
        if let Some(proposal) = &self.proposal {
            page.ok(format_args!(
                "the signers go from version {} to {}, signed by {}",
                proposal.from,
                proposal.to,
                one_line(&proposal.signed_by.join(", "))
            ));
        }
        for note in &self.notes {
            page.caution(note);
        }
        for failure in &self.failures {
            let commit = failure.commit.as_ref().map(|commit| format!("{commit:.8} ")).unwrap_or_default();
            let code = failure.code.map_or(failure.check.as_str(), |code| code.as_str());
            page.bad(format_args!("{commit}{} ({code})", one_line(&failure.message)));
        }
        let mut levels: BTreeMap<&str, usize> = BTreeMap::new();
        for commit in &self.commits {
            *levels.entry(&commit.provenance.level).or_default() += 1;
        }
        let levels: Vec<String> = levels.iter().map(|(level, count)| format!("{count} {level}")).collect();
        let levels = if levels.is_empty() { String::new() } else { format!(": {}", levels.join(", ")) };
        let line = format!(
            "{}{levels}; {}",
            counted(self.commits.len(), "commit"),
            counted(self.failures.len(), "failure")
        );
        page.line(line);
    }
}

fn commit(commit: &Commit) -> Row<4> {
    let provenance = &commit.provenance;
    let signer = provenance.principal.as_deref().unwrap_or("-");
    let reason =
        (provenance.principal.is_none() && !commit.plain_merge).then(|| one_line(&provenance.reason));
    let merge = commit.plain_merge.then(|| "a merge that adds nothing".to_owned());
    let protected = &commit.protected;
    let writes = (!protected.is_empty()).then(|| format!("changes {}", protected.join(", ")));
    Row::new([&format!("{:.8}", commit.commit), &provenance.level, signer, &commit.subject])
        .notes(reason.into_iter().chain(merge).chain(writes))
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    let document = verify::verify(&place(ctx)?, args.base.as_deref(), &args.head, args.require.is_some())?;
    Ok(Answer::in_form(&document, ctx.json))
}
