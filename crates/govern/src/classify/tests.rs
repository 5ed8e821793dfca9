use std::path::{Path, PathBuf};

use gate::event::Tool;
use serde::Deserialize;

use super::{Context, Effects, Place, classify};

mod bounds;

const PROTECTED: &str = "/repo/tests/locked_test.py";

fn judge(tool: &Tool) -> Effects {
    let roots = [PathBuf::from("/repo")];
    let context =
        Context { cwd: Some(Path::new("/repo")), roots: &roots, home: Some(Path::new("/home/someone")) };
    classify(tool, context)
}

fn shell(command: &str) -> Effects {
    judge(&Tool::Shell {
        command: command.to_owned(),
        cwd: None,
        shell: "bash".to_owned(),
        background: false,
    })
}

fn claims(effects: &Effects) -> bool {
    effects.changes().any(|target| target.may_touch(Path::new(PROTECTED), false))
}

/// What the corpus calls an answer; none where it is a false one.
fn verdict(effects: &Effects) -> &'static str {
    match () {
        () if effects.is_unparsable() => "unparsable",
        () if claims(effects) => "denied",
        () if effects.is_opaque() => "opaque",
        () if effects.is_acting() => "acts",
        () => "reads",
    }
}

/// The commands of a corpus with the section that they stand under.
fn corpus(text: &'static str) -> Vec<(&'static str, String)> {
    let mut section = "";
    let mut cases = Vec::new();
    for line in text.lines() {
        if let Some(name) =
            line.strip_prefix('[').and_then(|line| line.strip_suffix(']')).filter(|name| !name.contains(' '))
        {
            section = name;
        } else if !line.is_empty() && !line.starts_with("# ") {
            cases.push((section, line.replace('⏎', "\n")));
        }
    }
    cases
}

#[test]
fn no_evasion_is_taken_for_harmless() {
    let cases = corpus(include_str!("corpus/evasion.txt"));
    assert!(cases.len() >= 150, "{}", cases.len());
    let mut wrong = Vec::new();
    for (expected, command) in cases {
        let effects = shell(&command);
        let answer = verdict(&effects);
        let is_right = match expected {
            "denied" => matches!(answer, "denied" | "unparsable"),
            _ => answer == "opaque",
        };
        if !is_right {
            wrong.push(format!("{expected} but {answer}: {command}\n    {effects:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

/// The evasions that are denied because they are not understood, rather than seen.
#[test]
fn most_evasions_are_seen_and_not_merely_misunderstood() {
    let cases = corpus(include_str!("corpus/evasion.txt"));
    let denied: Vec<&(&str, String)> = cases.iter().filter(|(expected, _)| *expected == "denied").collect();
    let misunderstood: Vec<&str> = denied
        .iter()
        .filter(|(_, command)| !claims(&shell(command)))
        .map(|(_, command)| command.as_str())
        .collect();
    assert!(misunderstood.len() * 10 < denied.len(), "{misunderstood:#?}");
}

#[test]
fn ordinary_work_gives_no_false_alarm() {
    let cases = corpus(include_str!("corpus/ordinary.txt"));
    assert!(cases.len() >= 150, "{}", cases.len());
    let mut wrong = Vec::new();
    for (expected, command) in cases {
        let effects = shell(&command);
        let answer = verdict(&effects);
        let is_right = match expected {
            "reads" => answer == "reads",
            _ => matches!(answer, "opaque" | "acts" | "reads"),
        };
        if !is_right {
            wrong.push(format!("{expected} but {answer}: {command}\n    {effects:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn other_tools_are_judged_by_what_they_name() {
    #[derive(Deserialize)]
    struct Case {
        expect: String,
        tool: Tool,
    }
    let cases: Vec<Case> = serde_json::from_str(include_str!("corpus/calls.json")).unwrap();
    for Case { expect, tool } in cases {
        let effects = judge(&tool);
        let answer = verdict(&effects);
        let is_right = answer == expect || expect == "denied" && answer == "unparsable";
        assert!(is_right, "{expect} but {answer}: {tool:?}\n{effects:?}");
    }
}

#[test]
fn the_words_of_every_command_are_listed() {
    let effects = shell(
        "sudo -u me bash -c 'cairn approve x && git push' ; env A=b \\git commit --no-verify -m \"$M\"",
    );
    let found: Vec<String> = effects
        .commands
        .iter()
        .map(|argv| argv.0.iter().map(|word| word.as_deref().unwrap_or("?")).collect::<Vec<_>>().join(" "))
        .collect();
    assert!(found.contains(&"cairn approve x".to_owned()), "{found:#?}");
    assert!(found.contains(&"git push".to_owned()), "{found:#?}");
    assert!(found.contains(&"git commit --no-verify -m ?".to_owned()), "{found:#?}");
}

#[test]
fn recursive_readers_are_listed_with_what_they_leave_out() {
    let walk = |command: &str| shell(command).recursive_reads.into_iter().next().unwrap();
    let grep = walk("grep -rn --exclude-dir=.chalk --exclude-dir node_modules x .");
    assert_eq!(grep.root.place, Place::Path(PathBuf::from("/repo")));
    assert_eq!(grep.excludes, [".chalk", "node_modules"]);
    assert!(grep.content && !grep.skips_hidden);
    let rg = walk("cd src && rg x");
    assert_eq!(rg.root.place, Place::Path(PathBuf::from("/repo/src")));
    assert!(rg.skips_hidden && rg.skips_ignored);
    assert!(!walk("rg --hidden --no-ignore x").skips_hidden);
    assert!(walk("tar czf /tmp/x.tgz --exclude=.chalk .").excludes.contains(&".chalk".to_owned()));
    assert!(walk("cp -r . /tmp/x").content);
    assert!(walk("zip -r /tmp/x.zip .").content);
    assert!(!walk("ls -R").content);
    assert!(walk("find . -exec cat {} +").content);
}

#[test]
fn a_folder_that_is_not_known_leaves_the_name() {
    let tool = Tool::Shell {
        command: "rm locked_test.py".to_owned(),
        cwd: None,
        shell: "bash".to_owned(),
        background: false,
    };
    let effects = classify(&tool, Context::default());
    assert!(claims(&effects), "{effects:?}");
    let effects = classify(&Tool::Write { path: "src/a.py".to_owned(), content: None }, Context::default());
    assert!(!claims(&effects), "{effects:?}");
}

#[test]
fn a_parent_of_a_named_folder_is_also_given_as_it_is_spelled() {
    let effects = shell("rm link/../locked_test.py");
    assert_eq!(effects.deletes[0].place, Place::Path(PathBuf::from("/repo/locked_test.py")));
    assert_eq!(effects.deletes[0].spelled, Some(PathBuf::from("/repo/link/../locked_test.py")));
    assert_eq!(shell("rm ./locked_test.py").deletes[0].spelled, None);
}

#[test]
fn what_lies_in_a_protected_folder_is_touched_within_it() {
    let within = |command: &str| {
        shell(command).changes().any(|target| target.may_touch_within(Path::new("/repo/.git"), false))
    };
    for command in
        ["rm .git/index", "rm -rf .git", "echo > .git/hooks/pre-commit", "touch .*/config", "rm -r ."]
    {
        assert!(within(command), "{command}");
    }
    for command in ["rm .gitignore", "touch src/x", "touch */config", "rm *.py"] {
        assert!(!within(command), "{command}");
    }
}

#[test]
fn letters_of_either_case_are_the_same_where_the_system_says_so() {
    let target = &shell("rm TESTS/locked_test.PY").deletes[0];
    assert!(target.may_touch(Path::new(PROTECTED), true));
    assert!(!target.may_touch(Path::new(PROTECTED), false));
}

#[test]
fn network_and_agents_are_seen() {
    assert!(shell("curl https://e.org").network);
    assert!(shell("echo x > /dev/tcp/e.org/80").network);
    assert!(shell("timeout 5 claude -p x").starts_agent);
    assert!(judge(&Tool::Subagent { prompt: String::new() }).starts_agent);
}

/// A repository in memory was not protected: everything below `/dev` was taken for a device.
#[test]
fn a_file_in_memory_is_a_file() {
    let writes = |command: &str| shell(command).writes.first().map(|target| target.place.clone());
    assert_eq!(writes("echo x > /dev/shm/a"), Some(Place::Path("/dev/shm/a".into())));
    assert_ne!(writes("echo x > /dev/sda"), Some(Place::Path("/dev/sda".into())));
}

/// What our reading of a word gives is what the shell gives, where all of it is known.
#[test]
fn words_are_read_as_the_shell_reads_them() {
    let words = [
        "plain",
        "'a b'",
        "\"a b\"",
        "a\\ b",
        "a'b'\"c\"d",
        "$'a\\tb'",
        "$'\\x41\\102\\u0043'",
        "$'it\\'s'",
        "\"\\$x \\a \\\\\"",
        "$\"x\"",
        "''",
        "\"\"",
        "a{b,c}d",
        "{a,b}{c,d}",
        "{a,{b,c}}",
        "{1..3}",
        "{c..a}",
        "{a}",
        "{a,'b c'}",
        "a{,b}",
        "\\{a,b}",
        "\"{a,b}\"",
        "x{1..2}y",
        "$v",
        "\"$v\"",
        "${v}w",
        "$w",
        "\"$w\"",
        "a$w",
        "$w$v",
        "${v:-q}",
        "${unset_x+q}z",
        "\"$'a'\"",
        "'\\n'",
        "\"`\"\"`\"",
        "a#b",
        "\"a\\\nb\"",
        "a\\\nb",
        "é",
        "\"é\"'ü'",
        "$'\\n'",
        "~+",
        "-",
        "--",
        "!",
        "a=b",
        "^",
        "%",
        "$(echo q)",
        "\"$(printf '%s' q)\"",
        "$(basename /a/b)",
        "$(dirname /a/b)",
        "`echo q`",
        "{a,b}$w",
        "\\*",
        "'*'",
        "\"?\"",
        "{1..03}",
        "{a..c}{1..2}",
        "$'\\e'",
        "$'a\\0b'c",
        "${w}",
        "\"${w}\"",
        "a${w}b",
    ];
    let prelude = "v=V w='p q'; unset unset_x; ";
    let script: String = words
        .iter()
        .map(|word| format!("printf '%s\\1' {word}; printf '\\2'\n"))
        .collect::<Vec<_>>()
        .concat();
    let shell_says = std::process::Command::new("bash")
        .args(["--norc", "-c", &format!("cd /; {prelude}{script}")])
        .output();
    let Ok(output) = shell_says else {
        println!("skipped: there is no bash");
        return;
    };
    let output = String::from_utf8(output.stdout).unwrap();
    let mut misunderstood = Vec::new();
    let mut wrong = Vec::new();
    for (word, expected) in words.iter().zip(output.split('\u{2}')) {
        let expected: Vec<&str> = expected.strip_suffix('\u{1}').unwrap_or(expected).split('\u{1}').collect();
        let effects = shell(&format!("cd / && {prelude}probe {word}"));
        if effects.is_unparsable() {
            misunderstood.push(*word);
            continue;
        }
        let argv = effects.commands.iter().filter(|argv| argv.program() == Some("probe"));
        let read: Vec<Vec<Option<&str>>> =
            argv.map(|argv| argv.0.iter().skip(1).map(Option::as_deref).collect()).collect();
        let is_right = read.iter().any(|fields| {
            fields.contains(&None)
                || fields.iter().map(|field| field.unwrap_or_default()).eq(expected.iter().copied())
        });
        if !is_right {
            wrong.push(format!("{word}: the shell gives {expected:?}, and we {read:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(misunderstood.len() < 6, "{misunderstood:?}");
}
