//! `migrate`: an older schema is brought to the newest known, after a copy of what is changed.
//!
//! Nothing else stamps `writerVersion`: a program refuses a spine that a newer one wrote, so every stamp
//! locks somebody out.

use gate::Refusal;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::codes;
use crate::model::Config;
use crate::session::Session;

/// The schema that is brought about, and the version of the program that introduced it.
const SCHEMA: &str = "1.1";
const WRITER: &str = "0.3.0";

/// The files that are copied first.
const KEPT: [&str; 2] = ["chalk.json", "tasks.json"];

/// What was migrated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Migrated {
    /// The schema before.
    pub from: String,
    /// The schema now, or after a run that is none.
    pub to: String,
    /// What is done, one step each; none where there is nothing to do.
    pub steps: Vec<String>,
    /// The folder with the copies, relative to the root; none where nothing was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backup: Option<String>,
    /// It was only asked what would be done.
    pub dry_run: bool,
}

/// Brings the spine to schema 1.1.
///
/// # Errors
/// `spine-damaged` for a schema that no step starts from.
pub fn migrate(session: &Session<'_>, dry_run: bool) -> Result<Migrated, Refusal> {
    let planned = plan(session, &session.config()?, dry_run)?;
    if dry_run || planned.steps.is_empty() {
        return Ok(planned);
    }
    session.write("migrate", |draft| {
        let mut migrated = plan(session, draft.config(), dry_run)?;
        let stamp = draft.now().to_string().replace([':', '.'], "-");
        for name in KEPT {
            if let Some(bytes) = session.read(name)? {
                draft.file(&format!("backups/{stamp}/{name}"), bytes)?;
            }
        }
        draft.set_config(&["version".into()], &json!(SCHEMA))?;
        if draft.config().writer_version.is_none() {
            draft.set_config(&["writerVersion".into()], &json!(WRITER))?;
        }
        let title = format!("Migrated the spine from schema {} to {SCHEMA}", migrated.from);
        draft.decision(&title, Some(&migrated.steps.join("; ")), None);
        migrated.backup = Some(format!(".chalk/backups/{stamp}"));
        Ok(migrated)
    })
}

fn plan(session: &Session<'_>, config: &Config, dry_run: bool) -> Result<Migrated, Refusal> {
    let from = if config.version.is_empty() { "1.0".to_owned() } else { config.version.clone() };
    let mut steps = Vec::new();
    match from.as_str() {
        "1.0" => steps.push(format!("`version` becomes \"{SCHEMA}\"")),
        SCHEMA => {}
        other => {
            return Err(Refusal::new(
                codes::SPINE_DAMAGED,
                format!("no migration starts from schema {other}"),
            )
            .at(session.path("chalk.json"), None, None));
        }
    }
    if config.writer_version.is_none() {
        steps.push(format!("`writerVersion` is added as \"{WRITER}\""));
    }
    Ok(Migrated { from, to: SCHEMA.to_owned(), steps, backup: None, dry_run })
}
