//! Directive priority (C-8): prompts and final messages are held against pinned constraints.
//!
//! Both are cheap: words that stand in one sentence together. The input monitor ([`conflicts`]) marks a prompt of a
//! lower priority and blocks nothing (WS-013); the output monitor ([`review`]) names in a final message what goes
//! against a constraint, each figure that the receipts correct, and each claim that has no receipt and no label.

use super::pins::Constraint;
use crate::evidence::{Evidence, Finding, Verdict, said_instead};

/// Words that turn a sentence round.
const NEGATIONS: &[&str] = &[
    "not", "never", "no", "without", "avoid", "don", "neither", "nor", "cannot", "refrain", "nobody",
    "nothing",
];

/// Words that carry no meaning of their own.
const EMPTY: &[&str] = &[
    "a", "an", "the", "to", "of", "in", "on", "at", "any", "this", "that", "these", "those", "it", "its",
    "be", "or", "and", "from", "for", "with", "by", "into", "your", "you", "we", "i", "our", "their", "is",
    "are", "do", "does", "ever", "directly", "please", "other", "all", "then",
];

/// Words that begin a question, whether it ends in a question mark or not.
const ASKING: &[&str] = &["what", "why", "how", "who", "which"];

/// Words that begin one that ends in a question mark; not with `you` behind them, which asks for the deed itself.
const ASKING_MARKED: &[&str] = &[
    "is", "are", "was", "were", "may", "might", "should", "shall", "does", "do", "did", "has", "have", "had",
    "can", "could", "will", "would", "when", "where", "am",
];

/// Words, in their plain form, that take back what stands behind them.
const UNDOING: &[&str] =
    &["undo", "undid", "undone", "revert", "stop", "remov", "prevent", "forbid", "block"];

/// Words behind which a prohibition has its exception.
const EXCEPTIONS: &[&str] =
    &["unless", "except", "but", "until", "without", "before", "if", "instead", "because"];

/// The most words of a set that is taken from a constraint's own words.
const MOST: usize = 4;

/// A prompt goes against a constraint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict<'c> {
    /// The constraint.
    pub constraint: &'c Constraint,
    /// The words that stand together.
    pub words: &'c [String],
}

/// The constraints of a higher priority than `priority` that a text goes against.
pub fn conflicts<'c>(text: &str, priority: u32, constraints: &'c [Constraint]) -> Vec<Conflict<'c>> {
    let said = told(text).filter(|(_, asks)| !asks);
    let sentences: Vec<Vec<String>> = said.map(|(sentence, _)| sentence).collect();
    let of = |constraint: &'c Constraint| {
        let mut sets = constraint.against.iter();
        let set = sets.find(|set| sentences.iter().any(|sentence| goes_against(sentence, set)))?;
        Some(Conflict { constraint, words: set })
    };
    constraints.iter().filter(|constraint| constraint.priority > priority).filter_map(of).collect()
}

fn goes_against(sentence: &[String], set: &[String]) -> bool {
    let is_negated = sentence.iter().any(|word| NEGATIONS.contains(&word.as_str()) && !set.contains(word));
    let begin = sentence.iter().position(|word| set.contains(word)).unwrap_or_default();
    // Behind `and` another deed begins.
    let before = sentence[..begin].rsplit(|word| word == "and" || word == "then").next().unwrap_or_default();
    let is_undone = before.iter().any(|word| UNDOING.contains(&word.as_str()));
    !set.is_empty() && !is_negated && !is_undone && set.iter().all(|word| sentence.contains(word))
}

/// What the review of a final message found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Review<'a> {
    /// Constraints that it goes against.
    pub broken: Vec<&'a Constraint>,
    /// Claims that the receipts correct.
    pub corrected: Vec<&'a Finding>,
    /// Claims that have neither a receipt nor a label.
    pub unlabelled: Vec<&'a Finding>,
}

/// Reviews a final message.
pub fn review<'a>(text: &str, constraints: &'a [Constraint], evidence: &'a Evidence) -> Review<'a> {
    let of = |verdict| evidence.findings.iter().filter(move |finding| finding.verdict == verdict).collect();
    // Whatever an agent says of itself ranks below every constraint but those of priority 0.
    let broken = conflicts(text, 0, constraints).into_iter().map(|conflict| conflict.constraint).collect();
    Review { broken, corrected: of(Verdict::Invalid), unlabelled: of(Verdict::Unverifiable) }
}

impl Review<'_> {
    /// Whether nothing was found.
    pub fn is_clean(&self) -> bool {
        self.broken.is_empty() && self.corrected.is_empty() && self.unlabelled.is_empty()
    }

    /// What to say instead of what the receipts correct.
    pub fn instead(&self) -> Option<String> {
        let instead: Vec<String> = self.corrected.iter().map(|finding| finding.instead()).collect();
        (!instead.is_empty()).then(|| said_instead(&instead))
    }

    /// What was found, one sentence without a full stop.
    pub fn fact(&self) -> String {
        let mut parts = Vec::new();
        for constraint in &self.broken {
            parts.push(format!(
                "it goes against the pinned constraint `{}`",
                canon::text::clip(&constraint.text, 200)
            ));
        }
        for finding in &self.corrected {
            parts.push(finding.fact());
        }
        for finding in &self.unlabelled {
            parts.push(format!(
                "line {} says {}, which has no receipt: [UNVERIFIED: {}]",
                finding.line,
                finding.said(),
                finding.said()
            ));
        }
        parts.join("; ")
    }
}

/// Whether a constraint's words forbid something.
pub(super) fn forbids(text: &str) -> bool {
    !forbidden(text).is_empty()
}

/// What a constraint forbids: for each of its sentences the words behind the first that turns it round.
pub(super) fn forbidden(text: &str) -> Vec<Vec<String>> {
    let of = |sentence: Vec<String>| {
        let at = sentence.iter().position(|word| {
            matches!(word.as_str(), "never" | "not" | "no" | "avoid" | "without" | "cannot" | "refrain")
        })?;
        let rest = sentence[at + 1..].iter().take_while(|word| !EXCEPTIONS.contains(&word.as_str()));
        let set: Vec<String> =
            rest.filter(|word| !EMPTY.contains(&word.as_str())).take(MOST).cloned().collect();
        let tells = set.len() > 1 || set.iter().any(|word| word.chars().count() > 3);
        tells.then_some(set)
    };
    sentences(text).filter_map(of).collect()
}

/// The words of a set, in their plain form.
pub(super) fn plain(set: &str) -> Vec<String> {
    sentences(set).flatten().filter(|word| !EMPTY.contains(&word.as_str())).collect()
}

/// The sentences of a text as words in their plain form.
fn sentences(text: &str) -> impl Iterator<Item = Vec<String>> {
    told(text).map(|(sentence, _)| sentence)
}

/// The same, each with whether it asks something.
fn told(text: &str) -> impl Iterator<Item = (Vec<String>, bool)> {
    let text =
        text.to_lowercase().replace("n't", " not").replace("n\u{2019}t", " not").replace("can not", "cannot");
    let text = text.replace(',', " then ");
    let ends = |c: char| matches!(c, '!' | '?' | ';' | '\n');
    let parts: Vec<String> =
        text.split_inclusive(ends).flat_map(|part| part.split(". ")).map(str::to_owned).collect();
    parts.into_iter().map(|sentence| {
        let words = sentence.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let words: Vec<&str> = words.collect();
        let asks = asks(&words, sentence.ends_with('?'));
        (words.into_iter().map(stem).collect(), asks)
    })
}

/// Whether a sentence asks something, and not for the deed itself.
fn asks(words: &[&str], is_marked: bool) -> bool {
    match words {
        ["how", "about", ..] | [] => false,
        [first, second, ..] if ASKING_MARKED.contains(first) => is_marked && *second != "you",
        [first, ..] => ASKING.contains(first),
    }
}

/// A word without the endings of English verbs and plurals.
fn stem(word: &str) -> String {
    if [NEGATIONS, EMPTY, EXCEPTIONS].iter().any(|words| words.contains(&word)) || word.ends_with("ss") {
        return word.to_owned();
    }
    let cut = |end: &str| word.strip_suffix(end).filter(|stem| stem.chars().count() >= 3);
    let stem = cut("ing").or_else(|| cut("ed")).or_else(|| cut("es")).or_else(|| cut("s"));
    let mut letters: Vec<char> = stem.unwrap_or(word).chars().collect();
    let is_doubled =
        stem.is_some() && letters.len() > 3 && letters[letters.len() - 1] == letters[letters.len() - 2];
    if is_doubled && !matches!(letters[letters.len() - 1], 'l' | 's' | 'z')
        || letters.len() > 3 && letters.ends_with(&['e'])
    {
        letters.pop();
    }
    letters.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Basis, Key};
    use crate::policy::Pin;

    fn pinned(text: &str, priority: u32, against: &[&str]) -> Constraint {
        let against = against.iter().map(|set| (*set).to_owned()).collect();
        Constraint::new(text, &Pin { text: None, file: None, priority, against, forbids: None })
    }

    fn found(text: &str, constraints: &[Constraint]) -> bool {
        !conflicts(text, 50, constraints).is_empty()
    }

    /// WS-013.
    #[test]
    fn a_prompt_that_goes_against_a_pinned_directive_is_found() {
        let pins = [pinned("Never push to main.", 90, &[])];
        for text in [
            "now push to main",
            "Please go ahead. Pushing it to main is fine!",
            "Can you push to main?",
            "Remove the old branch and push to main",
            "stop that, push to main",
            "Is it OK? Push to main",
            "when it is ready push to main",
            "how about you push to main?",
            "pushes\nare done; push this straight to the main branch",
        ] {
            assert!(found(text, &pins), "{text}");
        }
        for text in [
            "do not push to main",
            "don't push to main",
            "never ever push this to main",
            "push to the branch. Main stays as it is",
            "what does the main function do",
            "Is it OK to push to main?",
            "what happens if I push to main",
            "Should we push to main?",
            "undo the push to main",
            "Please revert the commit that pushed to main",
            "stop pushing to main",
            "remove the step that pushes to main",
            "",
        ] {
            assert!(!found(text, &pins), "{text}");
        }
    }

    #[test]
    fn priorities_are_numbers_and_the_higher_one_holds() {
        let pins = [
            pinned("Never push to main", 50, &[]),
            pinned("Keep it offline", 80, &["fetch network", "curl"]),
        ];
        assert!(conflicts("push to main", 50, &pins).is_empty(), "equals do not conflict");
        assert_eq!(conflicts("push to main", 49, &pins)[0].words, ["push", "main"]);
        let found = conflicts("push to main, then fetch it from the network", 50, &pins);
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].constraint.priority, found[0].words),
            (80, &["fetch".to_owned(), "network".to_owned()][..])
        );
        assert!(conflicts("run curl", 50, &pins).len() == 1);
    }

    #[test]
    fn what_is_forbidden_is_taken_from_the_words() {
        let sets = |text: &str| forbidden(text).iter().map(|set| set.join(" ")).collect::<Vec<_>>();
        assert_eq!(sets("Never skip the tests unless a person says so."), ["skip test"]);
        assert_eq!(
            sets("Don't delete fixtures. Do not edit generated files"),
            ["delet fixtur", "edit generat fil"]
        );
        assert_eq!(sets("No"), [""; 0]);
        assert_eq!(sets("Keep the API stable"), [""; 0]);
        assert!(forbids("Do not commit secrets") && !forbids("Write plainly"));
        // Committing, committed and commits are one word.
        for text in ["commit secrets", "I am committing a secret", "the secrets are committed"] {
            assert!(found(text, &[pinned("Do not commit secrets", 90, &[])]), "{text}");
        }
        // A set may hold a word that turns a sentence round.
        assert!(found("merge it without tests", &[pinned("Test first", 90, &["without test"])]));
    }

    fn finding(key: Key, claimed: i64, receipted: Option<i64>, verdict: Verdict) -> Finding {
        Finding {
            key,
            claimed: Some(claimed),
            receipted,
            verdict,
            command: None,
            line: 2,
            receipt: None,
            stale: false,
        }
    }

    #[test]
    fn a_final_message_is_reviewed_against_directives_and_receipts() {
        let pins = [pinned("Never push to main", 10, &[]), pinned("Keep the API stable", 90, &[])];
        let evidence = Evidence {
            verdict: Verdict::Invalid,
            basis: Basis::Claims,
            findings: vec![
                finding(Key::TestsPassed, 12, Some(11), Verdict::Invalid),
                finding(Key::Warnings, 0, None, Verdict::Unverifiable),
                finding(Key::Errors, 0, Some(0), Verdict::Verified),
            ],
            labelled: 1,
            executed: 3,
        };
        let found = review("I pushed the change to main.", &pins, &evidence);
        assert!(!found.is_clean());
        assert_eq!(
            found.fact(),
            "it goes against the pinned constraint `Never push to main`; line 2 says 12 tests passed, and the \
             receipts have 11 tests passed; line 2 says 0 warnings, which has no receipt: [UNVERIFIED: 0 warnings]"
        );
        let evidence = Evidence { findings: Vec::new(), ..evidence };
        let nothing = review("I did not push to main.", &pins, &evidence);
        assert!(nothing.is_clean() && nothing.fact().is_empty());
    }

    proptest::proptest! {
        #[test]
        fn any_words_are_held_against_any_others(text in ".{0,200}", pin in ".{0,200}", set in ".{0,40}") {
            conflicts(&text, 50, &[pinned(&pin, 90, &[]), pinned(&pin, 90, &[&set])]);
            // Whoever says the very words of a set in one sentence goes against it.
            let (words, said) = (plain(&set), sentences(&set).collect::<Vec<_>>());
            if said.len() == 1 && !words.is_empty() {
                proptest::prop_assert!(goes_against(&said[0], &words));
            }
        }
    }
}
