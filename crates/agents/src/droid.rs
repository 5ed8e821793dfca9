//! Droid: Claude's payloads and answers with some tools under other names.

use gate::event::{Event, Moment, Verdict};

use crate::agent::{Adapter, AgentId, Point};
use crate::answer::{Answer, Word, word};
use crate::claude;
use crate::fields::{Fields, Read};
use crate::shape;
use crate::tools::{Kind, Tools};

pub(crate) struct Droid;

const POINTS: &[Point] = &[
    Point::new("PreToolUse", Moment::PreTool),
    Point::new("PostToolUse", Moment::PostTool),
    Point::new("UserPromptSubmit", Moment::Prompt),
    Point::new("Stop", Moment::Stop),
    Point::new("SubagentStop", Moment::Stop),
    Point::new("SessionStart", Moment::SessionStart),
    Point::new("SessionEnd", Moment::SessionEnd),
    Point::new("PreCompact", Moment::Compact),
    Point::idle("Notification"),
];

const TOOLS: Tools = &[
    ("Execute", Kind::Shell("bash")),
    ("Create", Kind::Write),
    ("Write", Kind::Write),
    ("Edit", Kind::Edit),
    ("MultiEdit", Kind::Edit),
    ("ApplyPatch", Kind::Patch),
    ("NotebookEdit", Kind::Notebook),
    ("Read", Kind::Read),
    ("LS", Kind::Names),
    ("Glob", Kind::Names),
    ("Grep", Kind::Text),
    ("TodoWrite", Kind::Todos),
    ("ExitSpecMode", Kind::Plan),
    ("Task", Kind::Subagent),
    ("FetchUrl", Kind::Fetch),
    ("WebSearch", Kind::Fetch),
    ("AskUser", Kind::Ask),
];

impl Adapter for Droid {
    fn points(&self) -> &'static [Point] {
        POINTS
    }

    fn event(&self, point: Point, payload: Fields<'_>) -> Read<Event> {
        shape::event(AgentId::Droid, point, payload, TOOLS)
    }

    fn asks(&self, point: Point, _payload: Fields<'_>) -> bool {
        point.moment == Some(Moment::PreTool)
    }

    fn answer(&self, point: Point, verdict: &Verdict) -> Answer {
        match (point.moment, word(point, verdict)) {
            // It takes nothing for its context before a call.
            (Some(Moment::PreTool), Word::Note(_)) => Answer::silent(),
            _ => claude::answer(point, verdict),
        }
    }
}
