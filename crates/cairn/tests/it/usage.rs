//! The command line itself: names, versions, help, and what is not offered.

use std::fmt::Write as _;

use crate::scratch::Scratch;

#[test]
fn versions_are_printed_as_published() {
    let scratch = Scratch::empty();
    assert_eq!(scratch.run(&["chalk", "version"]).ok().out, "chalk/0\n");
    for flag in ["--version", "-v"] {
        assert!(scratch.run(&["chalk", flag]).ok().out.starts_with("chalk 0."));
        assert!(scratch.run(&["/usr/local/bin/cairn", flag]).ok().out.starts_with("cairn 0."));
    }
}

#[test]
fn no_command_and_help_print_usage() {
    let scratch = Scratch::empty();
    for args in [&["chalk"][..], &["chalk", "help"], &["chalk", "--help"], &["cairn"], &["cairn", "chalk"]] {
        let ran = scratch.run(args).ok();
        assert!(ran.out.contains("amend-spec"), "{args:?}: {}", ran.out);
    }
    assert!(scratch.run(&["chalk", "spec", "--help"]).ok().out.contains("--criterion"));
}

/// A program that asks with `--json` was given text.
#[test]
fn help_is_a_document_where_one_is_asked_for() {
    let scratch = Scratch::empty();
    let help = |args: &[&str]| {
        let ran = scratch.run(args).ok();
        assert!(ran.err.is_empty());
        ran.json()
    };
    insta::assert_snapshot!(canon::json::pretty(&help(&["chalk", "block", "--help", "--json"])), @r#"
    {
      "command": "chalk block",
      "about": "Block a task on something outside of it",
      "usage": "chalk block [OPTIONS] --needs <NEEDS> --reason <TEXT> <ID>",
      "arguments": [
        {
          "name": "ID",
          "help": "The task: its id or the beginning of it",
          "required": true,
          "repeatable": false
        }
      ],
      "options": [
        {
          "name": "--needs",
          "value": "NEEDS",
          "values": [
            "creds",
            "decision",
            "human-input",
            "upstream",
            "review"
          ],
          "help": "What it needs",
          "required": true,
          "repeatable": false
        },
        {
          "name": "--reason",
          "aliases": [
            "--why"
          ],
          "value": "TEXT",
          "help": "The reason",
          "required": true,
          "repeatable": false
        },
        {
          "name": "--json",
          "help": "Print one JSON document instead of text",
          "required": false,
          "repeatable": false
        },
        {
          "name": "--help",
          "aliases": [
            "-h"
          ],
          "help": "Print help (see more with '--help')",
          "required": false,
          "repeatable": false
        }
      ]
    }
    "#);
    assert_eq!(help(&["cairn", "chalk", "--json", "spec", "-h"])["command"], "cairn chalk spec");
    assert_eq!(help(&["cairn", "task", "add", "--json", "--help"])["arguments"][0]["name"], "TITLE");
    let names = |document: &serde_json::Value| {
        let commands = document["commands"].as_array().unwrap().clone();
        commands.iter().map(|it| it["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    for args in [
        &["cairn", "--json"][..],
        &["cairn", "help", "--json"],
        &["cairn", "--json", "--help"],
        &["cairn", "chalk", "--json"],
        &["chalk", "help", "--json"],
    ] {
        assert!(names(&help(args)).contains(&"amend-spec".to_owned()), "{args:?}");
    }
    assert!(scratch.run(&["chalk", "block", "--help"]).ok().out.starts_with("Block a task"));
}

#[test]
fn an_unknown_command_or_flag_is_a_usage_error() {
    let scratch = Scratch::chalk();
    let before = scratch.spine();
    scratch.run(&["chalk", "frobnicate"]).refused(1, "frobnicate");
    scratch.run(&["chalk", "status", "--frobnicate"]).refused(1, "--frobnicate");
    scratch.run(&["cairn", "frobnicate"]).refused(1, "frobnicate");
    scratch.run(&["cairn", "demo", "--frobnicate"]).refused(2, "--frobnicate");
    let ran = scratch.run(&["chalk", "start", "--json"]).refused(1, "usage");
    assert_eq!(ran.json()["error"]["code"], "usage");
    assert!(ran.err.is_empty());
    assert_eq!(scratch.spine(), before);
}

#[test]
fn empty_and_impossible_values_are_named() {
    let scratch = Scratch::chalk();
    scratch.task("one");
    for args in
        [&["start", ""][..], &["done", " "], &["task", "show", ""], &["task", "add", "x", "--after", " "]]
    {
        scratch.run(&[&["chalk"], args].concat()).refused(1, "empty");
    }
    assert!(scratch.run(&["chalk", "start", ""]).err.contains("the id is empty (usage)"));
    for number in ["0", "-1", "many", "99999999999"] {
        let flag = format!("--n={number}");
        scratch.run(&["chalk", "log", &flag]).refused(1, "a number from 1 on is needed");
    }
}

#[test]
fn commands_of_other_programs_are_not_offered() {
    let scratch = Scratch::chalk();
    let before = scratch.spine();
    for name in [
        "align",
        "approve-plan",
        "archive",
        "autopilot",
        "branch",
        "cleanup",
        "commit",
        "cost",
        "decisions",
        "discover",
        "evidence",
        "feedback",
        "harness",
        "issue",
        "loop",
        "merge",
        "pending",
        "pipeline",
        "plan",
        "plans",
        "portal",
        "pr",
        "promote",
        "raise",
        "redirect",
        "release",
        "retro",
        "smoke",
        "sync",
        "telemetry",
        "upgrade",
    ] {
        scratch.run(&["chalk", name, "x", "--flag"]).refused(1, "not-offered");
        scratch.run(&["cairn", "chalk", name]).refused(1, "not-offered");
    }
    assert_eq!(scratch.spine(), before);
}

#[test]
fn a_command_of_chalk_that_cairn_does_not_offer_itself_is_named() {
    let scratch = Scratch::chalk();
    let ran = scratch.run(&["cairn", "stats", "--public"]).refused(1, "is a command of Chalk");
    assert!(ran.err.contains("next: cairn chalk stats --public"), "{}", ran.err);
}

#[test]
fn without_a_spine_init_is_named() {
    let scratch = Scratch::empty();
    for args in [&["status"][..], &["next"], &["start", "x"], &["verify"], &["log"]] {
        scratch.run(&[&["chalk"], args].concat()).refused(1, "chalk init");
        scratch.run(&[&["cairn"], args].concat()).refused(1, "cairn init");
    }
}

#[test]
fn commands_in_messages_are_those_of_the_caller() {
    let scratch = Scratch::chalk();
    assert!(scratch.run(&["chalk", "task", "add", "x"]).ok().out.contains("next: chalk spec"));
    assert!(scratch.run(&["cairn", "task", "add", "x"]).ok().out.contains("next: cairn spec"));
    let tasks = scratch.read(".chalk/tasks.json");
    scratch.write(".chalk/tasks.json", tasks.replace("todo", "done"));
    assert!(scratch.run(&["cairn", "status"]).ok().err.contains("cairn chalk accept --why"));
}

#[test]
fn a_newer_program_s_spine_is_refused() {
    let scratch = Scratch::chalk();
    let config = scratch.read(".chalk/chalk.json");
    for new in ["\"version\": \"1.2\"", "\"version\": \"1.1\",\n  \"writerVersion\": \"0.10.0\""] {
        scratch.write(".chalk/chalk.json", config.replacen("\"version\": \"1.0\"", new, 1));
        scratch.run(&["chalk", "status"]).refused(1, "spine-too-new");
        scratch.run(&["chalk", "update", "x"]).refused(1, "spine-too-new");
    }
    scratch.write(
        ".chalk/chalk.json",
        config.replacen("\"1.0\"", "\"1.1\",\n  \"writerVersion\": \"0.3.0\"", 1),
    );
    scratch.run(&["chalk", "update", "x"]).ok();
}

/// The published reference of the command line, in one place: a change shows here.
#[test]
fn the_help_of_every_command() {
    let mut text = String::new();
    let mut open = vec![cairn::cli::command(), cairn::cli::chalk_command().name("cairn-chalk")];
    open.reverse();
    while let Some(mut command) = open.pop() {
        let help = command.render_long_help();
        writeln!(text, "## {}\n\n{help}", command.get_name()).unwrap();
        let mut inner: Vec<_> =
            command.get_subcommands().filter(|c| c.get_name() != "chalk").cloned().collect();
        let name = command.get_name().to_owned();
        if name == "cairn-chalk" {
            // What cairn offers under its own name is shown there.
            inner.retain(|c| cairn::cli::command().find_subcommand(c.get_name()).is_none());
        }
        inner.reverse();
        for sub in inner {
            let full = format!("{name} {}", sub.get_name());
            open.push(sub.name(full));
        }
    }
    insta::assert_snapshot!(text);
}
