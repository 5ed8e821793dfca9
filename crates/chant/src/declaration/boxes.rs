//! The `box` block of a member.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Map;

/// What a box is for, runs, builds, shows and needs.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BoxBlock {
    /// The decision record that says what the box is for.
    pub intent: Option<String>,
    /// What runs in it, in order.
    pub services: Vec<Service>,
    /// What it builds.
    pub factory: Option<Factory>,
    /// What it shows of itself.
    pub listing: Option<Listing>,
    /// What it reaches outside itself.
    pub capabilities: Vec<Capability>,
    /// The host; a box with a host has a slot.
    pub host: Option<String>,
    /// The box's number on its host.
    pub slot: Option<u64>,
    /// Ports by name, as offsets in the box's block.
    pub ports: Map<String, serde_json::Value>,
    /// State by name, as paths in the box's state directory.
    pub state: Map<String, serde_json::Value>,
    /// The cookies that its programs set.
    pub cookies: Vec<String>,
    /// Where work in progress goes.
    pub replicate: Option<Replicate>,
    /// The command line that publishes the box's work; [`words`](super::command::words) parts it.
    pub publisher: Option<String>,
    /// How staged work reaches the box's own site.
    pub ship: Option<Ship>,
}

/// A program that runs in a box.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Service {
    /// The name.
    pub name: String,
    /// The command, parted at white space; `${VAR}` is left as it stands.
    pub cmd: String,
    /// Services that start first.
    #[serde(default)]
    pub needs: Vec<String>,
    /// The port that the box's URL leads to.
    pub http_port: Option<u64>,
    /// How long it must stay up.
    pub duration: Option<String>,
    /// A URL that answers 200.
    pub health: Option<String>,
    /// Whether something else makes it.
    #[serde(default)]
    pub optional: bool,
}

/// What a box builds.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Factory {
    /// The members that are built.
    pub builds: Vec<String>,
    /// How a build is judged.
    pub check: Option<FactoryCheck>,
    /// Where builders write checks, from the workspace root.
    pub checks: Option<String>,
    /// The member that declares the builder agents.
    pub builders: Option<String>,
    /// Which agent builds at which tier.
    #[serde(default)]
    pub tiers: Vec<Tier>,
    /// Where a build goes.
    pub publish: Option<Publish>,
}

/// How a build is judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FactoryCheck {
    /// The command, from the workspace root.
    pub run: String,
    /// What it is: test, build, lint, plan or conformance.
    pub kind: String,
}

impl<'de> Deserialize<'de> for FactoryCheck {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Run(String),
            Object { run: String, kind: Option<String> },
        }
        let (run, kind) = match Either::deserialize(deserializer)? {
            Either::Run(run) => (run, None),
            Either::Object { run, kind } => (run, kind),
        };
        Ok(Self { run, kind: kind.unwrap_or_else(|| "test".to_owned()) })
    }
}

/// An agent for a tier of work.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Tier {
    /// The tier.
    pub tier: String,
    /// The agent.
    pub agent: String,
    /// The kinds of members that it is for; none for every kind without an entry of its own.
    pub kinds: Option<Vec<String>>,
    /// The declared agent session.
    pub session: Option<String>,
}

/// Where a build goes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Publish {
    /// The forge.
    #[serde(default = "github")]
    pub forge: String,
    /// The repository as owner/name.
    pub repo: String,
    /// The branch that takes it; none for the repository's default.
    pub base: Option<String>,
    /// What the names of published branches begin with.
    #[serde(default = "branch_prefix")]
    pub branch_prefix: String,
    /// The fork that is pushed to.
    pub head: Option<String>,
}

fn github() -> String {
    "github".to_owned()
}

fn branch_prefix() -> String {
    "chant/work/".to_owned()
}

/// What a box shows of itself.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Listing {
    /// Whether it is listed.
    pub published: bool,
    /// Its title; empty where the file gives none.
    pub title: String,
    /// Its line; empty where the file gives none.
    pub line: String,
    /// Its picture, from the workspace root.
    pub cover: Option<String>,
}

impl Default for Listing {
    fn default() -> Self {
        Self { published: true, title: String::new(), line: String::new(), cover: None }
    }
}

/// Something outside itself that a box reaches through a broker.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Capability {
    /// The name.
    pub name: String,
    /// What brokers it.
    pub broker: Option<String>,
    /// What of its own the broker lets it reach.
    #[serde(default)]
    pub scope: Vec<String>,
}

/// Where work in progress goes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Replicate {
    /// The git remote.
    #[serde(default = "origin")]
    pub remote: String,
    /// What is pushed, in the published order.
    #[serde(default = "every_ref", deserialize_with = "refs")]
    pub refs: Vec<String>,
    /// When it is pushed, in the published order.
    #[serde(default = "every_trigger", deserialize_with = "triggers")]
    pub on: Vec<String>,
    /// The host's own schedule.
    pub every: Option<String>,
}

fn origin() -> String {
    "origin".to_owned()
}

fn every_ref() -> Vec<String> {
    ["work", "kept", "wip", "ledger"].map(str::to_owned).to_vec()
}

fn every_trigger() -> Vec<String> {
    ["save", "release"].map(str::to_owned).to_vec()
}

fn refs<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    in_order(every_ref(), deserializer)
}

fn triggers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    in_order(every_trigger(), deserializer)
}

fn in_order<'de, D: Deserializer<'de>>(
    mut all: Vec<String>,
    deserializer: D,
) -> Result<Vec<String>, D::Error> {
    let wanted = Vec::<String>::deserialize(deserializer)?;
    all.retain(|word| wanted.contains(word));
    Ok(all)
}

/// How staged work reaches the box's own site.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Ship {
    /// The Op of the box member.
    pub op: String,
    /// The gate that it waits at.
    #[serde(default = "ship")]
    pub gate: String,
    /// The environment.
    #[serde(default = "own_box")]
    pub env: String,
    /// Beginnings of paths whose changes never wait, from the workspace root.
    #[serde(default)]
    pub bookkeeping: Vec<String>,
}

fn ship() -> String {
    "ship".to_owned()
}

fn own_box() -> String {
    "box".to_owned()
}
