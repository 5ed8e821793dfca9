//! `govern knowledge erase`: the content of entries goes for good, by name or by scope, and a tombstone says that there was
//! something (WS-009).

use gate::Refusal;
use govern::knowledge::admit::{TOMBSTONE, is_tombstone, name};
use govern::knowledge::vault::Blocks;
use govern::knowledge::{Entry, Fields, Quarantine, Scope, Status, codes};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Desk, moved, writer};
use crate::answer::{Answer, Document};
use crate::cli::value;
use crate::ctx::Ctx;
use crate::page::Page;

/// Arguments of `govern knowledge erase`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The entry: its name, the beginning of it, or its path in the vault.
    #[arg(required_unless_present = "scope", conflicts_with = "scope")]
    entry: Option<String>,
    /// Every entry of this scope: `project:<name>` or `shared`.
    #[arg(long, value_name = "SCOPE", value_parser = scope)]
    scope: Option<Scope>,
    /// Why.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = value::text)]
    why: String,
    /// Who decides.
    #[arg(long, value_name = "NAME", default_value = "person")]
    by: String,
}

fn scope(text: &str) -> Result<Scope, String> {
    text.parse()
}

/// What `govern knowledge erase` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Erased {
    /// The entries that are tombstones now, by the names that they had.
    pub erased: Vec<String>,
    /// The files that changed, from the top of the repository.
    pub files: Vec<String>,
}

impl Document for Erased {
    fn render(&self, page: &mut Page) {
        for id in &self.erased {
            page.ok(format_args!("{id}: erased"));
        }
        page.hint("what was committed before is in git's history still");
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, desk: &Desk, args: Args) -> Result<Answer, Refusal> {
    let found = desk.vault.read()?;
    let chosen: Vec<&Entry> = match (&args.entry, &args.scope) {
        (Some(name), _) => vec![found.find(name)?],
        (None, scope) => {
            let notes = found.notes.iter().map(|note| &note.entry);
            notes.filter(|entry| entry.fields.scope.as_ref() == scope.as_ref()).collect()
        }
    };
    // The name of a tombstone may be what was to go.
    let is_whole = |entry: &&Entry| entry.status() != Status::Erased || !is_tombstone(&entry.id);
    let chosen: Vec<&Entry> = chosen.into_iter().filter(is_whole).collect();
    let Some(first) = chosen.first() else {
        return Err(
            Refusal::new(codes::NO_ENTRY, "there is nothing to erase").next("cairn govern knowledge list")
        );
    };
    let word = args.scope.as_ref().map_or_else(|| first.id.clone(), ToString::to_string);
    let names: Vec<String> = chosen.iter().map(|entry| entry.path()).collect();
    let text = format!("This would be gone for good:\n  {}\n", names.join("\n  "));
    ctx.person_types(&word, &text)?;
    let by = writer(ctx, Some(args.by)).unwrap_or_default();
    let erased = Quarantine { by, at: ctx.world.now(), why: canon::text::one_line(&args.why) };
    let writing = desk.vault.write()?;
    let mut entries = writing.shelf.entries();
    let mut ids = Vec::new();
    if chosen.iter().any(|shown| !entries.contains(shown)) {
        return Err(moved(&word));
    }
    for index in 0..entries.len() {
        if names.contains(&entries[index].path()) {
            let free = name(TOMBSTONE, |name| entries.iter().any(|entry| entry.id == name));
            let entry = &mut entries[index];
            ids.push(std::mem::replace(&mut entry.id, free));
            entry.body = String::new();
            entry.sensitive = Vec::new();
            entry.fields = Fields {
                title: Some("erased".to_owned()),
                status: Some(Status::Erased),
                scope: entry.fields.scope.clone(),
                erased: Some(erased.clone()),
                ..Fields::default()
            };
        }
    }
    let planned = writing.plan(&entries, &[], Blocks::Both)?;
    desk.record(ctx, "knowledge-erase")?;
    let files = planned.names();
    writing.commit(&planned)?;
    Ok(Answer::of(&Erased { erased: ids, files }))
}
