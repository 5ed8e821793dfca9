//! What a check found, and where.

use schemars::JsonSchema;
use serde::Serialize;

/// A check of the spec-format specification, by its number in the validation checklist. The two rules that the text
/// states outside that list are `SFS-X1` and `SFS-X2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
pub enum Check {
    /// Front matter, the version in the file name, and the versions in the folder.
    #[serde(rename = "SFS-001")]
    FrontMatter,
    /// One title, and the status notice right below it.
    #[serde(rename = "SFS-002")]
    Title,
    /// The sections of the profile, in order and numbered.
    #[serde(rename = "SFS-003")]
    Sections,
    /// ASCII alone.
    #[serde(rename = "SFS-004")]
    Ascii,
    /// Strict UTF-8 without byte order mark, CR and NUL.
    #[serde(rename = "SFS-005")]
    Encoding,
    /// Diagrams in mermaid fences.
    #[serde(rename = "SFS-006")]
    Diagrams,
    /// Fences that are closed, have a language, and hold what it says.
    #[serde(rename = "SFS-007")]
    Fences,
    /// References that are links to headings that are there.
    #[serde(rename = "SFS-008")]
    References,
    /// No section that links to itself.
    #[serde(rename = "SFS-009")]
    SelfLinks,
    /// A sources paragraph at the end of each section.
    #[serde(rename = "SFS-010")]
    Sources,
    /// Measurements that say where they hold.
    #[serde(rename = "SFS-011")]
    Benchmarks,
    /// Terms that the glossary defines.
    #[serde(rename = "SFS-012")]
    Glossary,
    /// Schemas and state machines, each referred to.
    #[serde(rename = "SFS-013")]
    Contracts,
    /// The conformance vectors, their levels and their harness.
    #[serde(rename = "SFS-014")]
    Conformance,
    /// External links that answer.
    #[serde(rename = "SFS-015")]
    ExternalLinks,
    /// The collapsed core.
    #[serde(rename = "SFS-016")]
    Core,
    /// Tables with a separator row and as many cells in each row.
    #[serde(rename = "SFS-X1")]
    Tables,
    /// Links to other files that are relative.
    #[serde(rename = "SFS-X2")]
    RelativeLinks,
}

impl Check {
    /// The id that documents carry.
    pub const fn id(self) -> &'static str {
        match self {
            Self::FrontMatter => "SFS-001",
            Self::Title => "SFS-002",
            Self::Sections => "SFS-003",
            Self::Ascii => "SFS-004",
            Self::Encoding => "SFS-005",
            Self::Diagrams => "SFS-006",
            Self::Fences => "SFS-007",
            Self::References => "SFS-008",
            Self::SelfLinks => "SFS-009",
            Self::Sources => "SFS-010",
            Self::Benchmarks => "SFS-011",
            Self::Glossary => "SFS-012",
            Self::Contracts => "SFS-013",
            Self::Conformance => "SFS-014",
            Self::ExternalLinks => "SFS-015",
            Self::Core => "SFS-016",
            Self::Tables => "SFS-X1",
            Self::RelativeLinks => "SFS-X2",
        }
    }
}

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// The rule does not hold.
    Error,
    /// A heuristic says that it may not hold; a person decides.
    Warning,
    /// Nobody looked.
    NotChecked,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Finding {
    /// The check.
    pub check: Check,
    /// How much it weighs.
    pub severity: Severity,
    /// The line, from 1.
    pub line: usize,
    /// The column in bytes, from 1, where the finding is narrower than its line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// What was found, in one sentence.
    pub message: String,
    /// What mends it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cure: Option<String>,
}

/// The findings of one file while it is looked at.
#[derive(Debug, Default)]
pub(super) struct Findings(Vec<Finding>);

impl Findings {
    fn push(&mut self, check: Check, severity: Severity, at: (usize, Option<usize>), what: [String; 2]) {
        let [message, cure] = what;
        let (line, column) = at;
        let cure = Some(cure).filter(|cure| !cure.is_empty());
        self.0.push(Finding { check, severity, line, column, message, cure });
    }

    /// A rule that does not hold, at a line.
    pub fn error(&mut self, check: Check, line: usize, message: impl Into<String>, cure: impl Into<String>) {
        self.push(check, Severity::Error, (line, None), [message.into(), cure.into()]);
    }

    /// A rule that does not hold, at a line and column.
    pub fn error_at(
        &mut self,
        check: Check,
        at: (usize, usize),
        message: impl Into<String>,
        cure: impl Into<String>,
    ) {
        self.push(check, Severity::Error, (at.0, Some(at.1)), [message.into(), cure.into()]);
    }

    /// What a heuristic says, at a line and column.
    pub fn warning_at(
        &mut self,
        check: Check,
        at: (usize, usize),
        message: impl Into<String>,
        cure: impl Into<String>,
    ) {
        self.push(check, Severity::Warning, (at.0, Some(at.1)), [message.into(), cure.into()]);
    }

    /// What nobody looked at, at a line.
    pub fn not_checked(
        &mut self,
        check: Check,
        line: usize,
        message: impl Into<String>,
        cure: impl Into<String>,
    ) {
        self.push(check, Severity::NotChecked, (line, None), [message.into(), cure.into()]);
    }

    /// All of them, by line, check and column.
    pub fn in_order(mut self) -> Vec<Finding> {
        self.0.sort_by_key(|one| (one.line, one.check, one.column));
        self.0
    }
}
