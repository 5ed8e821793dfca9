//! opencode, both versions: their bridge files speak the neutral JSON and take one decision.

use gate::event::{Event, Moment, Verdict};
use serde_json::json;

use crate::agent::{Adapter, AgentId, Point};
use crate::answer::{Answer, Word, decision, word};
use crate::fields::{Fields, Read};
use crate::generic;

pub(crate) struct OpenCode {
    pub version: u8,
}

/// Version 2 asks at `permission`, a point of its own.
const POINTS: &[Point] = &[
    Point::new("pre_tool", Moment::PreTool),
    Point::new("permission", Moment::PreTool),
    Point::new("post_tool", Moment::PostTool),
    Point::new("prompt", Moment::Prompt),
    Point::new("stop", Moment::Stop),
    Point::new("session_start", Moment::SessionStart),
    Point::new("session_end", Moment::SessionEnd),
    Point::new("compact", Moment::Compact),
];

impl OpenCode {
    /// Whether the bridge has a place for text at this point. Version 2 shows the result of a call and takes none back.
    fn takes(&self, point: Point) -> bool {
        match point.moment {
            Some(Moment::SessionStart | Moment::Prompt | Moment::Compact) => true,
            Some(Moment::PostTool) => self.version == 1,
            _ => false,
        }
    }
}

impl Adapter for OpenCode {
    fn points(&self) -> &'static [Point] {
        POINTS
    }

    fn event_name<'a>(&self, payload: Fields<'a>) -> Read<Option<&'a str>> {
        payload.text(&["event"])
    }

    fn event(&self, point: Point, payload: Fields<'_>) -> Read<Event> {
        let agent = if self.version == 2 { AgentId::OpenCode2 } else { AgentId::OpenCode };
        let mut event = generic::event(agent, point, payload)?;
        agent.as_str().clone_into(&mut event.agent);
        Ok(event)
    }

    fn asks(&self, point: Point, _payload: Fields<'_>) -> bool {
        self.version == 2 && point.name == "permission"
    }

    fn answer(&self, point: Point, verdict: &Verdict) -> Answer {
        match word(point, verdict) {
            Word::Ask(reason) if self.version == 2 && point.name == "permission" => decision("ask", &reason),
            Word::Deny(reason) | Word::Ask(reason) => decision("deny", &reason),
            Word::Note(text) if self.takes(point) => {
                Answer::json(&json!({ "decision": "allow", "context": text }))
            }
            Word::Note(_) | Word::Nothing => Answer::json(&json!({ "decision": "allow" })),
        }
    }

    fn exit_two_blocks(&self) -> bool {
        false
    }
}
