//! Seals that a write makes.

use gate::{ReasonCode, Refusal};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::kind::Kind;
use crate::records::whole_seal;

use super::text::Edit;

/// The purpose of a signature on a verdict.
pub(super) const REVIEW: &str = "chant-review";
/// The purpose of a signature on a record.
pub(super) const RECORD: &str = "chant-record";

/// Makes signatures with the key that the caller chose.
pub trait Sign {
    /// Signs `payload` for the purpose `namespace`.
    ///
    /// # Errors
    /// Why no signature could be made, in words.
    fn sign(&self, namespace: &str, payload: &str) -> Result<Signature, String>;
}

/// A signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The fingerprint of the key, read back from the signature.
    pub key: String,
    /// The armored signature.
    pub armor: String,
}

/// A signature with the name that it stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Seal {
    /// Who signs.
    pub signer: String,
    /// The fingerprint of the key.
    pub key: String,
    /// The armored signature.
    pub signature: String,
}

impl Seal {
    /// A seal in the name of `signer` over lines of text.
    pub(super) fn make(
        sign: &dyn Sign,
        namespace: &str,
        signer: &str,
        lines: &[&str],
        code: ReasonCode,
    ) -> Result<Self, Refusal> {
        let Signature { key, armor } = sign
            .sign(namespace, &lines.join("\n"))
            .map_err(|why| Refusal::new(code, format!("no seal could be made for {signer}: {why}")))?;
        Ok(Self { signer: signer.to_owned(), key, signature: armor })
    }

    /// The seal as a field's value.
    pub(super) fn value(&self) -> Value {
        let fields = [("signer", &self.signer), ("key", &self.key), ("signature", &self.signature)];
        Value::Object(
            fields.into_iter().map(|(key, text)| (key.to_owned(), Value::from(text.as_str()))).collect(),
        )
    }
}

/// The whole-file seal of a record that is closed in this state, with the field that holds it.
pub(super) fn of_closed(
    kind: &Kind,
    state: Option<&str>,
    data: &Map<String, Value>,
    body: &str,
) -> Option<(String, String)> {
    let field = kind.whole_seal().filter(|_| kind.is_closed(state))?;
    Some((field.to_owned(), whole_seal(field, data, body)?))
}

/// Seals the record where `state` closes it, and says which field holds the seal.
pub(super) fn close(kind: &Kind, state: Option<&str>, edit: &mut Edit, body: &str) -> Option<String> {
    let (field, seal) = of_closed(kind, state, edit.data(), body)?;
    edit.set(&field, &Value::from(seal));
    Some(field)
}
