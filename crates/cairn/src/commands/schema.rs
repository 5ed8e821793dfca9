//! `schema`: the published JSON Schemas.

use chalk::codes;
use gate::Refusal;
use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::{Answer, Document};
use crate::ctx::Ctx;
use crate::page::Page;
use crate::schema::ALL;

/// Print a published JSON Schema, or list them
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The document, as in `chalk/next`.
    pub name: Option<String>,
}

/// The names of the schemas, or one of them.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Printed {
    /// Every name.
    Names {
        /// `<protocol>/<document>`, sorted.
        schemas: Vec<&'static str>,
    },
    /// A schema as it is published.
    Schema(serde_json::Map<String, serde_json::Value>),
}

impl Document for Printed {
    fn render(&self, page: &mut Page) {
        match self {
            Self::Names { schemas } => schemas.iter().for_each(|name| page.line(name)),
            Self::Schema(schema) => page.line(canon::json::pretty(&schema.clone().into())),
        }
    }
}

/// Runs the command.
pub fn run(_: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    let Some(name) = args.name else {
        return Ok(Answer::of(&Printed::Names { schemas: ALL.iter().map(|entry| entry.name).collect() }));
    };
    let entry = ALL.iter().find(|entry| entry.name == name).ok_or_else(|| {
        Refusal::new(codes::NOT_FOUND, format!("no schema is called `{name}`")).next("cairn schema")
    })?;
    let schema = (entry.make)();
    Ok(Answer::of(&Printed::Schema(schema.as_object().cloned().unwrap_or_default())))
}
