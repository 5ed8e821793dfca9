//! Where members may lie.

use super::model::{Declaration, below, is_inside};
use super::rules::Broken;
use crate::codes;
use gate::ReasonCode;

/// No two members share a directory, and only the root member holds other members.
pub(super) fn members(declaration: &Declaration) -> Result<(), Broken> {
    for (index, member) in declaration.members() {
        let mut before = declaration.members().take_while(|(other, _)| *other < index);
        if let Some((_, other)) = before.find(|(_, other)| other.dir == member.dir) {
            return Err(Broken::new(
                format!("/members/{index}/dir"),
                format!("member {} has the directory of member {} ({})", member.name, other.name, member.dir),
            ));
        }
    }
    for (index, member) in declaration.members() {
        let mut others = declaration.members().filter(|(other, outer)| *other != index && outer.dir != ".");
        if let Some((_, outer)) = others.find(|(_, outer)| is_inside(&member.dir, &outer.dir)) {
            return Err(Broken::new(
                format!("/members/{index}/dir"),
                format!(
                    "member {} ({}) lies inside member {} ({}); only the root member \".\" may hold other members",
                    member.name, member.dir, outer.name, outer.dir
                ),
            ));
        }
    }
    Ok(())
}

/// A generated file is listed once, by the member that owns it.
pub(super) fn generated(declaration: &Declaration) -> Result<(), (ReasonCode, Broken)> {
    for (index, member) in declaration.members() {
        for (entry, file) in member.generated.iter().enumerate() {
            let at = format!("/members/{index}/generated/{entry}/path");
            if let Some(first) = member.generated[..entry].iter().position(|other| other.path == file.path) {
                let message = format!(
                    "{} lists the generated file {} twice, first at /members/{index}/generated/{first}",
                    member.name, file.path
                );
                return Err((codes::DECLARATION_INVALID, Broken::new(at, message)));
            }
            let full = below(&member.dir, &file.path);
            let inner = declaration.owner(&full).filter(|owner| owner.name != member.name);
            if let Some(inner) = inner {
                let message = format!(
                    "member {} lists the generated file {}, which lies in member {} ({}); list it there",
                    member.name, file.path, inner.name, inner.dir
                );
                return Err((codes::PLACEMENT_INVALID, Broken::new(at, message)));
            }
        }
    }
    Ok(())
}
