//! The receipts of a deployment: one line each in `deploy-receipts.jsonl`, in RFC 8785 form, that names the hash of the
//! line before it. Research stands in the same chain, so that what a plan rests on can be proved again.

use canon::{Sha256, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::chain::{BadLine, Head, Link, canonical};

use crate::research::Research;

/// What a line records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The report of the probe was taken.
    Feasibility,
    /// Something was found out.
    Research,
    /// A plan was made.
    Plan,
    /// A person decided on the plan.
    Decision,
    /// What a failure brings back was put aside.
    Snapshot,
    /// A step ran.
    Step,
    /// Something was tried on the target.
    Check,
    /// What was put aside was brought back.
    Restore,
    /// The deployment ended.
    End,
    /// What was not as it was written was put aside.
    Mend,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It was done.
    Done,
    /// There was nothing to do here.
    NotApplicable,
    /// It failed.
    Failed,
}

/// What is put on record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What it records.
    pub kind: Kind,
    /// What acted: a step, a check, a command.
    pub tool: String,
    /// What it acted on, as a digest.
    pub args: Option<Sha256>,
    /// What came of it, as a digest.
    pub result: Option<Sha256>,
    /// What became of it.
    pub outcome: Outcome,
    /// The same in words: paths, versions, yes or no.
    pub fact: String,
    /// What was found out, where that is it.
    pub research: Option<Research>,
}

impl Entry {
    /// Something that was done.
    pub fn new(kind: Kind, tool: impl Into<String>, fact: impl Into<String>) -> Self {
        Self {
            kind,
            tool: tool.into(),
            args: None,
            result: None,
            outcome: Outcome::Done,
            fact: fact.into(),
            research: None,
        }
    }

    /// With what it acted on.
    pub fn args(mut self, args: Sha256) -> Self {
        self.args = Some(args);
        self
    }

    /// With what came of it.
    pub fn result(mut self, result: Sha256) -> Self {
        self.result = Some(result);
        self
    }

    /// With what became of it.
    pub fn outcome(mut self, outcome: Outcome) -> Self {
        self.outcome = outcome;
        self
    }

    /// With what was found out.
    pub fn research(mut self, research: Research) -> Self {
        self.research = Some(research);
        self
    }
}

/// A line of the chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    /// The form of the line; 1.
    pub v: u32,
    /// Its number, from 1.
    pub seq: u64,
    /// SHA-256 of the line before, without its line end; zeros for the first.
    pub prev_hash: Sha256,
    /// When.
    pub ts: Timestamp,
    /// Which deployment of this target, from 1.
    pub run: u32,
    /// What it records.
    pub kind: Kind,
    /// What acted.
    pub tool: String,
    /// The digest of what it acted on.
    pub args_hash: Option<Sha256>,
    /// The digest of what came of it.
    pub result_hash: Option<Sha256>,
    /// What became of it.
    pub outcome: Outcome,
    /// The same in words.
    pub fact: String,
    /// What was found out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub research: Option<Research>,
}

impl Receipt {
    /// The line for an entry behind `head`.
    pub fn after(head: Head, ts: Timestamp, run: u32, entry: Entry) -> Self {
        let Entry { kind, tool, args, result, outcome, fact, research } = entry;
        let fact = canon::text::one_line(&fact);
        Self {
            v: 1,
            seq: head.n + 1,
            prev_hash: head.hash,
            ts,
            run,
            kind,
            tool,
            args_hash: args,
            result_hash: result,
            outcome,
            fact,
            research,
        }
    }
}

impl Link for Receipt {
    fn read(line: &[u8]) -> Result<Self, BadLine> {
        canonical::read(line, |receipt: &Self| receipt.seq, "it is no receipt of a deployment")
    }

    fn number(&self) -> u64 {
        self.seq
    }

    fn previous(&self) -> Sha256 {
        self.prev_hash
    }

    fn hash(&self) -> Sha256 {
        self.sealed().1
    }

    fn line(&self) -> String {
        self.sealed().0
    }

    fn sealed(&self) -> (String, Sha256) {
        canonical::sealed(self)
    }
}

#[cfg(test)]
mod tests {
    use store::chain::Chain;

    use super::*;

    fn entry(tool: &str) -> Entry {
        Entry::new(Kind::Step, tool, "two\nlines").args(Sha256::of("a")).result(Sha256::of("b"))
    }

    #[test]
    fn a_line_is_read_as_it_was_written() {
        let receipt = Receipt::after(Head::empty(), Timestamp::from_millis(0), 1, entry("seed-vault"));
        assert_eq!((receipt.seq, receipt.fact.as_str()), (1, "two lines"));
        let line = receipt.line();
        assert_eq!(Receipt::read(line.trim_end().as_bytes()), Ok(receipt.clone()));
        let spaced = line.trim_end().replacen(':', ": ", 1);
        assert!(Receipt::read(spaced.as_bytes()).is_err());
        assert!(Receipt::read(b"{}").is_err());
        let more = line.trim_end().replacen('{', "{\"a\":1,", 1);
        assert!(Receipt::read(more.as_bytes()).is_err(), "a member that is not known");
    }

    #[test]
    fn a_changed_or_missing_line_breaks_the_chain() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deploy-receipts.jsonl");
        let chain = Chain::<Receipt>::of(&path);
        for tool in ["one", "two", "three"] {
            let head = Head::of(chain.last().unwrap().as_ref());
            let receipt = Receipt::after(head, Timestamp::from_millis(0), 1, entry(tool));
            chain.write(&receipt, true).unwrap();
        }
        assert_eq!(chain.records().unwrap().len(), 3);
        let whole = std::fs::read_to_string(&path).unwrap();
        for bad in [
            whole.replace("\"two\"", "\"tow\""),
            whole.split_inclusive('\n').step_by(2).collect(),
            whole.split_inclusive('\n').take(2).collect(),
        ] {
            std::fs::write(&path, bad).unwrap();
            assert!(chain.records().is_err());
        }
    }
}
