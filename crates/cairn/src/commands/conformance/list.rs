//! `conformance list`: the vectors, with what each requires.

use canon::Sha256;
use conformance::vector::{Mark, Vector};
use conformance::{Corpus, Level, codes};
use gate::Refusal;
use schemars::JsonSchema;
use serde::Serialize;

use super::level;
use crate::answer::{Answer, Document};
use crate::ctx::Ctx;
use crate::page::{Page, Row};

/// Arguments of `conformance list`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Those of this level and of the levels below.
    #[arg(long, value_name = "LEVEL", value_parser = level)]
    level: Option<Level>,
    /// Those of one family, as in `pl` or `adapters`.
    #[arg(long, value_name = "NAME")]
    family: Option<String>,
}

/// What `conformance list` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Listed {
    /// The digest of all vectors.
    pub corpus: Sha256,
    /// Those that were asked for.
    pub vectors: Vec<One>,
}

/// One vector.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct One {
    /// Its name.
    pub id: String,
    /// Its version.
    pub version: u32,
    /// Its file.
    pub family: String,
    /// The contract that it is about.
    pub contract: String,
    /// What it shows.
    pub title: String,
    /// How sure it is that the governance text says so.
    pub mark: Mark,
    /// The level that it counts for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// What an implementation must be able to do.
    pub requires: Vec<String>,
    /// It expects something to be refused.
    pub denies: bool,
    /// The digest of its RFC 8785 form.
    pub digest: Option<Sha256>,
}

impl Document for Listed {
    fn render(&self, page: &mut Page) {
        let rows: Vec<Row<4>> = self
            .vectors
            .iter()
            .map(|one| {
                let level = one.level.map_or("-", Level::as_str);
                Row::new([&one.id, &one.family, level, &one.title])
            })
            .collect();
        page.table(["ID", "FAMILY", "LEVEL", "WHAT IT SHOWS"], &rows);
        let counted = canon::text::counted(self.vectors.len(), "vector");
        page.line(format_args!("{counted}; all together are {}", self.corpus));
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    let corpus = conformance::published()?;
    if let Some(word) = &args.family
        && !corpus.families().iter().any(|family| Corpus::is_in(family, word))
    {
        return Err(Refusal::new(codes::UNKNOWN_FAMILY, format!("no family of vectors is called `{word}`"))
            .hint(format!("the families are {}", corpus.families().join(", "))));
    }
    let is_asked = |(family, vector): &(&str, &Vector)| {
        args.family.as_deref().is_none_or(|word| Corpus::is_in(family, word))
            && args.level.is_none_or(|level| vector.level.level().is_some_and(|own| own <= level))
    };
    let one = |(family, vector): (&str, &Vector)| One {
        id: vector.id.clone(),
        version: vector.version,
        family: family.to_owned(),
        contract: vector.contract.clone(),
        title: vector.title.clone(),
        mark: vector.mark,
        level: vector.level.level(),
        requires: vector.requires.clone(),
        denies: vector.denies,
        digest: corpus.digests().vectors.get(&vector.name()).copied(),
    };
    let vectors = corpus.vectors().filter(is_asked).map(one).collect();
    Ok(Answer::in_form(&Listed { corpus: corpus.digest(), vectors }, ctx.json))
}
