//! Programs that create, change, move and delete files.

use crate::classify::diff;
use crate::classify::patch;
use crate::classify::shell::{Reads, Shell, Unclear};
use crate::classify::text::{Piece, Text};

use super::Input;
use super::options::Options;

impl Shell<'_> {
    pub(super) fn changer(&mut self, name: &str, rest: &[Text], input: &Input) -> Result<bool, Unclear> {
        match name {
            "cp" | "gcp" | "mv" | "gmv" | "install" | "ginstall" | "ln" | "gln" => self.copy(name, rest),
            "rm" | "grm" | "unlink" | "shred" | "srm" | "trash" | "trash-put" | "rmdir" => {
                let options = Options::read(rest, &["-n", "-s", "--iterations", "--size"]);
                for operand in &options.operands {
                    self.deletes(
                        operand,
                        options.has(&["-r", "-R", "--recursive"]) || name.starts_with("trash"),
                    );
                }
            }
            "tee" | "gtee" | "sponge" => {
                let options = Options::read(rest, &[]);
                self.write_all(&options.operands, false);
            }
            "touch" | "gtouch" | "truncate" | "fallocate" => {
                let valued =
                    ["-t", "-d", "-r", "-s", "-l", "-o", "--size", "--reference", "--date", "--length"];
                self.write_all(&Options::read(rest, &valued).operands, false);
            }
            "mkdir" | "mkfifo" | "mknod" => {
                self.write_all(&Options::read(rest, &["-m", "--mode"]).operands, false);
            }
            "mktemp" => self.effects.acts = true,
            "chmod" | "chown" | "chgrp" | "chattr" | "setfacl" | "chflags" | "xattr" | "setfattr"
            | "chcon" => {
                let valued: &[&str] = match name {
                    "setfacl" | "setfattr" => &["-m", "-x", "-M", "-X", "-n", "-v"],
                    _ => &["--reference"],
                };
                let options = Options::read(rest, valued);
                let tree = options.has(&["-R", "--recursive"]);
                // Where the mode is given as an option, the first operand is a file already.
                let is_mode = |word: &Text| {
                    name == "chmod"
                        && word.known_start().starts_with('-')
                        && word.known_start().contains(['r', 'w', 'x', 'X', 's', 't'])
                };
                let has_mode = !valued.is_empty() && options.has(&["-m", "-M", "-X", "-n", "--reference"])
                    || rest.iter().any(is_mode);
                self.write_all(options.operands.get(usize::from(!has_mode)..).unwrap_or_default(), tree);
            }
            "dd" => {
                for word in rest {
                    if word.known_start().starts_with("of=") {
                        self.writes(&word.skip(3), false);
                    } else if word.known_start().starts_with("if=") {
                        self.reads(&word.skip(3));
                    } else if word.may_be_option() {
                        self.opaque();
                    }
                }
            }
            "rsync" => self.rsync(rest),
            "scp" | "sftp" | "rclone" => {
                self.effects.network = true;
                self.copy("cp", rest);
            }
            "mount" | "umount" | "losetup" => {
                self.opaque();
                self.write_all(&Options::read(rest, &["-t", "-o"]).operands, true);
            }
            "patch" | "gpatch" => self.patch(rest, input),
            "apply_patch" | "applypatch" => self.apply_patch(rest, input),
            "ed" | "ex" | "red" | "vi" | "vim" | "nvim" | "view" | "vimdiff" | "emacs" | "nano" | "pico"
            | "micro" | "joe" | "kak" | "hx" | "code" => {
                self.opaque();
                self.editor(rest, input);
            }
            "black" | "ruff" | "isort" | "autopep8" | "yapf" | "prettier" | "eslint" | "biome"
            | "rustfmt" | "gofmt" | "goimports" | "clang-format" | "shfmt" | "dos2unix" | "unix2dos"
            | "rename" | "prename" | "codemod" | "comby" | "ast-grep" | "sg" | "sd" | "fixjsstyle"
            | "standard" | "rubocop" | "stylua" | "dprint" | "djlint" | "taplo" | "swiftformat"
            | "ktlint" | "scalafmt" | "dartfmt" | "terraform" => {
                self.formatter(name, rest);
            }
            _ => {
                return Ok(self.archiver(name, rest)
                    || self.git_program(name, rest, input)?
                    || self.fetcher(name, rest)
                    || self.interpreter(name, rest, input));
            }
        }
        Ok(true)
    }

    fn copy(&mut self, name: &str, rest: &[Text]) {
        let name = name.trim_start_matches('g');
        let valued: &[&str] = match name {
            "install" => {
                &["-t", "--target-directory", "-m", "-o", "-g", "-S", "--mode", "--owner", "--group"]
            }
            _ => &["-t", "--target-directory", "-S", "--suffix"],
        };
        let options = Options::read(rest, valued);
        if options.is_open {
            self.opaque();
        }
        if name == "install" && options.has(&["-d", "--directory"]) {
            self.write_all(&options.operands, false);
            return;
        }
        let mut sources = options.operands.clone();
        let into = options.value(&["-t", "--target-directory"]).cloned();
        let is_moved = name == "mv";
        let is_tree = is_moved || options.has(&["-r", "-R", "-a", "--recursive", "--archive"]);
        let to = match into {
            Some(folder) => folder,
            None if sources.len() == 1 && name == "ln" => Text::literal("."),
            None => match sources.pop() {
                Some(to) => to,
                None => return,
            },
        };
        // A second name is a way to write to the first one.
        let is_link = name == "ln" || name == "cp" && options.has(&["-l", "-s", "--link", "--symbolic-link"]);
        for source in &sources {
            if is_moved {
                self.deletes(source, true);
            } else if is_link {
                self.writes(source, true);
            } else if is_tree {
                self.reads(source);
                let reads = Reads { content: true, ..Reads::default() };
                self.walks(source, &reads);
            } else {
                self.reads(source);
            }
        }
        if options.has(&["--parents"]) {
            for source in &sources {
                self.writes(&to.join(source), is_tree);
            }
        }
        self.receive(&to, &sources, is_tree, options.has(&["-T", "--no-target-directory"]));
    }

    /// Writes what arrives when `sources` are copied to `to`, a file or a folder.
    fn receive(&mut self, to: &Text, sources: &[Text], is_tree: bool, is_exact: bool) {
        self.writes(to, is_tree && is_exact);
        for source in sources {
            let start = source.pieces().last();
            let is_content =
                matches!(start, Some(Piece::Literal(text)) if text.ends_with('/') || text.ends_with("/."));
            match source.file_name() {
                _ if is_tree && is_content => self.writes(to, true),
                Some(name) => self.writes(&to.join(&name), is_tree),
                None => {
                    let mut inside = to.clone();
                    inside.push_literal("/");
                    inside.push(Piece::Unknown);
                    self.writes(&inside, is_tree);
                }
            }
        }
    }

    fn rsync(&mut self, rest: &[Text]) {
        let valued =
            ["-e", "-f", "-B", "-M", "-T", "--exclude", "--include", "--filter", "--rsh", "--log-file"];
        let options = Options::read(rest, &valued);
        if options.has(&["-e", "--rsh", "-M", "-T", "--files-from", "--temp-dir", "--backup-dir"])
            || options.is_open
        {
            self.opaque();
        }
        if let Some(file) = options.value(&["--log-file"]) {
            self.writes(file, false);
        }
        let Some((to, sources)) = options.operands.split_last() else {
            return;
        };
        let is_remote = |word: &Text| word.as_literal().is_none_or(|word| word.contains(':'));
        if options.operands.iter().any(is_remote) {
            self.effects.network = true;
        }
        for source in sources {
            let reads = Reads { content: true, ..Reads::default() };
            self.walks(source, &reads);
            if options.has(&["--remove-source-files"]) {
                self.deletes(source, true);
            }
        }
        if options.has(&["--delete", "--delete-after", "--delete-excluded", "--del", "--delete-before"]) {
            self.deletes(to, true);
        }
        if options.has(&["-n", "--dry-run"]) {
            return;
        }
        self.receive(to, sources, true, false);
    }

    fn patch(&mut self, rest: &[Text], input: &Input) {
        let valued =
            ["-p", "-i", "-d", "-o", "-r", "-B", "-D", "-F", "-z", "-Y", "-V", "-g", "--input", "--output"];
        let options = Options::read(rest, &valued);
        if options.has(&["--dry-run"]) {
            return;
        }
        self.opaque();
        self.write_all(options.operands.get(..1).unwrap_or_default(), false);
        for file in options.values(&["-o", "-r", "--output"]) {
            self.writes(file, false);
        }
        self.diff_from(input, options.value(&["-d", "--directory"]));
    }

    /// Writes what a diff on the standard input names.
    pub(super) fn diff_from(&mut self, input: &Input, folder: Option<&Text>) {
        let Input::Text(text) = input else {
            return;
        };
        for path in diff::paths(text) {
            let path = Text::literal(path);
            self.writes(&folder.map_or_else(|| path.clone(), |folder| folder.join(&path)), false);
        }
    }

    fn apply_patch(&mut self, rest: &[Text], input: &Input) {
        let text = match (rest, input) {
            ([], Input::Text(text)) => Some(text.clone()),
            ([text], _) => text.as_literal().map(str::to_owned),
            _ => None,
        };
        self.effects.acts = true;
        let Some(Ok(changes)) = text.as_deref().map(patch::changes) else {
            self.opaque();
            return;
        };
        let folders = self.state.folders.clone();
        for change in changes {
            change.add_to(&mut self.effects, |path| {
                crate::classify::path::targets(&folders, &Text::literal(path), false)
            });
        }
    }

    fn editor(&mut self, rest: &[Text], input: &Input) {
        let options =
            Options::read(rest, &["-c", "--cmd", "-S", "-s", "-u", "-w", "-p", "-T", "--eval", "-l"]);
        self.write_all(&options.operands, false);
        let mut lines: Vec<String> = options
            .values(&["-c", "--cmd"])
            .filter_map(|line| line.as_literal().map(str::to_owned))
            .collect();
        if let Input::Text(text) = input {
            lines.extend(text.lines().map(str::to_owned));
        }
        lines.extend(rest.iter().filter_map(|word| word.as_literal()?.strip_prefix('+')).map(str::to_owned));
        for line in &lines {
            let line = line.trim_start_matches([':', ' ', '%']);
            if let Some(command) = line.strip_prefix('!') {
                self.run_partly(&[Text::literal(command)]);
            }
            // `w FILE`, `saveas FILE`, `e FILE` and the like: the last word is a file.
            if let Some((_, file)) = line.trim_end().rsplit_once(' ') {
                self.writes(&Text::literal(file.trim_end_matches(['|', 'q'])), false);
                self.writes(&Text::literal(file), false);
            }
        }
    }

    /// A program that may rewrite the files that it is given; which ones can't be told.
    fn formatter(&mut self, name: &str, rest: &[Text]) {
        self.opaque();
        let options = Options::read(rest, &[]);
        let only_checks = options.has(&["--check", "--diff", "--check-only", "--list-different", "-c"]);
        let needs_flag: &[&str] = match name {
            "prettier" | "biome" => &["--write", "-w"],
            "eslint" | "ruff" | "standard" => &["--fix", "--write", "format"],
            "gofmt" | "goimports" | "shfmt" => &["-w"],
            "clang-format" | "autopep8" | "yapf" => &["-i", "--in-place"],
            _ => &[],
        };
        let has_word = |word: &Text| word.as_literal().is_some_and(|word| needs_flag.contains(&word));
        if only_checks
            || !needs_flag.is_empty() && !options.has(needs_flag) && !options.operands.iter().any(has_word)
        {
            return;
        }
        self.write_all(&options.operands, false);
    }
}
