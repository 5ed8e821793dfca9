//! `govern knowledge check`: what is wrong with the vault, with AGENTS.md, and with its size.

use gate::{Exit, Finding, Level, Refusal};
use govern::knowledge::check::check;
use schemars::JsonSchema;
use serde::Serialize;

use super::Desk;
use crate::answer::{Answer, Document};
use crate::ctx::Ctx;
use crate::page::Page;

/// Arguments of `govern knowledge check`.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// What `govern knowledge check` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Checked {
    /// Everything that was looked at.
    pub findings: Vec<Finding>,
}

impl Document for Checked {
    fn render(&self, page: &mut Page) {
        for finding in &self.findings {
            page.finding(finding);
        }
    }

    fn exit(&self) -> Exit {
        let fails = self.findings.iter().any(|finding| finding.level == Level::Fail);
        if fails { Exit::Red } else { Exit::Done }
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, desk: &Desk, _: Args) -> Result<Answer, Refusal> {
    let found = desk.vault.read()?;
    Ok(Answer::report(&Checked { findings: check(&desk.vault, &found) }, ctx.json))
}
