//! Text for people: marks, indentation and colour, in one place.

use std::fmt::{Display, Write as _};

use anstyle::{AnsiColor, Style};
use gate::{Finding, Level, Refusal};

const GREEN: Style = AnsiColor::Green.on_default();
const RED: Style = AnsiColor::Red.on_default();
const YELLOW: Style = AnsiColor::Yellow.on_default();
const DIM: Style = Style::new().dimmed();
const BOLD: Style = Style::new().bold();

/// A page of text under construction. Colour is taken out at the end where nobody wants it.
#[derive(Default)]
pub struct Page {
    text: String,
}

impl Page {
    /// An empty page.
    pub fn new() -> Self {
        Self::default()
    }

    /// The finished text.
    pub fn finish(&self, colour: bool) -> String {
        if colour { self.text.clone() } else { anstream::adapter::strip_str(&self.text).to_string() }
    }

    /// A line as it is.
    pub fn line(&mut self, line: impl Display) {
        let _ = writeln!(self.text, "{line}");
    }

    /// An empty line.
    pub fn blank(&mut self) {
        self.text.push('\n');
    }

    /// A line that says that something is done or holds.
    pub fn ok(&mut self, line: impl Display) {
        self.line(format_args!("{GREEN}✓{GREEN:#} {line}"));
    }

    /// A line that says that something does not hold.
    pub fn bad(&mut self, line: impl Display) {
        self.line(format_args!("{RED}✗{RED:#} {line}"));
    }

    /// A line that wants attention.
    pub fn caution(&mut self, line: impl Display) {
        self.line(format_args!("{YELLOW}!{YELLOW:#} {line}"));
    }

    /// A line that says that something was left out or is of less weight.
    pub fn aside(&mut self, line: impl Display) {
        self.line(format_args!("{DIM}{line}{DIM:#}"));
    }

    /// A heading.
    pub fn head(&mut self, line: impl Display) {
        self.line(format_args!("{BOLD}{line}{BOLD:#}"));
    }

    /// A line that belongs to the one above.
    pub fn under(&mut self, line: impl Display) {
        self.line(format_args!("  {line}"));
    }

    /// A table: each column as wide as its widest cell and two spaces from the next, with the lines that belong to a
    /// row below it. Without rows there is none.
    pub fn table<const N: usize>(&mut self, heads: [&str; N], rows: &[Row<N>]) {
        self.table_at("", heads, rows);
    }

    /// A table that belongs to the line above.
    pub fn table_under<const N: usize>(&mut self, heads: [&str; N], rows: &[Row<N>]) {
        self.table_at("  ", heads, rows);
    }

    fn table_at<const N: usize>(&mut self, indent: &str, heads: [&str; N], rows: &[Row<N>]) {
        if rows.is_empty() {
            return;
        }
        let heads = Row { cells: heads.map(str::to_owned), notes: Vec::new() };
        let width = |column: usize| {
            let cells = std::iter::once(&heads).chain(rows).map(|row| row.cells[column].chars().count());
            cells.max().unwrap_or(0)
        };
        let widths: [usize; N] = std::array::from_fn(width);
        for row in std::iter::once(&heads).chain(rows) {
            let mut line = indent.to_owned();
            for (cell, width) in row.cells.iter().zip(widths) {
                let _ = write!(line, "{cell:<width$}  ");
            }
            self.line(line.trim_end());
            for note in &row.notes {
                self.under(format_args!("{indent}{note}"));
            }
        }
    }

    /// The command that comes next.
    pub fn next(&mut self, command: impl Display) {
        self.line(format_args!("  {DIM}next:{DIM:#} {BOLD}{command}{BOLD:#}"));
    }

    /// Advice.
    pub fn hint(&mut self, hint: impl Display) {
        self.line(format_args!("  {DIM}hint:{DIM:#} {hint}"));
    }

    /// A warning on standard error.
    pub fn warning(&mut self, warning: impl Display) {
        self.line(format_args!("{YELLOW}warning:{YELLOW:#} {warning}"));
    }

    /// A finding, with its cure.
    pub fn finding(&mut self, finding: &Finding) {
        let line = format!("{}: {}", finding.area, finding.msg);
        match finding.level {
            Level::Ok => self.ok(line),
            Level::Info => self.aside(format_args!("· {line}")),
            Level::Warn => self.caution(line),
            Level::Fail => self.bad(line),
        }
        if let Some(cure) = &finding.cure {
            self.hint(cure);
        }
    }

    /// A refusal: the sentence, the facts, the place, and what comes next.
    pub fn refusal(&mut self, refusal: &Refusal) {
        self.bad(format_args!("{} {DIM}({}){DIM:#}", refusal.message, refusal.code));
        for fact in &refusal.facts {
            self.under(fact);
        }
        if let Some(at) = &refusal.at {
            let mut place = at.path.display().to_string();
            for number in [at.line, at.column].into_iter().flatten() {
                let _ = write!(place, ":{number}");
            }
            self.line(format_args!("  {DIM}at:{DIM:#} {place}"));
        }
        if let Some(hint) = &refusal.hint {
            self.hint(hint);
        }
        if let Some(next) = &refusal.next {
            self.next(next);
        }
    }
}

/// A row of a table.
#[derive(Debug, Clone)]
pub struct Row<const N: usize> {
    /// Its cells, each one line.
    pub cells: [String; N],
    /// Lines that belong to it.
    pub notes: Vec<String>,
}

impl<const N: usize> Row<N> {
    /// A row whose cells are folded to one line each.
    pub fn new(cells: [&str; N]) -> Self {
        Self { cells: cells.map(canon::text::one_line), notes: Vec::new() }
    }

    /// With these lines below it.
    pub fn notes(mut self, notes: impl IntoIterator<Item = String>) -> Self {
        self.notes.extend(notes);
        self
    }
}
