//! Makes what the hook is measured in: `governed repository <folder> <files> <tasks> <locked>` writes files and a spine
//! whose first tasks have a locked test each, and `governed receipts <folder> <receipts>` puts so many lines on record.

#![expect(clippy::print_stderr, reason = "the program of a benchmark says what went wrong")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use canon::Sha256;
use gate::event::{Call, Event, Moment, Outcome, Tool, Verdict};
use govern::State;
use govern::receipts::{Known, Receipts};
use serde_json::{Value, json};
use store::{SystemClock, SystemEntropy, World};

#[path = "../benches/spine/mod.rs"]
mod spine;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<usize> = words.iter().skip(2).filter_map(|word| word.parse().ok()).collect();
    let made =
        match (words.first().map(String::as_str), words.get(1), &*numbers) {
            (Some("repository"), Some(folder), [files, tasks, locked]) => {
                repository(Path::new(folder), *files, *tasks, *locked).map_err(|error| error.to_string())
            }
            (Some("receipts"), Some(folder), [lines]) => receipts(Path::new(folder), *lines),
            _ => Err("governed repository <folder> <files> <tasks> <locked> | receipts <folder> <lines>"
                .to_owned()),
        };
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn repository(root: &Path, files: usize, tasks: usize, locked: usize) -> std::io::Result<()> {
    for first in (0..files).step_by(100) {
        let folder = root.join(format!("src/d{:04}", first / 100));
        fs::create_dir_all(&folder)?;
        for n in first..files.min(first + 100) {
            fs::write(folder.join(format!("f{n}.txt")), format!("file {n}\n"))?;
        }
    }
    spine::generate(root, tasks, tasks)?;
    let path = root.join(".chalk/tasks.json");
    let mut all: Vec<Value> = serde_json::from_slice(&fs::read(&path)?)?;
    fs::create_dir_all(root.join("tests"))?;
    for (n, task) in all.iter_mut().enumerate().skip(1).take(locked) {
        let (name, text) = (format!("tests/t{n}.sh"), format!("exit 0 # {n}\n"));
        fs::write(root.join(&name), &text)?;
        task["tests"] = json!([{ "path": name, "sha256": Sha256::of(&text) }]);
    }
    fs::write(path, format!("{}\n", canon::json::pretty(&all.into())))
}

fn receipts(root: &Path, lines: usize) -> Result<(), String> {
    let world = World {
        cwd: root.to_owned(),
        env: std::env::vars_os().collect(),
        clock: Box::new(SystemClock),
        entropy: Box::new(SystemEntropy),
    };
    let state = State::find(root, &world.env).map_err(|error| error.to_string())?;
    let receipts = Receipts::open(&state, &world).map_err(|error| error.to_string())?;
    for n in 0..lines / 2 {
        let mut event = write(root, n);
        let writes = [format!("src/d{:04}/f{n}.txt", n / 100)];
        let known = Known { writes: &writes, ..Known::default() };
        receipts.judged(&event, &Verdict::allow(), &known).map_err(|error| error.to_string())?;
        event.event = Moment::PostTool;
        event.outcome = Some(Outcome { ok: Some(true), exit: None, result: json!({ "ok": true }) });
        receipts.seen(&event, &known).map_err(|error| error.to_string())?;
        // Turns of fifty calls.
        if n % 50 == 49 {
            receipts.checkpoint(&event, None).map_err(|error| error.to_string())?;
        }
    }
    Ok(())
}

/// A call as an agent would make it.
fn write(root: &Path, n: usize) -> Event {
    let path = root.join(format!("src/d{:04}/f{n}.txt", n / 100));
    let input = json!({ "file_path": path, "content": format!("file {n}, changed\n") });
    Event {
        agent: "claude".to_owned(),
        event: Moment::PreTool,
        session: Some(format!("session-{}", n / 500)),
        subagent: None,
        cwd: Some(PathBuf::from(root)),
        call: Some(Call {
            id: Some(format!("made-{n}")),
            name: "Write".to_owned(),
            input,
            tool: Tool::Write { path: path.to_string_lossy().into_owned(), content: None },
        }),
        outcome: None,
        text: None,
        source: None,
        stop_refused_before: false,
    }
}
