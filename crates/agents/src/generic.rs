//! Any program that speaks the neutral JSON.
//!
//! In: the members `event`, `session`, `call`, `tool`, `args`, `cwd` (and `result`, `exit`, `text`, `source`), with
//! `tool` a name; or a whole [`Event`], with `call` an object. Out: the verdict.

use gate::event::{Call, Decision, Event, Moment, Outcome, Tool, Verdict};
use serde_json::{Map, Value};

use crate::agent::{Adapter, AgentId, Point};
use crate::answer::{Answer, reason};
use crate::fields::{Fields, Read};
use crate::shape;
use crate::tools::{Kind, Tools, tool};

pub(crate) struct Generic;

pub(crate) const POINTS: &[Point] = &[
    Point::new("pre_tool", Moment::PreTool),
    Point::new("post_tool", Moment::PostTool),
    Point::new("prompt", Moment::Prompt),
    Point::new("stop", Moment::Stop),
    Point::new("session_start", Moment::SessionStart),
    Point::new("session_end", Moment::SessionEnd),
    Point::new("compact", Moment::Compact),
];

/// Names that say what they do in most agents.
pub(crate) const TOOLS: Tools = &[
    ("bash", Kind::Shell("bash")),
    ("shell", Kind::Shell("bash")),
    ("powershell", Kind::Shell("powershell")),
    ("write", Kind::Write),
    ("delete", Kind::Write),
    ("edit", Kind::Edit),
    ("multiedit", Kind::Edit),
    ("edits", Kind::Edits),
    ("patch", Kind::Patch),
    ("apply_patch", Kind::Patch),
    ("notebook", Kind::Notebook),
    ("read", Kind::Read),
    ("list", Kind::Names),
    ("glob", Kind::Names),
    ("grep", Kind::Text),
    ("search", Kind::Text),
    ("todowrite", Kind::Todos),
    ("plan", Kind::Plan),
    ("plan_exit", Kind::Plan),
    ("task", Kind::Subagent),
    ("subagent", Kind::Subagent),
    ("webfetch", Kind::Fetch),
    ("websearch", Kind::Fetch),
    ("codesearch", Kind::Fetch),
    ("fetch", Kind::Fetch),
    ("question", Kind::Ask),
    ("ask", Kind::Ask),
    ("todoread", Kind::Harmless),
    ("plan_enter", Kind::Harmless),
    ("lsp", Kind::Harmless),
];

impl Adapter for Generic {
    fn points(&self) -> &'static [Point] {
        POINTS
    }

    fn event_name<'a>(&self, payload: Fields<'a>) -> Read<Option<&'a str>> {
        payload.text(&["event"])
    }

    fn event(&self, point: Point, payload: Fields<'_>) -> Read<Event> {
        let mut event = event(AgentId::Generic, point, payload)?;
        if let Some(agent) = payload.text(&["agent"])? {
            agent.clone_into(&mut event.agent);
        }
        Ok(event)
    }

    fn asks(&self, point: Point, _payload: Fields<'_>) -> bool {
        point.moment == Some(Moment::PreTool)
    }

    fn answer(&self, _point: Point, verdict: &Verdict) -> Answer {
        let mut out = Map::new();
        out.insert("v".to_owned(), Value::from(1));
        let decision = match verdict.decision {
            Decision::Allow => "allow",
            Decision::Observe => "observe",
            Decision::Ask => "ask",
            Decision::Deny => "deny",
        };
        out.insert("decision".to_owned(), Value::from(decision));
        let parts = [("gate", &verdict.gate), ("rule", &verdict.rule), ("code", &verdict.reason)];
        for (key, value) in parts {
            if let Some(value) = value {
                out.insert(key.to_owned(), Value::from(value.as_str()));
            }
        }
        if verdict.decision >= Decision::Ask {
            out.insert("reason".to_owned(), Value::from(reason(verdict)));
        }
        if !verdict.context.is_empty() {
            out.insert("context".to_owned(), Value::from(verdict.context.clone()));
        }
        Answer::json(&Value::Object(out))
    }

    fn exit_two_blocks(&self) -> bool {
        false
    }
}

/// The event in a neutral payload.
pub(crate) fn event(agent: AgentId, point: Point, payload: Fields<'_>) -> Read<Event> {
    let moment = shape::moment(point)?;
    if payload.get(&["call"]).is_some_and(Value::is_object) {
        return whole(moment, payload);
    }
    let mut event = shape::frame(agent, moment, payload)?;
    event.session = payload.owned(&["session"])?;
    event.subagent = payload.owned(&["subagent"])?;
    event.text = payload.owned(&["text"])?;
    event.source = payload.owned(&["source"])?;
    event.stop_refused_before = payload.flag(&["stop_refused_before"]);
    if matches!(moment, Moment::PreTool | Moment::PostTool) {
        event.call = Some(call(payload, moment)?);
        event.outcome = (moment == Moment::PostTool).then(|| outcome(payload));
    }
    Ok(event)
}

/// An event that says itself what its tool does.
fn whole(moment: Moment, payload: Fields<'_>) -> Read<Event> {
    let event: Event =
        serde_json::from_value(Value::Object(payload.0.clone())).map_err(|error| error.to_string())?;
    if event.event == moment { Ok(event) } else { Err("`event` is another one".to_owned()) }
}

fn call(payload: Fields<'_>, moment: Moment) -> Read<Call> {
    let name = payload.text(&["tool"])?.filter(|name| !name.is_empty()).ok_or("`tool` is missing")?;
    let after = moment == Moment::PostTool;
    let input = match payload.get(&["args"]) {
        Some(input) => input.clone(),
        None if after => Value::Null,
        None => return Err(format!("the arguments of `{name}` are missing")),
    };
    let tool = match tool(TOOLS, name, &input) {
        Err(_) if after => Tool::Other,
        tool => tool?,
    };
    Ok(Call { id: payload.owned(&["call"])?, name: name.to_owned(), tool, input })
}

fn outcome(payload: Fields<'_>) -> Outcome {
    let exit = payload.get(&["exit"]).and_then(Value::as_i64);
    let ok = payload.get(&["ok"]).and_then(Value::as_bool).or_else(|| exit.map(|exit| exit == 0));
    Outcome { ok, exit, result: payload.get(&["result"]).cloned().unwrap_or(Value::Null) }
}
