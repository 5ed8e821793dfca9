//! `tasks.json` as text: read without loss, changed task by task.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use canon::json::{self, Damage, Editor, Step};
use canon::{Hasher, Sha256};
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

    /// What lists need of every task.
    pub fn heads(&self) -> Result<Vec<TaskHead<'_>>, Damage> {
        json::read(self.legible().as_bytes())
    }

    /// Every task, whole.
    pub fn all(&self) -> Result<Vec<Task>, Damage> {
        json::read(self.legible().as_bytes())
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
        json::read(&self.legible().as_bytes()[span.clone()]).map_err(|damage| {
            let before = &self.text[..span.start];
            let line = before.matches('\n').count();
            Damage { line: damage.line + line, ..damage }
        })
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
    let found: Vec<(usize, (&str, &str))> =
        ids.enumerate().filter(|(_, (id, _))| !wanted.is_empty() && begins(id)).collect();
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
    /// The digest of the text up to where a task would be added, and that place.
    prefix: (Hasher, usize),
    digest: Sha256,
    edited: BTreeMap<usize, Editor>,
    removed: Vec<usize>,
    added: Vec<Value>,
    spans: Option<Vec<Range<usize>>>,
}

impl TasksEdit {
    pub fn new(tasks: Tasks) -> Self {
        let text = tasks.as_str();
        let end = text.trim_end().strip_suffix(']').map_or(0, |body| body.trim_end().len());
        let mut hasher = Hasher::new();
        hasher.update(&text[..end]);
        let mut whole = hasher.clone();
        whole.update(&text[end..]);
        Self {
            prefix: (hasher, end),
            digest: whole.finish(),
            edited: BTreeMap::new(),
            removed: Vec::new(),
            added: Vec::new(),
            spans: None,
            tasks,
        }
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
            return Ok(Some(json::read(json::legible(editor.as_str()).as_bytes())?));
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

    /// The new text and its digest; none where nothing changed.
    pub fn finish(mut self) -> Result<Option<(String, Sha256)>, Damage> {
        if self.edited.is_empty() && self.removed.is_empty() {
            return if self.added.is_empty() { Ok(None) } else { self.finish_append().map(Some) };
        }
        let spans = self.spans()?.to_vec();
        let mut text = std::mem::take(&mut self.tasks.text);
        for (index, editor) in self.edited.iter().rev() {
            if !self.removed.contains(index) {
                text.replace_range(spans[*index].clone(), editor.as_str());
            }
        }
        if !self.added.is_empty() || !self.removed.is_empty() {
            let mut editor = Editor::new(text)?;
            self.removed.sort_unstable();
            for index in self.removed.iter().rev() {
                editor.remove(&[Step::Index(*index)]);
            }
            for task in &self.added {
                editor.push(&[], task);
            }
            text = editor.into_text();
        }
        let digest = Sha256::of(&text);
        Ok(Some((text, digest)))
    }

    /// Adds at the end without a look at the tasks before, which keeps the cost of a new task apart from
    /// their number.
    fn finish_append(self) -> Result<(String, Sha256), Damage> {
        let (mut hasher, end) = self.prefix;
        let old = self.tasks.text;
        if end == 0 || old[..end].trim_start_matches('\u{feff}').trim() == "[" {
            let mut editor = Editor::new(if old.trim().is_empty() { "[]\n".to_owned() } else { old })?;
            for task in &self.added {
                editor.push(&[], task);
            }
            let text = editor.into_text();
            let digest = Sha256::of(&text);
            return Ok((text, digest));
        }
        let newline = if old[..old.len().min(4096)].contains("\r\n") { "\r\n" } else { "\n" };
        // A file that other hands laid out on one line stays on one line.
        let spread = old[..end].contains('\n');
        let mut tail = String::new();
        for task in &self.added {
            let task = if spread { json::pretty(task) } else { json::compact(task) };
            tail.push(',');
            if spread {
                for line in task.split('\n') {
                    tail.push_str(newline);
                    tail.push_str("  ");
                    tail.push_str(line);
                }
            } else {
                tail.push_str(&task);
            }
        }
        tail.push_str(&old[end..]);
        hasher.update(&tail);
        let mut text = old;
        text.truncate(end);
        text.push_str(&tail);
        Ok((text, hasher.finish()))
    }
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
        let (text, digest) = edit.finish().unwrap().unwrap();
        assert_eq!(digest, Sha256::of(&text));
        text
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
    fn ids_resolve_exactly_or_not_at_all() {
        let ids = [("task-aa", "one"), ("task-aab", "two"), ("q-1", "three")];
        let find = |wanted| resolve(ids.iter().copied(), wanted, "task");
        assert_eq!(find("task-aa").unwrap(), 0);
        assert_eq!(find("task-aab").unwrap(), 1);
        assert_eq!(find("aab").unwrap(), 1);
        assert_eq!(find("q").unwrap(), 2);
        assert_eq!(find("t").unwrap_err().code, codes::AMBIGUOUS_ID);
        assert_eq!(find("").unwrap_err().code, codes::NOT_FOUND);
        assert_eq!(find("zz").unwrap_err().code, codes::NOT_FOUND);
        let doubled = [("task-a", ""), ("task-a", "")];
        assert_eq!(resolve(doubled.iter().copied(), "task-a", "task").unwrap_err().code, codes::AMBIGUOUS_ID);
    }
}
