//! What mutation tools print of their result.

use std::path::Path;

use gate::run::tail;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much of the end of a report is read.
const LINES: usize = 400;
const BYTES: u64 = 256 * 1024;

/// How many of the seeded faults the tests noticed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Score {
    /// The noticed ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub killed: Option<u64>,
    /// All that could be judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// The share of the noticed ones, 0 to 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percent: Option<f64>,
}

impl Score {
    fn of(killed: u64, total: u64) -> Self {
        Self { killed: Some(killed), total: Some(total), percent: None }.filled()
    }

    fn percent(percent: f64) -> Self {
        Self { percent: Some(percent), ..Self::default() }
    }

    #[expect(clippy::cast_precision_loss, reason = "nobody seeds so many faults")]
    fn filled(mut self) -> Self {
        if let (None, Some(killed), Some(total)) = (self.percent, self.killed, self.total)
            && total > 0
        {
            self.percent = Some((killed as f64 * 10_000.0 / total as f64).round() / 100.0);
        }
        self
    }

    /// The score in words: `9 of 12 noticed (75 %)`.
    pub fn words(self) -> String {
        let percent = self.percent.map(|percent| format!("{percent} %"));
        match (self.killed.zip(self.total), percent) {
            (Some((killed, total)), Some(percent)) => format!("{killed} of {total} noticed ({percent})"),
            (Some((killed, total)), None) => format!("{killed} of {total} noticed"),
            (None, percent) => {
                format!("{} noticed", percent.unwrap_or_else(|| "an unknown share".to_owned()))
            }
        }
    }
}

/// The score at the end of a tool's output; none where no known form is found.
pub(super) fn read(log: &Path) -> Option<Score> {
    let lines = tail(log, LINES, BYTES).ok()?;
    lines.iter().rev().find_map(|line| of_line(line))
}

fn of_line(line: &str) -> Option<Score> {
    let lower = line.to_lowercase();
    let numbers = numbers(&lower);
    cargo_mutants(&lower)
        .or_else(|| mutmut(line))
        .or_else(|| stryker_table(&lower))
        .or_else(|| go_mutesting(&lower))
        .or_else(|| killed_and_lived(&lower))
        .or_else(|| pit(&lower))
        .or_else(|| x_of_y(&lower))
        .or_else(|| {
            let named = ["mutation score", "test efficacy", "covered code msi"]
                .iter()
                .any(|name| lower.contains(name));
            let percent = numbers.iter().copied().find(|number| (0.0..=100.0).contains(number));
            percent.filter(|_| named).map(Score::percent)
        })
}

/// `14 mutants tested in 2m: 2 missed, 11 caught, 1 unviable, 1 timeouts`
fn cargo_mutants(line: &str) -> Option<Score> {
    if !line.contains("mutants tested") {
        return None;
    }
    let count = |word: &str| before(line, word).unwrap_or(0);
    let killed = count("caught") + count("timeout");
    Some(Score::of(killed, killed + count("missed")))
}

/// The last state of mutmut's progress line: killed, timed out, suspicious, survived, skipped.
fn mutmut(line: &str) -> Option<Score> {
    let after = |mark: char| {
        let rest = &line[line.find(mark)? + mark.len_utf8()..];
        let digits = rest.trim_start_matches(|c: char| !c.is_ascii_digit());
        digits.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u64>().ok()
    };
    let (killed, survived) = (after('\u{1f389}')?, after('\u{1f641}')?);
    let killed = killed + after('\u{23f0}').unwrap_or(0);
    Some(Score::of(killed, killed + survived + after('\u{1f914}').unwrap_or(0)))
}

/// `All files | 66.67 | 66.67 | 2 | 0 | 1 | 0 | 0 |`: the score, perhaps the score of the covered code, then killed,
/// timed out, survived, not covered and errors.
fn stryker_table(line: &str) -> Option<Score> {
    let cells: Vec<&str> = line.trim().trim_matches('|').split('|').map(str::trim).collect();
    if cells.first() != Some(&"all files") || cells.len() < 6 {
        return None;
    }
    let percent = cells[1].parse::<f64>().ok()?;
    let counts: Option<Vec<u64>> = cells[cells.len() - 5..].iter().map(|cell| cell.parse().ok()).collect();
    let Some([killed, timeout, survived, uncovered, _]) = counts.as_deref() else {
        return Some(Score::percent(percent));
    };
    let killed = killed + timeout;
    Some(Score { killed: Some(killed), total: Some(killed + survived + uncovered), percent: Some(percent) })
}

/// `The mutation score is 0.750000 (6 passed, 2 failed, 0 duplicated, 0 skipped, total is 8)`: a mutant passes the
/// tool's check when it is noticed.
fn go_mutesting(line: &str) -> Option<Score> {
    if !line.contains("mutation score is 0.") && !line.contains("mutation score is 1.") {
        return None;
    }
    let killed = before(line, "passed")?;
    Some(Score::of(killed, killed + before(line, "failed")?))
}

/// `Killed: 5, Lived: 2, Not covered: 1`
fn killed_and_lived(line: &str) -> Option<Score> {
    let (killed, lived) =
        (after(line, "killed:")?, after(line, "lived:").or_else(|| after(line, "survived:"))?);
    Some(Score::of(killed, killed + lived))
}

/// `>> Generated 10 mutations Killed 8 (80%)`
fn pit(line: &str) -> Option<Score> {
    Some(Score::of(after(line, "mutations killed ")?, after(line, "generated ")?))
}

/// `8 of 10 mutants killed`, `killed 8/10`
fn x_of_y(line: &str) -> Option<Score> {
    if !line.contains("killed") && !line.contains("caught") {
        return None;
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = |word: &str| word.trim_matches(|c: char| !c.is_ascii_digit()).parse::<u64>().ok();
    let spelled = words.windows(3).find_map(|three| match three {
        [x, "of" | "out", y] => Some((number(x)?, number(y)?)),
        _ => None,
    });
    let slashed = || {
        words.iter().find_map(|word| word.split_once('/').and_then(|(x, y)| Some((number(x)?, number(y)?))))
    };
    let (killed, total) = spelled.or_else(slashed)?;
    (killed <= total).then(|| Score::of(killed, total))
}

/// The whole number that stands right before a word.
fn before(line: &str, word: &str) -> Option<u64> {
    let words: Vec<&str> =
        line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let at = words.iter().position(|found| found.starts_with(word))?;
    words.get(at.checked_sub(1)?)?.parse().ok()
}

/// The whole number that stands right after a text.
fn after(line: &str, text: &str) -> Option<u64> {
    let rest = line[line.find(text)? + text.len()..].trim_start();
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn numbers(line: &str) -> Vec<f64> {
    line.split(|c: char| !c.is_ascii_digit() && c != '.').filter_map(|word| word.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> (Option<u64>, Option<u64>, Option<f64>) {
        let score = of_line(line).unwrap_or_default();
        (score.killed, score.total, score.percent)
    }

    #[test]
    fn forms_of_known_tools() {
        for (line, killed, total, percent) in [
            ("14 mutants tested in 0:08: 2 missed, 11 caught, 1 unviable", Some(11), Some(13), Some(84.62)),
            ("3 mutants tested in 2s: 3 caught", Some(3), Some(3), Some(100.0)),
            (
                "5/5  \u{1f389} 3 \u{1fae5} 0  \u{23f0} 1  \u{1f914} 0  \u{1f641} 1  \u{1f507} 0",
                Some(4),
                Some(5),
                Some(80.0),
            ),
            (
                "All files |  66.67 |    66.67 |        2 |         0 |          1 |        0 |        0 |",
                Some(2),
                Some(3),
                Some(66.67),
            ),
            (
                "All files |  66.67 |        2 |         0 |          1 |        0 |        0 |",
                Some(2),
                Some(3),
                Some(66.67),
            ),
            (
                "INFO MutationTestReportHelper Final mutation score of 80.00 is greater than or equal to break threshold 50",
                None,
                None,
                Some(80.0),
            ),
            (
                "The mutation score is 0.750000 (6 passed, 2 failed, 0 duplicated, 0 skipped, total is 8)",
                Some(6),
                Some(8),
                Some(75.0),
            ),
            ("Killed: 5, Lived: 2, Not covered: 1", Some(5), Some(7), Some(71.43)),
            (">> Generated 10 mutations Killed 8 (80%)", Some(8), Some(10), Some(80.0)),
            ("Mutation Score Indicator (MSI): 61%", None, None, Some(61.0)),
            ("8 of 10 mutants killed", Some(8), Some(10), Some(80.0)),
            ("killed 8/10", Some(8), Some(10), Some(80.0)),
        ] {
            assert_eq!(read(line), (killed, total, percent), "{line}");
        }
    }

    #[test]
    fn other_lines_have_no_score() {
        for line in [
            "",
            "ok 12 of 13 tests",
            "process killed",
            "10 mutants generated",
            "All files | 100 |",
            "killed 12/3",
        ] {
            assert_eq!(of_line(line), None, "{line}");
        }
    }

    #[test]
    fn words_for_people() {
        assert_eq!(Score::of(9, 12).words(), "9 of 12 noticed (75 %)");
        assert_eq!(Score::percent(80.0).words(), "80 % noticed");
        assert_eq!(Score::of(0, 0).words(), "0 of 0 noticed");
    }

    proptest::proptest! {
        #[test]
        fn any_line_is_read_without_a_panic(line in "(killed|caught| of |\u{1f389}|\u{1f641}|all files|\\||mutants tested|[0-9. :/\u{e9}])*") {
            let _ = of_line(&line);
        }
    }
}
