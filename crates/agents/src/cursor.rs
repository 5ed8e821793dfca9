//! Cursor CLI: a permission with a message for the person and one for the agent. With `failClosed` an empty answer
//! is a failure, so that there is always one.

use std::path::Path;

use gate::event::{Call, Event, Moment, Tool, Verdict};
use serde_json::{Value, json};

use crate::agent::{Adapter, AgentId, Point};
use crate::answer::{Answer, Word, word};
use crate::fields::{Fields, Read};
use crate::outcome::outcome;
use crate::reading::Judging;
use crate::shape;
use crate::tools::{Kind, Tools, tool};

pub(crate) struct Cursor;

const POINTS: &[Point] = &[
    Point::new("preToolUse", Moment::PreTool),
    Point::new("beforeShellExecution", Moment::PreTool),
    Point::new("beforeMCPExecution", Moment::PreTool),
    Point::new("beforeReadFile", Moment::PreTool),
    Point::new("postToolUse", Moment::PostTool),
    Point::new("postToolUseFailure", Moment::PostTool),
    Point::new("afterShellExecution", Moment::PostTool),
    Point::new("afterMCPExecution", Moment::PostTool),
    Point::new("afterFileEdit", Moment::PostTool),
    Point::new("beforeSubmitPrompt", Moment::Prompt),
    Point::new("stop", Moment::Stop),
    Point::new("subagentStop", Moment::Stop),
    Point::new("sessionStart", Moment::SessionStart),
    Point::new("sessionEnd", Moment::SessionEnd),
    Point::new("preCompact", Moment::Compact),
    Point::idle("subagentStart"),
    Point::idle("afterAgentResponse"),
    Point::idle("afterAgentThought"),
    Point::idle("beforeTabFileRead"),
    Point::idle("afterTabFileEdit"),
    Point::idle("workspaceOpen"),
];

const TOOLS: Tools = &[
    ("Shell", Kind::Shell("bash")),
    ("Bash", Kind::Shell("bash")),
    ("Write", Kind::Write),
    ("Delete", Kind::Write),
    ("Edit", Kind::Edit),
    ("StrReplace", Kind::Edit),
    ("MultiEdit", Kind::Edit),
    ("ApplyPatch", Kind::Patch),
    ("EditNotebook", Kind::Notebook),
    ("NotebookEdit", Kind::Notebook),
    ("Read", Kind::Read),
    ("LS", Kind::Names),
    ("Glob", Kind::Names),
    ("Grep", Kind::Text),
    ("SemanticSearch", Kind::Text),
    ("TodoWrite", Kind::Todos),
    ("CreatePlan", Kind::Plan),
    ("Task", Kind::Subagent),
    ("WebFetch", Kind::Fetch),
    ("WebSearch", Kind::Fetch),
    ("AskQuestion", Kind::Ask),
    ("ReadLints", Kind::Harmless),
];

impl Adapter for Cursor {
    fn points(&self) -> &'static [Point] {
        POINTS
    }

    fn event(&self, point: Point, payload: Fields<'_>) -> Read<Event> {
        let moment = shape::moment(point)?;
        let Some(mut call) = named_by_event(point, payload, moment)? else {
            let mut event = shape::event(AgentId::Cursor, point, payload, TOOLS)?;
            event.stop_refused_before |= payload.number(&["loop_count"]).is_some_and(|count| count > 0);
            let folder = event.cwd.clone();
            if let Some(call) = event.call.as_mut() {
                if let Some(name) = call.name.strip_prefix("MCP:") {
                    call.tool = Tool::Mcp { server: String::new(), tool: name.to_owned() };
                }
                one_call(call, folder.as_deref());
            }
            return Ok(event);
        };
        let mut event = shape::frame(AgentId::Cursor, moment, payload)?;
        event.outcome = (moment == Moment::PostTool).then(|| outcome(payload, &call.tool, false, false));
        one_call(&mut call, event.cwd.as_deref());
        event.call = Some(call);
        Ok(event)
    }

    fn said<'a>(&self, point: Point, payload: Fields<'a>) -> Read<Option<&'a str>> {
        if point.name == "afterAgentResponse" { payload.text(&["text"]) } else { Ok(None) }
    }

    fn asks(&self, point: Point, _payload: Fields<'_>) -> bool {
        asks(point)
    }

    fn judging(&self, point: Point, event: &Event, first: bool) -> Judging {
        let is_named =
            matches!(event.call.as_ref().map(|call| &call.tool), Some(Tool::Shell { .. } | Tool::Mcp { .. }));
        match point.name {
            "preToolUse" if first && is_named => Judging::First,
            _ if asks(point) => Judging::Second,
            _ => Judging::Only,
        }
    }

    fn answer(&self, point: Point, verdict: &Verdict) -> Answer {
        let permission = |permission: &str, reason: &str| json!({ "permission": permission, "user_message": reason, "agent_message": reason });
        let word = word(point, verdict);
        Answer::json(&match (point.moment, word) {
            (Some(Moment::PreTool), Word::Deny(reason)) => permission("deny", &reason),
            (Some(Moment::PreTool), Word::Ask(reason)) => {
                permission(if asks(point) { "ask" } else { "deny" }, &reason)
            }
            (Some(Moment::PreTool), Word::Note(text)) => {
                json!({ "permission": "allow", "agent_message": text })
            }
            (Some(Moment::PreTool), Word::Nothing) => json!({ "permission": "allow" }),
            (Some(Moment::Prompt), Word::Deny(reason)) => {
                json!({ "continue": false, "user_message": reason })
            }
            (Some(Moment::Prompt), _) => json!({ "continue": true }),
            (Some(Moment::PostTool | Moment::SessionStart), Word::Deny(text) | Word::Note(text)) => {
                json!({ "additional_context": text })
            }
            (Some(Moment::Stop), Word::Deny(reason)) => json!({ "followup_message": reason }),
            _ => json!({}),
        })
    }
}

fn asks(point: Point) -> bool {
    matches!(point.name, "beforeShellExecution" | "beforeMCPExecution")
}

/// The call of an event that stands for one tool and carries its arguments at the top.
fn named_by_event(point: Point, payload: Fields<'_>, moment: Moment) -> Read<Option<Call>> {
    let name = match point.name {
        "beforeShellExecution" | "afterShellExecution" => "Shell",
        "beforeReadFile" => "Read",
        "afterFileEdit" => "Edit",
        "beforeMCPExecution" | "afterMCPExecution" => {
            let name = payload.text(&["tool_name"])?.ok_or("`tool_name` is missing")?;
            let input = match payload.get(&["tool_input"]) {
                Some(Value::String(text)) => shape::decoded(text),
                Some(input) => input.clone(),
                None if moment == Moment::PostTool => Value::Null,
                None => return Err(format!("the arguments of `{name}` are missing")),
            };
            let server = payload.text(&["server_name", "server", "url", "command"])?.unwrap_or_default();
            let tool = Tool::Mcp { server: server.to_owned(), tool: name.to_owned() };
            return Ok(Some(Call { id: id(payload)?, name: format!("MCP:{name}"), tool, input }));
        }
        _ => return Ok(None),
    };
    let input = Value::Object(payload.0.clone());
    let tool = match tool(TOOLS, name, &input) {
        Err(_) if moment == Moment::PostTool => Tool::Other,
        tool => tool?,
    };
    let mut arguments = payload.0.clone();
    arguments.retain(|key, _| ["command", "cwd", "file_path", "edits"].contains(&key.as_str()));
    Ok(Some(Call { id: id(payload)?, name: name.to_owned(), tool, input: Value::Object(arguments) }))
}

/// Brings the call of a shell or of an MCP server to one form, whichever of the events told of it: those that name the
/// tool carry the call's id, and those that stand for the tool don't.
fn one_call(call: &mut Call, folder: Option<&Path>) {
    match &call.tool {
        Tool::Shell { command, cwd, .. } => {
            let folder = cwd.as_deref().filter(|cwd| !cwd.is_empty()).map(Path::new).or(folder);
            "Shell".clone_into(&mut call.name);
            call.input = json!({ "command": command, "cwd": folder });
            call.id = None;
        }
        Tool::Mcp { .. } => call.id = None,
        _ => {}
    }
}

fn id(payload: Fields<'_>) -> Read<Option<String>> {
    payload.owned(&["tool_use_id", "tool_call_id"])
}
