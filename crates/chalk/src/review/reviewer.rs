//! Calling the configured reviewer.

use std::path::Path;

use gate::Refusal;
use gate::run::{Capture, End, Input, Program, Ran, tail};
use store::file;

use super::verdict::{self, Verdict};
use crate::codes;
use crate::exec::{self, Logs, RunRecord};
use crate::session::{Session, io};

/// How much of the end of an answer is searched for a verdict.
const READ: u64 = 64 << 20;
/// How many characters of an answer without a verdict are shown.
const SHOWN: usize = 600;

/// What the reviewer answered.
pub(super) struct Reply {
    pub verdict: Verdict,
    pub run: RunRecord,
    /// How often it was called.
    pub tries: u32,
}

/// Calls the reviewer in `tree`, a second time if the first answer has no verdict and `retry` is set.
///
/// Its exit code says nothing: agents exit with 0 after a refusal to answer, and with 1 after an answer.
pub(super) fn ask(
    session: &Session<'_>,
    command: &str,
    tree: &Path,
    prompt: &str,
    seconds: u64,
    retry: bool,
) -> Result<Reply, Refusal> {
    let logs = Logs::create(session, "review")?;
    let mut tries = 0;
    loop {
        tries += 1;
        let stdout = logs.file(&format!("answer-{tries}.txt"));
        let stderr = logs.file(&format!("errors-{tries}.txt"));
        session.progress.begin("reviewer");
        let ran = exec::run(
            session,
            Program::shell(command),
            tree,
            Input::Bytes(prompt.as_bytes().to_vec()),
            seconds,
            Capture::Split { stdout: stdout.clone(), stderr: stderr.clone() },
        );
        session.progress.end("reviewer", &ran.as_ref().map(Ran::cause).unwrap_or_default());
        let ran = ran?;
        let mut answer = stdout;
        let mut text = read(&answer)?;
        if text.trim().is_empty() {
            answer = stderr;
            text = read(&answer)?;
        }
        // Agents that print a transcript repeat the prompt, and with it whatever the diff holds.
        if let Some(verdict) = verdict::find(&text.replace(prompt, "\n")) {
            return Ok(Reply { verdict, run: RunRecord::new(command, &ran, Some(&answer)), tries });
        }
        // A command that isn't there will not be there in a second either.
        let hopeless = matches!(ran.end, End::NotStarted(_) | End::Exited(126 | 127));
        if tries == 2 || !retry || hopeless {
            return Err(unreadable(&ran, &answer, tries));
        }
    }
}

fn read(path: &Path) -> Result<String, Refusal> {
    let (bytes, _) = file::read_tail(path, READ).map_err(io)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn unreadable(ran: &Ran, answer: &Path, tries: u32) -> Refusal {
    let again = if tries > 1 { ", twice" } else { "" };
    let end = tail(answer, 40, 4 * SHOWN as u64).unwrap_or_default().join("\n");
    let skipped = end.chars().count().saturating_sub(SHOWN);
    let end: String = end.chars().skip(skipped).collect();
    let mut refusal = Refusal::new(codes::REVIEW_UNREADABLE, format!("the reviewer gave no verdict{again}"))
        .fact(format!("it ended with: {}", ran.cause()));
    refusal = if end.trim().is_empty() {
        refusal.fact("it printed nothing")
    } else {
        refusal.fact("the end of what it printed:").facts(end.lines().map(|line| format!("  {line}")))
    };
    refusal.at(answer, None, None).hint(
        "it must print a JSON object such as {\"verdict\": \"block\", \"findings\": []} as the last thing; nothing \
         was recorded",
    )
}
