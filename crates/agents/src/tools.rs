//! What the tools of agents do, by their names and arguments.

use gate::event::{Todo, Tool};
use gate::words::quote;
use serde_json::Value;

use crate::fields::{Fields, Read};

const COMMAND: &[&str] = &["command", "CommandLine", "cmd"];
const FOLDER: &[&str] =
    &["cwd", "workdir", "Cwd", "dir_path", "directory", "working_directory", "workingDirectory"];
const PATH: &[&str] = &[
    "file_path",
    "filePath",
    "path",
    "absolute_path",
    "AbsolutePath",
    "TargetFile",
    "target_file",
    "notebook_path",
    "target_notebook",
    "filepath",
];
const PLACE: &[&str] = &[
    "path",
    "dir_path",
    "SearchPath",
    "SearchDirectory",
    "DirectoryPath",
    "directory",
    "target_directory",
    "file_path",
    "filePath",
];
const PATTERN: &[&str] = &["pattern", "query", "Query", "Pattern", "glob_pattern", "regex"];
const CONTENT: &[&str] = &["content", "contents", "file_text", "CodeContent", "new_content"];
const REPLACED: &[&str] = &["old_string", "oldString", "old_str", "TargetContent"];
const PARTS: &[&str] = &["edits", "ReplacementChunks", "replacements"];
const FILES: &[&str] = &["files", "replacements", "edits"];
const PATCH: &[&str] = &["command", "input", "patch", "patchText", "patch_text"];
const FIRST: &[&str] = &["offset", "start_line", "startLine", "StartLine"];
const LAST: &[&str] = &["end_line", "endLine", "EndLine"];
const BACKGROUND: &[&str] = &["run_in_background", "is_background", "isBackground", "background"];
const STEPS: &[&str] = &["todos", "plan", "todoList", "steps", "items"];
const PLAN: &[&str] = &["plan", "todos", "explanation", "summary"];
const TOLD: &[&str] = &["prompt", "message", "task", "Task", "instructions", "description"];
const FETCHED: &[&str] = &["url", "Url", "query", "prompt"];

/// What a tool does.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// Runs a command in this shell.
    Shell(&'static str),
    /// Writes or deletes a file.
    Write,
    /// Changes a file.
    Edit,
    /// Changes several files.
    Edits,
    /// Applies a patch.
    Patch,
    /// Changes a notebook.
    Notebook,
    /// Reads a file whose lines are counted from 1.
    Read,
    /// Reads a file whose lines are counted from 0.
    ReadFromZero,
    /// Looks for names.
    Names,
    /// Looks into files.
    Text,
    /// Carries steps.
    Todos,
    /// Carries a plan as text, or not at all.
    Plan,
    /// Starts another agent.
    Subagent,
    /// Uses the network.
    Fetch,
    /// Asks the person.
    Ask,
    /// Changes nothing.
    Harmless,
}

/// An agent's tools by name. A name that is not there is a tool that acts.
pub(crate) type Tools = &'static [(&'static str, Kind)];

/// What the call of `name` does. A tool that is known and whose arguments are not what it takes can't be read.
pub(crate) fn tool(tools: Tools, name: &str, input: &Value) -> Read<Tool> {
    if let Some(tool) = mcp(name) {
        return Ok(tool);
    }
    let Some((_, kind)) = tools.iter().find(|(known, _)| *known == name) else { return Ok(Tool::Other) };
    let told = |fault: String| format!("the arguments of `{name}`: {fault}");
    match (kind, input) {
        (Kind::Patch, Value::String(text)) => Ok(Tool::Patch { text: text.clone() }),
        (_, Value::Object(map)) => make(*kind, Fields(map)).map_err(told),
        _ => Err(told("they are no object".to_owned())),
    }
}

/// The tool of an MCP server in the spelling of Claude Code.
fn mcp(name: &str) -> Option<Tool> {
    let (server, tool) = name.strip_prefix("mcp__")?.split_once("__")?;
    (!server.is_empty() && !tool.is_empty())
        .then(|| Tool::Mcp { server: server.to_owned(), tool: tool.to_owned() })
}

fn make(kind: Kind, input: Fields<'_>) -> Read<Tool> {
    Ok(match kind {
        Kind::Shell(shell) => Tool::Shell {
            command: command(input)?,
            cwd: input.one_text(FOLDER)?.filter(|folder| !folder.is_empty()).map(str::to_owned),
            shell: shell.to_owned(),
            background: input.flag(BACKGROUND),
        },
        Kind::Write => {
            Tool::Write { path: path(input)?, content: input.one_text(CONTENT)?.map(str::to_owned) }
        }
        Kind::Edit => Tool::Edit { path: path(input)?, replaced: replaced(input)? },
        Kind::Edits => Tool::Edits { paths: paths(input)? },
        Kind::Patch => match input.one_text(PATCH)? {
            Some(text) => Tool::Patch { text: text.to_owned() },
            None => return Err("the patch is missing".to_owned()),
        },
        Kind::Notebook => Tool::Notebook { path: path(input)? },
        Kind::Read => read(input, 0)?,
        Kind::ReadFromZero => read(input, 1)?,
        Kind::Names => search(input, "*", false)?,
        Kind::Text => search(input, "", true)?,
        Kind::Todos => match plan(input) {
            Tool::Plan { todos, text: None } if todos.is_empty() && input.list(STEPS).is_none() => {
                return Err("the steps are missing".to_owned());
            }
            plan => plan,
        },
        Kind::Plan => plan(input),
        Kind::Subagent => Tool::Subagent { prompt: input.text(TOLD)?.unwrap_or_default().to_owned() },
        Kind::Fetch => Tool::Fetch { target: fetched(input) },
        Kind::Ask => Tool::Ask,
        Kind::Harmless => Tool::Harmless,
    })
}

/// A command line; a list of words is written as one.
fn command(input: Fields<'_>) -> Read<String> {
    match input.one(COMMAND)? {
        Some(Value::String(line)) => Ok(line.clone()),
        Some(Value::Array(words)) => {
            let words: Option<Vec<String>> = words.iter().map(|word| word.as_str().map(quote)).collect();
            words.map(|words| words.join(" ")).ok_or_else(|| "a word of the command is no text".to_owned())
        }
        Some(_) => Err("the command is no text".to_owned()),
        None => Err("the command is missing".to_owned()),
    }
}

fn path(input: Fields<'_>) -> Read<String> {
    match input.one_text(PATH)? {
        Some(path) => checked(path),
        None => Err("the path is missing".to_owned()),
    }
}

fn checked(path: &str) -> Read<String> {
    match path {
        "" => Err("the path is empty".to_owned()),
        _ if path.contains('\0') => Err("the path holds a zero byte".to_owned()),
        _ => Ok(path.to_owned()),
    }
}

fn paths(input: Fields<'_>) -> Read<Vec<String>> {
    let files = input.list(FILES).ok_or_else(|| "the list of files is missing".to_owned())?;
    let one = |file: &Value| match file {
        Value::String(path) => checked(path),
        Value::Object(map) => path(Fields(map)),
        _ => Err("a file is no text".to_owned()),
    };
    files.iter().map(one).collect()
}

fn replaced(input: Fields<'_>) -> Read<Vec<String>> {
    let mut replaced: Vec<String> = input.one_text(REPLACED)?.map(str::to_owned).into_iter().collect();
    for part in input.list(PARTS).unwrap_or_default() {
        if let Value::Object(map) = part {
            replaced.extend(Fields(map).one_text(REPLACED)?.map(str::to_owned));
        }
    }
    Ok(replaced)
}

fn read(input: Fields<'_>, from_zero: u64) -> Read<Tool> {
    let path = path(input)?;
    if let Some([first, last]) = input.list(&["view_range"]) {
        let first = first.as_u64();
        let lines = first.zip(last.as_u64()).and_then(|(first, last)| (last + 1).checked_sub(first));
        return Ok(Tool::Read { path, first, lines });
    }
    let first = input.number(FIRST).map(|first| first.saturating_add(from_zero));
    let last = input.number(LAST);
    let to_last = last.and_then(|last| last.saturating_add(1).checked_sub(first.unwrap_or(1)));
    Ok(Tool::Read { path, first, lines: input.number(&["limit"]).or(to_last) })
}

fn search(input: Fields<'_>, pattern: &str, content: bool) -> Read<Tool> {
    let place = input.one_text(PLACE)?.filter(|place| !place.is_empty());
    if place.is_some_and(|place| place.contains('\0')) {
        return Err("the path holds a zero byte".to_owned());
    }
    Ok(Tool::Search {
        path: place.map(str::to_owned),
        pattern: input.one_text(PATTERN)?.unwrap_or(pattern).to_owned(),
        content,
    })
}

fn fetched(input: Fields<'_>) -> String {
    let first = input.list(&["urls"]).and_then(<[Value]>::first);
    input.get(FETCHED).or(first).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn plan(input: Fields<'_>) -> Tool {
    let todos = input.list(STEPS).unwrap_or_default().iter().map(todo).collect();
    let text = PLAN.iter().find_map(|key| input.0.get(*key)?.as_str()).map(str::to_owned);
    Tool::Plan { todos, text }
}

/// One step; what is not text in it counts as missing, which a gate sees.
fn todo(step: &Value) -> Todo {
    let text = |keys: &[&str]| match step {
        Value::Object(map) => Fields(map).text(keys).ok().flatten().map(str::to_owned),
        _ => None,
    };
    Todo {
        content: text(&["content", "step", "description", "title", "text"])
            .or_else(|| step.as_str().map(str::to_owned)),
        status: text(&["status", "state"]),
        priority: text(&["priority"]),
    }
}
