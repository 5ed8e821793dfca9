//! Every name that a target may have on disk: as it is spelled, and where links lead.

use std::fs;
use std::path::{Path, PathBuf};

use govern::classify::{Place, Target};
use govern::gates::Touched;

/// The target with its names.
pub(super) fn touched(target: &Target) -> Touched<'_> {
    Touched { target, paths: paths(target) }
}

/// The absolute paths of a target; none for what can't be told or stands for many.
pub(super) fn paths(target: &Target) -> Vec<PathBuf> {
    let Place::Path(path) = &target.place else { return Vec::new() };
    let mut paths = vec![path.clone()];
    for spelled in [Some(path), target.spelled.as_ref()].into_iter().flatten() {
        let real = real(spelled);
        if !paths.contains(&real) {
            paths.push(real);
        }
    }
    paths
}

/// Where links lead: of a path that does not exist yet, those of the nearest folder that does.
pub(super) fn real(path: &Path) -> PathBuf {
    let mut rest = Vec::new();
    let mut at = path;
    loop {
        if let Ok(real) = fs::canonicalize(at) {
            return rest.iter().rev().fold(real, |path, name| path.join(name));
        }
        match (at.parent(), at.file_name()) {
            (Some(parent), Some(name)) => {
                rest.push(name);
                at = parent;
            }
            _ => return path.to_owned(),
        }
    }
}
