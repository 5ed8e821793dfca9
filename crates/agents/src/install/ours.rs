//! Which entries of an agent's settings call cairn.

use canon::jsonc::{Content, Document, Node, pointer_step};
use gate::words::{base_name, commands};

use super::Target;
use super::place::Kind;

/// An entry that calls cairn.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ours {
    /// The JSON pointer of the element of the event's list, or of the handler in a group that has others too.
    pub pointer: String,
    /// The JSON pointer of the list.
    pub list: String,
    /// The program that it starts.
    pub program: String,
}

/// The entries that call cairn, in the order of the text.
pub(super) fn find(target: &Target, document: &Document) -> Vec<Ours> {
    let mut found = Vec::new();
    for (list, items) in lists(target, document) {
        for (index, item) in items.iter().enumerate() {
            let element = format!("{list}/{index}");
            if let Kind::Plugins(name) = target.kind {
                if item.as_str() == Some(name) {
                    found.push(Ours { pointer: element, list: list.clone(), program: name.to_owned() });
                }
                continue;
            }
            let handlers = item.get("hooks").and_then(Node::as_array);
            let Some(handlers) = handlers else {
                let program = program(item);
                found.extend(program.map(|program| Ours { pointer: element, list: list.clone(), program }));
                continue;
            };
            for (inner, handler) in handlers.iter().enumerate() {
                let alone = handlers.len() == 1;
                let pointer = if alone { element.clone() } else { format!("{element}/hooks/{inner}") };
                let program = program(handler);
                found.extend(program.map(|program| Ours { pointer, list: list.clone(), program }));
            }
        }
    }
    found
}

/// Commands that reach cairn's hook through something else: a shell, a wrapper, a variable in front.
pub(super) fn wrapped(target: &Target, document: &Document) -> Vec<String> {
    let mut found = Vec::new();
    for (_, items) in lists(target, document) {
        for item in items {
            let handlers = item.get("hooks").and_then(Node::as_array).unwrap_or(std::slice::from_ref(item));
            let lines = handlers.iter().filter(|handler| program(handler).is_none()).filter_map(line);
            found.extend(
                lines
                    .filter(|line| line.contains("cairn hook ") || line.contains("cairn\" hook "))
                    .map(str::to_owned),
            );
        }
    }
    found
}

/// The lists in which entries stand, by JSON pointer.
pub(super) fn lists<'a>(target: &Target, document: &'a Document) -> Vec<(String, &'a [Node])> {
    match target.kind {
        Kind::Hooks(form) => {
            let root = document.root();
            let events = form.parent.map_or(Some(root), |parent| root.get(parent)).map(|node| &node.content);
            let parent = form.parent.map(|parent| format!("/{parent}")).unwrap_or_default();
            match events {
                Some(Content::Object(events)) => events
                    .iter()
                    .filter_map(|event| {
                        let list = event.value.as_array()?;
                        Some((format!("{parent}/{}", pointer_step(&event.key)), list))
                    })
                    .collect(),
                _ => Vec::new(),
            }
        }
        Kind::Plugins(_) => {
            let list = document.root().get("plugins").and_then(Node::as_array);
            list.map(|list| ("/plugins".to_owned(), list)).into_iter().collect()
        }
        Kind::Bridge { .. } => Vec::new(),
    }
}

fn line(handler: &Node) -> Option<&str> {
    ["command", "bash", "powershell"].iter().find_map(|key| handler.get(key)?.as_str())
}

/// The program of a handler that is `cairn hook <agent> …` and nothing else.
fn program(handler: &Node) -> Option<String> {
    words(handler).and_then(|words| words.into_iter().next())
}

/// The words of each handler that is `cairn hook <agent> …` and nothing else, in the order of the text.
pub(super) fn calls(target: &Target, document: &Document) -> Vec<Vec<String>> {
    let items = lists(target, document).into_iter().flat_map(|(_, items)| items);
    let handlers = items
        .flat_map(|item| item.get("hooks").and_then(Node::as_array).unwrap_or(std::slice::from_ref(item)));
    handlers.filter_map(words).collect()
}

fn words(handler: &Node) -> Option<Vec<String>> {
    let line = line(handler)?;
    let words: Vec<String> = if let Some(args) = handler.get("args").and_then(Node::as_array) {
        let args = args.iter().filter_map(|arg| arg.as_str().map(str::to_owned));
        std::iter::once(line.to_owned()).chain(args).collect()
    } else {
        let [words] = <[Vec<String>; 1]>::try_from(commands(line.strip_prefix("& ").unwrap_or(line))).ok()?;
        words
    };
    let [program, verb, ..] = words.as_slice() else { return None };
    let name = base_name(program).rsplit('\\').next().unwrap_or_default();
    let name = name.strip_suffix(".exe").unwrap_or(name);
    (name == "cairn" && verb == "hook").then_some(words)
}
