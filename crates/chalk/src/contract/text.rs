//! The words of the contract.

use crate::session::{Naming, Session};

/// The contract without its markers: lines that each end with a line end. No code fences, so that no
/// fence of the user's can pair up with one of these.
pub(super) fn contract(naming: Naming) -> String {
    let c = |rest: &str| format!("`{}`", naming(rest));
    format!(
        "\
## How work goes on here

The state of this project lies in `.chalk/`, and gates decide whether a task moves on. Begin each turn with
{next}: it names the one step that comes next, with its command.

1. Read {context}. Don't work from memory.
2. Start with {start}. It is refused without acceptance criteria: {spec}.
3. Work on that task alone, with your own tools. Locked tests are read-only; one that is wrong is changed with
   a reason: {amend}.
4. Verify with {verify} until it is green. The toolchain decides, not your own view of the work.
5. Finish with {done}. Where a review has to come first, it is {review}.
6. Write down what the next one needs to know: {update}, {decision}, {question}.

- `.chalk/spec.md` is yours to edit. Everything else in `.chalk/` changes through commands only.
- The held-out tests are not for you: don't look for them, don't read them.
- A refused command says why, and which command comes next. Going round a gate is never the next step.
- What you can't go on without, say with {block}.
",
        next = c("next"),
        context = c("context ID"),
        start = c("start ID"),
        spec = c("spec ID --criterion \"...\""),
        amend = c("amend-spec ID --test PATH --why \"...\""),
        verify = c("verify"),
        done = c("done ID"),
        review = c("review ID"),
        update = c("update \"...\""),
        decision = c("decision \"...\" --why \"...\""),
        question = c("question add \"...\""),
        block = c("block ID --needs decision --reason \"...\""),
    )
}

/// The contract in short, for the end of a context: one line each.
pub(crate) fn in_short(session: &Session<'_>, id: &str) -> Vec<String> {
    let c = |rest: &str| format!("`{}`", session.cmd(rest));
    vec![
        format!(
            "{} before the first edit, {} until it is green, then {}",
            c(&format!("start {id}")),
            c("verify"),
            c(&format!("done {id}"))
        ),
        format!(
            "locked tests are read-only; one that is wrong is changed with a reason: {}",
            c(&format!("amend-spec {id} --test PATH --why \"...\""))
        ),
        "the toolchain and the reviewer judge the work, you don't".to_owned(),
        format!(
            "write down what you decide ({}), ask what you can't decide ({}), keep what you learn ({})",
            c("decision \"...\" --why \"...\""),
            c("question add \"...\""),
            c("lesson add \"...\"")
        ),
    ]
}
