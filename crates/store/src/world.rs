//! What a library may know of the machine: folder, environment, clock and chance, all handed in.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;

use canon::{Clock, Timestamp};

/// Environment variables, as the program was given them.
#[derive(Debug, Clone, Default)]
pub struct Env(BTreeMap<OsString, OsString>);

impl Env {
    /// The value of a variable; an empty value counts as unset.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.0.get(OsStr::new(name)).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// All variables, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// Sets a variable.
    pub fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        self.0.insert(name.into(), value.into());
    }

    /// Without git's own variables (`GIT_DIR`, `GIT_INDEX_FILE`, ...), which a hook or an alias
    /// leaves behind and which would point every child at another repository.
    pub fn without_git(&self) -> Self {
        Self(
            self.0
                .iter()
                .filter(|(name, _)| !name.as_encoded_bytes().starts_with(b"GIT_"))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
        )
    }
}

impl<K: Into<OsString>, V: Into<OsString>> FromIterator<(K, V)> for Env {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        Self(pairs.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

/// Where random bytes come from.
pub trait Entropy {
    /// Fills `bytes` with unpredictable bytes.
    fn fill(&self, bytes: &mut [u8]);

    /// The same for a key, which must come from a source that nobody can guess.
    ///
    /// # Errors
    /// There is no such source.
    fn fill_secret(&self, bytes: &mut [u8]) -> io::Result<()> {
        self.fill(bytes);
        Ok(())
    }
}

/// Everything outside the repository that decides a result.
pub struct World {
    /// The folder the caller stands in.
    pub cwd: PathBuf,
    /// The caller's environment.
    pub env: Env,
    /// The present.
    pub clock: Box<dyn Clock>,
    /// Chance.
    pub entropy: Box<dyn Entropy>,
}

impl World {
    /// The present instant.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// A new id: `prefix`, a dash and eight random hex digits.
    pub fn new_id(&self, prefix: &str) -> String {
        let mut bytes = [0; 4];
        self.entropy.fill(&mut bytes);
        format!("{prefix}-{:08x}", u32::from_be_bytes(bytes))
    }
}

/// The machine's own clock.
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }
}

/// The machine's own source of random bytes.
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        if getrandom::fill(bytes).is_err() {
            // No kernel source: a clock and an address still tell two processes apart, which is all an id needs.
            let seed = canon::Sha256::of(format!("{:?}{:?}", std::time::Instant::now(), std::process::id()));
            for (byte, from) in bytes.iter_mut().zip(seed.as_bytes().iter().cycle()) {
                *byte = *from;
            }
        }
    }

    fn fill_secret(&self, bytes: &mut [u8]) -> io::Result<()> {
        getrandom::fill(bytes).map_err(io::Error::other)
    }
}
