//! Assignments, and the variables that change what commands mean.

use brush_parser::ast::{Assignment, AssignmentName, AssignmentValue};

use crate::classify::text::{Piece, Text};

use super::state::Value;
use super::{Shell, Unclear};

/// How many values an assignment may join before the variable counts as unknown.
const MOST_VALUES: usize = 12;

impl Shell<'_> {
    pub(super) fn assigned(&mut self, assignment: &Assignment) -> Result<Value, Unclear> {
        if let AssignmentName::ArrayElementName(_, index) = &assignment.name {
            self.run_inside(index)?;
        }
        Ok(match &assignment.value {
            AssignmentValue::Scalar(word) => Value::OneOf(self.values(&word.value)?),
            AssignmentValue::Array(elements) => {
                let mut all = Vec::new();
                for (key, value) in elements {
                    if let Some(key) = key {
                        self.run_inside(&key.value)?;
                    }
                    all.extend(self.readings(&value.value)?.into_iter().flatten());
                }
                Value::List(all)
            }
        })
    }

    pub(super) fn assign(&mut self, assignment: &Assignment, value: Value) {
        let (name, is_element) = match &assignment.name {
            AssignmentName::VariableName(name) => (name, false),
            AssignmentName::ArrayElementName(name, _) => (name, true),
        };
        self.note_assigned(name);
        let texts = match &value {
            Value::OneOf(texts) | Value::List(texts) => texts,
        };
        // Arithmetic runs what stands in an index, wherever the text came from.
        if texts.iter().filter_map(Text::as_literal).any(runs_in_index) {
            self.opaque();
        }
        let before = self.state.variables.get(name).cloned();
        let value = match (before, value) {
            (Some(Value::List(mut all)), Value::List(more)) if assignment.append => {
                all.extend(more);
                Value::List(all)
            }
            (Some(Value::List(mut all)), Value::OneOf(more)) if is_element => {
                all.extend(more);
                Value::List(all)
            }
            (None, Value::OneOf(texts)) if is_element => Value::List(texts),
            (Some(Value::OneOf(starts)), Value::OneOf(ends)) if assignment.append => {
                let joined = starts.iter().flat_map(|start| {
                    ends.iter().map(|end| {
                        let mut text = start.clone();
                        text.append(end);
                        text
                    })
                });
                let joined: Vec<Text> = joined.collect();
                if joined.len() > MOST_VALUES { Value::unknown() } else { Value::OneOf(joined) }
            }
            (None, Value::List(more)) if assignment.append => Value::List(more),
            _ if assignment.append || is_element => Value::unknown(),
            (_, value) => value,
        };
        self.state.variables.insert(name.clone(), value);
    }

    /// A variable that changes how commands are found, split or run.
    pub(super) fn note_assigned(&mut self, name: &str) {
        match name {
            "IFS" => self.state.splits_elsewhere = true,
            "PATH" | "CDPATH" => self.state.searches_elsewhere = true,
            _ => {}
        }
        let is_command = matches!(
            name,
            "PATH"
                | "ENV"
                | "PROMPT_COMMAND"
                | "PS4"
                | "PAGER"
                | "EDITOR"
                | "VISUAL"
                | "SHELLOPTS"
                | "BASHOPTS"
                | "SHELL"
                | "LESSOPEN"
                | "BROWSER"
        );
        let starts = ["LD_", "DYLD_", "BASH_", "GIT_", "PYTHON", "NODE_", "PERL", "RUBY", "RIPGREP_", "LESS"];
        if is_command || starts.iter().any(|start| name.starts_with(start)) {
            self.opaque();
        }
    }
}

/// Whether arithmetic on this text would run a command.
pub(super) fn runs_in_index(text: &str) -> bool {
    text.contains('[') && (text.contains("$(") || text.contains('`'))
}

/// An assignment behind `export` and the like, as the word that the program gets.
pub(super) fn as_word(assignment: &Assignment, value: &Value) -> Text {
    let name = match &assignment.name {
        AssignmentName::VariableName(name) | AssignmentName::ArrayElementName(name, _) => name,
    };
    let mut word = Text::literal(format!("{name}="));
    match value {
        Value::OneOf(texts) if texts.len() == 1 => word.append(&texts[0].without_globs()),
        _ => word.push(Piece::Unknown),
    }
    word
}
