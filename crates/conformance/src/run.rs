//! A run: every vector to one process many times, then to fresh processes in other surroundings.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use canon::Sha256;
use gate::{Progress, Refusal};

use crate::codes;
use crate::control::Control;
use crate::corpus::Corpus;
use crate::judge::{Class, Judged};
use crate::player::{Player, handshake};
use crate::protocol::Capabilities;
use crate::report::{self, Count, Problem, Report, Tested, Under};
use crate::subject::{self, AROUND, Subject, Trouble};
use crate::vector::{Level, Vector};

/// How a run is made.
#[derive(Debug, Clone)]
pub struct Options {
    /// The vectors of this level and those below; all without it.
    pub level: Option<Level>,
    /// The vectors of this family.
    pub family: Option<String>,
    /// How often each vector is sent to one process.
    pub repeat: u32,
    /// How many more processes are started.
    pub fresh: u32,
    /// Run with the gates switched off.
    pub sabotage: bool,
    /// How long an answer may take.
    pub deadline: Duration,
    /// How many processes run side by side; each vector stays with one.
    pub jobs: usize,
    /// A folder for homes.
    pub scratch: PathBuf,
}

/// One vector on its way.
struct Way<'v> {
    family: &'v str,
    vector: &'v Vector,
    judged: Option<Judged>,
    runs: u64,
    /// It crashed, was late, or was answered in two ways: sending it again tells nothing more.
    settled: bool,
}

impl Way<'_> {
    fn play(&mut self, player: &mut Player<'_>, when: &str) {
        if !self.settled {
            let judged = player.play(self.vector);
            self.take(judged, when);
        }
    }

    /// Takes in one more answer: the first one counts, and what comes later must be the same.
    fn take(&mut self, judged: Judged, when: &str) {
        self.runs += 1;
        let Some(first) = &mut self.judged else {
            self.settled = judged.class == Class::Error;
            self.judged = Some(judged);
            return;
        };
        if *first == judged {
            return;
        }
        self.settled = true;
        if judged.class == Class::Error {
            let why = judged.why.map(|why| format!("{when} {why}"));
            *first = Judged { why, ..judged };
            return;
        }
        let said = |judged: &Judged| judged.why.clone().unwrap_or_else(|| "it was as expected".to_owned());
        let why = format!("{when} it answered otherwise: first {}; then {}", said(first), said(&judged));
        let dishonest = first.dishonest || judged.dishonest;
        *first = Judged { class: Class::Fail, why: Some(why), output: None, dishonest };
    }
}

/// Holds a subject against the vectors.
///
/// # Errors
/// There is no such family, or the subject can't be started, or does not say what it can do.
pub fn run(
    corpus: &Corpus,
    subject: &Subject,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Report, Refusal> {
    let mut ways = chosen(corpus, options)?;
    let says = handshake(subject, options.deadline)?;
    if options.sabotage && !says.sabotage {
        let message = format!("{} does not say that it can run with its gates switched off", says.name);
        return Err(Refusal::new(codes::NO_CONTROL, message)
            .hint("an implementation that can do so says `\"sabotage\": true` among its capabilities"));
    }
    let more: &[&str] = if options.sabotage { &["--sabotage"] } else { &[] };
    let mut ends = vec![rounds(&mut ways, subject, &says, options, more, progress)];
    for n in 0..options.fresh as usize {
        progress.begin(&format!("fresh process {} of {}", n + 1, options.fresh));
        let around = AROUND[n % AROUND.len()];
        let home = subject::home(&options.scratch, n)
            .map_err(|trouble| Refusal::new(codes::NO_SUBJECT, trouble.0))?;
        let when = format!(
            "in a fresh process (TZ={} LANG={} umask={:03o})",
            around.zone, around.language, around.umask
        );
        let mut player = Player::new(subject, &says, options.deadline, more, Some((around, &home)));
        for at in shuffled(ways.len(), n as u64 + 1) {
            ways[at].play(&mut player, &when);
        }
        ends.push(player.end());
    }
    progress.end("", "");
    let is_ended = ends.iter().all(Result::is_ok);
    Ok(told(corpus, subject, says, options, ways, is_ended))
}

fn chosen<'c>(corpus: &'c Corpus, options: &Options) -> Result<Vec<Way<'c>>, Refusal> {
    if let Some(word) = &options.family
        && !corpus.vectors().any(|(family, _)| Corpus::is_in(family, word))
    {
        return Err(Refusal::new(codes::UNKNOWN_FAMILY, format!("no family of vectors is called `{word}`"))
            .hint(format!("the families are {}", corpus.families().join(", "))));
    }
    let is_chosen = |(family, vector): &(&str, &Vector)| {
        options.family.as_deref().is_none_or(|word| Corpus::is_in(family, word))
            && options.level.is_none_or(|level| vector.level.level().is_some_and(|own| own <= level))
    };
    let ways = corpus.vectors().filter(is_chosen);
    Ok(ways.map(|(family, vector)| Way { family, vector, judged: None, runs: 0, settled: false }).collect())
}

/// Sends every vector `repeat` times, each always to the same process.
fn rounds(
    ways: &mut [Way<'_>],
    subject: &Subject,
    says: &Capabilities,
    options: &Options,
    more: &[&str],
    progress: &dyn Progress,
) -> Result<(), Trouble> {
    let share = ways.len().div_ceil(options.jobs.max(1)).max(1);
    let total = u64::from(options.repeat) * ways.len().div_ceil(share) as u64;
    let (tick, ticks) = mpsc::channel();
    thread::scope(|scope| {
        let workers: Vec<_> = ways
            .chunks_mut(share)
            .map(|ways| {
                let tick = tick.clone();
                scope.spawn(move || {
                    let mut player = Player::new(subject, says, options.deadline, more, None);
                    for round in 0..u64::from(options.repeat) {
                        let when = format!("at time {}", round + 1);
                        for at in shuffled(ways.len(), round) {
                            ways[at].play(&mut player, &when);
                        }
                        let _ = tick.send(());
                    }
                    player.end()
                })
            })
            .collect();
        drop(tick);
        for done in 1..=total {
            progress.begin(&format!("round {done} of {total}"));
            if ticks.recv().is_err() {
                break;
            }
        }
        let ends = workers.into_iter().map(|worker| {
            worker.join().unwrap_or_else(|_| Err(Trouble("a thread of the harness failed".to_owned())))
        });
        ends.fold(Ok(()), Result::and)
    })
}

/// The numbers below `length` in an order that `seed` makes; in their own order for 0.
fn shuffled(length: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..length).collect();
    if seed > 0 {
        order.sort_by_cached_key(|at| Sha256::of(format!("{seed} {at}")));
    }
    order
}

fn told(
    corpus: &Corpus,
    subject: &Subject,
    says: Capabilities,
    options: &Options,
    ways: Vec<Way<'_>>,
    is_ended: bool,
) -> Report {
    let mut families: BTreeMap<String, Vec<Class>> = BTreeMap::new();
    let mut is_honest = true;
    let mut vectors = Vec::new();
    let mut classes = Vec::new();
    for way in ways {
        let judged = way.judged.unwrap_or_else(|| Judged::error("it was not sent".to_owned()));
        is_honest &= !judged.dishonest;
        families.entry(way.family.to_owned()).or_default().push(judged.class);
        classes.push((way.vector, judged.class));
        vectors.push(Tested {
            id: way.vector.id.clone(),
            version: way.vector.version,
            family: way.family.to_owned(),
            title: way.vector.title.clone(),
            class: judged.class,
            level: way.vector.level.level(),
            runs: way.runs,
            output: judged.output.map(Sha256::of),
            problem: judged.why,
        });
    }
    let count = Count::of(vectors.iter().map(|one| one.class));
    let control = options.sabotage.then(|| Control::of(classes.into_iter()));
    let levels =
        if options.sabotage { Vec::new() } else { report::levels(corpus, &vectors, &says.levels, is_honest) };
    let mut problems = Vec::new();
    if !options.sabotage {
        if !is_honest {
            problems.push(Problem::Dishonest);
        }
        if levels.iter().any(|level| level.claimed && !level.holds) {
            problems.push(Problem::ClaimsTooMuch);
        }
    }
    if !is_ended {
        problems.push(Problem::Ending);
    }
    let is_held = |wanted: Level| levels.iter().any(|level| level.level == wanted && level.holds);
    let ok = problems.is_empty()
        && match &control {
            Some(control) => control.unproved.is_empty() && control.failed > 0,
            None => !vectors.iter().any(|one| one.class.is_bad()) && options.level.is_none_or(is_held),
        };
    Report {
        ok,
        corpus: corpus.digest(),
        subject: Under {
            name: says.name,
            version: says.version,
            command: subject::shown(&subject.argv),
            files: subject.files().into_iter().collect(),
            claims: says.levels,
        },
        level: options.level,
        family: options.family.clone(),
        repeat: options.repeat,
        fresh: options.fresh,
        count,
        families: families.into_iter().map(|(family, classes)| (family, Count::of(classes))).collect(),
        levels,
        problems,
        control,
        vectors,
    }
}
