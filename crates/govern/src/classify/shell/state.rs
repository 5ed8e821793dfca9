//! What a script has set so far: variables, folders, functions.

use std::collections::BTreeMap;
use std::rc::Rc;

use brush_parser::ast::FunctionBody;

use crate::classify::path::Base;
use crate::classify::text::Text;

/// How many values a variable may have at once before it counts as unknown.
const MOST_VALUES: usize = 12;

/// What a variable may hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// One of these texts.
    OneOf(Vec<Text>),
    /// All of these, as elements of an array.
    List(Vec<Text>),
}

impl Value {
    /// Any text.
    pub fn unknown() -> Self {
        Self::OneOf(vec![Text::unknown()])
    }

    fn or(&self, other: &Self) -> Self {
        match (self, other) {
            (left, right) if left == right => left.clone(),
            (Self::OneOf(left), Self::OneOf(right)) => {
                let mut all = left.clone();
                all.extend(right.iter().filter(|text| !left.contains(text)).cloned());
                if all.len() > MOST_VALUES { Self::unknown() } else { Self::OneOf(all) }
            }
            (Self::List(left), Self::List(right)) => {
                let mut all = left.clone();
                all.extend(right.iter().filter(|text| !left.contains(text)).cloned());
                Self::List(all)
            }
            _ => Self::unknown(),
        }
    }
}

/// What holds at one point of a script.
#[derive(Debug, Clone)]
pub struct State {
    /// The folders that the script may be in.
    pub folders: Vec<Base>,
    /// The folders before the last change.
    pub before: Vec<Base>,
    /// The folders that `pushd` remembers.
    pub stack: Vec<Vec<Base>>,
    /// The variables that the script has set; every other one is unknown.
    pub variables: BTreeMap<String, Value>,
    /// The script's or function's arguments, where they are known.
    pub arguments: Option<Vec<Text>>,
    /// The functions that the script has defined.
    pub functions: BTreeMap<String, Rc<FunctionBody>>,
    /// Names that mean something else from now on.
    pub renamed: Vec<String>,
    /// `IFS` is not what it was, so no one knows where a value is split.
    pub splits_elsewhere: bool,
    /// A variable stands for another one, so no value is certain.
    pub has_references: bool,
    /// Wildcards may match names that begin with a dot.
    pub matches_dots: bool,
    /// The search path was changed, so no name is certain.
    pub searches_elsewhere: bool,
}

impl State {
    pub fn new(folders: Vec<Base>) -> Self {
        Self {
            before: vec![Base::Unknown],
            folders,
            stack: Vec::new(),
            variables: BTreeMap::new(),
            arguments: None,
            functions: BTreeMap::new(),
            renamed: Vec::new(),
            splits_elsewhere: false,
            has_references: false,
            matches_dots: false,
            searches_elsewhere: false,
        }
    }

    /// Goes to one of `folders`.
    pub fn enter(&mut self, folders: Vec<Base>) {
        self.before = std::mem::replace(&mut self.folders, folders);
    }

    /// What holds where either this or `other` does.
    pub fn or(mut self, other: &Self) -> Self {
        for folder in &other.folders {
            if !self.folders.contains(folder) {
                self.folders.push(folder.clone());
            }
        }
        if self.folders.len() > MOST_VALUES {
            self.folders = vec![Base::Unknown];
        }
        if self.before != other.before {
            self.before = vec![Base::Unknown];
        }
        if self.stack != other.stack {
            self.stack.clear();
        }
        for (name, value) in &other.variables {
            let merged = match self.variables.get(name) {
                Some(own) => own.or(value),
                None => Value::unknown().or(value),
            };
            self.variables.insert(name.clone(), merged);
        }
        for (name, value) in &mut self.variables {
            if !other.variables.contains_key(name) {
                *value = value.or(&Value::unknown());
            }
        }
        if self.arguments != other.arguments {
            self.arguments = None;
        }
        for (name, body) in &other.functions {
            // Of two bodies neither is certain; a call then counts as one of an unknown program.
            match self.functions.get(name) {
                Some(own) if Rc::ptr_eq(own, body) => {}
                Some(_) => self.renamed.push(name.clone()),
                None => {
                    self.functions.insert(name.clone(), Rc::clone(body));
                    self.renamed.push(name.clone());
                }
            }
        }
        self.renamed.extend(other.renamed.iter().cloned());
        self.renamed.sort_unstable();
        self.renamed.dedup();
        self.splits_elsewhere |= other.splits_elsewhere;
        self.has_references |= other.has_references;
        self.matches_dots |= other.matches_dots;
        self.searches_elsewhere |= other.searches_elsewhere;
        self
    }

    /// Whether `other` holds the same variables and folders.
    pub fn is_as(&self, other: &Self) -> bool {
        self.variables == other.variables
            && self.folders == other.folders
            && self.arguments == other.arguments
    }

    /// Forgets the value of every variable that differs from `other`, and the folder where it does.
    pub fn forget_changes(&mut self, other: &Self) {
        for (name, value) in &mut self.variables {
            if other.variables.get(name) != Some(value) {
                *value = Value::unknown();
            }
        }
        if self.folders != other.folders {
            self.folders.push(Base::Unknown);
        }
        if self.arguments != other.arguments {
            self.arguments = None;
        }
    }
}
