//! An advisory lock with nothing published: for state that no other program writes.

use std::path::Path;
use std::time::Duration;

use super::LockError;
use super::engine::{self, Patience};

/// The lock on a file, until it is dropped. The system frees it when its holder dies.
#[derive(Debug)]
pub struct Guard {
    _file: engine::Held,
}

impl Guard {
    /// Takes the lock on the file at `path`, which is created where it is missing, waiting up to `wait`.
    pub fn acquire(path: &Path, wait: Duration) -> Result<Self, LockError> {
        let holder = || "another process of this program".to_owned();
        let file = engine::hold_file(path, &mut Patience::new(wait), path, holder)?;
        Ok(Self { _file: file })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new").join("guard");
        let held = Guard::acquire(&path, Duration::ZERO).unwrap();
        let error = Guard::acquire(&path, Duration::from_millis(5)).unwrap_err();
        assert!(matches!(error, LockError::Held { .. }));
        drop(held);
        Guard::acquire(&path, Duration::ZERO).unwrap();
    }
}
