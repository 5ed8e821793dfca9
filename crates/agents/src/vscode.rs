//! The agent mode of VS Code: Claude's answers, with tools of its own that may change several files at once.

use gate::event::{Event, Moment, Verdict};

use crate::agent::{Adapter, AgentId, Point};
use crate::answer::Answer;
use crate::claude;
use crate::fields::{Fields, Read};
use crate::shape;
use crate::tools::{Kind, Tools};

pub(crate) struct VsCode;

const POINTS: &[Point] = &[
    Point::new("PreToolUse", Moment::PreTool),
    Point::new("PostToolUse", Moment::PostTool),
    Point::new("UserPromptSubmit", Moment::Prompt),
    Point::new("Stop", Moment::Stop),
    Point::new("SubagentStop", Moment::Stop),
    Point::new("SessionStart", Moment::SessionStart),
    Point::new("PreCompact", Moment::Compact),
    Point::idle("SubagentStart"),
];

const TOOLS: Tools = &[
    ("run_in_terminal", Kind::Shell("bash")),
    ("runTerminalCommand", Kind::Shell("bash")),
    ("editFiles", Kind::Edits),
    ("create_file", Kind::Write),
    ("createFile", Kind::Write),
    ("replace_string_in_file", Kind::Edit),
    ("insert_edit_into_file", Kind::Edit),
    ("multi_replace_string_in_file", Kind::Edits),
    ("apply_patch", Kind::Patch),
    ("edit_notebook_file", Kind::Notebook),
    ("read_file", Kind::Read),
    ("readFile", Kind::Read),
    ("list_dir", Kind::Names),
    ("file_search", Kind::Names),
    ("grep_search", Kind::Text),
    ("semantic_search", Kind::Text),
    ("manage_todo_list", Kind::Plan),
    ("runSubagent", Kind::Subagent),
    ("fetch_webpage", Kind::Fetch),
    ("get_errors", Kind::Harmless),
    ("get_terminal_output", Kind::Harmless),
];

impl Adapter for VsCode {
    fn points(&self) -> &'static [Point] {
        POINTS
    }

    fn event(&self, point: Point, payload: Fields<'_>) -> Read<Event> {
        shape::event(AgentId::VsCode, point, payload, TOOLS)
    }

    fn asks(&self, point: Point, _payload: Fields<'_>) -> bool {
        point.moment == Some(Moment::PreTool)
    }

    fn answer(&self, point: Point, verdict: &Verdict) -> Answer {
        claude::answer(point, verdict)
    }
}
