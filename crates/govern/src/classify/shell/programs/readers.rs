//! Programs that read, and the options with which they write.

use crate::classify::shell::{Reads, Shell, Unclear};
use crate::classify::text::Text;

use super::options::Options;

impl Shell<'_> {
    pub(super) fn reader(&mut self, name: &str, rest: &[Text]) -> Result<bool, Unclear> {
        match name {
            "cat" | "tac" | "head" | "tail" | "wc" | "nl" | "od" | "hexdump" | "strings" | "cut"
            | "paste" | "join" | "comm" | "cmp" | "diff3" | "sdiff" | "md5sum" | "sha1sum" | "sha256sum"
            | "sha512sum" | "shasum" | "b2sum" | "cksum" | "sum" | "rev" | "fold" | "fmt" | "expand"
            | "unexpand" | "column" | "stat" | "readlink" | "realpath" | "zcat" | "bzcat" | "xzcat"
            | "zstdcat" | "tsort" | "pr" | "tokei" | "ghead" | "gtail" | "gcat" | "gwc" | "bc" | "jq"
            | "xmllint" | "look" | "numfmt" | "csvlook" | "csvcut" | "nm" | "objdump" | "readelf" | "ldd"
            | "size" | "otool" | "base64" | "base32" | "basenc" | "file" | "less" | "more" | "bat"
            | "batcat" | "most" | "iconv" => {
                self.plain_reader(name, rest);
            }
            "ls" | "gls" | "dir" | "vdir" | "exa" | "eza" | "lsd" | "tree" | "du" => self.lister(name, rest),
            "diff" | "gdiff" | "colordiff" => {
                let options = Options::read(rest, &["-x", "-X", "-I", "-U", "-C", "-W", "--exclude"]);
                if options.has(&["-r", "--recursive", "--recurse"]) {
                    let excludes = options.values(&["-x", "--exclude"]);
                    let excludes = excludes.filter_map(|text| text.as_literal().map(str::to_owned)).collect();
                    let reads = Reads { content: true, excludes, ..Reads::default() };
                    for operand in &options.operands {
                        self.walks(operand, &reads);
                    }
                }
                if options.has(&["--output"]) {
                    self.opaque();
                }
                self.read_all(&options.operands);
            }
            "grep" | "egrep" | "fgrep" | "rgrep" | "ggrep" | "zgrep" | "rg" | "ag" | "ack" | "ugrep" => {
                self.grep(name, rest);
            }
            "sort" | "gsort" | "shuf" | "uniq" => self.sorter(name, rest),
            "find" | "gfind" => self.find(rest)?,
            "fd" | "fdfind" => self.fd(rest)?,
            "sed" | "gsed" => self.sed(rest),
            "awk" | "gawk" | "mawk" | "nawk" => self.awk(rest),
            "yq" => {
                let options = Options::read(rest, &["-o", "-p", "-I", "-s"]);
                if options.has(&["-i", "--inplace", "--in-place"]) {
                    self.write_all(&options.operands, false);
                }
                if options.has(&["-s", "--split-exp"]) || options.is_open {
                    self.opaque();
                }
                self.read_all(options.operands.get(1..).unwrap_or_default());
            }
            "xxd" => {
                let options = Options::read(rest, &["-c", "-g", "-l", "-o", "-s", "-n", "-R"]);
                self.read_all(options.operands.get(..1).unwrap_or_default());
                self.write_all(options.operands.get(1..).unwrap_or_default(), false);
                if options.is_open {
                    self.opaque();
                }
            }
            "date" => {
                let options = Options::read(rest, &["-d", "-r", "-f", "-s", "-I?", "--set", "--date"]);
                self.effects.acts |= options.has(&["-s", "--set"]) || options.is_open;
            }
            "pwd" | "basename" | "dirname" | "seq" | "tr" | "uname" | "hostname" | "whoami" | "id"
            | "groups" | "ps" | "top" | "free" | "df" | "uptime" | "printenv" | "tput" | "clear"
            | "reset" | "tty" | "stty" | "locale" | "nproc" | "arch" | "expr" | "yes" | "factor" | "lsof"
            | "pgrep" | "pstree" | "who" | "w" | "last" | "getconf" | "apropos" | "cal" | "lscpu"
            | "lsblk" | "sw_vers" | "logname" | "pathchk" | "mountpoint" | "findmnt" | "vmstat"
            | "netstat" | "uuidgen" => {}
            "man" | "info" => {
                if rest.iter().any(Text::may_be_option) {
                    self.opaque();
                }
            }
            "dig" | "nslookup" | "host" | "ping" | "traceroute" | "whois" => self.effects.network = true,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn plain_reader(&mut self, name: &str, rest: &[Text]) {
        let valued: &[&str] = match name {
            "head" | "tail" | "ghead" | "gtail" => &["-n", "-c", "--lines", "--bytes"],
            "cut" => &["-d", "-f", "-c", "-b", "--output-delimiter"],
            "less" | "bat" | "batcat" => {
                &["-o", "-O", "--pager", "-l", "-r", "--language", "--line-range", "--log-file"]
            }
            "base64" | "base32" | "basenc" => &["-o", "-i", "-w", "-b", "--output"],
            "xmllint" => &["--output", "--xpath", "--schema"],
            "file" => &["-m", "-f"],
            "iconv" => &["-f", "-t", "-o", "--output", "--from-code", "--to-code"],
            "jq" => &["-f", "-L", "--indent", "--from-file"],
            _ => &[],
        };
        let options = Options::read(rest, valued);
        let can_write = matches!(
            name,
            "less"
                | "bat"
                | "batcat"
                | "base64"
                | "base32"
                | "basenc"
                | "xmllint"
                | "iconv"
                | "pr"
                | "more"
                | "most"
        );
        if can_write {
            for file in options.values(&["-o", "-O", "--output", "--log-file"]) {
                self.writes(file, false);
            }
            if options.has(&["--pager"])
                || options.is_open
                || rest.iter().any(|word| word.known_start().starts_with('+'))
            {
                self.opaque();
            }
        }
        if options.has(&["--shell"]) || name == "ldd" || name == "file" && options.has(&["-C", "--compile"]) {
            self.opaque();
        }
        let operands =
            if name == "jq" { options.operands.get(1..).unwrap_or_default() } else { &options.operands };
        self.read_all(operands);
    }

    fn lister(&mut self, name: &str, rest: &[Text]) {
        let options =
            Options::read(rest, &["-I", "-w", "-T", "-L", "-o", "-P", "-d", "--ignore", "--exclude"]);
        if name == "tree" {
            for file in options.values(&["-o"]) {
                self.writes(file, false);
            }
            if options.is_open || options.has(&["-R"]) {
                self.opaque();
            }
        }
        let goes_down = matches!(name, "tree" | "du") || options.has(&["-R", "--recursive", "--tree"]);
        let mut operands = options.operands.clone();
        if operands.is_empty() {
            operands.push(Text::literal("."));
        }
        if goes_down {
            let excludes = options.values(&["-I", "--ignore", "--exclude"]);
            let excludes = excludes.filter_map(|text| text.as_literal().map(str::to_owned)).collect();
            let reads = Reads { excludes, ..Reads::default() };
            for operand in &operands {
                self.walks(operand, &reads);
            }
        }
    }

    fn grep(&mut self, name: &str, rest: &[Text]) {
        let valued = [
            "-e",
            "-f",
            "-m",
            "-A",
            "-B",
            "-C",
            "-d",
            "-D",
            "-g",
            "-t",
            "-T",
            "-j",
            "-M",
            "-r?",
            "--regexp",
            "--file",
            "--include",
            "--exclude",
            "--exclude-dir",
            "--glob",
            "--iglob",
            "--type",
            "--type-not",
            "--max-count",
            "--context",
            "--after-context",
            "--before-context",
            "--ignore-dir",
            "--max-depth",
            "--color",
            "--colors",
            "--sort",
            "--threads",
            "--pre",
            "--pre-glob",
            "--hostname-bin",
            "--ignore-file",
            "--engine",
            "--pager",
        ];
        // Only `rg` gives `-r` a value; elsewhere it goes through folders.
        let is_rg = name == "rg";
        let valued: Vec<&str> = valued
            .iter()
            .map(|option| if is_rg && *option == "-r?" { "-r" } else { option })
            .filter(|option| {
                is_rg || *option != "-r?" && !matches!(*option, "-g" | "-t" | "-T" | "-j" | "-M")
            })
            .collect();
        let options = Options::read(rest, &valued);
        if options.has(&["--pre", "--hostname-bin", "--pager", "--filter", "--save-config"])
            || options.is_open && !name.ends_with("grep")
        {
            self.opaque();
        }
        let has_pattern = options.has(&["-e", "-f", "--regexp", "--file", "--files", "--type-list"]);
        let files = options.operands.get(usize::from(!has_pattern)..).unwrap_or_default();
        let goes_down = matches!(name, "rg" | "ag" | "ack" | "rgrep")
            || options.has(&["-r", "-R", "--recursive", "--dereference-recursive"])
            || options.values(&["-d"]).any(|value| value.as_literal() == Some("recurse"));
        if !goes_down {
            self.read_all(files);
            return;
        }
        let mut excludes: Vec<String> = options
            .values(&["--exclude", "--exclude-dir", "--ignore-dir"])
            .filter_map(|text| text.as_literal().map(str::to_owned))
            .collect();
        let globs = options
            .values(&["-g", "--glob", "--iglob"])
            .filter_map(|text| text.as_literal()?.strip_prefix('!'));
        excludes.extend(globs.map(str::to_owned));
        let honours = matches!(name, "rg" | "ag");
        let reads = Reads {
            content: !options.has(&["--files"]),
            excludes,
            skips_hidden: honours
                && !options.has(&["--hidden", "-."])
                && !options.has(&["-uu"])
                && !options.has(&["-u"]),
            skips_ignored: honours
                && !options.has(&["--no-ignore", "-u", "-U", "--unrestricted", "--skip-vcs-ignores"]),
        };
        let here = [Text::literal(".")];
        for root in if files.is_empty() { &here } else { files } {
            self.walks(root, &reads);
        }
    }

    fn sorter(&mut self, name: &str, rest: &[Text]) {
        let valued: &[&str] = if name == "uniq" {
            &["-f", "-s", "-w"]
        } else {
            &[
                "-o",
                "-k",
                "-t",
                "-S",
                "-T",
                "-n?",
                "--output",
                "--key",
                "--field-separator",
                "--buffer-size",
                "--temporary-directory",
                "--compress-program",
                "--files0-from",
                "--parallel",
            ]
        };
        let valued: Vec<&str> = valued.iter().copied().filter(|option| *option != "-n?").collect();
        let options = Options::read(rest, &valued);
        for file in options.values(&["-o", "--output"]) {
            self.writes(file, false);
        }
        if options.has(&["--compress-program"]) || options.is_open {
            self.opaque();
        }
        if name == "uniq" {
            self.read_all(options.operands.get(..1).unwrap_or_default());
            self.write_all(options.operands.get(1..).unwrap_or_default(), false);
        } else {
            self.read_all(&options.operands);
        }
    }
}
