//! The change of a file, for people.

use std::fmt::Write;

/// How many unchanged lines stand around a change.
const AROUND: usize = 3;

/// The largest table of lines that is compared; larger changes are shown whole.
const LARGEST: usize = 4_000_000;

enum Line<'a> {
    Same(&'a str),
    Gone(&'a str),
    New(&'a str),
}

/// A unified diff; empty where nothing changes.
pub(super) fn unified(path: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> String {
    if before == after {
        return String::new();
    }
    let old = String::from_utf8_lossy(before.unwrap_or_default());
    let new = String::from_utf8_lossy(after.unwrap_or_default());
    let name =
        |side: &str, there: bool| if there { format!("{side}/{path}") } else { "/dev/null".to_owned() };
    let mut text = format!("--- {}\n+++ {}\n", name("a", before.is_some()), name("b", after.is_some()));
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let lines = compare(&old, &new);
    let is_change = |line: &Line<'_>| !matches!(line, Line::Same(_));
    let mut at = 0;
    while let Some(first) = lines[at..].iter().position(is_change).map(|found| at + found) {
        let start = first.saturating_sub(AROUND).max(at);
        let mut end = first + 1;
        while let Some(next) = lines[end..].iter().position(is_change).filter(|gap| *gap <= 2 * AROUND) {
            end += next + 1;
        }
        let end = (end + AROUND).min(lines.len());
        hunk(&mut text, &lines, start, end);
        at = end;
    }
    text
}

fn hunk(text: &mut String, lines: &[Line<'_>], start: usize, end: usize) {
    let count = |lines: &[Line<'_>], skip_new: bool| {
        lines
            .iter()
            .filter(|line| !matches!((line, skip_new), (Line::New(_), true) | (Line::Gone(_), false)))
            .count()
    };
    let part = &lines[start..end];
    let range = |skip_new: bool| {
        let (before, length) = (count(&lines[..start], skip_new), count(part, skip_new));
        format!("{},{length}", if length == 0 { before } else { before + 1 })
    };
    let _ = writeln!(text, "@@ -{} +{} @@", range(true), range(false));
    for line in part {
        let (sign, line) = match line {
            Line::Same(line) => (' ', line),
            Line::Gone(line) => ('-', line),
            Line::New(line) => ('+', line),
        };
        let shown = line.trim_end_matches(['\n', '\r']);
        let _ = writeln!(text, "{sign}{shown}");
        if !line.ends_with('\n') {
            text.push_str("\\ No newline at end of file\n");
        }
    }
}

fn compare<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let mut lines: Vec<Line<'a>> = old[..head].iter().map(|line| Line::Same(line)).collect();
    middle(&old[head..old.len() - tail], &new[head..new.len() - tail], &mut lines);
    lines.extend(old[old.len() - tail..].iter().map(|line| Line::Same(line)));
    lines
}

/// The longest common lines of what is between.
fn middle<'a>(old: &[&'a str], new: &[&'a str], lines: &mut Vec<Line<'a>>) {
    let width = new.len() + 1;
    let (mut a, mut b) = (0, 0);
    if (old.len() + 1) * width <= LARGEST {
        let mut common = vec![0_u32; (old.len() + 1) * width];
        for i in (0..old.len()).rev() {
            for j in (0..new.len()).rev() {
                common[i * width + j] = if old[i] == new[j] {
                    common[(i + 1) * width + j + 1] + 1
                } else {
                    common[(i + 1) * width + j].max(common[i * width + j + 1])
                };
            }
        }
        while a < old.len() && b < new.len() {
            if old[a] == new[b] {
                lines.push(Line::Same(old[a]));
                (a, b) = (a + 1, b + 1);
            } else if common[(a + 1) * width + b] >= common[a * width + b + 1] {
                lines.push(Line::Gone(old[a]));
                a += 1;
            } else {
                lines.push(Line::New(new[b]));
                b += 1;
            }
        }
    }
    lines.extend(old[a..].iter().map(|line| Line::Gone(line)));
    lines.extend(new[b..].iter().map(|line| Line::New(line)));
}
