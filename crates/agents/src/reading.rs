//! From a payload to an event, and from a verdict to the answer.

use std::path::PathBuf;

use gate::event::{Decision, Event, Moment, Verdict};

use crate::agent::{AgentId, Point};
use crate::answer::Answer;
use crate::fields::Fields;
use crate::payload;
use crate::shape;
use crate::sniff::sniff;

/// What an agent told.
#[derive(Debug, Clone, PartialEq)]
pub enum Heard {
    /// Something to judge.
    Event(Box<Reading>),
    /// An event that there is nothing to judge at, with its answer.
    Nothing(Answer),
    /// What the agent said, of which the stop that ends its turn does not tell.
    Said(Box<Said>),
}

/// What an agent said before its turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// Whose words they are.
    pub agent: AgentId,
    /// The session.
    pub session: Option<String>,
    /// The subagent that spoke, where one did.
    pub subagent: Option<String>,
    /// The folder that the agent stands in.
    pub cwd: Option<PathBuf>,
    /// The words.
    pub text: String,
    /// What is answered.
    pub answer: Answer,
}

/// Which of the entries that one call reaches is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judging {
    /// There is no other.
    Only,
    /// Another one comes after it, and asks the person: this one denies, or lets the call come there.
    First,
    /// Another one came before it, if the agent calls both.
    Second,
}

/// A payload that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The agent whose entry was called.
    pub entry: AgentId,
    /// Whose payload it is, whatever entry it came through.
    pub agent: AgentId,
    /// Where in the agent's course.
    pub point: Point,
    /// What it says.
    pub event: Event,
    /// Which of the call's entries it came through.
    pub judging: Judging,
    asks: bool,
}

impl Reading {
    /// Whether a person is asked when the verdict is [`Decision::Ask`]. Otherwise it is denied, and its message must
    /// say how a person can allow it.
    pub fn can_ask(&self) -> bool {
        self.asks
    }

    /// Whether text for the agent's context reaches it here. Else it is dropped, and must be said at another moment.
    pub fn takes_context(&self) -> bool {
        let note = Verdict { context: vec!["note".to_owned()], ..Verdict::allow() };
        self.answer(&note) != self.answer(&Verdict::allow())
    }

    /// The verdict in the agent's words.
    pub fn answer(&self, verdict: &Verdict) -> Answer {
        let adapter = self.agent.adapter();
        if verdict.decision == Decision::Ask && !self.asks {
            let denied = Verdict { decision: Decision::Deny, ..verdict.clone() };
            return adapter.answer(self.point, &denied);
        }
        if verdict.decision == Decision::Ask && self.judging == Judging::First {
            return adapter.answer(self.point, &Verdict { decision: Decision::Allow, ..verdict.clone() });
        }
        adapter.answer(self.point, verdict)
    }
}

/// A payload that can't be read, or an event that could not be judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// The agent whose entry was called.
    pub entry: AgentId,
    /// The agent that the payload is of, as far as it could be told.
    pub agent: AgentId,
    /// Where in the agent's course, where it is known.
    pub point: Option<Point>,
    /// Why, as one sentence without a full stop.
    pub message: String,
    before_call: bool,
}

impl Unreadable {
    /// Whether it is a denial: a call is about to be made, or may be.
    pub fn denies(&self) -> bool {
        self.before_call
    }

    /// The command that tells more. An agent that has no settings has no status of its own.
    fn status(&self) -> String {
        match self.entry {
            AgentId::Generic => "cairn hook status".to_owned(),
            agent => format!("cairn hook status {}", agent.as_str()),
        }
    }

    /// A denial before a call; at any other moment everything goes its way.
    pub fn answer(&self) -> Answer {
        let adapter = self.agent.adapter();
        if !self.before_call {
            let mut verdict = Verdict::allow();
            // A session that begins under gates which can't judge is told so; every other moment is let go in silence.
            if self.point.is_some_and(|point| point.moment == Some(Moment::SessionStart)) {
                verdict.context.push(format!(
                    "CRITICAL: cairn could not judge the beginning of this session: {}. A person finds the cause with \
                     `{}`",
                    self.message,
                    self.status()
                ));
            }
            return self.point.map_or_else(Answer::silent, |point| adapter.answer(point, &verdict));
        }
        let before = Point::new("PreToolUse", Moment::PreTool);
        let own = self.point.filter(|point| point.moment == Some(Moment::PreTool));
        let point = own.or_else(|| self.agent.main_point(Moment::PreTool)).unwrap_or(before);
        let reason = format!(
            "cairn could not judge this call, and what can't be judged is not allowed: {}. \
             A person finds the cause with `{}`",
            self.message,
            self.status()
        );
        let verdict = Verdict {
            decision: Decision::Deny,
            gate: Some("hook".to_owned()),
            rule: None,
            reason: Some("unreadable".to_owned()),
            message: Some(reason.clone()),
            context: Vec::new(),
        };
        let answer = adapter.answer(point, &verdict);
        // Who really asked is not certain, and the code is understood by those who don't read the document.
        if self.entry.adapter().exit_two_blocks() || adapter.exit_two_blocks() {
            return answer.blocking(&reason);
        }
        answer
    }
}

/// Reads what came through the entry of `entry`, for the event that its settings name, if they do.
///
/// # Errors
/// The payload is no strict JSON object, its event is unknown or another one than the settings say, or it lacks what
/// a call needs.
pub fn read(entry: AgentId, event_word: Option<&str>, bytes: &[u8]) -> Result<Heard, Unreadable> {
    let stated = event_word.and_then(|word| entry.point(word));
    let object =
        payload::parse(bytes).map_err(|fault| fault_at(entry, stated, format!("the payload: {fault}")))?;
    let payload = Fields(&object);
    let agent = who(entry, payload);
    let adapter = agent.adapter();
    let stated = if agent == entry { stated } else { same_moment(agent, stated) };
    let fail = |point: Option<Point>, before_call: bool, message: String| Unreadable {
        entry,
        agent,
        point,
        message,
        before_call,
    };
    let is_before = |point: Option<Point>| point.and_then(|point| point.moment) == Some(Moment::PreTool);

    let name = match adapter.event_name(payload) {
        Ok(name) => name,
        Err(fault) => return Err(fail(stated, stated.is_none() || is_before(stated), fault)),
    };
    let named = name
        .map(|name| (name, agent.point(name).or_else(|| same_moment(agent, AgentId::Claude.point(name)))));
    let point = match named {
        Some((_, Some(point))) => point,
        Some((name, None)) => {
            let calls =
                ["tool_name", "toolName", "toolCall", "tool", "call"].iter().any(|key| payload.has(key));
            return Err(fail(stated, is_before(stated) || calls, format!("`{name}` is no event of {agent}")));
        }
        None => match stated.or_else(|| adapter.infer(payload).and_then(|moment| agent.main_point(moment))) {
            Some(point) => point,
            None => return Err(fail(None, true, "the payload does not name its event".to_owned())),
        },
    };
    if let Some(stated) = stated
        && stated.moment != point.moment
    {
        let message = format!("the settings say `{}`, the payload says `{}`", stated.name, point.name);
        return Err(fail(Some(point), is_before(Some(stated)) || is_before(Some(point)), message));
    }
    if point.moment.is_none() {
        let answer = adapter.answer(point, &Verdict::allow());
        // What is told here is told for the review alone, so that what can't be read is let go.
        let Ok(Some(text)) = adapter.said(point, payload) else { return Ok(Heard::Nothing(answer)) };
        let Ok(frame) = shape::frame(agent, Moment::Stop, payload) else { return Ok(Heard::Nothing(answer)) };
        let Event { session, subagent, cwd, .. } = frame;
        return Ok(Heard::Said(Box::new(Said {
            agent,
            session,
            subagent,
            cwd,
            text: text.to_owned(),
            answer,
        })));
    }
    match adapter.event(point, payload) {
        Ok(event) => {
            let first = agent == entry && event_word.is_some_and(|word| agent.is_first(word));
            let judging = adapter.judging(point, &event, first);
            let asks = judging == Judging::First || adapter.asks(point, payload);
            Ok(Heard::Event(Box::new(Reading { entry, agent, point, event, judging, asks })))
        }
        Err(fault) => Err(fail(Some(point), is_before(Some(point)), fault)),
    }
}

/// What is answered where no payload came to be judged: the deadline passed, or cairn itself failed.
pub fn unreadable(entry: AgentId, event: Option<&str>, message: impl Into<String>) -> Unreadable {
    fault_at(entry, event.and_then(|word| entry.point(word)), message.into())
}

/// What is answered where a payload was read, its event is `point` of `agent`, and it could not be judged.
pub fn unjudged(entry: AgentId, agent: AgentId, point: Point, message: impl Into<String>) -> Unreadable {
    Unreadable { agent, ..fault_at(entry, Some(point), message.into()) }
}

fn fault_at(entry: AgentId, point: Option<Point>, message: String) -> Unreadable {
    let before_call = point.is_none_or(|point| point.moment == Some(Moment::PreTool));
    Unreadable { entry, agent: entry, point, message, before_call }
}

/// Whose payload came through the entry of `entry`.
///
/// A neutral payload is taken through a neutral entry alone: an agent with a form of its own would not understand the
/// answer. Qwen and Droid can't be told from Claude Code in every payload; their own entries decide.
fn who(entry: AgentId, payload: Fields<'_>) -> AgentId {
    use AgentId::{Claude, Droid, Generic, OpenCode, OpenCode2, Qwen};
    match sniff(payload) {
        None | Some(Generic) => entry,
        Some(OpenCode | OpenCode2) if !matches!(entry, OpenCode | OpenCode2 | Generic) => entry,
        Some(Claude) if matches!(entry, Qwen | Droid) => entry,
        Some(agent) => agent,
    }
}

/// The main point of another agent at the moment of `point`.
fn same_moment(agent: AgentId, point: Option<Point>) -> Option<Point> {
    point.and_then(|point| point.moment).and_then(|moment| agent.main_point(moment))
}
