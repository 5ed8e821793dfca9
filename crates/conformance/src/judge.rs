//! One answer held against what is expected, and against what the subject says of itself.

use canon::json;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::protocol::{Capabilities, Reply, Status};
use crate::vector::{Allowed, Vector};

/// How a vector came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING-KEBAB-CASE")]
pub enum Class {
    /// The answer is, byte for byte, the expected one, every time.
    Pass,
    /// It is another one, or one that the subject's own words forbid.
    Fail,
    /// The subject does not claim what the vector requires: neither passed nor failed.
    Unsupported,
    /// The subject declared beforehand that it does not have it yet.
    SpecifiedNotImplemented,
    /// The subject crashed, was late, or broke the protocol. Counts as failed.
    Error,
}

impl Class {
    /// Whether it counts against the subject.
    pub const fn is_bad(self) -> bool {
        matches!(self, Self::Fail | Self::Error)
    }

    /// Whether a level lets it stand for this vector.
    pub fn holds(self, vector: &Vector) -> bool {
        match self {
            Self::Pass => true,
            Self::Fail | Self::Error => false,
            Self::Unsupported => vector.allow.contains(&Allowed::Unsupported),
            Self::SpecifiedNotImplemented => vector.allow.contains(&Allowed::SpecifiedNotImplemented),
        }
    }
}

/// What a case came to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Judged {
    pub class: Class,
    /// Why, where it did not pass.
    pub why: Option<String>,
    /// What was answered, in canonical form, where there was an answer that counts.
    pub output: Option<Vec<u8>>,
    /// The subject's words and its answer contradict each other.
    pub dishonest: bool,
}

impl Judged {
    pub fn error(why: String) -> Self {
        Self { class: Class::Error, why: Some(why), output: None, dishonest: false }
    }
}

/// What must be answered to a vector, given what the subject says of itself.
fn due(vector: &Vector, says: &Capabilities) -> Status {
    let is_claimed = |tag: &String| says.capabilities.contains(tag);
    let is_declared = |tag: &String| says.specified_not_implemented.contains(tag);
    if vector.requires.iter().all(is_claimed) {
        Status::Done
    } else if vector.requires.iter().all(|tag| is_claimed(tag) || is_declared(tag)) {
        Status::SpecifiedNotImplemented
    } else {
        Status::Unsupported
    }
}

/// The class of an answer.
pub(crate) fn judge(vector: &Vector, says: &Capabilities, reply: &Reply) -> Judged {
    let due = due(vector, says);
    let dishonest =
        |why: &str| Judged { class: Class::Fail, why: Some(why.to_owned()), output: None, dishonest: true };
    match (due, reply.status) {
        (Status::Done, Status::Done) => compare(vector, reply),
        (Status::Done, _) => {
            dishonest("the subject claims every tag that it requires, and does not answer it")
        }
        (_, Status::Done) => dishonest("the subject answers it without claiming the tags that it requires"),
        (due, given) if due == given => {
            let class =
                if due == Status::Unsupported { Class::Unsupported } else { Class::SpecifiedNotImplemented };
            Judged { class, why: None, output: None, dishonest: false }
        }
        (Status::Unsupported, _) => {
            dishonest("the subject says that it does not have it yet, and did not declare so beforehand")
        }
        (Status::SpecifiedNotImplemented, _) => {
            dishonest("the subject declared that it does not have it yet, and says that it is unsupported")
        }
    }
}

fn compare(vector: &Vector, reply: &Reply) -> Judged {
    let form = |outputs: &[Value], artifacts: &serde_json::Map<String, Value>| {
        json::canonical(&json!({ "artifacts": artifacts, "outputs": outputs }))
    };
    let expected = form(&vector.expect.outputs, &vector.expect.artifacts);
    let (Ok(expected), Ok(got)) = (expected, form(&reply.outputs, &reply.artifacts)) else {
        return Judged::error("the answer has no canonical form".to_owned());
    };
    if expected == got {
        return Judged { class: Class::Pass, why: None, output: Some(got), dishonest: false };
    }
    let why = first_difference(vector, reply);
    Judged { class: Class::Fail, why: Some(why), output: Some(got), dishonest: false }
}

fn first_difference(vector: &Vector, reply: &Reply) -> String {
    let (wanted, given) = (&vector.expect.outputs, &reply.outputs);
    for (n, (wanted, given)) in (1..).zip(wanted.iter().zip(given)) {
        if wanted != given {
            return format!("output {n} is {}, expected is {}", shown(given), shown(wanted));
        }
    }
    if wanted.len() != given.len() {
        return format!("{} outputs came, expected are {}", given.len(), wanted.len());
    }
    let (wanted, given) = (&vector.expect.artifacts, &reply.artifacts);
    for (name, wanted) in wanted {
        let given = given.get(name).unwrap_or(&Value::Null);
        if wanted != given {
            return format!("the artifact `{name}` is {}, expected is {}", shown(given), shown(wanted));
        }
    }
    "an artifact came that was not asked for".to_owned()
}

fn shown(value: &Value) -> String {
    canon::text::clip(&json::compact(value), 600)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector() -> Vector {
        serde_json::from_value(json!({
            "id": "X-1", "version": 1, "contract": "x", "title": "t", "mark": "stated", "level": "none",
            "requires": ["a", "b"], "steps": [{ "op": "x" }], "expect": { "outputs": [{ "n": 1, "m": 2 }] }
        }))
        .unwrap()
    }

    fn says(claimed: &[&str], declared: &[&str]) -> Capabilities {
        serde_json::from_value(json!({
            "protocol": 1, "name": "x", "version": "1", "capabilities": claimed, "specifiedNotImplemented": declared
        }))
        .unwrap()
    }

    fn class(says: &Capabilities, status: &str, outputs: Value) -> (Class, bool) {
        let reply =
            serde_json::from_value(json!({ "id": "1", "status": status, "outputs": outputs })).unwrap();
        let judged = judge(&vector(), says, &reply);
        (judged.class, judged.dishonest)
    }

    #[test]
    fn an_answer_counts_only_for_what_is_claimed() {
        let right = json!([{ "m": 2, "n": 1 }]);
        let all = says(&["a", "b"], &[]);
        assert_eq!(class(&all, "done", right.clone()), (Class::Pass, false), "the order of names is none");
        assert_eq!(class(&all, "done", json!([{ "n": 1 }])), (Class::Fail, false));
        assert_eq!(class(&all, "done", json!([])), (Class::Fail, false));
        assert_eq!(class(&all, "unsupported", json!([])), (Class::Fail, true));
        assert_eq!(class(&all, "specified-not-implemented", json!([])), (Class::Fail, true));
        let half = says(&["a"], &[]);
        assert_eq!(class(&half, "unsupported", json!([])), (Class::Unsupported, false));
        assert_eq!(class(&half, "done", right.clone()), (Class::Fail, true));
        assert_eq!(class(&half, "specified-not-implemented", json!([])), (Class::Fail, true));
        let later = says(&["a"], &["b"]);
        assert_eq!(
            class(&later, "specified-not-implemented", json!([])),
            (Class::SpecifiedNotImplemented, false)
        );
        assert_eq!(class(&later, "unsupported", json!([])), (Class::Fail, true));
        assert_eq!(class(&later, "done", right), (Class::Fail, true));
    }

    #[test]
    fn the_first_difference_is_named() {
        let reply = |outputs: Value| Reply {
            id: String::new(),
            status: Status::Done,
            outputs: outputs.as_array().unwrap().clone(),
            artifacts: serde_json::Map::new(),
        };
        let says = |outputs| judge(&vector(), &says(&["a", "b"], &[]), &reply(outputs)).why.unwrap();
        assert_eq!(says(json!([{ "n": 2 }])), r#"output 1 is {"n":2}, expected is {"n":1,"m":2}"#);
        assert_eq!(says(json!([{ "n": 1, "m": 2 }, 3])), "2 outputs came, expected are 1");
    }
}
