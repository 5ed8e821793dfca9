//! What a value may look like, as data: the form is a table, and one walk judges any value by it.
//!
//! A walk finds every problem, in the order in which the contract's own validator meets them: first what depends on a
//! whole object, then fields that are missing, then fields that nobody knows, then the values of the known ones.

use std::collections::HashSet;

use canon::jsonc::{Content, Member, Node, pointer_step};

/// Strings that follow one rule.
pub(super) struct Grammar {
    pub holds: fn(&str) -> bool,
    /// What such a string is, as in "... is not a version such as 1.2.3".
    pub what: &'static str,
}

/// What a value may look like.
pub(super) enum Shape {
    /// A string.
    Text(&'static Grammar),
    /// One of these strings.
    Word(&'static [&'static str]),
    /// A whole number between these two.
    Integer(u64, u64),
    Bool,
    /// Anything.
    Any,
    /// `null`, or what the shape says.
    Nullable(&'static Shape),
    /// The number 1, which is the format's version.
    FormatOne,
    List(List),
    Object(Object),
    /// What the value looks like decides which shape it is judged by; none where no shape fits.
    Choice(fn(&Node) -> Option<&'static Shape>, &'static str),
}

/// An array.
pub(super) struct List {
    pub of: &'static Shape,
    pub at_least: usize,
    /// No element stands twice.
    pub unique: bool,
}

/// An object with known fields.
pub(super) struct Object {
    pub fields: &'static [Field],
    pub others: Others,
    /// A rule about several fields together.
    pub rule: Option<fn(&Node) -> Option<String>>,
}

/// What an object may hold beside its known fields.
pub(super) enum Others {
    Nothing,
    /// Fields named `x-...`, with any value.
    Extensions,
    /// Fields whose names the file chooses.
    Named(&'static Grammar, &'static Shape),
}

/// One known field.
pub(super) struct Field {
    pub name: &'static str,
    pub required: bool,
    pub shape: &'static Shape,
}

/// What is wrong with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    /// The value.
    pub pointer: String,
    /// The field of the value that nobody knows.
    pub key: Option<String>,
    pub message: String,
}

impl Problem {
    /// How deep the value lies.
    fn depth(&self) -> usize {
        self.pointer.matches('/').count()
    }
}

impl Shape {
    /// Every problem of `value`.
    pub fn problems(&self, value: &Node) -> Vec<Problem> {
        let mut walk = Walk::default();
        walk.judge(self, value);
        walk.problems
    }
}

/// The problem that lies deepest, which is the one closest to what needs a change; of several the first.
pub(super) fn deepest(problems: &[Problem]) -> Option<&Problem> {
    problems.iter().rev().max_by_key(|problem| problem.depth())
}

#[derive(Default)]
struct Walk {
    pointer: String,
    problems: Vec<Problem>,
}

impl Walk {
    fn report(&mut self, message: impl Into<String>) {
        self.problems.push(Problem { pointer: self.pointer.clone(), key: None, message: message.into() });
    }

    fn inside(&mut self, step: &str, shape: &Shape, value: &Node) {
        let end = self.pointer.len();
        self.pointer.push('/');
        self.pointer.push_str(&pointer_step(step));
        self.judge(shape, value);
        self.pointer.truncate(end);
    }

    fn judge(&mut self, shape: &Shape, value: &Node) {
        match (shape, &value.content) {
            (Shape::Any, _) | (Shape::Bool, Content::Bool(_)) | (Shape::Nullable(_), Content::Null) => {}
            (Shape::Nullable(shape), _) => self.judge(shape, value),
            (Shape::Text(grammar), Content::String(text)) => {
                if !(grammar.holds)(text) {
                    self.report(format!("{text:?} is not {}", grammar.what));
                }
            }
            (Shape::Word(words), found) => {
                if !matches!(found, Content::String(text) if words.contains(&text.as_str())) {
                    self.report(format!("must be {}", either(words)));
                }
            }
            (Shape::Integer(least, most), found) => match whole(found) {
                Some(number) if (*least..=*most).contains(&number) => {}
                _ if *most == u64::MAX => self.report(format!("must be a whole number, at least {least}")),
                _ => self.report(format!("must be a whole number from {least} to {most}")),
            },
            (Shape::FormatOne, found) => {
                if whole(found) != Some(1) {
                    self.report("schema must be 1, the only declaration format this chant reads");
                }
            }
            (Shape::List(list), Content::Array(items)) => self.list(list, items),
            (Shape::Object(object), Content::Object(members)) => self.object(object, value, members),
            (Shape::Choice(choose, what), _) => match choose(value) {
                Some(shape) => self.judge(shape, value),
                None => self.report(format!("must be {what}")),
            },
            (Shape::Text(_), _) => self.report("must be a string"),
            (Shape::Bool, _) => self.report("must be true or false"),
            (Shape::List(_), _) => self.report("must be a list"),
            (Shape::Object(_), _) => self.report("must be an object"),
        }
    }

    fn list(&mut self, list: &List, items: &[Node]) {
        if items.len() < list.at_least {
            self.report(format!("must hold at least {}", list.at_least));
        }
        if list.unique {
            let mut seen = HashSet::new();
            if let Some(twice) =
                items.iter().map(|item| item.to_value().to_string()).find(|item| !seen.insert(item.clone()))
            {
                self.report(format!("holds {twice} twice"));
            }
        }
        for (index, item) in items.iter().enumerate() {
            self.inside(&index.to_string(), list.of, item);
        }
    }

    fn object(&mut self, object: &Object, value: &Node, members: &[Member]) {
        if let Some(message) = object.rule.and_then(|rule| rule(value)) {
            self.report(message);
        }
        for field in object.fields.iter().filter(|field| field.required) {
            if value.get(field.name).is_none() {
                self.report(format!("missing required field {:?}", field.name));
            }
        }
        let added =
            || members.iter().filter(|member| object.fields.iter().all(|field| field.name != member.key));
        for member in added() {
            match object.others {
                Others::Extensions if member.key.starts_with("x-") => {}
                Others::Named(names, _) if (names.holds)(&member.key) => {}
                Others::Named(names, _) => {
                    self.report(format!("the key {:?} is not {}", member.key, names.what));
                }
                Others::Nothing | Others::Extensions => self.problems.push(Problem {
                    pointer: self.pointer.clone(),
                    key: Some(member.key.clone()),
                    message: format!("unknown field {:?}; only fields named x-... may be added", member.key),
                }),
            }
        }
        for field in object.fields {
            if let Some(value) = value.get(field.name) {
                self.inside(field.name, field.shape, value);
            }
        }
        if let Others::Named(_, shape) = object.others {
            added().for_each(|member| self.inside(&member.key, shape, &member.value));
        }
    }
}

/// A whole number that is not negative. `1.0` is one, as it is wherever JSON is read as JavaScript reads it.
pub(super) fn whole(content: &Content) -> Option<u64> {
    let Content::Number(number) = content else { return None };
    number.as_u64().or_else(|| {
        let float = number.as_f64().filter(|float| float.fract() == 0.0 && (0.0..9e15).contains(float))?;
        // The text of a whole number below 2^53 is its digits.
        format!("{float:.0}").parse().ok()
    })
}

fn either(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [word] => (*word).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}
