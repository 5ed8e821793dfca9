//! Histories of every shape: a revision is read as its checkout is.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use proptest::prelude::*;

use super::*;
use crate::fixture::{NOTE, note_schema};

/// The record files that come and go.
const FILES: [&str; 5] = [
    "notes/n-001.md",
    "notes/n-002 two.md",
    "notes/n-003-\u{fc}.md",
    "notes/n-004-\"q\".md",
    "notes/n-005.md",
];

const STATES: [&str; 4] = ["proposed", "decided", "ratified", "superseded"];

/// One change of the files of a commit.
#[derive(Debug, Clone)]
enum Change {
    Write { file: usize, id: usize, state: usize, links: [Option<usize>; 2], pin: Option<(usize, usize)> },
    Break(usize),
    Delete(usize),
    Rename(usize, usize),
    Asset(usize, usize),
    Declare(Option<u64>),
}

/// One commit: on which earlier commit, merging which other (and whose files it takes from there), with which changes,
/// at what hour.
#[derive(Debug, Clone)]
struct Step {
    onto: prop::sample::Index,
    merge: Option<(prop::sample::Index, [bool; 5])>,
    changes: Vec<Change>,
    hour: i64,
}

type Files = BTreeMap<String, Vec<u8>>;

fn change() -> impl Strategy<Value = Change> {
    let id = || prop::option::weighted(0.3, 0..6_usize);
    let written = (0..5_usize, prop::option::weighted(0.1, 0..5_usize), 0..4_usize, [id(), id()]);
    let pin = prop::option::of((0..2_usize, 0..2_usize));
    prop_oneof![
        8 => (written, pin).prop_map(|((file, other, state, links), pin)| Change::Write {
            file, id: other.unwrap_or(file), state, links, pin,
        }),
        1 => (0..5_usize).prop_map(Change::Break),
        1 => (0..5_usize).prop_map(Change::Delete),
        1 => (0..5_usize, 0..5_usize).prop_map(|(from, to)| Change::Rename(from, to)),
        2 => (0..2_usize, 0..2_usize).prop_map(|(asset, content)| Change::Asset(asset, content)),
        1 => prop::option::of(1..4_u64).prop_map(Change::Declare),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let merge = prop::option::weighted(0.4, (any::<prop::sample::Index>(), any::<[bool; 5]>()));
    (any::<prop::sample::Index>(), merge, prop::collection::vec(change(), 0..3), 0..20_i64)
        .prop_map(|(onto, merge, changes, hour)| Step { onto, merge, changes, hour })
}

fn apply(files: &mut Files, change: &Change) {
    let sha256 = |content: usize| Sha256::of(content.to_string());
    match change {
        Change::Write { file, id, state, links: [supersedes, remediates], pin } => {
            let link = |field: &str, to: &Option<usize>| {
                to.map(|to| format!("{field}: [n-00{to}]\n")).unwrap_or_default()
            };
            let pin = pin.map(|(asset, content)| {
                format!("evidence:\n  - {{ title: x, path: asset-{asset}, sha256: {} }}\n", sha256(content))
            });
            let text = format!(
                "---\nid: n-00{}\ntitle: T\nstate: {}\n{}{}{}---\n",
                id + 1,
                STATES[*state],
                link("supersedes", supersedes),
                link("remediates", remediates),
                pin.unwrap_or_default()
            );
            files.insert(FILES[*file].to_owned(), text.into());
        }
        Change::Break(file) => {
            files.insert(FILES[*file].to_owned(), b"<<<<<<<\n".to_vec());
        }
        Change::Delete(file) => {
            files.remove(FILES[*file]);
        }
        Change::Rename(from, to) => {
            if let Some(content) = files.remove(FILES[*from]) {
                files.insert(FILES[*to].to_owned(), content);
            }
        }
        Change::Asset(asset, content) => {
            files.insert(format!("asset-{asset}"), content.to_string().into());
        }
        Change::Declare(None) => {
            files.remove("chant.workspace.json");
        }
        Change::Declare(Some(quorum)) => {
            let declaration = json!({ "name": "w", "schema": 1, "members": [], "quorum": quorum });
            files.insert("chant.workspace.json".to_owned(), declaration.to_string().into());
        }
    }
}

/// Makes the commits, of which the last is checked out; their names.
fn build(scratch: &Scratch, steps: &[Step]) -> Vec<String> {
    let mut stream = Vec::new();
    let mut trees: Vec<Files> = Vec::new();
    for (n, step) in steps.iter().enumerate() {
        let hour = 1_893_456_000 + step.hour * 3600;
        write!(stream, "commit refs/heads/c{n}\nmark :{}\ncommitter A <a@example.org> {hour} +0000\n", n + 1)
            .unwrap();
        write!(stream, "data 1\n{n}\n").unwrap();
        let mut files = Files::new();
        if n == 0 {
            files.insert(KIND.to_owned(), NOTE.into());
            files.insert("notes/note.schema.json".to_owned(), note_schema().to_string().into());
        } else {
            let onto = step.onto.index(n);
            writeln!(stream, "from :{}", onto + 1).unwrap();
            files.clone_from(&trees[onto]);
            if let Some((other, taken)) = &step.merge
                && other.index(n) != onto
            {
                let other = other.index(n);
                writeln!(stream, "merge :{}", other + 1).unwrap();
                for file in FILES.iter().zip(taken).filter_map(|(file, taken)| taken.then_some(file)) {
                    match trees[other].get(*file) {
                        Some(content) => files.insert((*file).to_owned(), content.clone()),
                        None => files.remove(*file),
                    };
                }
            }
        }
        step.changes.iter().for_each(|change| apply(&mut files, change));
        stream.extend(b"deleteall\n");
        for (path, content) in &files {
            let quoted = path.replace('"', "\\\"");
            write!(stream, "M 100644 inline \"{quoted}\"\ndata {}\n", content.len()).unwrap();
            stream.extend(content);
            stream.push(b'\n');
        }
        trees.push(files);
    }
    write!(stream, "reset refs/heads/main\nfrom :{}\n\n", steps.len()).unwrap();
    let mut import = Command::new("git");
    import.current_dir(&scratch.root).env_clear().envs(scratch.world.env.iter());
    let mut import = import.args(["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn().unwrap();
    import.stdin.take().unwrap().write_all(&stream).unwrap();
    assert!(import.wait().unwrap().success());
    scratch.git(&["reset", "-q", "--hard", "main"]);
    let names: Vec<String> = (0..steps.len()).map(|n| format!("c{n}")).collect();
    let names: Vec<&str> = ["rev-parse"].into_iter().chain(names.iter().map(String::as_str)).collect();
    scratch.git(&names).lines().map(str::to_owned).collect()
}

/// The deciding commit by its definition: git is asked of this one file, and each version is read.
fn decided(scratch: &Scratch, rev: &str, path: &str) -> Option<String> {
    let log = scratch.git(&["log", "--format=%H", rev, "--", &format!(":(literal){path}")]);
    let is_approved = |commit: &&str| {
        let mut show = Command::new("git");
        show.current_dir(&scratch.root).env_clear().envs(scratch.world.env.iter());
        let shown = show.args(["show", &format!("{commit}:{path}")]).output().unwrap();
        let data = canon::front_matter::parse(&shown.stdout).map(|document| document.data);
        data.is_ok_and(|data| STATES[1..].iter().any(|state| data["state"] == **state))
    };
    log.lines().take_while(is_approved).last().map(str::to_owned)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 60, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn a_revision_reads_like_a_fresh_checkout_of_it(
        steps in prop::collection::vec(step(), 2..11), which in any::<prop::sample::Index>()
    ) {
        let scratch = Scratch::new();
        let commits = build(&scratch, &steps);
        for (n, rev) in [commits.last().unwrap(), which.get(&commits)].into_iter().enumerate() {
            let at = Query { at: Some(rev), base: Some(rev), ..query() };
            let at = of_the_tree(document(&scratch, &at));
            let folder = scratch.beside(&format!("checkout-{n}"));
            scratch.git(&["worktree", "add", "-q", "--detach", folder.to_str().unwrap(), rev]);
            let checkout = scratch.at(folder);
            let read = list(&checkout.place(), &Query { base: Some(rev), ..query() }).unwrap();
            let read = serde_json::to_value(read).unwrap();
            prop_assert_eq!(&read["checkout"]["deleted"], &json!([]));
            for record in read["records"].as_array().unwrap() {
                prop_assert_eq!(&record["worktree"], &json!("committed"));
                let decided = decided(&scratch, rev, record["path"].as_str().unwrap());
                prop_assert_eq!(record["decidedIn"]["sha"].as_str(), decided.as_deref(), "{}", record["path"]);
            }
            prop_assert_eq!(at, of_the_tree(read));
        }
    }
}

/// The other side of a merge changed the file too, and nothing of that was kept.
#[test]
fn a_side_that_a_merge_dropped_decided_nothing() {
    let scratch = Scratch::notes();
    scratch.note("n-001", "proposed", "");
    scratch.commit("base");
    scratch.git(&["checkout", "-q", "-b", "side"]);
    scratch.note("n-001", "decided", "side: 1");
    scratch.note("n-002", "decided", "");
    scratch.commit("side");
    scratch.git(&["checkout", "-q", "main"]);
    scratch.note("n-001", "decided", "");
    scratch.note("n-003", "decided", "");
    scratch.commit("main");
    scratch.git(&["merge", "-q", "-X", "ours", "--no-edit", "side"]);
    scratch.note("n-001", "decided", "");
    scratch.git(&["add", "--all"]);
    scratch.git(&["commit", "-q", "--amend", "--no-edit"]);
    let found = records(&scratch);
    let subjects: Vec<&Value> = found.iter().map(|record| &record["decidedIn"]["subject"]).collect();
    assert_eq!(subjects, ["main", "side", "main"]);
}
