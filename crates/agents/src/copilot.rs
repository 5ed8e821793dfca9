//! GitHub Copilot CLI: camelCase, with the arguments as JSON within a text; or, for an event that the settings name
//! in PascalCase, Claude's payload.

use gate::event::{Event, Moment, Verdict};
use serde_json::{Value, json};

use crate::agent::{Adapter, AgentId, Point};
use crate::answer::{Answer, Word, block, word};
use crate::claude;
use crate::fields::{Fields, Read};
use crate::shape;
use crate::tools::{Kind, Tools};

pub(crate) struct Copilot;

/// The events in PascalCase are those that Copilot takes from the hook files of Claude Code.
const POINTS: &[Point] = &[
    Point::new("preToolUse", Moment::PreTool),
    Point::new("PreToolUse", Moment::PreTool),
    Point::new("postToolUse", Moment::PostTool),
    Point::new("postToolUseFailure", Moment::PostTool),
    Point::new("PostToolUse", Moment::PostTool),
    Point::new("PostToolUseFailure", Moment::PostTool),
    Point::new("userPromptSubmitted", Moment::Prompt),
    Point::new("UserPromptSubmit", Moment::Prompt),
    Point::new("agentStop", Moment::Stop),
    Point::new("Stop", Moment::Stop),
    Point::new("subagentStop", Moment::Stop),
    Point::new("sessionStart", Moment::SessionStart),
    Point::new("sessionEnd", Moment::SessionEnd),
    Point::new("preCompact", Moment::Compact),
    Point::idle("userPromptTransformed"),
    Point::idle("permissionRequest"),
    Point::idle("subagentStart"),
    Point::idle("errorOccurred"),
    Point::idle("notification"),
];

const TOOLS: Tools = &[
    ("bash", Kind::Shell("bash")),
    ("powershell", Kind::Shell("powershell")),
    ("create", Kind::Write),
    ("edit", Kind::Edit),
    ("str_replace", Kind::Edit),
    ("str_replace_editor", Kind::Edit),
    ("insert", Kind::Edit),
    ("apply_patch", Kind::Patch),
    ("view", Kind::Read),
    ("glob", Kind::Names),
    ("grep", Kind::Text),
    ("rg", Kind::Text),
    ("update_todo", Kind::Todos),
    ("exit_plan_mode", Kind::Plan),
    ("task", Kind::Subagent),
    ("web_fetch", Kind::Fetch),
    ("web_search", Kind::Fetch),
    ("ask_user", Kind::Ask),
    ("report_intent", Kind::Harmless),
    ("read_bash", Kind::Harmless),
    ("read_powershell", Kind::Harmless),
    ("list_bash", Kind::Harmless),
    ("read_agent", Kind::Harmless),
    ("list_agents", Kind::Harmless),
    ("fetch_copilot_cli_documentation", Kind::Harmless),
];

/// The tools of Claude Code as Copilot itself names them.
const NAMES: &[(&str, &str)] = &[
    ("Bash", "bash"),
    ("PowerShell", "powershell"),
    ("Write", "create"),
    ("Edit", "edit"),
    ("MultiEdit", "edit"),
    ("Read", "view"),
    ("Glob", "glob"),
    ("Grep", "grep"),
    ("TodoWrite", "update_todo"),
    ("ExitPlanMode", "exit_plan_mode"),
    ("Agent", "task"),
    ("Task", "task"),
    ("WebFetch", "web_fetch"),
    ("WebSearch", "web_search"),
    ("AskUserQuestion", "ask_user"),
];

/// The arguments of Claude Code's tools for files as Copilot itself names them.
const ARGUMENTS: &[(&str, &str)] =
    &[("file_path", "path"), ("content", "file_text"), ("old_string", "old_str"), ("new_string", "new_str")];

/// Brings a call that came in Claude's words to Copilot's own, in which the other entry tells of it. Copilot's own words
/// carry no id of the call.
fn one_call(event: &mut Event) {
    let Some(call) = event.call.as_mut() else { return };
    call.id = None;
    if let Some((_, own)) = NAMES.iter().find(|(name, _)| *name == call.name) {
        (*own).clone_into(&mut call.name);
        if let Value::Object(input) = &mut call.input {
            for (theirs, own) in ARGUMENTS {
                if !input.contains_key(*own)
                    && let Some(value) = input.remove(*theirs)
                {
                    input.insert((*own).to_owned(), value);
                }
            }
        }
    }
    if let Some(Value::Object(result)) = event.outcome.as_mut().map(|outcome| &mut outcome.result) {
        *result = std::mem::take(result).into_iter().map(|(name, value)| (camel(&name), value)).collect();
    }
}

/// `a_name` as `aName`.
fn camel(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |name, part| {
        let mut letters = part.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        name + &first.into_iter().chain(letters).collect::<String>()
    })
}

impl Adapter for Copilot {
    fn points(&self) -> &'static [Point] {
        POINTS
    }

    fn infer(&self, payload: Fields<'_>) -> Option<Moment> {
        if payload.has("toolName") {
            let after = payload.has("toolResult") || payload.has("error");
            return Some(if after { Moment::PostTool } else { Moment::PreTool });
        }
        payload.has("prompt").then_some(Moment::Prompt)
    }

    fn event(&self, point: Point, payload: Fields<'_>) -> Read<Event> {
        if !payload.has("tool_name") {
            return shape::event(AgentId::Copilot, point, payload, TOOLS);
        }
        let mut event = shape::event(AgentId::Copilot, point, payload, claude::TOOLS)?;
        one_call(&mut event);
        Ok(event)
    }

    fn asks(&self, point: Point, _payload: Fields<'_>) -> bool {
        point.name == "preToolUse"
    }

    fn answer(&self, point: Point, verdict: &Verdict) -> Answer {
        let permission = |decision: &str, reason: &str| {
            Answer::json(&json!({ "permissionDecision": decision, "permissionDecisionReason": reason }))
        };
        let word = word(point, verdict);
        match (point.moment, word) {
            // Which form is read here is not certain, while a code other than 0 denies in any.
            (Some(Moment::PreTool), Word::Deny(reason) | Word::Ask(reason)) if point.name == "PreToolUse" => {
                permission("deny", &reason).blocking(&reason)
            }
            (Some(Moment::PreTool), Word::Deny(reason)) => permission("deny", &reason),
            (Some(Moment::PreTool), Word::Ask(reason)) => permission("ask", &reason),
            (Some(Moment::PostTool | Moment::SessionStart), Word::Deny(text) | Word::Note(text)) => {
                Answer::json(&json!({ "additionalContext": text }))
            }
            (Some(Moment::Stop), Word::Deny(reason)) => block(&reason),
            _ => Answer::silent(),
        }
    }
}
