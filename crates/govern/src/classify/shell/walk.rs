//! The walk through a script's syntax tree.

use std::rc::Rc;

use brush_parser::ast::{
    Command, CommandPrefixOrSuffixItem as Item, CompoundCommand, CompoundList, ExtendedTestExpr, Pipeline,
    PipelineOperator, Program, SeparatorOperator, SimpleCommand,
};

use crate::classify::text::Text;

use super::programs::Input;
use super::state::Value;
use super::{Shell, Unclear, assign};

/// How many readings a command may have before its words count as unknown.
const MOST_READINGS: usize = 12;

impl Shell<'_> {
    /// Walks the body of a function that is called.
    pub(super) fn function_body(&mut self, body: &brush_parser::ast::FunctionBody) -> Result<(), Unclear> {
        self.redirects(body.1.as_ref())?;
        self.compound(&body.0)
    }

    pub(super) fn program(&mut self, program: &Program) -> Result<(), Unclear> {
        program.complete_commands.iter().try_for_each(|list| self.list(list))
    }

    pub(super) fn list(&mut self, list: &CompoundList) -> Result<(), Unclear> {
        for item in &list.0 {
            let before = self.state.clone();
            // Where the script may be when one of the commands so far has failed.
            let mut failed = before.clone();
            let mut ends = false;
            for (index, (operator, pipeline)) in item.0.iter().enumerate() {
                if index > 0 {
                    failed = failed.or(&self.state);
                }
                if index > 0 && operator == PipelineOperator::Or {
                    if self.is_exit(pipeline) {
                        // What follows is reached only where nothing has failed.
                        let passed = self.state.clone();
                        self.pipeline(pipeline)?;
                        self.state = passed;
                        ends = true;
                        continue;
                    }
                    self.state = self.state.clone().or(&failed);
                }
                ends = false;
                self.pipeline(pipeline)?;
            }
            if matches!(item.1, SeparatorOperator::Async) {
                self.state = before;
            } else if !ends && (!item.0.additional.is_empty() || self.state.folders != before.folders) {
                self.state = self.state.clone().or(&failed);
            }
        }
        Ok(())
    }

    fn pipeline(&mut self, pipeline: &Pipeline) -> Result<(), Unclear> {
        let before = pipeline.bang.then(|| self.state.clone());
        let mut printed = None;
        for (at, command) in pipeline.seq.iter().enumerate() {
            let input = if at == 0 { Input::Inherited } else { printed.take().unwrap_or(Input::Piped) };
            if pipeline.seq.len() == 1 {
                self.command(command, input)?;
            } else if at + 1 == pipeline.seq.len() {
                // Some shells run the last command of a pipeline themselves, others apart.
                let apart = self.state.clone();
                self.command(command, input)?;
                self.state = self.state.clone().or(&apart);
            } else {
                self.apart(|shell| shell.command(command, input))?;
                printed = self.printed(command)?;
            }
        }
        if let Some(before) = before {
            // Behind `!` what follows is reached where the command has failed.
            self.state = self.state.clone().or(&before);
        }
        Ok(())
    }

    /// Whether a pipeline is `exit` alone, and `exit` means what it does.
    fn is_exit(&self, pipeline: &Pipeline) -> bool {
        let [Command::Simple(simple)] = pipeline.seq.as_slice() else {
            return false;
        };
        let is_named = simple.word_or_name.as_ref().is_some_and(|name| name.value == "exit");
        let is_changed =
            self.state.functions.contains_key("exit") || self.state.renamed.iter().any(|name| name == "exit");
        // With words that are no number, or a redirection that fails, the shell may go on.
        is_named && simple.prefix.is_none() && !is_changed && exits_plainly(simple)
    }

    /// Walks what can't change the state, as a subshell.
    pub(super) fn apart(
        &mut self,
        walk: impl FnOnce(&mut Self) -> Result<(), Unclear>,
    ) -> Result<(), Unclear> {
        let before = self.state.clone();
        walk(self)?;
        self.state = before;
        Ok(())
    }

    fn command(&mut self, command: &Command, input: Input) -> Result<(), Unclear> {
        match command {
            Command::Simple(simple) => self.simple(simple, input),
            Command::Compound(compound, redirects) => {
                self.redirects(redirects.as_ref())?;
                self.deeper(|shell| shell.compound(compound))
            }
            Command::Function(function) => {
                let name = function.fname.value.clone();
                // It may be called from where the walk does not see it, as in a trap.
                let before = self.state.clone();
                self.state.arguments = None;
                self.deeper(|shell| {
                    shell.redirects(function.body.1.as_ref())?;
                    shell.compound(&function.body.0)
                })?;
                self.state = before;
                self.state.functions.insert(name, Rc::new(function.body.clone()));
                Ok(())
            }
            Command::ExtendedTest(test, redirects) => {
                self.redirects(redirects.as_ref())?;
                self.test(&test.expr)
            }
        }
    }

    fn compound(&mut self, compound: &CompoundCommand) -> Result<(), Unclear> {
        self.step()?;
        match compound {
            CompoundCommand::Arithmetic(arithmetic) => self.arithmetic(&arithmetic.expr.value),
            CompoundCommand::ArithmeticForClause(clause) => {
                for part in [&clause.initializer, &clause.condition, &clause.updater].into_iter().flatten() {
                    self.arithmetic(&part.value)?;
                }
                self.repeatedly(|shell| shell.list(&clause.body.list))
            }
            CompoundCommand::BraceGroup(group) => self.list(&group.list),
            CompoundCommand::Subshell(subshell) => self.apart(|shell| shell.list(&subshell.list)),
            CompoundCommand::ForClause(clause) => {
                let values = match &clause.values {
                    Some(words) => {
                        let mut values = Vec::new();
                        for word in words {
                            values.extend(self.readings(&word.value)?.into_iter().flatten());
                        }
                        values
                    }
                    None => self.state.arguments.clone().unwrap_or_else(|| vec![Text::unknown()]),
                };
                let value = if values.is_empty() || values.len() > MOST_READINGS {
                    let globs = values.iter().all(|value| !value.has_unknown());
                    if globs && values.len() <= 400 { Value::OneOf(values) } else { Value::unknown() }
                } else {
                    Value::OneOf(values)
                };
                self.loop_over(&clause.variable_name, value, &clause.body.list)
            }
            CompoundCommand::CaseClause(clause) => {
                self.run_inside(&clause.value.value)?;
                let before = self.state.clone();
                let mut after = before.clone();
                for case in &clause.cases {
                    for pattern in &case.patterns {
                        self.run_inside(&pattern.value)?;
                    }
                    // A case may also be reached from the one before.
                    self.state = after.clone();
                    if let Some(list) = &case.cmd {
                        self.list(list)?;
                    }
                    after = self.state.clone().or(&after);
                }
                self.state = after;
                Ok(())
            }
            CompoundCommand::IfClause(clause) => {
                self.list(&clause.condition)?;
                let before = self.state.clone();
                self.list(&clause.then)?;
                let mut after = self.state.clone();
                let mut conditions = before.clone();
                for branch in clause.elses.iter().flatten() {
                    self.state = conditions.clone();
                    if let Some(condition) = &branch.condition {
                        self.list(condition)?;
                        conditions = self.state.clone();
                    }
                    self.list(&branch.body)?;
                    after = after.or(&self.state);
                }
                let is_total = clause.elses.iter().flatten().any(|branch| branch.condition.is_none());
                self.state = if is_total { after } else { after.or(&conditions) };
                Ok(())
            }
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
                self.repeatedly(|shell| {
                    shell.list(&clause.0)?;
                    shell.list(&clause.1.list)
                })
            }
            CompoundCommand::Coprocess(coprocess) => {
                self.apart(|shell| shell.command(&coprocess.body, Input::Piped))
            }
        }
    }

    fn loop_over(&mut self, name: &str, value: Value, body: &CompoundList) -> Result<(), Unclear> {
        let Value::OneOf(values) = value else {
            return Ok(());
        };
        // Many values are given to one round as a list that no reading has to be made of.
        if values.len() > MOST_READINGS {
            for chunk in values.chunks(MOST_READINGS) {
                let chunk = Value::OneOf(chunk.to_vec());
                self.repeatedly(|shell| {
                    shell.state.variables.insert(name.to_owned(), chunk.clone());
                    shell.list(body)
                })?;
            }
            return Ok(());
        }
        let value = if values.is_empty() { Value::unknown() } else { Value::OneOf(values) };
        self.state.variables.insert(name.to_owned(), value.clone());
        self.repeatedly(|shell| {
            shell.state.variables.insert(name.to_owned(), value.clone());
            shell.list(body)
        })
    }

    /// Walks what may run any number of times.
    fn repeatedly(&mut self, mut walk: impl FnMut(&mut Self) -> Result<(), Unclear>) -> Result<(), Unclear> {
        let before = self.state.clone();
        walk(self)?;
        self.state = self.state.clone().or(&before);
        if self.state.is_as(&before) {
            return Ok(());
        }
        // What the first round has changed may change more in the second; then nothing of it is certain.
        let first = self.state.clone();
        walk(self)?;
        self.state = self.state.clone().or(&first);
        if !self.state.is_as(&first) {
            self.state.forget_changes(&before);
            walk(self)?;
            self.state.forget_changes(&before);
        }
        Ok(())
    }

    fn test(&mut self, expression: &ExtendedTestExpr) -> Result<(), Unclear> {
        match expression {
            ExtendedTestExpr::And(left, right) | ExtendedTestExpr::Or(left, right) => {
                self.test(left)?;
                self.test(right)
            }
            ExtendedTestExpr::Not(inner) | ExtendedTestExpr::Parenthesized(inner) => self.test(inner),
            ExtendedTestExpr::UnaryTest(_, word) => self.run_inside(&word.value),
            ExtendedTestExpr::BinaryTest(_, left, right) => {
                self.run_inside(&left.value)?;
                self.run_inside(&right.value)
            }
        }
    }

    fn arithmetic(&mut self, expression: &str) -> Result<(), Unclear> {
        self.run_inside(expression)?;
        self.forget_assigned(expression);
        Ok(())
    }

    /// A variable that is set by an expression is a number.
    pub(super) fn forget_assigned(&mut self, expression: &str) {
        if expression.contains('=') || expression.contains("++") || expression.contains("--") {
            let is_name = |character: char| character.is_ascii_alphanumeric() || character == '_';
            for name in expression.split(|character| !is_name(character)) {
                if self.state.variables.contains_key(name) {
                    self.state.variables.insert(name.to_owned(), Value::unknown());
                }
            }
        }
    }

    fn simple(&mut self, simple: &SimpleCommand, input: Input) -> Result<(), Unclear> {
        self.step()?;
        let mut readings: Vec<Vec<Text>> = vec![Vec::new()];
        let mut assignments = Vec::new();
        let mut input = input;
        for item in simple.prefix.iter().flat_map(|prefix| &prefix.0) {
            match item {
                Item::IoRedirect(redirect) => self.feed(redirect, &mut input)?,
                Item::AssignmentWord(assignment, _) => {
                    let value = self.assigned(assignment)?;
                    assignments.push((assignment, value));
                }
                Item::Word(_) | Item::ProcessSubstitution(..) => {}
            }
        }
        let is_declaration = simple.word_or_name.as_ref().is_some_and(|name| {
            matches!(name.value.as_str(), "declare" | "typeset" | "export" | "readonly" | "local" | "alias")
        });
        if let Some(name) = &simple.word_or_name {
            let keeps = std::mem::replace(&mut self.keeps_whole, false);
            let name = self.readings(&name.value);
            self.keeps_whole = keeps;
            readings = extend(readings, name?);
        }
        for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
            match item {
                Item::IoRedirect(redirect) => self.feed(redirect, &mut input)?,
                Item::AssignmentWord(assignment, _) if is_declaration => {
                    let value = self.assigned(assignment)?;
                    readings = extend(readings, vec![vec![assign::as_word(assignment, &value)]]);
                    self.assign(assignment, value);
                }
                Item::Word(word) | Item::AssignmentWord(_, word) => {
                    readings = extend(readings, self.readings(&word.value)?);
                }
                Item::ProcessSubstitution(_, subshell) => {
                    self.apart(|shell| shell.list(&subshell.list))?;
                    readings = extend(readings, vec![vec![Text::literal("/dev/fd/63")]]);
                }
            }
        }
        if simple.word_or_name.is_none() {
            for (assignment, value) in assignments {
                self.assign(assignment, value);
            }
            return Ok(());
        }
        let variables = self.state.variables.clone();
        let had_assignments = !assignments.is_empty();
        for (assignment, value) in assignments {
            self.assign(assignment, value);
        }
        let before = self.state.clone();
        let mut after = None;
        for words in readings {
            self.state = before.clone();
            self.run(&words, &input)?;
            after = Some(match after {
                None => self.state.clone(),
                Some(other) => self.state.clone().or(&other),
            });
        }
        if let Some(after) = after {
            self.state = after;
        }
        if had_assignments {
            self.state.variables = variables;
        }
        Ok(())
    }
}

fn exits_plainly(simple: &SimpleCommand) -> bool {
    let words = simple.suffix.as_ref().map_or(&[][..], |suffix| &suffix.0);
    match words {
        [] => true,
        [Item::Word(word)] => word.value.bytes().all(|byte| byte.is_ascii_digit()),
        _ => false,
    }
}

/// Every reading of a command followed by every reading of its next word.
fn extend(mut commands: Vec<Vec<Text>>, mut words: Vec<Vec<Text>>) -> Vec<Vec<Text>> {
    if commands.len() * words.len() > MOST_READINGS {
        // Every reading of the word is given at once, and what a program makes of that is left open.
        let mut all: Vec<Text> = words.into_iter().flatten().collect();
        all.push(Text::unknown());
        words = vec![all];
    }
    let Some(last) = words.pop() else {
        return commands;
    };
    let mut all = Vec::new();
    for word in &words {
        all.extend(commands.iter().map(|command| command.iter().chain(word).cloned().collect()));
    }
    for command in &mut commands {
        command.extend(last.iter().cloned());
    }
    all.extend(commands);
    all
}
