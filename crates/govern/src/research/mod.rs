//! How something was found out (G3): a question, where its answer was looked for, and what bears it.
//!
//! A question about the place itself is answered by looking there. A question that needs knowledge from outside is never
//! answered from the place alone: it wants two sources of different origin, each linked, scoped, graded and not
//! superseded. [`judge`] decides from the record alone; whether a source says what is cited nobody checks here.

mod origin;

use canon::Sha256;
use gate::ReasonCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::codes;

/// Where an answer was looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// In the place that the question is about.
    Local,
    /// In sources outside it.
    Online,
    /// In both.
    Both,
}

impl Method {
    fn has_local(self) -> bool {
        self != Self::Online
    }

    fn has_online(self) -> bool {
        self != Self::Local
    }
}

/// What a question needs for its answer, declared before it is looked into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Needs {
    /// What can be observed in the place.
    Local,
    /// Knowledge from outside.
    External,
    /// Both: a recommendation, say, that rests on how the place is and on what is known of it.
    Both,
}

/// Something that was observed in the place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// Where it was looked at: a file, a check, a command.
    pub at: String,
    /// What was seen, without contents that may be secret.
    pub seen: String,
    /// The digest of what was looked at, where it is a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Sha256>,
}

/// What kind of authority a source has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Authority {
    /// The documentation of whoever makes the thing.
    Official,
    /// A reviewed paper, or a preprint.
    Paper,
    /// A measurement with its method and its effect.
    Benchmark,
    /// Anything else: an opinion, a summary, a forum. It bears nothing.
    Other,
}

/// A source outside the place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Its address, as in `https://example.org/page`.
    pub url: String,
    /// Who answers for it.
    pub publisher: String,
    /// What is taken from it.
    pub claim: String,
    /// For what that holds: a version, a system, a kind of data.
    pub scope: String,
    /// What kind of authority it has.
    pub authority: Authority,
    /// The day of its content, as `YYYY-MM-DD`.
    pub dated: String,
    /// It bears on the question.
    pub relevant: bool,
    /// What has taken its place, where something has. It bears nothing then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
}

/// The record of one piece of research.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Research {
    /// What was asked.
    pub question: String,
    /// What the question needs.
    pub needs: Needs,
    /// Where its answer was looked for.
    pub method: Method,
    /// What was observed.
    #[serde(default)]
    pub local_evidence: Vec<Observation>,
    /// What was read elsewhere.
    #[serde(default)]
    pub online_sources: Vec<Source>,
    /// What was found.
    pub findings: Vec<String>,
    /// What rests on it: plans, reports, decisions.
    pub used_in: Vec<String>,
}

/// Why a record of research bears nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The rule, as in `G3-2`; `G3` for what every record needs.
    pub rule: &'static str,
    /// The reason.
    pub reason: ReasonCode,
    /// The fact.
    pub fact: String,
}

/// What is wrong with a record of research; nothing if what rests on it may rest on it.
pub fn judge(research: &Research) -> Option<Fault> {
    let empty = |what: &str| {
        Some(Fault { rule: "G3", reason: codes::RESEARCH_EMPTY, fact: format!("the research has no {what}") })
    };
    let blank = |text: &str| canon::text::is_blank(text);
    if blank(&research.question) {
        return empty("question");
    }
    if research.findings.iter().all(|finding| blank(finding)) {
        return empty("finding");
    }
    if research.used_in.iter().all(|used| blank(used)) {
        return empty("use");
    }
    mode(research).or_else(|| {
        if research.method.has_local()
            && !research.local_evidence.iter().any(|seen| !blank(&seen.at) && !blank(&seen.seen))
        {
            return empty("observation, though it says that it looked");
        }
        research.method.has_online().then(|| sources(&research.online_sources)).flatten()
    })
}

/// Whether the answer was looked for where it lies.
fn mode(research: &Research) -> Option<Fault> {
    let fault = |rule, fact: &str| Some(Fault { rule, reason: codes::RESEARCH_MODE, fact: fact.to_owned() });
    match (research.needs, research.method) {
        (Needs::External | Needs::Both, Method::Local) => {
            fault("G3-2", "the question needs knowledge from outside, and was answered from the place alone")
        }
        (Needs::Local | Needs::Both, Method::Online) => {
            fault("G3-1", "the question is about the place, and nobody looked there")
        }
        _ => None,
    }
}

/// Whether two sources of different origin bear the answer.
fn sources(sources: &[Source]) -> Option<Fault> {
    let fault = |fact: String| Some(Fault { rule: "G3-3", reason: codes::RESEARCH_SOURCES, fact });
    let mut origins: Vec<origin::Origin> = Vec::new();
    let mut weak = Vec::new();
    for source in sources {
        match bears(source) {
            Ok(origin) => origins.push(origin),
            Err(why) => weak.push(format!("{}: {why}", canon::text::one_line(&source.url))),
        }
    }
    let is_pair = origins
        .iter()
        .enumerate()
        .any(|(n, one)| origins[n + 1..].iter().any(|other| one.is_independent_of(other)));
    if is_pair {
        return None;
    }
    let found = match origins.len() {
        0 => "no source bears the answer".to_owned(),
        1 => "one source alone bears the answer".to_owned(),
        n => format!("the {n} sources that bear the answer are of one origin"),
    };
    let weak = if weak.is_empty() { String::new() } else { format!(" ({})", weak.join("; ")) };
    fault(format!("{found}; two of different hosts and publishers are needed{weak}"))
}

/// The origin of a source that bears what is cited from it, or why it bears nothing.
fn bears(source: &Source) -> Result<origin::Origin, &'static str> {
    let blank = |text: &str| canon::text::is_blank(text);
    if blank(&source.claim) || blank(&source.scope) {
        return Err("it is not said what it says, or for what that holds");
    }
    if blank(&source.publisher) {
        return Err("it is not said who answers for it");
    }
    if source.authority == Authority::Other {
        return Err("it has no authority");
    }
    if !source.relevant {
        return Err("it does not bear on the question");
    }
    if source.superseded_by.is_some() {
        return Err("something else has taken its place");
    }
    if format!("{}T00:00:00Z", source.dated).parse::<canon::Timestamp>().is_err() {
        return Err("its day is no day");
    }
    origin::Origin::of(&source.url, &source.publisher).ok_or("its address is no `https://` address")
}

#[cfg(test)]
mod tests;
