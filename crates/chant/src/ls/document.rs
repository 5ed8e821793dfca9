//! The document.

use gate::{ReasonCode, Refusal};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::declaration::{self, DeclaredDiagram};
use crate::{CONTRACT, Cairn, LEVEL, Problem};

/// The `$id` of the document's schema.
pub const SCHEMA: &str = "https://intentius.io/chant/schemas/workspace/ls/v1/ls.schema.json";

/// What a workspace holds.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Listing {
    /// The schema's `$id`.
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    /// The contract's version.
    pub contract: u32,
    /// The contract's level.
    pub chant: &'static str,
    /// What printed the document.
    #[serde(rename = "x-cairn")]
    pub cairn: Cairn,
    /// The commit that was read; none for the working tree.
    pub at: Option<String>,
    /// The workspace.
    pub workspace: WorkspaceEntry,
    /// Every member, readable or not.
    pub members: Vec<Member>,
    /// Every example group.
    pub groups: Vec<Group>,
    /// Every diagram: the workspace's own, then each member's.
    pub diagrams: Vec<Diagram>,
    /// Counts.
    pub summary: Summary,
}

/// The workspace.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceEntry {
    /// The declared name.
    pub name: String,
    /// The workspace root from the top of the repository; `.` for the top itself.
    pub root: String,
    /// The declaration's file.
    pub file: &'static str,
    /// The declaration's format.
    pub schema: u32,
    /// The oldest level that may read it.
    pub min_reader: Option<String>,
    /// What it pins.
    pub pins: Vec<Pin>,
    /// The workspace's own kinds of records.
    pub records: Vec<RecordKind>,
    /// Which declaration the agent sessions come from.
    pub agents_from: AgentsFrom,
    /// The declaration's fields named `x-...`.
    #[serde(flatten)]
    pub extensions: Map<String, Value>,
}

/// Which declaration the agent sessions come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AgentsFrom {
    /// The one at base.
    Base,
    /// The one in the working tree.
    WorkingTree,
    /// The one at the revision that was read.
    At,
}

/// A pin.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Pin {
    /// The package.
    pub package: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// The directory.
    pub path: Option<String>,
    /// The hash that the content must have.
    pub integrity: Option<String>,
}

impl From<declaration::Pin> for Pin {
    fn from(pin: declaration::Pin) -> Self {
        let declaration::Pin { package, version, path, integrity } = pin;
        Self { package, version, path, integrity }
    }
}

/// A member.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Member {
    /// The name.
    pub name: String,
    /// The directory from the workspace root.
    pub dir: String,
    /// The kind.
    pub kind: String,
    /// The roles.
    pub roles: Vec<Role>,
    /// Where the files come from.
    pub upstream: Option<String>,
    /// Why the member is there.
    pub because: Option<String>,
    /// Whether there is no reason.
    pub readable: bool,
    /// Why the member can't be read.
    pub reason: Option<Problem>,
    /// The member's kinds of records.
    pub records: Vec<RecordKind>,
    /// Files that a command writes.
    pub generated: Vec<Generated>,
    /// The agent sessions bound to the member.
    pub agents: Vec<String>,
    /// The entry's fields named `x-...`.
    #[serde(flatten)]
    pub extensions: Map<String, Value>,
}

/// A part that a member plays.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Role {
    /// The role.
    pub name: String,
    /// The path within the member; none for the whole member.
    pub path: Option<String>,
}

/// A kind of records.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RecordKind {
    /// The declared name, else the kind file's own, else none.
    pub name: Option<String>,
    /// The kind file from the workspace root.
    pub path: String,
    /// The kind file's own name.
    pub kind: Option<String>,
    /// Why the kind file can't be loaded.
    pub reason: Option<Problem>,
    /// How far the current work items with criteria are; none for other kinds.
    pub acceptance: Option<Vec<Acceptance>>,
}

/// How far a work item is.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Acceptance {
    /// The item's id.
    pub item: String,
    /// Its state.
    pub state: Option<String>,
    /// Criteria that evidence meets.
    pub met: usize,
    /// Criteria.
    pub total: usize,
}

/// A file that a command writes.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Generated {
    /// The file from the top of the repository.
    pub path: String,
    /// The command; empty where nobody knows.
    pub command: String,
    /// The environment that it was written for.
    pub env: Option<String>,
    /// The names of the jobs of a file for continuous integration; none for other files.
    pub jobs: Option<Vec<String>>,
}

/// An example group.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Group {
    /// The name.
    pub name: String,
    /// Always `examples`.
    pub kind: String,
    /// The globs.
    pub glob: Vec<String>,
    /// Directories that hold a project.
    pub matches: Vec<String>,
    /// Directories that hold none.
    pub skipped: Vec<String>,
    /// Why there is no project.
    pub reason: Option<Problem>,
}

/// A diagram.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Diagram {
    /// The name.
    pub name: String,
    /// The title.
    pub title: String,
    /// What is drawn.
    pub source: Option<String>,
    /// The picture.
    pub render: Option<String>,
    /// What draws it.
    pub renderer: Renderer,
    /// The member that declares it; none for the workspace's own.
    pub member: Option<String>,
}

/// A program that draws.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Renderer {
    /// The program.
    pub tool: String,
    /// Its version.
    pub version: String,
    /// Its arguments.
    pub args: Vec<String>,
}

impl From<DeclaredDiagram<'_>> for Diagram {
    fn from(found: DeclaredDiagram<'_>) -> Self {
        let declaration::Diagram { name, title, source, render, renderer, .. } = found.diagram.clone();
        let declaration::Renderer { tool, version, args } = renderer;
        let member = found.member.map(str::to_owned);
        Self { name, title, source, render, renderer: Renderer { tool, version, args }, member }
    }
}

/// Counts.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub struct Summary {
    /// Members.
    pub members: usize,
    /// Members with a reason.
    pub unreadable: usize,
    /// Example groups.
    pub groups: usize,
    /// Projects of all groups.
    pub matches: usize,
}

/// A declaration that can't be read.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Failure {
    /// The schema's `$id`.
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    /// The contract's version.
    pub contract: u32,
    /// The contract's level.
    pub chant: &'static str,
    /// What printed the document.
    #[serde(rename = "x-cairn")]
    pub cairn: Cairn,
    /// What is wrong.
    pub error: Failed,
}

/// What is wrong with a declaration, and where.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Failed {
    /// The code.
    pub code: ReasonCode,
    /// What is wrong, for people.
    pub message: String,
    /// Where; none where it lies outside the file.
    pub location: Option<Location>,
}

/// A place in a declaration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Location {
    /// The file, from the workspace root.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in UTF-16 code units, from 1.
    pub column: usize,
}

impl Failure {
    /// The document of a refusal.
    pub fn new(refusal: &Refusal) -> Self {
        Self {
            schema: SCHEMA,
            contract: CONTRACT,
            chant: LEVEL,
            cairn: Cairn::THIS,
            error: Failed {
                code: refusal.code,
                message: refusal.message.clone(),
                location: Location::of(refusal),
            },
        }
    }
}

impl Location {
    /// The place that a refusal of a declaration names.
    pub fn of(refusal: &Refusal) -> Option<Self> {
        let at = refusal.at.as_ref()?;
        let file = at.path.file_name()?.to_string_lossy().into_owned();
        Some(Self { file, line: at.line?, column: at.column? })
    }
}
