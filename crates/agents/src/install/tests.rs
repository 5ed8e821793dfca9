use canon::jsonc::{Dialect, Document, Editor};
use serde_json::{Value, json};

use super::*;
use crate::codes;

const PROGRAM: &str = "/opt/my tools/cairn";

const INSTALLABLE: [AgentId; 12] = [
    AgentId::Claude,
    AgentId::Codex,
    AgentId::Gemini,
    AgentId::Antigravity,
    AgentId::Cursor,
    AgentId::Copilot,
    AgentId::Grok,
    AgentId::VsCode,
    AgentId::Droid,
    AgentId::Qwen,
    AgentId::OpenCode,
    AgentId::OpenCode2,
];

fn every_target() -> Vec<Target> {
    let scopes = [Scope::Private, Scope::Shared];
    scopes
        .iter()
        .flat_map(|scope| INSTALLABLE.iter().flat_map(|agent| targets(*agent, *scope).unwrap()))
        .collect()
}

/// The files of private installations with settings of others in them.
fn mixed_targets() -> Vec<Target> {
    let targets = every_target().into_iter().filter(|target| target.scope == Scope::Private);
    targets.filter(|target| !matches!(target.kind, Kind::Bridge { .. })).collect()
}

fn only(agent: AgentId, scope: Scope) -> Target {
    let mut targets = targets(agent, scope).unwrap();
    assert_eq!(targets.len(), 1);
    targets.remove(0)
}

fn install(target: &Target, existing: Option<&[u8]>) -> (Vec<u8>, Undo) {
    let edit = plan_install(target, existing, PROGRAM, None).unwrap();
    assert!(edit.is_change() && !edit.diff.is_empty(), "{}", target.path);
    (edit.after.unwrap(), edit.undo.unwrap())
}

fn value(bytes: &[u8]) -> Value {
    Document::parse(bytes, Dialect::Comments).unwrap().root().to_value()
}

fn state(target: &Target, bytes: &[u8]) -> State {
    status(target, Some(bytes), PROGRAM, &|_| true).state
}

/// A list that foreign entries stand in, and such an entry.
fn foreign(target: &Target) -> (Vec<&'static str>, Value) {
    let group = json!({ "hooks": [{ "type": "command", "command": "other guard" }] });
    match target.agent {
        AgentId::Gemini => (vec!["hooks", "BeforeTool"], group),
        AgentId::Antigravity => (vec!["mine", "PreToolUse"], group),
        AgentId::Cursor => (vec!["hooks", "preToolUse"], json!({ "command": "other guard" })),
        AgentId::Copilot => {
            (vec!["hooks", "preToolUse"], json!({ "type": "command", "bash": "other guard" }))
        }
        AgentId::VsCode => {
            (vec!["hooks", "PreToolUse"], json!({ "type": "command", "command": "other guard" }))
        }
        AgentId::Droid => (vec!["PreToolUse"], group),
        AgentId::OpenCode2 => (vec!["plugins"], json!("./other.js")),
        _ => (vec!["hooks", "PreToolUse"], group),
    }
}

/// Settings that others wrote, in the ways in which people write.
fn settings(target: &Target) -> Vec<String> {
    let (keys, entry) = foreign(target);
    let nested = |inner: Value| keys.iter().rev().fold(inner, |inner, key| json!({ *key: inner }));
    let mut hooked = nested(json!([entry]));
    hooked["version"] = json!(1);
    hooked["env"] = json!({ "KEY": "1", "deep": [[], {}] });
    let pretty = format!("{hooked:#}\n");
    let tabs = pretty.replace("  ", "\t");
    vec![
        "{\n  \"env\": {}\n}\n".to_owned(),
        "{\"env\":{}}".to_owned(),
        "{ \"env\": {} }\n".to_owned(),
        pretty.clone(),
        tabs.clone(),
        tabs.replace('\n', "\r\n"),
        format!("\u{feff}{pretty}"),
        hooked.to_string(),
        format!("// mine\n{}/* end */", pretty.replace("\"env\"", "// the environment\n  \"env\"")),
        pretty.replace("\n}\n", ", // last\n  // end\n}\n"),
        pretty.replace("\n}\n", "/* , */\n  // end }\n}\n"),
        pretty.trim_end().to_owned(),
    ]
}

/// Settings whose lists and objects are there and empty, which only an [`Undo`] remembers.
fn hollow(target: &Target) -> Vec<String> {
    let (keys, _) = foreign(target);
    let first = keys[0];
    let empty = if keys.len() == 1 { "[]" } else { "{}" };
    let inner =
        if keys.len() == 1 { "[ /* none */ ]".to_owned() } else { format!("{{ \"{}\": [\n  ] }}", keys[1]) };
    vec![
        String::new(),
        " \n".to_owned(),
        "\u{feff}".to_owned(),
        "{}".to_owned(),
        "{ }\n".to_owned(),
        "{\r\n}\r\n".to_owned(),
        format!("{{ \"{first}\": {empty}, \"a\": 1 }}"),
        format!("{{\n  \"{first}\": {inner}\n}}"),
    ]
}

#[test]
fn what_was_installed_goes_without_a_trace() {
    for target in mixed_targets() {
        for text in settings(&target) {
            let before = text.as_bytes();
            let (after, undo) = install(&target, Some(before));
            assert_eq!(state(&target, &after), State::Installed, "{}\n{text}", target.path);
            // Whose version it is, where no hooks stand beside it, is only known from the undo.
            let by_itself = !undo.made.iter().any(|made| made == "/version");
            for known in [Some(&undo), None].into_iter().filter(|known| known.is_some() || by_itself) {
                let again = plan_install(&target, Some(&after), PROGRAM, known).unwrap();
                assert!(!again.is_change() && again.diff.is_empty(), "{}\n{text}", target.path);
                let gone = plan_uninstall(&target, Some(&after), known).unwrap().after.unwrap();
                assert_eq!(String::from_utf8(gone).unwrap(), text, "{} {known:?}", target.path);
            }
        }
        for text in hollow(&target) {
            let (after, undo) = install(&target, Some(text.as_bytes()));
            assert_eq!(state(&target, &after), State::Installed, "{}\n{text}", target.path);
            let undo: Undo = serde_json::from_str(&serde_json::to_string(&undo).unwrap()).unwrap();
            let gone = plan_uninstall(&target, Some(&after), Some(&undo)).unwrap().after.unwrap();
            assert_eq!(String::from_utf8(gone).unwrap(), text, "{}", target.path);
        }
    }
}

#[test]
fn a_file_made_for_it_goes_with_it() {
    for target in every_target() {
        let (after, undo) = install(&target, None);
        assert!(after.ends_with(b"\n") && state(&target, &after) == State::Installed, "{}", target.path);
        for known in [Some(&undo), None] {
            let edit = plan_uninstall(&target, Some(&after), known).unwrap();
            assert_eq!((edit.after, edit.undo), (None, None), "{}", target.path);
        }
        assert!(!plan_uninstall(&target, None, Some(&undo)).unwrap().is_change());
    }
}

#[test]
fn entries_that_others_added_meanwhile_stay() {
    let add = |target: &Target, text: &str, times: usize| {
        let (keys, entry) = foreign(target);
        let mut editor = Editor::new(text).unwrap();
        for _ in 0..times {
            for depth in 1..=keys.len() {
                let at = |keys: &[&str]| keys.iter().fold(String::new(), |at, key| format!("{at}/{key}"));
                let empty = if depth == keys.len() { json!([]) } else { json!({}) };
                editor.insert(&at(&keys[..depth - 1]), keys[depth - 1], &empty);
            }
            assert!(editor.push(&format!("/{}", keys.join("/")), &entry));
        }
        assert!(editor.insert("", "later", &json!({ "a": [1] })));
        editor.into_text()
    };
    for target in mixed_targets() {
        for text in settings(&target).into_iter().skip(3) {
            let (after, undo) = install(&target, Some(text.as_bytes()));
            let changed = add(&target, std::str::from_utf8(&after).unwrap(), 2);
            let gone = plan_uninstall(&target, Some(changed.as_bytes()), Some(&undo)).unwrap().after.unwrap();
            assert_eq!(String::from_utf8(gone).unwrap(), add(&target, &text, 2), "{}", target.path);
        }
        for existing in [None, Some("{}"), Some("")] {
            let (after, undo) = install(&target, existing.map(str::as_bytes));
            let changed = add(&target, std::str::from_utf8(&after).unwrap(), 1);
            let gone = plan_uninstall(&target, Some(changed.as_bytes()), Some(&undo)).unwrap().after.unwrap();
            let mut expected = value(add(&target, "{}", 1).as_bytes());
            if value(&gone).get("version").is_some() {
                expected["version"] = json!(1);
            }
            assert_eq!(value(&gone), expected, "{}", target.path);
        }
    }
}

#[test]
fn the_published_entries_are_written() {
    let find = |target: &Target, at: &str| {
        let edit = plan_install(target, None, "/abs/cairn", None).unwrap();
        value(&edit.after.unwrap()).pointer(at).cloned().unwrap().to_string()
    };
    let private = |agent| only(agent, Scope::Private);
    assert_eq!(
        find(&private(AgentId::Claude), "/hooks/PreToolUse"),
        r#"[{"matcher":"*","hooks":[{"type":"command","command":"/abs/cairn","args":["hook","claude","pre-tool"],"timeout":5,"onFailure":"block"}]}]"#
    );
    assert_eq!(
        find(&private(AgentId::Codex), "/hooks/PreToolUse"),
        r#"[{"hooks":[{"type":"command","command":"/abs/cairn hook codex pre-tool","timeout":5}]}]"#
    );
    assert_eq!(
        find(&private(AgentId::Gemini), "/hooks/BeforeTool"),
        r#"[{"matcher":"*","hooks":[{"type":"command","command":"/abs/cairn hook gemini pre-tool","timeout":5000}]}]"#
    );
    assert_eq!(
        find(&private(AgentId::Cursor), "/hooks/preToolUse"),
        r#"[{"command":"/abs/cairn hook cursor pre-tool-first","timeout":5,"failClosed":true}]"#
    );
    assert_eq!(
        find(&private(AgentId::Cursor), "/hooks/beforeShellExecution"),
        r#"[{"command":"/abs/cairn hook cursor beforeShellExecution","timeout":5,"failClosed":true}]"#
    );
    assert_eq!(
        find(&private(AgentId::VsCode), "/hooks/PreToolUse"),
        r#"[{"type":"command","command":"/abs/cairn hook vscode pre-tool","timeout":5}]"#
    );
    assert_eq!(
        find(&private(AgentId::Droid), "/PreToolUse"),
        r#"[{"hooks":[{"type":"command","command":"/abs/cairn hook droid pre-tool","timeout":5}]}]"#
    );
    assert_eq!(
        find(&private(AgentId::Qwen), "/hooks/PreToolUse"),
        r#"[{"matcher":"*","hooks":[{"type":"command","command":"/abs/cairn hook qwen pre-tool"}]}]"#
    );
    assert_eq!(
        find(&private(AgentId::Copilot), "/hooks/preToolUse"),
        r#"[{"type":"command","bash":"/abs/cairn hook copilot pre-tool","timeoutSec":10}]"#
    );
    assert_eq!(
        find(&private(AgentId::Antigravity), "/cairn/Stop"),
        r#"[{"type":"command","command":"/abs/cairn hook antigravity stop","timeout":30}]"#
    );
    assert_eq!(find(&private(AgentId::Cursor), "/version"), "1");
}

#[test]
fn every_event_that_is_installed_is_one_of_the_agent() {
    for target in every_target() {
        let Kind::Hooks(form) = target.kind else { continue };
        let document = value(&install(&target, None).0);
        let events = form.parent.map_or(&document, |parent| &document[parent]);
        for (event, entry) in events.as_object().unwrap() {
            let point = target.agent.point(event).unwrap_or_else(|| panic!("{}: {event}", target.agent));
            let text = entry.to_string();
            let words = [
                "pre-tool",
                "pre-tool-first",
                "beforeShellExecution",
                "beforeMCPExecution",
                "post-tool",
                "prompt",
                "stop",
                "afterAgentResponse",
                "session-start",
                "session-end",
                "compact",
            ];
            let word = words.into_iter().find(|word| text.contains(&format!("{word}\""))).unwrap();
            assert_eq!(target.agent.point(word).unwrap().moment, point.moment, "{event}: {text}");
        }
    }
}

#[test]
fn a_shared_installation_names_no_persons_path() {
    for target in every_target().iter().filter(|target| target.scope == Scope::Shared) {
        let (after, _) = install(target, None);
        assert!(
            target.base == Base::Project && !String::from_utf8(after).unwrap().contains("/opt"),
            "{}",
            target.path
        );
    }
}

#[test]
fn programs_with_odd_names_are_found_again() {
    for program in
        ["/opt/it's here/cairn", "C:\\Program Files\\cairn.exe", "C:\\cairn\\cairn.exe", "/a/cairn"]
    {
        for agent in INSTALLABLE {
            for target in targets(agent, Scope::Private).unwrap() {
                let edit = plan_install(&target, None, program, None).unwrap();
                let after = edit.after.unwrap();
                assert!(!String::from_utf8_lossy(&after).contains("cairn.exe hook claude"), "{agent}");
                let now = status(&target, Some(&after), program, &|_| true);
                assert_eq!(now.state, State::Installed, "{agent} {program}: {now:?}");
                assert_eq!(
                    plan_uninstall(&target, Some(&after), None).unwrap().after,
                    None,
                    "{agent} {program}"
                );
            }
        }
    }
}

#[test]
fn status_names_what_is_wrong_and_the_cure() {
    let target = only(AgentId::Claude, Scope::Private);
    let (after, _) = install(&target, Some(b"{\"a\": 1}"));
    let text = String::from_utf8(after).unwrap();
    let of = |text: &str, runs: bool| status(&target, Some(text.as_bytes()), PROGRAM, &|_| runs);
    assert_eq!(status(&target, None, PROGRAM, &|_| true).state, State::Absent);
    assert_eq!(of("{ \"hooks\": {} }", true).state, State::Absent);
    let now = of(&text, true);
    assert_eq!((now.state, now.cure, now.program.as_deref()), (State::Installed, None, Some(PROGRAM)));

    let broken = of(&text, false);
    assert_eq!((broken.state, broken.cure.as_deref()), (State::Broken, Some("cairn hook install claude")));
    let moved = status(&target, Some(text.as_bytes()), "/new/cairn", &|_| true);
    assert_eq!(moved.state, State::Stale);
    assert!(moved.problems[0].contains("not `/new/cairn`"), "{moved:?}");
    let older = text.replace(",\"onFailure\":\"block\"", "");
    assert_eq!(of(&older, true).state, State::Stale, "{older}");
    let partly = text.replace("\"Stop\"", "\"SubagentStop\"");
    assert!(of(&partly, true).problems.iter().any(|problem| problem == "`Stop` is missing"));
    let off = text.replace("\"a\": 1", "\"disableAllHooks\": true");
    assert_eq!(of(&off, true).state, State::Off);
    let damaged = of("{\n  \"hooks\": {,}\n}", true);
    assert_eq!(damaged.state, State::Damaged);
    assert!(damaged.problems[0].starts_with("line 2"), "{damaged:?}");

    let mut editor = Editor::new(text.clone()).unwrap();
    let wrapped =
        json!({ "hooks": [{ "type": "command", "command": "sh -c 'cairn hook claude pre-tool'" }] });
    assert!(editor.push("/hooks/PreToolUse", &wrapped));
    let doubled = of(&editor.into_text(), true);
    assert!(doubled.problems[0].contains("judged twice") && doubled.cure.is_some(), "{doubled:?}");
    assert!(serde_json::to_value(schemars::schema_for!(Status)).is_ok());
}

#[test]
fn an_installation_that_is_not_as_it_should_be_is_replaced() {
    for target in every_target() {
        for text in [None, Some("{\n  \"env\": {}\n}\n"), Some("{}")] {
            if text.is_some() && matches!(target.kind, Kind::Bridge { .. }) {
                continue;
            }
            let before = text.map(str::as_bytes);
            let old = plan_install(&target, before, "/old/cairn", None).unwrap();
            let stale = old.after.unwrap();
            let new = plan_install(&target, Some(&stale), PROGRAM, old.undo.as_ref()).unwrap();
            let after = new.after.unwrap();
            assert_eq!(after, install(&target, before).0, "{}", target.path);
            let undo = new.undo.or(old.undo);
            let gone = plan_uninstall(&target, Some(&after), undo.as_ref()).unwrap().after;
            assert_eq!(gone.as_deref(), before, "{} {text:?}", target.path);
        }
    }
    let target = only(AgentId::Claude, Scope::Shared);
    let twice = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"cairn hook claude stop"},{"type":"command","command":"cairn","args":["hook","claude"]}]}]}}"#;
    assert!(
        status(&target, Some(twice.as_bytes()), PROGRAM, &|_| true)
            .problems
            .iter()
            .any(|p| p.contains("2 times"))
    );
    let after = plan_install(&target, Some(twice.as_bytes()), PROGRAM, None).unwrap().after.unwrap();
    assert_eq!(state(&target, &after), State::Installed);
}

#[test]
fn settings_that_can_not_be_read_are_refused() {
    let target = only(AgentId::Claude, Scope::Private);
    let refused = |bytes: &[u8]| plan_install(&target, Some(bytes), PROGRAM, None).unwrap_err();
    for bytes in [&b"{"[..], b"{\"a\":1,\"a\":2}", b"{\"a\":\"\xff\"}", b"{} {}"] {
        let refusal = refused(bytes);
        assert_eq!(refusal.code, codes::SETTINGS_UNREADABLE);
        assert!(refusal.at.is_some_and(|at| at.line == Some(1)) && refusal.hint.is_some());
        assert!(plan_uninstall(&target, Some(bytes), None).is_err());
    }
    for bytes in [&b"[]"[..], b"7", b"{\"hooks\":[]}", b"{\n\"hooks\":{\"Stop\":{}}}", b"{\"hooks\":\"x\"}"] {
        let refusal = refused(bytes);
        assert_eq!(refusal.code, codes::SETTINGS_SHAPE, "{refusal:?}");
        assert!(refusal.at.is_some() && refusal.next.is_some());
    }
    let bridge = only(AgentId::OpenCode, Scope::Private);
    let foreign = plan_install(&bridge, Some(b"export const Mine = 1"), PROGRAM, None).unwrap_err();
    assert_eq!(foreign.code, codes::SETTINGS_FOREIGN);
    assert!(!plan_uninstall(&bridge, Some(b"export const Mine = 1"), None).unwrap().is_change());
    for agent in AgentId::ALL.into_iter().filter(|agent| !INSTALLABLE.contains(agent)) {
        let refusal = targets(agent, Scope::Private).unwrap_err();
        assert!(refusal.code == codes::NOT_INSTALLABLE && refusal.hint.is_some());
    }
}

#[test]
fn the_diff_shows_what_changes() {
    let target = only(AgentId::Claude, Scope::Private);
    let edit = plan_install(&target, Some(b"{\n  \"env\": {}\n}\n"), PROGRAM, None).unwrap();
    assert!(
        edit.diff
            .starts_with("--- a/.claude/settings.local.json\n+++ b/.claude/settings.local.json\n@@ -1,3 +1,")
    );
    assert!(edit.diff.contains("-  \"env\": {}\n+  \"env\": {},\n+  \"hooks\": {\n"));
    let made = plan_install(&target, None, PROGRAM, None).unwrap().diff;
    assert!(made.starts_with("--- /dev/null\n") && made.contains("@@ -0,0 +1,"), "{made}");
}

/// What an installation runs at an event is found again in what it wrote.
#[test]
fn the_installed_call_is_read_from_the_settings() {
    for agent in AgentId::ALL {
        for scope in [Scope::Private, Scope::Shared] {
            let Ok(targets) = targets(agent, scope) else { continue };
            let calls: Vec<Vec<String>> = targets
                .iter()
                .filter_map(|target| {
                    let edit = plan_install(target, None, "/opt/cairn", None).unwrap();
                    installed_call(target, &edit.after.unwrap(), "pre-tool")
                })
                .collect();
            let program = if scope == Scope::Shared { SHARED_PROGRAM } else { "/opt/cairn" };
            let word = if agent == AgentId::Cursor { "pre-tool-first" } else { "pre-tool" };
            assert_eq!(calls, [[program, "hook", agent.as_str(), word]], "{agent} {scope:?}");
        }
    }
    let target = &targets(AgentId::Claude, Scope::Shared).unwrap()[0];
    let foreign = br#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"other hook claude pre-tool"}]}]}}"#;
    assert_eq!(installed_call(target, foreign, "pre-tool"), None);
    assert_eq!(installed_call(target, b"{", "pre-tool"), None);
}
