//! What a check found, where it does not decide by itself.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// As it should be.
    Ok,
    /// Worth knowing.
    Info,
    /// Shown, and lets pass.
    Warn,
    /// Stops.
    Fail,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ok => "ok",
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Fail => "fail",
        })
    }
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    /// What was looked at, in one or two words.
    pub area: String,
    /// How much it weighs.
    pub level: Level,
    /// What was found, in one sentence.
    pub msg: String,
    /// The command or step that mends it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cure: Option<String>,
}

impl Finding {
    /// A finding without a cure.
    pub fn new(area: impl Into<String>, level: Level, msg: impl Into<String>) -> Self {
        Self { area: area.into(), level, msg: msg.into(), cure: None }
    }

    /// With what mends it.
    pub fn cure(mut self, cure: impl Into<String>) -> Self {
        self.cure = Some(cure.into());
        self
    }
}
