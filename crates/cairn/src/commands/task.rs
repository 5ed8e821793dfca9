//! `task`: tasks are made, changed and dropped.

use chalk::model::{State, Task};
use chalk::task::{Added, Change, Dropped, Edited, Shown, add, drop, edit, show};
use gate::Refusal;

use crate::answer::{Answer, Document};
use crate::cli::value;
use crate::ctx::Ctx;
use crate::page::Page;

/// Add, edit, drop and show tasks
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub action: Action,
}

/// What `task` does.
#[derive(Debug, clap::Subcommand)]
pub enum Action {
    /// Add a task in state `todo`
    Add {
        /// What it is about, one line.
        #[arg(value_parser = value::text)]
        title: String,
        /// The milestone it belongs to.
        #[arg(long, value_name = "NAME", value_parser = value::text)]
        milestone: Option<String>,
        /// A task that comes first; repeatable.
        #[arg(long, value_name = "ID", value_parser = value::text)]
        after: Vec<String>,
    },
    /// Change title, milestone, order, kind or labels of a task
    Edit {
        /// The task.
        id: String,
        /// The new title.
        #[arg(long, value_name = "TEXT", value_parser = value::text)]
        title: Option<String>,
        /// The new milestone.
        #[arg(long, value_name = "NAME", value_parser = value::text)]
        milestone: Option<String>,
        /// No milestone any more.
        #[arg(long, conflicts_with = "milestone")]
        no_milestone: bool,
        /// One more task that comes first; repeatable.
        #[arg(long, value_name = "ID", value_parser = value::text)]
        after: Vec<String>,
        /// A task that needn't come first any more; repeatable.
        #[arg(long, value_name = "ID", value_parser = value::text)]
        not_after: Vec<String>,
        /// The kind of change; `docs`, `chore`, `refactor`, `style`, `build` and `ci` need no test.
        #[arg(long, value_name = "KIND", value_parser = value::text)]
        branch_type: Option<String>,
        /// No kind of change any more.
        #[arg(long, conflicts_with = "branch_type")]
        no_branch_type: bool,
        /// A label, repeatable; with `no-test` or `skip-test` it needs no test.
        #[arg(long, value_name = "LABEL", value_parser = value::text)]
        label: Vec<String>,
        /// A label to take off; repeatable.
        #[arg(long, value_name = "LABEL", value_parser = value::text)]
        not_label: Vec<String>,
    },
    /// Take a task out; its record moves to `.chalk/archive/tasks-<year>.json`
    Drop {
        /// The task.
        id: String,
        /// The reason, logged as a decision.
        #[arg(long, value_name = "REASON", value_parser = value::text)]
        why: String,
    },
    /// Show one task
    Show {
        /// The task.
        id: String,
    },
}

impl Document for Added {
    fn render(&self, page: &mut Page) {
        page.ok(format_args!("{}  {}", chalk::model::display_id(&self.id), self.title));
        page.next(&self.next);
    }
}

impl Document for Edited {
    fn render(&self, page: &mut Page) {
        let id = chalk::model::display_id(&self.id);
        if self.changes.is_empty() {
            page.ok(format_args!("{id}  nothing to change"));
            return;
        }
        page.ok(format_args!("{id}  {}", self.title));
        for change in &self.changes {
            page.under(change);
        }
    }
}

impl Document for Dropped {
    fn render(&self, page: &mut Page) {
        page.ok(format_args!("dropped {}  {}", chalk::model::display_id(&self.id), self.title));
        page.under(format_args!("its record is in `{}`", self.archive));
    }
}

/// A task with its file form, for the text and the document.
#[derive(serde::Serialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct ShownTask {
    shown: Shown,
    #[serde(skip)]
    task: Task,
}

impl Document for ShownTask {
    fn render(&self, page: &mut Page) {
        let task = &self.task;
        page.head(format_args!("{}  {}", task.id, task.title));
        page.under(format_args!("state: {}", task.state));
        if let Some(milestone) = &task.milestone {
            page.under(format_args!("milestone: {milestone}"));
        }
        if let Some(kind) = &task.branch_type {
            page.under(format_args!("kind: {kind}"));
        }
        if !task.labels.is_empty() {
            page.under(format_args!("labels: {}", task.labels.join(", ")));
        }
        for id in &self.shown.waits_for {
            page.under(format_args!("waits for: {id}"));
        }
        if let (State::Blocked, Some(block)) = (&task.state, &task.block) {
            page.under(format_args!("blocked ({}): {}", block.needs, block.reason));
        }
        for (number, criterion) in task.criteria().enumerate() {
            page.under(format_args!("criterion {}: {criterion}", number + 1));
        }
        for lock in &task.tests {
            page.under(format_args!("locked: {}  {}", lock.sha256.short(), lock.path));
        }
        for review in &task.reviews {
            page.under(format_args!("review: {} by {} at {}", review.verdict, review.by, review.at));
        }
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    match args.action {
        Action::Add { title, milestone, after } => ctx
            .act(|session| add(session, &title, milestone.as_deref(), &after))
            .map(|added| Answer::of(&added)),
        Action::Edit {
            id,
            title,
            milestone,
            no_milestone,
            after,
            not_after,
            branch_type,
            no_branch_type,
            label,
            not_label,
        } => {
            let milestone = if no_milestone { Some(None) } else { milestone.map(Some) };
            let branch_type = if no_branch_type { Some(None) } else { branch_type.map(Some) };
            let change = Change {
                title,
                milestone,
                after,
                not_after,
                branch_type,
                labels: label,
                not_labels: not_label,
            };
            ctx.act(|session| edit(session, &id, &change)).map(|edited| Answer::of(&edited))
        }
        Action::Drop { id, why } => {
            ctx.act(|session| drop(session, &id, &why)).map(|dropped| Answer::of(&dropped))
        }
        Action::Show { id } => {
            ctx.read(|session| show(session, &id)).map(|(task, shown)| Answer::of(&ShownTask { shown, task }))
        }
    }
}
