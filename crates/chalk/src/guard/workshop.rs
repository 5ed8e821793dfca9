//! The folder that an author of held-out tests works in: empty, and nowhere near the code.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::io;
use std::path::{Component, Path, PathBuf};

use gate::Refusal;
use store::file;

use crate::codes;
use crate::exec;
use crate::held_out::{self, FOLDER_VARIABLE};
use crate::session::Session;

/// A new folder below the temporary one, readable by its owner alone, removed when dropped.
pub(super) struct Workshop {
    path: PathBuf,
    /// Where the set lies below the root of the spine; none where it lies outside.
    within: Option<PathBuf>,
    /// The author's own files that were laid there, with their content.
    tools: BTreeMap<PathBuf, Vec<u8>>,
}

impl Workshop {
    /// Makes the folder, with the set's own folder in it, empty, where that has a relative name: an author
    /// that writes there finds it.
    pub(super) fn new(session: &Session<'_>, within: Option<PathBuf>) -> Result<Self, Refusal> {
        let env = &session.world.env;
        let above =
            ["TMPDIR", "TEMP", "TMP"].iter().find_map(|name| env.get(name)).unwrap_or("/tmp".as_ref());
        let above = fs::canonicalize(above).map_err(|error| fail("find", Path::new(above), &error))?;
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        let path = loop {
            let path = above.join(session.world.new_id("chalk-author"));
            match builder.create(&path) {
                Ok(()) => break path,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(fail("create", &path, &error)),
            }
        };
        let workshop = Self { path, within, tools: BTreeMap::new() };
        if let Some(within) = &workshop.within {
            let folder = workshop.path.join(within);
            fs::create_dir_all(&folder).map_err(|error| fail("create", &folder, &error))?;
        }
        Ok(workshop)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Lays the files of the project that the command names, such as the script that it starts, at the
    /// same relative place. Nothing else of the project is there.
    pub(super) fn lay_tools(&mut self, command: &str, root: &Path) -> Result<(), Refusal> {
        let ends = |c: char| c.is_whitespace() || "\"'`;|&()<>=".contains(c);
        for word in command.split(ends).filter(|word| !word.is_empty()) {
            let named = Path::new(word);
            let is_plain = |part| matches!(part, Component::Normal(_) | Component::CurDir);
            if !named.components().all(is_plain) {
                continue;
            }
            let named: PathBuf = named.components().filter(|part| *part != Component::CurDir).collect();
            // A word is a file's name only where there is such a file.
            let Ok(Some(bytes)) = file::read(&root.join(&named)) else { continue };
            let to = self.path.join(&named);
            let laid = to
                .parent()
                .map_or(Ok(()), fs::create_dir_all)
                .and_then(|()| fs::copy(root.join(&named), &to));
            laid.map_err(|error| fail("write", &to, &error))?;
            self.tools.insert(named, bytes);
        }
        Ok(())
    }

    /// The caller's environment without what points back to the project.
    pub(super) fn environment(&self, session: &Session<'_>) -> Vec<(OsString, OsString)> {
        let mut env = exec::environment(session);
        env.retain(|(name, _)| name != "OLDPWD" && name != "INIT_CWD");
        env.push(("PWD".into(), self.path.clone().into()));
        env.push((FOLDER_VARIABLE.into(), self.path.clone().into()));
        env
    }

    /// The files that the author wrote, relative to the set's folder: those in the folder itself, and those
    /// in the set's relative place below it.
    ///
    /// # Errors
    /// `author-failed` where one file was written at both places with different content.
    pub(super) fn harvest(&self) -> Result<BTreeMap<PathBuf, PathBuf>, Refusal> {
        let mut found: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
        let places = [Some(self.path.clone()), self.within.as_ref().map(|within| self.path.join(within))];
        for place in places.iter().flatten() {
            for file in held_out::test_files(place)? {
                let from = place.join(&file);
                let below = from.strip_prefix(&self.path).unwrap_or(&file);
                if self.is_tool(below, &from) {
                    continue;
                }
                let to = match &self.within {
                    Some(within) => below.strip_prefix(within).unwrap_or(&file).to_owned(),
                    None => file,
                };
                if let Some(other) = found.get(&to).filter(|other| **other != from)
                    && fs::read(other).ok() != fs::read(&from).ok()
                {
                    let message = format!("the author wrote two files for `{}`", to.display());
                    return Err(Refusal::new(codes::AUTHOR_FAILED, message));
                }
                found.insert(to, from);
            }
        }
        Ok(found)
    }

    fn is_tool(&self, below: &Path, file: &Path) -> bool {
        self.tools.get(below).is_some_and(|bytes| fs::read(file).is_ok_and(|now| now == *bytes))
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn fail(doing: &str, path: &Path, error: &io::Error) -> Refusal {
    Refusal::new(codes::IO, format!("cannot {doing} `{}`: {error}", path.display()))
}
