//! From a word as it is written to the texts that a program gets.

use crate::classify::path::Base;
use crate::classify::text::{Piece, Text};

use super::braces;
use super::state::Value;
use super::word::{self, Part};
use super::{Shell, Unclear};

/// How many readings a word may have at once before it counts as unknown.
const MOST_READINGS: usize = 12;

/// One reading of a word: the fields that it becomes.
#[derive(Debug, Clone, Default)]
struct Reading {
    fields: Vec<Text>,
    open: Option<Text>,
}

impl Reading {
    fn open(&mut self) -> &mut Text {
        self.open.get_or_insert_default()
    }

    fn close(&mut self) {
        self.fields.extend(self.open.take());
    }

    /// Adds a value outside of quotes: blanks split it, and wildcards are wildcards.
    fn add_split(&mut self, value: &Text) {
        for piece in value.pieces() {
            let Piece::Literal(text) = piece else {
                self.open().push(piece.clone());
                continue;
            };
            for (index, stretch) in text.split([' ', '\t', '\n']).enumerate() {
                if index > 0 {
                    self.close();
                }
                if !stretch.is_empty() {
                    self.open().push_globbing(stretch);
                }
            }
        }
    }
}

impl Shell<'_> {
    /// The readings of a word, each as its fields. Runs the substitutions in it.
    pub(super) fn readings(&mut self, raw: &str) -> Result<Vec<Vec<Text>>, Unclear> {
        let parts = word::parts(raw)?;
        self.run_parts(&parts)?;
        let mut all: Vec<Vec<Text>> = vec![Vec::new()];
        for parts in braces::expand(parts) {
            let readings = self.part_readings(&parts, true);
            all = cross(&all, &readings);
        }
        Ok(all)
    }

    /// The values that a word may have where no field is split, as in an assignment or a redirection.
    pub(super) fn values(&mut self, raw: &str) -> Result<Vec<Text>, Unclear> {
        let parts = word::parts(raw)?;
        self.run_parts(&parts)?;
        Ok(self.part_values(&parts))
    }

    /// The values of a here-document.
    pub(super) fn heredoc_value(&mut self, body: &str, expands: bool) -> Result<Text, Unclear> {
        if !expands {
            return Ok(Text::literal(body));
        }
        let parts = word::heredoc(body)?;
        self.run_parts(&parts)?;
        Ok(match <[Text; 1]>::try_from(self.part_values(&parts)) {
            Ok([value]) => value,
            Err(_) => Text::unknown(),
        })
    }

    /// Runs what is substituted into a text of which the value does not matter.
    pub(super) fn run_inside(&mut self, raw: &str) -> Result<(), Unclear> {
        if raw.contains(['$', '`']) {
            let parts = word::parts(raw)?;
            self.deeper(|shell| shell.run_parts(&parts))?;
        }
        Ok(())
    }

    fn run_parts(&mut self, parts: &[Part]) -> Result<(), Unclear> {
        for part in parts {
            match part {
                Part::Command { script, .. } => {
                    let before = self.state.clone();
                    self.substitution(script)?;
                    self.state = before;
                }
                Part::Parameter { expression, .. } => {
                    if expression.contains(['$', '`']) {
                        self.run_inside(expression)?;
                    }
                    self.assign_default(expression);
                    // Both expand a value once more.
                    if expression.ends_with("@P") || expression.starts_with('(') {
                        self.opaque();
                    }
                }
                Part::Arithmetic { expression } => {
                    self.run_inside(expression)?;
                    self.forget_assigned(expression);
                }
                Part::Text { .. } | Part::Tilde { .. } | Part::Glob(_) => {}
            }
        }
        Ok(())
    }

    /// `${name:=value}` sets the variable.
    fn assign_default(&mut self, expression: &str) {
        let name =
            expression.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        let (name, rest) = expression.split_at(name);
        if rest.starts_with('=') || rest.starts_with(":=") {
            self.state.variables.insert(name.to_owned(), Value::unknown());
        }
    }

    fn part_values(&mut self, parts: &[Part]) -> Vec<Text> {
        let readings = self.part_readings(parts, false);
        readings.into_iter().map(|fields| fields.into_iter().next().unwrap_or_default()).collect()
    }

    fn part_readings(&mut self, parts: &[Part], splits: bool) -> Vec<Vec<Text>> {
        // A wildcard of the extended form may say the dot itself, and in `zsh` that dots are matched.
        let passes_dots = splits
            && !self.state.matches_dots
            && !self.state.has_references
            && !parts.iter().any(|part| matches!(part, Part::Glob(_)));
        let mut readings = vec![Reading::default()];
        for part in parts {
            match part {
                Part::Text { text, quoted } => {
                    for reading in &mut readings {
                        if *quoted {
                            reading.open().push_literal(text);
                        } else {
                            reading.open().push_globbing(text);
                        }
                    }
                }
                Part::Glob(glob) => {
                    for reading in &mut readings {
                        reading.open().push(Piece::Glob(glob.clone()));
                    }
                }
                Part::Tilde { user } => {
                    let home = self.tilde(user);
                    for reading in &mut readings {
                        reading.open().append(&home);
                    }
                }
                Part::Arithmetic { .. } => {
                    for reading in &mut readings {
                        reading.open().push(Piece::Unknown);
                    }
                }
                Part::Command { script, quoted } => {
                    let value = Value::OneOf(vec![self.output_of(script)]);
                    readings = self.with_value(&readings, &value, *quoted || !splits);
                }
                Part::Parameter { expression, quoted } => {
                    let value = self.parameter(expression);
                    readings = self.with_value(&readings, &value, *quoted || !splits);
                }
            }
        }
        readings
            .into_iter()
            .map(|mut reading| {
                reading.close();
                if passes_dots {
                    reading.fields = reading.fields.iter().map(Text::without_dots).collect();
                }
                reading.fields
            })
            .collect()
    }

    fn with_value(&self, readings: &[Reading], value: &Value, whole: bool) -> Vec<Reading> {
        let mut next = Vec::new();
        match value {
            Value::OneOf(texts) => {
                for reading in readings {
                    for text in texts {
                        let kept = reading;
                        let mut reading = reading.clone();
                        if whole {
                            reading.open().append(text);
                        } else if self.state.splits_elsewhere {
                            reading.open().push(Piece::Unknown);
                        } else {
                            reading.add_split(text);
                        }
                        next.push(reading);
                        if is_split(text) && !whole && self.keeps_whole {
                            let mut reading = kept.clone();
                            reading.open().append(text);
                            next.push(reading);
                        }
                    }
                }
            }
            Value::List(texts) => {
                for reading in readings {
                    let mut reading = reading.clone();
                    for (index, text) in texts.iter().enumerate() {
                        if index > 0 {
                            reading.close();
                        }
                        if whole {
                            reading.open().append(text);
                        } else {
                            reading.add_split(text);
                        }
                    }
                    next.push(reading);
                }
            }
        }
        if next.len() > MOST_READINGS {
            let open = Some(Text::unknown());
            return vec![Reading { fields: Vec::new(), open }];
        }
        next
    }

    fn tilde(&self, user: &str) -> Text {
        match user {
            "" => self.home(),
            "+" => self.folder(),
            _ => Text::unknown(),
        }
    }

    fn home(&self) -> Text {
        match self.state.variables.get("HOME") {
            Some(Value::OneOf(values)) if values.len() == 1 => values[0].clone(),
            Some(_) => Text::unknown(),
            None => {
                self.context.home.map_or_else(Text::unknown, |home| Text::literal(home.to_string_lossy()))
            }
        }
    }

    fn folder(&self) -> Text {
        match self.state.folders.as_slice() {
            [Base::Known(folder)] => Text::literal(folder.clone()),
            _ => Text::unknown(),
        }
    }

    /// The value of what stands in `${...}`.
    fn parameter(&mut self, expression: &str) -> Value {
        let length =
            expression.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        let (name, rest) = expression.split_at(length);
        if name.is_empty() {
            return match expression {
                "@" | "*" => self.state.arguments.clone().map_or_else(Value::unknown, Value::List),
                _ => Value::unknown(),
            };
        }
        let value = self.variable(name);
        let is_set = self.state.variables.contains_key(name);
        match rest {
            "" => return if let Value::List(texts) = value { first_of(&texts) } else { value },
            "[@]" | "[*]" => return value,
            _ if rest.starts_with('[') && rest.ends_with(']') => {
                return match value {
                    Value::List(texts) => Value::OneOf(texts),
                    one @ Value::OneOf(_) => one,
                };
            }
            _ => {}
        }
        let rest = rest.strip_prefix(':').filter(|rest| rest.starts_with(['-', '=', '+'])).unwrap_or(rest);
        let Some(other) = rest.strip_prefix(['-', '=', '+']) else {
            return Value::unknown();
        };
        let Ok(parts) = word::parts(other) else {
            return Value::unknown();
        };
        let mut texts = self.part_values(&parts);
        match (rest.starts_with('+'), value) {
            (true, _) => texts.push(Text::literal("")),
            (false, Value::OneOf(values)) if is_set => texts.extend(values),
            (false, _) => texts.push(Text::unknown()),
        }
        if texts.len() > MOST_READINGS { Value::unknown() } else { Value::OneOf(texts) }
    }

    fn variable(&self, name: &str) -> Value {
        if self.state.has_references {
            return Value::unknown();
        }
        if let Some(value) = self.state.variables.get(name) {
            return value.clone();
        }
        if let Ok(index) = name.parse::<usize>() {
            let arguments = self.state.arguments.as_deref();
            return match arguments {
                Some(arguments) if index > 0 => {
                    Value::OneOf(vec![arguments.get(index - 1).cloned().unwrap_or_default()])
                }
                _ => Value::unknown(),
            };
        }
        Value::OneOf(vec![match name {
            "HOME" => self.home(),
            "PWD" => self.folder(),
            _ => Text::unknown(),
        }])
    }
}

fn is_split(text: &Text) -> bool {
    text.pieces()
        .iter()
        .any(|piece| matches!(piece, Piece::Literal(text) if text.contains([' ', '\t', '\n'])))
}

fn first_of(texts: &[Text]) -> Value {
    Value::OneOf(texts.first().map_or_else(|| vec![Text::default()], |text| vec![text.clone()]))
}

/// Every reading of `left` followed by every reading of `right`.
fn cross(left: &[Vec<Text>], right: &[Vec<Text>]) -> Vec<Vec<Text>> {
    if left.len() * right.len() > MOST_READINGS {
        return vec![left.iter().chain(right).flatten().cloned().chain([Text::unknown()]).collect()];
    }
    let mut all = Vec::new();
    for first in left {
        for second in right {
            all.push(first.iter().chain(second).cloned().collect());
        }
    }
    all
}
