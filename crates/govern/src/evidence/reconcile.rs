//! Claims against receipts, key by key.

use super::{Claim, Finding, Key, Verdict};
use crate::receipts::{Kind, Outcome, Receipt, runs};

/// What the receipts of a session say.
pub(super) struct Ledger<'a> {
    /// Results, in order.
    seen: Vec<&'a Receipt>,
    denied: Vec<&'a Receipt>,
    /// The number of the last line that wrote files.
    written: Option<u64>,
}

/// A figure on record.
#[derive(Clone, Copy)]
struct Figure {
    value: i64,
    /// The receipt that it is from, the last one where it is from several.
    receipt: u64,
}

impl<'a> Ledger<'a> {
    pub(super) fn new(receipts: &'a [Receipt]) -> Self {
        let seen: Vec<&Receipt> = receipts.iter().filter(|line| line.kind == Kind::Seen).collect();
        let denied = receipts.iter().filter(|line| line.outcome == Some(Outcome::NotExecuted)).collect();
        let wrote = |line: &&&Receipt| !line.writes.is_empty() && line.outcome != Some(Outcome::Failure);
        let written = seen.iter().filter(wrote).map(|line| line.seq).max();
        Self { seen, denied, written }
    }

    pub(super) fn executed(&self) -> usize {
        self.seen.len()
    }

    pub(super) fn reconcile(&self, claim: Claim) -> Finding {
        let figures = match claim.key {
            Key::Ran => return self.ran(claim),
            Key::Exit => self.exit(claim.command.as_deref()).into_iter().collect(),
            Key::FilesChanged => self.files(),
            Key::TestsTotal => self.figures(|line| {
                let get = |name: &str| line.figures.get(name).copied();
                let ran = get("tests_passed")? + get("tests_failed")?;
                Some(vec![ran, ran + get("tests_skipped").unwrap_or(0)])
            }),
            Key::TestsPassed => self.named("tests_passed"),
            Key::TestsFailed => self.named("tests_failed"),
            Key::TestsSkipped => self.named("tests_skipped"),
            Key::Insertions => self.named("insertions"),
            Key::Deletions => self.named("deletions"),
            Key::Errors => self.named("errors"),
            Key::Warnings => self.named("warnings"),
        };
        let equal = figures.iter().find(|figure| Some(figure.value) == claim.figure);
        let (verdict, figure) = match (equal, figures.first()) {
            (Some(equal), _) => (Verdict::Verified, Some(equal)),
            (None, Some(other)) => (Verdict::Invalid, Some(other)),
            (None, None) => (Verdict::Unverifiable, None),
        };
        self.finding(claim, verdict, figure.copied())
    }

    fn finding(&self, claim: Claim, verdict: Verdict, figure: Option<Figure>) -> Finding {
        let measured = !matches!(claim.key, Key::FilesChanged | Key::Ran);
        let stale =
            measured && figure.is_some_and(|figure| self.written.is_some_and(|at| at > figure.receipt));
        Finding {
            key: claim.key,
            claimed: claim.figure,
            receipted: figure.map(|figure| figure.value),
            verdict,
            command: claim.command,
            line: claim.line,
            receipt: figure.map(|figure| figure.receipt),
            stale,
        }
    }

    fn named(&self, name: &str) -> Vec<Figure> {
        self.figures(|line| Some(vec![*line.figures.get(name)?]))
    }

    /// The figures that a claim may state: those of each command's last run, the newest first, and their sum.
    fn figures(&self, of: impl Fn(&Receipt) -> Option<Vec<i64>>) -> Vec<Figure> {
        let mut commands = Vec::new();
        let mut found: Vec<Figure> = Vec::new();
        let (mut sum, mut newest) = (0_i64, None);
        for line in self.seen.iter().rev() {
            let Some(values) = of(line) else { continue };
            if commands.contains(&line.args_hash) {
                continue;
            }
            commands.push(line.args_hash);
            newest = newest.or(Some(line.seq));
            sum = sum.saturating_add(values.first().copied().unwrap_or(0));
            found.extend(values.into_iter().map(|value| Figure { value, receipt: line.seq }));
        }
        if let Some(receipt) = newest.filter(|_| commands.len() > 1) {
            found.push(Figure { value: sum, receipt });
        }
        found
    }

    /// How many files a tool said were changed, and how many were written in the session.
    fn files(&self) -> Vec<Figure> {
        let mut found = self.named("files_changed");
        let wrote = || self.seen.iter().filter(|line| line.outcome != Some(Outcome::Failure));
        let mut paths: Vec<&String> = wrote().flat_map(|line| &line.writes).collect();
        paths.sort();
        paths.dedup();
        if let (Ok(value @ 1..), Some(receipt)) = (i64::try_from(paths.len()), self.written) {
            found.push(Figure { value, receipt });
        }
        found
    }

    /// The last result of a command, where one is named, or else of any.
    fn exit(&self, command: Option<&str>) -> Option<Figure> {
        let digest = command.and_then(runs::named);
        let mut lines = self.seen.iter().rev();
        let line = lines.find(|line| {
            line.figures.contains_key("exit")
                && digest.as_ref().is_none_or(|digest| line.runs.contains(digest))
        })?;
        Some(Figure { value: *line.figures.get("exit")?, receipt: line.seq })
    }

    /// A command that is said to have run: its last result decides. One that was denied each time did not run.
    fn ran(&self, claim: Claim) -> Finding {
        let digest = claim.command.as_deref().and_then(runs::named);
        let is_it = |line: &&&Receipt| digest.as_ref().is_some_and(|digest| line.runs.contains(digest));
        let Some(line) = self.seen.iter().rev().find(is_it) else {
            let denied = self.denied.iter().rev().find(is_it);
            let verdict = if denied.is_some() { Verdict::Invalid } else { Verdict::Unverifiable };
            let mut finding = self.finding(claim, verdict, None);
            finding.receipt = denied.map(|line| line.seq);
            return finding;
        };
        let exit = line.figures.get("exit").copied();
        let exit = exit.or((line.outcome == Some(Outcome::Success)).then_some(0));
        let failed = line.outcome == Some(Outcome::Failure);
        let verdict = match (claim.figure, exit) {
            (None, _) => Verdict::Verified,
            (Some(claimed), Some(exit)) if claimed == exit => Verdict::Verified,
            (Some(_), Some(_)) => Verdict::Invalid,
            (Some(0), None) if failed => Verdict::Invalid,
            (Some(_), None) => Verdict::Unverifiable,
        };
        let mut finding = self.finding(claim, verdict, exit.map(|value| Figure { value, receipt: line.seq }));
        finding.receipt = Some(line.seq);
        finding
    }
}
