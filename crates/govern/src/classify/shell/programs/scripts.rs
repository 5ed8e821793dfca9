//! `sed` and `awk`: programs whose first word is a program of its own.

use crate::classify::shell::Shell;
use crate::classify::text::Text;

use super::options::Options;
use super::sed;

impl Shell<'_> {
    pub(super) fn sed(&mut self, rest: &[Text]) {
        let valued = ["-e", "-f", "-l", "-i?", "-I?", "--expression", "--file", "--line-length"];
        let options = Options::read(rest, &valued);
        let mut operands = options.operands.as_slice();
        // Where `-i` takes a word of its own, that word is mostly empty.
        if operands.first().is_some_and(|first| first.as_literal() == Some("")) {
            operands = &operands[1..];
        }
        let mut scripts: Vec<&Text> = options.values(&["-e", "--expression"]).collect();
        let has_file = options.has(&["-f", "--file"]);
        if scripts.is_empty()
            && !has_file
            && let Some((script, files)) = operands.split_first()
        {
            scripts.push(script);
            operands = files;
        }
        if has_file || options.is_open {
            self.opaque();
        }
        for script in scripts {
            self.sed_script(script);
        }
        if options.has(&["-i", "-I", "--in-place"]) {
            for operand in operands {
                self.writes(operand, false);
            }
        } else {
            self.read_all(operands);
        }
    }

    fn sed_script(&mut self, script: &Text) {
        let Some(literal) = script.as_literal() else {
            self.opaque();
            return;
        };
        match sed::reach(literal) {
            Some(reach) => {
                for file in &reach.writes {
                    self.writes(&Text::literal(file.clone()), false);
                }
                for file in &reach.reads {
                    self.reads(&Text::literal(file.clone()));
                }
                if reach.runs {
                    self.opaque();
                }
            }
            None => self.opaque(),
        }
    }

    pub(super) fn awk(&mut self, rest: &[Text]) {
        let valued =
            ["-f", "-F", "-v", "-i", "-e", "-l", "-E", "--file", "--field-separator", "--assign", "--source"];
        let options = Options::read(rest, &valued);
        let has_file = options.has(&[
            "-f",
            "-E",
            "-l",
            "--file",
            "--exec",
            "-p",
            "-d",
            "-o",
            "--profile",
            "--pretty-print",
            "--dump-variables",
            "--load",
        ]);
        let in_place =
            options.values(&["-i", "--include"]).any(|value| value.as_literal() == Some("inplace"));
        let mut operands = options.operands.as_slice();
        let mut programs: Vec<Text> = options.values(&["-e", "--source"]).cloned().collect();
        if programs.is_empty()
            && !has_file
            && let Some((program, files)) = operands.split_first()
        {
            programs.push(program.clone());
            operands = files;
        }
        if has_file
            || options.has(&["-i", "--include"])
            || options.is_open && programs.iter().any(Text::has_unknown)
        {
            self.opaque();
        }
        for program in &programs {
            let Some(program) = program.as_literal() else {
                self.opaque();
                continue;
            };
            if ["system", "|", "@load", "@include"].iter().any(|mark| program.contains(mark)) {
                self.opaque();
            }
            // A `>` may compare, or write to what stands behind it.
            for (at, _) in program.match_indices('>') {
                let behind = program[at + 1..].trim_start_matches(['>', ' ', '\t', '(']);
                let is_comparison =
                    behind.starts_with('=') || behind.starts_with(|first: char| first.is_ascii_digit());
                if is_comparison {
                    continue;
                }
                match behind.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
                    Some((file, _)) => self.writes(&Text::literal(file), false),
                    None => self.opaque(),
                }
            }
        }
        if in_place {
            self.write_all(operands, false);
        } else {
            self.read_all(operands);
        }
    }
}
