//! Antigravity CLI: the call as `toolCall`, the event named by nobody but the settings, and an answer that must
//! never be empty before a call.

use gate::event::{Call, Event, Moment, Tool, Verdict};
use serde_json::{Value, json};

use crate::agent::{Adapter, AgentId, Point};
use crate::answer::{Answer, Word, decision, word};
use crate::fields::{Fields, Read};
use crate::outcome::outcome;
use crate::shape;
use crate::tools::{Kind, Tools, tool};

pub(crate) struct Antigravity;

const POINTS: &[Point] = &[
    Point::new("PreToolUse", Moment::PreTool),
    Point::new("PostToolUse", Moment::PostTool),
    Point::new("Stop", Moment::Stop),
    Point::idle("PreInvocation"),
    Point::idle("PostInvocation"),
];

const TOOLS: Tools = &[
    ("run_command", Kind::Shell("bash")),
    ("write_to_file", Kind::Write),
    ("replace_file_content", Kind::Edit),
    ("multi_replace_file_content", Kind::Edit),
    ("view_file", Kind::Read),
    ("list_dir", Kind::Names),
    ("find_by_name", Kind::Names),
    ("grep_search", Kind::Text),
    ("search_web", Kind::Fetch),
    ("read_url_content", Kind::Fetch),
    ("browser_subagent", Kind::Subagent),
    ("notify_user", Kind::Ask),
    ("task_boundary", Kind::Harmless),
    ("command_status", Kind::Harmless),
];

impl Adapter for Antigravity {
    fn points(&self) -> &'static [Point] {
        POINTS
    }

    fn infer(&self, payload: Fields<'_>) -> Option<Moment> {
        payload.has("toolCall").then_some(Moment::PreTool)
    }

    fn event(&self, point: Point, payload: Fields<'_>) -> Read<Event> {
        let moment = shape::moment(point)?;
        let mut event = shape::frame(AgentId::Antigravity, moment, payload)?;
        match moment {
            Moment::PreTool | Moment::PostTool => {
                let call = call(payload, moment, event.session.as_deref())?;
                let failed = payload.has("error");
                event.outcome =
                    (moment == Moment::PostTool).then(|| outcome(payload, &call.tool, failed, false));
                event.call = Some(call);
            }
            _ => event.source = payload.owned(&["terminationReason"])?,
        }
        Ok(event)
    }

    fn asks(&self, point: Point, _payload: Fields<'_>) -> bool {
        point.moment == Some(Moment::PreTool)
    }

    fn answer(&self, point: Point, verdict: &Verdict) -> Answer {
        let word = word(point, verdict);
        match (point.moment, word) {
            (Some(Moment::PreTool), Word::Deny(reason)) => decision("deny", &reason),
            (Some(Moment::PreTool), Word::Ask(reason)) => decision("ask", &reason),
            (Some(Moment::PreTool), _) => Answer::json(&json!({ "decision": "allow" })),
            (Some(Moment::Stop), Word::Deny(reason)) => decision("continue", &reason),
            _ => Answer::json(&json!({})),
        }
    }

    fn exit_two_blocks(&self) -> bool {
        false
    }
}

/// The call. After it was made some versions leave it out.
fn call(payload: Fields<'_>, moment: Moment, session: Option<&str>) -> Read<Call> {
    let step = payload.number(&["stepIdx"]);
    let id = step.map(|step| format!("{}:{step}", session.unwrap_or_default()));
    let after = moment == Moment::PostTool;
    let Some(given) = payload.object(&["toolCall"])? else {
        return if after {
            Ok(Call { id, name: "unknown".to_owned(), tool: Tool::Other, input: Value::Null })
        } else {
            Err("`toolCall` is missing".to_owned())
        };
    };
    let name = given.text(&["name"])?.filter(|name| !name.is_empty()).ok_or("the tool's name is missing")?;
    let input = match given.get(&["args"]) {
        Some(Value::String(text)) => shape::decoded(text),
        Some(input) => input.clone(),
        None if after => Value::Null,
        None => return Err(format!("the arguments of `{name}` are missing")),
    };
    let tool = match tool(TOOLS, name, &input) {
        Err(_) if after => Tool::Other,
        tool => tool?,
    };
    Ok(Call { id, name: name.to_owned(), tool, input })
}
