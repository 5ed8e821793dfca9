//! `find` and `fd`.

use crate::classify::shell::{Reads, Shell, Unclear};
use crate::classify::text::{Piece, Text};

use super::Input;
use super::options::Options;
use super::wrappers::replace;

impl Shell<'_> {
    pub(super) fn find(&mut self, rest: &[Text]) -> Result<(), Unclear> {
        let is_expression = |word: &Text| word.known_start().starts_with(['-', '(', '!', ')', ',']);
        let options = rest.iter().take_while(|word| {
            matches!(word.as_literal(), Some("-H" | "-L" | "-P")) || word.known_start().starts_with("-O")
        });
        let from = options.count();
        let until = rest[from..].iter().position(is_expression).map_or(rest.len(), |at| from + at);
        let mut roots = rest[from..until].to_vec();
        if roots.is_empty() {
            roots.push(Text::literal("."));
        }
        let expression = &rest[until..];
        if roots.iter().any(Text::may_be_option)
            || expression.iter().any(|word| word.known_start().is_empty() && word.has_unknown())
        {
            self.opaque();
        }
        let names = names(expression);
        let follows_values = |flag: &str| expression.iter().any(|word| word.as_literal() == Some(flag));
        let finds: Vec<Text> = match &names {
            Some(names) => roots.iter().flat_map(|root| names.iter().map(|name| below(root, name))).collect(),
            None => roots.clone(),
        };
        let only_folders = has_pair(expression, "-type", "d");
        let mut reads_content = false;
        let mut at = 0;
        while let Some(word) = expression.get(at) {
            at += 1;
            match word.as_literal() {
                Some("-delete") => {
                    if only_folders {
                        // A folder that is not empty stays.
                        self.effects.deletes.push(crate::classify::Target::unknown("empty folders"));
                    } else {
                        for found in &finds {
                            self.deletes(found, names.is_none());
                        }
                    }
                }
                Some("-exec" | "-execdir" | "-ok" | "-okdir") => {
                    let is_end = |word: &Text| matches!(word.as_literal(), Some(";" | "+"));
                    let end =
                        expression[at..].iter().position(is_end).map_or(expression.len(), |end| at + end);
                    let command = expression[at..end].to_vec();
                    at = end;
                    reads_content = true;
                    self.for_found(&command, &finds, names.is_none())?;
                }
                Some("-fprint" | "-fprint0" | "-fls" | "-fprintf") => {
                    if let Some(file) = expression.get(at) {
                        self.writes(file, false);
                    }
                }
                Some("-files0-from") => self.opaque(),
                _ => {}
            }
        }
        let excludes = if follows_values("-prune") || follows_values("-not") || follows_values("!") {
            let values = expression
                .windows(2)
                .filter(|pair| matches!(pair[0].as_literal(), Some("-path" | "-name" | "-wholename")));
            values.filter_map(|pair| pair[1].as_literal().map(str::to_owned)).collect()
        } else {
            Vec::new()
        };
        let reads = Reads { content: reads_content, excludes, ..Reads::default() };
        for root in &roots {
            self.walks(root, &reads);
        }
        Ok(())
    }

    /// Runs a command with what was found in the place of `{}`.
    fn for_found(&mut self, command: &[Text], finds: &[Text], tree: bool) -> Result<(), Unclear> {
        for found in finds {
            let found = if tree {
                let mut all = found.clone();
                all.push_literal("/");
                all.push(Piece::Glob("**".to_owned()));
                all
            } else {
                found.clone()
            };
            let words: Vec<Text> = command.iter().map(|word| replace(word, "{}", &found)).collect();
            self.apart(|shell| shell.run(&words, &Input::Inherited))?;
        }
        Ok(())
    }

    pub(super) fn fd(&mut self, rest: &[Text]) -> Result<(), Unclear> {
        let run = ["-x", "-X", "--exec", "--exec-batch"];
        let at = rest.iter().position(|word| word.as_literal().is_some_and(|word| run.contains(&word)));
        let (own, command) = rest.split_at(at.unwrap_or(rest.len()));
        let valued =
            ["-e", "-t", "-d", "-E", "-g", "-c", "-j", "-S", "-o", "--extension", "--type", "--exclude"];
        let options = Options::read(own, &valued);
        let mut roots: Vec<Text> = options.operands.get(1..).unwrap_or_default().to_vec();
        if roots.is_empty() {
            roots.push(Text::literal("."));
        }
        if options.is_open {
            self.opaque();
        }
        let excludes =
            options.values(&["-E", "--exclude"]).filter_map(|text| text.as_literal().map(str::to_owned));
        let reads = Reads {
            content: !command.is_empty(),
            excludes: excludes.collect(),
            skips_hidden: !options.has(&["-H", "-u", "--hidden", "--unrestricted"]),
            skips_ignored: !options.has(&["-I", "-u", "--no-ignore", "--unrestricted"]),
        };
        for root in &roots {
            self.walks(root, &reads);
        }
        if let Some((_, command)) = command.split_first() {
            let mut command = command.to_vec();
            if !command.iter().any(|word| word.known_start().contains("{}")) {
                command.push(Text::literal("{}"));
            }
            self.for_found(&command, &roots, true)?;
        }
        Ok(())
    }
}

fn has_pair(expression: &[Text], flag: &str, value: &str) -> bool {
    expression
        .windows(2)
        .any(|pair| pair[0].as_literal() == Some(flag) && pair[1].as_literal() == Some(value))
}

/// Everything of the name `name` below `root`.
fn below(root: &Text, name: &Text) -> Text {
    let mut all = root.clone();
    all.push_literal("/");
    all.push(Piece::Glob("**".to_owned()));
    all.push_literal("/");
    all.append(&name.with_globs());
    all
}

/// The names that what is found must have; none where any name may be found.
fn names(expression: &[Text]) -> Option<Vec<Text>> {
    let word = |at: usize| expression.get(at).and_then(Text::as_literal);
    let negates = |word: &Text| matches!(word.as_literal(), Some("!" | "-not" | ","));
    if expression.iter().any(negates) {
        return names_without_negation(expression);
    }
    let mut names = Vec::new();
    let mut depth = 0_usize;
    // Whether each branch of an `or` at this level, and of the group before, names something.
    let mut branch_names = false;
    let mut all_branches = true;
    for at in 0..expression.len() {
        match word(at) {
            Some("(") => depth += 1,
            Some(")") => depth = depth.saturating_sub(1),
            Some("-name") => {
                names.push(expression.get(at + 1)?.clone());
                branch_names = true;
            }
            Some("-iname") => return None,
            Some("-o" | "-or") => {
                all_branches &= branch_names;
                branch_names = false;
                // Behind a group, an `or` leaves what the group names.
                if depth == 0 && expression[..at].iter().any(|word| word.as_literal() == Some(")")) {
                    return None;
                }
            }
            _ => {}
        }
    }
    (all_branches && branch_names && !names.is_empty()).then_some(names)
}

/// With a negation only a `-name` that nothing stands beside counts.
fn names_without_negation(expression: &[Text]) -> Option<Vec<Text>> {
    let word = |at: usize| expression.get(at).and_then(Text::as_literal);
    let is_plain = !expression.iter().any(|word| matches!(word.as_literal(), Some("-o" | "-or" | "," | "(")));
    if !is_plain {
        return None;
    }
    let negated = |at: usize| at > 0 && matches!(word(at - 1), Some("!" | "-not"));
    let found = (0..expression.len()).filter(|&at| word(at) == Some("-name") && !negated(at));
    let names: Vec<Text> = found.filter_map(|at| expression.get(at + 1).cloned()).collect();
    (!names.is_empty()).then_some(names)
}
