//! What is wrong with a vault, and with what agents read of it.

use gate::sensitive::Class;
use gate::{Finding, Level};

use super::budget::{self, Size};
use super::entry::Entry;
use super::fields::Status;
use super::regen::{self, Before};
use super::vault::{EVIDENCE, Shelf, TORN, Vault};

/// Everything that was looked at, the faults first within each area.
pub fn check(vault: &Vault, shelf: &Shelf) -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.push(structure(vault, shelf));
    for refusal in &shelf.damaged {
        let cure = refusal.hint.clone().unwrap_or_default();
        findings.push(Finding::new("entry", Level::Fail, refusal.message.clone()).cure(cure));
    }
    if let Some(line) = shelf.torn {
        let torn = format!("{EVIDENCE}: line {line} is half a line; it does not count");
        findings.push(Finding::new("evidence", Level::Fail, torn).cure(TORN));
    }
    let entries = shelf.entries();
    for entry in &entries {
        findings.extend(entry_findings(entry, &shelf.terms.project));
    }
    findings.push(size(shelf));
    if shelf.damaged.is_empty() {
        findings.push(blocks(vault, shelf, &entries));
    }
    if vault.legacy().exists() {
        let kept = format!("AGENTS.md from before the last change is kept as `{}`", vault.legacy().display());
        findings.push(Finding::new("AGENTS.md", Level::Warn, kept).cure("cairn govern knowledge regen"));
    }
    findings
}

fn structure(vault: &Vault, shelf: &Shelf) -> Finding {
    if shelf.missing.is_empty() {
        let entries = canon::text::counted(shelf.notes.len(), "note");
        return Finding::new("vault", Level::Ok, format!("`{}` is whole, with {entries}", vault.name()));
    }
    let missing = shelf.missing.join(", ");
    Finding::new("vault", Level::Fail, format!("`{}` lacks {missing} (DP-013)", vault.name()))
        .cure("cairn govern knowledge regen")
}

fn entry_findings(entry: &Entry, project: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let path = entry.path();
    let fields = &entry.fields;
    let mut add = |level, message: String, cure: &str| {
        let finding = Finding::new("entry", level, format!("{path}: {message}"));
        findings.push(if cure.is_empty() { finding } else { finding.cure(cure) });
    };
    for found in &entry.sensitive {
        let (what, line) = (&found.what, found.line);
        match found.class {
            Class::Secret => add(
                Level::Fail,
                format!("line {line} holds {what}; it is kept out of use"),
                "take it out, and change the credential where it is used",
            ),
            Class::Personal => add(Level::Warn, format!("line {line} holds {what}"), ""),
        }
    }
    if entry.status() == Status::Erased {
        return findings;
    }
    if entry.claims_force() {
        add(
            Level::Fail,
            "says that it is in force, which only what lies in Rules/ and Lessons/ can be; it is kept out of use".to_owned(),
            "take `status` and `label` out of it, and add what it says with `cairn govern knowledge add`",
        );
    }
    if let Some(quarantine) = &fields.quarantine {
        add(Level::Info, format!("quarantined: {}", canon::text::one_line(&quarantine.why)), "");
    }
    if !entry.applies_in(project) {
        let scope = fields.scope.as_ref().map(ToString::to_string).unwrap_or_default();
        add(Level::Info, format!("is of scope {scope} and not applied in {project}"), "");
    }
    let lacks: Vec<&str> = [
        ("label", fields.label.is_none()),
        ("provenance", fields.provenance.is_none()),
        ("scope", fields.scope.is_none()),
    ]
    .into_iter()
    .filter_map(|(name, lacks)| lacks.then_some(name))
    .collect();
    if !lacks.is_empty() {
        add(Level::Warn, format!("from before entries had {}", lacks.join(", ")), "fill them in by hand");
    }
    if entry.status() == Status::Archived && fields.archived_at.is_none() {
        add(
            Level::Warn,
            "does not say when it was archived, so nothing can revive it".to_owned(),
            &format!("cairn govern knowledge archive {} --why <text>", entry.id),
        );
    }
    findings
}

fn size(shelf: &Shelf) -> Finding {
    let bytes = shelf.agents.as_deref().unwrap_or_default();
    let size = Size::of(bytes);
    if size.fits() {
        return Finding::new("AGENTS.md", Level::Ok, size.figures());
    }
    let ours = regen::agents_block(bytes).ok().flatten();
    let largest = budget::sections(bytes, ours).into_iter().next();
    let largest = largest.map(|section| {
        format!(
            "; the largest part is `{}` from line {}, {} bytes",
            section.name, section.line, section.size.bytes
        )
    });
    Finding::new("AGENTS.md", Level::Fail, format!("{}{}", size.figures(), largest.unwrap_or_default()))
        .cure("move long sections into notes that are read on demand, or archive lessons")
}

fn blocks(vault: &Vault, shelf: &Shelf, entries: &[Entry]) -> Finding {
    let before = Before {
        agents: shelf.agents.as_deref(),
        index: shelf.index.as_deref(),
        vault: vault.name(),
        project: &shelf.terms.project,
    };
    match regen::regenerate(entries, before) {
        Err(refusal) => {
            let mut message = refusal.message;
            for fact in refusal.facts.iter().take(3) {
                message.push_str("; ");
                message.push_str(fact);
            }
            let finding = Finding::new("lessons", Level::Fail, message);
            refusal.hint.map_or(finding.clone(), |hint| finding.cure(hint))
        }
        Ok(made) if made.agents != shelf.agents || Some(&made.index) != shelf.index.as_ref() => {
            Finding::new("lessons", Level::Fail, "AGENTS.md or Index.md is not what the entries say")
                .cure("cairn govern knowledge regen")
        }
        Ok(_) => Finding::new("lessons", Level::Ok, "every lesson is where it belongs, once"),
    }
}
