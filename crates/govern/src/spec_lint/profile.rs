//! Which sections a spec has: the profiles that are built in, and a team's own.

use canon::json::Damage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::structure::words;

/// The sections that a spec of this profile has, in their order; the first has number 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Profile {
    /// The version of this form: 1.
    pub schema: u32,
    /// What it is called.
    pub name: String,
    /// The sections.
    pub sections: Vec<Section>,
    /// What a section that does not apply says, beside `not applicable`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_applicable: Vec<String>,
}

/// A section that a spec has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Section {
    /// The words with which its heading begins behind the number. Case and punctuation don't count.
    pub name: String,
    /// Other words with which it may begin.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// What the section is for, if a check asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
}

/// A section that a check looks into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Says which rules are always loaded (SFS-016).
    Core,
    /// Defines the terms (SFS-012).
    Glossary,
    /// Holds the schemas and state machines (SFS-013).
    Contracts,
    /// Holds the conformance vectors (SFS-014).
    Conformance,
}

/// The sections of the mandatory core. A heading begins with these words; what stands behind them is free.
const CORE: [(&str, &[&str], Option<Role>); 24] = [
    ("Design principles", &[], None),
    ("Architecture", &[], None),
    ("Lifecycle", &["Fire points"], None),
    ("Intent routing", &["Routing"], None),
    ("Prose to spec translation", &[], None),
    ("Enforcement contracts", &[], None),
    ("Knowledge lifecycle", &[], None),
    ("Action receipts", &[], None),
    ("Monitoring contract", &[], None),
    ("Communication conventions", &[], None),
    ("Adaptation profile", &[], None),
    ("Directive priority enforcement", &[], None),
    ("Drift mitigations", &[], None),
    ("Success metrics", &[], None),
    ("Spec self-compliance", &[], Some(Role::Core)),
    ("Enforcement trust root", &[], None),
    ("Optional multi-agent orchestration", &[], None),
    ("Dynamic cascade controller", &[], None),
    ("Glossary", &[], Some(Role::Glossary)),
    ("Benchmark scoping", &[], None),
    ("Contracts schemas and state machines", &[], Some(Role::Contracts)),
    ("Privacy lifecycle", &[], None),
    ("Executable conformance", &[], Some(Role::Conformance)),
    ("Evidence base", &[], None),
];

/// Where the workflow spec has its extension.
const DECISIONS: usize = 4;

impl Profile {
    /// The name of the profile that is used where none is asked for: the 24 sections of the text.
    pub const DEFAULT: &'static str = "sfs-1.1";

    /// The names of the profiles that are built in.
    pub const BUILT_IN: [&'static str; 2] = [Self::DEFAULT, "workflow-1.1"];

    /// A profile that is built in: `sfs-1.1`, or `workflow-1.1`, which has an extension as section 5 and counts on from
    /// there.
    pub fn built_in(name: &str) -> Option<Self> {
        let section = |(name, also, role): &(&str, &[&str], Option<Role>)| Section {
            name: (*name).to_owned(),
            also: also.iter().map(|&other| other.to_owned()).collect(),
            role: *role,
        };
        let mut sections: Vec<Section> = CORE.iter().map(section).collect();
        let mut not_applicable = Vec::new();
        match name {
            Self::DEFAULT => {}
            "workflow-1.1" => {
                sections.insert(DECISIONS, section(&("Decision-making process", &[], None)));
                not_applicable.push("scoped out".to_owned());
            }
            _ => return None,
        }
        Some(Self { schema: 1, name: name.to_owned(), sections, not_applicable })
    }

    /// Reads a team's own profile.
    ///
    /// # Errors
    /// It is not such a JSON text, is of another schema, or a section has no name or a role that another one has.
    pub fn read(bytes: &[u8]) -> Result<Self, Damage> {
        let profile: Self = canon::json::read(bytes)?;
        let fault = |message: String| Err(Damage::at(bytes, 0, message));
        if profile.schema != 1 {
            return fault(format!("a profile of schema {}; 1 is known", profile.schema));
        }
        if profile.sections.is_empty() {
            return fault("the profile names no section".to_owned());
        }
        for (at, section) in profile.sections.iter().enumerate() {
            let number = at + 1;
            if section.names().any(|name| words(name).is_empty()) {
                return fault(format!("section {number} has a name without a letter"));
            }
            let before = &profile.sections[..at];
            if section.role.is_some() && before.iter().any(|other| other.role == section.role) {
                return fault(format!("section {number} has a role that another section has"));
            }
        }
        Ok(profile)
    }

    /// The section with this role.
    pub(super) fn place(&self, role: Role) -> Option<&Section> {
        self.sections.iter().find(|section| section.role == Some(role))
    }
}

impl Section {
    fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.name.as_str()).chain(self.also.iter().map(String::as_str))
    }

    /// Whether a heading, without its number, is the heading of this section.
    pub(super) fn is_called(&self, title: &str) -> bool {
        let title = words(title);
        self.names().any(|name| title.starts_with(&words(name)))
    }
}
