//! The agents, and what an adapter is.

use std::fmt;

use gate::event::{Event, Moment, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::Answer;
use crate::fields::{Fields, Read};
use crate::reading::Judging;
use crate::{
    antigravity, claude, codex, copilot, cursor, droid, gemini, generic, grok, opencode, qwen, vscode,
};

/// A coding agent whose payloads are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AgentId {
    /// Claude Code.
    Claude,
    /// OpenAI Codex CLI.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// Antigravity CLI.
    Antigravity,
    /// opencode, version 1, through its bridge file.
    OpenCode,
    /// opencode, version 2, through its bridge file.
    OpenCode2,
    /// Cursor CLI.
    Cursor,
    /// GitHub Copilot CLI.
    Copilot,
    /// The agent mode of VS Code.
    VsCode,
    /// Grok.
    Grok,
    /// Droid.
    Droid,
    /// Qwen Code.
    Qwen,
    /// Any program that speaks the neutral JSON.
    Generic,
}

impl AgentId {
    /// Every agent.
    pub const ALL: [Self; 13] = [
        Self::Claude,
        Self::Codex,
        Self::Gemini,
        Self::Antigravity,
        Self::OpenCode,
        Self::OpenCode2,
        Self::Cursor,
        Self::Copilot,
        Self::VsCode,
        Self::Grok,
        Self::Droid,
        Self::Qwen,
        Self::Generic,
    ];

    /// The word for it on the command line and in documents.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Antigravity => "antigravity",
            Self::OpenCode => "opencode",
            Self::OpenCode2 => "opencode2",
            Self::Cursor => "cursor",
            Self::Copilot => "copilot",
            Self::VsCode => "vscode",
            Self::Grok => "grok",
            Self::Droid => "droid",
            Self::Qwen => "qwen",
            Self::Generic => "generic",
        }
    }

    /// The agent that a word on the command line names.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|agent| agent.as_str() == word)
    }

    /// The places at which this agent calls, the main one of each moment first.
    pub fn points(self) -> &'static [Point] {
        self.adapter().points()
    }

    /// The point that an event word names: the agent's own word, or the neutral one in any spelling
    /// (`pre-tool`, `pre_tool`).
    pub fn point(self, word: &str) -> Option<Point> {
        let points = self.points();
        let exact = points.iter().find(|point| point.name == word);
        let alike = || points.iter().find(|point| folded(point.name) == folded(word));
        let neutral = || moment_of(word).and_then(|moment| self.main_point(moment));
        exact.or_else(alike).copied().or_else(neutral)
    }

    /// Whether text for the agent's context reaches it at a moment.
    pub fn takes_context(self, moment: Moment) -> bool {
        let note = Verdict { context: vec!["note".to_owned()], ..Verdict::allow() };
        self.main_point(moment).is_some_and(|point| {
            self.adapter().answer(point, &note) != self.adapter().answer(point, &Verdict::allow())
        })
    }

    /// Whether a word is that of an entry whose call another entry judges after it.
    pub(crate) fn is_first(self, word: &str) -> bool {
        self == Self::Cursor && folded(word) == "pretoolfirst"
    }

    /// The main point of a moment, where the agent has one.
    pub(crate) fn main_point(self, moment: Moment) -> Option<Point> {
        self.points().iter().find(|point| point.moment == Some(moment)).copied()
    }

    pub(crate) fn adapter(self) -> &'static dyn Adapter {
        match self {
            Self::Claude => &claude::Claude,
            Self::Codex => &codex::Codex,
            Self::Gemini => &gemini::Gemini,
            Self::Antigravity => &antigravity::Antigravity,
            Self::OpenCode => &opencode::OpenCode { version: 1 },
            Self::OpenCode2 => &opencode::OpenCode { version: 2 },
            Self::Cursor => &cursor::Cursor,
            Self::Copilot => &copilot::Copilot,
            Self::VsCode => &vscode::VsCode,
            Self::Grok => &grok::Grok,
            Self::Droid => &droid::Droid,
            Self::Qwen => &qwen::Qwen,
            Self::Generic => &generic::Generic,
        }
    }
}

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A place at which an agent calls: its own name for the event, and the moment that it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// The agent's name for the event.
    pub name: &'static str,
    /// The moment; none for an event that there is nothing to judge at.
    pub moment: Option<Moment>,
}

impl Point {
    pub(crate) const fn new(name: &'static str, moment: Moment) -> Self {
        Self { name, moment: Some(moment) }
    }

    pub(crate) const fn idle(name: &'static str) -> Self {
        Self { name, moment: None }
    }
}

/// One agent's own words.
pub(crate) trait Adapter: Sync {
    /// The places at which it calls, the main one of each moment first.
    fn points(&self) -> &'static [Point];

    /// The event of a payload that says which moment it is.
    fn event(&self, point: Point, payload: Fields<'_>) -> Read<Event>;

    /// What the agent said, at a point that tells of nothing else: the stop after it does not tell it again.
    fn said<'a>(&self, _point: Point, _payload: Fields<'a>) -> Read<Option<&'a str>> {
        Ok(None)
    }

    /// The smallest answer that the agent accepts. A verdict that it can't carry becomes the next stricter one.
    fn answer(&self, point: Point, verdict: &Verdict) -> Answer;

    /// The name of the event in the payload, where it carries one.
    fn event_name<'a>(&self, payload: Fields<'a>) -> Read<Option<&'a str>> {
        payload.text(&["hook_event_name", "hookEventName"])
    }

    /// The moment of a payload that does not name its event.
    fn infer(&self, _payload: Fields<'_>) -> Option<Moment> {
        None
    }

    /// Whether a person is asked when the answer at this point says so.
    fn asks(&self, _point: Point, _payload: Fields<'_>) -> bool {
        false
    }

    /// Which of two entries that one call may reach is this one; `first` where the settings say so.
    fn judging(&self, _point: Point, _event: &Event, _first: bool) -> Judging {
        Judging::Only
    }

    /// Whether an exit code of 2 blocks the call whatever is printed.
    fn exit_two_blocks(&self) -> bool {
        true
    }
}

/// The moment that a neutral event word names.
pub(crate) fn moment_of(word: &str) -> Option<Moment> {
    Some(match folded(word).as_str() {
        "pretool" | "pretoolfirst" => Moment::PreTool,
        "posttool" => Moment::PostTool,
        "prompt" => Moment::Prompt,
        "stop" | "idle" => Moment::Stop,
        "sessionstart" => Moment::SessionStart,
        "sessionend" => Moment::SessionEnd,
        "compact" => Moment::Compact,
        _ => return None,
    })
}

/// A word without case and without what joins its parts.
fn folded(word: &str) -> String {
    word.chars().filter(|c| !matches!(c, '-' | '_')).map(|c| c.to_ascii_lowercase()).collect()
}
