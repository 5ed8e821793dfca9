//! Command templates with a place for a file name, such as `npm test {test}`.
//!
//! The value is never pasted into the script. The script gets it as its first parameter, keeps it in
//! a variable, and refers to that variable wherever the placeholder stood, in the form that is right
//! inside the quotes there. So a name with spaces, quotes, line breaks or `$(...)` arrives as the
//! one argument, or the part of an argument, that the template's author meant.
//!
//! Here-documents are not understood: a placeholder in one is safe, but gains quotes.

use std::ffi::{OsStr, OsString};
use std::fmt;

use crate::run::Program;
use crate::words::{base_name, commands};

/// The variable that holds the value. A variable and not `$1` itself, which means something else
/// inside a shell function and after `set --`.
const BEGIN: &str = "cairn_value=$1; shift; ";
const REFERENCE: &str = "${cairn_value}";

/// The script for `template` with `value` in place of every `placeholder`.
///
/// A relative path that starts with a dash becomes `./-...`, so that no program takes it for an
/// option.
///
/// # Errors
/// The template hands the text around the placeholder to a second shell or interpreter (`bash -c
/// 'npm test {test}'`), which would read the value as program text, and the value is more than
/// letters, digits and `_ . / @ % + = : , -`. The way that takes all names is an argument for that
/// shell: `bash -c 'npm test "$1"' bash {test}`.
pub fn expand(template: &str, placeholder: &str, value: &OsStr) -> Result<Program, Reparsed> {
    if placeholder.is_empty() || !template.contains(placeholder) {
        return Ok(Program::shell(template));
    }
    if !is_plain(value)
        && let Some(program) = reparsing(template, placeholder)
    {
        return Err(Reparsed { program });
    }
    let mut scan =
        Scan { placeholder, out: BEGIN.to_owned(), rest: template, open: Vec::new(), at_word_start: true };
    scan.run();
    let mut argument = OsString::new();
    if value.as_encoded_bytes().starts_with(b"-") {
        argument.push("./");
    }
    argument.push(value);
    Ok(Program::Shell { script: scan.out.into(), args: vec![argument] })
}

/// A template would have its value read as program text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reparsed {
    /// The program that would read it: `bash`, `eval`, `node`.
    pub program: String,
}

impl fmt::Display for Reparsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` in the command would read the file name as program text", self.program)
    }
}

impl std::error::Error for Reparsed {}

/// Whether no shell and no interpreter finds anything in the value but a name.
fn is_plain(value: &OsStr) -> bool {
    let bytes = value.as_encoded_bytes();
    !bytes.is_empty() && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_./@%+=:,-".contains(byte))
}

/// The program in the template that takes the word with the placeholder for program text.
fn reparsing(template: &str, placeholder: &str) -> Option<String> {
    commands(template).iter().find_map(|words| {
        let places = words.iter().enumerate().filter(|(_, word)| word.contains(placeholder));
        places.map(|(at, _)| &words[..at]).find_map(|before| {
            before.iter().enumerate().find_map(|(at, word)| {
                let name = base_name(word);
                is_code_for(name, &before[at + 1..]).then(|| name.to_owned())
            })
        })
    })
}

/// Whether the word after `options` is program text for `program`.
fn is_code_for(program: &str, options: &[String]) -> bool {
    let flags = match program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
        "eval" | "ssh" | "watch" | "parallel" | "concurrently" => return true,
        "sh" | "bash" | "dash" | "zsh" | "ksh" | "mksh" | "ash" | "fish" | "su" | "runuser" | "script"
        | "flock" | "python" | "pypy" => "c",
        "node" | "bun" | "deno" | "perl" | "ruby" | "lua" | "julia" | "elixir" | "Rscript" => "eEp",
        "php" => "r",
        _ => return false,
    };
    let is_flag = |word: &String| match word.strip_prefix('-') {
        Some(long) if long.starts_with('-') => matches!(long, "-eval" | "-print" | "-command"),
        Some(short) => short.contains(|c| flags.contains(c)),
        None => program == "deno" && word == "eval",
    };
    // The text is the first word after the flag that is no option itself.
    options
        .iter()
        .position(is_flag)
        .is_some_and(|flag| options[flag + 1..].iter().all(|word| word.starts_with('-')))
}

/// What a position of the script is inside of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Single,
    /// `$'...'`
    Ansi,
    Double,
    /// `${...}`, and whether it is in double quotes.
    Brace {
        double: bool,
    },
    /// `$(...)` and `(...)`.
    Paren,
    Backtick,
}

struct Scan<'a> {
    placeholder: &'a str,
    out: String,
    rest: &'a str,
    /// From the outermost to the innermost.
    open: Vec<Open>,
    at_word_start: bool,
}

impl Scan<'_> {
    fn run(&mut self) {
        while !self.rest.is_empty() {
            if let Some(rest) = self.rest.strip_prefix(self.placeholder) {
                self.rest = rest;
                self.refer();
            } else {
                self.step();
            }
        }
    }

    fn refer(&mut self) {
        let (before, after) = match self.open.last() {
            Some(Open::Single) => ("'\"", "\"'"),
            Some(Open::Ansi) => ("'\"", "\"$'"),
            Some(Open::Double | Open::Brace { double: true }) => ("", ""),
            Some(Open::Brace { double: false } | Open::Paren | Open::Backtick) | None => ("\"", "\""),
        };
        self.out.extend([before, REFERENCE, after]);
        self.at_word_start = false;
    }

    /// Copies one character, or one that is escaped or begins an expansion together with the next.
    fn step(&mut self) {
        let Some(c) = self.rest.chars().next() else { return };
        let after = &self.rest[c.len_utf8()..];
        let next = after.chars().next();
        match (self.open.last().copied(), c) {
            (Some(Open::Single | Open::Ansi), '\'')
            | (Some(Open::Double), '"')
            | (Some(Open::Brace { .. }), '}')
            | (Some(Open::Paren), ')') => {
                self.open.pop();
            }
            (Some(Open::Single), _) => {}
            (_, '\\') => return self.escape(after),
            (Some(Open::Ansi), _) => {}
            (_, '`') => self.backtick(),
            (_, '$') if next == Some('(') => return self.begin(Open::Paren, 2),
            // `${test}` is the placeholder with a stray `$`, not a variable of the template's author.
            (_, '$') if next == Some('{') && after.starts_with(self.placeholder) => {
                self.rest = after;
                return;
            }
            (open, '$') if next == Some('{') => {
                let double = matches!(open, Some(Open::Double | Open::Brace { double: true }));
                return self.begin(Open::Brace { double }, 2);
            }
            (Some(Open::Double), _) => {}
            (_, '"') => self.open.push(Open::Double),
            (Some(Open::Brace { double: true }), _) => {}
            (_, '\'') => self.open.push(Open::Single),
            (_, '$') if next == Some('\'') => return self.begin(Open::Ansi, 2),
            (Some(Open::Brace { .. }), _) => {}
            (_, '(') => self.open.push(Open::Paren),
            (_, '#') if self.at_word_start => {
                // An apostrophe in a comment opens no quote.
                let line = self.rest.find('\n').unwrap_or(self.rest.len());
                return self.copy(line);
            }
            _ => {}
        }
        self.copy(c.len_utf8());
    }

    fn copy(&mut self, bytes: usize) {
        let (text, rest) = self.rest.split_at(bytes);
        self.out.push_str(text);
        self.rest = rest;
        self.at_word_start = text.ends_with([' ', '\t', '\n', ';', '|', '&', '(', ')', '`']);
    }

    fn begin(&mut self, open: Open, bytes: usize) {
        self.open.push(open);
        self.copy(bytes);
    }

    /// Opens a substitution in backticks, or closes the innermost with all that is open in it.
    fn backtick(&mut self) {
        match self.open.iter().rposition(|&open| open == Open::Backtick) {
            Some(at) => self.open.truncate(at),
            None => self.open.push(Open::Backtick),
        }
    }

    /// A backslash and what it escapes; `after` is the text behind it.
    fn escape(&mut self, after: &str) {
        let special = match self.open.last() {
            Some(Open::Double | Open::Brace { double: true }) => "$`\"\\\n}",
            _ => return self.escape_any(after),
        };
        match after.chars().next() {
            Some(next) if special.contains(next) => self.escape_any(after),
            // The backslash stands for itself, which it must go on doing before the reference.
            _ if after.starts_with(self.placeholder) => {
                self.out.push_str("\\\\");
                self.rest = &self.rest[1..];
            }
            _ => self.copy(1),
        }
    }

    fn escape_any(&mut self, after: &str) {
        if after.starts_with(self.placeholder) {
            // The escaped bracket was to reach the program as a bracket, so as the placeholder.
            self.rest = &self.rest[1..];
            self.refer();
            self.rest = &self.rest[self.placeholder.len()..];
        } else {
            self.copy(1 + after.chars().next().map_or(0, char::len_utf8));
            self.at_word_start = false;
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
    use std::process::Command;

    use proptest::prelude::*;

    use super::*;

    /// What `sh` makes of the words after `printf '%s\0'` in a template.
    fn words(template: &str, value: &[u8]) -> Vec<Vec<u8>> {
        let template = format!("printf '%s\\0' {template}");
        let Ok(Program::Shell { script, args }) = expand(&template, "{test}", OsStr::from_bytes(value))
        else {
            panic!("{template} is refused")
        };
        let output = Command::new("/bin/sh").arg("-c").arg(&script).arg("sh").args(args).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{script:?}: {output:?}");
        let mut words: Vec<Vec<u8>> = output.stdout.split(|&byte| byte == 0).map(<[u8]>::to_vec).collect();
        assert_eq!(words.pop(), Some(Vec::new()));
        words
    }

    const NASTY: [&[u8]; 9] = [
        b"a b",
        b"$(touch pwned)`touch pwned`",
        b"it's \"quoted\" \\ \\\\",
        b"line\nbreak\n",
        b"{test} $1 ${cairn_value} $cairn_value",
        b"\xff\xfe*?[a]~",
        b";exit 1 #&|<>",
        b"",
        b"\\",
    ];

    /// Template words, and what stands before and after the value in the result.
    const STYLES: [(&str, &str, &str); 22] = [
        ("{test}", "", ""),
        ("\"{test}\"", "", ""),
        ("'{test}'", "", ""),
        ("--file={test}:1", "--file=", ":1"),
        ("\"a b {test} c'd\"", "a b ", " c'd"),
        ("'a \"b {test} $c'", "a \"b ", " $c"),
        ("it\\'s\\ {test}", "it's ", ""),
        ("\\{test}", "", ""),
        ("\"\\{test}\"", "\\", ""),
        ("'\\{test}\\'", "\\", "\\"),
        ("\\\\{test}", "\\", ""),
        ("\"\\\"{test}\\\"\"", "\"", "\""),
        ("\"$(printf %s {test}.)\"", "", "."),
        ("\"$(printf %s \"{test}.\")\"", "", "."),
        ("\"`printf %s {test}.`\"", "", "."),
        ("\"x$(printf '%s)' '(' '{test}')\"", "x()", ")"),
        ("\"${unset:-{test}}\"", "", ""),
        ("${unset:-\"{test}\"}", "", ""),
        ("${unset:-{test}}", "", ""),
        ("\"$(printf %s \"$(printf '%s' '{test}.')\")\"", "", "."),
        ("a\\ #'{test}'", "a #", ""),
        ("${test}", "", ""),
    ];

    fn check(style: (&str, &str, &str), value: &[u8]) {
        let (template, before, after) = style;
        let expected = [before.as_bytes(), value, after.as_bytes()].concat();
        assert_eq!(words(template, value), [expected], "{template} with {}", value.escape_ascii());
    }

    #[test]
    fn a_nasty_name_is_one_argument_in_all_quotes() {
        for style in STYLES {
            for value in NASTY {
                check(style, value);
            }
        }
    }

    #[test]
    fn all_places_are_filled() {
        assert_eq!(words("{test} \"{test}\" x'{test}{test}'", b"a b"), [&b"a b"[..], b"a b", b"xa ba b"]);
    }

    #[test]
    fn a_comment_opens_no_quote() {
        assert_eq!(words("a # it's\nprintf '%s\\0' '{test}'", b"b c"), [&b"a"[..], b"b c"]);
    }

    #[test]
    fn parameters_of_the_template_are_its_own() {
        let template = "$#; set -- a b; f() { printf '%s\\0' \"$1\" {test}; }; f \"$2\"";
        assert_eq!(words(template, b"v w"), [&b"0"[..], b"b", b"v w"]);
    }

    #[test]
    fn a_name_is_no_option() {
        assert_eq!(words("{test}", b"-rf x"), [b"./-rf x"]);
        assert_eq!(words("{test}", b"./-rf"), [b"./-rf"]);
        assert_eq!(words("{test}", b"a/-rf"), [b"a/-rf"]);
    }

    #[test]
    fn a_template_without_a_place_stays_as_it_is() {
        assert_eq!(expand("npm test", "{test}", OsStr::new("x y")), Ok(Program::shell("npm test")));
        assert_eq!(expand("npm test", "", OsStr::new("x y")), Ok(Program::shell("npm test")));
    }

    #[test]
    fn a_second_shell_gets_only_plain_names() {
        let refused = |template: &str, value: &str| {
            expand(template, "{test}", OsStr::new(value)).err().map(|error| error.program)
        };
        for (template, program) in [
            ("docker exec app /bin/bash -lc 'npm test {test}'", "bash"),
            ("sh -c \"npm test '{test}'\"", "sh"),
            ("eval npm test {test}", "eval"),
            ("cd x && ssh host npm test {test}", "ssh"),
            ("node -e 'run(\"{test}\")'", "node"),
            ("python3.12 -c 'run(\"{test}\")'", "python3.12"),
            ("out=$(bash -ec 'npm test {test}')", "bash"),
        ] {
            assert_eq!(refused(template, "$(x).js").as_deref(), Some(program), "{template}");
            assert_eq!(refused(template, "test/a-b_1.test.js"), None, "{template}");
        }
        for template in [
            "sh -c 'npm test \"$1\"' sh {test}",
            "bash run.sh {test}",
            "jest -c jest.config.js {test}",
            "node --test {test}",
            "python -m pytest -c pytest.ini {test}",
            "echo bash; npm -c {test}",
        ] {
            assert_eq!(refused(template, "$(x).js"), None, "{template}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_name_is_one_argument(
            value in prop_oneof![
                proptest::collection::vec(1_u8..=255, 0..12),
                "[ \n'\"\\\\$`(){}*#&;|<>a-]{0,12}".prop_map(String::into_bytes),
            ],
            styles in proptest::collection::vec(0..STYLES.len(), 1..5),
        ) {
            let template: Vec<&str> = styles.iter().map(|&style| STYLES[style].0).collect();
            let argument = match value.first() {
                Some(b'-') => [b"./", &value[..]].concat(),
                _ => value.clone(),
            };
            let expected: Vec<Vec<u8>> = styles
                .iter()
                .map(|&style| [STYLES[style].1.as_bytes(), &argument, STYLES[style].2.as_bytes()].concat())
                .collect();
            prop_assert_eq!(words(&template.join(" "), &value), expected);
        }

        #[test]
        fn any_template_is_expanded_without_a_panic(template in "([ \n'\"\\\\$`(){}#a-]|\\{test\\}|\\$\\(){0,30}", value in ".*") {
            let value = OsString::from_vec(value.into_bytes());
            if let Ok(Program::Shell { args, .. }) = expand(&template, "{test}", &value) {
                prop_assert_eq!(args.len(), usize::from(template.contains("{test}")));
            }
        }
    }
}
