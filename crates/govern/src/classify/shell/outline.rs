//! What a script is made of, in a form in which two parsers can be compared.

use brush_parser::ast::{
    AssignmentValue, Command, CommandPrefixOrSuffixItem as Item, CompoundCommand, CompoundList,
    ExtendedTestExpr, IoFileRedirectKind, IoFileRedirectTarget, IoRedirect, Program, RedirectList,
    SimpleCommand,
};

use super::Unclear;
use super::syntax::Programs;
use super::word::{self, Part};

/// How deep substitutions are looked into.
const DEEPEST: usize = 12;

/// The commands, their words, and the redirections of a script and of every substitution in it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// How many commands there are.
    pub commands: usize,
    words: Vec<String>,
    redirections: Vec<(String, String)>,
}

impl Outline {
    /// Adds a word as it is written. A dash alone is left out: before a here-document the second parser loses it.
    pub fn word(&mut self, word: &str) {
        if word != "-" {
            self.words.push(joined(word));
        }
    }

    /// Adds a redirection.
    pub fn redirection(&mut self, operator: &str, target: &str) {
        let target = match target.get(..2) {
            Some("<(" | ">(") => "()".to_owned(),
            _ => joined(target),
        };
        let target = if operator.ends_with('-') { "-".to_owned() } else { target };
        let operator = operator.trim_end_matches('-');
        self.redirections.push((operator.to_owned(), target));
    }

    /// Brings both lists into one order.
    pub fn sort(&mut self) {
        self.words.sort_unstable();
        self.redirections.sort_unstable();
    }

    /// The outline of a syntax tree.
    pub fn of(program: &Program, most_openings: usize, read: &mut Programs) -> Result<Self, Unclear> {
        let mut reader = Reader { outline: Self::default(), depth: 0, most_openings, read };
        for list in &program.complete_commands {
            reader.list(list)?;
        }
        reader.outline.sort();
        Ok(reader.outline)
    }
}

/// A word without the line breaks that a backslash takes away.
fn joined(word: &str) -> String {
    word.replace("\\\n", "")
}

/// The builtins that declare: the second parser has no common form for their words.
pub fn declares(name: &str) -> bool {
    matches!(name, "declare" | "typeset" | "export" | "readonly" | "local" | "unset" | "unsetenv" | "[")
}

struct Reader<'a> {
    outline: Outline,
    depth: usize,
    most_openings: usize,
    read: &'a mut Programs,
}

impl Reader<'_> {
    fn list(&mut self, list: &CompoundList) -> Result<(), Unclear> {
        for item in &list.0 {
            for (_, pipeline) in &item.0 {
                if pipeline.timed.is_some() {
                    self.outline.word("time");
                }
                if pipeline.timed.as_ref().is_some_and(brush_parser::ast::PipelineTimed::is_posix_output) {
                    self.outline.word("-p");
                }
                for command in &pipeline.seq {
                    self.command(command)?;
                }
            }
        }
        Ok(())
    }

    fn command(&mut self, command: &Command) -> Result<(), Unclear> {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(compound, redirects) => {
                self.compound(compound)?;
                self.redirects(redirects.as_ref())
            }
            Command::Function(function) => {
                self.compound(&function.body.0)?;
                self.redirects(function.body.1.as_ref())
            }
            Command::ExtendedTest(test, redirects) => {
                self.test(&test.expr)?;
                self.redirects(redirects.as_ref())
            }
        }
    }

    fn simple(&mut self, simple: &SimpleCommand) -> Result<(), Unclear> {
        let name = simple.word_or_name.as_ref().map(|word| word.value.as_str());
        if let Some(name) = name {
            self.outline.commands += 1;
            self.outline.word(name);
            self.inside(name)?;
        }
        let is_declaration = name.is_some_and(declares);
        let prefix = simple.prefix.iter().flat_map(|prefix| &prefix.0).map(|item| (item, true));
        let suffix = simple.suffix.iter().flat_map(|suffix| &suffix.0).map(|item| (item, is_declaration));
        for (item, is_silent) in prefix.chain(suffix) {
            match item {
                Item::IoRedirect(redirect) => self.redirect(redirect)?,
                Item::Word(word) => {
                    if !is_silent {
                        self.outline.word(&word.value);
                    }
                    self.inside(&word.value)?;
                }
                Item::AssignmentWord(assignment, word) => {
                    if !is_silent {
                        self.outline.word(&word.value);
                    }
                    if let brush_parser::ast::AssignmentName::ArrayElementName(_, index) = &assignment.name {
                        self.inside(index)?;
                    }
                    match &assignment.value {
                        AssignmentValue::Scalar(value) => self.inside(&value.value)?,
                        AssignmentValue::Array(elements) => {
                            for (key, value) in elements {
                                if let Some(key) = key {
                                    self.inside(&key.value)?;
                                }
                                self.inside(&value.value)?;
                            }
                        }
                    }
                }
                Item::ProcessSubstitution(_, subshell) => self.list(&subshell.list)?,
            }
        }
        Ok(())
    }

    fn compound(&mut self, compound: &CompoundCommand) -> Result<(), Unclear> {
        match compound {
            CompoundCommand::Arithmetic(arithmetic) => self.inside(&arithmetic.expr.value),
            CompoundCommand::ArithmeticForClause(clause) => {
                for part in [&clause.initializer, &clause.condition, &clause.updater].into_iter().flatten() {
                    self.inside(&part.value)?;
                }
                self.list(&clause.body.list)
            }
            CompoundCommand::BraceGroup(group) => self.list(&group.list),
            CompoundCommand::Subshell(subshell) => self.list(&subshell.list),
            CompoundCommand::ForClause(clause) => {
                for value in clause.values.iter().flatten() {
                    self.inside(&value.value)?;
                }
                self.list(&clause.body.list)
            }
            CompoundCommand::CaseClause(clause) => {
                self.inside(&clause.value.value)?;
                for case in &clause.cases {
                    for pattern in &case.patterns {
                        self.inside(&pattern.value)?;
                    }
                    if let Some(list) = &case.cmd {
                        self.list(list)?;
                    }
                }
                Ok(())
            }
            CompoundCommand::IfClause(clause) => {
                self.list(&clause.condition)?;
                self.list(&clause.then)?;
                for branch in clause.elses.iter().flatten() {
                    if let Some(condition) = &branch.condition {
                        self.list(condition)?;
                    }
                    self.list(&branch.body)?;
                }
                Ok(())
            }
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
                self.list(&clause.0)?;
                self.list(&clause.1.list)
            }
            CompoundCommand::Coprocess(coprocess) => {
                self.outline.word("coproc");
                self.command(&coprocess.body)
            }
        }
    }

    fn redirects(&mut self, redirects: Option<&RedirectList>) -> Result<(), Unclear> {
        for redirect in redirects.iter().flat_map(|list| &list.0) {
            self.redirect(redirect)?;
        }
        Ok(())
    }

    fn redirect(&mut self, redirect: &IoRedirect) -> Result<(), Unclear> {
        match redirect {
            IoRedirect::File(_, kind, target) => {
                let operator = match kind {
                    IoFileRedirectKind::Read => "<",
                    IoFileRedirectKind::Write => ">",
                    IoFileRedirectKind::Append => ">>",
                    IoFileRedirectKind::ReadAndWrite => "<>",
                    IoFileRedirectKind::Clobber => ">|",
                    IoFileRedirectKind::DuplicateInput => "<&",
                    IoFileRedirectKind::DuplicateOutput => ">&",
                };
                match target {
                    IoFileRedirectTarget::Filename(word) | IoFileRedirectTarget::Duplicate(word) => {
                        self.outline.redirection(operator, &word.value);
                        self.inside(&word.value)
                    }
                    // Written `|&`, which the second parser counts as no redirection.
                    IoFileRedirectTarget::Fd(_) => Ok(()),
                    IoFileRedirectTarget::ProcessSubstitution(_, subshell) => {
                        self.outline.redirection(operator, "<(");
                        self.list(&subshell.list)
                    }
                }
            }
            IoRedirect::HereDocument(_, document) => {
                self.outline.redirection("<<", &document.here_end.value);
                if document.requires_expansion {
                    self.parts(&word::heredoc(&document.doc.value)?)?;
                }
                Ok(())
            }
            IoRedirect::HereString(_, word) => {
                self.outline.redirection("<<", &word.value);
                self.inside(&word.value)
            }
            IoRedirect::OutputAndError(word, appends) => {
                self.outline.redirection(if *appends { "&>>" } else { "&>" }, &word.value);
                self.inside(&word.value)
            }
        }
    }

    fn test(&mut self, expression: &ExtendedTestExpr) -> Result<(), Unclear> {
        match expression {
            ExtendedTestExpr::And(left, right) | ExtendedTestExpr::Or(left, right) => {
                self.test(left)?;
                self.test(right)
            }
            ExtendedTestExpr::Not(inner) | ExtendedTestExpr::Parenthesized(inner) => self.test(inner),
            ExtendedTestExpr::UnaryTest(_, word) => self.inside(&word.value),
            ExtendedTestExpr::BinaryTest(_, left, right) => {
                self.inside(&left.value)?;
                self.inside(&right.value)
            }
        }
    }

    /// Looks into the substitutions of a word.
    fn inside(&mut self, raw: &str) -> Result<(), Unclear> {
        if !raw.contains(['$', '`']) {
            return Ok(());
        }
        self.parts(&word::parts(raw)?)
    }

    fn parts(&mut self, parts: &[Part]) -> Result<(), Unclear> {
        if self.depth >= DEEPEST {
            return Err(Unclear::new("substitutions are nested too deep"));
        }
        self.depth += 1;
        for part in parts {
            match part {
                Part::Command { script, .. } => {
                    let program = self.read.program(script, self.most_openings)?;
                    for list in &program.complete_commands {
                        self.list(list)?;
                    }
                }
                Part::Parameter { expression, .. } | Part::Arithmetic { expression } => {
                    self.inside(expression)?;
                }
                Part::Text { .. } | Part::Tilde { .. } | Part::Glob(_) => {}
            }
        }
        self.depth -= 1;
        Ok(())
    }
}
