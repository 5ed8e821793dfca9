//! The harness against subjects that are honest, that lie, and that break down.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::time::{Duration, Instant};

use conformance::{Class, Corpus, Level, Options, Problem, Report, Subject, codes, run};
use gate::{Refusal, Silent};
use store::Env;

/// Three vectors: `echo` gives back a text, `deny` denies, `later` is of a contract of its own.
const VECTORS: &str = r#"{"family":"x","about":"","vectors":[
  {"id":"X-1","version":1,"contract":"x","title":"echo","mark":"stated","level":"core","requires":["echo"],
   "steps":[{"op":"echo","text":"a"}],"expect":{"outputs":[{"text":"a"}]}},
  {"id":"X-2","version":1,"contract":"x","title":"deny","mark":"stated","level":"core","requires":["deny"],"denies":true,
   "steps":[{"op":"deny"}],"expect":{"outputs":[{"decision":"deny"}]}},
  {"id":"X-3","version":1,"contract":"x","title":"later","mark":"stated","level":"extended","requires":["later"],
   "allow":["specified-not-implemented"],"steps":[{"op":"later"}],"expect":{"outputs":[{"n":1}]}}
]}"#;

const SAYS: &str = r#"{"protocol":1,"name":"script","version":"1","capabilities":["echo","deny"],"specifiedNotImplemented":["later"],"levels":["core"],"sabotage":true}"#;

const ECHO: &str = r#"printf '{"id":"%s","status":"done","outputs":[{"text":"a"}]}\n' "$id""#;
const DENY: &str = r#"printf '{"id":"%s","status":"done","outputs":[{"decision":"deny"}]}\n' "$id""#;
const ALLOW: &str = r#"printf '{"id":"%s","status":"done","outputs":[{"decision":"allow"}]}\n' "$id""#;
const LATER: &str = r#"printf '{"id":"%s","status":"specified-not-implemented"}\n' "$id""#;

/// A subject that is a shell script, by what it does on each operation.
struct Script {
    folder: tempfile::TempDir,
    says: String,
    echo: String,
    deny: String,
    later: String,
    end: String,
}

impl Script {
    fn honest() -> Self {
        let deny = format!("if [ \"$1\" = --sabotage ]; then {ALLOW}; else {DENY}; fi");
        Self {
            folder: tempfile::tempdir().unwrap(),
            says: SAYS.to_owned(),
            echo: ECHO.to_owned(),
            deny,
            later: LATER.to_owned(),
            end: "exit 0".to_owned(),
        }
    }

    fn options(&self) -> Options {
        Options {
            level: None,
            family: None,
            repeat: 3,
            fresh: 1,
            sabotage: false,
            deadline: Duration::from_secs(20),
            jobs: 1,
            scratch: self.folder.path().to_owned(),
        }
    }

    fn subject(&self) -> Subject {
        let Self { says, echo, deny, later, end, .. } = self;
        let text = format!(
            "if [ \"$1\" = --capabilities ]; then printf '%s\\n' '{says}'; exit 0; fi\n\
             n=0\n\
             while IFS= read -r line; do\n\
             n=$((n+1))\n\
             id=${{line#*'\"id\":\"'}}; id=${{id%%'\"'*}}\n\
             case \"$line\" in\n\
             *'\"op\":\"echo\"'*) {echo} ;;\n\
             *'\"op\":\"deny\"'*) {deny} ;;\n\
             *) {later} ;;\n\
             esac\n\
             done\n\
             {end}\n"
        );
        let path = self.folder.path().join("subject.sh");
        fs::write(&path, text).unwrap();
        Subject {
            argv: vec!["/bin/sh".into(), path.into_os_string()],
            dir: self.folder.path().to_owned(),
            env: [("PATH", "/usr/bin:/bin")].into_iter().collect::<Env>(),
        }
    }

    fn try_run(&self, options: &Options) -> Result<Report, Refusal> {
        let corpus = Corpus::read([("x", VECTORS.as_bytes())]).unwrap();
        run(&corpus, &self.subject(), options, &Silent)
    }

    fn run(&self) -> Report {
        self.try_run(&self.options()).unwrap()
    }
}

fn class(report: &Report, id: &str) -> Class {
    report.vectors.iter().find(|one| one.id == id).unwrap().class
}

fn problem(report: &Report, id: &str) -> String {
    report.vectors.iter().find(|one| one.id == id).unwrap().problem.clone().unwrap_or_default()
}

#[test]
fn an_honest_subject_holds_its_level() {
    let report = Script::honest().run();
    assert!(report.ok, "{report:#?}");
    assert_eq!(class(&report, "X-3"), Class::SpecifiedNotImplemented);
    assert_eq!(report.vectors[0].runs, 4);
    let held: Vec<(Level, bool)> = report.levels.iter().map(|level| (level.level, level.holds)).collect();
    assert_eq!(held, [(Level::Core, true), (Level::Extended, true), (Level::Full, true)]);
    assert!(report.subject.files.contains_key("subject.sh"), "{:?}", report.subject.files);
    assert!(report.control.is_none());
}

#[test]
fn whoever_answers_what_it_does_not_claim_is_refused() {
    let mut script = Script::honest();
    script.says = SAYS.replace(r#","deny"],"#, "],");
    let report = script.run();
    assert_eq!(class(&report, "X-2"), Class::Fail);
    assert!(problem(&report, "X-2").contains("without claiming"), "{}", problem(&report, "X-2"));
    assert!(report.problems.contains(&Problem::Dishonest) && !report.ok);
    assert!(report.levels.iter().all(|level| !level.holds), "no level holds for who lies");
}

#[test]
fn whoever_claims_what_it_does_not_answer_fails() {
    let mut script = Script::honest();
    script.deny = r#"printf '{"id":"%s","status":"unsupported"}\n' "$id""#.to_owned();
    let report = script.run();
    assert_eq!(class(&report, "X-2"), Class::Fail);
    assert!(report.problems.contains(&Problem::Dishonest));
    assert!(report.problems.contains(&Problem::ClaimsTooMuch));
    let mut script = Script::honest();
    script.says = SAYS.replace(r#"["later"]"#, "[]");
    let report = script.run();
    assert_eq!(class(&report, "X-3"), Class::Fail, "what is not declared beforehand is no excuse");
}

#[test]
fn a_level_that_is_claimed_and_does_not_hold_is_named() {
    let mut script = Script::honest();
    script.deny = ALLOW.to_owned();
    let report = script.run();
    assert_eq!(report.problems, [Problem::ClaimsTooMuch]);
    assert_eq!(report.levels[0].missing, ["X-2"]);
    assert_eq!(
        problem(&report, "X-2"),
        r#"output 1 is {"decision":"allow"}, expected is {"decision":"deny"}"#
    );
}

#[test]
fn a_crash_is_an_error_and_the_rest_goes_on() {
    let mut script = Script::honest();
    script.deny = "echo out of memory >&2; exit 3".to_owned();
    let report = script.run();
    assert_eq!(class(&report, "X-2"), Class::Error);
    let why = problem(&report, "X-2");
    assert!(why.contains("ended without an answer") && why.contains("out of memory"), "{why}");
    assert_eq!((class(&report, "X-1"), class(&report, "X-3")), (Class::Pass, Class::SpecifiedNotImplemented));
    assert!(!report.ok && report.count.error == 1);
}

#[test]
fn a_hang_is_an_error_after_the_deadline() {
    let mut script = Script::honest();
    script.deny = "sleep 600".to_owned();
    let begun = Instant::now();
    let options = Options { deadline: Duration::from_millis(700), ..script.options() };
    let report = script.try_run(&options).unwrap();
    assert_eq!(class(&report, "X-2"), Class::Error);
    assert!(problem(&report, "X-2").contains("no answer came within 700 ms"));
    assert!(begun.elapsed() < Duration::from_mins(1), "it was sent once, and its process was stopped");
    assert_eq!(class(&report, "X-1"), Class::Pass);
}

#[test]
fn what_breaks_the_protocol_is_an_error() {
    for (answer, what) in [
        (r#"printf '{"id":"%s","id":"x","status":"done"}\n' "$id""#, "repeats"),
        (r#"printf '{"id":"%s","status":"done","outputs":[],"note":1}\n' "$id""#, "unknown field"),
        (r#"printf '{"id":"1","status":"done","outputs":[{"text":"a"}]}\n'"#, "its answer is to `1`"),
        ("echo hello", "none that the protocol knows"),
        ("printf half; exit 0", "in the middle of a line"),
    ] {
        let mut script = Script::honest();
        script.echo = answer.to_owned();
        let report = script.run();
        assert_eq!(class(&report, "X-1"), Class::Error, "{answer}");
        assert!(problem(&report, "X-1").contains(what), "{}", problem(&report, "X-1"));
    }
}

#[test]
fn an_answer_that_changes_fails() {
    for (text, when) in [
        // The second time in one process.
        ("$(if [ $n -gt 3 ]; then echo b; else echo a; fi)", "at time 2"),
        // In another time zone, language, home and mask.
        ("${TZ:+b}${TZ:-a}", "in a fresh process (TZ=Pacific/Kiritimati"),
        ("$(case $HOME in */home-0) echo b;; *) echo a;; esac)", "in a fresh process"),
        ("$(if [ $(umask) = 0077 ]; then echo b; else echo a; fi)", "in a fresh process"),
    ] {
        let mut script = Script::honest();
        script.echo =
            format!(r#"printf '{{"id":"%s","status":"done","outputs":[{{"text":"%s"}}]}}\n' "$id" "{text}""#);
        let report = script.run();
        assert_eq!(class(&report, "X-1"), Class::Fail, "{text}");
        let why = problem(&report, "X-1");
        assert!(why.starts_with(when) && why.contains("it answered otherwise"), "{text}: {why}");
    }
}

#[test]
fn a_vector_that_passes_with_the_gates_off_proves_nothing() {
    let script = Script::honest();
    let sabotaged = Options { sabotage: true, ..script.options() };
    let control = script.try_run(&sabotaged).unwrap();
    assert!(control.ok && control.levels.is_empty());
    assert_eq!(control.control.unwrap().failed, 1);
    let mut script = Script::honest();
    script.deny = DENY.to_owned();
    let report = script.try_run(&sabotaged).unwrap();
    assert!(!report.ok);
    assert_eq!(report.control.unwrap().unproved, ["X-2"]);
    script.says = SAYS.replace(",\"sabotage\":true", "");
    assert_eq!(script.try_run(&sabotaged).unwrap_err().code, codes::NO_CONTROL);
}

#[test]
fn who_does_not_end_or_says_too_much_is_named() {
    for end in ["echo more", "exit 4", "sleep 600"] {
        let mut script = Script::honest();
        script.end = end.to_owned();
        let options = Options { deadline: Duration::from_millis(1500), ..script.options() };
        let report = script.try_run(&options).unwrap();
        assert_eq!(report.problems, [Problem::Ending], "{end}");
        assert!(!report.ok);
    }
}

#[test]
fn a_subject_that_can_not_be_asked_is_refused() {
    let script = Script::honest();
    let refused = |subject: &Subject| {
        let corpus = Corpus::read([("x", VECTORS.as_bytes())]).unwrap();
        run(&corpus, subject, &script.options(), &Silent).unwrap_err()
    };
    let none = Subject { argv: vec!["no-such-program".into()], ..script.subject() };
    let refusal = refused(&none);
    assert_eq!(
        (refusal.code, refusal.message.as_str()),
        (codes::NO_SUBJECT, "`no-such-program` is not found")
    );
    for (says, what) in [
        (SAYS.replace("\"protocol\":1", "\"protocol\":2"), "speaks protocol 2"),
        (SAYS.replace("\"later\"]", "\"echo\"]"), "claims `echo` and declares"),
        ("hello".to_owned(), "line 1"),
        (SAYS.replace("\"name\":\"script\",", ""), "missing field `name`"),
    ] {
        let mut script = Script::honest();
        script.says = says;
        let refusal = refused(&script.subject());
        assert_eq!(refusal.code, codes::HANDSHAKE);
        assert!(refusal.message.contains(what), "{}", refusal.message);
    }
    let options = Options { family: Some("y".to_owned()), ..script.options() };
    assert_eq!(script.try_run(&options).unwrap_err().code, codes::UNKNOWN_FAMILY);
}
