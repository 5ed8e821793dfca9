//! Mending the files of a deployment that are not as they were written.

use gate::Refusal;
use govern::deploy::desk::{DeskError, Mended};
use govern::receipts::Note;
use store::World;

use super::{Place, unusable};
use crate::codes;

/// What the signed receipts call it.
const MENDED: &str = "deploy-mend";

/// What is not as it was written; none where all of it is.
///
/// # Errors
/// A file can't be read.
pub fn fault(place: &Place) -> Result<Option<DeskError>, Refusal> {
    let desk = &place.desk;
    let checked = desk.state().and_then(|_| desk.receipts());
    match checked {
        Ok(_) => Ok(None),
        Err(error @ (DeskError::Receipts(_) | DeskError::Damaged { .. })) => Ok(Some(error)),
        Err(error) => Err(unusable(&error)),
    }
}

/// Puts it aside, on the receipts of the deployment and on the signed ones.
///
/// # Errors
/// A file can't be read or written.
pub fn mend(world: &World, place: &Place) -> Result<Mended, Refusal> {
    let now = world.now();
    // Said first: whoever looks for it finds that it was to be done, also where it was broken off.
    crate::hook::record(&place.state, world, &Note { marker: MENDED, ..Note::default() })?;
    let mended = place.desk.mend(now, &now.as_millis().to_string()).map_err(|error| unusable(&error))?;
    mended.ok_or_else(|| {
        Refusal::new(codes::DEPLOY_STATE, "every file of the deployment is as it was written")
            .hint("there is nothing to mend")
    })
}
