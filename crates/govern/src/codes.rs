//! The closed list of reasons why a tool call is not simply allowed.

gate::reason_codes! {
    UNREADABLE = "unreadable", "The payload, or what the gates rest on, can't be read.";
    UNPARSABLE = "unparsable", "The command was not understood.";
    PROTECTED_PATH = "protected-path", "The call would write what is protected.";
    HIDDEN_PATH = "hidden-path", "The call would read what is kept from whoever implements.";
    PERSON_ONLY = "person-only", "The command is for a person at a terminal.";
    GATE_BYPASS = "gate-bypass", "The command would go round a gate.";
    NO_PLAN = "no-plan", "Nothing says what the call is for.";
    PLAN_EMPTY = "plan-empty", "The plan has no step.";
    PLAN_DONE = "plan-done", "No step of the plan is left to do.";
    PLAN_STATUS = "plan-status", "A step has a status that is none.";
    PLAN_CONTENT = "plan-content", "A step says too little.";
    PLAN_PLACEHOLDER = "plan-placeholder", "A step is a placeholder.";
    PLAN_PRIORITY = "plan-priority", "A step has a priority that is none.";
    PLAN_SPEC_UNREAD = "plan-spec-unread", "The text that says how to plan was not read in this session.";
    UNREAD_FILE = "unread-file", "The file was not read in this session.";
    UNREAD_REGION = "unread-region", "The lines that are changed were not read.";
    STALE_READ = "stale-read", "The file changed after it was read.";
    UNMAPPED = "unmapped", "Nobody looked for what refers to the file.";
    UNVERIFIED = "unverified", "What changed was not checked by running it.";
    COMMITMENT = "commitment", "The call reaches beyond the project, and can't be taken back.";
    CLAIM_INVALID = "claim-invalid", "What was said contradicts what was recorded.";
    PIN_BROKEN = "pin-broken", "What was said goes against a pinned constraint.";
    CLAIM_UNLABELLED = "claim-unlabelled", "What was said has no receipt, and is not labelled as unverified.";
    RESEARCH_MODE = "research-mode", "The question was not looked into where its answer lies.";
    RESEARCH_SOURCES = "research-sources", "Fewer than two independent sources bear the answer.";
    RESEARCH_EMPTY = "research-empty", "A part of the research says nothing.";
    RECEIPT_FAILED = "receipt-failed", "The call could not be put on record.";
}

/// The next step that a reason leaves, as one word of a closed list: the same list for every implementation.
pub fn hint(reason: &str) -> &'static str {
    match reason {
        "unparsable" => "write-plainly",
        "protected-path" | "hidden-path" => "leave-it",
        "person-only" | "commitment" => "ask-person",
        "gate-bypass" => "go-through-gate",
        "no-plan" | "plan-empty" | "plan-done" | "plan-status" | "plan-content" | "plan-placeholder"
        | "plan-priority" => "write-plan",
        "plan-spec-unread" => "read-plan-spec",
        "unread-file" | "stale-read" => "read-file",
        "unread-region" => "read-region",
        "unmapped" => "map-references",
        "unverified" => "run-check",
        "claim-invalid" | "claim-unlabelled" | "pin-broken" => "correct-claim",
        _ => "repair-gate",
    }
}
