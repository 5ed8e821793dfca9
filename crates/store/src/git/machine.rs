//! What a person's settings may say about the machine, and what of it is believed.

use std::path::Path;

use super::listing::{Listed, State, records};
use super::{Disk, Git, GitError, Layout, parse_bool};

/// Settings that a checkout depends on: how this system ends lines and which marks its files can keep.
///
/// Everything else that a person can set is a matter of taste, and must not decide what a gate sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Machine {
    /// Line ends of text files may be CRLF on disk and LF in git (`core.autocrlf`).
    pub(crate) auto_crlf: bool,
    /// Files on disk keep the permission to execute.
    pub(crate) file_mode: bool,
    /// Files on disk can be symbolic links.
    pub(crate) symlinks: bool,
    /// Names that differ in case alone are one file.
    pub(crate) ignore_case: bool,
    /// Git LFS is set up, so a file on disk can stand for its pointer in git.
    pub(crate) lfs: bool,
    /// `core.precomposeUnicode`, a matter of the file system too.
    precompose: bool,
    /// What fetching objects takes, in a clone that does not have them all.
    transport: Vec<Setting>,
}

/// A key, and its value unless it stands without `=`.
type Setting = (Vec<u8>, Option<Vec<u8>>);

impl Machine {
    pub(super) fn of(git: &Git, layout: &Layout) -> Result<Self, GitError> {
        let mut machine = Self {
            auto_crlf: false,
            file_mode: cfg!(unix),
            symlinks: true,
            ignore_case: false,
            lfs: false,
            precompose: false,
            transport: Vec::new(),
        };
        let mut is_partial = false;
        let (_, output) = git.call(["config", "-z", "--list"]).answer()?;
        // `<key>` LF `<value>`, and the key alone where it stands without `=`.
        for record in records(&output) {
            let end = record.iter().position(|&byte| byte == b'\n');
            let (key, value) = match end {
                Some(end) => (&record[..end], Some(&record[end + 1..])),
                None => (record, None),
            };
            let set = parse_bool(value) == Some(true);
            match key {
                b"core.autocrlf" => {
                    machine.auto_crlf = set || value.is_some_and(|it| it.eq_ignore_ascii_case(b"input"));
                }
                b"core.filemode" => machine.file_mode = set && cfg!(unix),
                b"core.symlinks" => machine.symlinks = set,
                b"core.ignorecase" => machine.ignore_case = set && folds_case(layout),
                b"core.precomposeunicode" => machine.precompose = set,
                b"filter.lfs.clean" | b"filter.lfs.process" => machine.lfs = true,
                b"extensions.partialclone" => is_partial = true,
                _ => is_partial |= set && key.starts_with(b"remote.") && key.ends_with(b".promisor"),
            }
            if is_transport(key) {
                machine.transport.push((key.to_vec(), value.map(<[u8]>::to_vec)));
            }
        }
        if !is_partial {
            machine.transport.clear();
        }
        Ok(machine)
    }

    /// Takes back what the files on disk belie, and says whether that was anything: where one file may be executed
    /// and another may not, the permission is kept; where there is a link, there can be links.
    pub(super) fn correct(
        &mut self,
        listing: &[Listed],
        disk: &mut Disk,
        layout: &Layout,
    ) -> Result<bool, GitError> {
        if self.symlinks && (self.file_mode || cfg!(not(unix))) {
            return Ok(false);
        }
        let mut seen = Seen::default();
        for listed in listing {
            if let Some((_, metadata)) = disk.find(&listed.path)?
                && !matches!(listed.state, State::Nested)
            {
                seen.take(&metadata);
            }
        }
        seen.take_of_repository(layout);
        let before = (self.file_mode, self.symlinks);
        self.file_mode |= seen.executable && seen.plain;
        self.symlinks |= seen.link;
        Ok((self.file_mode, self.symlinks) != before)
    }

    /// The text of a configuration that says this and nothing else.
    pub(super) fn config(&self, sha256: bool) -> Vec<u8> {
        let auto_crlf = if self.auto_crlf { "input" } else { "false" };
        let mut text = format!(
            "[core]\nrepositoryFormatVersion = 1\nbare = false\nautocrlf = {auto_crlf}\nfileMode = {}\nsymlinks = {}\n\
             ignoreCase = {}\nprecomposeUnicode = {}\nattributesFile = /dev/null\nexcludesFile = /dev/null\n",
            self.file_mode, self.symlinks, self.ignore_case, self.precompose,
        )
        .into_bytes();
        if sha256 {
            text.extend_from_slice(b"[extensions]\nobjectFormat = sha256\n");
        }
        for (key, value) in &self.transport {
            put(&mut text, key, value.as_deref());
        }
        text
    }
}

/// Whether git takes this setting to find out how objects are fetched.
fn is_transport(key: &[u8]) -> bool {
    const SECTIONS: [&[u8]; 9] = [
        b"remote.",
        b"url.",
        b"http.",
        b"credential.",
        b"protocol.",
        b"ssh.",
        b"fetch.",
        b"promisor.",
        b"transfer.",
    ];
    SECTIONS.iter().any(|section| key.starts_with(section))
        || matches!(key, b"core.sshcommand" | b"core.askpass" | b"core.gitproxy" | b"extensions.partialclone")
}

/// Adds one setting, as git reads it.
fn put(text: &mut Vec<u8>, key: &[u8], value: Option<&[u8]>) {
    let quoted = |bytes: &[u8]| {
        let mut quoted = vec![b'"'];
        for &byte in bytes {
            match byte {
                b'"' | b'\\' => quoted.extend([b'\\', byte]),
                b'\n' => quoted.extend(b"\\n"),
                _ => quoted.push(byte),
            }
        }
        quoted.push(b'"');
        quoted
    };
    let (Some(first), Some(last)) =
        (key.iter().position(|&byte| byte == b'.'), key.iter().rposition(|&byte| byte == b'.'))
    else {
        return;
    };
    text.push(b'[');
    text.extend_from_slice(&key[..first]);
    if first < last {
        text.push(b' ');
        text.extend(quoted(&key[first + 1..last]));
    }
    text.extend(b"]\n");
    text.extend_from_slice(&key[last + 1..]);
    if let Some(value) = value {
        text.extend(b" = ");
        text.extend(quoted(value));
    }
    text.push(b'\n');
}

/// Whether the file system really takes `.GIT` for `.git`.
fn folds_case(layout: &Layout) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let id = |path: &Path| std::fs::symlink_metadata(path).ok().map(|it| (it.dev(), it.ino()));
        let same = |name: &Path, other: &Path| id(name).is_some() && id(name) == id(other);
        same(&layout.work_tree.join(".git"), &layout.work_tree.join(".GIT"))
            || same(&layout.common_dir.join("HEAD"), &layout.common_dir.join("head"))
    }
    #[cfg(not(unix))]
    {
        let _: &Path = &layout.work_tree;
        true
    }
}

/// What there is among the files on disk.
#[derive(Default)]
struct Seen {
    executable: bool,
    plain: bool,
    link: bool,
}

impl Seen {
    fn take(&mut self, metadata: &std::fs::Metadata) {
        self.link |= metadata.is_symlink();
        #[cfg(unix)]
        if metadata.is_file() {
            let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions());
            self.executable |= mode & 0o100 != 0;
            self.plain |= mode & 0o100 == 0;
        }
    }

    /// Git's own files count too, where they lie in the same file system.
    fn take_of_repository(&mut self, layout: &Layout) {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let head = std::fs::symlink_metadata(layout.git_dir.join("HEAD")).ok();
            let top = std::fs::symlink_metadata(&layout.work_tree).ok();
            if let (Some(head), Some(top)) = (head, top)
                && head.dev() == top.dev()
                && head.is_file()
            {
                self.take(&head);
            }
        }
        #[cfg(not(unix))]
        let _ = (self, layout);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::fixture::Fixture;

    #[test]
    fn a_setting_is_written_as_git_reads_it() {
        let fixture = Fixture::new();
        let settings: [(&str, Option<&str>); 4] = [
            ("remote.a.b\"c\\d.url", Some("x \"y\" \\ # z\n;")),
            ("remote.plain.promisor", None),
            ("core.sshcommand", Some(" ssh ")),
            ("http.https://x.org/.proxy", Some("")),
        ];
        let mut text = Vec::new();
        for (key, value) in settings {
            put(&mut text, key.as_bytes(), value.map(str::as_bytes));
        }
        std::fs::write(fixture.beside("config"), text).unwrap();
        let file = fixture.beside("config");
        let output = fixture.ask().output(["config", "-z", "--list", "-f", file.to_str().unwrap()]).unwrap();
        let expected: Vec<String> = settings
            .iter()
            .map(|(key, value)| value.map_or_else(|| (*key).to_owned(), |value| format!("{key}\n{value}")))
            .collect();
        assert_eq!(records(&output.stdout).map(String::from_utf8_lossy).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn only_a_file_system_that_folds_case_is_believed_to() {
        let fixture = Fixture::new();
        let layout = fixture.ask().layout().unwrap();
        let folds = fixture.root.join(".GIT").exists();
        fixture.git(&["config", "core.ignoreCase", "true"]);
        assert_eq!(Machine::of(&fixture.ask(), &layout).unwrap().ignore_case, folds);
        #[cfg(unix)]
        if !folds {
            std::os::unix::fs::symlink(".git", fixture.root.join(".GIT")).unwrap();
            assert!(!Machine::of(&fixture.ask(), &layout).unwrap().ignore_case);
        }
    }
}
