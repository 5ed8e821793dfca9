//! A spine of any size, as the Node implementation would have written it: for benchmarks and trials.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::json;

/// Writes `.chalk/` with so many tasks and events into `root`. One task is in progress with a locked
/// test, a tenth is ready, the rest is done.
pub fn generate(root: &Path, tasks: usize, events: usize) -> std::io::Result<()> {
    let chalk = root.join(".chalk");
    fs::create_dir_all(&chalk)?;
    let test = "exit 0\n";
    fs::write(root.join("a.test.sh"), test)?;
    let all: Vec<_> = (0..tasks).map(|n| task(n, tasks, test)).collect();
    fs::write(chalk.join("tasks.json"), format!("{}\n", canon::json::pretty(&all.into())))?;
    let mut log = String::new();
    for n in 0..events {
        let event = json!({
            "id": format!("evt-{n:08x}"), "at": "2026-12-01T03:17:19.397Z", "type": "progress-update",
            "title": format!("Review (pass): Task number {}", n % tasks.max(1)), "description": "", "phase": "build",
            "actorRole": "agent", "taskId": id(n % tasks.max(1)),
        });
        let _ = writeln!(log, "{event}");
    }
    fs::write(chalk.join("updates.jsonl"), log)?;
    fs::write(chalk.join("questions.json"), "[]\n")?;
    fs::write(chalk.join("decisions.md"), "# Decisions (ADR-lite)\n")?;
    fs::write(chalk.join("spec.md"), "# big\n")?;
    let config = json!({
        "version": "1.1", "writerVersion": "0.3.0", "project": { "name": "big", "description": "" },
        "protocol": {
            "version": "chalk/0", "phase": "build", "status": "active", "runner": "",
            "verify": { "test": "true", "typecheck": "", "lint": "", "build": "" },
            "review": { "command": "", "requiredAt": [] },
            "regression": { "command": "", "authorCommand": "", "dir": ".chalk/held-out", "required": false,
                "tests": [], "locPerTest": 2000, "lastAudit": null },
        },
        "createdAt": "2026-12-01T03:17:19.266Z", "updatedAt": "2026-12-01T03:17:20.815Z",
    });
    fs::write(chalk.join("chalk.json"), format!("{}\n", canon::json::pretty(&config)))
}

fn id(n: usize) -> String {
    format!("task-{:08x}", u32::try_from(n).unwrap_or_default().wrapping_mul(0x9E37_79B1))
}

fn task(n: usize, tasks: usize, test: &str) -> serde_json::Value {
    let state = match n {
        0 => "in-progress",
        _ if n.is_multiple_of(10) => "specd",
        _ => "done",
    };
    let tests =
        if n == 0 { json!([{ "path": "a.test.sh", "sha256": canon::Sha256::of(test) }]) } else { json!([]) };
    let reviews = if state == "done" {
        json!([{ "at": "2026-12-01T03:17:20.133Z", "by": "adversary", "verdict": "pass", "findings": [], "decisions": [] }])
    } else {
        json!([])
    };
    let after = if n > 0 && n.is_multiple_of(100) { vec![id((n - 1) % tasks)] } else { Vec::new() };
    let mut task = json!({
        "id": id(n), "title": format!("Task number {n}: a title of the usual length"), "state": state,
        "acceptanceCriteria": [{ "text": "it does what it says" }, { "text": "and nothing else" }],
        "tests": tests, "heldOut": [], "after": after, "createdAt": "2026-12-01T03:17:19.396Z", "reviews": reviews,
        "startedAt": "2026-12-01T03:17:19.830Z",
    });
    if state == "done" {
        task["doneAt"] = json!("2026-12-01T03:17:20.354Z");
    }
    task
}
