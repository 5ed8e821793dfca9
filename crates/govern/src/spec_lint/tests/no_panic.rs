//! Whatever the bytes are, the answer is a list of findings.

use proptest::prelude::*;

use super::*;

/// Pieces that are likely to break what reads Markdown.
const PIECES: [&str; 30] = [
    "\n",
    "---\n",
    "```",
    "~~~",
    "> ",
    "- ",
    "  ",
    "\t",
    "## 1. ",
    "# ",
    "|",
    "|---|",
    "[a](#b)",
    "![",
    "](",
    "**",
    "`",
    "sec 5",
    "\u{feff}",
    "\0",
    "\r",
    "\u{2014}",
    "\u{130}",
    "45%",
    "p < ",
    "Sources:",
    "https://",
    "mermaid\n",
    "<br>",
    "&#0;",
];

fn all_are_in_the_text(bytes: &[u8]) -> Result<(), TestCaseError> {
    let findings = lint_as(NAME, bytes, &[]);
    let lines = String::from_utf8_lossy(bytes).split(['\n', '\r']).count();
    for finding in findings {
        prop_assert!(finding.line >= 1 && finding.line <= lines, "{finding:?} of {lines}");
        prop_assert!(!finding.message.contains('\n'), "{finding:?}");
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        all_are_in_the_text(&bytes)?;
    }

    #[test]
    fn any_pieces(pieces in proptest::collection::vec(0..PIECES.len(), 0..80)) {
        let text: String = pieces.into_iter().map(|at| PIECES[at]).collect();
        all_are_in_the_text(text.as_bytes())?;
    }

    #[test]
    fn a_spec_with_bytes_put_in(at in 0..DOOR.len(), cut in 0_usize..40, piece in 0..PIECES.len()) {
        let mut bytes = DOOR.as_bytes().to_vec();
        let end = (at + cut).min(bytes.len());
        bytes.splice(at..end, PIECES[piece].bytes());
        all_are_in_the_text(&bytes)?;
        Sibling::read(NAME, &bytes);
    }
}

#[test]
fn long_texts_take_time_in_proportion_to_their_length() {
    for piece in [
        "## 1. a\n",
        "### a\n\n[x](#b) sec 1\n\n",
        "[x](#a) sec 1 **b** ABC ",
        "- ",
        "> ",
        "| a |",
        "[x](#a)\n\n## 2. b\n\n",
    ] {
        let text = piece.repeat(100_000 / piece.len());
        let start = std::time::Instant::now();
        lint_as(NAME, text.as_bytes(), &[]);
        assert!(start.elapsed().as_secs() < 20, "{piece:?} took {:?}", start.elapsed());
    }
}
