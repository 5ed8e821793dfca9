//! `hook pause` and `hook resume`: a person lets pass for a while what the gates would deny.

use canon::Timestamp;
use gate::Refusal;
use govern::receipts::Note;
use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::{Answer, Document};
use crate::codes;
use crate::ctx::Ctx;
use crate::hook::pause::{self, LONGEST, Pause};
use crate::page::Page;

/// What `hook pause` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Paused(Pause);

/// What `hook resume` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Resumed {
    /// The pause that ended.
    pub ended: Pause,
}

impl Document for Paused {
    fn render(&self, page: &mut Page) {
        page.caution(&self.0);
        page.under("what is kept from agents' eyes stays so, and git's folder and cairn's state stay shut");
        page.next("cairn hook resume");
    }
}

impl Document for Resumed {
    fn render(&self, page: &mut Page) {
        page.ok("the gates judge again");
    }
}

fn length(text: &str) -> Result<i64, Refusal> {
    let wrong = |what: &str| {
        Refusal::new(codes::PAUSE_LENGTH, format!("`--for {text}` {what}"))
            .hint("give minutes or hours, as in `10m` or `2h`; a day is the most")
    };
    let length = chant::duration::parse(text).ok_or_else(|| wrong("is no duration"))?;
    let millis = i64::try_from(length.as_millis()).unwrap_or(i64::MAX);
    match millis {
        0 => Err(wrong("is no time at all")),
        1..=LONGEST => Ok(millis),
        _ => Err(wrong("is longer than a day")),
    }
}

/// Runs `hook pause`.
pub(super) fn pause(ctx: &Ctx<'_>, text: &str, why: String) -> Result<Answer, Refusal> {
    let length = length(text)?;
    let state = crate::hook::state(ctx.world)?;
    ctx.person_types("pause", &format!("For {text} agents may do here what the gates would deny.\n"))?;
    let at = ctx.world.now();
    let pause = Pause { until: Timestamp::from_millis(at.as_millis().saturating_add(length)), why, at };
    let figures = [("until", pause.until.as_millis())];
    let digests = [("why", canon::Sha256::of(&pause.why))];
    let note = Note { marker: "pause", figures: &figures, digests: &digests, ..Note::default() };
    crate::hook::record(&state, ctx.world, &note)?;
    pause::begin(&state, &pause).map_err(|error| Refusal::new(codes::NOT_WRITTEN, error))?;
    Ok(Answer::of(&Paused(pause)))
}

/// Runs `hook resume`.
pub(super) fn resume(ctx: &Ctx<'_>) -> Result<Answer, Refusal> {
    let state = crate::hook::state(ctx.world)?;
    let ended = pause::running(&state, ctx.world.now())
        .ok_or_else(|| Refusal::new(codes::NOT_PAUSED, "the gates are not paused"))?;
    pause::end(&state).map_err(|error| Refusal::new(codes::NOT_WRITTEN, error.to_string()))?;
    crate::hook::record(&state, ctx.world, &Note { marker: "resume", ..Note::default() })?;
    Ok(Answer::of(&Resumed { ended }))
}
