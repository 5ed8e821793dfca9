//! Reason codes: why a gate refused, in one word that a program can rely on.

use std::fmt;

use serde::{Serialize, Serializer};

/// One code of a protocol's closed list. Codes are made by [`reason_codes!`](crate::reason_codes) alone, so
/// that no code exists outside a list.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReasonCode(&'static str);

impl ReasonCode {
    #[doc(hidden)]
    pub const fn listed(code: &'static str) -> Self {
        Self(code)
    }

    /// The code as documents carry it: lower-case words joined by dashes.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for ReasonCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Debug for ReasonCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Serialize for ReasonCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}

impl schemars::JsonSchema for ReasonCode {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ReasonCode".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$" })
    }
}

/// Declares the closed list of a protocol's reason codes: a constant for each, and `ALL` with code and
/// meaning.
#[macro_export]
macro_rules! reason_codes {
    ($($name:ident = $code:literal, $meaning:literal;)+) => {
        $(
            #[doc = $meaning]
            pub const $name: $crate::ReasonCode = $crate::ReasonCode::listed($code);
        )+
        /// Every code of the list with its meaning.
        pub const ALL: &[($crate::ReasonCode, &str)] = &[$(($name, $meaning)),+];
    };
}
