//! Plays cases to a process, and starts a new one where it was lost.

use std::path::Path;
use std::time::Duration;

use gate::Refusal;

use crate::codes;
use crate::judge::{Judged, judge};
use crate::protocol::{self, Capabilities, Case, PROTOCOL, Reply};
use crate::subject::{Around, Running, Subject, Trouble, shown};
use crate::vector::Vector;

/// Asks a subject what it can do.
pub(crate) fn handshake(subject: &Subject, deadline: Duration) -> Result<Capabilities, Refusal> {
    let command = shown(&subject.argv);
    let mut running = subject
        .start(&["--capabilities"], None, deadline)
        .map_err(|trouble| Refusal::new(codes::NO_SUBJECT, trouble.0))?;
    let refuse = |message: String| {
        Refusal::new(codes::HANDSHAKE, format!("`{command} --capabilities` failed: {message}"))
            .hint("conformance/README.md says what it prints")
    };
    let line = running.line().map_err(|trouble| refuse(trouble.0))?;
    running.end().map_err(|trouble| refuse(trouble.0))?;
    let says: Capabilities = protocol::read(&line).map_err(refuse)?;
    if says.protocol != PROTOCOL {
        return Err(refuse(format!("it speaks protocol {}, and this is {PROTOCOL}", says.protocol)));
    }
    if let Some(tag) = says.capabilities.iter().find(|tag| says.specified_not_implemented.contains(tag)) {
        return Err(refuse(format!("it claims `{tag}` and declares that it does not have it")));
    }
    Ok(says)
}

/// A process that answers cases.
pub(crate) struct Player<'s> {
    subject: &'s Subject,
    says: &'s Capabilities,
    deadline: Duration,
    more: &'s [&'s str],
    around: Option<(Around, &'s Path)>,
    running: Option<Running>,
    sent: u64,
}

impl<'s> Player<'s> {
    pub fn new(
        subject: &'s Subject,
        says: &'s Capabilities,
        deadline: Duration,
        more: &'s [&'s str],
        around: Option<(Around, &'s Path)>,
    ) -> Self {
        Self { subject, says, deadline, more, around, running: None, sent: 0 }
    }

    /// Sends a vector's case and judges the answer. After a crash or a missed deadline the next case gets a new process.
    pub fn play(&mut self, vector: &Vector) -> Judged {
        match self.reply(vector) {
            Ok(reply) => judge(vector, self.says, &reply),
            Err(trouble) => {
                self.running = None;
                Judged::error(trouble.0)
            }
        }
    }

    fn reply(&mut self, vector: &Vector) -> Result<Reply, Trouble> {
        self.sent += 1;
        let case = Case {
            id: format!("case-{}", self.sent),
            requires: vector.requires.clone(),
            setup: vector.setup.clone(),
            steps: vector.steps.clone(),
        };
        let mut line = serde_json::to_vec(&case).map_err(|error| Trouble(error.to_string()))?;
        line.push(b'\n');
        let running = match &mut self.running {
            Some(running) => running,
            none => none.insert(self.subject.start(self.more, self.around, self.deadline)?),
        };
        let answer = running.ask(line)?;
        let reply: Reply = protocol::read(&answer)
            .map_err(|fault| Trouble(format!("its answer is none that the protocol knows: {fault}")))?;
        if reply.id != case.id {
            return Err(Trouble(format!("its answer is to `{}`, asked was `{}`", reply.id, case.id)));
        }
        Ok(reply)
    }

    /// Lets the process end.
    pub fn end(mut self) -> Result<(), Trouble> {
        self.running.take().map_or(Ok(()), Running::end)
    }
}
