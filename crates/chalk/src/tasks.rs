//! `tasks.json` as text: read without loss, changed task by task.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use canon::Sha256;
use canon::json::{self, Damage, Editor, Step};
use gate::Refusal;
use serde_json::Value;

use crate::codes;
use crate::model::{Task, TaskHead, display_id};

/// The tasks of a spine, in the file's order.
#[derive(Debug, Clone, Default)]
pub struct Tasks {
    text: String,
    /// The text with cut surrogate pairs mended, where there are any; the same length.
    mended: Option<String>,
}

impl Tasks {
    /// Takes the bytes of `tasks.json`; an empty file counts as no tasks, any other text must be UTF-8.
    pub fn new(bytes: Vec<u8>) -> Result<Self, Damage> {
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => return Err(json::check(error.as_bytes()).err().unwrap_or(not_utf8())),
        };
        let mended = match json::legible(&text) {
            Cow::Borrowed(_) => None,
            Cow::Owned(mended) => Some(mended),
        };
        Ok(Self { text, mended })
    }

    fn legible(&self) -> &str {
        self.mended.as_deref().unwrap_or(&self.text)
    }

    /// What lists need of every task. A large file is read in two halves at once.
    pub fn heads(&self) -> Result<Vec<TaskHead<'_>>, Damage> {
        let text = self.legible();
        match split(text) {
            // Halves that aren't right don't fit, and then the whole text says why.
            Some((front, back)) => {
                heads_of_halves(front, back).map_or_else(|| json::read_sparse(text.as_bytes()), Ok)
            }
            None => json::read_sparse(text.as_bytes()),
        }
    }

    /// Every task, whole.
    pub fn all(&self) -> Result<Vec<Task>, Damage> {
        json::read_sparse(self.legible().as_bytes())
    }

    /// The text of every task.
    pub fn spans(&self) -> Result<Vec<Range<usize>>, Damage> {
        json::elements(&self.text)
    }

    /// The bytes of the file.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The task at `span`.
    pub fn task(&self, span: &Range<usize>) -> Result<Task, Damage> {
        json::read_sparse(&self.legible().as_bytes()[span.clone()]).map_err(|damage| {
            let before = &self.text[..span.start];
            let line = before.matches('\n').count();
            Damage { line: damage.line + line, ..damage }
        })
    }
}

/// From this size on, two threads are worth their start.
const LARGE: usize = 512 * 1024;

/// The objects of the first and of the second half of an array of tasks in the usual layout; none for a small
/// text or another layout.
fn split(text: &str) -> Option<(&str, &str)> {
    const BETWEEN: &str = "\n  },\n  {\n";
    if text.len() < LARGE {
        return None;
    }
    let mut middle = text.len() / 2;
    while !text.is_char_boundary(middle) {
        middle += 1;
    }
    let between = middle + text[middle..].find(BETWEEN)?;
    let body = text.trim_start_matches('\u{feff}').trim_start().strip_prefix('[')?;
    let start = text.len() - body.len();
    let end = text.trim_end().strip_suffix(']')?.len();
    (start < between && between < end).then(|| (&text[start..between + 4], &text[between + 5..end]))
}

/// Reads both halves; none where one of them isn't a list of tasks.
fn heads_of_halves<'t>(front: &'t str, back: &'t str) -> Option<Vec<TaskHead<'t>>> {
    let (front, back) = std::thread::scope(|scope| {
        let back = scope.spawn(move || heads_in(back));
        (heads_in(front), back.join())
    });
    let mut heads = front?;
    heads.append(&mut back.ok()??);
    Some(heads)
}

/// The tasks of a text that is a list without its brackets.
fn heads_in(text: &str) -> Option<Vec<TaskHead<'_>>> {
    let mut heads = Vec::with_capacity(text.len() / 600);
    let mut rest = text;
    loop {
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<TaskHead<'_>>();
        heads.push(stream.next()?.ok()?);
        rest = rest[stream.byte_offset()..].trim_start();
        if rest.is_empty() {
            return Some(heads);
        }
        rest = rest.strip_prefix(',')?;
    }
}

fn not_utf8() -> Damage {
    Damage { message: "not UTF-8".to_owned(), line: 1, column: 1, conflict: false }
}

/// Which of `ids` the text `wanted` names: an exact id first, otherwise the only one that begins so,
/// with or without its `task-`.
pub fn resolve<'a>(
    ids: impl Iterator<Item = (&'a str, &'a str)> + Clone,
    wanted: &str,
    what: &str,
) -> Result<usize, Refusal> {
    if canon::text::is_blank(wanted) {
        return Err(
            Refusal::new(codes::USAGE, "the id is empty").hint("give the id, or enough of its beginning")
        );
    }
    let exact: Vec<usize> =
        ids.clone().enumerate().filter(|(_, (id, _))| *id == wanted).map(|(i, _)| i).collect();
    match exact[..] {
        [only] => return Ok(only),
        [_, ..] => {
            return Err(Refusal::new(
                codes::AMBIGUOUS_ID,
                format!("{} {what}s have the id `{wanted}`", exact.len()),
            )
            .hint("a merge doubled it; take one of them out of the file"));
        }
        [] => {}
    }
    let begins = |id: &str| {
        id.starts_with(wanted) || id.split_once('-').is_some_and(|(_, digits)| digits.starts_with(wanted))
    };
    let found: Vec<(usize, (&str, &str))> = ids.enumerate().filter(|(_, (id, _))| begins(id)).collect();
    match found[..] {
        [(index, _)] => Ok(index),
        [] => Err(Refusal::new(codes::NOT_FOUND, format!("no {what} has the id `{wanted}`"))),
        _ => {
            let shown = found.iter().take(8).map(|(_, (id, title))| {
                let id = if found.iter().filter(|(_, (other, _))| display_id(other) == display_id(id)).count()
                    > 1
                {
                    id
                } else {
                    display_id(id)
                };
                format!("{id}  {}", canon::text::clip(title, 60))
            });
            let mut refusal = Refusal::new(
                codes::AMBIGUOUS_ID,
                format!("{} {what}s have ids that begin with `{wanted}`", found.len()),
            )
            .facts(shown);
            if found.len() > 8 {
                refusal = refusal.fact(format!("and {} more", found.len() - 8));
            }
            Err(refusal.hint("give more of the id"))
        }
    }
}

/// `tasks.json` under change: every task that isn't touched keeps its bytes.
pub(crate) struct TasksEdit {
    tasks: Tasks,
    digest: Sha256,
    edited: BTreeMap<usize, Editor>,
    removed: Vec<usize>,
    added: Vec<Value>,
    spans: Option<Vec<Range<usize>>>,
}

impl TasksEdit {
    pub fn new(tasks: Tasks) -> Self {
        let digest = Sha256::of(tasks.as_str());
        Self { digest, edited: BTreeMap::new(), removed: Vec::new(), added: Vec::new(), spans: None, tasks }
    }

    /// The digest of the file as it was read.
    pub fn digest(&self) -> Sha256 {
        self.digest
    }

    pub fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    fn spans(&mut self) -> Result<&[Range<usize>], Damage> {
        if self.spans.is_none() {
            self.spans = Some(self.tasks.spans()?);
        }
        Ok(self.spans.as_deref().unwrap_or_default())
    }

    /// The task at `index` as it stands with its changes.
    pub fn task(&mut self, index: usize) -> Result<Option<Task>, Damage> {
        if let Some(editor) = self.edited.get(&index) {
            return Ok(Some(json::read_sparse(json::legible(editor.as_str()).as_bytes())?));
        }
        let Some(span) = self.spans()?.get(index).cloned() else { return Ok(None) };
        self.tasks.task(&span).map(Some)
    }

    /// Changes the task at `index`.
    pub fn edit(&mut self, index: usize, change: impl FnOnce(&mut Editor)) -> Result<(), Damage> {
        if !self.edited.contains_key(&index) {
            let Some(span) = self.spans()?.get(index).cloned() else { return Ok(()) };
            let editor = Editor::new(&self.tasks.as_str()[span])?;
            self.edited.insert(index, editor);
        }
        if let Some(editor) = self.edited.get_mut(&index) {
            change(editor);
        }
        Ok(())
    }

    pub fn add(&mut self, task: Value) {
        self.added.push(task);
    }

    pub fn remove(&mut self, index: usize) {
        self.removed.push(index);
    }

    /// The text of the task at `index`, as the file has it.
    pub fn raw(&mut self, index: usize) -> Result<String, Damage> {
        let span = self.spans()?.get(index).cloned().unwrap_or_default();
        Ok(self.tasks.as_str()[span].to_owned())
    }

    /// The new text; none where nothing changed.
    pub fn finish(mut self) -> Result<Option<String>, Damage> {
        if self.edited.is_empty() && self.removed.is_empty() && self.added.is_empty() {
            return Ok(None);
        }
        let spans = if self.edited.is_empty() { Vec::new() } else { self.spans()?.to_vec() };
        let mut text = std::mem::take(&mut self.tasks.text);
        for (index, editor) in self.edited.iter().rev() {
            if !self.removed.contains(index) {
                text.replace_range(spans[*index].clone(), editor.as_str());
            }
        }
        if !self.added.is_empty() || !self.removed.is_empty() {
            let mut editor = Editor::new(if text.trim().is_empty() { "[]\n".to_owned() } else { text })?;
            self.removed.sort_unstable();
            for index in self.removed.iter().rev() {
                editor.remove(&[Step::Index(*index)]);
            }
            for task in &self.added {
                editor.push(&[], task);
            }
            text = editor.into_text();
        }
        Ok(Some(text))
    }
}

/// `tasks` as they stand in a file of the usual layout behind the ones before them.
pub(crate) fn appended(tasks: &[Value]) -> String {
    let mut text = String::new();
    for task in tasks {
        text.push(',');
        for line in json::pretty(task).split('\n') {
            text.push_str("\n  ");
            text.push_str(line);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TWO: &str =
        "[\n  {\n    \"id\": \"task-aa\",\n    \"x\": 1.0\n  },\n  {\n    \"id\": \"task-ab\"\n  }\n]\n";

    fn edit(text: &str) -> TasksEdit {
        TasksEdit::new(Tasks::new(text.as_bytes().to_vec()).unwrap())
    }

    fn finish(edit: TasksEdit) -> String {
        edit.finish().unwrap().unwrap()
    }

    #[test]
    fn untouched_tasks_keep_their_bytes() {
        let mut edit = edit(TWO);
        assert_eq!(edit.digest(), Sha256::of(TWO));
        edit.edit(1, |task| {
            task.set(&["state".into()], &json!("specd"));
        })
        .unwrap();
        edit.add(json!({ "id": "task-ac" }));
        assert_eq!(
            finish(edit),
            "[\n  {\n    \"id\": \"task-aa\",\n    \"x\": 1.0\n  },\n  {\n    \"id\": \"task-ab\",\n    \"state\": \"specd\"\n  },\n  {\n    \"id\": \"task-ac\"\n  }\n]\n"
        );
    }

    #[test]
    fn adding_equals_what_javascript_writes() {
        for start in ["", "[]\n", "[]", TWO] {
            let mut edit = edit(start);
            edit.add(json!({ "id": "t", "after": [], "reviews": [] }));
            let mut value: Value = serde_json::from_str(if start.is_empty() { "[]" } else { start }).unwrap();
            value.as_array_mut().unwrap().push(json!({ "id": "t", "after": [], "reviews": [] }));
            let end = if start == "[]" { "" } else { "\n" };
            let text = finish(edit);
            if start == TWO {
                let new = appended(&[json!({ "id": "t", "after": [], "reviews": [] })]);
                assert_eq!(text, format!("{}{new}\n]\n", TWO.trim_end_matches("\n]\n")));
            }
            if start != "[]" {
                assert_eq!(text, format!("{}{end}", json::pretty(&value)));
            }
            assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        }
    }

    #[test]
    fn removing_takes_one_task_out() {
        let mut edit = edit(TWO);
        edit.remove(0);
        assert_eq!(finish(edit), "[\n  {\n    \"id\": \"task-ab\"\n  }\n]\n");
    }

    #[test]
    fn damage_inside_a_task_is_named_by_its_line_in_the_file() {
        let text = TWO.replace("1.0", "1.0, \"tests\": 7");
        let tasks = Tasks::new(text.into_bytes()).unwrap();
        let span = tasks.spans().unwrap()[0].clone();
        assert_eq!(tasks.task(&span).unwrap_err().line, 4);
        assert_eq!(tasks.all().unwrap_err().line, 4);
    }

    #[test]
    fn two_halves_give_what_the_whole_gives() {
        let task = |n: usize| {
            json!({ "id": format!("task-{n}"), "title": "},\n  {\n ü \"", "state": "todo",
                "tests": [{ "path": "a" }], "reviews": [{ "findings": [] }] })
        };
        let all: Vec<Value> = (0..5000).map(task).collect();
        for text in [format!("{}\n", json::pretty(&json!(all))), json::compact(&json!(all))] {
            let tasks = Tasks::new(text.clone().into_bytes()).unwrap();
            let heads = tasks.heads().unwrap();
            let whole: Vec<TaskHead<'_>> = json::read(text.as_bytes()).unwrap();
            assert_eq!(format!("{heads:?}"), format!("{whole:?}"));
        }
        assert!(split(&json::pretty(&json!(all))).is_some());
        // Damage is named by its place in the whole text.
        let text = json::pretty(&json!(all)).replacen("\"task-4000\"", "7", 1);
        let line = text[..text.find("\"id\": 7").unwrap()].matches('\n').count() + 1;
        assert_eq!(Tasks::new(text.into_bytes()).unwrap().heads().unwrap_err().line, line);
    }

    #[test]
    fn ids_resolve_exactly_or_not_at_all() {
        let ids = [("task-aa", "one"), ("task-aab", "two"), ("q-1", "three")];
        let find = |wanted| resolve(ids.iter().copied(), wanted, "task");
        assert_eq!(find("task-aa").unwrap(), 0);
        assert_eq!(find("task-aab").unwrap(), 1);
        assert_eq!(find("aab").unwrap(), 1);
        assert_eq!(find("q").unwrap(), 2);
        assert_eq!(find("t").unwrap_err().code, codes::AMBIGUOUS_ID);
        assert_eq!(find("").unwrap_err().code, codes::USAGE);
        assert_eq!(find("zz").unwrap_err().code, codes::NOT_FOUND);
        let doubled = [("task-a", ""), ("task-a", "")];
        assert_eq!(resolve(doubled.iter().copied(), "task-a", "task").unwrap_err().code, codes::AMBIGUOUS_ID);
    }
}
