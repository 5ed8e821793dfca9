//! The gate's own key: made on first use, kept in the person's state folder, outside every work tree.
//!
//! Whoever runs under the same user can read it. A chain that it signs shows tampering by all who can't; it does not
//! prove who wrote it.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use store::Entropy;
use store::file::{self, FileError, Staged};
use trust::ed25519::{KeyFault, SigningKey, VerifyingKey};

/// The private half.
const FILE: &str = "gate.pem";

/// The key can't be used.
#[derive(Debug)]
pub enum KeyError {
    /// A file can't be read or written.
    File(FileError),
    /// A file holds something else.
    Fault(PathBuf, KeyFault),
    /// Others may read the private half.
    Exposed(PathBuf),
    /// The system has no source of secrets.
    NoSecret(io::Error),
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(error) => error.fmt(f),
            Self::Fault(path, fault) => write!(f, "`{}` can't be used: {fault}", path.display()),
            Self::Exposed(path) => {
                let path = path.display();
                write!(f, "others may read `{path}`: take their rights away with `chmod 600 {path}`")
            }
            Self::NoSecret(error) => write!(f, "no key can be made: {error}"),
        }
    }
}

impl std::error::Error for KeyError {}

impl From<FileError> for KeyError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

/// The key in `folder`, made where there is none yet. Of processes that make one at once, the first wins.
pub fn load_or_make(folder: &Path, entropy: &dyn Entropy) -> Result<SigningKey, KeyError> {
    if let Some(key) = load(folder)? {
        return Ok(key);
    }
    let mut seed = [0; 32];
    entropy.fill_secret(&mut seed).map_err(KeyError::NoSecret)?;
    let path = folder.join(FILE);
    let text = SigningKey::from_seed(&seed).to_pem().map_err(|fault| KeyError::Fault(path.clone(), fault))?;
    create_folder(folder)?;
    // What the file system keeps decides: this key, or that of a process which was first.
    let made = Staged::write_private(&path, text.as_bytes())?.commit_new();
    let key = match load(folder)? {
        Some(key) => key,
        None => return Err(made.map_or_else(KeyError::File, |()| KeyError::Fault(path, KeyFault::Private))),
    };
    publish(folder, &key.public())?;
    file::sync_folder(&path)?;
    Ok(key)
}

fn create_folder(folder: &Path) -> Result<(), FileError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(folder).map_err(|source| FileError { path: folder.to_owned(), doing: "create", source })
}

/// Keeps the public half under its own name, so that old receipts can be checked when the key is replaced.
fn publish(folder: &Path, key: &VerifyingKey) -> Result<(), FileError> {
    let name: String = key.id().chars().filter(char::is_ascii_alphanumeric).take(22).collect();
    file::replace(&folder.join(format!("{name}.pub")), format!("{} cairn-gate\n", key.ssh()).as_bytes())
}

/// The key in `folder`; none where there is none yet.
pub fn load(folder: &Path) -> Result<Option<SigningKey>, KeyError> {
    let path = folder.join(FILE);
    let Some(bytes) = file::read(&path)? else { return Ok(None) };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0) {
            return Err(KeyError::Exposed(path));
        }
    }
    let key = SigningKey::from_pem(&String::from_utf8_lossy(&bytes));
    key.map(Some).map_err(|fault| KeyError::Fault(path, fault))
}

/// Every key that ever signed from `folder`, as far as its public half is kept.
pub fn known(folder: &Path) -> Result<Vec<VerifyingKey>, KeyError> {
    let mut keys: Vec<VerifyingKey> = load(folder)?.iter().map(SigningKey::public).collect();
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(keys),
        Err(source) => return Err(FileError { path: folder.to_owned(), doing: "list", source }.into()),
    };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "pub"));
    paths.sort();
    for path in paths {
        let bytes = file::read(&path)?.unwrap_or_default();
        let key = VerifyingKey::parse(&String::from_utf8_lossy(&bytes));
        let key = key.map_err(|fault| KeyError::Fault(path, fault))?;
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use store::SystemEntropy;

    use super::*;

    #[test]
    fn it_is_made_once_and_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let keys = folder.path().join("a/keys");
        assert!(load(&keys).unwrap().is_none());
        assert!(known(&keys).unwrap().is_empty());
        let made: Vec<VerifyingKey> = std::thread::scope(|scope| {
            let make = || load_or_make(&keys, &SystemEntropy).unwrap().public();
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(make)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(made.windows(2).all(|pair| pair[0] == pair[1]));
        assert_eq!(known(&keys).unwrap(), made[..1]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(&keys), mode(&keys.join(FILE))), (0o700, 0o600));
            fs::set_permissions(keys.join(FILE), fs::Permissions::from_mode(0o640)).unwrap();
            assert!(load(&keys).unwrap_err().to_string().contains("chmod 600"));
        }
    }

    #[test]
    fn a_key_that_was_replaced_is_still_known() {
        let folder = tempfile::tempdir().unwrap();
        let first = load_or_make(folder.path(), &SystemEntropy).unwrap().public();
        fs::remove_file(folder.path().join(FILE)).unwrap();
        let second = load_or_make(folder.path(), &SystemEntropy).unwrap().public();
        let known = known(folder.path()).unwrap();
        assert!(known.len() == 2 && known.contains(&first) && known.contains(&second));
        fs::write(folder.path().join(FILE), "nonsense").unwrap();
        assert!(matches!(load(folder.path()), Err(KeyError::Fault(..))));
    }
}
