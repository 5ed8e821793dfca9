//! Seals that a write makes.

use gate::{ReasonCode, Refusal};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use trust::seal::Subject;

use super::text::Edit;
use crate::kind::Kind;
use crate::records::whole_seal;

/// Makes seals with the key that the caller chose.
pub trait Sign {
    /// Seals `subject`.
    ///
    /// # Errors
    /// Why no seal could be made, in words.
    fn seal(&self, subject: &Subject) -> Result<trust::Seal, String>;
}

/// A signature with the name that it stands for, as documents and records hold it.
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
    /// The seal on `subject`; a failure gets `code`.
    pub(super) fn make(sign: &dyn Sign, subject: &Subject, code: ReasonCode) -> Result<Self, Refusal> {
        match sign.seal(subject) {
            Ok(trust::Seal { signer, key, signature }) => Ok(Self { signer, key, signature }),
            Err(why) => Err(Refusal::new(code, format!("no seal could be made: {why}"))
                .hint("name the key with --sign <file>, or set git's user.signingkey and gpg.format ssh")),
        }
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
