//! `conformance run`: every vector to an implementation, and a verdict on each, on each level, and on its honesty.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use conformance::attest::{self, Attestation};
use conformance::{Class, Level, Problem, Report};
use gate::{Exit, Refusal};
use schemars::JsonSchema;
use serde::Serialize;
use store::file;
use store::git::Git;
use trust::{ed25519, keygen};

use super::{DEADLINE, level, options, room, subject_of};
use crate::answer::{Answer, Document};
use crate::cli::value;
use crate::codes;
use crate::ctx::Ctx;
use crate::page::{Page, Row};

/// Arguments of `conformance run`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The vectors of this level and of the levels below, and whether the level holds.
    #[arg(long, value_name = "LEVEL", value_parser = level)]
    level: Option<Level>,
    /// The vectors of one family, as in `pl` or `adapters`.
    #[arg(long, value_name = "NAME")]
    family: Option<String>,
    /// How often each vector is sent to one process.
    #[arg(long, value_name = "N", value_parser = value::count, default_value = "1000")]
    repeat: u32,
    /// How many more processes are started, each with another order, time zone, language, mask and home.
    #[arg(long, value_name = "N", default_value = "4")]
    fresh: u32,
    /// How long an answer may take, in milliseconds.
    #[arg(long, value_name = "MS", value_parser = value::count)]
    deadline: Option<u32>,
    /// Switch the gates off: every vector that expects a denial must then fail.
    #[arg(long)]
    sabotage: bool,
    /// Sign the result, so that others can check it.
    #[arg(long, conflicts_with = "sabotage")]
    sign: bool,
    /// The key that signs: Ed25519 in PEM, or an ssh key; by default the ssh key that git signs with.
    #[arg(long, value_name = "FILE", requires = "sign")]
    key: Option<String>,
    /// Write the result there, or with `--sign` the attestation.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The implementation: a program and its arguments, last on the line; by default this program.
    #[arg(long, value_name = "CMD", num_args = 1.., allow_hyphen_values = true)]
    subject: Vec<OsString>,
}

/// What `conformance run` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Printed {
    /// What the run came to.
    #[serde(flatten)]
    pub report: Report,
    /// The same, signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attestation: Option<Attestation>,
}

impl Document for Printed {
    fn render(&self, page: &mut Page) {
        render(&self.report, page);
        if self.attestation.is_some() {
            page.ok("signed");
        }
    }

    fn exit(&self) -> Exit {
        if self.report.ok { Exit::Done } else { Exit::Red }
    }
}

/// What a run came to, for people.
pub(super) fn render(report: &Report, page: &mut Page) {
    let under = &report.subject;
    page.head(format_args!("{} {}  (vectors {})", under.name, under.version, report.corpus.short()));
    let shown = |number: usize| if number == 0 { "-".to_owned() } else { number.to_string() };
    let rows: Vec<Row<6>> = report
        .families
        .iter()
        .map(|(family, count)| {
            Row::new([
                family,
                &count.vectors.to_string(),
                &shown(count.pass),
                &shown(count.fail + count.error),
                &shown(count.unsupported),
                &shown(count.specified_not_implemented),
            ])
        })
        .collect();
    page.table(["FAMILY", "VECTORS", "PASS", "FAIL", "UNSUPPORTED", "NOT YET"], &rows);
    let is_shown = |class: Class| class.is_bad() && report.control.is_none();
    for one in report.vectors.iter().filter(|one| is_shown(one.class)) {
        let word = if one.class == Class::Error { "ERROR" } else { "FAIL" };
        page.bad(format_args!("{} {word}: {}", one.id, one.title));
        if let Some(problem) = &one.problem {
            page.under(problem);
        }
    }
    if let Some(control) = &report.control {
        let failed = canon::text::counted(control.failed, "vector");
        page.ok(format_args!("{failed} that expect a denial fail with the gates switched off"));
        for id in &control.unproved {
            page.bad(format_args!("{id} does not fail with the gates switched off, so it proves nothing"));
        }
        if !control.unanswered.is_empty() {
            page.aside(format_args!("not answered: {}", control.unanswered.join(", ")));
        }
    } else {
        let count = report.count;
        page.line(format_args!(
            "{} of {} pass, each sent {} to one process and once to each of {} fresh ones",
            count.pass,
            canon::text::counted(count.vectors, "vector"),
            canon::text::counted(report.repeat as usize, "time"),
            report.fresh,
        ));
    }
    for level in report.levels.iter().filter(|level| report.level.is_none_or(|asked| level.level <= asked)) {
        let word = level.level.as_str();
        if level.holds {
            page.ok(format_args!("level {word} holds"));
        } else {
            page.bad(format_args!("level {word} does not hold: {}", level.missing.join(", ")));
        }
    }
    for problem in &report.problems {
        page.bad(match problem {
            Problem::Dishonest => "what the implementation says of itself is not what it answers",
            Problem::ClaimsTooMuch => "the implementation claims a level that does not hold",
            Problem::Ending => "the implementation does not end with its input",
        });
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    let corpus = conformance::published()?;
    let subject = subject_of(ctx, &args.subject)?;
    let room = room(ctx)?;
    let deadline = args.deadline.map_or(DEADLINE, |millis| Duration::from_millis(millis.into()));
    let mut options = options(&room, args.repeat, args.fresh, deadline);
    options.level = args.level;
    options.family = args.family;
    options.sabotage = args.sabotage;
    let report = conformance::run(&corpus, &subject, &options, ctx.progress())?;
    let attestation = if args.sign { Some(sign(ctx, &report, args.key.as_deref())?) } else { None };
    let printed = Printed { report, attestation };
    if let Some(out) = args.out {
        let text = match &printed.attestation {
            Some(attestation) => serde_json::to_string_pretty(attestation),
            None => serde_json::to_string_pretty(&printed),
        };
        let refuse = |why: String| Refusal::new(codes::NOT_WRITTEN, why);
        let text = text.map_err(|error| refuse(error.to_string()))? + "\n";
        file::replace(&ctx.world.cwd.join(out), text.as_bytes())
            .map_err(|error| refuse(error.to_string()))?;
    }
    Ok(Answer::report(&printed, ctx.json))
}

/// Signs a result with the key in a file, or with the one that git signs with.
fn sign(ctx: &Ctx<'_>, report: &Report, key: Option<&str>) -> Result<Attestation, Refusal> {
    let harness = concat!("cairn ", env!("CARGO_PKG_VERSION"));
    let statement = attest::statement(report, ctx.world.now(), harness);
    let refuse = |why: String| Refusal::new(conformance::codes::NOT_SIGNED, why);
    let key = if let Some(name) = key {
        let bytes = file::read(&ctx.world.cwd.join(name)).map_err(|error| refuse(error.to_string()))?;
        let bytes = bytes.ok_or_else(|| refuse(format!("there is no key `{name}`")))?;
        if let Ok(key) = ed25519::SigningKey::from_pem(&String::from_utf8_lossy(&bytes)) {
            return attest::sign(&statement, &key);
        }
        keygen::SigningKey::file(name, &ctx.world.cwd, &ctx.world.env)
    } else {
        let git = Git::new(&ctx.world.cwd, &ctx.world.env);
        keygen::SigningKey::from_git(&git, &ctx.world.env).map_err(|error| {
            refuse(error.to_string())
                .hint("name a key with `--key`, or set `gpg.format` to ssh and `user.signingkey`")
        })?
    };
    let message = attest::to_sign(&statement)?;
    let signed = keygen::sign(&key, attest::NAMESPACE, &message, &ctx.world.env)
        .map_err(|error| refuse(error.to_string()))?;
    attest::signed(&statement, signed.armor)
}
