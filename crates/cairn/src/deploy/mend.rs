//! Mending what a deployment has on record, where it is not as it was written.

use std::path::PathBuf;

use gate::Refusal;
use govern::deploy::desk::{DeskError, Mended};
use govern::receipts::{Note, Receipts};
use store::World;

use super::{Place, unreadable, unusable};

/// What the signed receipts call it.
const MENDED: &str = "deploy-mend";

/// What is not as it was written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Faults {
    /// Of the deployment's own files.
    pub desk: Option<String>,
    /// Of the signed receipts.
    pub signed: Option<String>,
}

/// Looks for what is not as it was written.
///
/// # Errors
/// A file can't be read.
pub fn faults(place: &Place) -> Result<Faults, Refusal> {
    let desk = match place.desk.state().and_then(|_| place.desk.receipts()) {
        Ok(_) => None,
        Err(error @ (DeskError::Receipts(_) | DeskError::Damaged { .. })) => Some(error.to_string()),
        Err(error) => return Err(unusable(&error)),
    };
    Ok(Faults { desk, signed: place.signed_fault()? })
}

/// Puts it aside, on the receipts of the deployment and on the signed ones. Gives back what was mended of the
/// deployment's own files, and where broken signed receipts lie now.
///
/// # Errors
/// A file can't be read or written.
pub fn mend(
    world: &World,
    place: &Place,
    faults: &Faults,
) -> Result<(Option<Mended>, Option<PathBuf>), Refusal> {
    let now = world.now();
    let renew = |why: &String| Receipts::open(&place.state, world).and_then(|log| log.renew(why));
    let signed = faults.signed.as_ref().map(renew).transpose().map_err(|error| unreadable(&error))?;
    // Said first: whoever looks for it finds that it was to be done, also where it was broken off.
    crate::hook::record(&place.state, world, &Note { marker: MENDED, ..Note::default() })?;
    let mended = place.desk.mend(now, &now.as_millis().to_string()).map_err(|error| unusable(&error))?;
    Ok((mended, signed))
}
