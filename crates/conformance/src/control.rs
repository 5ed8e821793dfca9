//! The negative control: with the gates switched off, every vector that expects a denial must fail. One that still
//! passes proves nothing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::judge::Class;
use crate::vector::Vector;

/// What the run with the gates switched off came to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Control {
    /// Vectors that expect a denial and failed, as they must.
    pub failed: usize,
    /// Vectors that expect a denial and passed all the same: they prove nothing.
    pub unproved: Vec<String>,
    /// Vectors that expect a denial and were not answered, so that nothing is known of them.
    pub unanswered: Vec<String>,
}

impl Control {
    pub(crate) fn of<'v>(vectors: impl Iterator<Item = (&'v Vector, Class)>) -> Self {
        let mut control = Self::default();
        for (vector, class) in vectors.filter(|(vector, _)| vector.denies) {
            match class {
                Class::Fail => control.failed += 1,
                // What crashes with its gates off shows nothing about the gates either.
                Class::Pass | Class::Error => control.unproved.push(vector.id.clone()),
                Class::Unsupported | Class::SpecifiedNotImplemented => {
                    control.unanswered.push(vector.id.clone());
                }
            }
        }
        control
    }
}
