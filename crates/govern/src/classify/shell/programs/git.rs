//! `git`, in the forms that bear paths.

use crate::classify::shell::{Reads, Shell, Unclear};
use crate::classify::text::{Piece, Text};
use crate::classify::{Spares, path};

use super::Input;
use super::options::Options;
use super::pathspec::left_out;

impl Shell<'_> {
    pub(super) fn git_program(&mut self, name: &str, rest: &[Text], input: &Input) -> Result<bool, Unclear> {
        match name {
            "git" => {}
            "gh" | "glab" | "hub" | "jj" | "hg" | "svn" => {
                self.mentions_all(rest);
                self.effects.network = true;
                self.opaque();
                return Ok(true);
            }
            _ => return Ok(false),
        }
        let before = self.state.clone();
        let mut words = rest;
        while let Some(word) = words.first() {
            let start = word.known_start();
            let mut taken = 1;
            match start {
                "-C" => {
                    self.enter_work_tree(words.get(1));
                    taken = 2;
                }
                "-c" => {
                    // A setting may name a program.
                    self.opaque();
                    taken = 2;
                }
                "--git-dir" | "--work-tree" | "--namespace" | "--exec-path" | "--config-env"
                | "--super-prefix" => {
                    if start == "--work-tree" {
                        self.enter_work_tree(words.get(1));
                    }
                    self.opaque();
                    taken = 2;
                }
                _ if start.starts_with("--work-tree=") => {
                    let folder = word.skip("--work-tree=".len());
                    self.enter_work_tree(Some(&folder));
                    self.opaque();
                }
                _ if start.starts_with("--git-dir=")
                    || start.starts_with("--exec-path=")
                    || start.starts_with("--config-env=") =>
                {
                    self.opaque();
                }
                _ if start.starts_with('-') => {}
                _ => break,
            }
            words = words.get(taken..).unwrap_or_default();
        }
        let words = words.to_vec();
        if let Some((command, rest)) = words.split_first() {
            match command.as_literal().map(str::to_owned) {
                Some(command) => self.git(&command, rest, input)?,
                None => self.opaque(),
            }
        }
        self.state = before;
        Ok(true)
    }

    fn enter_work_tree(&mut self, folder: Option<&Text>) {
        let Some(folder) = folder else {
            return;
        };
        let folders = self.state.folders.iter().flat_map(|base| path::bases(base, folder)).collect();
        self.state.enter(folders);
    }

    fn git(&mut self, command: &str, rest: &[Text], input: &Input) -> Result<(), Unclear> {
        let options = Options::read(rest, &valued(command));
        let reads = [
            "-O",
            "--output",
            "--ext-diff",
            "--textconv",
            "--open-files-in-pager",
            "--exec",
            "--upload-pack",
        ];
        self.git_shows(command, rest, &options);
        match command {
            "status" | "log" | "diff" | "show" | "blame" | "annotate" | "ls-files" | "ls-tree"
            | "rev-parse" | "describe" | "cat-file" | "for-each-ref" | "shortlog" | "rev-list"
            | "name-rev" | "merge-base" | "check-ignore" | "check-attr" | "show-ref" | "var" | "version"
            | "help" | "count-objects" | "diff-tree" | "diff-index" | "diff-files" | "whatchanged"
            | "cherry" | "show-branch" | "range-diff" | "verify-commit" | "verify-tag" | "fsck"
            | "merge-tree" | "patch-id" | "stripspace" | "interpret-trailers" | "get-tar-commit-id" => {
                for file in options.values(&["--output"]) {
                    self.writes(file, false);
                }
                if options.has(&["--ext-diff", "--open-files-in-pager", "--textconv"])
                    || command == "interpret-trailers" && options.has(&["--in-place"])
                    || options.is_open
                {
                    self.opaque();
                }
            }
            "grep" => {
                if options.has(&reads) {
                    self.opaque();
                }
                let reads = Reads { content: true, skips_ignored: true, ..Reads::default() };
                let has_pattern = options.has(&["-e", "-f"]);
                let files = options.operands.get(usize::from(!has_pattern)..).unwrap_or_default();
                let is_left_out =
                    |word: &&Text| word.as_literal().is_some_and(|word| left_out(word).is_some());
                let (outside, files): (Vec<&Text>, Vec<&Text>) = files.iter().partition(is_left_out);
                let excludes =
                    outside.iter().filter_map(|word| left_out(word.as_literal()?).map(str::to_owned));
                let reads = Reads { excludes: excludes.collect(), ..reads };
                let here = Text::literal(".");
                for root in if files.is_empty() { vec![&here] } else { files } {
                    self.walks(root, &reads);
                }
            }
            "branch" | "tag" | "remote" | "notes" | "reflog" | "config" | "symbolic-ref" | "worktree"
            | "stash" | "submodule" | "bisect" | "bundle" => self.git_with_verbs(command, rest, &options)?,
            "fetch" | "push" | "ls-remote" => {
                self.effects.network = true;
                self.effects.acts |= command != "ls-remote";
                if options.has(&["--upload-pack", "--receive-pack", "--exec"]) {
                    self.opaque();
                }
            }
            "add" | "stage" | "gc" | "prune" | "repack" | "pack-refs" | "update-ref" | "commit-graph"
            | "maintenance" | "write-tree" | "commit-tree" | "mktree" | "hash-object" | "replace"
            | "rerere" => {
                self.effects.acts = true;
            }
            "restore" | "checkout" | "switch" | "reset" | "clean" => {
                self.git_work_tree(command, rest, &options);
            }
            "rm" => {
                self.effects.acts = true;
                if !options.has(&["--cached", "-n", "--dry-run"]) {
                    for operand in &options.operands {
                        self.pathspec(operand, true, &Spares::Git);
                    }
                }
            }
            "mv" => {
                self.effects.acts = true;
                if let Some((to, sources)) = options.operands.split_last() {
                    for source in sources {
                        self.deletes(source, true);
                        if let Some(name) = source.file_name() {
                            self.writes(&to.join(&name), true);
                        }
                    }
                    self.writes(to, false);
                }
            }
            "apply" | "am" => {
                if options.has(&["--check", "--stat", "--numstat", "--summary"]) && !options.has(&["--apply"])
                {
                    self.read_all(&options.operands);
                    return Ok(());
                }
                self.opaque();
                self.read_all(&options.operands);
                self.diff_from(input, options.value(&["--directory"]));
            }
            "clone" | "init" => {
                self.effects.network |= command == "clone";
                self.opaque();
                self.write_all(
                    options.operands.get(usize::from(command == "clone")..).unwrap_or_default(),
                    true,
                );
            }
            "archive" => {
                for file in options.values(&["-o", "--output"]) {
                    self.writes(file, false);
                }
                self.effects.acts |= options.is_open;
                if options.has(&["--remote", "--exec"]) {
                    self.opaque();
                }
            }
            "format-patch" => {
                self.opaque();
                for folder in options.values(&["-o", "--output-directory"]) {
                    let mut inside = folder.clone();
                    inside.push_literal("/");
                    inside.push(Piece::Glob("*.patch".to_owned()));
                    self.writes(&inside, false);
                }
            }
            "checkout-index" | "read-tree" => {
                self.opaque();
                for operand in &options.operands {
                    self.pathspec(operand, false, &Spares::Git);
                }
            }
            _ => {
                self.opaque();
            }
        }
        Ok(())
    }

    /// The commands whose first word says what is done.
    fn git_with_verbs(&mut self, command: &str, rest: &[Text], options: &Options) -> Result<(), Unclear> {
        let verb = options.operands.first().and_then(Text::as_literal).unwrap_or_default();
        let is_read = match command {
            "branch" => {
                let lists = [
                    "-a",
                    "-r",
                    "-l",
                    "-v",
                    "--list",
                    "--show-current",
                    "--contains",
                    "--merged",
                    "--no-merged",
                ];
                let changes = [
                    "-d",
                    "-D",
                    "-m",
                    "-M",
                    "-c",
                    "-C",
                    "-f",
                    "-u",
                    "--delete",
                    "--move",
                    "--copy",
                    "--force",
                    "--set-upstream-to",
                    "--unset-upstream",
                    "--edit-description",
                ];
                !options.has(&changes) && (options.operands.is_empty() || options.has(&lists))
            }
            "tag" => {
                options.operands.is_empty()
                    || options.has(&["-l", "--list", "-v", "--contains", "--points-at"])
            }
            "remote" => matches!(verb, "" | "show" | "get-url"),
            "notes" => matches!(verb, "" | "list" | "show"),
            "reflog" => matches!(verb, "" | "show" | "exists"),
            "config" => {
                let gets =
                    ["--get", "--get-all", "--get-regexp", "--list", "-l", "--get-urlmatch", "--get-color"];
                options.has(&gets)
                    || matches!(verb, "get" | "list")
                    || rest.len() == 1 && !options.has(&["-e", "--edit"])
            }
            "symbolic-ref" => options.operands.len() == 1 && !options.has(&["-d", "--delete"]),
            "worktree" | "stash" => matches!(verb, "list" | "show"),
            "submodule" => matches!(verb, "" | "status" | "summary"),
            "bisect" => matches!(verb, "log" | "view"),
            _ => matches!(verb, "verify" | "list-heads"),
        };
        if is_read {
            if options.is_open {
                self.effects.acts = true;
            }
            return Ok(());
        }
        self.effects.acts = true;
        let operands = options.operands.get(1..).unwrap_or_default();
        match (command, verb) {
            ("worktree", "add" | "remove") => {
                self.opaque();
                self.write_all(operands.get(..1).unwrap_or_default(), true);
            }
            ("worktree", "move") => self.write_all(operands, true),
            ("bundle", "create") => self.write_all(operands.get(..1).unwrap_or_default(), false),
            ("stash" | "submodule", _) => {
                self.opaque();
                let takes = command == "stash" && matches!(verb, "" | "push" | "save");
                if takes && options.has(&["-a", "--all"]) {
                    let behind = rest.iter().position(|word| word.as_literal() == Some("--"));
                    let paths = behind.map_or_else(|| self.tops(), |at| rest[at + 1..].to_vec());
                    for path in &paths {
                        self.pathspec(path, true, &Spares::Kept(Vec::new()));
                    }
                }
            }
            ("bisect", _) => {
                self.opaque();
                if verb == "run" {
                    let words = operands.to_vec();
                    self.apart(|shell| shell.run(&words, &Input::Inherited))?;
                }
            }
            ("config", _) => {
                for file in options.values(&["-f", "--file"]) {
                    self.writes(file, false);
                }
                self.opaque();
            }
            ("remote", "update") => self.effects.network = true,
            _ => {}
        }
        Ok(())
    }

    /// The commands that bring the work tree to another content.
    fn git_work_tree(&mut self, command: &str, rest: &[Text], options: &Options) {
        self.effects.acts = true;
        let spares = if is_as_committed(command, rest, options) { Spares::Committed } else { Spares::Git };
        let behind = rest.iter().position(|word| word.as_literal() == Some("--"));
        let paths = behind.map(|at| &rest[at + 1..]);
        match command {
            "restore" => {
                if options.has(&["--staged", "-S"]) && !options.has(&["--worktree", "-W"]) {
                    return;
                }
                for operand in &options.operands {
                    self.pathspec(operand, false, &spares);
                }
            }
            "checkout" => {
                // Without a separator a word is a path where it is no branch.
                self.opaque();
                for operand in paths.unwrap_or(&options.operands) {
                    self.pathspec(operand, false, &spares);
                }
            }
            "clean" => {
                if options.has(&["-n", "--dry-run"]) {
                    return;
                }
                self.opaque();
                if options.has(&["-x", "-X"]) {
                    // With `-X` a pattern of `-e` names what is taken as well.
                    let kept = options.values(&["-e", "--exclude"]).filter(|_| !options.has(&["-X"]));
                    let kept: Vec<String> =
                        kept.filter_map(|text| text.as_literal().map(str::to_owned)).collect();
                    let here = [Text::literal(".")];
                    let folders =
                        if options.operands.is_empty() { &here } else { options.operands.as_slice() };
                    for folder in folders {
                        self.pathspec(folder, true, &Spares::Kept(kept.clone()));
                    }
                }
            }
            "reset" => {
                if options.has(&["--hard", "--merge", "--keep", "--recurse-submodules"]) || options.is_open {
                    self.opaque();
                }
            }
            _ => self.opaque(),
        }
        if options.has(&["--pathspec-from-file"]) {
            self.opaque();
        }
    }
}

/// Whether files are brought to what the index or `HEAD` has, and not to an older state.
fn is_as_committed(command: &str, rest: &[Text], options: &Options) -> bool {
    let is_head = |word: &Text| matches!(word.as_literal(), Some("HEAD" | "@"));
    if command == "restore" {
        return options.values(&["-s", "--source"]).all(is_head);
    }
    let first = match rest.iter().position(|word| word.as_literal() == Some("--")) {
        Some(end) => rest[..end].iter().find(|word| !word.known_start().starts_with('-')),
        None if options.operands.len() < 2 => None,
        None => options.operands.first(),
    };
    command == "checkout" && first.is_none_or(is_head)
}

fn valued(command: &str) -> Vec<&'static str> {
    let mut valued =
        vec!["--output", "--directory", "--pathspec-from-file", "--source", "--format", "--pretty"];
    valued.extend_from_slice(match command {
        "log" | "show" | "diff" | "shortlog" | "rev-list" => {
            &["-n", "-L", "-S", "-G", "--since", "--until", "--author"]
        }
        "restore" => &["-s"],
        "checkout" => &["-b", "-B", "--orphan"],
        "switch" => &["-c", "-C"],
        "archive" => &["-o", "--prefix", "--remote"],
        "format-patch" => &["-o", "--output-directory", "--subject-prefix"],
        "config" => &["-f", "--file"],
        "apply" => &["-p", "-C", "--exclude", "--include"],
        "clone" => &["-b", "-o", "-c", "-u", "--branch", "--origin", "--depth", "--reference", "--template"],
        "clean" => &["-e", "--exclude"],
        "commit" => &["-m", "-F", "-C", "-c", "-t", "--message", "--file", "--author", "--date"],
        "tag" => &["-m", "-F", "-u"],
        "worktree" => &["-b", "-B"],
        "grep" => &["-e", "-f", "-A", "-B", "-C", "-O?"],
        "branch" => &["-u", "--sort"],
        "blame" => &["-L"],
        "push" => &["-o", "--push-option"],
        _ => &[],
    });
    valued
}
