//! Qwen Code: Claude's events and answers with the tools of Gemini CLI.

use gate::event::{Event, Moment, Verdict};

use crate::agent::{Adapter, AgentId, Point};
use crate::answer::Answer;
use crate::claude;
use crate::fields::{Fields, Read};
use crate::gemini;
use crate::shape;

pub(crate) struct Qwen;

impl Adapter for Qwen {
    fn points(&self) -> &'static [Point] {
        claude::POINTS
    }

    fn event(&self, point: Point, payload: Fields<'_>) -> Read<Event> {
        shape::event(AgentId::Qwen, point, payload, gemini::TOOLS)
    }

    fn asks(&self, point: Point, payload: Fields<'_>) -> bool {
        point.moment == Some(Moment::PreTool) && claude::asks_in_mode(payload)
    }

    fn answer(&self, point: Point, verdict: &Verdict) -> Answer {
        claude::answer(point, verdict)
    }
}
