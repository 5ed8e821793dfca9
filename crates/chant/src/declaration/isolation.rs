//! What keeps boxes on one host apart: the ports, files and cookies that follow from a box's name and slot.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use store::git::RepoPath;

use super::boxes::BoxBlock;
use super::model::{Declaration, Host, Member};

/// Where boxes keep state on a host that does not say.
const STATE_ROOT: &str = "${XDG_STATE_HOME}/chant/boxes";

/// The values of one box.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Isolation {
    /// The host.
    pub host: String,
    /// The box's number on it.
    pub slot: u64,
    /// The box's block of ports.
    pub port_range: PortRange,
    /// Ports by name.
    pub ports: BTreeMap<String, u64>,
    /// The box's state directory; a reference to the environment is left for whoever starts the box.
    pub state_dir: String,
    /// Files by name.
    pub state: BTreeMap<String, String>,
    /// The names of cookies, by what the box calls them.
    pub cookies: BTreeMap<String, String>,
}

/// A block of ports, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct PortRange {
    /// The first.
    pub from: u64,
    /// The last.
    pub to: u64,
}

/// The values of a member's box; none for a box without a host.
pub fn isolation(declaration: &Declaration, member: &Member) -> Option<Isolation> {
    let block = member.box_block.as_ref()?;
    let (host, slot) = (host(declaration, block)?, block.slot?);
    let from = host.ports.from + slot * host.ports.per_box;
    let state_dir = format!("{}/{}", root(host), member.name);
    let port = |(name, offset): (&String, &Value)| Some((name.clone(), from + offset.as_u64()?));
    let file = |(name, path): (&String, &Value)| {
        let path = path.as_str()?;
        Some((name.clone(), format!("{state_dir}/{}", path.strip_prefix("./").unwrap_or(path))))
    };
    Some(Isolation {
        host: host.name.clone(),
        slot,
        port_range: PortRange { from, to: from + host.ports.per_box - 1 },
        ports: block.ports.iter().filter_map(port).collect(),
        state: block.state.iter().filter_map(file).collect(),
        cookies: block.cookies.iter().map(|name| (name.clone(), format!("{name}_{}", member.name))).collect(),
        state_dir,
    })
}

fn host<'a>(declaration: &'a Declaration, block: &BoxBlock) -> Option<&'a Host> {
    let name = block.host.as_ref()?;
    declaration.hosts.iter().find(|host| host.name == *name)
}

fn root(host: &Host) -> &str {
    host.state_root.as_deref().unwrap_or(STATE_ROOT).trim().trim_end_matches('/')
}

/// What two boxes may not share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shared {
    /// A port.
    Port,
    /// A file.
    State,
    /// A cookie.
    Cookie,
}

/// A value that several boxes of one host, or several ports of one box, come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collision {
    /// The host.
    pub host: String,
    /// What is shared.
    pub what: Shared,
    /// The value.
    pub value: String,
    /// Who comes to it: the places of members in `members`, in their order, with the names in their boxes.
    pub holders: Vec<(usize, String)>,
}

/// Every collision, by host, kind of value and value.
pub fn collisions(declaration: &Declaration) -> Vec<Collision> {
    let mut holders: BTreeMap<(String, Shared, String), Vec<(usize, String)>> = BTreeMap::new();
    for (index, member) in declaration.members() {
        let Some(values) = isolation(declaration, member) else { continue };
        let ports = values.ports.iter().map(|(name, port)| (Shared::Port, name, format!("{port:05}")));
        // Two names of one box may stand for one file.
        let mut files: BTreeMap<String, &String> = BTreeMap::new();
        for (name, file) in &values.state {
            files.entry(RepoPath::from(file.as_str()).to_string()).or_insert(name);
        }
        let files = files.into_iter().map(|(file, name)| (Shared::State, name, file));
        let cookies = values.cookies.iter().map(|(name, cookie)| (Shared::Cookie, name, cookie.clone()));
        for (what, name, value) in ports.chain(files).chain(cookies) {
            holders.entry((values.host.clone(), what, value)).or_default().push((index, name.clone()));
        }
    }
    let several = holders.into_iter().filter(|(_, holders)| holders.len() > 1);
    several
        .map(|((host, what, value), holders)| {
            let value = if what == Shared::Port { value.trim_start_matches('0').to_owned() } else { value };
            Collision { host, what, value, holders }
        })
        .collect()
}

/// A path that is right on one machine alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal {
    /// The value in the declaration.
    pub pointer: String,
    /// What is wrong with it.
    pub message: String,
}

/// Every path of a box or host that names a machine's own folders.
pub fn literals(declaration: &Declaration) -> Vec<Literal> {
    let mut found = Vec::new();
    for (index, host) in declaration.hosts.iter().enumerate() {
        let Some(root) = &host.state_root else { continue };
        if !is_portable_root(root) {
            found.push(Literal {
                pointer: format!("/hosts/{index}/stateRoot"),
                message: format!(
                    "the state root {root:?} of host {} must begin with an environment reference other than $HOME, and hold no `..`",
                    host.name
                ),
            });
        }
    }
    for (index, member, block) in declaration.boxes() {
        for (name, path) in &block.state {
            let path = path.as_str().unwrap_or_default();
            if !is_portable_path(path) {
                found.push(Literal {
                    pointer: format!("/members/{index}/box/state/{name}"),
                    message: format!(
                        "the state {name} of {} ({path:?}) must be a path within the box's own folder",
                        member.name
                    ),
                });
            }
        }
    }
    found
}

fn is_portable_root(root: &str) -> bool {
    let Some(rest) = root.trim().strip_prefix('$') else { return false };
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (name, rest) = match rest.strip_prefix('{') {
        Some(braced) => match braced.split_once('}') {
            Some(parts) => parts,
            None => return false,
        },
        None => rest.split_at(rest.find(|c| !is_name(c)).unwrap_or(rest.len())),
    };
    let named =
        !name.is_empty() && name.chars().all(is_name) && !name.starts_with(|c: char| c.is_ascii_digit());
    named && name != "HOME" && (rest.is_empty() || rest.starts_with('/')) && !climbs(rest)
}

fn is_portable_path(path: &str) -> bool {
    let drive = path.as_bytes().get(1) == Some(&b':') && path.starts_with(|c: char| c.is_ascii_alphabetic());
    !path.starts_with(['/', '~', '$']) && !path.contains('\\') && !drive && !climbs(path)
}

fn climbs(path: &str) -> bool {
    path.split('/').any(|part| part == "..")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn declaration(hosts: Value, boxes: &[(&str, Value)]) -> Declaration {
        let members: Vec<Value> = boxes
            .iter()
            .map(|(name, block)| json!({ "name": name, "dir": name, "kind": "other", "because": "b", "box": block }))
            .collect();
        serde_json::from_value(json!({ "name": "a", "schema": 1, "members": members, "hosts": hosts }))
            .unwrap()
    }

    fn hosts() -> Value {
        let ports = json!({ "from": 9000, "to": 9099, "perBox": 10 });
        json!([{ "name": "mac", "ports": ports }, { "name": "pc", "ports": ports, "stateRoot": " ${DATA}/x/ " }])
    }

    #[test]
    fn values_follow_from_host_slot_and_name() {
        let block = json!({
            "host": "pc", "slot": 2, "ports": { "web": 0, "api": 9 },
            "state": { "DB": "./db/a", "ID": "id" }, "cookies": ["sid"],
        });
        let declaration = declaration(hosts(), &[("app", block), ("free", json!({}))]);
        let (_, app) = declaration.member("app").unwrap();
        assert_eq!(
            serde_json::to_value(isolation(&declaration, app).unwrap()).unwrap(),
            json!({
                "host": "pc", "slot": 2, "portRange": { "from": 9020, "to": 9029 },
                "ports": { "api": 9029, "web": 9020 }, "stateDir": "${DATA}/x/app",
                "state": { "DB": "${DATA}/x/app/db/a", "ID": "${DATA}/x/app/id" }, "cookies": { "sid": "sid_app" },
            })
        );
        let (_, free) = declaration.member("free").unwrap();
        assert_eq!(isolation(&declaration, free), None);
        assert_eq!(root(&declaration.hosts[0]), STATE_ROOT);
    }

    #[test]
    fn boxes_of_one_host_share_nothing() {
        let block = |host: &str, slot: u64, ports: Value| json!({ "host": host, "slot": slot, "ports": ports, "state": { "A": "x", "B": "./x" }, "cookies": ["c"] });
        let declaration = declaration(
            hosts(),
            &[
                ("a", block("mac", 0, json!({ "web": 1, "api": 1 }))),
                ("b", block("mac", 0, json!({ "web": 1, "own": 2 }))),
                ("c", block("pc", 0, json!({ "web": 1 }))),
            ],
        );
        let found = collisions(&declaration);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(
            (found[0].what, found[0].value.as_str(), found[0].host.as_str()),
            (Shared::Port, "9001", "mac")
        );
        assert_eq!(found[0].holders, [(0, "api".into()), (0, "web".into()), (1, "web".into())]);
    }

    #[test]
    fn paths_of_one_machine_are_found() {
        for (root, fine) in [
            ("${XDG_STATE_HOME}/x", true),
            ("$DATA", true),
            ("$DATA/x", true),
            ("/var/x", false),
            ("$HOME/x", false),
            ("${HOME}", false),
            ("~/x", false),
            ("${A", false),
            ("$/x", false),
            ("$A-x", false),
            ("$A/../x", false),
        ] {
            assert_eq!(is_portable_root(root), fine, "{root}");
        }
        for (path, fine) in [
            ("a/b", true),
            ("./a", true),
            ("/a", false),
            ("~/a", false),
            ("$A/a", false),
            ("C:/a", false),
            ("a\\b", false),
            ("a/../b", false),
        ] {
            assert_eq!(is_portable_path(path), fine, "{path}");
        }
        let mut hosts = hosts();
        hosts[0]["stateRoot"] = json!("/var");
        let block = json!({ "host": "mac", "slot": 0, "state": { "DB": "/db" } });
        let pointers: Vec<String> = literals(&declaration(hosts, &[("a", block)]))
            .into_iter()
            .map(|literal| literal.pointer)
            .collect();
        assert_eq!(pointers, ["/hosts/0/stateRoot", "/members/0/box/state/DB"]);
    }
}
