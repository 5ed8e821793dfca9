//! `hook install` and `hook uninstall`: an agent's settings, changed after the change was shown.

use agents::AgentId;
use agents::install::Scope;
use gate::{Exit, Refusal};
use govern::receipts::Note;
use schemars::JsonSchema;
use serde::Serialize;
use store::git::Layout;

use crate::answer::{Answer, Document};
use crate::codes;
use crate::ctx::Ctx;
use crate::hook::installed::{Installed, Step};
use crate::page::Page;

/// What `hook install` and `hook uninstall` print.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Changed {
    /// The agent.
    pub agent: AgentId,
    /// Whose settings.
    pub scope: Scope,
    /// The files are as they should be.
    pub done: bool,
    /// Each file.
    pub files: Vec<File>,
    /// The command that comes next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    #[serde(skip)]
    was_shown: bool,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct File {
    /// The file.
    pub path: String,
    /// What becomes of it.
    pub change: Change,
    /// The change as a unified diff; empty where there is none.
    pub diff: String,
}

/// What becomes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// It is as it should be.
    None,
    /// It is made.
    Create,
    /// It is changed.
    Update,
    /// It is removed.
    Remove,
}

impl File {
    fn of(step: &Step) -> Self {
        let edit = &step.edit;
        let change = match (&edit.before, &edit.after) {
            _ if !edit.is_change() => Change::None,
            (None, _) => Change::Create,
            (_, None) => Change::Remove,
            _ => Change::Update,
        };
        Self { path: step.path.display().to_string(), change, diff: edit.diff.clone() }
    }
}

impl Changed {
    fn new(agent: AgentId, scope: Scope, steps: &[Step]) -> Self {
        let files = steps.iter().map(File::of).collect();
        Self { agent, scope, done: false, files, next: None, was_shown: false }
    }

    fn is_change(&self) -> bool {
        self.files.iter().any(|file| file.change != Change::None)
    }

    fn show(&self, page: &mut Page) {
        for file in self.files.iter().filter(|file| file.change != Change::None) {
            page.head(&file.path);
            file.diff.lines().for_each(|line| page.line(line));
            page.blank();
        }
    }

    fn shown(&mut self, ctx: &Ctx<'_>) -> String {
        self.was_shown = true;
        let mut page = Page::new();
        self.show(&mut page);
        page.finish(ctx.terminal.colour_err)
    }
}

impl Document for Changed {
    fn render(&self, page: &mut Page) {
        if !self.was_shown {
            self.show(page);
        }
        for file in &self.files {
            let path = &file.path;
            match file.change {
                Change::None => page.ok(format_args!("{path}  as it should be")),
                _ if !self.done => page.caution(format_args!("{path}  not written")),
                Change::Create => page.ok(format_args!("{path}  created")),
                Change::Update => page.ok(format_args!("{path}  updated")),
                Change::Remove => page.ok(format_args!("{path}  removed")),
            }
        }
        if let Some(next) = &self.next {
            page.next(next);
        }
    }

    fn exit(&self) -> Exit {
        if self.done { Exit::Done } else { Exit::Refused }
    }
}

/// Runs `hook install`.
pub(super) fn install(ctx: &Ctx<'_>, agent: AgentId, scope: Scope, yes: bool) -> Result<Answer, Refusal> {
    if scope == Scope::Shared {
        refuse_without_project(ctx, agent)?;
    }
    let state = crate::hook::state(ctx.world)?;
    let installed = Installed::new(&state, ctx.world, &super::program(ctx)?);
    let steps = installed.plan_install(agent, scope)?;
    let mut changed = Changed::new(agent, scope, &steps);
    let agreed = match ctx.terminal.ask {
        _ if yes || !changed.is_change() => true,
        Some(ask) if !ctx.json => ask(&format!("{}Write this? [y/N] ", changed.shown(ctx))),
        _ => false,
    };
    if !agreed {
        let shared = if scope == Scope::Shared { " --shared" } else { "" };
        changed.next = Some(format!("cairn hook install {agent}{shared} --yes"));
        return Ok(Answer::of(&changed));
    }
    if changed.is_change() {
        record(ctx, &state, "hook-install", &changed)?;
    }
    steps.iter().try_for_each(|step| installed.make(step))?;
    changed.done = true;
    changed.next = Some(format!("cairn hook status {agent}"));
    Ok(Answer::of(&changed))
}

/// Settings that are shared are committed: without a work tree of git there is nobody to share them with.
fn refuse_without_project(ctx: &Ctx<'_>, agent: AgentId) -> Result<(), Refusal> {
    let found = Layout::discover(&ctx.world.cwd);
    let found = found.map_err(|error| Refusal::new(codes::NO_PROJECT, error.to_string()))?;
    if found.is_some() {
        return Ok(());
    }
    let folder = ctx.world.cwd.display();
    Err(Refusal::new(codes::NO_PROJECT, format!("{folder} lies in no work tree of git, and shared settings are committed"))
        .hint(format!(
            "run the command in a checked-out repository, or without `--shared` for your own settings: `cairn hook install {agent}`"
        )))
}

/// Runs `hook uninstall`.
pub(super) fn uninstall(ctx: &Ctx<'_>, agent: AgentId, scope: Scope) -> Result<Answer, Refusal> {
    let state = crate::hook::state(ctx.world)?;
    let installed = Installed::new(&state, ctx.world, &super::program(ctx)?);
    let steps = installed.plan_uninstall(agent, scope)?;
    let mut changed = Changed::new(agent, scope, &steps);
    if changed.is_change() {
        let shown = changed.shown(ctx);
        ctx.person_types(agent.as_str(), &shown)?;
        record(ctx, &state, "hook-uninstall", &changed)?;
        steps.iter().try_for_each(|step| installed.take_out(step))?;
    }
    changed.done = true;
    Ok(Answer::of(&changed))
}

fn record(ctx: &Ctx<'_>, state: &govern::State, marker: &str, changed: &Changed) -> Result<(), Refusal> {
    let paths: Vec<String> = changed.files.iter().map(|file| file.path.clone()).collect();
    crate::hook::record(state, ctx.world, &Note { marker, paths: &paths, ..Note::default() })
}
