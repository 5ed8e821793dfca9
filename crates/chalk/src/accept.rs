//! `accept`: a change of the spine that came past the program is looked at by a person and taken over.

use gate::Refusal;
use schemars::JsonSchema;
use serde::Serialize;

use crate::session::Session;
use crate::standing::Standing;

/// What was accepted.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Accepted {
    /// The files that were changed past the program; none where there was nothing to accept.
    pub files: Vec<String>,
    /// The record of writes was broken and begins anew; the old one is kept beside it.
    #[serde(rename = "newRecord")]
    pub new_record: bool,
    /// The reason.
    pub why: String,
}

/// Takes the spine as it is for the state that counts, and logs the reason.
pub fn accept(session: &Session<'_>, why: &str) -> Result<Accepted, Refusal> {
    session.write("accept", |draft| {
        let (files, new_record) = match draft.standing() {
            Standing::Edited { files, .. } => (files.clone(), false),
            Standing::Broken(_) => (Vec::new(), true),
            Standing::Unrecorded | Standing::Clean | Standing::Foreign(_) => (Vec::new(), false),
        };
        let accepted = Accepted { files, new_record, why: why.to_owned() };
        if accepted.files.is_empty() && !new_record {
            return Ok(accepted);
        }
        let what = if new_record {
            "the spine under a new record of writes".to_owned()
        } else {
            let files: Vec<String> = accepted.files.iter().map(|file| format!(".chalk/{file}")).collect();
            format!("a change of {} past the program", files.join(" and "))
        };
        // Before it is accepted, all of it must be readable.
        draft.all_tasks()?;
        draft.decision(&format!("Accepted {what}"), Some(why), None);
        draft.accept(why)?;
        Ok(accepted)
    })
}
