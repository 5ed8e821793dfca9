//! Where the hooks find this program, which they start by its name.

use std::fmt;
use std::path::{Path, PathBuf};

use super::gather::Programs;

/// Why the hooks can't start this program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoEngine {
    /// No folder of the `PATH` has it.
    Nowhere,
    /// The first on the `PATH` lies in the target, or in a folder that is named from nowhere.
    Within(PathBuf),
    /// It says that it is another version, or says nothing.
    Other(PathBuf, Option<String>),
    /// It is another file than the program that runs, and may not be asked for its version.
    Unasked(PathBuf),
}

impl NoEngine {
    /// What is known to be refused when it comes to it.
    pub fn is_certain(&self) -> bool {
        !matches!(self, Self::Unasked(_))
    }

    /// What mends it.
    pub fn cure(&self) -> String {
        let own = env!("CARGO_PKG_VERSION");
        match self {
            Self::Nowhere => format!("put `cairn` {own} on the `PATH` of the agent, outside of the target"),
            Self::Within(_) => {
                "install `cairn` outside of the target, and have that folder first on the `PATH`".to_owned()
            }
            Self::Other(..) => {
                format!("have `cairn` {own} first on the `PATH`, or deploy with the one that is there")
            }
            Self::Unasked(_) => "let the probe run without `--no-run`".to_owned(),
        }
    }
}

impl fmt::Display for NoEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nowhere => f.write_str("`cairn` is not on the `PATH`, so that no hook could start it"),
            Self::Within(path) => write!(
                f,
                "`cairn` on the `PATH` is `{}`, which lies in the target, where those that it judges could change it",
                path.display()
            ),
            Self::Other(path, version) => write!(
                f,
                "`{}` says that it is version {}, and this is {}",
                path.display(),
                version.as_deref().unwrap_or("none"),
                env!("CARGO_PKG_VERSION")
            ),
            Self::Unasked(path) => {
                write!(
                    f,
                    "`{}` is another file than this program, and `--no-run` keeps it from being asked for its version",
                    path.display()
                )
            }
        }
    }
}

/// Where the hooks find this program. `own` is its path as it runs now.
///
/// # Errors
/// Why they can't start it.
pub(super) fn engine(programs: &Programs<'_>, own: &Path) -> Result<PathBuf, NoEngine> {
    let name = agents::install::SHARED_PROGRAM;
    let found = programs.first(name).ok_or(NoEngine::Nowhere)?;
    if programs.find(name).as_ref() != Some(&found) {
        return Err(NoEngine::Within(found));
    }
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    if real(&found).is_some() && real(&found) == real(own) {
        return Ok(found);
    }
    if !programs.run {
        return Err(NoEngine::Unasked(found));
    }
    let version = programs.version(name);
    if version.as_deref() == Some(env!("CARGO_PKG_VERSION")) {
        return Ok(found);
    }
    Err(NoEngine::Other(found, version))
}
