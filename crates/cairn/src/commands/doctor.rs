//! `doctor`: whether the set-up holds what it promises.

use chalk::doctor::{Profile, Report, doctor};
use chalk::root::Spine;
use chalk::{Session, codes};
use gate::{Exit, Level, Refusal};

use crate::answer::{Answer, Document};
use crate::ctx::Ctx;
use crate::page::Page;

/// Check the set-up: gates that are off, leaks, tampering
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Judge for runs without a person: executor, reviewer and remote must be there.
    #[arg(long)]
    pub unattended: bool,
}

impl Document for Report {
    fn render(&self, page: &mut Page) {
        for finding in &self.results {
            page.finding(finding);
        }
        let (fails, warnings) = (self.count(Level::Fail), self.count(Level::Warn));
        let what = match self.profile {
            Profile::Manual => "ready",
            Profile::Unattended => "ready to run unattended",
        };
        let warned = if warnings == 1 { "1 warning".to_owned() } else { format!("{warnings} warnings") };
        page.blank();
        match fails {
            0 if warnings == 0 => page.ok(what),
            0 => page.ok(format_args!("{what}, with {warned}")),
            1 => page.bad(format_args!("not {what}: 1 check failed, {warned}")),
            n => page.bad(format_args!("not {what}: {n} checks failed, {warned}")),
        }
    }

    fn exit(&self) -> Exit {
        Report::exit(self)
    }
}

const PROGRAM: &str = concat!("cairn ", env!("CARGO_PKG_VERSION"));

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    let profile = if args.unattended { Profile::Unattended } else { Profile::Manual };
    // A spine that can't be opened is what the doctor is for.
    let report = match ctx.with(|session| Ok(doctor(session, PROGRAM, ctx.naming, profile, None))) {
        Ok(report) => report,
        Err(refusal) => {
            let is_damage =
                [codes::SPINE_DAMAGED, codes::SPINE_CONFLICT, codes::SPINE_TOO_NEW].contains(&refusal.code);
            let Ok(Some(spine)) = Spine::find(&ctx.world.cwd) else { return Err(refusal) };
            if !is_damage {
                return Err(refusal);
            }
            let session = Session::at(ctx.world, spine, ctx.naming, ctx.progress());
            let report = doctor(&session, PROGRAM, ctx.naming, profile, Some(&refusal));
            for warning in session.take_warnings() {
                ctx.warn(warning);
            }
            report
        }
    };
    Ok(Answer::of(&report))
}
