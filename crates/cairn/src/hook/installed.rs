//! Installations on disk: where an agent's settings lie, what is done to them, and what undoes it.
//!
//! What undoes an installation lies outside the work tree: the person's own settings beside the keys, those of a work
//! tree in the repository's state.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agents::AgentId;
use agents::install::{self, Base, Edit, Scope, Status, Target, Undo};
use canon::Sha256;
use gate::Refusal;
use govern::State;
use serde::{Deserialize, Serialize};
use store::file;
use store::lock::Guard;
use store::{Env, World};

use crate::codes;
use crate::commands::workspace::handover::is_executable;

/// How long one installation waits for another.
const WAIT: Duration = Duration::from_secs(5);

/// What is kept of an installation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// The agent.
    pub agent: AgentId,
    /// The file that was written.
    pub file: PathBuf,
    /// The nearest folder above it that was there before.
    folder: PathBuf,
    /// The digest of what was written.
    pub content: Sha256,
    undo: Undo,
}

/// A planned change of one file.
#[derive(Debug)]
pub struct Step {
    /// The file.
    pub path: PathBuf,
    /// The change.
    pub edit: Edit,
    kept: Option<Kept>,
}

/// The installations of a repository and of the person who works in it.
pub struct Installed<'w> {
    state: &'w State,
    env: &'w Env,
    program: String,
}

impl<'w> Installed<'w> {
    /// The installations that a repository's agents meet. `program` is the path of this program.
    pub fn new(state: &'w State, world: &'w World, program: &Path) -> Self {
        Self { state, env: &world.env, program: program.to_string_lossy().into_owned() }
    }

    /// The person's settings folder, where one is set.
    fn config(&self) -> Option<PathBuf> {
        self.env.get("XDG_CONFIG_HOME").map(PathBuf::from).filter(|base| base.is_absolute())
    }

    /// Where a target lies.
    ///
    /// # Errors
    /// No home folder is set.
    pub fn path(&self, target: &Target) -> Result<PathBuf, Refusal> {
        let home = || self.env.get("HOME").map(PathBuf::from);
        let base = match target.base {
            Base::Project => Some(self.state.root().to_owned()),
            Base::Home => home(),
            Base::Config => self.config().or_else(|| home().map(|home| home.join(".config"))),
        };
        base.map(|base| base.join(target.path)).ok_or_else(|| {
            Refusal::new(codes::NO_STATE, "no home folder is set")
                .hint("set `HOME`, then run the command again")
        })
    }

    /// What installing changes, file by file.
    ///
    /// # Errors
    /// A file can't be read, or holds what the agent would not take.
    pub fn plan_install(&self, agent: AgentId, scope: Scope) -> Result<Vec<Step>, Refusal> {
        self.plan(agent, scope, |target, existing, undo| {
            install::plan_install(target, existing, &self.program, undo)
        })
    }

    /// What uninstalling changes, file by file.
    ///
    /// # Errors
    /// A file can't be read.
    pub fn plan_uninstall(&self, agent: AgentId, scope: Scope) -> Result<Vec<Step>, Refusal> {
        self.plan(agent, scope, install::plan_uninstall)
    }

    fn plan(
        &self,
        agent: AgentId,
        scope: Scope,
        edit: impl Fn(&Target, Option<&[u8]>, Option<&Undo>) -> Result<Edit, Refusal>,
    ) -> Result<Vec<Step>, Refusal> {
        let mut steps = Vec::new();
        for target in install::targets(agent, scope)? {
            let path = self.path(&target)?;
            let existing = read(&path)?;
            let kept = self.kept(&path);
            let edit = edit(&target, existing.as_deref(), kept.as_ref().map(|kept| &kept.undo))?;
            steps.push(Step { path, edit, kept });
        }
        Ok(steps)
    }

    /// How the installations of an agent stand.
    ///
    /// # Errors
    /// The agent has no settings that are written here.
    pub fn status(&self, agent: AgentId) -> Result<Vec<Status>, Refusal> {
        let mut found = Vec::new();
        for scope in [Scope::Private, Scope::Shared] {
            for target in install::targets(agent, scope)? {
                found.push(self.status_of(&target)?);
            }
        }
        Ok(found)
    }

    /// How the installation in one file stands.
    ///
    /// # Errors
    /// The file can't be read.
    pub fn status_of(&self, target: &Target) -> Result<Status, Refusal> {
        let existing = read(&self.path(target)?)?;
        let runs = |program: &str| program == self.program || self.runs(program);
        let mut status = install::status(target, existing.as_deref(), &self.program, &runs);
        if let (Base::Config, Some(folder)) = (target.base, self.config()) {
            // It lies elsewhere than the folder says that is usual.
            let usual = target.shown();
            let path = folder.join(target.path).display().to_string();
            let words = status.problems.iter_mut().chain(&mut status.cure).chain([&mut status.path]);
            words.for_each(|text| *text = text.replace(&usual, &path));
        }
        Ok(status)
    }

    fn runs(&self, program: &str) -> bool {
        let is_program = |file: &Path| is_executable(file) || cfg!(not(unix)) && file.is_file();
        if program.contains(['/', '\\']) {
            return is_program(Path::new(program));
        }
        let folders = self.env.get("PATH").unwrap_or(OsStr::new(""));
        std::env::split_paths(folders).any(|folder| is_program(&folder.join(program)))
    }

    /// Whether a planned change could be written. Nothing is written to find out.
    ///
    /// # Errors
    /// What keeps it from that.
    pub fn check(&self, step: &Step) -> Result<(), Refusal> {
        if !step.edit.is_change() {
            return Ok(());
        }
        let root = self.state.root();
        let above = super::above(&step.path);
        let top = if step.path.starts_with(root) { root } else { &above };
        file::check_replace(top, &step.path).map_err(|error| io(&error))
    }

    /// Makes a planned change. What undoes it is kept before anything is written.
    ///
    /// # Errors
    /// The file changed since it was shown, or can't be written.
    pub fn make(&self, step: &Step) -> Result<(), Refusal> {
        self.check(step)?;
        let place = self.place(&step.path);
        let _guard = Guard::acquire(&place.with_file_name("guard"), WAIT).map_err(|error| io(&error))?;
        if read(&step.path)? != step.edit.before {
            return Err(Refusal::new(codes::SETTINGS_MOVED, "the file changed while it was shown")
                .at(&step.path, None, None)
                .hint("run the command again"));
        }
        // A file is replaced as a whole, which asks its folder alone: that it was set read-only would go unheard.
        if step.edit.is_change() && fs::metadata(&step.path).is_ok_and(|file| file.permissions().readonly()) {
            return Err(Refusal::new(codes::NOT_WRITTEN, "the file is set to be read only")
                .at(&step.path, None, None)
                .hint("make it writable if cairn may change it, then run the command again"));
        }
        let folder = step.kept.as_ref().map_or_else(|| super::above(&step.path), |kept| kept.folder.clone());
        let root = self.state.root();
        // A person may link the folders of the home as they like. A folder of the project that is a link would let
        // the repository decide where outside of it is written.
        if step.edit.is_change()
            && let Some(parent) = step.path.parent().filter(|parent| parent.starts_with(root))
        {
            file::create_folder(root, parent).map_err(|error| io(&error))?;
        }
        if let (Some(undo), Some(after)) = (&step.edit.undo, &step.edit.after) {
            let kept = Kept {
                agent: step.edit.target.agent,
                file: step.path.clone(),
                folder,
                content: Sha256::of(after),
                undo: undo.clone(),
            };
            let text = serde_json::to_vec(&kept).map_err(|error| io(&error))?;
            file::replace(&place, &text).map_err(|error| io(&error))?;
        }
        if !step.edit.is_change() {
            return Ok(());
        }
        match &step.edit.after {
            Some(bytes) => {
                if let Some(folder) = step.path.parent() {
                    super::make_folder(folder).map_err(|error| io(&error))?;
                }
                file::replace(&step.path, bytes).map_err(|error| io(&error))
            }
            None => fs::remove_file(&step.path).map_err(|error| io(&error)),
        }
    }

    /// Makes a planned uninstallation, with the folders that were made for it.
    ///
    /// # Errors
    /// The file changed since it was shown, or can't be written.
    pub fn take_out(&self, step: &Step) -> Result<(), Refusal> {
        self.make(step)?;
        let Some(kept) = &step.kept else { return Ok(()) };
        let made = step.path.ancestors().skip(1).take_while(|folder| **folder != *kept.folder);
        for folder in made.filter(|folder| folder.starts_with(&kept.folder)) {
            // A folder that others use too is not empty, and stays.
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
        fs::remove_file(self.place(&step.path)).map_err(|error| io(&error))
    }

    /// What is kept of the installation in a file.
    pub fn kept(&self, path: &Path) -> Option<Kept> {
        let bytes = file::read(&self.place(path)).ok()??;
        serde_json::from_slice::<Kept>(&bytes).ok().filter(|kept| kept.file == path)
    }

    /// Where it is kept what undoes the installation in a file.
    pub fn undo_file(&self, path: &Path) -> PathBuf {
        self.place(path)
    }

    fn place(&self, path: &Path) -> PathBuf {
        let name = Sha256::of(path.as_os_str().as_encoded_bytes()).short();
        let base = if path.starts_with(self.state.root()) {
            self.state.folder().to_owned()
        } else {
            self.state.keys().with_file_name("govern")
        };
        base.join("undo").join(format!("{name}.json"))
    }
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, Refusal> {
    file::read(path).map_err(|error| {
        Refusal::new(agents::codes::SETTINGS_UNREADABLE, error.to_string())
            .hint("settings are read and written as plain files, never through a link; put one there, then try again")
    })
}

fn io(error: &dyn std::fmt::Display) -> Refusal {
    Refusal::new(codes::NOT_WRITTEN, error.to_string())
        .hint("make the place writable, then run the command again")
}
