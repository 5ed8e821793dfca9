//! Programs that fetch.

use crate::classify::shell::Shell;
use crate::classify::text::{Piece, Text};

use super::options::Options;

impl Shell<'_> {
    pub(super) fn fetcher(&mut self, name: &str, rest: &[Text]) -> bool {
        match name {
            "curl" => self.curl(rest),
            "wget" | "wget2" => self.wget(rest),
            "http" | "https" | "xh" | "aria2c" | "ssh" | "nc" | "ncat" | "netcat" | "telnet" | "ftp"
            | "socat" => {
                self.effects.network = true;
                self.opaque();
                for file in Options::read(rest, &["-o", "-d", "--output"]).values(&["-o", "--output"]) {
                    self.writes(file, false);
                }
            }
            _ => return false,
        }
        true
    }

    fn curl(&mut self, rest: &[Text]) {
        self.effects.network = true;
        let valued = [
            "-o",
            "-D",
            "-c",
            "-K",
            "-T",
            "-H",
            "-d",
            "-F",
            "-X",
            "-u",
            "-A",
            "-b",
            "-e",
            "-m",
            "-x",
            "-w",
            "-r",
            "-E",
            "-Y",
            "-y",
            "-z",
            "-C",
            "-t",
            "-Q",
            "-P",
            "-U",
            "--output",
            "--output-dir",
            "--dump-header",
            "--cookie-jar",
            "--config",
            "--upload-file",
            "--header",
            "--data",
            "--form",
            "--request",
            "--user",
            "--trace",
            "--trace-ascii",
            "--stderr",
            "--write-out",
            "--etag-save",
            "--hsts",
            "--alt-svc",
            "--url",
            "--data-raw",
            "--data-binary",
            "--data-urlencode",
            "--json",
            "--user-agent",
            "--cookie",
            "--max-time",
            "--connect-timeout",
            "--retry",
            "--cacert",
            "--cert",
            "--key",
            "--proxy",
            "--resolve",
            "--libcurl",
        ];
        let options = Options::read(rest, &valued);
        if options.has(&["-K", "--config"]) || options.is_open {
            self.opaque();
        }
        let sends = [
            "-d",
            "-F",
            "-T",
            "-X",
            "--data",
            "--form",
            "--upload-file",
            "--request",
            "--data-raw",
            "--data-binary",
            "--data-urlencode",
            "--json",
        ];
        self.effects.acts |= options.has(&sends);
        let folder = options.value(&["--output-dir"]);
        for file in options.values(&["-o", "--output"]) {
            if file.as_literal() != Some("-") {
                let file = folder.map_or_else(|| file.clone(), |folder| folder.join(file));
                self.writes(&file, false);
            }
        }
        let files = [
            "-D",
            "-c",
            "--dump-header",
            "--cookie-jar",
            "--trace",
            "--trace-ascii",
            "--stderr",
            "--etag-save",
            "--hsts",
            "--alt-svc",
            "--libcurl",
        ];
        for file in options.values(&files) {
            if file.as_literal() != Some("-") {
                self.writes(file, false);
            }
        }
        if options
            .values(&["-w", "--write-out"])
            .any(|format| format.as_literal().is_none_or(|text| text.contains("%output")))
        {
            self.opaque();
        }
        if options.has(&["-O", "--remote-name", "--remote-name-all", "-J", "--remote-header-name"]) {
            self.fetched(&options.operands, folder);
            if options.has(&["-J", "--remote-header-name"]) {
                self.opaque();
            }
        }
    }

    fn wget(&mut self, rest: &[Text]) {
        self.effects.network = true;
        let valued = [
            "-O",
            "-o",
            "-a",
            "-P",
            "-i",
            "-e",
            "-U",
            "-t",
            "-T",
            "-w",
            "-Q",
            "-B",
            "--output-document",
            "--output-file",
            "--append-output",
            "--directory-prefix",
            "--input-file",
            "--execute",
            "--header",
            "--user-agent",
            "--post-data",
            "--tries",
            "--timeout",
            "--use-askpass",
            "--save-cookies",
        ];
        let options = Options::read(rest, &valued);
        for file in options.values(&[
            "-O",
            "-o",
            "-a",
            "--output-document",
            "--output-file",
            "--append-output",
            "--save-cookies",
        ]) {
            if file.as_literal() != Some("-") {
                self.writes(file, false);
            }
        }
        if options.has(&[
            "-r",
            "-m",
            "-i",
            "-e",
            "-p",
            "-x",
            "--recursive",
            "--mirror",
            "--input-file",
            "--execute",
            "--use-askpass",
            "--content-disposition",
            "--page-requisites",
        ]) || options.is_open
        {
            self.opaque();
        }
        if !options.has(&["-O", "--output-document", "--spider", "--version", "--help"]) {
            self.fetched(&options.operands, options.value(&["-P", "--directory-prefix"]));
        }
    }

    /// Writes files of the names that the addresses end in.
    fn fetched(&mut self, addresses: &[Text], folder: Option<&Text>) {
        for address in addresses {
            let name = address.as_literal().map(|address| {
                let path = address.split(['?', '#']).next().unwrap_or_default();
                gate::words::base_name(path).to_owned()
            });
            let name = match name {
                Some(name) if !name.is_empty() => Text::literal(name),
                _ => {
                    let mut unknown = Text::default();
                    unknown.push(Piece::Unknown);
                    unknown
                }
            };
            self.writes(&folder.map_or_else(|| name.clone(), |folder| folder.join(&name)), false);
        }
    }
}
