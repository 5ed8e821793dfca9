//! The plan gate (PL-001 to PL-010): whoever acts says first what for.

use gate::ReasonCode;
use gate::event::{Decision, Todo};

use super::{Act, Found, Known, PLAN_SPEC_READ};
use crate::classify::{Argv, Effects};
use crate::codes;
use crate::session::Plan;

/// The fewest Unicode scalar values that a step's content has, without blanks around it.
const SHORTEST: usize = 8;

/// What is wrong with a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The rule, as in `PL-003`.
    pub rule: &'static str,
    /// The reason.
    pub reason: ReasonCode,
    /// The fact.
    pub fact: String,
}

/// What is wrong with a plan; nothing if it is valid. Of several faults the first in this order: no step; then for each
/// step its content, a placeholder, its status, its priority; then no step that is left to do.
pub fn judge(todos: &[Todo]) -> Option<Fault> {
    let fault = |rule, reason, fact: String| Some(Fault { rule, reason, fact });
    if todos.is_empty() {
        return fault("PL-003", codes::PLAN_EMPTY, "the plan has no step".to_owned());
    }
    for (n, todo) in todos.iter().enumerate() {
        let n = n + 1;
        let content = todo.content.as_deref().map(str::trim).unwrap_or_default();
        if content.chars().count() < SHORTEST {
            let fact = format!("step {n} says too little: {SHORTEST} characters are the least");
            return fault("PL-005", codes::PLAN_CONTENT, fact);
        }
        if is_placeholder(content) {
            let fact = format!("step {n} is a placeholder: {content}");
            return fault("PL-006", codes::PLAN_PLACEHOLDER, fact);
        }
        if !matches!(todo.status.as_deref(), Some("pending" | "in_progress" | "completed" | "cancelled")) {
            let status = todo.status.as_deref().unwrap_or("none");
            let fact = format!(
                "step {n} has the status {status}: pending, in_progress, completed or cancelled is expected"
            );
            return fault("PL-004", codes::PLAN_STATUS, fact);
        }
        if !matches!(todo.priority.as_deref(), Some("high" | "medium" | "low")) {
            let priority = todo.priority.as_deref().unwrap_or("none");
            let fact = format!("step {n} has the priority {priority}: high, medium or low is expected");
            return fault("PL-010", codes::PLAN_PRIORITY, fact);
        }
    }
    let is_ended = |todo: &Todo| matches!(todo.status.as_deref(), Some("completed" | "cancelled"));
    if todos.iter().all(is_ended) {
        return fault("PL-004", codes::PLAN_DONE, "no step of the plan is left to do".to_owned());
    }
    None
}

/// Whether a step's words stand in for a step: `TODO`, `step 1`, `<describe>`, `placeholder text`.
fn is_placeholder(content: &str) -> bool {
    let lower = content.to_lowercase();
    let words: Vec<&str> =
        lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_number = |word: &str| word.chars().all(|letter| letter.is_ascii_digit());
    let stands_in = |word: &str| {
        matches!(word, "todo" | "tbd" | "tba" | "fixme" | "xxx" | "placeholder" | "lorem" | "ipsum" | "etc")
    };
    let counts = |word: &str| matches!(word, "step" | "task" | "item" | "todo" | "part" | "phase");
    content.starts_with('<') && content.ends_with('>')
        || words.contains(&"placeholder")
        || words.iter().all(|word| stands_in(word) || is_number(word) || counts(word))
}

/// The gate before an acting call.
pub(super) fn gate(act: &Act<'_>, known: &Known<'_>) -> Option<Found> {
    if !act.effects.is_acting() || is_about_plans(act) {
        return None;
    }
    let deny = |rule: &str, reason, fact: String, next: String| {
        Some(Found {
            decision: Decision::Deny,
            gate: "plan",
            rule: rule.to_owned(),
            reason,
            fact,
            next,
            ticket: false,
        })
    };
    let make = "write a plan with the agent's own plan tool, or with `cairn plan set --from - <<'END'` and a JSON list of \
                steps on the next lines up to END, each with content, status and priority, then make the call again";
    let Some(plan) = &known.session.plan else {
        return deny("PL-001", codes::NO_PLAN, "there is no plan in this turn".to_owned(), make.to_owned());
    };
    if let Some(fault) = fault(plan) {
        return deny(fault.rule, fault.reason, fault.fact, make.to_owned());
    }
    if let Some(spec) = &known.policy.plan_spec
        && !known.session.marks.contains_key(PLAN_SPEC_READ)
    {
        if (known.file)(&known.root.join(spec)).is_none() {
            let fact = format!(
                "the policy names {spec} as the text that says how to plan, and no such file is there"
            );
            let next = "say so to the person, who puts it there, or takes `planSpec` out of the policy and commits that";
            return deny("PL-009", codes::PLAN_SPEC_UNREAD, fact, next.to_owned());
        }
        let fact = format!("{spec} says how to plan, and was not read in this session");
        return deny(
            "PL-009",
            codes::PLAN_SPEC_UNREAD,
            fact,
            format!("read {spec}, then make the call again"),
        );
    }
    None
}

/// A plan that is a text and has no steps is one step that is left to do.
fn fault(plan: &Plan) -> Option<Fault> {
    if plan.text.is_some() && plan.todos.is_empty() { None } else { judge(&plan.todos) }
}

/// `cairn plan set` and `cairn plan show`, and beside them only what prints the plan for them to read.
pub(super) fn is_about_plans(act: &Act<'_>) -> bool {
    let commands = &act.effects.commands;
    let is_of_plans = |argv: &Argv| {
        let mut words = argv.arguments().filter(|word| !word.starts_with('-'));
        argv.program() == Some("cairn")
            && words.next() == Some("plan")
            && matches!(words.next(), Some("set" | "show"))
    };
    let prints = |argv: &Argv| matches!(argv.program(), Some("echo" | "printf" | "cat"));
    act.changes.is_empty()
        && commands.iter().any(is_of_plans)
        && commands.iter().all(|argv| is_of_plans(argv) || prints(argv))
}

/// Whether one of the commands is `cairn plan set`.
pub fn sets_plan(effects: &Effects) -> bool {
    effects.commands.iter().any(|argv| {
        let mut words = argv.arguments().filter(|word| !word.starts_with('-'));
        argv.program() == Some("cairn") && words.next() == Some("plan") && words.next() == Some("set")
    })
}
