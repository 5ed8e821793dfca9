//! Mermaid, as far as it can be judged without its parser: the kind of the diagram, and its brackets.

/// What is wrong with a diagram.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// The line in the fence; 0 is the line that opens it.
    pub line: usize,
    pub message: String,
    pub cure: &'static str,
}

/// The kinds of diagrams, each with whether its brackets come in pairs: some kinds draw arrows with them.
const KINDS: [(&str, bool); 31] = [
    ("architecture-beta", true),
    ("block", true),
    ("block-beta", true),
    ("C4Component", true),
    ("C4Container", true),
    ("C4Context", true),
    ("C4Deployment", true),
    ("C4Dynamic", true),
    ("classDiagram", true),
    ("classDiagram-v2", true),
    ("erDiagram", false),
    ("flowchart", true),
    ("flowchart-elk", true),
    ("gantt", false),
    ("gitGraph", true),
    ("graph", true),
    ("journey", false),
    ("kanban", true),
    ("mindmap", false),
    ("packet", false),
    ("packet-beta", false),
    ("pie", false),
    ("quadrantChart", true),
    ("requirementDiagram", true),
    ("sankey-beta", false),
    ("sequenceDiagram", false),
    ("stateDiagram", true),
    ("stateDiagram-v2", true),
    ("timeline", false),
    ("xychart-beta", true),
    ("zenuml", true),
];

/// What is wrong with a diagram, if that can be told.
pub(super) fn fault(code: &str) -> Option<Fault> {
    let mut lines = code.lines().enumerate().map(|(at, line)| (at + 1, line.trim())).peekable();
    // A diagram may have a front matter of its own.
    if lines.next_if(|(_, line)| *line == "---").is_some() && lines.by_ref().all(|(_, line)| line != "---") {
        return Some(Fault::new(1, "the front matter of the diagram is not closed", "close it with `---`"));
    }
    let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with("%%"));
    let Some((first, line)) = lines.next() else {
        return Some(Fault::new(0, "the diagram is empty", "draw it, or take the fence out"));
    };
    let kind = line.split([' ', '\t', ':', ';']).next().unwrap_or_default();
    let Some((_, in_pairs)) = KINDS.iter().find(|(name, _)| *name == kind) else {
        let message = format!("`{}` is no kind of mermaid diagram", canon::text::one_line(kind));
        return Some(Fault::new(
            first,
            message,
            "begin with a kind such as `flowchart LR` or `stateDiagram-v2`",
        ));
    };
    let rest: Vec<(usize, &str)> = lines.collect();
    if rest.is_empty() && !line.contains(';') && kind != "pie" {
        return Some(Fault::new(first, "the diagram has a kind and nothing else", "draw it"));
    }
    if *in_pairs { brackets((first, line), &rest) } else { None }
}

impl Fault {
    fn new(line: usize, message: impl Into<String>, cure: &'static str) -> Self {
        Self { line, message: message.into(), cure }
    }
}

/// The first bracket without its other half.
fn brackets(first: (usize, &str), rest: &[(usize, &str)]) -> Option<Fault> {
    const CURE: &str = "close it, or put the text in quotes";
    let mut open: Vec<(usize, char)> = Vec::new();
    let mut is_quoted = false;
    for &(number, line) in std::iter::once(&first).chain(rest) {
        let mut before = ' ';
        // `id>text]` is a shape of flowcharts.
        let mut is_flag = false;
        for c in line.chars() {
            match c {
                '"' => is_quoted = !is_quoted,
                _ if is_quoted => {}
                '(' | '[' | '{' => open.push((number, c)),
                '>' => is_flag |= before.is_alphanumeric(),
                ')' | ']' | '}' => {
                    let pair = |(_, other): &(usize, char)| {
                        matches!((other, c), ('(', ')') | ('[', ']') | ('{', '}'))
                    };
                    if open.last().is_some_and(pair) {
                        open.pop();
                    } else if c != ']' || !is_flag {
                        return Some(Fault::new(number, format!("`{c}` closes nothing that is open"), CURE));
                    }
                }
                _ => {}
            }
            before = c;
        }
    }
    if is_quoted {
        return Some(Fault::new(first.0, "a quote in the diagram is not closed", "close it"));
    }
    let (line, bracket) = open.last()?;
    Some(Fault::new(*line, format!("nothing closes `{bracket}`"), CURE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagrams_that_are_drawn_pass() {
        for code in [
            "flowchart LR\nA[routing] --> B{ok?}\nB -->|yes (so)| C((end))\n",
            "%% a remark\n\nstateDiagram-v2\n  [*] --> idle\n  state x {\n    a --> b\n  }\n",
            "---\ntitle: T\n---\ngraph TD;\nA>flag]\n",
            "flowchart LR\nA[\"a ) b\"] --> B[(base)] --> C[/x\\]\n",
            "flowchart LR\nA[x>y] --> B\n",
            "sequenceDiagram\nA-)B: later\nB--)A: ok (fine\n",
            "erDiagram\nA ||--o{ B : has\n",
            "pie\n",
            "classDiagram\nA <|-- B\nA : +go(int) List~int~\n",
        ] {
            assert_eq!(fault(code), None, "{code}");
        }
    }

    #[test]
    fn faults_have_their_line() {
        for (code, line, says) in [
            ("", 0, "empty"),
            ("%% nothing\n", 0, "empty"),
            ("flowchat LR\nA --> B\n", 1, "`flowchat` is no kind"),
            ("\nflowchart LR\n", 2, "nothing else"),
            ("flowchart LR\nA[x --> B\n", 2, "nothing closes `[`"),
            ("flowchart LR\nA --> B\nA] --> B\n", 3, "`]` closes nothing"),
            ("flowchart LR\nA[x) --> B\n", 2, "`)` closes nothing"),
            ("flowchart LR\nA[\"x] --> B\n", 1, "quote"),
            ("---\ntitle: T\n", 1, "not closed"),
        ] {
            let fault = fault(code).unwrap_or_else(|| panic!("{code}"));
            assert_eq!(fault.line, line, "{code}");
            assert!(fault.message.contains(says), "{code}: {}", fault.message);
        }
    }
}
