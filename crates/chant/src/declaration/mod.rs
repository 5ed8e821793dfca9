//! The workspace's declaration: `chant.workspace.json`, or `chant.workspace.jsonc` with comments.
//!
//! [`discover`] finds it, [`read`] judges it in the contract's order and gives a [`Workspace`]: what the file says as
//! values ([`Declaration`]), and where it says so. A declaration that breaks a rule is refused whole, with the place
//! of what is wrong; nothing is guessed.

mod boxes;
mod command;
mod discover;
mod form;
mod grammar;
mod isolation;
mod model;
mod pins;
mod placement;
mod policy;
mod read;
mod rules;
mod shape;
mod version;

pub use boxes::{
    BoxBlock, Capability, Factory, FactoryCheck, Listing, Publish, Replicate, Service, Ship, Tier,
};
pub use command::words;
pub use discover::{FILES, Found, at_root, discover};
pub use grammar::is_name;
pub use isolation::{Collision, Isolation, Literal, PortRange, Shared, collisions, isolation, literals};
pub use model::{
    Because, Declaration, DeclaredDiagram, DeclaredKind, Diagram, Entry, Generated, Group, Host, HostPorts,
    Link, Member, Pin, RecordKind, Renderer, Role, Severity, Suppress, below, is_inside,
};
pub use pins::{CHANT, HANDED_OVER, Handover, handover};
pub(crate) use pins::{inner, installed, manifest};
pub use policy::{
    Agent, Attribution, ChangeSeverity, Changes, Ci, ClassScope, Green, Identity, Phase, Protected, Reach,
    SignedGate, Verb,
};
pub use read::{Reader, Workspace, parse, read};
pub use version::Version;

#[cfg(test)]
mod tests;
