//! Which commands of cairn, and of the two programs that it also is, look and change nothing.

/// The names of the program.
pub const NAMES: [&str; 3] = ["cairn", "chalk", "chant"];

/// The commands that look whatever stands behind them.
const ALONE: [&str; 12] = [
    "help",
    "version",
    "--version",
    "-V",
    "next",
    "status",
    "log",
    "stats",
    "context",
    "doctor",
    "backlog",
    "schema",
];

/// Whether a call of `program` with these words, each of them known, looks at most.
pub fn looks(program: &str, words: &[&str]) -> bool {
    if !NAMES.contains(&program) {
        return false;
    }
    // Behind an option it may be that option's value.
    if words.iter().find(|word| word.starts_with('-')).is_some_and(|word| matches!(*word, "--help" | "-h")) {
        return true;
    }
    // The one option that may stand before a command takes no value.
    let words: Vec<&str> = words.iter().copied().filter(|word| *word != "--json").collect();
    let words = match words.as_slice() {
        ["chalk" | "chant", rest @ ..] if program == "cairn" => rest,
        all => all,
    };
    match words {
        [] | ["workspace", "records"] => true,
        [first, ..] if ALONE.contains(first) => true,
        ["workspace", "records", next, ..] => *next == "pin" || next.starts_with('-'),
        ["govern", "health" | "audit", ..] => true,
        ["govern", group @ ("queue" | "knowledge"), verb, ..] | [group, verb, ..] => verb_looks(group, verb),
        [_] => false,
    }
}

/// Whether what is behind a group of commands looks at most.
fn verb_looks(group: &str, verb: &str) -> bool {
    match group {
        "task" | "plan" => verb == "show",
        "question" | "lesson" | "skill" | "conformance" => verb == "list",
        "hook" => verb == "status",
        "receipts" => matches!(verb, "list" | "show" | "verify" | "export"),
        "queue" => matches!(verb, "list" | "show"),
        "knowledge" => matches!(verb, "list" | "show" | "check"),
        "workspace" => matches!(verb, "ls" | "check" | "verify"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::looks;

    fn is_looking(line: &str) -> bool {
        let words: Vec<&str> = line.split_whitespace().collect();
        looks(words[0], &words[1..])
    }

    #[test]
    fn looking_is_known_from_acting() {
        let looking = "cairn next|cairn status --json|cairn --json log --last 3|chalk status|cairn chalk backlog|cairn \
                       context|cairn doctor|cairn stats|cairn task show T-1|cairn plan show|cairn hook \
                       status|cairn receipts list --decision deny|cairn govern queue list|cairn govern health|cairn \
                       govern knowledge check|cairn workspace ls|cairn workspace records|cairn workspace records \
                       --current|chant workspace check|cairn verify --help|cairn --version|chalk version|cairn";
        for line in looking.split('|') {
            assert!(is_looking(line), "{line}");
        }
        let acting = "cairn verify|cairn task add show|cairn update status|cairn plan set|cairn hook claude|cairn hook \
                      pause|cairn approve 1|cairn govern queue resolve 1|cairn workspace records new|cairn workspace \
                      init|cairn audit|cairn done T-1|cairn question add x|chalk run|cairn queue resolve|cairn govern|cairn govern deploy show|cairn update -- --help|cairn \
                      workspace records amend --base --help|make status";
        for line in acting.split('|') {
            assert!(!is_looking(line), "{line}");
        }
    }
}
