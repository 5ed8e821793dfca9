//! The form of payload that most agents took over from Claude Code, in either spelling of names.

use std::path::PathBuf;

use gate::event::{Call, Event, Moment, Outcome, Tool};
use serde_json::Value;

use crate::agent::{AgentId, Point};
use crate::fields::{Fields, Read};
use crate::outcome::outcome;
use crate::payload;
use crate::tools::{Tools, tool};

const SESSION: &[&str] = &["session_id", "sessionId", "conversation_id", "conversationId"];
const SUBAGENT: &[&str] = &["agent_id", "agentId", "subagent_id"];
const FOLDER: &[&str] = &["cwd", "workspaceRoot", "workspace_root"];
const NAME: &[&str] = &["tool_name", "toolName"];
const INPUT: &[&str] = &["tool_input", "toolInput", "toolArgs"];
const CALL: &[&str] = &["tool_use_id", "toolUseId", "toolCallId", "call_id"];
const PROMPT: &[&str] = &["prompt", "user_prompt", "userPrompt"];
const LAST: &[&str] = &["last_assistant_message", "prompt_response", "lastAssistantMessage"];
const SOURCE: &[&str] = &["source", "reason", "trigger"];
const REFUSED: &[&str] = &["stop_hook_active", "stopHookActive"];

/// The event of a payload in that form.
pub(crate) fn event(agent: AgentId, point: Point, payload: Fields<'_>, tools: Tools) -> Read<Event> {
    let moment = moment(point)?;
    let mut event = frame(agent, moment, payload)?;
    match moment {
        Moment::PreTool | Moment::PostTool => {
            let call = call(payload, tools, moment)?;
            let split = agent.points().iter().any(|point| point.name.ends_with("Failure"));
            event.outcome = (moment == Moment::PostTool).then(|| {
                let mut outcome = outcome(payload, &call.tool, point.name.ends_with("Failure"), split);
                assume_zero(agent, &call, &mut outcome);
                outcome
            });
            event.call = Some(call);
        }
        Moment::Prompt => event.text = payload.owned(PROMPT)?,
        Moment::Stop => {
            event.text = payload.owned(LAST)?;
            event.stop_refused_before = payload.flag(REFUSED);
        }
        Moment::SessionStart | Moment::SessionEnd | Moment::Compact => {
            event.source = payload.owned(SOURCE)?;
        }
    }
    Ok(event)
}

/// The moment of a point that is judged.
pub(crate) fn moment(point: Point) -> Read<Moment> {
    point.moment.ok_or_else(|| format!("nothing is judged at `{}`", point.name))
}

/// Session, subagent and folder.
pub(crate) fn frame(agent: AgentId, moment: Moment, payload: Fields<'_>) -> Read<Event> {
    let roots = payload.list(&["workspace_roots", "workspacePaths"]).unwrap_or_default();
    let root = roots.first().and_then(Value::as_str);
    Ok(Event {
        agent: agent.as_str().to_owned(),
        event: moment,
        session: payload.owned(SESSION)?,
        subagent: payload.owned(SUBAGENT)?,
        cwd: payload.text(FOLDER)?.filter(|folder| !folder.is_empty()).or(root).map(PathBuf::from),
        call: None,
        outcome: None,
        text: None,
        source: None,
        stop_refused_before: false,
    })
}

/// The call. After it was made a tool whose arguments can't be read is one that acted.
fn call(payload: Fields<'_>, tools: Tools, moment: Moment) -> Read<Call> {
    let name = payload.text(NAME)?.filter(|name| !name.is_empty()).ok_or("the tool's name is missing")?;
    let input = match payload.get(INPUT) {
        Some(Value::String(text)) => decoded(text),
        Some(input) => input.clone(),
        None if moment == Moment::PostTool => Value::Null,
        None => return Err(format!("the arguments of `{name}` are missing")),
    };
    let tool = match tool(tools, name, &input) {
        Ok(tool) => tool,
        Err(_) if moment == Moment::PostTool => Tool::Other,
        Err(fault) => return Err(fault),
    };
    Ok(Call { id: payload.owned(CALL)?, name: name.to_owned(), tool, input })
}

/// Arguments that come as JSON within a text. What is no object stays the text that it is.
pub(crate) fn decoded(text: &str) -> Value {
    payload::parse(text.as_bytes()).map_or_else(|_| Value::from(text), Value::Object)
}

/// Claude Code tells of a command that ends with another code than 0 by another event.
fn assume_zero(agent: AgentId, call: &Call, outcome: &mut Outcome) {
    let foreground = matches!(call.tool, Tool::Shell { background: false, .. });
    if agent == AgentId::Claude && foreground && outcome.ok == Some(true) && outcome.exit.is_none() {
        outcome.exit = Some(0);
    }
}
