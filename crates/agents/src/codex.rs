//! OpenAI Codex CLI: Claude's form with closed objects. It can't ask, and an answer with a member too many lets
//! the call go on.

use gate::event::{Event, Moment, Verdict};

use crate::agent::{Adapter, AgentId, Point};
use crate::answer::{Answer, Word, block, note, permission, word};
use crate::claude::permission_request;
use crate::fields::{Fields, Read};
use crate::shape;
use crate::tools::{Kind, Tools};

pub(crate) struct Codex;

const POINTS: &[Point] = &[
    Point::new("PreToolUse", Moment::PreTool),
    Point::new("PermissionRequest", Moment::PreTool),
    Point::new("PostToolUse", Moment::PostTool),
    Point::new("UserPromptSubmit", Moment::Prompt),
    Point::new("Stop", Moment::Stop),
    Point::new("SubagentStop", Moment::Stop),
    Point::new("SessionStart", Moment::SessionStart),
    Point::new("SessionEnd", Moment::SessionEnd),
    Point::new("PreCompact", Moment::Compact),
    Point::idle("SubagentStart"),
    Point::idle("PostCompact"),
    Point::idle("Interrupt"),
    Point::idle("PreModelRequest"),
    Point::idle("PostModelRequest"),
];

const TOOLS: Tools = &[
    ("Bash", Kind::Shell("bash")),
    ("shell", Kind::Shell("bash")),
    ("exec_command", Kind::Shell("bash")),
    ("apply_patch", Kind::Patch),
    ("update_plan", Kind::Todos),
    ("spawn_agent", Kind::Subagent),
    ("Agent", Kind::Subagent),
    ("view_image", Kind::Read),
    ("read_file", Kind::Read),
    ("list_dir", Kind::Names),
    ("grep_files", Kind::Text),
    ("web_search", Kind::Fetch),
    ("request_user_input", Kind::Ask),
    ("wait", Kind::Harmless),
    ("wait_agent", Kind::Harmless),
    ("tool_search", Kind::Harmless),
    ("list_mcp_resources", Kind::Harmless),
    ("list_mcp_resource_templates", Kind::Harmless),
];

impl Adapter for Codex {
    fn points(&self) -> &'static [Point] {
        POINTS
    }

    fn event(&self, point: Point, payload: Fields<'_>) -> Read<Event> {
        shape::event(AgentId::Codex, point, payload, TOOLS)
    }

    fn answer(&self, point: Point, verdict: &Verdict) -> Answer {
        let word = word(point, verdict);
        let Some(moment) = point.moment else { return Answer::silent() };
        match (moment, word) {
            (Moment::PreTool, Word::Deny(reason) | Word::Ask(reason))
                if point.name == "PermissionRequest" =>
            {
                permission_request(&reason)
            }
            (Moment::PreTool, Word::Note(_)) if point.name == "PermissionRequest" => Answer::silent(),
            (Moment::PreTool, Word::Deny(reason) | Word::Ask(reason)) => permission("deny", &reason),
            (Moment::PostTool | Moment::Prompt | Moment::Stop, Word::Deny(reason)) => block(&reason),
            (Moment::SessionStart, Word::Deny(text) | Word::Note(text))
            | (Moment::PreTool | Moment::PostTool | Moment::Prompt, Word::Note(text)) => {
                note(point.name, &text)
            }
            _ => Answer::silent(),
        }
    }
}
