//! What of the elastic parts fits: handoff, spec, skills and lessons.
//!
//! Each part may take what the parts after it don't need, and half of what is left in any case.

use std::collections::BTreeSet;

use canon::text;

use super::{Context, Cut, SkillPart, slice, task};
use crate::lesson::{Lesson, NEWEST};
use crate::session::Session;

/// So much of a handoff document is given at most.
const HANDOFF: usize = 8 * 1024;
/// A text that is cut keeps at least so much.
const LEAST: usize = 400;

/// The elastic parts, whole.
pub(super) struct Elastic {
    pub handoff: Option<task::Handoff>,
    pub spec: String,
    pub wanted: BTreeSet<String>,
    pub skills: Vec<SkillPart>,
    pub lessons: Vec<Lesson>,
}

/// Puts what fits into `context` and names what doesn't.
pub(super) fn fill(session: &Session<'_>, context: &mut Context, elastic: Elastic) {
    let Elastic { handoff, spec, wanted, skills, mut lessons } = elastic;
    let older = lessons.len().saturating_sub(NEWEST);
    lessons.drain(..older);
    let mut room = context.budget.saturating_sub(super::text(context, session).len());
    let lessons_need: usize = lessons.iter().map(|lesson| lesson.line().len() + 1).sum();
    let skills_need: usize = skills.iter().map(size).sum();
    let share = |room: usize, rest: usize| room - rest.min(room / 2);

    if let (Some(mut handoff), Some(task)) = (handoff, &mut context.task) {
        let limit = share(room, spec.len() + skills_need + lessons_need).min(HANDOFF);
        if handoff.text.len() > limit {
            let kept = text::prefix(&handoff.text, limit);
            handoff.text.truncate(kept.rfind('\n').unwrap_or(kept.len()));
            handoff.cut = true;
        }
        if handoff.cut && handoff.text.len() < LEAST {
            context.cuts.push(Cut::over_budget("handoff", format!("`{}`", handoff.path)));
        } else {
            if handoff.cut {
                context.cuts.push(Cut::over_budget("handoff", format!("the end of `{}`", handoff.path)));
            }
            room = room.saturating_sub(handoff.text.len() + handoff.path.len() + 24);
            task.handoff = Some(handoff);
        }
    }

    let spec_room = share(room, skills_need + lessons_need);
    context.spec = slice::slice(&spec, &wanted, spec_room);
    let taken: usize = context.spec.sections.iter().map(slice::Section::size).sum();
    room = room.saturating_sub(taken);
    if !context.spec.left_out.is_empty() {
        let left_out = context.spec.left_out.len();
        let sections = if left_out == 1 { "section" } else { "sections" };
        context.cuts.push(Cut::bounded("spec", format!("{left_out} {sections}")));
    }
    for section in context.spec.sections.iter().filter(|section| section.cut) {
        let which = if section.heading.is_empty() { "the beginning" } else { &section.heading };
        context.cuts.push(Cut::over_budget("spec", format!("the end of \"{which}\"")));
    }

    let mut skills_room = share(room, lessons_need);
    let mut left_out = Vec::new();
    for skill in skills {
        if size(&skill) <= skills_room {
            skills_room -= size(&skill);
            room = room.saturating_sub(size(&skill));
            context.skills.push(skill);
        } else {
            left_out.push(format!("`{}`", skill.name));
        }
    }
    if !left_out.is_empty() {
        context.cuts.push(Cut::over_budget("skills", left_out.join(", ")));
    }

    // The newest are kept.
    let mut kept = 0;
    for lesson in lessons.iter().rev() {
        let size = lesson.line().len() + 1;
        if size > room {
            break;
        }
        room -= size;
        kept += 1;
    }
    let elided = lessons.len() - kept;
    context.lessons = lessons.split_off(elided);
    if older + elided > 0 {
        let what = format!("{} older ones", older + elided);
        context.cuts.push(Cut { part: "lessons", what, over_budget: elided > 0 });
    }
}

fn size(skill: &SkillPart) -> usize {
    skill.name.len() + skill.text.len() + 8
}
