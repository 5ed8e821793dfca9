//! The published workspaces, read and written, and what was written verified with the tools that everybody has.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::scratch::{Ran, Scratch};

fn data(name: &str) -> Option<PathBuf> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/chant")).join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: nothing published at {}", folder.display());
    None
}

/// The document, checked against the published schema.
#[track_caller]
fn published(name: &str, ran: &Ran) -> Value {
    let document = ran.json();
    let text = fs::read(data("schemas").unwrap().join(format!("{name}.schema.json"))).unwrap();
    let schema = jsonschema::validator_for(&serde_json::from_slice(&text).unwrap()).unwrap();
    let errors: Vec<String> = schema.iter_errors(&document).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{name}: {errors:#?}\n{document:#}");
    document
}

/// What a tool prints that is given these bytes.
#[track_caller]
fn tool(dir: &Path, program: &str, args: &[&str], input: &[u8]) -> String {
    let mut child = Command::new(program)
        .args(args)
        .current_dir(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn sha256sum(bytes: &[u8]) -> String {
    tool(Path::new("/"), "sha256sum", &[], bytes).split(' ').next().unwrap().to_owned()
}

/// The digest of a record by its definition, in awk: without the blocks of these fields.
fn digest(text: &str, without: &str) -> String {
    let program = format!(
        r"/^---$/ {{ skip = 0; print; next }} /^({without})[ \t]*:/ {{ skip = 1; next }} /^[^ \t#-]/ {{ skip = 0 }} !skip"
    );
    let front = text.split("---\n").nth(1).unwrap();
    let body = &text[front.len() + 8..];
    let kept = tool(Path::new("/"), "awk", &[&program], format!("---\n{front}---\n").as_bytes());
    sha256sum(format!("{kept}{body}").as_bytes())
}

/// The seal over a whole file by its definition: of the data in the form of RFC 8785, which for these records is JSON
/// with sorted keys and no spaces.
fn whole_seal(mut core: Value, body: &str) -> String {
    fn sorted(value: &Value) -> String {
        match value {
            Value::Object(map) => {
                let mut keys: Vec<&String> = map.keys().collect();
                keys.sort();
                let member = |key: &&String| format!("{}:{}", json!(key), sorted(&map[*key]));
                format!("{{{}}}", keys.iter().map(member).collect::<Vec<_>>().join(","))
            }
            Value::Array(items) => format!("[{}]", items.iter().map(sorted).collect::<Vec<_>>().join(",")),
            other => other.to_string(),
        }
    }
    core.as_object_mut().unwrap().remove("closed_digest");
    format!("sha256:{}", sha256sum(sorted(&json!({ "body": body, "core": core })).as_bytes()))
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &to);
        } else {
            fs::write(to, fs::read(&path).unwrap()).unwrap();
        }
    }
}

const KINDS: [&str; 7] = [
    "decisions/decision.kind.mjs",
    "work/work.kind.mjs",
    "answers/answer.kind.mjs",
    "design/sessions/session.kind.mjs",
    "design/contracts/contract.kind.mjs",
    "design/drivers/driver.kind.mjs",
    "design/evidence/evidence.kind.mjs",
];

/// The reference workspace with a kind of every sort, and the keys of two people.
fn reference() -> Option<Scratch> {
    let shared = data("reference-workspace")?;
    let scratch = Scratch::repository();
    copy(&shared, &scratch.root());
    for member in ["app", "delivery", "design-client"] {
        scratch.write(&format!("{member}/x"), "");
    }
    scratch.write("design/evidence/evidence.schema.json", r#"{ "$id": "urn:intentius:chant:evidence:1" }"#);
    let mut signers = String::new();
    for name in ["ann", "bob", "lex00"] {
        let key = scratch.home().join(name);
        let args = ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", key.to_str().unwrap()];
        tool(&scratch.home(), "ssh-keygen", &args, b"");
        let public = fs::read_to_string(key.with_extension("pub")).unwrap();
        signers.push_str(name);
        signers.push(' ');
        signers.push_str(public.rsplit_once(' ').unwrap().0);
        signers.push('\n');
    }
    scratch.write(".chant/allowed_signers", signers);
    scratch.commit("reference");
    Some(scratch)
}

fn list(scratch: &Scratch, kind: &str, more: &[&str]) -> Value {
    let args = [&["chant", "workspace", "records", "--json", "--kind", kind], more].concat();
    published("records", &scratch.run(&args).ok())
}

fn by_id(listing: &Value, id: &str) -> Value {
    let records = listing["records"].as_array().unwrap();
    records.iter().find(|record| record["id"] == id).unwrap_or_else(|| panic!("no {id}: {listing:#}")).clone()
}

/// Runs a write with these fields, and checks its document.
#[track_caller]
fn write(scratch: &Scratch, args: &[&str], fields: &Value) -> Value {
    let file = scratch.home().join("fields.json");
    fs::write(&file, fields.to_string()).unwrap();
    let file = file.to_str().unwrap();
    let with = match args[0] {
        "new" => vec!["--from", file],
        "amend" => vec!["--set", file],
        _ => Vec::new(),
    };
    let ran = scratch.run(&[&["chant", "workspace", "records"], args, &with].concat());
    let document = published(&format!("records-{}", args[0]), &ran);
    assert_eq!(ran.code, 0, "{document:#}");
    document
}

#[test]
fn every_kind_is_read_and_written() {
    let Some(scratch) = reference() else { return };
    for kind in KINDS {
        let listing = list(&scratch, kind, &[]);
        let at = list(&scratch, kind, &["--at", "HEAD"]);
        for (disk, commit) in
            listing["records"].as_array().unwrap().iter().zip(at["records"].as_array().unwrap())
        {
            assert_eq!((&disk["digest"], &disk["reasons"]), (&commit["digest"], &commit["reasons"]));
            let text = scratch.read(disk["path"].as_str().unwrap());
            let expected = match kind.rsplit('/').next().unwrap() {
                "decision.kind.mjs" => digest(&text, "reviews|seal|state"),
                "contract.kind.mjs" => digest(&text, "reviews|seal|closed_digest"),
                _ => sha256sum(text.as_bytes()),
            };
            assert_eq!(disk["digest"], json!(expected), "{}", disk["path"]);
        }
    }
    published("records", &scratch.run(&["chant", "workspace", "records", "--json"]).ok());

    let old = by_id(&list(&scratch, KINDS[0], &[]), "ref-001")["data"].clone();
    let mut decision = old.clone();
    for (field, value) in [
        ("title", json!("Where logs go")),
        ("state", json!("proposed")),
        ("choice", Value::Null),
        ("rejected", json!([])),
        ("decided_by", Value::Null),
        ("decided_on", Value::Null),
    ] {
        decision[field] = value;
    }
    decision.as_object_mut().unwrap().remove("id");
    let made = write(&scratch, &["new", "decision", "--by", "ann"], &decision);
    assert_eq!(made["path"], "decisions/ref-004-where-logs-go.md");
    let text = scratch.read("decisions/ref-004-where-logs-go.md");
    assert_eq!(made["digest"], json!(digest(&text, "reviews|seal|state")));

    let mut work = by_id(&list(&scratch, KINDS[1], &[]), "W-001")["data"].clone();
    work["title"] = json!("Write the logs");
    work["state"] = json!("open");
    work.as_object_mut().unwrap().remove("id");
    assert_eq!(write(&scratch, &["new", "work"], &work)["id"], "W-003");

    let mut answer = by_id(&list(&scratch, KINDS[2], &[]), "slice-tier-01eb5382958d")["data"].clone();
    answer["id"] = json!("slice-tier-0123456789ab");
    let made = write(&scratch, &["new", KINDS[2]], &answer);
    assert!(made["path"].as_str().unwrap().starts_with("answers/slice-tier-0123456789ab"), "{made:#}");

    let mut contract = by_id(&list(&scratch, KINDS[4], &[]), "C-001")["data"].clone();
    contract["title"] = json!("Logs are kept");
    contract["checks"] = json!([]);
    contract.as_object_mut().unwrap().remove("id");
    let made = write(&scratch, &["new", KINDS[4], "--by", "ann"], &contract);
    assert_eq!(made["id"], "C-002");
    let approve = json!({ "state": "approved", "approved_by": "bob" });
    write(&scratch, &["amend", "C-002", "--kind", KINDS[4]], &approve);
    write(&scratch, &["amend", "C-002", "--kind", KINDS[4]], &json!({ "state": "retired" }));
    let retired = by_id(&list(&scratch, KINDS[4], &[]), "C-002");
    let text = scratch.read("design/contracts/C-002-logs-are-kept.md");
    let body = text.splitn(3, "---\n").nth(2).unwrap();
    assert_eq!(retired["data"]["closed_digest"], json!(whole_seal(retired["data"].clone(), body)));
    assert_eq!(retired["reasons"], json!([]));

    let driver = json!({ "schema": 1, "title": "Logs", "intent": "They can be read.", "members": ["C-002"] });
    assert_eq!(write(&scratch, &["new", KINDS[5]], &driver)["id"], "D-002");

    let evidence =
        json!({ "schema": 1, "contract": "C-002", "result": "pass", "n": 1.5, "text": "\u{fc} \"q\"" });
    let made = write(&scratch, &["new", KINDS[6]], &evidence);
    let path = made["path"].as_str().unwrap();
    assert_eq!(path, format!("design/evidence/{}.json", sha256sum(scratch.read(path).as_bytes())));
    assert_eq!(by_id(&list(&scratch, KINDS[6], &[]), made["id"].as_str().unwrap())["data"], evidence);
}

#[test]
fn a_session_is_held_and_its_decision_ratified_with_seals_that_anyone_can_check() {
    let Some(scratch) = reference() else { return };
    let signers = scratch.path(".chant/allowed_signers");
    let verify = |who: &str, namespace: &str, signature: &str, payload: &str| {
        let file = scratch.home().join("signature");
        fs::write(&file, signature).unwrap();
        let (signers, file) = (signers.to_str().unwrap(), file.to_str().unwrap());
        let args = ["-Y", "verify", "-f", signers, "-I", who, "-n", namespace, "-s", file];
        tool(&scratch.home(), "ssh-keygen", &args, payload.as_bytes());
    };
    let session = json!({
        "schema": 1, "title": "Second walk", "state": "open", "agenda": [{ "record": "ref-001" }],
        "attendance": [{ "principal": "ann", "class": "person" }], "opened": "2026-09-25T18:00:00Z", "closed": null,
        "verdicts": [],
    });
    write(&scratch, &["new", KINDS[3], "--prefix", "S"], &session);
    scratch.commit("session");
    let key = |name: &str| scratch.home().join(name).to_str().unwrap().to_owned();
    let decision = by_id(&list(&scratch, KINDS[0], &[]), "ref-001");
    assert_eq!(
        (&decision["attested"], &decision["warnings"][0]["code"]),
        (&json!(false), &json!("record-unattested"))
    );
    // The decider signs the record, and two others agree with it.
    write(&scratch, &["amend", "ref-001", "--kind", "decision", "--sign", &key("lex00")], &json!({}));
    for who in ["ann", "bob"] {
        let args = [
            "review",
            "ref-001",
            "--kind",
            "decision",
            "--verdict",
            "agree",
            "--by",
            who,
            "--session",
            "S-0002",
            "--sign",
            &key(who),
        ];
        write(&scratch, &args, &Value::Null);
    }
    let decision = by_id(&list(&scratch, KINDS[0], &[]), "ref-001");
    let digest = decision["digest"].as_str().unwrap();
    for (at, who) in ["ann", "bob"].into_iter().enumerate() {
        let entry = &decision["data"]["reviews"][at];
        let payload = format!("ref-001\n{digest}\nagree\n{who}\n{}", entry["on"].as_str().unwrap());
        verify(who, "chant-review", entry["seal"]["signature"].as_str().unwrap(), &payload);
        let shown = tool(&scratch.home(), "ssh-keygen", &["-l", "-f", &key(who)], b"");
        assert_eq!(entry["seal"]["key"], json!(shown.split(' ').nth(1).unwrap()));
        assert_eq!(entry["session"], "S-0002");
    }
    let seal = &decision["data"]["seal"];
    verify(
        "lex00",
        "chant-record",
        seal["signature"].as_str().unwrap(),
        &format!("ref-001\n{digest}\nlex00\ndecided"),
    );
    assert_eq!((&decision["attested"], &decision["quorum"]["met"]), (&json!(true), &json!(true)));

    // Unsigned, or signed with the key of another, a verdict counts for nothing.
    let unsigned = ["review", "ref-002", "--kind", "decision", "--verdict", "agree", "--by", "ann"];
    write(&scratch, &unsigned, &Value::Null);
    let reviewed = by_id(&list(&scratch, KINDS[0], &[]), "ref-002");
    assert_eq!(reviewed["quorum"]["notCounted"][0]["reason"]["code"], "review-unattested");

    let ratified =
        write(&scratch, &["amend", "ref-001", "--kind", "decision"], &json!({ "state": "ratified" }));
    assert_eq!(ratified["digest"], json!(digest));
    let decision = by_id(&list(&scratch, KINDS[0], &[]), "ref-001");
    assert_eq!((&decision["state"], &decision["reasons"]), (&json!("ratified"), &json!([])));

    let closed = write(&scratch, &["close", "S-0002"], &Value::Null);
    let sealed = by_id(&list(&scratch, KINDS[3], &[]), "S-0002");
    let text = scratch.read(closed["path"].as_str().unwrap());
    let body = text.splitn(3, "---\n").nth(2).unwrap();
    assert_eq!(sealed["data"]["closed_digest"], json!(whole_seal(sealed["data"].clone(), body)));
    assert_eq!(sealed["reasons"], json!([]));
    scratch.commit("closed");
    let since =
        scratch.run(&["chant", "workspace", "records", "--since", "S-0002", "--kind", KINDS[0], "--json"]);
    let since = published("records-since", &since.ok());
    assert_eq!(since["summary"]["verdict"], 3);
}

#[test]
fn the_fixtures_of_readers_and_writers_are_read() {
    for fixture in ["reader-fixture", "writer-fixture"] {
        let Some(shared) = data(fixture) else { return };
        let scratch = Scratch::repository();
        copy(&shared, &scratch.root());
        scratch.commit(fixture);
        let mut folders: Vec<PathBuf> = vec![scratch.root()];
        let mut read = 0;
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() && !path.ends_with(".git") {
                    folders.push(path);
                } else if path.to_str().unwrap().ends_with(".kind.mjs") {
                    let kind = path.strip_prefix(scratch.root()).unwrap().to_str().unwrap().to_owned();
                    for record in list(&scratch, &kind, &[])["records"].as_array().unwrap() {
                        assert_eq!(record["reasons"], json!([]), "{}", record["path"]);
                        read += 1;
                    }
                }
            }
        }
        assert!(read > 0, "{fixture}");
    }
}
