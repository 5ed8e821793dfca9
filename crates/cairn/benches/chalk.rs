//! What each command costs inside the process, by the size of the spine.

#![expect(clippy::unwrap_used, reason = "a benchmark that can't be set up has nothing to measure")]

mod spine;

use std::ffi::OsString;
use std::path::Path;

use cairn::Terminal;
use divan::{Bencher, black_box};
use store::{Env, SystemClock, SystemEntropy, World};

fn main() {
    divan::main();
}

const SIZES: [usize; 3] = [10, 1_000, 10_000];

fn prepared(tasks: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let git = std::process::Command::new("git").args(["init", "-q"]).current_dir(folder.path()).status();
    assert!(git.unwrap().success());
    spine::generate(folder.path(), tasks, 20_000).unwrap();
    folder
}

fn run(folder: &Path, args: &[&str]) -> Vec<u8> {
    let words: Vec<OsString> =
        std::iter::once("chalk").chain(args.iter().copied()).map(OsString::from).collect();
    let env: Env = [("PATH", std::env::var_os("PATH").unwrap_or_default()), ("HOME", folder.into())]
        .into_iter()
        .collect();
    let world =
        World { cwd: folder.to_owned(), env, clock: Box::new(SystemClock), entropy: Box::new(SystemEntropy) };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = cairn::run(&words, &world, Terminal::default(), &mut out, &mut err);
    assert_eq!(code, 0, "{}", String::from_utf8_lossy(&err));
    out
}

#[divan::bench(args = SIZES)]
fn next(bencher: Bencher<'_, '_>, tasks: usize) {
    let folder = prepared(tasks);
    run(folder.path(), &["update", "first write"]);
    bencher.bench_local(|| black_box(run(folder.path(), &["next"])));
}

#[divan::bench(args = SIZES)]
fn status(bencher: Bencher<'_, '_>, tasks: usize) {
    let folder = prepared(tasks);
    bencher.bench_local(|| black_box(run(folder.path(), &["status"])));
}

#[divan::bench(args = SIZES, sample_count = 20, sample_size = 1)]
fn task_add(bencher: Bencher<'_, '_>, tasks: usize) {
    let folder = prepared(tasks);
    bencher.bench_local(|| black_box(run(folder.path(), &["task", "add", "one more"])));
}

#[divan::bench]
fn log(bencher: Bencher<'_, '_>) {
    let folder = prepared(1_000);
    bencher.bench_local(|| black_box(run(folder.path(), &["log"])));
}
