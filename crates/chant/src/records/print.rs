//! A listing as JSON, which may hold thousands of records.

use std::io::{self, Write};
use std::mem;

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{Formatter, PrettyFormatter};
use store::parallel;

use super::document::{Document, Outcome};
use super::record::Record;

/// So many records are written at once, on several threads.
const PIECE: usize = 512;

impl Document {
    /// Writes the document as JSON with two spaces of indentation.
    ///
    /// The records stand in it as if all had been written in one go.
    pub fn write(mut self, out: &mut dyn Write) -> io::Result<()> {
        // In how many lists and objects a record stands.
        let (outcomes, depth) = match &mut self {
            Self::One(outcome) => (std::slice::from_mut(&mut **outcome), 2),
            Self::Set(set) => (&mut set.kinds[..], 4),
        };
        let listings = outcomes.iter_mut().filter_map(|outcome| match outcome {
            Outcome::Listing(listing) => Some(mem::take(&mut listing.records)),
            Outcome::Failure(_) => None,
        });
        let lists: Vec<Vec<Record>> = listings.collect();
        let around = serde_json::to_string_pretty(&self)?;
        let indent = "  ".repeat(depth - 1);
        // No string holds a line break as it is, so this is no part of one.
        let mark = format!("\n{indent}\"records\": [");
        let mut parts = around.split(&*mark);
        out.write_all(parts.next().unwrap_or_default().as_bytes())?;
        for (list, after) in lists.iter().zip(parts) {
            out.write_all(mark.as_bytes())?;
            for (n, piece) in list.chunks(PIECE).enumerate() {
                for (m, text) in parallel::each(piece.iter().collect(), |record| deep(record, depth))
                    .into_iter()
                    .enumerate()
                {
                    let comma = if n + m > 0 { "," } else { "" };
                    write!(out, "{comma}\n  {indent}")?;
                    out.write_all(&text?)?;
                }
            }
            if !list.is_empty() {
                write!(out, "\n{indent}")?;
            }
            out.write_all(after.as_bytes())?;
        }
        // The process ends, and takes its memory along faster than piece by piece.
        mem::forget(lists);
        Ok(())
    }
}

/// A value as it is written within `depth` lists and objects.
fn deep(value: &impl Serialize, depth: usize) -> io::Result<Vec<u8>> {
    let mut formatter = PrettyFormatter::new();
    for _ in 0..depth {
        formatter.begin_object(&mut io::sink())?;
    }
    let mut text = Vec::with_capacity(4096);
    value.serialize(&mut Serializer::with_formatter(&mut text, formatter))?;
    Ok(text)
}
