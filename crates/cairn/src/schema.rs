//! The published JSON Schemas: one for each document, made from the type that is printed.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};

use crate::commands as c;
use crate::commands::workspace::Either;

/// A published schema.
pub struct Entry {
    /// `<protocol>/<document>`.
    pub name: &'static str,
    /// Makes the schema.
    pub make: fn() -> Schema,
}

const fn entry<T: JsonSchema>(name: &'static str) -> Entry {
    Entry {
        name,
        make: || SchemaSettings::default().for_serialize().into_generator().into_root_schema_for::<T>(),
    }
}

/// The schema of a document that people write.
fn read<T: JsonSchema>() -> Schema {
    SchemaSettings::default().for_deserialize().into_generator().into_root_schema_for::<T>()
}

/// Every published schema, sorted by name.
#[rustfmt::skip]
pub const ALL: &[Entry] = &[
    entry::<c::approve::Printed>("cairn/approve"),
    entry::<conformance::protocol::Capabilities>("cairn/conformance-capabilities"),
    entry::<conformance::protocol::Case>("cairn/conformance-case"),
    entry::<c::conformance::Listed>("cairn/conformance-list"),
    entry::<conformance::protocol::Reply>("cairn/conformance-result"),
    entry::<c::conformance::Printed>("cairn/conformance-run"),
    entry::<conformance::vector::Vector>("cairn/conformance-vector"),
    entry::<c::conformance::Verified>("cairn/conformance-verify"),
    entry::<crate::demo::Told>("cairn/demo"),
    entry::<c::govern::audit::Audited>("cairn/govern-audit"),
    entry::<crate::help::Help>("cairn/help"),
    entry::<c::hook::Changed>("cairn/hook-install"),
    entry::<c::hook::Paused>("cairn/hook-pause"),
    entry::<c::hook::Resumed>("cairn/hook-resume"),
    entry::<c::hook::Statuses>("cairn/hook-status"),
    entry::<c::hook::Changed>("cairn/hook-uninstall"),
    entry::<c::plan::Printed>("cairn/plan"),
    entry::<govern::receipts::document::Export>("cairn/receipts-export"),
    entry::<govern::receipts::document::List>("cairn/receipts-list"),
    entry::<govern::receipts::document::Show>("cairn/receipts-show"),
    entry::<govern::receipts::verify::Verification>("cairn/receipts-verify"),
    entry::<c::schema::Printed>("cairn/schema"),
    entry::<chalk::accept::Accepted>("chalk/accept"),
    entry::<chalk::contract::Installed>("chalk/agents"),
    entry::<chalk::amend::Amended>("chalk/amend-spec"),
    entry::<chalk::audit::Audit>("chalk/audit"),
    entry::<chalk::backlog::Backlog>("chalk/backlog"),
    entry::<chalk::block::Blocked>("chalk/block"),
    entry::<chalk::context::Context>("chalk/context"),
    entry::<c::decision::Recorded>("chalk/decision"),
    entry::<chalk::doctor::Report>("chalk/doctor"),
    entry::<chalk::done::Outcome>("chalk/done"),
    entry::<ErrorDocument>("chalk/error"),
    entry::<chalk::guard::Added>("chalk/guard-add"),
    entry::<chalk::guard::Authored>("chalk/guard-gen"),
    entry::<chalk::guard::Listed>("chalk/guard-list"),
    entry::<chalk::handoff::Written>("chalk/handoff"),
    entry::<chalk::init::Made>("chalk/init"),
    entry::<chalk::lesson::Added>("chalk/lesson-add"),
    entry::<chalk::lesson::List>("chalk/lesson-list"),
    entry::<chalk::timeline::Events>("chalk/log"),
    entry::<chalk::migrate::Migrated>("chalk/migrate"),
    entry::<chalk::next::Next>("chalk/next"),
    entry::<chalk::phase::Advanced>("chalk/phase"),
    entry::<chalk::question::One>("chalk/question-add"),
    entry::<chalk::question::List>("chalk/question-list"),
    entry::<chalk::question::One>("chalk/question-resolve"),
    entry::<chalk::review::Reviewed>("chalk/review"),
    entry::<chalk::work::Loop>("chalk/run"),
    entry::<chalk::skill::Added>("chalk/skill-add"),
    entry::<chalk::skill::List>("chalk/skill-list"),
    entry::<chalk::spec::Specified>("chalk/spec"),
    entry::<chalk::start::Started>("chalk/start"),
    entry::<c::stats::Printed>("chalk/stats"),
    entry::<chalk::status::Status>("chalk/status"),
    entry::<chalk::task::Added>("chalk/task-add"),
    entry::<chalk::task::Dropped>("chalk/task-drop"),
    entry::<chalk::task::Edited>("chalk/task-edit"),
    entry::<chalk::task::Shown>("chalk/task-show"),
    entry::<chalk::block::Unblocked>("chalk/unblock"),
    entry::<chalk::timeline::Added>("chalk/update"),
    entry::<chalk::verify::Report>("chalk/verify"),
    entry::<chalk::work::Worked>("chalk/work"),
    entry::<chant::check::Document>("chant/check"),
    entry::<c::workspace::init::Printed>("chant/init"),
    entry::<Either<chant::lock::Report, chant::lock::Failure>>("chant/lock"),
    entry::<Either<chant::ls::Listing, chant::ls::Failure>>("chant/ls"),
    entry::<Either<chant::patch::Document, chant::patch::Failure>>("chant/patch"),
    entry::<chant::records::Document>("chant/records"),
    entry::<Either<chant::write::Amended, chant::write::Failed>>("chant/records-amend"),
    entry::<Either<chant::write::Closed, chant::write::Failed>>("chant/records-close"),
    entry::<Either<chant::write::Created, chant::write::Failed>>("chant/records-new"),
    entry::<c::workspace::records::Pinned>("chant/records-pin"),
    entry::<Either<chant::write::Reviewed, chant::write::Failed>>("chant/records-review"),
    entry::<chant::records::since::Document>("chant/records-since"),
    entry::<Either<chant::signers::Document, chant::signers::Failure>>("chant/signers"),
    entry::<chant::signers::Rotated>("chant/signers-rotate"),
    entry::<chant::signers::Signed>("chant/signers-sign"),
    entry::<chant::verify::Document>("chant/verify"),
    entry::<c::govern::deploy::Decided>("govern/deploy-approve"),
    entry::<c::govern::deploy::Mended>("govern/deploy-mend"),
    entry::<c::govern::deploy::Planned>("govern/deploy-plan"),
    entry::<c::govern::deploy::Reported>("govern/deploy-report"),
    entry::<c::govern::deploy::Went>("govern/deploy-resume"),
    entry::<c::govern::deploy::Went>("govern/deploy-rollback"),
    entry::<c::govern::deploy::Went>("govern/deploy-run"),
    entry::<c::govern::health::Health>("govern/health"),
    entry::<c::govern::knowledge::add::Added>("govern/knowledge-add"),
    entry::<c::govern::knowledge::archive::Archived>("govern/knowledge-archive"),
    entry::<c::govern::knowledge::check::Checked>("govern/knowledge-check"),
    entry::<c::govern::knowledge::erase::Erased>("govern/knowledge-erase"),
    entry::<c::govern::knowledge::evidence::Added>("govern/knowledge-evidence"),
    entry::<c::govern::knowledge::list::List>("govern/knowledge-list"),
    entry::<c::govern::knowledge::pass::Passed>("govern/knowledge-pass"),
    entry::<c::govern::knowledge::promote::Promoted>("govern/knowledge-promote"),
    entry::<c::govern::knowledge::quarantine::Quarantined>("govern/knowledge-quarantine"),
    entry::<c::govern::knowledge::regen::Made>("govern/knowledge-regen"),
    entry::<c::govern::knowledge::quarantine::Released>("govern/knowledge-release"),
    entry::<c::govern::knowledge::show::Shown>("govern/knowledge-show"),
    Entry { name: "govern/policy", make: read::<govern::policy::Policy> },
    entry::<c::govern::probe::Probed>("govern/probe"),
    entry::<c::govern::queue::Listed>("govern/queue-list"),
    entry::<c::govern::queue::Resolved>("govern/queue-resolve"),
    entry::<c::govern::queue::Shown>("govern/queue-show"),
    entry::<govern::spec_lint::LinkCache>("govern/spec-links"),
    entry::<c::govern::spec_lint::Linted>("govern/spec-lint"),
    entry::<govern::spec_lint::Profile>("govern/spec-profile"),
];

/// What `--json` prints when a command did not do what it was asked.
#[derive(serde::Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ErrorDocument {
    /// The refusal.
    pub error: gate::Refusal,
}
