use std::path::Path;

use gate::event::Tool;
use proptest::prelude::*;

use super::super::Certainty;
use super::{PROTECTED, judge, shell};

/// Without bounds each of these takes a parser's whole stack, or time without end.
#[test]
fn hostile_commands_end_soon_and_without_a_panic() {
    let deep =
        |open: &str, close: &str, count: usize| format!("{}x{}", open.repeat(count), close.repeat(count));
    let cases = [
        deep("$(", ")", 20_000),
        deep("(", ")", 20_000),
        deep("{ ", "; }", 20_000),
        deep("\"$(", ")\"", 300),
        deep("`", "`", 100_001),
        deep("${a:-", "}", 300),
        format!("echo {}", deep("a[\"$(", ")\"]", 60)),
        format!("a[{}]=1", deep("$(", ")", 12)),
        "if ".repeat(10_000),
        "if ".repeat(4_000),
        "{ echo done; ".repeat(4_000),
        "( echo done; ".repeat(4_000),
        deep("{ echo done; ", "}", 5_000),
        deep("(", ")", 4_000),
        deep("$(", ")", 4_000),
        deep("$(echo \")\" ", ")", 3_000),
        deep("`", "`", 5_001),
        "while ".repeat(10_000),
        "coproc ".repeat(10_000),
        "! ".repeat(10_000),
        "f() { ".repeat(5_000),
        "case x in ".repeat(5_000),
        "[[ ".repeat(5_000),
        format!("[[ {} ]]", deep("( ", " )", 40)),
        format!("echo {}", "{a,b}".repeat(40)),
        format!("echo {}", deep("{a,", "}", 500)),
        "cat <<A ".repeat(2_000),
        format!("echo 99999999999999999999> x; echo {}> y", "9".repeat(400)),
        "~99999999999999999999999/x".to_owned(),
        "echo {1..99999999999999999999}".to_owned(),
        "x=a; x=$x$x$x; x=$x$x$x; x=$x$x$x; x=$x$x$x; x=$x$x$x; x=$x$x$x; x=$x$x$x; x=$x$x$x; rm $x"
            .to_owned(),
        "f() { f; f; }; f".to_owned(),
        format!("{}rm x{}", "for a in 1 2 3; do ".repeat(12), "; done".repeat(12)),
        format!("{}rm x", "eval ".repeat(400)),
        format!("{}rm x", "sudo ".repeat(3_000)),
        "a=1;".repeat(5_000),
        "echo \u{0} x".to_owned(),
        "echo {1\u{10ffff}..\u{2}2} <<\u{100}a\n\u{100}a\n".to_owned(),
        "echo {1\u{f0000}}".to_owned(),
        format!("echo '{}'", "x".repeat(300_000)),
        format!("rm {}", "*a".repeat(10_000)),
        "((".repeat(5_000),
        "x ".repeat(10_000),
        "<(".repeat(5_000),
        "@(".repeat(5_000),
    ];
    for case in cases {
        let start: String = case.chars().take(40).collect();
        let before = std::time::Instant::now();
        let effects = shell(&case);
        let taken = before.elapsed();
        println!("{taken:?} {start}");
        assert!(taken.as_secs() < 10, "{start} took {taken:?}");
        if case.contains('\u{0}') || case.len() > 280_000 {
            assert!(matches!(effects.certainty, Certainty::Unparsable { .. }), "{start}");
        }
    }
}

/// Text that is likely to be a command.
fn command() -> impl Strategy<Value = String> {
    let pieces = [
        "rm ",
        "echo ",
        "> ",
        ">> ",
        "< ",
        "$(",
        ")",
        "`",
        "'",
        "\"",
        "\\",
        "${",
        "}",
        "{",
        "(",
        ";",
        "\n",
        "&&",
        "||",
        "| ",
        "& ",
        "if ",
        "then ",
        "fi ",
        "for x in ",
        "do ",
        "done ",
        "case ",
        "in ",
        "esac ",
        "<<EOF\n",
        "EOF\n",
        "$x",
        "x=",
        "tests/",
        "*",
        "[",
        "]",
        "~",
        "#",
        "é",
        "sed -i ",
        "find . -exec ",
        "git ",
        "bash -c ",
        "eval ",
        "xargs ",
        "env ",
        "$'\\x",
        "{a,b}",
        "-o ",
        "--",
        "!",
        "[[ ",
        " ]]",
        "((",
        "))",
        "f() ",
        "cd ",
        "a[",
        "\t",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_a_panic(text in ".{0,80}") {
        shell(&text);
        judge(&Tool::Shell { command: text.clone(), cwd: Some(text.clone()), shell: "pwsh".to_owned(), background: false });
        judge(&Tool::Patch { text: text.clone() });
        judge(&Tool::Write { path: text, content: None });
    }

    #[test]
    fn no_command_makes_a_panic(text in command()) {
        let effects = shell(&text);
        for target in effects.changes() {
            target.may_touch(Path::new(PROTECTED), true);
            target.may_touch_within(Path::new("/repo/.git"), false);
        }
    }

    #[test]
    fn no_patch_makes_a_panic(lines in prop::collection::vec(
        prop::sample::select(vec!["*** Add File: a", "*** Update File: b", "*** Move to: c", "*** Delete File: d",
            "@@", "@@ x", "+x", "-x", " x", "", "*** End of File", "junk"]), 0..12)) {
        let text = format!("*** Begin Patch\n{}\n*** End Patch", lines.join("\n"));
        judge(&Tool::Patch { text });
    }
}
