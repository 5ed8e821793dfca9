//! Which commands of cairn, and of the two programs that it also is, look and change nothing.

/// The names of the program.
pub const NAMES: [&str; 3] = ["cairn", "chalk", "chant"];

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
        [] | ["help" | "version" | "--version" | "-V", ..] => true,
        ["next" | "status" | "log" | "stats" | "context" | "doctor" | "backlog" | "schema", ..]
        | ["task", "show", ..]
        | ["question" | "lesson" | "skill" | "conformance", "list", ..]
        | ["plan", "show", ..]
        | ["hook", "status", ..]
        | ["receipts", "list" | "show" | "verify" | "export", ..]
        | ["govern", "health" | "audit", ..]
        | ["govern", "queue", "list" | "show", ..]
        | ["govern", "knowledge", "list" | "show" | "check", ..]
        | ["workspace", "ls" | "check" | "verify", ..] => true,
        // What stands behind it at once may be another verb.
        ["workspace", "records", rest @ ..] => {
            rest.first().is_none_or(|first| *first == "pin" || first.starts_with('-'))
        }
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
                      init|cairn audit|cairn done T-1|cairn question add x|chalk run|cairn update -- --help|cairn \
                      workspace records amend --base --help|make status";
        for line in acting.split('|') {
            assert!(!is_looking(line), "{line}");
        }
    }
}
