//! Grok: camelCase, and one event that blocks. How it takes an answer in JSON is not certain, while an exit code of 2
//! blocks; it gets both.

use gate::event::{Event, Moment, Verdict};

use crate::agent::{Adapter, AgentId, Point};
use crate::answer::{Answer, Word, decision, word};
use crate::fields::{Fields, Read};
use crate::shape;
use crate::tools::{Kind, Tools};

pub(crate) struct Grok;

const POINTS: &[Point] = &[
    Point::new("PreToolUse", Moment::PreTool),
    Point::new("PostToolUse", Moment::PostTool),
    Point::new("PostToolUseFailure", Moment::PostTool),
    Point::new("UserPromptSubmit", Moment::Prompt),
    Point::new("Stop", Moment::Stop),
    Point::new("SubagentStop", Moment::Stop),
    Point::new("SessionStart", Moment::SessionStart),
    Point::new("SessionEnd", Moment::SessionEnd),
    Point::new("PreCompact", Moment::Compact),
    Point::idle("PermissionDenied"),
    Point::idle("StopFailure"),
    Point::idle("Notification"),
    Point::idle("SubagentStart"),
    Point::idle("PostCompact"),
];

const TOOLS: Tools = &[
    ("Bash", Kind::Shell("bash")),
    ("bash", Kind::Shell("bash")),
    ("run_terminal_command", Kind::Shell("bash")),
    ("run_terminal_cmd", Kind::Shell("bash")),
    ("Write", Kind::Write),
    ("write", Kind::Write),
    ("write_file", Kind::Write),
    ("create_file", Kind::Write),
    ("delete_file", Kind::Write),
    ("Edit", Kind::Edit),
    ("edit", Kind::Edit),
    ("MultiEdit", Kind::Edit),
    ("search_replace", Kind::Edit),
    ("str_replace_editor", Kind::Edit),
    ("apply_patch", Kind::Patch),
    ("NotebookEdit", Kind::Notebook),
    ("Read", Kind::Read),
    ("read_file", Kind::Read),
    ("LS", Kind::Names),
    ("list_dir", Kind::Names),
    ("Glob", Kind::Names),
    ("Grep", Kind::Text),
    ("grep", Kind::Text),
    ("TodoWrite", Kind::Todos),
    ("todo_write", Kind::Todos),
    ("Task", Kind::Subagent),
    ("Agent", Kind::Subagent),
    ("WebFetch", Kind::Fetch),
    ("WebSearch", Kind::Fetch),
    ("web_search", Kind::Fetch),
    ("web_fetch", Kind::Fetch),
];

impl Adapter for Grok {
    fn points(&self) -> &'static [Point] {
        POINTS
    }

    fn event(&self, point: Point, payload: Fields<'_>) -> Read<Event> {
        shape::event(AgentId::Grok, point, payload, TOOLS)
    }

    fn answer(&self, point: Point, verdict: &Verdict) -> Answer {
        match (point.moment, word(point, verdict)) {
            (Some(Moment::PreTool), Word::Deny(reason) | Word::Ask(reason)) => {
                decision("deny", &reason).blocking(&reason)
            }
            _ => Answer::silent(),
        }
    }
}
