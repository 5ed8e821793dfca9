//! Tables (SFS-X1).

use super::finding::{Check, Findings};
use super::structure::{Kind, Structure};

pub(super) fn check(structure: &Structure<'_>, found: &mut Findings) {
    for table in &structure.tables {
        rows(structure, &structure.text[table.range.clone()], table.range.start, found);
    }
    for block in structure.blocks.iter().filter(|block| block.kind == Kind::Paragraph) {
        let lines: Vec<&str> = structure.text[block.range.clone()].lines().map(str::trim).collect();
        if lines.len() > 1
            && lines.iter().all(|line| line.len() > 1 && line.starts_with('|') && line.ends_with('|'))
        {
            let line = structure.line(block.range.start);
            let message = "this table has no separator row, or one with another number of cells";
            found.error(Check::Tables, line, message, "write `|---|---|` below the heads, one for each");
        }
    }
}

fn rows(structure: &Structure<'_>, text: &str, start: usize, found: &mut Findings) {
    let first = structure.line(start);
    let mut lines = text.lines().enumerate();
    let heads = lines.next().map_or(0, |(_, line)| cells(line));
    for (at, line) in lines {
        let number = cells(line);
        if number != heads {
            let message = format!("the row has {number} cells, and the table {heads} heads");
            found.error(
                Check::Tables,
                first + at,
                message,
                "one cell a head, none merged; write `\\|` for a bar in a cell",
            );
        }
        if let Some(column) = line.to_ascii_lowercase().find("<br") {
            let message = "a cell has more than one line";
            found.warning_at(
                Check::Tables,
                (first + at, column + 1),
                message,
                "keep a cell on one line where you can",
            );
        }
    }
}

/// The cells of a row: what stands between bars that no backslash escapes.
fn cells(line: &str) -> usize {
    let row = line.trim().trim_start_matches(['>', ' ']);
    let row = row.strip_prefix('|').unwrap_or(row);
    let mut bars = 0;
    let mut before = ' ';
    let mut ends_with_bar = false;
    for c in row.chars() {
        ends_with_bar = c == '|' && before != '\\';
        bars += usize::from(ends_with_bar);
        before = c;
    }
    bars + usize::from(!ends_with_bar)
}
