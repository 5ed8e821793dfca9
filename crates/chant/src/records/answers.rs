//! Answers to decision points.

use canon::Sha256;
use store::git::RepoPath;
use store::tree::Tree;

use super::record::Record;
use crate::{Problem, codes, points};

/// Warns where an answer's point is unknown or was asked in another form.
pub(super) fn check(file: &RepoPath, records: &mut [Record], tree: &dyn Tree) {
    let points = points::load(tree, file);
    for record in records.iter_mut().filter(|record| record.data.is_some()) {
        let problem = match &points {
            Err(refusal) => Some(Problem::new(codes::ANSWER_POINTS_UNREADABLE, refusal.message.clone())),
            Ok(points) => {
                let named = record.text("point").unwrap_or_default();
                match points.points.get(named) {
                    None => Some(Problem::new(
                        codes::ANSWER_POINT_UNKNOWN,
                        format!("{file} declares no point {named}"),
                    )),
                    Some(point)
                        if record
                            .text("point_version")
                            .and_then(|version| version.parse::<Sha256>().ok())
                            != Some(point.version) =>
                    {
                        let message =
                            format!("the declaration of {named} changed since the question was asked");
                        Some(Problem::new(codes::ANSWER_POINT_CHANGED, message))
                    }
                    Some(_) => None,
                }
            }
        };
        record.warnings.extend(problem);
    }
}
