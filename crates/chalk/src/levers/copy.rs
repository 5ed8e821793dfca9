//! A throwaway copy of the work tree, for tests that run over changed or missing code.
//!
//! It holds the files that a commit would hold. Folders of installed dependencies are not copied but mirrored: real
//! folders with links to what lies in them, so that a tool that clears such a folder takes links away and nothing
//! of the user's. What other ignored folders hold (build output) is left out, since it could stand in for the code
//! that was changed.
//!
//! The copy lies in the temporary folder and not below `.git/`, where many test runners see no files.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use canon::Sha256;
use gate::Refusal;
use gate::run::{self, Capture, Command, Input, Program, Ran};
use store::git::{Git, Layout, RepoPath};

use crate::codes;
use crate::content::{held_out_folder, is_left_out};
use crate::exec;
use crate::model::Config;
use crate::session::{self, Session};

/// Folders that package managers fill.
const DEPENDENCIES: &[&str] =
    &["node_modules", ".venv", "venv", "vendor", "bower_components", "deps", "Pods"];
/// What tools keep in such folders for themselves.
const CACHES: &[&str] = &[".cache", ".vite", ".vite-temp", ".vitest"];

/// The copy. Dropped, it is gone.
pub(super) struct Copy {
    /// The folder of its own that holds all of it.
    folder: PathBuf,
    /// Stands for the folder of the spine, or the matching one of a linked work tree.
    pub tree: PathBuf,
    env: Vec<(OsString, OsString)>,
}

impl Copy {
    /// Copies the work tree around `tree`. Copies that killed processes left behind are removed first.
    pub fn make(session: &Session<'_>, config: &Config, tree: &Path) -> Result<Self, Refusal> {
        let layout = Layout::discover(tree).map_err(session::git)?;
        let layout = layout.ok_or_else(|| Refusal::new(codes::GIT, "there is no repository to copy"))?;
        let original = &layout.work_tree;
        let within = tree.strip_prefix(original).unwrap_or(Path::new(""));
        let folder = new_folder(session, original)?;
        // Under the same name, which some tools take for the name of the project.
        let top = folder.join(original.file_name().unwrap_or(OsStr::new("tree")));
        let mut copy = Self { tree: join(&top, within), env: Vec::new(), folder };

        let source = Source { session, original, top: &top };
        let held_out = held_out_folder(config);
        let leave_out = |path: &RepoPath| {
            let path = path.to_path();
            let relative =
                path.strip_prefix(within).map(|path| RepoPath::from_path(path).as_bytes().to_vec());
            relative.is_ok_and(|path| is_left_out(&path, held_out.as_ref().map(String::as_bytes)))
        };
        source.copy_repository(original, &top, &leave_out)?;
        fs::create_dir_all(&copy.tree).map_err(|error| failed(&copy.tree, &error))?;
        // A command that makes a fresh checkout ready installs them itself.
        if config.protocol.worktree.setup.trim().is_empty() {
            source.mirror_dependencies()?;
        }
        copy.env = source.environment(&copy.tree);
        Ok(copy)
    }

    /// A folder beside the copy that goes with it.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Whether what is written under this name stays in the copy: no folder on the way is a link that leads out.
    pub fn holds(&self, path: &Path) -> bool {
        let on_disk = path.ancestors().skip(1).find_map(|folder| fs::canonicalize(folder).ok());
        on_disk.is_some_and(|folder| folder.starts_with(&self.folder))
    }

    /// Runs the command that makes a fresh checkout ready, if there is one; what went wrong, if it failed.
    pub fn set_up(&self, config: &Config, log: &Path) -> Result<Option<String>, Refusal> {
        let Some(setup) = config.protocol.command(&config.protocol.worktree.setup) else { return Ok(None) };
        let ran = self.run(Program::shell(&setup), config.protocol.timeouts.gate, log)?;
        Ok((!ran.success())
            .then(|| format!("`{setup}` failed in the copy: {}; see `{}`", ran.cause(), log.display())))
    }

    /// Runs a program in the copy.
    pub fn run(&self, program: Program, seconds: u64, log: &Path) -> Result<Ran, Refusal> {
        run::run(&Command {
            program,
            dir: self.tree.clone(),
            env: self.env.clone(),
            stdin: Input::Null,
            deadline: (seconds > 0).then(|| Duration::from_secs(seconds)),
            capture: Capture::Combined(log.to_owned()),
        })
        .map_err(|error| failed(&self.tree, &error))
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Copies one file or symbolic link; what is in the way is replaced.
pub(super) fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    remove(to)?;
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    if fs::symlink_metadata(from)?.is_symlink() {
        return link(&fs::read_link(from)?, to);
    }
    fs::copy(from, to)?;
    // Build tools compare times, and this content is newer than whatever was built from the last one. Some systems
    // copy the time too. Of a file that can't be written it stays.
    if let Ok(file) = fs::File::options().write(true).open(to) {
        file.set_modified(std::time::SystemTime::now())?;
    }
    Ok(())
}

/// Takes away what stands under a name, if anything does.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(())
        }
        Err(error) => Err(error),
    }
}

/// What is copied, and where to.
struct Source<'a, 'w> {
    session: &'a Session<'w>,
    original: &'a Path,
    top: &'a Path,
}

impl Source<'_, '_> {
    fn copy_repository(
        &self,
        from: &Path,
        to: &Path,
        leave_out: &dyn Fn(&RepoPath) -> bool,
    ) -> Result<(), Refusal> {
        fs::create_dir_all(to).map_err(|error| failed(to, &error))?;
        let mut seen = (PathBuf::new(), false);
        for path in Git::new(from, &self.session.world.env).files().map_err(session::git)? {
            if leave_out(&path) {
                continue;
            }
            let (source, target) = (from.join(path.to_path()), to.join(path.to_path()));
            // A tracked file whose folder became a link is gone, and what lies behind the link is somebody else's.
            let folder = source.parent().unwrap_or(from);
            if seen.0 != folder {
                seen = (folder.to_owned(), fs::canonicalize(folder).is_ok_and(|real| real == folder));
            }
            if !seen.1 {
                continue;
            }
            let Ok(metadata) = fs::symlink_metadata(&source) else { continue };
            if metadata.is_dir() {
                // A submodule or nested repository; asked itself, since an empty folder would answer for the one
                // around it.
                let own = Layout::discover(&source).ok().flatten();
                if own.is_some_and(|layout| layout.work_tree == source) {
                    self.copy_repository(&source, &target, &|_| false)?;
                }
            } else if metadata.is_symlink() {
                self.copy_link(&source, &target).map_err(|error| failed(&source, &error))?;
            } else if metadata.is_file() {
                match copy_file(&source, &target) {
                    // Gone since it was listed.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    copied => copied.map_err(|error| failed(&source, &error))?,
                }
            }
        }
        Ok(())
    }

    /// A link to a place within the work tree leads to the same place in the copy, one that leads out stays.
    fn copy_link(&self, source: &Path, target: &Path) -> io::Result<()> {
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder)?;
        }
        let leads_to = fs::read_link(source)?;
        let absolute = source.parent().unwrap_or(self.original).join(&leads_to);
        let lands = fs::canonicalize(&absolute).ok();
        match lands.as_deref().map(|lands| lands.strip_prefix(self.original)) {
            Some(Ok(_)) if leads_to.is_relative() => link(&leads_to, target),
            Some(Ok(within)) => link(&join(self.top, within), target),
            Some(Err(_)) => link(lands.as_deref().unwrap_or(&absolute), target),
            None => link(&leads_to, target),
        }
    }

    fn mirror_dependencies(&self) -> Result<(), Refusal> {
        let git = Git::new(self.original, &self.session.world.env);
        let ask = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
        let ignored = git.output(ask).map_err(session::git)?.stdout;
        for name in ignored.split(|&byte| byte == 0).filter(|name| !name.is_empty()) {
            let path = RepoPath::new(name).to_path();
            let is_dependency =
                path.file_name().is_some_and(|name| DEPENDENCIES.iter().any(|it| name == *it));
            let source = self.original.join(&path);
            if is_dependency
                && let Ok(source) = fs::canonicalize(&source)
                && source.is_dir()
            {
                let target = self.top.join(&path);
                self.mirror(&source, &target).map_err(|error| failed(&source, &error))?;
            }
        }
        Ok(())
    }

    fn mirror(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            let name = entry.file_name();
            let (source, target) = (entry.path(), to.join(&name));
            let kind = entry.file_type()?;
            if CACHES.iter().any(|cache| name == *cache) {
                continue;
            }
            if kind.is_dir() && name.to_string_lossy().starts_with('@') {
                self.mirror(&source, &target)?;
            } else if kind.is_dir() && name == "composer" {
                // Its autoloader finds the project from the place of its own file, behind any link.
                copy_folder(&source, &target)?;
            } else if kind.is_symlink() {
                // Packages of the same repository are linked into this folder: they must be those of the copy.
                let Ok(lands) = fs::canonicalize(&source) else { continue };
                let own = lands.strip_prefix(self.original).ok().filter(|within| !is_in_dependencies(within));
                link(&own.map_or_else(|| lands.clone(), |within| join(self.top, within)), &target)?;
            } else if kind.is_dir() {
                link(&source, &target)?;
            } else if kind.is_file() {
                copy_file(&source, &target)?;
            }
        }
        Ok(())
    }

    /// The caller's environment, with places in the work tree moved into the copy.
    fn environment(&self, tree: &Path) -> Vec<(OsString, OsString)> {
        let mut env = exec::environment(self.session);
        for (name, value) in &mut env {
            let moved = moved(value, self.original, self.top);
            if name == "PATH" && moved != *value {
                // Tools in ignored folders were not copied.
                let before = std::mem::replace(value, moved);
                value.push(":");
                value.push(before);
            } else {
                *value = moved;
            }
        }
        // A project that is installed in place is found by its absolute path, so it must be found here before.
        let mut places: Vec<PathBuf> = Vec::new();
        for folder in [tree, self.top] {
            places.extend([folder.join("src"), folder.to_owned()].into_iter().filter(|place| place.is_dir()));
        }
        places.dedup();
        let name = OsString::from("PYTHONPATH");
        let before = env.iter().position(|(it, _)| *it == name).map(|at| env.remove(at).1);
        places.extend(before.iter().flat_map(std::env::split_paths));
        if let Ok(value) = std::env::join_paths(places) {
            env.push((name, value));
        }
        // Its cache tells versions of a file apart by size and second.
        env.push(("PYTHONDONTWRITEBYTECODE".into(), "1".into()));
        env
    }
}

/// A new folder in the temporary one, readable by its owner alone.
fn new_folder(session: &Session<'_>, original: &Path) -> Result<PathBuf, Refusal> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let env = &session.world.env;
    let named = ["TMPDIR", "TEMP", "TMP"].iter().filter_map(|name| env.get(name)).map(Path::new);
    let candidates = named.chain([Path::new("/tmp")]).filter_map(|path| fs::canonicalize(path).ok());
    // Within the work tree the copy would be part of what is judged.
    let above = candidates.into_iter().find(|path| !path.starts_with(original));
    let above = above.ok_or_else(|| {
        Refusal::new(codes::IO, "there is no temporary folder to copy the work tree to").hint("set `TMPDIR`")
    })?;
    let prefix = format!("cairn-copy-{}-", Sha256::of(original.as_os_str().as_encoded_bytes()).short());
    sweep(&above, &prefix);
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = above.join(format!("{prefix}{}-{number}", std::process::id()));
        match builder.create(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(&folder, &error)),
        }
    }
}

/// Removes the copies of processes that are gone.
fn sweep(above: &Path, prefix: &str) {
    let Ok(entries) = fs::read_dir(above) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(rest) = name.to_str().and_then(|name| name.strip_prefix(prefix)) else { continue };
        let pid = rest.split('-').next().and_then(|pid| pid.parse::<u32>().ok());
        if pid.is_some_and(|pid| pid != std::process::id() && !store::lock::process_runs(pid)) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// `value` with every path in `from` moved to `to`.
fn moved(value: &OsStr, from: &Path, to: &Path) -> OsString {
    let (Some(text), Some(from), Some(to)) = (value.to_str(), from.to_str(), to.to_str()) else {
        return value.to_owned();
    };
    if from.len() < 2 {
        return value.to_owned();
    }
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(from) {
        let (before, found) = rest.split_at(at);
        let after = &found[from.len()..];
        let in_name = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
        let begins = !before.ends_with(in_name);
        let ends = after.is_empty() || after.starts_with('/') || !after.starts_with(in_name);
        out.push_str(before);
        out.push_str(if begins && ends { to } else { from });
        rest = after;
    }
    out.push_str(rest);
    out.into()
}

fn is_in_dependencies(path: &Path) -> bool {
    path.iter().any(|part| DEPENDENCIES.iter().any(|name| part == *name))
}

fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            copy_file(&entry.path(), &target)?;
        }
    }
    Ok(())
}

/// `base` joined with `within`, without the trailing slash that joining nothing leaves.
fn join(base: &Path, within: &Path) -> PathBuf {
    if within.as_os_str().is_empty() { base.to_owned() } else { base.join(within) }
}

#[cfg(unix)]
fn link(leads_to: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(leads_to, at)
}

#[cfg(not(unix))]
fn link(leads_to: &Path, at: &Path) -> io::Result<()> {
    let from = at.parent().unwrap_or(at).join(leads_to);
    if from.is_dir() { copy_folder(&from, at) } else { fs::copy(from, at).map(drop) }
}

fn failed(path: &Path, error: &io::Error) -> Refusal {
    Refusal::new(codes::IO, format!("cannot copy the work tree: `{}`: {error}", path.display()))
}
