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
    /// Where what was there is kept, from the target's top.
    pub aside: String,
    /// What was put aside, by names in the governance folder.
    pub files: Vec<String>,
    /// A new chain of receipts was begun.
    pub new_chain: bool,
    /// What comes next.
    pub next: String,
}

impl Document for Mended {
    fn render(&self, page: &mut Page) {
        page.ok(format_args!("what was not as it was written is kept in `{}`", self.aside));
        for name in &self.files {
            page.under(name);
        }
        if self.new_chain {
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
    let Some(fault) = mend::fault(&place)? else {
        return Err(Refusal::new(codes::DEPLOY_STATE, "every file of the deployment is as it was written")
            .hint("there is nothing to mend")
            .next("cairn govern deploy report"));
    };
    let text = format!(
        "{fault}.\nWhat is there is kept aside, and the receipts go on without it. If you can put the file back as it was, do that \
         instead.\n"
    );
    ctx.person_types("mend", &text)?;
    let mended = mend::mend(ctx.world, &place)?;
    let state = place.desk.state().map_err(|error| unusable(&error))?;
    let next = match state {
        Some(state) if state.phase.has_changed() && mended.is_new_chain => {
            "cairn govern deploy rollback".to_owned()
        }
        Some(state) => state.resume,
        None => "cairn govern probe".to_owned(),
    };
    let printed = Mended { aside: mended.aside, files: mended.files, new_chain: mended.is_new_chain, next };
    Ok(Answer::of(&printed))
}
