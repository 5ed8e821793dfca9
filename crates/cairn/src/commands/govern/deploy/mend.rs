//! `govern deploy mend`: the way on where receipts, evidence or state of a deployment are not as they were written. What
//! is there is kept aside, and the receipts say so.

use gate::Refusal;
use schemars::JsonSchema;
use serde::Serialize;

use super::Target;
use crate::answer::{Answer, Document};
use crate::codes;
use crate::ctx::Ctx;
use crate::deploy::{Place, mend, unusable};
use crate::page::Page;

/// What `govern deploy mend` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Mended {
    /// Where what was there of the deployment is kept, from the target's top.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aside: Option<String>,
    /// What was put aside of it, by names in the governance folder.
    pub files: Vec<String>,
    /// A new chain of the deployment's receipts was begun.
    pub new_chain: bool,
    /// Where the signed receipts are kept that were broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signed: Option<String>,
    /// What comes next.
    pub next: String,
}

impl Document for Mended {
    fn render(&self, page: &mut Page) {
        if let Some(aside) = &self.aside {
            page.ok(format_args!("what was not as it was written is kept in `{aside}`"));
        }
        for name in &self.files {
            page.under(name);
        }
        if let Some(signed) = &self.signed {
            page.ok(format_args!("the signed receipts that were broken are kept as `{signed}`"));
        }
        if self.new_chain || self.signed.is_some() {
            page.caution(
                "a new chain of receipts begins, and says so; what was deployed before can't be proved by it",
            );
        }
        page.next(&self.next);
    }
}

/// Runs the command.
pub(super) fn run(ctx: &Ctx<'_>, target: &Target) -> Result<Answer, Refusal> {
    let place = Place::find(ctx.world, target.target.as_deref())?;
    let _guard = place.lock()?;
    let faults = mend::faults(&place)?;
    let told: Vec<&str> = faults.desk.iter().chain(&faults.signed).map(String::as_str).collect();
    if told.is_empty() {
        return Err(Refusal::new(
            codes::DEPLOY_STATE,
            "all that the deployment has on record is as it was written",
        )
        .hint("there is nothing to mend")
        .next("cairn govern deploy report"));
    }
    let text = format!(
        "{}.\nWhat is there is kept aside, and the receipts go on without it. If you can put the file back as it was, do that \
         instead.\n",
        told.join(".\n")
    );
    ctx.person_types("mend", &text)?;
    let (mended, signed) = mend::mend(ctx.world, &place, &faults)?;
    let state = place.desk.state().map_err(|error| unusable(&error))?;
    let is_new_chain = mended.as_ref().is_some_and(|mended| mended.is_new_chain);
    let next = match state {
        // The approval went with what was put aside.
        Some(state) if state.phase.has_changed() && (is_new_chain || signed.is_some()) => {
            "cairn govern deploy rollback".to_owned()
        }
        Some(state) if signed.is_none() => state.resume,
        _ => "cairn govern probe".to_owned(),
    };
    let (aside, files) = mended.map(|mended| (mended.aside, mended.files)).unzip();
    Ok(Answer::of(&Mended {
        aside,
        files: files.unwrap_or_default(),
        new_chain: is_new_chain,
        signed: signed.map(|path| path.display().to_string()),
        next,
    }))
}
