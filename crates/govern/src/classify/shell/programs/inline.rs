//! Interpreters: what they do can't be told, but a path beside a write in their inline code is worth a denial.

use crate::classify::shell::Shell;
use crate::classify::text::Text;

use super::Input;
use super::options::Options;

/// What code says when it changes files.
const CHANGES: [&str; 34] = [
    "write",
    "'w",
    "\"w",
    "'a'",
    "\"a\"",
    "'a+",
    "\"a+",
    "'r+",
    "\"r+",
    "'x'",
    "\"x\"",
    "unlink",
    "remove",
    "rename",
    "truncate",
    "rmtree",
    "rmdir",
    "shutil",
    "copyfile",
    "copyFile",
    "cpSync",
    "rmSync",
    "symlink",
    "link(",
    "chmod",
    "appendFile",
    "createWriteStream",
    "'>",
    "\">",
    "file_put_contents",
    "touch",
    "mkstemp",
    "O_WRONLY",
    "O_RDWR",
];

impl Shell<'_> {
    pub(super) fn interpreter(&mut self, name: &str, rest: &[Text], input: &Input) -> bool {
        let plain = name.trim_end_matches(|last: char| last.is_ascii_digit() || last == '.');
        let valued: &[&str] = match plain {
            "python" | "pypy" | "ipython" => &["-c", "-W", "-X", "-m"],
            "node" | "nodejs" | "bun" | "deno" | "tsx" | "ts-node" => {
                &["-e", "-p", "-r", "--eval", "--print", "--require", "--import"]
            }
            "perl" => &["-e", "-E", "-i?", "-I", "-F?", "-0?", "-l?"],
            "ruby" => &["-e", "-i?", "-I", "-r"],
            "php" => &["-r", "-B", "-R", "-E", "-d"],
            "lua" | "luajit" | "Rscript" | "R" | "julia" | "swift" | "groovy" | "elixir" | "osascript"
            | "guile" | "clisp" | "sbcl" | "racket" | "emacsclient" | "raku" | "escript" | "expect"
            | "tclsh" | "wish" => &["-e", "-E", "-c", "--eval"],
            _ => return false,
        };
        let options = Options::read(rest, valued);
        if options.has(&["--version", "--help"]) && options.operands.is_empty() {
            return true;
        }
        self.opaque();
        let mut codes: Vec<String> = options
            .values(&["-c", "-e", "-E", "-p", "-r", "-B", "-R", "--eval", "--print"])
            .filter_map(|code| code.as_literal().map(str::to_owned))
            .collect();
        let is_inline = !codes.is_empty();
        if let Input::Text(text) = input {
            codes.push(text.clone());
        }
        if matches!(plain, "deno" | "bun")
            && options.operands.first().and_then(Text::as_literal) == Some("eval")
            && let Some(code) = options.operands.get(1).and_then(Text::as_literal)
        {
            codes.push(code.to_owned());
        }
        self.mentions_all(&options.operands);
        for code in &codes {
            for word in paths(code) {
                self.mentions(&Text::literal(word));
            }
            self.inline(code, if is_inline { &options.operands } else { &[] });
        }
        if matches!(plain, "perl" | "ruby") && options.has(&["-i"]) {
            self.write_all(&options.operands, false);
        }
        true
    }

    /// Inline code that changes files may change each that it names, and each that it is given.
    fn inline(&mut self, code: &str, given: &[Text]) {
        let without_streams =
            code.replace("stdout.write", "").replace("stderr.write", "").replace("process.stdout", "");
        if !CHANGES.iter().any(|mark| without_streams.contains(mark)) {
            return;
        }
        for literal in quoted(code) {
            let literal = literal.trim_start_matches(['>', '<', '+', ' ']);
            let looks_like_path = !literal.is_empty()
                && literal.len() < 300
                && !literal.contains(['\n', '*', '?', '<', '>', '|'])
                && literal.contains(['/', '.']);
            if looks_like_path {
                self.writes(&Text::literal(literal), false);
            }
        }
        self.write_all(given, false);
    }
}

/// What looks like a path in code: what holds a slash, or a dot within quotes.
fn paths(code: &str) -> Vec<&str> {
    let is_end = |c: char| c.is_whitespace() || "'\"`()[]{}<>,;=|&$".contains(c);
    let bare = code.split(is_end).filter(|word| word.contains('/'));
    let in_quotes = quoted(code).into_iter().filter(|word| word.contains(['/', '.']) && word.len() < 300);
    bare.chain(in_quotes).filter(|word| !word.is_empty()).take(400).collect()
}

/// The quoted texts of code, whatever the language.
fn quoted(code: &str) -> Vec<&str> {
    let mut texts = Vec::new();
    for quote in ['\'', '"', '`'] {
        let mut rest = code;
        while let Some(open) = rest.find(quote) {
            let inside = &rest[open + 1..];
            let Some(end) = inside.find(quote) else {
                break;
            };
            texts.push(&inside[..end]);
            // The end of one may be the beginning of the next, where a quote stands alone.
            rest = &inside[end..];
            if texts.len() > 400 {
                break;
            }
        }
    }
    texts
}
