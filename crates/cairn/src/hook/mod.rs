//! `cairn hook <agent> [<event>]`: what a coding agent calls at each tool call. One JSON document in, the smallest answer
//! that the agent accepts out.
//!
//! This path knows no clap, starts no git before a call, and is never slower than its own deadline. What can't be read
//! or judged is a denial before a call; at any other moment it is put on record and let go.

mod after;
pub mod audit;
mod builtin;
pub mod canary;
mod compare;
mod course;
mod discipline;
mod elsewhere;
mod frozen;
pub mod installed;
pub mod pause;
mod pins;
pub mod plan;
mod read_back;
mod resolve;
mod review;
mod silent;
mod snapshot;
pub mod ticket;
mod twin;
mod words;

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use agents::{AgentId, Answer, Heard, Point, Reading, Unreadable, payload, read, unjudged, unreadable};
use gate::Refusal;
use gate::event::{Event, Moment, Verdict};
use govern::State;
use govern::receipts::{Note, Receipts};
use govern::written::{Lying, Written};
use store::World;
use store::fault;
use store::file;
use store::git::Layout;

use crate::codes;
use crate::ctx::Ctx;

/// The longest time until an answer, well below any agent's own patience.
const DEADLINE: Duration = Duration::from_millis(1500);

/// After a call more is compared, and nothing waits for it but the agent's next step.
const DEADLINE_AFTER: Duration = Duration::from_secs(4);

/// Whose entry a command line is, if it is one of an agent's.
pub fn entry(args: &[OsString]) -> Option<(AgentId, Option<String>)> {
    if args.get(1)?.to_str()? != "hook" {
        return None;
    }
    let agent = AgentId::parse(args.get(2)?.to_str()?)?;
    let event = args.get(3).map(|event| event.to_string_lossy().into_owned());
    Some((agent, event))
}

/// Judges one event and gives the exit code.
pub fn run(
    agent: AgentId,
    event: Option<&str>,
    world: World,
    input: impl Read,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    print(&answer(agent, event, world, input, &Told::new()), out, err)
}

/// The same for the whole process, on its standard streams: it answers and ends at the deadline, wherever it is by then.
pub fn run_in_time(agent: AgentId, event: Option<&str>, world: World) -> u8 {
    let told = Arc::new(Told::new());
    let is_answered = Arc::new(AtomicBool::new(false));
    let watch = {
        let (event, told, is_answered) =
            (event.map(str::to_owned), Arc::clone(&told), Arc::clone(&is_answered));
        move || {
            thread::sleep(deadline(agent, event.as_deref()));
            if !is_answered.swap(true, Ordering::AcqRel) {
                let why = "it took longer than the time that there is";
                let answer = unanswered(agent, event.as_deref(), &told, why);
                process::exit(i32::from(print(&answer, &mut io::stdout(), &mut io::stderr())));
            }
        }
    };
    // Where the system gives no thread, the judgement is as good, and the agent's own patience is the deadline.
    let _ = thread::Builder::new().spawn(watch);
    let answer = answer(agent, event, world, io::stdin(), &told);
    while is_answered.swap(true, Ordering::AcqRel) {
        // The watch is answering, and ends the process.
        thread::park();
    }
    print(&answer, &mut io::stdout(), &mut io::stderr())
}

fn deadline(agent: AgentId, event: Option<&str>) -> Duration {
    let moment = event.and_then(|event| agent.point(event)).and_then(|point| point.moment);
    if moment.is_some_and(|moment| moment != Moment::PreTool) { DEADLINE_AFTER } else { DEADLINE }
}

/// The answer to one event, whatever happens.
fn answer(agent: AgentId, event: Option<&str>, world: World, input: impl Read, told: &Told) -> Answer {
    let judged = catch_unwind(AssertUnwindSafe(|| judge(agent, event, world, input, told).answer()));
    judged.unwrap_or_else(|_| unanswered(agent, event, told, "cairn failed on it, which is a fault of cairn"))
}

/// The answer to what was never judged: by the payload, and by the command line alone where none was read.
fn unanswered(agent: AgentId, event: Option<&str>, told: &Told, why: &str) -> Answer {
    let fault = match told.get() {
        Some((asks, point)) => unjudged(agent, *asks, *point, why),
        None => unreadable(agent, event, why),
    };
    fault.answer()
}

fn print(answer: &Answer, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    if let Some(text) = &answer.stderr {
        let _ = writeln!(err, "{text}");
    }
    let Some(document) = &answer.stdout else { return answer.exit };
    match writeln!(out, "{document}").and_then(|()| out.flush()) {
        Ok(()) => answer.exit,
        // An answer that could not be given is none: the code that blocks is all that is left.
        Err(_) => 2,
    }
}

/// Whose payload was read, and where in that agent's course it is.
pub(crate) type Told = OnceLock<(AgentId, Point)>;

/// What became of one event.
#[derive(Debug)]
pub(crate) enum Judged {
    /// It was judged.
    Verdict(Box<Reading>, Verdict),
    /// There was nothing to judge.
    Nothing(Answer),
    /// It can't be read, or could not be judged.
    Fault(Box<Unreadable>),
}

impl Judged {
    /// What the agent is told.
    pub(crate) fn answer(&self) -> Answer {
        match self {
            Self::Verdict(reading, verdict) => reading.answer(verdict),
            Self::Nothing(answer) => answer.clone(),
            Self::Fault(fault) => fault.answer(),
        }
    }
}

/// Reads and judges one event, without a deadline. Who asks, and at which moment, is told as soon as it is known.
pub(crate) fn judge(
    agent: AgentId,
    event: Option<&str>,
    world: World,
    input: impl Read,
    told: &Told,
) -> Judged {
    let bytes = match payload::take(input) {
        Ok(bytes) => bytes,
        Err(message) => return put_aside(&world, unreadable(agent, event, message)),
    };
    match read(agent, event, &bytes) {
        Ok(Heard::Event(reading)) => {
            let _ = told.set((reading.agent, reading.point));
            let judged = fault::point(fault::HOOK)
                .map_err(|error| error.to_string())
                .and_then(|()| course::run(&reading, world));
            match judged {
                Ok(verdict) => Judged::Verdict(reading, verdict),
                Err(message) => {
                    Judged::Fault(Box::new(unjudged(agent, reading.agent, reading.point, message)))
                }
            }
        }
        Ok(Heard::Nothing(answer)) => Judged::Nothing(answer),
        Ok(Heard::Said(said)) => {
            // Words that can't be kept are not reviewed, and hold nothing up.
            let _ = words::keep(&said, world);
            Judged::Nothing(said.answer)
        }
        Err(fault) => put_aside(&world, fault),
    }
}

/// What can't be read is put on record as far as that can be done.
fn put_aside(world: &World, fault: Unreadable) -> Judged {
    if let Ok(state) = state(world) {
        let moment = fault.point.and_then(|point| point.moment).unwrap_or(Moment::PreTool);
        let _ = put(
            &state,
            world,
            fault.agent.as_str(),
            moment,
            &Note { marker: "unreadable", ..Note::default() },
        );
    }
    Judged::Fault(Box::new(fault))
}

/// The state of the gates around the world's folder, the same that the hook finds there.
///
/// # Errors
/// There is no place for it.
pub fn state(world: &World) -> Result<State, Refusal> {
    State::find(&resolve::real(&world.cwd), &world.env).map_err(|error| {
        Refusal::new(codes::NO_STATE, error.to_string()).hint("set `HOME` to a folder of your own")
    })
}

/// The policy that is in force around the world's folder.
///
/// # Errors
/// It can't be read.
pub fn policy(world: &World) -> Result<govern::policy::Policy, Refusal> {
    let unreadable = |message: String| {
        Refusal::new(codes::POLICY_UNREADABLE, message).hint("mend it; until then every call is denied")
    };
    let cwd = resolve::real(&world.cwd);
    let layout = Layout::discover(&cwd).map_err(|error| unreadable(error.to_string()))?;
    let state = state(world)?;
    let snapshot = snapshot::Snapshot::load(world, layout.as_ref(), &state).map_err(unreadable)?;
    Ok(snapshot.policy)
}

/// What the person and the working tree at `root` say of knowledge, wherever the world's folder is.
///
/// # Errors
/// One of them can't be read.
pub fn knowledge(world: &World, root: &Path) -> Result<govern::knowledge::Settings, Refusal> {
    let policy = snapshot::policy(world, root, None, &mut Vec::new());
    policy.map(|policy| policy.knowledge).map_err(|message| {
        Refusal::new(codes::POLICY_UNREADABLE, message).hint("mend it; until then every call is denied")
    })
}

/// Puts on record what a person did.
///
/// # Errors
/// The line can't be written.
pub fn record(state: &State, world: &World, note: &Note<'_>) -> Result<(), Refusal> {
    put(state, world, "person", Moment::Prompt, note)
}

fn put(state: &State, world: &World, agent: &str, moment: Moment, note: &Note<'_>) -> Result<(), Refusal> {
    let event = Event {
        agent: agent.to_owned(),
        event: moment,
        session: None,
        subagent: None,
        cwd: None,
        call: None,
        outcome: None,
        text: None,
        source: None,
        stop_refused_before: false,
    };
    make_folder(state.folder()).map_err(|error| Refusal::new(codes::NOT_WRITTEN, error))?;
    let written = Receipts::open(state, world).and_then(|receipts| receipts.note(&event, note));
    written.map(|_| ()).map_err(|error| {
        Refusal::new(codes::RECEIPTS_UNREADABLE, error.to_string()).next("cairn receipts verify")
    })
}

/// What a command may write of the files that agents may not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Own {
    /// The report of a deployment's probe.
    Report,
    /// A deployment's own files, and what its steps change.
    Deployment,
    /// The settings of an agent.
    Settings,
}

/// Runs a command and notes what of these files it wrote, whether it failed or not: what it leaves is no change that
/// went past the commands.
pub fn noting<T>(ctx: &Ctx<'_>, folder: Option<&Path>, own: Own, run: impl FnOnce() -> T) -> T {
    let world = ctx.world;
    let folder = folder.map_or_else(|| world.cwd.clone(), |folder| world.cwd.join(folder));
    // Where there is no place for state, no hook compares anything.
    let Ok(state) = State::find(&resolve::real(&folder), &world.env) else { return run() };
    let top = state.root();
    let mut places: Vec<PathBuf> = Vec::new();
    if own != Own::Settings {
        places.extend(builtin::deployment(top));
    }
    if own == Own::Deployment {
        places.push(top.join(govern::deploy::VAULT));
        places.push(top.join(govern::policy::PATH));
    }
    if own != Own::Report {
        places.extend(builtin::settings(top));
    }
    let before = Lying::at(places);
    let came = run();
    if let Err(error) = Written::at(state.folder()).note_since(&before) {
        ctx.warn(format!(
            "what was written is not on record, so a hook may take it for a change past the commands: {error}"
        ));
    }
    came
}

/// The nearest folder above that is there, from which a folder may be made.
fn above(path: &Path) -> PathBuf {
    path.ancestors().find(|above| above.is_dir()).unwrap_or(path).to_owned()
}

/// Makes a folder, none of whose new parts is a link.
fn make_folder(folder: &Path) -> Result<(), String> {
    file::create_folder(&above(folder), folder).map_err(|error| error.to_string())
}
