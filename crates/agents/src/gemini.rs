//! Gemini CLI: a plain decision with its reason. It can't ask.

use gate::event::{Event, Moment, Tool, Verdict};

use crate::agent::{Adapter, AgentId, Point};
use crate::answer::{Answer, Word, decision, note, word};
use crate::fields::{Fields, Read};
use crate::shape;
use crate::tools::{Kind, Tools};

pub(crate) struct Gemini;

const POINTS: &[Point] = &[
    Point::new("BeforeTool", Moment::PreTool),
    Point::new("AfterTool", Moment::PostTool),
    Point::new("BeforeAgent", Moment::Prompt),
    Point::new("AfterAgent", Moment::Stop),
    Point::new("SessionStart", Moment::SessionStart),
    Point::new("SessionEnd", Moment::SessionEnd),
    Point::new("PreCompress", Moment::Compact),
    Point::idle("BeforeModel"),
    Point::idle("AfterModel"),
    Point::idle("BeforeToolSelection"),
    Point::idle("Notification"),
];

pub(crate) const TOOLS: Tools = &[
    ("run_shell_command", Kind::Shell("bash")),
    ("write_file", Kind::Write),
    ("replace", Kind::Edit),
    ("edit", Kind::Edit),
    ("read_file", Kind::ReadFromZero),
    ("read_many_files", Kind::Text),
    ("list_directory", Kind::Names),
    ("glob", Kind::Names),
    ("search_file_content", Kind::Text),
    ("grep_search", Kind::Text),
    ("write_todos", Kind::Todos),
    ("todo_write", Kind::Todos),
    ("exit_plan_mode", Kind::Plan),
    ("enter_plan_mode", Kind::Harmless),
    ("task", Kind::Subagent),
    ("web_fetch", Kind::Fetch),
    ("google_web_search", Kind::Fetch),
    ("web_search", Kind::Fetch),
    ("ask_user", Kind::Ask),
    ("ask_user_question", Kind::Ask),
];

impl Adapter for Gemini {
    fn points(&self) -> &'static [Point] {
        POINTS
    }

    fn event(&self, point: Point, payload: Fields<'_>) -> Read<Event> {
        let mut event = shape::event(AgentId::Gemini, point, payload, TOOLS)?;
        if let Some(call) = event.call.as_mut().filter(|call| call.tool == Tool::Other)
            && let Some(tool) = mcp(payload, &call.name)?
        {
            call.tool = tool;
        }
        Ok(event)
    }

    fn answer(&self, point: Point, verdict: &Verdict) -> Answer {
        let word = word(point, verdict);
        let Some(moment) = point.moment else { return Answer::silent() };
        match (moment, word) {
            (
                Moment::PreTool | Moment::PostTool | Moment::Prompt | Moment::Stop,
                Word::Deny(reason) | Word::Ask(reason),
            ) => decision("deny", &reason),
            (Moment::SessionStart, Word::Deny(text) | Word::Note(text))
            | (Moment::PostTool | Moment::Prompt, Word::Note(text)) => note(point.name, &text),
            _ => Answer::silent(),
        }
    }
}

/// A tool of an MCP server: `mcp_<server>_<tool>`, with the exact names beside it in newer versions.
fn mcp(payload: Fields<'_>, name: &str) -> Read<Option<Tool>> {
    if let Some(context) = payload.object(&["mcp_context"])?
        && let (Some(server), Some(tool)) = (context.text(&["server_name"])?, context.text(&["tool_name"])?)
    {
        return Ok(Some(Tool::Mcp { server: server.to_owned(), tool: tool.to_owned() }));
    }
    let parts = name.strip_prefix("mcp_").and_then(|rest| rest.split_once('_'));
    Ok(parts.map(|(server, tool)| Tool::Mcp { server: server.to_owned(), tool: tool.to_owned() }))
}
