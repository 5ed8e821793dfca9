//! Makefiles and justfiles: what one target runs, and what of the file that rests on.

use std::collections::{BTreeMap, BTreeSet};

/// Variables that name one another would be put in without end.
const MAX_EXPANSIONS: usize = 200;

/// Which of the two forms a file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Make,
    Just,
}

/// A file of rules, as far as it is understood. What is not understood counts for every target.
#[derive(Debug, Default)]
pub(super) struct Rules {
    all: Vec<Rule>,
    variables: Vec<Variable>,
    /// Lines that every target rests on: settings, conditions, exported variables.
    always: Vec<String>,
    /// Files that the file takes in, as written.
    pub included: Vec<String>,
}

#[derive(Debug)]
struct Rule {
    targets: Vec<String>,
    needs: Vec<String>,
    head: String,
    recipe: Vec<String>,
}

#[derive(Debug)]
struct Variable {
    name: String,
    text: String,
    value: String,
}

/// What a target comes to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// The lines of the file that it rests on, in the file's order.
    pub text: String,
    /// The shell commands that it runs, variables put in where they are plain.
    pub commands: String,
}

impl Rules {
    pub fn read(text: &str, form: Form) -> Self {
        let mut rules = Self::default();
        match form {
            Form::Make => rules.read_make(text),
            Form::Just => rules.read_just(text),
        }
        rules
    }

    /// Takes in the rules of an included file.
    pub fn extend(&mut self, other: Self) {
        self.all.extend(other.all);
        self.variables.extend(other.variables);
        self.always.extend(other.always);
    }

    /// What runs when no target is named.
    pub fn default_target(&self) -> Option<&str> {
        let targets = self.all.iter().flat_map(|rule| &rule.targets);
        targets.map(String::as_str).find(|target| !target.starts_with('.') && !target.contains('%'))
    }

    /// What `target` rests on, with all that it needs; none where the file has no such target.
    pub fn target(&self, target: &str) -> Option<Target> {
        let mut chosen = BTreeSet::new();
        let mut open = vec![target.to_owned()];
        let mut seen = BTreeSet::new();
        while let Some(target) = open.pop() {
            if !seen.insert(target.clone()) {
                continue;
            }
            for index in self.rules_for(&target) {
                if chosen.insert(index) {
                    open.extend(self.all[index].needs.iter().cloned());
                }
            }
        }
        if chosen.is_empty() {
            return None;
        }
        let chosen: Vec<&Rule> = chosen.into_iter().map(|index| &self.all[index]).collect();
        let mut lines: Vec<String> = self.always.clone();
        for rule in &chosen {
            lines.push(rule.head.clone());
            lines.extend(rule.recipe.iter().cloned());
        }
        let used = self.used_by(&lines);
        lines.extend(used.iter().map(|variable| variable.text.clone()));
        let values: BTreeMap<&str, &str> =
            self.variables.iter().map(|variable| (variable.name.as_str(), variable.value.as_str())).collect();
        let recipe = chosen.iter().flat_map(|rule| &rule.recipe);
        let mut fuel = MAX_EXPANSIONS;
        let commands: Vec<String> = recipe.map(|line| expand(bare(line), &values, &mut fuel)).collect();
        Some(Target { text: lines.join("\n"), commands: commands.join("\n") })
    }

    fn rules_for(&self, target: &str) -> Vec<usize> {
        let matching = |test: &dyn Fn(&str) -> bool| -> Vec<usize> {
            let rules = self.all.iter().enumerate();
            rules.filter(|(_, rule)| rule.targets.iter().any(|name| test(name))).map(|(n, _)| n).collect()
        };
        let exact = matching(&|name| name == target);
        if exact.iter().any(|&index| !self.all[index].recipe.is_empty()) {
            return exact;
        }
        let by_pattern = matching(&|name| {
            name.split_once('%').is_some_and(|(before, after)| {
                target.len() > before.len() + after.len()
                    && target.starts_with(before)
                    && target.ends_with(after)
            })
        });
        [exact, by_pattern].concat()
    }

    /// The variables that the lines name, and those that these name.
    fn used_by(&self, lines: &[String]) -> Vec<&Variable> {
        let mut names: BTreeSet<&str> = BTreeSet::new();
        let mut open: Vec<&str> = lines.iter().map(String::as_str).collect();
        while let Some(line) = open.pop() {
            for word in line.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-' | '.')) {
                let mut known = self.variables.iter().filter(|variable| variable.name == word).peekable();
                if let Some(first) = known.peek()
                    && names.insert(&first.name)
                {
                    open.extend(known.map(|variable| variable.text.as_str()));
                }
            }
        }
        self.variables.iter().filter(|variable| names.contains(variable.name.as_str())).collect()
    }

    fn read_make(&mut self, text: &str) {
        let mut in_rule = false;
        let mut definition: Option<Variable> = None;
        for line in logical_lines(text) {
            let trimmed = line.trim();
            if let Some(variable) = &mut definition {
                variable.text.extend(["\n", &line]);
                if trimmed == "endef" {
                    self.variables.extend(definition.take());
                } else {
                    variable.value.extend([&line, "\n"]);
                }
                continue;
            }
            if line.starts_with('\t') && in_rule {
                if let Some(rule) = self.all.last_mut() {
                    rule.recipe.push(line.trim_end().to_owned());
                }
                continue;
            }
            let code = trimmed.split(" #").next().unwrap_or_default().trim();
            let first = code.split_whitespace().next().unwrap_or_default();
            match first {
                "" => {}
                _ if code.starts_with('#') => {}
                "ifeq" | "ifneq" | "ifdef" | "ifndef" | "else" | "endif" | "vpath" | "export"
                | "unexport" => {
                    self.always.push(code.to_owned());
                    let exported = code.strip_prefix("export").map(str::trim).unwrap_or_default();
                    self.variables.extend(assignment(exported));
                }
                "include" | "-include" | "sinclude" => {
                    self.always.push(code.to_owned());
                    self.included.extend(code.split_whitespace().skip(1).map(str::to_owned));
                }
                "define" => {
                    let name = code.split_whitespace().nth(1).unwrap_or_default().to_owned();
                    definition = Some(Variable { name, text: line.clone(), value: String::new() });
                }
                _ => {
                    let plain = code.strip_prefix("override ").unwrap_or(code);
                    if let Some(variable) = assignment(plain) {
                        in_rule = false;
                        let for_all = matches!(
                            variable.name.as_str(),
                            "SHELL" | ".SHELLFLAGS" | "MAKEFLAGS" | ".DEFAULT_GOAL" | "PATH"
                        );
                        if for_all {
                            self.always.push(code.to_owned());
                        }
                        self.variables.push(variable);
                    } else if let Some(rule) = make_rule(code) {
                        in_rule = true;
                        self.all.push(rule);
                    } else {
                        self.always.push(code.to_owned());
                    }
                }
            }
        }
    }

    fn read_just(&mut self, text: &str) {
        let mut in_rule = false;
        for line in logical_lines(text) {
            let trimmed = line.trim();
            if trimmed.is_empty() {
                continue;
            }
            if line.starts_with([' ', '\t']) {
                if let Some(rule) = self.all.last_mut().filter(|_| in_rule) {
                    rule.recipe.push(line.trim_end().to_owned());
                }
                continue;
            }
            in_rule = false;
            if trimmed.starts_with('#') {
                continue;
            }
            let plain = trimmed.strip_prefix("export ").unwrap_or(trimmed);
            if let Some((name, value)) = plain.split_once(":=") {
                let variable = Variable {
                    name: name.trim().trim_start_matches("alias ").trim_start_matches("set ").to_owned(),
                    text: trimmed.to_owned(),
                    value: value.trim().trim_matches(['"', '\'']).to_owned(),
                };
                match trimmed.split_whitespace().next() {
                    Some("alias") => self.all.push(Rule {
                        targets: vec![variable.name],
                        needs: vec![variable.value],
                        head: variable.text,
                        recipe: Vec::new(),
                    }),
                    Some("set") => self.always.push(variable.text),
                    Some("export") => {
                        self.always.push(trimmed.to_owned());
                        self.variables.push(variable);
                    }
                    _ => self.variables.push(variable),
                }
            } else if let Some((head, needs)) = just_head(trimmed) {
                in_rule = true;
                self.all.push(Rule {
                    targets: vec![head],
                    needs,
                    head: trimmed.to_owned(),
                    recipe: Vec::new(),
                });
            } else {
                if let Some(file) = trimmed.strip_prefix("import") {
                    let file = file.trim_start_matches('?').trim().trim_matches(['"', '\'']);
                    self.included.push(file.to_owned());
                }
                self.always.push(trimmed.to_owned());
            }
        }
    }
}

/// The lines of a text, those that a backslash continues joined.
fn logical_lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut continued = false;
    for line in text.lines() {
        let (body, more) = match line.strip_suffix('\\') {
            Some(body) => (body, true),
            None => (line, false),
        };
        match lines.last_mut().filter(|_| continued) {
            Some(last) => last.push_str(body),
            None => lines.push(body.to_owned()),
        }
        continued = more;
    }
    lines
}

/// `NAME = value` and its kin.
fn assignment(code: &str) -> Option<Variable> {
    let equals = code.find('=')?;
    let name = code[..equals].trim_end_matches([':', '?', '+', '!']).trim();
    let is_name = !name.is_empty() && !name.contains([' ', '\t', ':', '#', '$', '(']);
    is_name.then(|| Variable {
        name: name.to_owned(),
        text: code.to_owned(),
        value: code[equals + 1..].trim().to_owned(),
    })
}

/// `targets: needs | order ; recipe`.
fn make_rule(code: &str) -> Option<Rule> {
    let (targets, rest) = code.split_once(':')?;
    let rest = rest.trim_start_matches(':');
    let (needs, recipe) = match rest.split_once(';') {
        Some((needs, recipe)) => (needs, vec![format!("\t{}", recipe.trim())]),
        None => (rest, Vec::new()),
    };
    let words = |text: &str| text.split_whitespace().filter(|word| *word != "|").map(str::to_owned).collect();
    // A variable for one target needs nothing.
    let needs = if needs.contains('=') { Vec::new() } else { words(needs) };
    Some(Rule { targets: words(targets), needs, head: code.to_owned(), recipe })
}

/// `name params: needs`.
fn just_head(line: &str) -> Option<(String, Vec<String>)> {
    let (head, needs) = line.rsplit_once(':')?;
    let name = head.split_whitespace().next()?.trim_start_matches('@');
    let is_name = |word: &str| {
        !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
    };
    if !is_name(name) {
        return None;
    }
    let needs = needs.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '&'));
    Some((name.to_owned(), needs.filter(|word| is_name(word)).map(str::to_owned).collect()))
}

/// A recipe line without the marks before its command.
fn bare(line: &str) -> &str {
    line.trim_start().trim_start_matches(['@', '-', '+']).trim_start()
}

/// `line` with the values of plain variables in their places, as long as the fuel lasts.
fn expand(line: &str, values: &BTreeMap<&str, &str>, fuel: &mut usize) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(['$', '{']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (open, close) = match rest {
            _ if rest.starts_with("$$") => {
                out.push('$');
                rest = &rest[2..];
                continue;
            }
            _ if rest.starts_with("$(") => ("$(", ")"),
            _ if rest.starts_with("${") => ("${", "}"),
            _ if rest.starts_with("{{") => ("{{", "}}"),
            _ => {
                out.push_str(&rest[..1]);
                rest = &rest[1..];
                continue;
            }
        };
        let end = rest.find(close);
        let name = end.map(|end| rest[open.len()..end].trim());
        match (name, end) {
            (Some("MAKE"), Some(end)) => {
                out.push_str("make");
                rest = &rest[end + close.len()..];
            }
            (Some(name), Some(end)) if *fuel > 0 && values.contains_key(name) => {
                *fuel -= 1;
                out.push_str(&expand(values[name], values, fuel));
                rest = &rest[end + close.len()..];
            }
            _ => {
                out.push_str(open);
                rest = &rest[open.len()..];
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAKEFILE: &str = "\
SHELL = /bin/bash
RUN = ./ci/run.sh $(FLAGS)
FLAGS := -q
VERSION = 1
.PHONY: test build
all: build
build:
\tcc -DV=$(VERSION)
test: fixtures | dirs ## run the tests
\t@$(RUN) \\
\t  all
\t$(MAKE) other
fixtures: ; cp a b
%s: x
\techo pattern
";

    #[test]
    fn a_target_is_its_rules_its_needs_and_their_variables() {
        let rules = Rules::read(MAKEFILE, Form::Make);
        let target = rules.target("test").unwrap();
        for part in ["SHELL", "RUN =", "FLAGS", "test: fixtures | dirs", "cp a b", "echo pattern"] {
            assert!(target.text.contains(part), "{part}: {}", target.text);
        }
        for part in ["VERSION", "cc"] {
            assert!(!target.text.contains(part), "{part}: {}", target.text);
        }
        assert!(target.commands.contains("./ci/run.sh -q"), "{}", target.commands);
        assert!(target.commands.contains("make other"), "{}", target.commands);
        assert_eq!(rules.target("nothing"), None);
        assert_eq!(rules.default_target(), Some("all"));
    }

    #[test]
    fn what_a_target_does_not_rest_on_moves_nothing() {
        let target = |text: &str| Rules::read(text, Form::Make).target("test").unwrap();
        let before = target(MAKEFILE);
        assert_eq!(target(&MAKEFILE.replace("VERSION = 1", "VERSION = 2")), before);
        assert_eq!(target(&MAKEFILE.replace("## run", "## do run")), before);
        assert_ne!(target(&MAKEFILE.replace("FLAGS := -q", "FLAGS := -k none")), before);
        assert_ne!(target(&MAKEFILE.replace("\t@$(RUN)", "\t-@$(RUN)")), before);
        assert_ne!(target(&MAKEFILE.replace("cp a b", "true")), before);
    }

    #[test]
    fn conditions_and_definitions_count() {
        let text = "ifdef CI\nX = 1\nelse\nX = 2\nendif\ndefine RUN\necho one\nendef\ntest:\n\t$(RUN)\n";
        let target = Rules::read(text, Form::Make).target("test").unwrap();
        assert!(target.text.contains("ifdef CI") && target.text.contains("echo one"), "{}", target.text);
        assert_eq!(target.commands, "echo one\n");
    }

    #[test]
    fn recipes_of_a_justfile() {
        let text = "set shell := ['bash', '-c']\nflags := '-q'\nother := 'x'\nimport 'more.just'\nalias t := test\n\
                    # runs\ntest *args: build (lint 'a')\n    @pytest {{flags}} {{args}}\nbuild:\n    make\nlint what:\n    ruff\nrest:\n    true\n";
        let rules = Rules::read(text, Form::Just);
        let target = rules.target("t").unwrap();
        for part in ["set shell", "flags := '-q'", "pytest", "make", "ruff"] {
            assert!(target.text.contains(part), "{part}: {}", target.text);
        }
        assert!(!target.text.contains("other :="), "{}", target.text);
        assert!(target.commands.contains("pytest -q {{args}}"), "{}", target.commands);
        assert_eq!(rules.included, ["more.just"]);
    }

    proptest::proptest! {
        #[test]
        fn no_text_is_too_odd(text in "([$(){}=:;#|%\\\\\n\t a-c@-]|define|ifdef|\\$\\(a\\)){0,60}") {
            for form in [Form::Make, Form::Just] {
                let rules = Rules::read(&text, form);
                if let Some(target) = rules.default_target() {
                    rules.target(target);
                }
            }
        }
    }
}
