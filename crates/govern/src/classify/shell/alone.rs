//! The one command that a script is, where it is one.

use brush_parser::ast::{
    AndOr, Command, CommandPrefixOrSuffixItem as Item, CompoundCommand, CompoundList, Pipeline, Program,
    SeparatorOperator, SimpleCommand,
};

use crate::classify::effects::Alone;
use crate::classify::path::Base;
use crate::classify::text::Text;

use super::Shell;
use super::programs::Input;

impl Shell<'_> {
    /// The command that the program is, in the folder that it runs in: nothing beside it, nothing that hides how it ends
    /// or what it prints, and each of its words known. `cd` to one folder before it, and a subshell around it, change
    /// nothing of that.
    pub(super) fn alone(&mut self, program: &Program) -> Option<Alone> {
        let [list] = program.complete_commands.as_slice() else { return None };
        self.alone_in(list, false)
    }

    fn alone_in(&mut self, list: &CompoundList, has_moved: bool) -> Option<Alone> {
        let [item] = list.0.as_slice() else { return None };
        if matches!(item.1, SeparatorOperator::Async) {
            return None;
        }
        match item.0.additional.as_slice() {
            [] => self.alone_as(single(&item.0.first)?, has_moved),
            [AndOr::And(then)] => {
                let Command::Simple(moves) = single(&item.0.first)? else { return None };
                let words = self.plain_words(moves)?;
                let [cd, folder] = words.as_slice() else { return None };
                if cd != "cd" || folder.starts_with('-') {
                    return None;
                }
                self.run(&[Text::literal(cd), Text::literal(folder)], &Input::Inherited).ok()?;
                self.alone_as(single(then)?, true)
            }
            _ => None,
        }
    }

    fn alone_as(&mut self, command: &Command, has_moved: bool) -> Option<Alone> {
        match command {
            Command::Simple(simple) => {
                let words = self.plain_words(simple)?;
                let folder = match self.state.folders.as_slice() {
                    [Base::Known(folder)] => Some(folder.into()),
                    [Base::Unknown] if !has_moved => None,
                    _ => return None,
                };
                Some(Alone { folder, words })
            }
            Command::Compound(CompoundCommand::Subshell(subshell), None) => {
                self.alone_in(&subshell.list, has_moved)
            }
            _ => None,
        }
    }

    /// The words of a command without assignments and redirections, where each has one reading and runs nothing.
    fn plain_words(&mut self, simple: &SimpleCommand) -> Option<Vec<String>> {
        if simple.prefix.is_some() {
            return None;
        }
        let mut raw = vec![&simple.word_or_name.as_ref()?.value];
        for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
            let (Item::Word(word) | Item::AssignmentWord(_, word)) = item else { return None };
            raw.push(&word.value);
        }
        let mut words = Vec::new();
        for raw in raw {
            let ran = self.effects.commands.len();
            let readings = self.readings(raw).ok()?;
            let [reading] = readings.as_slice() else { return None };
            if self.effects.commands.len() > ran {
                return None;
            }
            for word in reading {
                words.push(word.as_literal()?.to_owned());
            }
        }
        Some(words)
    }
}

/// The command that a pipeline is, where that tells how it ends.
fn single(pipeline: &Pipeline) -> Option<&Command> {
    match pipeline.seq.as_slice() {
        [command] if !pipeline.bang => Some(command),
        _ => None,
    }
}
