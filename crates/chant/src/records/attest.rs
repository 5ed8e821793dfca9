//! Who counts and whose seal verifies, as trust says it.

use gate::ReasonCode;
use serde_json::Value;
use trust::seal::Subject;
use trust::{Attestation as Judgement, SealProblem, Trust, principal};

use super::record::Record;
use super::reviews::{Attestation, Judge, Judged};
use crate::codes;

impl Judge for Trust {
    fn principal(&self, name: &str) -> String {
        principal::normalise(name)
    }

    fn is_agent(&self, principal: &str) -> bool {
        self.policy().holds(trust::policy::AGENT, principal)
    }

    fn is_active(&self) -> bool {
        Self::is_active(self)
    }

    fn verdict(&self, id: Option<&str>, entry: &Value, reviewer: &str) -> Judged {
        let text = |key: &str| entry.get(key).and_then(Value::as_str);
        let verdict = text("verdict").unwrap_or_default();
        let subject = Subject::verdict(id, text("digest"), verdict, reviewer, text("on"));
        judged(self.check_seal(&subject, entry.get("seal")))
    }

    fn author(&self, record: &Record, author: Option<&str>, seal: Option<&Value>) -> Judged {
        let digest = record.digest.map(|digest| digest.to_string()).unwrap_or_default();
        let subject = Subject::record(record.id.as_deref(), &digest, author, record.state.as_deref());
        judged(self.check_seal(&subject, seal))
    }
}

fn judged(judgement: Judgement) -> Judged {
    Judged {
        attested: judgement.attested,
        attestation: Attestation {
            code: judgement.problem.map(code),
            message: judgement.message,
            key: judgement.key,
        },
    }
}

/// The code of what is wrong with a seal.
pub fn code(problem: SealProblem) -> ReasonCode {
    match problem {
        SealProblem::Missing => codes::SEAL_MISSING,
        SealProblem::SignerUnlisted => codes::SEAL_SIGNER_UNLISTED,
        SealProblem::SignatureInvalid => codes::SEAL_SIGNATURE_INVALID,
        SealProblem::Unverifiable => codes::SEAL_UNVERIFIABLE,
    }
}
