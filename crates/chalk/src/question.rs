//! `question`: what a person has to answer.

use canon::text;
use gate::Refusal;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::codes;
use crate::model::Question;
use crate::session::Session;
use crate::tasks::resolve;

/// One question.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct One {
    /// The question as it is now.
    pub question: Question,
}

/// Questions, oldest first.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct List {
    /// The questions.
    pub questions: Vec<Question>,
    /// How many are open.
    pub open: usize,
}

/// Asks a question.
pub fn add(
    session: &Session<'_>,
    question: &str,
    awaiting: &str,
    task: Option<&str>,
) -> Result<One, Refusal> {
    session.write("question add", |draft| {
        let task_id = task.map(|wanted| draft.find(wanted).map(|(_, task)| task.id)).transpose()?;
        let question = Question {
            id: session.world.new_id("q"),
            question: text::one_line(question),
            awaiting_from: awaiting.to_owned(),
            status: "open".to_owned(),
            at: draft.now().to_string(),
            answer: None,
            task_id,
        };
        draft.add_question(&question)?;
        let title = format!("Question asked: {}", question.question);
        draft.event("progress-update", &title, "", question.task_id.as_deref());
        Ok(One { question })
    })
}

/// Answers a question.
pub fn resolve_with(session: &Session<'_>, wanted: &str, answer: &str) -> Result<One, Refusal> {
    session.write("question resolve", |draft| {
        let questions = session.questions()?;
        let index =
            resolve(questions.iter().map(|q| (q.id.as_str(), q.question.as_str())), wanted, "question")
                .map_err(|refusal| refusal.next(session.cmd("question list --all")))?;
        let mut question = questions[index].clone();
        if !question.is_open() {
            let answer = question.answer.unwrap_or_else(|| "without an answer".to_owned());
            return Err(Refusal::new(codes::WRONG_STATE, "the question is answered already").fact(answer));
        }
        let answer = answer.trim();
        draft.set_question(index, "status", &json!("resolved"))?;
        draft.set_question(index, "answer", &json!(answer))?;
        let title = format!("Question answered: {}", question.question);
        draft.event("question-answered", &title, answer, question.task_id.as_deref());
        "resolved".clone_into(&mut question.status);
        question.answer = Some(answer.to_owned());
        Ok(One { question })
    })
}

/// The open questions, or all.
pub fn list(session: &Session<'_>, all: bool) -> Result<List, Refusal> {
    let mut questions = session.questions()?;
    let open = questions.iter().filter(|question| question.is_open()).count();
    questions.retain(|question| all || question.is_open());
    Ok(List { questions, open })
}
