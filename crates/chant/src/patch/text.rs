//! The document as text for people.

use std::fmt::Write;

use super::document::{Document, File};

/// The range, each file with its hunks, and the sums. Control characters of names and lines are escaped, tabs apart.
pub fn text(document: &Document) -> String {
    let mut out = String::new();
    let range = &document.range;
    let head = range.head.as_deref().map_or("working tree", short);
    let _ = writeln!(
        out,
        "patch     {}..{head} ({}, {})",
        short(&range.base),
        plain(&range.spec),
        range.form.as_str()
    );
    for file in &document.files {
        heading(&mut out, file);
        for hunk in &file.hunks {
            let _ = writeln!(out, "{}", plain(&hunk.header));
            for line in &hunk.lines {
                let _ = writeln!(out, "{}", plain(line));
            }
        }
    }
    let summary = &document.summary;
    let s = if summary.files == 1 { "" } else { "s" };
    let _ = write!(out, "{} file{s}, +{} -{}", summary.files, summary.additions, summary.deletions);
    if summary.truncated {
        let limits = document.limits;
        let _ =
            write!(out, "; truncated at {} bytes a file, {} in all", limits.file_bytes, limits.total_bytes);
    }
    out.push('\n');
    out
}

fn heading(out: &mut String, file: &File) {
    let _ = write!(out, "{:<9} {}", file.change.as_str(), plain(&file.path));
    if let Some(from) = &file.from {
        let _ = write!(out, " (from {})", plain(from));
    }
    match (file.additions, file.deletions) {
        (Some(added), Some(deleted)) => {
            let _ = write!(out, " +{added} -{deleted}");
        }
        _ => out.push_str(" binary"),
    }
    if file.truncated {
        let _ = write!(out, "; truncated, {} of {} hunks shown", file.hunks.len(), file.hunk_count);
    }
    out.push('\n');
}

fn short(oid: &str) -> &str {
    oid.get(..8).unwrap_or(oid)
}

/// Text that a terminal shows and doesn't obey.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_control() && letter != '\t' {
            plain.extend(letter.escape_default());
        } else {
            plain.push(letter);
        }
    }
    plain
}
