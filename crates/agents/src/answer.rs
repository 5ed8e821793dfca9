//! What a hook says to its agent.

use canon::{json, text};
use gate::event::{Decision, Moment, Verdict};
use serde_json::{Value, json};

use crate::agent::Point;

/// The longest reason in characters; Claude Code cuts at 10 000.
const LONGEST: usize = 9_000;

/// What the hook prints and with which code it ends.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    /// One JSON document on one line, without its line end; none prints nothing.
    pub stdout: Option<String>,
    /// Text for the agent or the person.
    pub stderr: Option<String>,
    /// The exit code.
    pub exit: u8,
}

impl Answer {
    /// Nothing is said, and everything goes its way.
    pub fn silent() -> Self {
        Self::default()
    }

    pub(crate) fn json(value: &Value) -> Self {
        Self { stdout: Some(json::compact(value)), ..Self::default() }
    }

    /// The same, and the call is blocked also where the document is not understood.
    pub(crate) fn blocking(self, reason: &str) -> Self {
        Self { stderr: Some(reason.to_owned()), exit: 2, ..self }
    }
}

/// What a verdict says at one point, with nothing left that the moment can't carry.
pub(crate) enum Word {
    /// Nothing.
    Nothing,
    /// Something for the agent's context.
    Note(String),
    /// A person decides.
    Ask(String),
    /// It does not happen, or does not end.
    Deny(String),
}

/// What `verdict` says. After a call nobody can be asked any more: only `pre_tool` can ask.
pub(crate) fn word(point: Point, verdict: &Verdict) -> Word {
    match verdict.decision {
        Decision::Ask if point.moment == Some(Moment::PreTool) => Word::Ask(reason(verdict)),
        Decision::Deny | Decision::Ask => Word::Deny(reason(verdict)),
        Decision::Allow | Decision::Observe => match context(verdict) {
            Some(text) => Word::Note(text),
            None => Word::Nothing,
        },
    }
}

/// The sentence for the agent; never empty, since an empty reason makes some agents go on.
pub(crate) fn reason(verdict: &Verdict) -> String {
    let said = verdict.message.as_deref().filter(|message| !text::is_blank(message));
    let said = said.map_or_else(
        || {
            let rule =
                verdict.rule.as_deref().or(verdict.gate.as_deref()).unwrap_or("a rule of this repository");
            format!("{rule} does not allow this; `cairn hook status` shows what is in force")
        },
        str::to_owned,
    );
    text::clip(&said, LONGEST)
}

fn context(verdict: &Verdict) -> Option<String> {
    let said = verdict.context.join("\n\n");
    (!text::is_blank(&said)).then(|| text::clip(&said, LONGEST))
}

/// Claude's decision on a call, which other agents took over.
pub(crate) fn permission(decision: &str, reason: &str) -> Answer {
    Answer::json(&json!({ "hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": decision,
        "permissionDecisionReason": reason,
    } }))
}

/// Claude's feedback after a call, and its refusal of a stop or a prompt.
pub(crate) fn block(reason: &str) -> Answer {
    Answer::json(&json!({ "decision": "block", "reason": reason }))
}

/// Claude's note for the context.
pub(crate) fn note(event: &str, text: &str) -> Answer {
    Answer::json(&json!({ "hookSpecificOutput": { "hookEventName": event, "additionalContext": text } }))
}

/// A plain decision with its reason.
pub(crate) fn decision(decision: &str, reason: &str) -> Answer {
    Answer::json(&json!({ "decision": decision, "reason": reason }))
}
