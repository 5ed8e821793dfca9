//! What a check found, before the declaration's settings are applied.

use gate::ReasonCode;
use store::git::RepoPath;

use super::catalogue::Id;

/// Where a finding stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Spot {
    /// At a value of the declaration, named by a JSON pointer.
    Declared(String),
    /// In a file, from the top of the tree; line and column from 1.
    File(RepoPath, usize, usize),
}

/// One finding.
#[derive(Debug, Clone)]
pub(super) struct Finding {
    pub check: Id,
    pub message: String,
    pub spot: Spot,
    /// The member or group that it is about, which may suppress it.
    pub entity: Option<String>,
    pub code: Option<ReasonCode>,
}

impl Finding {
    /// A finding at a value of the declaration.
    pub fn new(check: Id, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            check,
            message: message.into(),
            spot: Spot::Declared(pointer.into()),
            entity: None,
            code: None,
        }
    }

    /// A finding in a file.
    pub fn in_file(
        check: Id,
        file: RepoPath,
        line: usize,
        column: usize,
        message: impl Into<String>,
    ) -> Self {
        Self { spot: Spot::File(file, line, column), ..Self::new(check, "", message) }
    }

    /// About this member or group.
    pub fn of(mut self, entity: impl Into<String>) -> Self {
        self.entity = Some(entity.into());
        self
    }

    /// About the member of this name, where there is one.
    pub fn of_some(mut self, entity: Option<&str>) -> Self {
        self.entity = entity.map(str::to_owned);
        self
    }

    /// With a code, which the message then begins with.
    pub fn coded(mut self, code: ReasonCode) -> Self {
        self.message = format!("{code}: {}", self.message);
        self.code = Some(code);
        self
    }
}
