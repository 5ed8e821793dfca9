//! Diagrams: WSP131 to WSP133. No renderer is run; a recorded hash is compared.

use canon::Sha256;
use store::tree::TreeError;

use super::Subject;
use super::catalogue::Id;
use super::finding::Finding;
use crate::{codes, members};

pub(super) fn check(subject: &Subject<'_>) -> Result<Vec<Finding>, TreeError> {
    let at = members::at(subject.tree);
    let mut found = Vec::new();
    for declared in subject.workspace.declaration.all_diagrams() {
        let diagram = declared.diagram;
        let mut add = |check, field: &str, code, message: String| {
            let pointer = format!("{}/{field}", declared.pointer);
            let message = format!("the diagram {} {message}", diagram.name);
            found.push(Finding::new(check, pointer, message).of_some(declared.member).coded(code));
        };
        let source = match &diagram.source {
            Some(path) => subject.tree.read(&subject.workspace.at(path))?.map(|bytes| (path, bytes)),
            None => None,
        };
        if let (Some(path), None) = (&diagram.source, &source) {
            let message = format!("names the source {path}, which does not exist{at}");
            add(Id::DiagramSourceMissing, "source", codes::DIAGRAM_SOURCE_MISSING, message);
        }
        if let Some(render) = &diagram.render
            && !subject.tree.is_file(&subject.workspace.at(render))?
        {
            let message = format!("names the picture {render}, which does not exist{at}");
            add(Id::DiagramRenderMissing, "render", codes::DIAGRAM_RENDER_MISSING, message);
        }
        let Some(((path, bytes), recorded)) = source.zip(diagram.source_hash.as_ref()) else { continue };
        let now = Sha256::of(&bytes).to_string();
        if now != *recorded {
            let message = format!(
                "has a source that changed since it was drawn: {path} was recorded at {} and is now {}{at}; draw it \
                 again, or record the new hash",
                recorded.get(..12).unwrap_or(recorded),
                &now[..12]
            );
            add(Id::DiagramRenderDrift, "sourceHash", codes::DIAGRAM_RENDER_DRIFT, message);
        }
    }
    Ok(found)
}
