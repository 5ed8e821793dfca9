//! Programs that pack and unpack.

use crate::classify::shell::{Reads, Shell};
use crate::classify::text::{Piece, Text};

use super::options::Options;

impl Shell<'_> {
    pub(super) fn archiver(&mut self, name: &str, rest: &[Text]) -> bool {
        match name {
            "tar" | "gtar" | "bsdtar" => self.tar(rest),
            "zip" => {
                let options = Options::read(rest, &["-x", "-i", "-b", "-t", "-n", "-P"]);
                if options.has(&["-T", "-@"]) || options.is_open {
                    self.opaque();
                }
                let excludes =
                    options.values(&["-x"]).filter_map(|text| text.as_literal().map(str::to_owned));
                let reads = Reads { content: true, excludes: excludes.collect(), ..Reads::default() };
                if let Some((archive, members)) = options.operands.split_first() {
                    self.writes(archive, false);
                    for member in members {
                        self.walks(member, &reads);
                        if options.has(&["-m", "--move"]) {
                            self.deletes(member, true);
                        }
                    }
                }
            }
            "unzip" => {
                let options = Options::read(rest, &["-d", "-x", "-P"]);
                if options.is_open {
                    self.opaque();
                }
                self.read_all(options.operands.get(..1).unwrap_or_default());
                if !options.has(&["-l", "-p", "-t", "-v", "-Z", "-z"]) {
                    self.unpack(options.value(&["-d"]), options.operands.get(1..).unwrap_or_default());
                }
            }
            "gzip" | "gunzip" | "bzip2" | "bunzip2" | "xz" | "unxz" | "zstd" | "unzstd" | "lz4" | "lzma"
            | "compress" | "pigz" | "brotli" => {
                let options = Options::read(rest, &["-S", "-o", "--output", "-T"]);
                if options.has(&["-l", "-t", "--list", "--test"]) {
                    self.read_all(&options.operands);
                    return true;
                }
                for file in options.values(&["-o", "--output"]) {
                    self.writes(file, false);
                }
                if options.has(&["-c", "--stdout", "--to-stdout"]) {
                    self.read_all(&options.operands);
                    return true;
                }
                for operand in &options.operands {
                    if !options.has(&["-k", "--keep"]) {
                        self.deletes(operand, options.has(&["-r"]));
                    }
                    let mut packed = operand.clone();
                    packed.push(Piece::Glob("*".to_owned()));
                    self.writes(&packed, false);
                    // Unpacked, it loses the end of its name.
                    if let Some((name, _)) = operand.as_literal().and_then(|text| text.rsplit_once('.')) {
                        self.writes(&Text::literal(name), false);
                    }
                }
            }
            "cpio" | "pax" | "7z" | "7za" | "7zr" | "unar" | "unrar" | "ar" | "jar" | "rar" => {
                self.opaque();
                if name == "jar" || name.starts_with('7') {
                    self.unpack(None, Options::read(rest, &[]).operands.get(2..).unwrap_or_default());
                }
            }
            _ => return false,
        }
        true
    }

    /// Unpacks the named members, or ones that can't be told.
    fn unpack(&mut self, folder: Option<&Text>, members: &[Text]) {
        self.opaque();
        for member in members {
            let member = member.with_globs();
            self.writes(&folder.map_or_else(|| member.clone(), |folder| folder.join(&member)), true);
        }
    }

    fn tar(&mut self, rest: &[Text]) {
        let mut words = rest.to_vec();
        // The first word may be options without their dash.
        if let Some(first) = words.first_mut()
            && let Some(text) = first.as_literal()
            && !text.starts_with('-')
            && text.bytes().all(|byte| byte.is_ascii_alphabetic())
        {
            *first = Text::literal(format!("-{text}"));
        }
        let valued = [
            "-f",
            "-C",
            "-T",
            "-X",
            "-I",
            "-b",
            "-g",
            "-K",
            "-N",
            "-V",
            "--file",
            "--directory",
            "--files-from",
            "--exclude-from",
            "--use-compress-program",
            "--exclude",
            "--transform",
            "--xform",
            "--strip-components",
            "--to-command",
            "--checkpoint-action",
            "--one-top-level",
            "--listed-incremental",
            "--index-file",
        ];
        let options = Options::read(&words, &valued);
        let runs =
            ["-I", "--use-compress-program", "--to-command", "--checkpoint-action", "--rsh-command", "-F"];
        if options.has(&runs)
            || options.is_open
            || options.has(&["-g", "--listed-incremental", "--index-file"])
        {
            self.opaque();
        }
        let archive = options.value(&["-f", "--file"]);
        let folder = options.value(&["-C", "--directory"]);
        if options.has(&["-c", "-r", "-u", "-A", "--create", "--append", "--update", "--delete"]) {
            if let Some(archive) = archive.filter(|archive| archive.as_literal() != Some("-")) {
                self.writes(archive, false);
            }
            let excludes =
                options.values(&["--exclude"]).filter_map(|text| text.as_literal().map(str::to_owned));
            let reads = Reads { content: true, excludes: excludes.collect(), ..Reads::default() };
            for member in &options.operands {
                let member = folder.map_or_else(|| member.clone(), |folder| folder.join(member));
                self.walks(&member, &reads);
                if options.has(&["--remove-files"]) {
                    self.deletes(&member, true);
                }
            }
        } else if options.has(&["-x", "--extract", "--get"]) {
            if let Some(archive) = archive {
                self.reads(archive);
            }
            if !options.has(&["-O", "--to-stdout"]) {
                self.unpack(folder, &options.operands);
            }
        } else if options.has(&["-t", "--list", "-d", "--diff", "--compare", "--version", "--help"]) {
            if let Some(archive) = archive {
                self.reads(archive);
            }
        } else {
            self.opaque();
        }
    }
}
