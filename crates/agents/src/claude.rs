//! Claude Code: `hookSpecificOutput`, and the form that most other agents took over.

use gate::event::{Event, Moment, Verdict};
use serde_json::{Value, json};

use crate::agent::{Adapter, AgentId, Point};
use crate::answer::{Answer, Word, block, note, permission, word};
use crate::fields::{Fields, Read};
use crate::shape;
use crate::tools::{Kind, Tools};

pub(crate) struct Claude;

pub(crate) const POINTS: &[Point] = &[
    Point::new("PreToolUse", Moment::PreTool),
    Point::new("PermissionRequest", Moment::PreTool),
    Point::new("PostToolUse", Moment::PostTool),
    Point::new("PostToolUseFailure", Moment::PostTool),
    Point::new("UserPromptSubmit", Moment::Prompt),
    Point::new("UserPromptExpansion", Moment::Prompt),
    Point::new("Stop", Moment::Stop),
    Point::new("SubagentStop", Moment::Stop),
    Point::new("SessionStart", Moment::SessionStart),
    Point::new("SessionEnd", Moment::SessionEnd),
    Point::new("PreCompact", Moment::Compact),
    Point::idle("Setup"),
    Point::idle("PermissionDenied"),
    Point::idle("PostToolBatch"),
    Point::idle("Notification"),
    Point::idle("MessageDisplay"),
    Point::idle("SubagentStart"),
    Point::idle("TaskCreated"),
    Point::idle("TaskCompleted"),
    Point::idle("StopFailure"),
    Point::idle("TeammateIdle"),
    Point::idle("InstructionsLoaded"),
    Point::idle("ConfigChange"),
    Point::idle("CwdChanged"),
    Point::idle("DirectoryAdded"),
    Point::idle("FileChanged"),
    Point::idle("WorktreeCreate"),
    Point::idle("WorktreeRemove"),
    Point::idle("PostCompact"),
    Point::idle("Elicitation"),
    Point::idle("ElicitationResult"),
    Point::idle("PreModelSwitch"),
    Point::idle("PostModelSwitch"),
];

pub(crate) const TOOLS: Tools = &[
    ("Bash", Kind::Shell("bash")),
    ("PowerShell", Kind::Shell("powershell")),
    ("Monitor", Kind::Shell("bash")),
    ("Write", Kind::Write),
    ("Edit", Kind::Edit),
    ("MultiEdit", Kind::Edit),
    ("NotebookEdit", Kind::Notebook),
    ("Read", Kind::Read),
    ("NotebookRead", Kind::Read),
    ("Glob", Kind::Names),
    ("LS", Kind::Names),
    ("Grep", Kind::Text),
    ("TodoWrite", Kind::Todos),
    ("ExitPlanMode", Kind::Plan),
    ("Agent", Kind::Subagent),
    ("Task", Kind::Subagent),
    ("WebFetch", Kind::Fetch),
    ("WebSearch", Kind::Fetch),
    ("AskUserQuestion", Kind::Ask),
    ("EnterPlanMode", Kind::Harmless),
    ("TaskCreate", Kind::Harmless),
    ("TaskUpdate", Kind::Harmless),
    ("TaskList", Kind::Harmless),
    ("TaskGet", Kind::Harmless),
    ("TaskOutput", Kind::Harmless),
    ("BashOutput", Kind::Harmless),
    ("KillBash", Kind::Harmless),
    ("KillShell", Kind::Harmless),
    ("TaskStop", Kind::Harmless),
    ("TodoRead", Kind::Harmless),
    ("ToolSearch", Kind::Harmless),
    ("LSP", Kind::Harmless),
];

impl Adapter for Claude {
    fn points(&self) -> &'static [Point] {
        POINTS
    }

    fn event(&self, point: Point, payload: Fields<'_>) -> Read<Event> {
        shape::event(AgentId::Claude, point, payload, TOOLS)
    }

    fn asks(&self, point: Point, payload: Fields<'_>) -> bool {
        point.name == "PermissionRequest" || asks_in_mode(payload)
    }

    fn answer(&self, point: Point, verdict: &Verdict) -> Answer {
        answer(point, verdict)
    }
}

/// Whether a person sits there: with permissions bypassed, or never to be asked, nobody answers.
pub(crate) fn asks_in_mode(payload: Fields<'_>) -> bool {
    match payload.get(&["permission_mode"]) {
        None => true,
        Some(mode) => ["default", "plan", "acceptEdits"].contains(&mode.as_str().unwrap_or_default()),
    }
}

/// Claude's answer.
pub(crate) fn answer(point: Point, verdict: &Verdict) -> Answer {
    let word = word(point, verdict);
    if point.name == "PermissionRequest" {
        // The dialog that is open asks by itself.
        return match word {
            Word::Deny(reason) => permission_request(&reason),
            Word::Ask(_) | Word::Note(_) | Word::Nothing => Answer::silent(),
        };
    }
    let Some(moment) = point.moment else { return Answer::silent() };
    match (moment, word) {
        (Moment::PreTool, Word::Deny(reason)) => permission("deny", &reason),
        (Moment::PreTool, Word::Ask(reason)) => permission("ask", &reason),
        (Moment::PostTool | Moment::Prompt | Moment::Stop | Moment::Compact, Word::Deny(reason)) => {
            block(&reason)
        }
        (Moment::PreTool | Moment::PostTool | Moment::Prompt | Moment::SessionStart, Word::Note(text)) => {
            note(point.name, &text)
        }
        // A session can't be refused; what stands against it is said to the agent.
        (Moment::SessionStart, Word::Deny(reason)) => note(point.name, &reason),
        _ => Answer::silent(),
    }
}

/// The refusal of a permission, in a form that is closed to any other member.
pub(crate) fn permission_request(reason: &str) -> Answer {
    let decision: Value = json!({ "behavior": "deny", "message": reason });
    Answer::json(
        &json!({ "hookSpecificOutput": { "hookEventName": "PermissionRequest", "decision": decision } }),
    )
}
