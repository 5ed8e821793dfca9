//! A declaration as values, with every default filled in.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::boxes::BoxBlock;
use super::form::EXAMPLES;
use super::policy::{Agent, Changes, Ci, ClassScope, Identity};

/// What `chant.workspace.json` says.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Declaration {
    /// The workspace's name.
    pub name: String,
    /// The format's version, always 1.
    pub schema: u32,
    /// The oldest level that may read the file.
    pub min_reader: Option<String>,
    /// Members and example groups, in the order of the file.
    #[serde(rename = "members")]
    pub entries: Vec<Entry>,
    /// The toolchain and the packages that supply kinds.
    #[serde(default)]
    pub pins: Vec<Pin>,
    /// How many agreeing verdicts a record needs beside its decider's, where the workspace says so.
    pub quorum: Option<u64>,
    /// The workspace's own kinds of records.
    #[serde(default)]
    pub records: Vec<RecordKind>,
    /// The hosts that boxes run on.
    #[serde(default)]
    pub hosts: Vec<Host>,
    /// The workspace's own diagrams.
    #[serde(default)]
    pub diagrams: Vec<Diagram>,
    /// Severities that the file sets for checks, by id.
    #[serde(default)]
    pub checks: BTreeMap<String, Severity>,
    /// The forward coverage check.
    #[serde(default)]
    pub changes: Changes,
    /// Who may write what, by class of principals; none where nobody is restricted.
    pub write_scope: Option<Map<String, Value>>,
    /// The agent sessions.
    #[serde(default)]
    pub agents: Vec<Agent>,
    /// Who may be named, and which gates need a signature.
    #[serde(default)]
    pub identity: Identity,
    /// What makes a commit green.
    #[serde(default)]
    pub ci: Ci,
    /// `$schema`, `$comment` and the fields named `x-...`.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

impl Declaration {
    /// The members with their places in `members`.
    pub fn members(&self) -> impl Iterator<Item = (usize, &Member)> {
        self.entries.iter().enumerate().filter_map(|(index, entry)| match entry {
            Entry::Member(member) => Some((index, &**member)),
            Entry::Group(_) => None,
        })
    }

    /// The example groups with their places in `members`.
    pub fn groups(&self) -> impl Iterator<Item = (usize, &Group)> {
        self.entries.iter().enumerate().filter_map(|(index, entry)| match entry {
            Entry::Group(group) => Some((index, group)),
            Entry::Member(_) => None,
        })
    }

    /// The member of this name.
    pub fn member(&self, name: &str) -> Option<(usize, &Member)> {
        self.members().find(|(_, member)| member.name == name)
    }

    /// The member that owns a file, named from the workspace root: the one whose directory holds it most closely.
    pub fn owner(&self, path: &str) -> Option<&Member> {
        let holding = self.members().map(|(_, member)| member).filter(|member| is_inside(path, &member.dir));
        holding.max_by_key(|member| if member.dir == "." { 0 } else { member.dir.len() })
    }

    /// Every kind of records in the order in which it is read: the workspace's own, then each member's.
    pub fn kinds(&self) -> Vec<DeclaredKind<'_>> {
        let own = self.records.iter().enumerate().map(|(index, kind)| DeclaredKind {
            member: None,
            path: kind.kind.clone(),
            name: kind.name.as_deref(),
            pointer: format!("/records/{index}"),
        });
        let members = self.members().flat_map(|(entry, member)| {
            member.records.iter().enumerate().map(move |(index, kind)| DeclaredKind {
                member: Some(&member.name),
                path: below(&member.dir, &kind.kind),
                name: kind.name.as_deref(),
                pointer: format!("/members/{entry}/records/{index}"),
            })
        });
        own.chain(members).collect()
    }

    /// Every diagram with the member that declares it: the workspace's own first.
    pub fn all_diagrams(&self) -> Vec<DeclaredDiagram<'_>> {
        let own = self.diagrams.iter().enumerate().map(|(index, diagram)| DeclaredDiagram {
            member: None,
            diagram,
            pointer: format!("/diagrams/{index}"),
        });
        let members = self.members().flat_map(|(entry, member)| {
            member.diagrams.iter().enumerate().map(move |(index, diagram)| DeclaredDiagram {
                member: Some(&member.name),
                diagram,
                pointer: format!("/members/{entry}/diagrams/{index}"),
            })
        });
        own.chain(members).collect()
    }

    /// The boxes with their members and the members' places.
    pub fn boxes(&self) -> impl Iterator<Item = (usize, &Member, &BoxBlock)> {
        self.members().filter_map(|(index, member)| Some((index, member, member.box_block.as_ref()?)))
    }

    /// What a class of principals may write; none where the class is not restricted.
    pub fn scope_of(&self, class: &str) -> Option<ClassScope> {
        let entry = self.write_scope.as_ref()?.get(class)?;
        ClassScope::deserialize(entry).ok()
    }

    /// The fields named `x-...`.
    pub fn extensions(&self) -> Map<String, Value> {
        extensions(&self.rest)
    }
}

/// One kind of records as it is declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredKind<'a> {
    /// The member that declares it; none for the workspace's own.
    pub member: Option<&'a str>,
    /// The kind file, from the workspace root.
    pub path: String,
    /// The name that the declaration gives it.
    pub name: Option<&'a str>,
    /// Where the declaration says so.
    pub pointer: String,
}

/// One diagram as it is declared.
#[derive(Debug, Clone)]
pub struct DeclaredDiagram<'a> {
    /// The member that declares it; none for the workspace's own.
    pub member: Option<&'a str>,
    /// The diagram.
    pub diagram: &'a Diagram,
    /// Where the declaration says so.
    pub pointer: String,
}

/// One entry of `members`.
#[derive(Debug, Clone)]
pub enum Entry {
    /// A member.
    Member(Box<Member>),
    /// An example group.
    Group(Group),
}

impl Entry {
    /// The name, which no other entry has.
    pub fn name(&self) -> &str {
        match self {
            Self::Member(member) => &member.name,
            Self::Group(group) => &group.name,
        }
    }

    /// The checks that it suppresses.
    pub fn suppress(&self) -> &[Suppress] {
        match self {
            Self::Member(member) => &member.suppress,
            Self::Group(group) => &group.suppress,
        }
    }
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        if value.get("kind").and_then(Value::as_str) == Some(EXAMPLES) {
            return Group::deserialize(value).map(Self::Group).map_err(D::Error::custom);
        }
        Member::deserialize(value).map(|member| Self::Member(Box::new(member))).map_err(D::Error::custom)
    }
}

/// A directory with a build and a ledger of its own.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Member {
    /// The name.
    pub name: String,
    /// The directory from the workspace root; `.` is the root itself.
    pub dir: String,
    /// What reads the member.
    pub kind: String,
    /// The roles that it plays.
    #[serde(default)]
    pub roles: Vec<Role>,
    /// Files that a command writes.
    #[serde(default)]
    pub generated: Vec<Generated>,
    /// Outputs that the entry lists; none where it has no such field.
    pub outputs: Option<Vec<String>>,
    /// Values for the fields that the member's kind declares.
    #[serde(default)]
    pub fields: Map<String, Value>,
    /// Outputs of other members that this one reads.
    #[serde(default)]
    pub links: Vec<Link>,
    /// The member's kinds of records, their files named from its directory.
    #[serde(default)]
    pub records: Vec<RecordKind>,
    /// The member's diagrams.
    #[serde(default)]
    pub diagrams: Vec<Diagram>,
    /// The member is a box.
    #[serde(rename = "box")]
    pub box_block: Option<BoxBlock>,
    /// Where the files come from.
    pub upstream: Option<String>,
    /// Whether an export takes the member.
    #[serde(default)]
    pub travel: bool,
    /// Why the member is there.
    pub because: Option<String>,
    /// Checks suppressed for this member.
    #[serde(default)]
    pub suppress: Vec<Suppress>,
    /// The fields named `x-...`.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

impl Member {
    /// The fields named `x-...`.
    pub fn extensions(&self) -> Map<String, Value> {
        extensions(&self.rest)
    }

    /// The beginning of the member's paths in the ledger. `outer` is that of the member that holds the whole
    /// workspace, empty where none does.
    pub fn ledger_prefix(&self, outer: &str) -> String {
        if self.dir == "." { outer.to_owned() } else { format!("{outer}_members/{}/", self.name) }
    }

    /// The directory from the workspace root; empty for the root itself.
    pub fn folder(&self) -> &str {
        if self.dir == "." { "" } else { &self.dir }
    }
}

fn extensions(rest: &Map<String, Value>) -> Map<String, Value> {
    rest.iter()
        .filter(|(key, _)| key.starts_with("x-"))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

/// Directories that are built and linted, and nothing else.
#[derive(Debug, Clone, Deserialize)]
pub struct Group {
    /// The name.
    pub name: String,
    /// Always `examples`.
    pub kind: String,
    /// Which directories, from the workspace root.
    #[serde(deserialize_with = "one_or_more")]
    pub glob: Vec<String>,
    /// Checks suppressed for this group.
    #[serde(default)]
    pub suppress: Vec<Suppress>,
}

fn one_or_more<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        One(String),
        More(Vec<String>),
    }
    Ok(match Either::deserialize(deserializer)? {
        Either::One(glob) => vec![glob],
        Either::More(globs) => globs,
    })
}

/// A part that a member plays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Role {
    /// The role.
    pub name: String,
    /// The path within the member that plays it; none for the whole member.
    pub path: Option<String>,
}

impl<'de> Deserialize<'de> for Role {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Name(String),
            Object { name: String, path: Option<String> },
        }
        Ok(match Either::deserialize(deserializer)? {
            Either::Name(name) => Self { name, path: None },
            Either::Object { name, path } => Self { name, path },
        })
    }
}

/// A file that a command writes.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Generated {
    /// The file, from the member's directory.
    pub path: String,
    /// The command line that writes it.
    pub generator: String,
    /// What the command reads, from the workspace root.
    #[serde(default)]
    pub sources: Vec<String>,
    /// Set where the file is kept by hand.
    pub hand_written: Option<Because>,
}

/// A reason in words.
#[derive(Debug, Clone, Deserialize)]
pub struct Because {
    /// The reason.
    pub because: String,
}

/// An output of another member that this one reads.
#[derive(Debug, Clone, Deserialize)]
pub struct Link {
    /// The member that has the output.
    pub member: String,
    /// The output, compared exactly.
    pub output: String,
    /// `output` where the file does not say.
    #[serde(default = "output")]
    pub kind: String,
    /// The protocol of a telemetry link.
    pub protocol: Option<String>,
}

fn output() -> String {
    "output".to_owned()
}

/// A kind of records.
#[derive(Debug, Clone, Deserialize)]
pub struct RecordKind {
    /// The kind file, from the directory of what declares it.
    pub kind: String,
    /// The name that the declaration gives it.
    pub name: Option<String>,
}

/// A check that an entry does not want to hear of.
#[derive(Debug, Clone, Deserialize)]
pub struct Suppress {
    /// The id.
    pub check: String,
    /// Why.
    pub because: String,
}

/// What a check's finding does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The check fails.
    Error,
    /// It is reported.
    Warning,
    /// It is told.
    Info,
    /// It is not looked for.
    Off,
}

/// A package or a directory at one version.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Pin {
    /// The package; none for a directory.
    pub package: Option<String>,
    /// The package's version.
    pub version: Option<String>,
    /// The directory, from the workspace root; none for a package.
    pub path: Option<String>,
    /// The hash that the content must have.
    pub integrity: Option<String>,
}

/// A machine that boxes run on.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Host {
    /// The name.
    pub name: String,
    /// The ports that boxes share.
    pub ports: HostPorts,
    /// Where boxes keep state; begins with an environment reference.
    pub state_root: Option<String>,
}

/// The ports of a host.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HostPorts {
    /// The first.
    pub from: u64,
    /// The last.
    pub to: u64,
    /// How many each box has.
    pub per_box: u64,
}

/// A picture and what draws it.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Diagram {
    /// The name.
    pub name: String,
    /// The title.
    pub title: String,
    /// What is drawn, from the workspace root.
    pub source: Option<String>,
    /// The picture, from the workspace root.
    pub render: Option<String>,
    /// What drew it.
    pub renderer: Renderer,
    /// SHA-256 of the source that the picture was drawn from.
    pub source_hash: Option<String>,
}

/// A program that draws.
#[derive(Debug, Clone, Deserialize)]
pub struct Renderer {
    /// The program.
    pub tool: String,
    /// Its exact version.
    pub version: String,
    /// Its arguments before input and output.
    #[serde(default)]
    pub args: Vec<String>,
}

/// Whether `path` is `dir` or lies in it; both from the workspace root, which is `.`.
pub fn is_inside(path: &str, dir: &str) -> bool {
    dir == "." || path.strip_prefix(dir).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A path within a member's directory, from the workspace root.
pub fn below(dir: &str, path: &str) -> String {
    if dir == "." { path.to_owned() } else { format!("{dir}/{path}") }
}
