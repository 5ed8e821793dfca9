//! Which codes of the closed list each published document may carry.
//!
//! A document of [`DOCUMENTS`] may end in an error with one of its [`errors`](Document::errors), and may hold one of
//! its [`parts`](Document::parts) within a result: the reason of a record or member, a warning, a finding.

#[cfg_attr(not(test), expect(clippy::wildcard_imports, reason = "every code of the list stands below"))]
use super::*;
use gate::ReasonCode;

/// The codes that one published document may carry.
#[derive(Debug, Clone, Copy)]
pub struct Document {
    /// The document's name, which its schema has too.
    pub name: &'static str,
    errors: &'static [&'static [ReasonCode]],
    parts: &'static [&'static [ReasonCode]],
}

impl Document {
    /// The codes with which the whole read or write may fail.
    pub fn errors(&self) -> impl Iterator<Item = ReasonCode> {
        self.errors.iter().copied().flatten().copied()
    }

    /// The codes that parts of a result may carry.
    pub fn parts(&self) -> impl Iterator<Item = ReasonCode> {
        self.parts.iter().copied().flatten().copied()
    }

    /// Whether the document may end in this error.
    pub fn may_fail_with(&self, code: ReasonCode) -> bool {
        self.errors().any(|listed| listed == code)
    }
}

/// The declaration can't be read.
const DECLARATION: &[ReasonCode] = &[
    DECLARATION_MISSING,
    DECLARATION_AMBIGUOUS,
    DECLARATION_UNPARSEABLE,
    DECLARATION_INVALID,
    PLACEMENT_INVALID,
    READER_TOO_OLD,
    ROOT_CHANT_REQUIRED,
];
/// The repository does not have what was asked for.
const GIT: &[ReasonCode] = &[NOT_A_GIT_REPOSITORY, REVISION_UNKNOWN];
/// A kind can't be read.
const KIND: &[ReasonCode] = &[KIND_UNREADABLE, KIND_INVALID, SCHEMA_UNREADABLE, SCHEMA_ID_MISMATCH];
/// The kind's schema or folder can't be used.
const PLACE: &[ReasonCode] = &[SCHEMA_INVALID, LOCATION_MISSING];
/// What makes a record invalid.
const RECORD: &[ReasonCode] = &[
    RECORD_UNPARSEABLE,
    RECORD_SCHEMA_INVALID,
    RECORD_ID_DUPLICATE,
    RECORD_SUPERSEDES_UNKNOWN,
    RECORD_SUPERSEDES_CONFLICT,
    RECORD_REMEDIATES_UNKNOWN,
    RECORD_REMEDIATES_NOT_CLOSED,
];
/// What makes a session invalid beside that.
const SEALED: &[ReasonCode] = &[SESSION_SEAL_MISMATCH, SESSION_VERDICT_UNKNOWN_RECORD];
/// The writer may not write there.
const SCOPE: &[ReasonCode] = &[WRITE_SCOPE_MEMBER, WRITE_SCOPE_CLASS_UNKNOWN, AGENT_UNKNOWN];
/// The write lock is not ours.
const LOCK: &[ReasonCode] = &[WRITE_LOCK_TIMEOUT, WRITE_LOCK_NOT_HELD];
/// What a valid record is warned of.
const WARNING: &[ReasonCode] = &[
    ASSET_DRIFT,
    ASSET_MISSING,
    ASSET_STALE,
    RECORD_SUPERSEDES_PENDING,
    RECORD_NO_EVIDENCE,
    REVIEW_UNDIGESTED,
    SOURCE_TRANSCRIPT_DRIFT,
];
/// What an answer is warned of.
const ANSWER: &[ReasonCode] = &[ANSWER_POINTS_UNREADABLE, ANSWER_POINT_UNKNOWN, ANSWER_POINT_CHANGED];
/// What a work item is warned of.
const WORK: &[ReasonCode] = &[
    WORK_NEEDS_UNKNOWN,
    WORK_IMPLEMENTS_UNKNOWN,
    WORK_NEEDS_CYCLE,
    WORK_IMPLEMENTS_UNDECIDED,
    WORK_DONE_UNPINNED,
    WORK_CLOSED_WITHOUT_DATE,
    WORK_DONE_GAP_OPEN,
    WORK_ACCEPTANCE_UNMET,
    WORK_ACCEPTANCE_SELF_VERIFIED,
    WORK_CONTRACT_UNKNOWN,
    WORK_CONTRACT_UNDECIDED,
    WORK_TIER_UNKNOWN,
];
/// A member's folder or kind is not usable.
const MEMBER: &[ReasonCode] = &[DIR_MISSING, UNKNOWN_KIND, KIND_PROBE_FAILED];
/// A member's graph can't be had.
const MEMBER_GRAPH: &[ReasonCode] =
    &[KIND_NOT_RUN, COMMAND_FAILED, OUTPUT_UNREADABLE, IR_VERSION_UNSUPPORTED];
/// Why a seal does not hold.
const SEAL: &[ReasonCode] = &[SEAL_MISSING, SEAL_SIGNER_UNLISTED, SEAL_SIGNATURE_INVALID, SEAL_UNVERIFIABLE];
/// A runner's signature can't be made or trusted.
const RUNNER: &[ReasonCode] = &[
    TRUST_POLICY_UNREADABLE,
    ENVELOPE_UNREADABLE,
    RUNNER_KEY_INVALID,
    RUNNER_KEY_IS_SIGNER,
    RUNNER_KEY_UNLISTED,
];
/// The envelope holds no signature that counts.
const ENVELOPE: &[ReasonCode] = &[ENVELOPE_INVALID, ENVELOPE_UNTRUSTED];
/// Why a statement on a run does not hold.
const STATEMENT: &[ReasonCode] =
    &[RUN_STATEMENT_INVALID, RUN_STATEMENT_SIGNER_MISMATCH, RUN_STATEMENT_MISMATCH];
/// Why a workspace cannot be planted.
const PLANTABLE: &[ReasonCode] = &[BOX_NONE, BOX_SEVERAL];
/// The lease is not the caller's.
const LEASE: &[ReasonCode] = &[LEASE_HELD, LEASE_NOT_HELD, LEASE_TOKEN_MISMATCH];
/// The work item can't be found.
const WORK_ITEM: &[ReasonCode] = &[WORK_KIND_MISSING, WORK_KIND_AMBIGUOUS, WORK_ITEM_UNKNOWN];
/// What a history leaves out.
const HISTORY: &[ReasonCode] = &[INTENT_HISTORY_SHALLOW, INTENT_PLUGIN_FAILED, SQUASH_UNFOLLOWED];

macro_rules! documents {
    ($($constant:ident = $name:literal {
        errors: [$($error_group:ident),*] [$($error:ident),*];
        parts: [$($part_group:ident),*] [$($part:ident),*];
    })+) => {
        $(
            #[doc = concat!("The document `", $name, "`.")]
            pub const $constant: Document = Document {
                name: $name,
                errors: &[$($error_group,)* &[$($error),*]],
                parts: &[$($part_group,)* &[$($part),*]],
            };
        )+
        /// Every document that carries codes, sorted by name.
        pub const DOCUMENTS: &[Document] = &[$($constant),+];
    };
}

documents! {
    AGENT = "agent" {
        errors: [DECLARATION, GIT] [AGENT_UNKNOWN];
        parts: [] [];
    }
    BOX_FACTORY_WRITE = "box-factory-write" {
        errors: [DECLARATION, GIT, SCOPE, LOCK] [
            WRITE_USAGE_INVALID, WRITE_INPUT_INVALID, WRITE_SCOPE_PROTECTED, PRINCIPAL_UNIDENTIFIED,
            FACTORY_MEMBER_UNKNOWN, FACTORY_BOX_MISSING
        ];
        parts: [] [];
    }
    BOX_LISTING_WRITE = "box-listing-write" {
        errors: [DECLARATION, GIT, SCOPE, LOCK] [
            WRITE_USAGE_INVALID, WRITE_INPUT_INVALID, WRITE_SCOPE_PROTECTED, PRINCIPAL_UNIDENTIFIED,
            LISTING_MEMBER_UNKNOWN, LISTING_BOX_MISSING, LISTING_COVER_INVALID
        ];
        parts: [] [];
    }
    BOX_PUBLISH = "box-publish" {
        errors: [DECLARATION, GIT] [
            WRITE_USAGE_INVALID, PRINCIPAL_UNIDENTIFIED, PUBLISH_MEMBER_UNKNOWN, PUBLISH_NONE,
            PUBLISH_REFUSED, PUBLISH_FAILED, PUBLISH_ANSWER_INVALID, PUBLISH_UNRECORDED
        ];
        parts: [] [];
    }
    CHANGES = "changes" {
        errors: [DECLARATION, GIT, KIND, PLACE] [WORK_ITEM_UNKNOWN];
        parts: [SCOPE] [WRITE_SCOPE_KIND, WRITE_SCOPE_PROTECTED, CHANGE_UNCOVERED, CHANGE_OUT_OF_SCOPE];
    }
    CHECK = "check" {
        errors: [GIT] [];
        parts: [DECLARATION, GIT] [
            WORK_ACCEPTANCE_UNMET, BOX_CREDENTIAL_DECLARED, BOX_CAPABILITY_UNBROKERED,
            BOX_ISOLATION_COLLISION, BOX_ISOLATION_LITERAL, DIAGRAM_SOURCE_MISSING,
            DIAGRAM_RENDER_MISSING, DIAGRAM_RENDER_DRIFT, BOX_FOUNTAIN_CALLBACK_UNDECLARED,
            BOX_INTENT_UNKNOWN, BOX_INTENT_UNCONSTRAINED, LOCK_INVALID, MANUAL_STEP_OPEN
        ];
    }
    CI_LAST_GREEN = "ci-last-green" {
        errors: [DECLARATION, GIT] [CI_GREEN_UNDECLARED, CI_BRANCH_UNKNOWN];
        parts: [] [];
    }
    COMPOSITES = "composites" {
        errors: [DECLARATION, GIT] [];
        parts: [MEMBER, MEMBER_GRAPH] [
            COMPOSITES_NO_CHANT_MEMBER, COMPOSITES_NONE_DECLARED, COMPOSITES_NO_COMPONENT,
            RUNTIMES_CONFIG_UNREADABLE, RUNTIMES_LEXICON_UNREADABLE, ENVIRONMENTS_NONE_DECLARED,
            ENVIRONMENTS_LEDGER_UNDECLARED, ENVIRONMENTS_LEDGER_UNREADABLE,
            ENVIRONMENTS_COMPONENT_UNDECLARED
        ];
    }
    EVIDENCE = "evidence" {
        errors: [GIT, KIND, PLACE, RUNNER, ENVELOPE] [
            EVIDENCE_PAYLOAD_TYPE, EVIDENCE_STATEMENT_INVALID, EVIDENCE_RUNNER_MISMATCH
        ];
        parts: [] [];
    }
    GRAPH = "graph" {
        errors: [DECLARATION, GIT] [LIVE_AT_REVISION];
        parts: [MEMBER, MEMBER_GRAPH, PLANTABLE] [];
    }
    INTENT_RECORD = "intent-record" {
        errors: [DECLARATION, GIT, KIND, PLACE] [INTENT_RECORD_UNKNOWN];
        parts: [HISTORY] [];
    }
    INTENT = "intent" {
        errors: [DECLARATION, GIT, KIND, PLACE] [
            INTENT_REGION_INVALID, INTENT_RECORD_UNKNOWN, INTENT_SYMBOL_UNSUPPORTED,
            INTENT_SYMBOL_UNKNOWN, INTENT_SYMBOL_AMBIGUOUS
        ];
        parts: [RECORD, ANSWER, WORK, HISTORY] [
            INTENT_COMMIT_UNDECIDED, INTENT_COMMIT_BARE, INTENT_PIN_DRIFTED, INTENT_PIN_MISSING,
            INTENT_PIN_STALE, INTENT_ARTIFACT_UNPINNED, INTENT_DECISION_SUPERSEDED_LIVE,
            INTENT_DECISION_PROVISIONAL, INTENT_DECISION_CONTESTED, INTENT_CONSTRAINT_COARSE,
            INTENT_CONSTRAINT_LOST, INTENT_EVIDENCE_UNPINNED, INTENT_TRAILER_UNVERIFIED,
            INTENT_REGION_UNCONSTRAINED, INTENT_DECISION_UNIMPLEMENTED, INTENT_WORK_BLOCKED,
            INTENT_WORK_OPEN_DECIDED_CODE, INTENT_COMMIT_JOIN_CONFLICT, INTENT_WHY_NO_DECISION,
            INTENT_WHY_NO_RUN, INTENT_WHY_UNCOMMITTED, INTENT_WHY_RUN_AMBIGUOUS
        ];
    }
    LS = "ls" {
        errors: [DECLARATION, GIT] [];
        parts: [KIND, MEMBER] [NO_MATCHES];
    }
    MEMBER_WRITE = "member-write" {
        errors: [DECLARATION, GIT, SCOPE, LOCK] [
            WRITE_USAGE_INVALID, WRITE_INPUT_INVALID, WRITE_SCOPE_PROTECTED, PRINCIPAL_UNIDENTIFIED,
            BOX_ISOLATION_COLLISION, BOX_ISOLATION_LITERAL, MEMBER_EXISTS, MEMBER_UNKNOWN
        ];
        parts: [] [];
    }
    PATCH = "patch" {
        errors: [DECLARATION, GIT] [PATCH_PATH_INVALID];
        parts: [] [];
    }
    POINTS_WRITE = "points-write" {
        errors: [KIND, PLACE, RECORD, SEALED, SCOPE, LOCK] [
            RECORD_SEAL_MISMATCH, WRITE_USAGE_INVALID, WRITE_INPUT_INVALID, RECORD_NOT_FOUND,
            RECORD_ID_TAKEN, RECORD_CLOSED, WRITE_SCOPE_KIND, POINTS_UNDECLARED, POINTS_INVALID,
            POINT_UNKNOWN, POINT_INPUTS_INVALID, POINT_CANDIDATES_INVALID, POINT_DECIDER_FAILED,
            ANSWER_NOT_CANDIDATE, QUORUM_NOT_MET, ANSWER_IN_STEWARD_TURN, ANSWER_NOT_ANSWERED,
            ANSWER_FIELD_UNSUPPORTED, PRINCIPAL_UNIDENTIFIED
        ];
        parts: [WARNING, ANSWER] [RECORD_UNATTESTED];
    }
    POINTS = "points" {
        errors: [DECLARATION, GIT] [];
        parts: [KIND, PLACE, WARNING, ANSWER] [RECORD_UNATTESTED, POINTS_INVALID];
    }
    RECORDS_AMEND = "records-amend" {
        errors: [KIND, PLACE, RECORD, SEALED, SCOPE, LOCK] [
            RECORD_SEAL_MISMATCH, WRITE_USAGE_INVALID, WRITE_INPUT_INVALID, RECORD_NOT_FOUND,
            RECORD_CLOSED, AMEND_ID_IMMUTABLE, AMEND_SUPERSEDE_INSTEAD, RATIFY_QUORUM_NOT_MET,
            RECORD_SIGN_FAILED, WRITE_SCOPE_KIND, RECORD_CONFLICT, PRINCIPAL_UNIDENTIFIED
        ];
        parts: [WARNING] [];
    }
    RECORDS_CLOSE = "records-close" {
        errors: [KIND, PLACE, RECORD, SEALED, SCOPE, LOCK] [
            RECORD_SEAL_MISMATCH, WRITE_USAGE_INVALID, RECORD_NOT_FOUND, RECORD_CLOSED, WRITE_SCOPE_KIND,
            RECORD_CONFLICT
        ];
        parts: [WARNING] [];
    }
    RECORDS_NEW = "records-new" {
        errors: [KIND, PLACE, RECORD, SEALED, SCOPE, LOCK] [
            WRITE_USAGE_INVALID, WRITE_INPUT_INVALID, RECORD_ID_TAKEN, RECORD_ID_UNALLOCATABLE,
            RECORD_PATH_UNMATCHED, RATIFY_QUORUM_NOT_MET, RECORD_SIGN_FAILED, SOURCE_HARVEST_NOT_PROPOSED,
            RECORD_STATE_NOT_INITIAL, WRITE_SCOPE_KIND, PRINCIPAL_UNIDENTIFIED
        ];
        parts: [WARNING] [];
    }
    RECORDS_REVIEW = "records-review" {
        errors: [KIND, PLACE, RECORD, SEALED, SCOPE, LOCK] [
            RECORD_SEAL_MISMATCH, WRITE_USAGE_INVALID, RECORD_NOT_FOUND, RECORD_CLOSED,
            REVIEW_UNSUPPORTED, REVIEW_NOTE_REQUIRED, REVIEW_SIGN_FAILED, WRITE_SCOPE_KIND,
            SESSION_UNKNOWN, SESSION_NOT_OPEN, RECORD_CONFLICT, PRINCIPAL_UNIDENTIFIED
        ];
        parts: [WARNING] [];
    }
    RECORDS_SINCE = "records-since" {
        errors: [GIT, KIND, PLACE] [SINCE_REV_UNKNOWN, SINCE_SESSION_UNKNOWN];
        parts: [] [SINCE_SESSION_OPEN];
    }
    RECORDS = "records" {
        errors: [GIT, KIND, PLACE] [];
        parts: [RECORD, SEALED, WARNING, ANSWER, WORK, SEAL] [
            RECORD_SEAL_MISMATCH, REVIEW_DECIDER, REVIEW_AGENT, REVIEW_DUPLICATE, REVIEW_OLDER_DIGEST,
            REVIEW_UNATTESTED, RECORD_UNATTESTED
        ];
    }
    RUN_STATEMENT = "run-statement" {
        errors: [DECLARATION, GIT] [WRITE_USAGE_INVALID, RUN_UNKNOWN, RUN_NOT_ENDED];
        parts: [ENVELOPE, STATEMENT] [];
    }
    RUNS_WRITE = "runs-write" {
        errors: [DECLARATION, GIT, RUNNER, ENVELOPE, STATEMENT] [
            WRITE_USAGE_INVALID, WRITE_INPUT_INVALID, RUN_EXISTS, RUN_UNKNOWN, RUN_ENDED, RUN_NOT_ENDED
        ];
        parts: [ENVELOPE, STATEMENT] [];
    }
    RUNS = "runs" {
        errors: [DECLARATION, GIT] [];
        parts: [ENVELOPE, STATEMENT] [
            KIND_UNREADABLE, SQUASH_UNFOLLOWED, RUNS_NO_LEDGER, RUNS_LEDGER_MALFORMED
        ];
    }
    SIGNERS = "signers" {
        errors: [GIT] [SIGNERS_FILE_MISSING];
        parts: [] [
            SIGNERS_REMOVED, ROTATION_UNPARSEABLE, ROTATION_INVALID, ROTATION_FIRST_VERSION,
            ROTATION_MISSING, ROTATION_VERSION_SKEW, ROTATION_PREVIOUS_MISMATCH,
            ROTATION_THRESHOLD_UNSATISFIABLE, ROTATION_THRESHOLD_NOT_MET
        ];
    }
    STATUS = "status" {
        errors: [DECLARATION] [NOT_A_GIT_REPOSITORY, ENVIRONMENT_INVALID];
        parts: [PLANTABLE] [
            LEDGER_UNREADABLE, LEDGER_MALFORMED, GATES_NO_LEDGER, GATES_NO_GATE_LEDGER,
            GATES_LEDGER_UNREADABLE, STEWARDS_UNREADABLE, STEWARDS_CONFLICT, STEWARD_RUNS_UNREADABLE
        ];
    }
    WIP_WRITE = "wip-write" {
        errors: [DECLARATION, GIT] [
            WRITE_USAGE_INVALID, PRINCIPAL_UNIDENTIFIED, WIP_NO_BRANCH, WIP_NONE, WIP_SNAPSHOT_UNKNOWN,
            WIP_BRANCH_OTHER, WIP_RACE, WIP_POLICY_NONE, WIP_REMOTE_UNKNOWN
        ];
        parts: [] [];
    }
    WIP = "wip" {
        errors: [DECLARATION, GIT] [];
        parts: [] [];
    }
    WORK_EVIDENCE = "work-evidence" {
        errors: [KIND, PLACE, RECORD, SEALED, SCOPE, LOCK, LEASE, WORK_ITEM] [
            NOT_A_GIT_REPOSITORY, RECORD_SEAL_MISMATCH, WORK_ACCEPTANCE_SELF_VERIFIED,
            WRITE_USAGE_INVALID, WRITE_INPUT_INVALID, RECORD_NOT_FOUND, RECORD_CLOSED, AMEND_ID_IMMUTABLE,
            AMEND_SUPERSEDE_INSTEAD, RATIFY_QUORUM_NOT_MET, RECORD_SIGN_FAILED, WRITE_SCOPE_KIND,
            RECORD_CONFLICT, PRINCIPAL_UNIDENTIFIED, WORK_ITEM_CLOSED, WORK_CRITERION_UNKNOWN
        ];
        parts: [] [];
    }
    WORK_HISTORY = "work-history" {
        errors: [WORK_ITEM] [NOT_A_GIT_REPOSITORY, KIND_UNREADABLE];
        parts: [] [];
    }
    WORK_LEASE = "work-lease" {
        errors: [WORK_ITEM] [NOT_A_GIT_REPOSITORY, KIND_UNREADABLE, WRITE_USAGE_INVALID, WORK_ITEM_CLOSED];
        parts: [LEASE] [LEASE_RACE, LEASE_PUSH_REJECTED];
    }
    WRITE_LOCK = "write-lock" {
        errors: [LOCK] [WRITE_USAGE_INVALID];
        parts: [] [];
    }
}

#[cfg(test)]
mod reached;
#[cfg(test)]
mod tests;
