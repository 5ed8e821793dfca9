//! Why one of the program's own commands did not do what it was asked.

gate::reason_codes! {
    NO_STATE = "no-state", "There is no place for the state of the gates.";
    NO_TERMINAL = "no-terminal", "The command is for a person at a terminal, and nobody is there.";
    AGENT_STARTED = "agent-started", "The command is for a person, and the environment says that an agent runs it.";
    NOT_CONFIRMED = "not-confirmed", "The word that confirms the command was not typed.";
    NOT_AGREED = "not-agreed", "The change was shown, and nobody agreed to it.";
    UNKNOWN_AGENT = "unknown-agent", "No agent of this name is known.";
    PROGRAM_UNKNOWN = "program-unknown", "Where this program lies can't be told.";
    SETTINGS_MOVED = "settings-moved", "The agent's settings changed while they were shown.";
    NOT_WRITTEN = "not-written", "A file can't be written.";
    TICKET_GONE = "ticket-gone", "No ticket of this name waits for an answer.";
    PAUSE_LENGTH = "pause-length", "The length of the pause is not one that is allowed.";
    NO_PROJECT = "no-project", "There is no work tree of git that shared settings could be of.";
    NOT_PAUSED = "not-paused", "The gates are not paused.";
    NO_RECEIPT = "no-receipt", "No receipt has this number or this call.";
    RECEIPTS_UNREADABLE = "receipts-unreadable", "The log of receipts, or a key that signed it, can't be read.";
    PLAN_UNREADABLE = "plan-unreadable", "The plan is not the JSON list that a plan is.";
    NO_COMMIT = "no-commit", "The revision names no commit.";
    NO_CASE = "no-case", "A line on standard input is no case of the conformance suite.";
    PROPOSAL_GONE = "proposal-gone", "No proposal of this name waits for a person.";
    QUEUE_UNREADABLE = "queue-unreadable", "What waits for a person can't be read or written.";
    POLICY_UNREADABLE = "policy-unreadable", "What the gates rest on can't be read.";
    SPEC_UNREADABLE = "spec-unreadable", "A spec, or what external links answered, can't be read.";
    PROFILE_UNREADABLE = "profile-unreadable", "The profile is none that is known, or can't be read.";
    NO_TARGET = "no-target", "The folder of the target is not there.";
    DEPLOY_STATE = "deploy-state", "The deployment can't go on like this from where it stands.";
    DEPLOY_DAMAGED = "deploy-damaged", "A file of the deployment is not as it was written.";
    DEPLOY_PLAN = "deploy-plan", "The plan, or what it rests on, is not what was made.";
    DEPLOY_UNAPPROVED = "deploy-unapproved", "No person approved the plan.";
    DEPLOY_VAULT = "deploy-vault", "The source vault can't be copied.";
    BRIDGE_MISSING = "bridge-missing", "Nothing joins the agent to cairn.";
    NOT_COMPLETE = "not-complete", "The receipts don't bear that the deployment is done.";
    NO_PLAN = "no-plan", "No plan was set.";
}
