use super::{Change, changes};

fn update(path: &str, moved_to: Option<&str>) -> Change {
    Change::Update { path: path.to_owned(), moved_to: moved_to.map(str::to_owned) }
}

#[test]
fn every_header_is_a_change() {
    let text = "*** Begin Patch\n*** Add File: a.txt\n+one\n+\n*** Delete File: b c.txt\n\
                *** Update File: d.py\n*** Move to: e.py\n@@ def f():\n context\n-old\n+new\n\n more\n\
                *** End of File\n*** Update File: g.py\n-x\n+y\n@@\n z\n*** End Patch\n";
    let expected = [
        Change::Add { path: "a.txt".to_owned() },
        Change::Delete { path: "b c.txt".to_owned() },
        update("d.py", Some("e.py")),
        update("g.py", None),
    ];
    assert_eq!(changes(text).unwrap(), expected);
}

#[test]
fn a_header_that_is_a_line_of_a_hunk_is_no_header() {
    let text =
        "*** Begin Patch\n*** Update File: a\n@@\n *** Delete File: b\n+*** Delete File: c\n*** End Patch";
    assert_eq!(changes(text).unwrap(), [update("a", None)]);
}

#[test]
fn a_header_may_be_indented_between_files() {
    let text = "*** Begin Patch\n*** Delete File: a\n  *** Update File: tests/b\n@@\n-x\n*** End Patch";
    assert_eq!(changes(text).unwrap(), [Change::Delete { path: "a".to_owned() }, update("tests/b", None)]);
}

#[test]
fn what_is_not_exact_is_refused_with_its_line() {
    let cases = [
        ("", 1),
        ("*** Begin Patch", 1),
        ("*** Begin Patch\n*** End Patch", 2),
        ("*** Begin Patch\n*** Add File: a\nno plus\n*** End Patch", 3),
        ("*** Begin Patch\n*** Add File: \n+x\n*** End Patch", 2),
        ("*** Begin Patch\n*** Add File: a\n+x", 3),
        ("*** Begin Patch\n*** Update File: a\n@@\n x\njunk\n*** End Patch", 5),
        ("*** Begin Patch\n*** Rename File: a\n*** End Patch", 2),
        ("*** Begin Patch\n*** Update File: a\n*** Move to: \n@@\n x\n*** End Patch", 3),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b", 1),
    ];
    for (text, line) in cases {
        assert_eq!(changes(text).unwrap_err().line, line, "{text:?}");
    }
}
