//! The `*** Begin Patch` form.
//!
//! ```text
//! *** Begin Patch
//! *** Add File: PATH          then lines that begin with `+`
//! *** Delete File: PATH
//! *** Update File: PATH
//! *** Move to: PATH           at most one
//! @@ ANCHOR                   then lines that begin with a space, `-` or `+`
//! *** End of File             at most one a hunk
//! *** End Patch
//! ```

use std::fmt;

use super::effects::{Certainty, Effects, Target};

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File: ";
const DELETE: &str = "*** Delete File: ";
const UPDATE: &str = "*** Update File: ";
const MOVE: &str = "*** Move to: ";
const END_OF_FILE: &str = "*** End of File";

/// The longest patch that is read, in bytes.
const LONGEST: usize = 8 * 1024 * 1024;

/// What a patch does to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It is created.
    Add {
        /// The file.
        path: String,
    },
    /// It is deleted.
    Delete {
        /// The file.
        path: String,
    },
    /// It is changed.
    Update {
        /// The file.
        path: String,
        /// Where it goes, where it is moved.
        moved_to: Option<String>,
    },
}

impl Change {
    pub(super) fn add_to(&self, effects: &mut Effects, targets: impl Fn(&str) -> Vec<Target>) {
        match self {
            Self::Add { path } | Self::Update { path, moved_to: None } => {
                effects.writes.extend(targets(path))
            }
            Self::Delete { path } => effects.deletes.extend(targets(path)),
            Self::Update { path, moved_to: Some(moved) } => {
                effects.deletes.extend(targets(path));
                effects.writes.extend(targets(moved));
            }
        }
    }
}

/// Why a patch is not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub why: &'static str,
}

impl fmt::Display for PatchError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {} of the patch {}", self.line, self.why)
    }
}

impl std::error::Error for PatchError {}

impl PatchError {
    pub(super) fn certainty(&self) -> Certainty {
        Certainty::Unparsable {
            why: self.to_string(),
            hint: "send the patch in the form `*** Begin Patch`, one header a file, `*** End Patch`"
                .to_owned(),
        }
    }
}

/// The changes of a patch, in its order.
pub fn changes(text: &str) -> Result<Vec<Change>, PatchError> {
    if text.len() > LONGEST {
        return Err(PatchError { line: 1, why: "begins a text that is too long" });
    }
    let lines: Vec<&str> = text.trim().lines().collect();
    let Some((last, body)) = lines.split_last() else {
        return Err(PatchError { line: 1, why: "is missing" });
    };
    if body.first().map(|line| line.trim()) != Some(BEGIN) {
        return Err(PatchError { line: 1, why: "is not `*** Begin Patch`" });
    }
    if last.trim() != END {
        return Err(PatchError { line: lines.len(), why: "is not `*** End Patch`" });
    }
    let mut reader = Reader { lines: body, at: 1 };
    let mut changes = Vec::new();
    while let Some(line) = reader.peek() {
        changes.push(reader.change(line.trim())?);
    }
    if changes.is_empty() {
        return Err(PatchError { line: 2, why: "names no file" });
    }
    Ok(changes)
}

struct Reader<'a> {
    lines: &'a [&'a str],
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.lines.get(self.at).copied()
    }

    fn error(&self, why: &'static str) -> PatchError {
        PatchError { line: self.at + 1, why }
    }

    fn path(&self, path: &str) -> Result<String, PatchError> {
        if path.is_empty() || path.contains('\0') {
            return Err(self.error("names no file"));
        }
        Ok(path.to_owned())
    }

    fn change(&mut self, header: &str) -> Result<Change, PatchError> {
        if let Some(path) = header.strip_prefix(ADD) {
            let path = self.path(path)?;
            self.at += 1;
            while self.peek().is_some_and(|line| line.starts_with('+')) {
                self.at += 1;
            }
            return Ok(Change::Add { path });
        }
        if let Some(path) = header.strip_prefix(DELETE) {
            let path = self.path(path)?;
            self.at += 1;
            return Ok(Change::Delete { path });
        }
        if let Some(path) = header.strip_prefix(UPDATE) {
            let path = self.path(path)?;
            self.at += 1;
            let mut moved_to = None;
            if let Some(to) = self.peek().and_then(|line| line.trim_end().strip_prefix(MOVE)) {
                moved_to = Some(self.path(to)?);
                self.at += 1;
            }
            self.hunks()?;
            return Ok(Change::Update { path, moved_to });
        }
        Err(self.error("is no header of a file"))
    }

    fn hunks(&mut self) -> Result<(), PatchError> {
        let mut is_first = true;
        while let Some(line) = self.peek() {
            if line.starts_with("***") {
                break;
            }
            let is_marker = line == "@@" || line.starts_with("@@ ");
            if !is_marker && !is_first {
                return Err(self.error("is neither a hunk nor the header of a file"));
            }
            if is_marker {
                self.at += 1;
            }
            self.hunk_lines()?;
            is_first = false;
        }
        Ok(())
    }

    fn hunk_lines(&mut self) -> Result<(), PatchError> {
        let from = self.at;
        while let Some(line) = self.peek() {
            if line.trim_end() == END_OF_FILE {
                if self.at == from {
                    return Err(self.error("ends a hunk that has no line"));
                }
                self.at += 1;
                return Ok(());
            }
            if !line.is_empty() && !line.starts_with([' ', '-', '+']) {
                break;
            }
            self.at += 1;
        }
        // A second anchor may follow the first at once.
        let is_anchor = self.peek().is_some_and(|line| line == "@@" || line.starts_with("@@ "));
        if self.at == from && !is_anchor {
            return Err(self.error("is no line of a hunk"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
