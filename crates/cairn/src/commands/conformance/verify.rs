//! `conformance verify`: whether an attestation is what its signer signed, is about these vectors, and is borne out by a
//! run of one's own.

use std::ffi::OsString;
use std::path::PathBuf;

use canon::{Sha256, Timestamp};
use conformance::attest::{self, Difference};
use conformance::{LevelVerdict, Under};
use gate::{Exit, Refusal};
use schemars::JsonSchema;
use serde::Serialize;
use store::file;

use super::{DEADLINE, options, room, subject_of};
use crate::answer::{Answer, Document};
use crate::cli::value;
use crate::ctx::Ctx;
use crate::page::Page;

/// Arguments of `conformance verify`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The attestation.
    file: PathBuf,
    /// The public key that must have signed, in PEM or as ssh writes it; without it any key will do, and is named.
    #[arg(long, value_name = "FILE")]
    signer: Option<PathBuf>,
    /// Make the same run, and compare.
    #[arg(long)]
    rerun: bool,
    /// How often each vector is sent to one process in that run; by default as often as attested.
    #[arg(long, value_name = "N", value_parser = value::count, requires = "rerun")]
    repeat: Option<u32>,
    /// The implementation: a program and its arguments, last on the line; by default this program.
    #[arg(long, value_name = "CMD", num_args = 1.., allow_hyphen_values = true, requires = "rerun")]
    subject: Vec<OsString>,
}

/// What `conformance verify` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Verified {
    /// The signature is good, and where a run was made it says the same.
    pub ok: bool,
    /// The fingerprint of the key that signed.
    pub signer: String,
    /// It is the key that was asked for.
    pub expected: bool,
    /// When it was made.
    pub at: Timestamp,
    /// The harness that made it.
    pub harness: String,
    /// The digest of the vectors, which is that of the vectors here.
    pub corpus: Sha256,
    /// What was tested.
    pub subject: Under,
    /// The levels as attested.
    pub levels: Vec<LevelVerdict>,
    /// A run of one's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rerun: Option<Rerun>,
}

/// A run of one's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Rerun {
    /// What was tested now.
    pub subject: Under,
    /// The files of the implementation are the same, byte for byte.
    pub same_files: bool,
    /// What it says otherwise.
    pub differences: Vec<Difference>,
}

impl Document for Verified {
    fn render(&self, page: &mut Page) {
        let whose = if self.expected { "as asked for" } else { "whose key it is you have to know" };
        page.ok(format_args!("signed by {} ({whose})", self.signer));
        page.ok(format_args!("about these vectors: {}", self.corpus.short()));
        page.line(format_args!("{} {}, at {}", self.subject.name, self.subject.version, self.at));
        for level in &self.levels {
            let word = if level.holds { "holds" } else { "does not hold" };
            page.under(format_args!("level {} {word}", level.level.as_str()));
        }
        let Some(rerun) = &self.rerun else { return };
        if !rerun.same_files {
            page.caution("the implementation is another one than the attested, by its files");
        }
        for difference in &rerun.differences {
            let word = |class: Option<conformance::Class>| {
                let value = class.and_then(|class| serde_json::to_value(class).ok());
                value
                    .and_then(|value| value.as_str().map(str::to_owned))
                    .unwrap_or_else(|| "not run".to_owned())
            };
            let vector = &difference.vector;
            if difference.answer {
                page.bad(format_args!("{vector}: another answer than the attested one"));
            } else {
                let (attested, found) = (word(difference.attested), word(difference.found));
                page.bad(format_args!("{vector}: attested {attested}, found {found}"));
            }
        }
        if rerun.differences.is_empty() {
            page.ok("the run made here says the same");
        }
    }

    fn exit(&self) -> Exit {
        if self.ok { Exit::Done } else { Exit::Red }
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    let damaged = |why: String| Refusal::new(conformance::codes::ATTESTATION_DAMAGED, why);
    let read = |path: &PathBuf| {
        let bytes = file::read(&ctx.world.cwd.join(path)).map_err(|error| damaged(error.to_string()))?;
        bytes.ok_or_else(|| damaged(format!("there is no file `{}`", path.display())))
    };
    let signer = match &args.signer {
        Some(path) => {
            let text = String::from_utf8_lossy(&read(path)?).into_owned();
            let key = trust::ed25519::VerifyingKey::parse(&text).map(|key| key.ssh());
            let key = key.or_else(|_| text.trim().parse());
            Some(key.map_err(|fault: trust::NotAKey| damaged(format!("`{}`: {fault}", path.display())))?)
        }
        None => None,
    };
    let opened = attest::open(&read(&args.file)?, signer.as_ref())?;
    let corpus = conformance::published()?;
    opened.is_about(&corpus)?;
    let rerun = if args.rerun {
        let subject = subject_of(ctx, &args.subject)?;
        let room = room(ctx)?;
        let result = &opened.result;
        let repeat = args.repeat.unwrap_or(result.repeat);
        let mut options = options(&room, repeat, result.fresh, DEADLINE);
        options.level = result.level;
        options.family.clone_from(&result.family);
        let report = conformance::run(&corpus, &subject, &options, ctx.progress())?;
        let differences = opened.differences(&report);
        let same_files = report.subject.files == result.subject.files;
        Some(Rerun { subject: report.subject, same_files, differences })
    } else {
        None
    };
    let verified = Verified {
        ok: rerun.as_ref().is_none_or(|rerun| rerun.differences.is_empty()),
        signer: opened.signer,
        expected: signer.is_some(),
        at: opened.result.at,
        harness: opened.result.harness,
        corpus: opened.corpus,
        subject: opened.result.subject,
        levels: opened.result.levels,
        rerun,
    };
    Ok(Answer::report(&verified, ctx.json))
}
