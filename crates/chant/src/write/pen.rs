//! Signing with the user's key. It may have to be touched or unlocked, so no lock is held meanwhile.

use std::cell::{Cell, RefCell};

use gate::Refusal;
use store::Env;
use trust::keygen::SigningKey;
use trust::seal::Subject;

use super::Sign;
use super::writing::Refused;
use crate::codes;
use crate::place::Place;

/// How often a record may move while it is signed.
const ATTEMPTS: usize = 5;

/// The key that `--sign` asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignWith<'a> {
    /// The one that git signs with.
    Git,
    /// The one in this file.
    File(&'a str),
}

/// A key, and the seals that it made.
pub(super) struct Pen<'a> {
    key: Result<SigningKey, String>,
    env: &'a Env,
    made: RefCell<Vec<(Subject, trust::Seal)>>,
    /// Set while the lock is held: only seals that were made already are given out.
    is_locked: Cell<bool>,
    /// Another seal was asked for meanwhile.
    has_moved: Cell<bool>,
}

impl Sign for Pen<'_> {
    fn seal(&self, subject: &Subject) -> Result<trust::Seal, String> {
        if let Some((_, seal)) = self.made.borrow().iter().find(|(known, _)| known == subject) {
            return Ok(seal.clone());
        }
        if self.is_locked.get() {
            self.has_moved.set(true);
            return Err("the record moved while it was signed".to_owned());
        }
        let key = self.key.as_ref().map_err(Clone::clone)?;
        let seal = trust::seal::seal(subject, key, self.env).map_err(|error| error.to_string())?;
        self.made.borrow_mut().push((subject.clone(), seal.clone()));
        Ok(seal)
    }
}

/// Runs a write: once without the lock and without writing, which makes its seal, and then in earnest. `write` is given
/// the pen and whether to write nothing.
pub(super) fn signed<T>(
    place: &Place<'_>,
    sign: Option<SignWith<'_>>,
    dry_run: bool,
    write: impl Fn(Option<&Pen<'_>>, bool) -> Result<T, Refused>,
) -> Result<T, Refused> {
    let Some(sign) = sign else { return write(None, dry_run) };
    let env = &place.world.env;
    let key = match sign {
        SignWith::File(name) => Ok(SigningKey::file(name, &place.world.cwd, env)),
        SignWith::Git => SigningKey::from_git(place.git(), env).map_err(|error| error.to_string()),
    };
    let made = RefCell::default();
    let pen = Pen { key, env, made, is_locked: Cell::new(false), has_moved: Cell::new(false) };
    for _ in 0..ATTEMPTS {
        pen.is_locked.set(false);
        let planned = write(Some(&pen), true)?;
        if dry_run {
            return Ok(planned);
        }
        pen.is_locked.set(true);
        pen.has_moved.set(false);
        let written = write(Some(&pen), false);
        if !pen.has_moved.get() {
            return written;
        }
    }
    let message = "others write the record faster than it can be signed";
    Err(Refusal::new(codes::WRITE_LOCK_TIMEOUT, message)
        .hint("hold the lock for a batch: `workspace lock acquire`")
        .into())
}
