//! `workspace ls`: what a workspace holds. A member that can't be read is listed with the reason, and fails nothing.

use std::path::PathBuf;

use canon::text::counted;
use chant::ls::{self, Failure, Group, Listing, Member, RecordKind, Role};
use chant::{Place, Problem};
use gate::Refusal;

use super::{failed, handover};
use crate::answer::{Answer, Document};
use crate::ctx::Ctx;
use crate::page::{Page, Row};

/// List members, groups and record kinds
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A folder of the workspace; the current one by default.
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Read a revision instead of the working tree.
    #[arg(long, value_name = "REV", allow_hyphen_values = true)]
    at: Option<String>,
}

impl Document for Listing {
    fn render(&self, page: &mut Page) {
        page.line(format_args!("{}  ({})", self.workspace.name, self.workspace.file));
        let members: Vec<_> = self.members.iter().map(member).collect();
        let groups: Vec<_> = self.groups.iter().map(group).collect();
        let own = self.workspace.records.iter().map(|kind| record_kind(kind, "-"));
        let theirs = self
            .members
            .iter()
            .flat_map(|member| member.records.iter().map(move |kind| record_kind(kind, &member.name)));
        let kinds: Vec<_> = own.chain(theirs).collect();
        section(page, ["MEMBER", "KIND", "DIR", "ROLES"], &members);
        section(page, ["GROUP", "KIND", "GLOB", "PROJECTS"], &groups);
        section(page, ["RECORDS", "FILE", "MEMBER", "ACCEPTANCE"], &kinds);
        let summary = self.summary;
        page.blank();
        page.line(format_args!(
            "{}, {} unreadable; {} with {}",
            counted(summary.members, "member"),
            summary.unreadable,
            counted(summary.groups, "example group"),
            counted(summary.matches, "project"),
        ));
    }
}

fn section<const N: usize>(page: &mut Page, heads: [&str; N], rows: &[Row<N>]) {
    if !rows.is_empty() {
        page.blank();
        page.table(heads, rows);
    }
}

fn member(member: &Member) -> Row<4> {
    let role = |role: &Role| match &role.path {
        Some(path) => format!("{} ({path})", role.name),
        None => role.name.clone(),
    };
    let roles: Vec<String> = member.roles.iter().map(role).collect();
    Row::new([&member.name, &member.kind, &member.dir, &roles.join(", ")])
        .notes(problem(member.reason.as_ref()))
}

fn group(group: &Group) -> Row<4> {
    let projects = group.matches.len().to_string();
    Row::new([&group.name, &group.kind, &group.glob.join(" "), &projects])
        .notes(problem(group.reason.as_ref()))
}

fn record_kind(kind: &RecordKind, member: &str) -> Row<4> {
    let acceptance = match &kind.acceptance {
        Some(items) => {
            let met = items.iter().filter(|item| item.met == item.total).count();
            format!("{met} of {} met", counted(items.len(), "item"))
        }
        None => String::new(),
    };
    let name = kind.name.as_deref().unwrap_or("-");
    Row::new([name, &kind.path, member, &acceptance]).notes(problem(kind.reason.as_ref()))
}

fn problem(reason: Option<&Problem>) -> Option<String> {
    reason.map(|reason| format!("{}: {}", reason.code, canon::text::one_line(&reason.message)))
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    let (place, at) = (Place::open(ctx.world, args.dir.as_deref()), args.at.as_deref());
    if let Ok(place) = &place
        && let Some(answer) = handover::run(ctx, place, at)?
    {
        return Ok(answer);
    }
    match place.and_then(|place| ls::read(&place, at)) {
        Ok(listing) => Ok(Answer::in_form(&listing, ctx.json)),
        Err(refusal) => Ok(failed(ctx, &refusal, Failure::new(&refusal))),
    }
}
