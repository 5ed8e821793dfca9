//! What Python takes for a test runner: a module of the tree may stand in front of the installed one.

use super::Part;
use super::files::{Files, join, within};

/// Modules that run tests. One of the tree with such a name is no code that the tests are about.
const RUNNERS: &[&str] = &[
    "unittest", "pytest", "_pytest", "pluggy", "nose", "nose2", "doctest", "coverage", "tox", "nox",
    "behave", "robot", "twisted",
];

/// Modules that Python runs before anything else.
const STARTUP: &[&str] = &["sitecustomize.py", "usercustomize.py"];

/// Whether a program is Python itself.
pub(super) fn is_python(name: &str) -> bool {
    let rest = ["python", "pypy"].iter().find_map(|begin| name.strip_prefix(begin));
    name == "py" || rest.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

/// Whether a program is a runner that is installed as a script of its own.
pub(super) fn is_runner(name: &str) -> bool {
    name == "py.test" || RUNNERS.contains(&name)
}

/// The module that `args` of Python run with `-m`.
pub(super) fn module(args: &[String]) -> Option<&str> {
    for (place, arg) in args.iter().enumerate() {
        let flags = arg.strip_prefix('-').filter(|flags| !flags.starts_with('-'))?;
        if let Some((_, module)) = flags.split_once('m') {
            return if module.is_empty() { args.get(place + 1).map(String::as_str) } else { Some(module) };
        }
        if flags.ends_with('c') {
            return None;
        }
    }
    None
}

/// The folders that a `PYTHONPATH` names, as seen from `folder`. Python takes an empty one for where it is called.
pub(super) fn path(value: &str, folder: &str) -> Vec<String> {
    let folders = value.split(':').map(|part| part.trim_end_matches('/'));
    folders
        .filter_map(|part| match part {
            "" | "." | "$PWD" | "${PWD}" => Some(folder.to_owned()),
            part => join(folder, part.trim_start_matches("$PWD/").trim_start_matches("${PWD}/")),
        })
        .collect()
}

/// The files of these folders that Python takes for a runner, for the module that is run, or for its own set-up.
pub(super) fn shadows(files: &Files<'_>, run: Option<&str>, folders: &[String]) -> Vec<Part> {
    let mut names: Vec<String> = STARTUP.iter().map(|&name| name.to_owned()).collect();
    for runner in RUNNERS {
        names.extend(["{}.py", "{}/__init__.py", "{}/__main__.py"].map(|form| form.replace("{}", runner)));
    }
    if let Some(run) = run {
        let module = run.replace('.', "/");
        names.extend([format!("{module}.py"), format!("{module}/__main__.py")]);
    }
    let mut parts: Vec<Part> = Vec::new();
    for folder in folders {
        for name in &names {
            let file = within(folder, name);
            if files.is_file(&file) && !parts.iter().any(|part| part.what == file) {
                parts.extend(Part::whole(files, &file).map(Part::by_fixed_name));
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpreters_and_what_they_run() {
        for name in ["python", "python3", "python3.12", "pypy3", "py"] {
            assert!(is_python(name), "{name}");
        }
        assert!(!is_python("pytest") && !is_python("python-config") && is_runner("pytest"));
        let module = |args: &[&str]| {
            let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
            module(&args).map(str::to_owned)
        };
        assert_eq!(module(&["-m", "unittest", "discover"]).as_deref(), Some("unittest"));
        assert_eq!(module(&["-Im", "pytest"]).as_deref(), Some("pytest"));
        assert_eq!(module(&["-u", "-mpytest"]).as_deref(), Some("pytest"));
        assert_eq!(module(&["run.py", "-m", "x"]), None);
        assert_eq!(module(&["-c", "pass", "-m"]), None);
    }

    #[test]
    fn the_path_is_seen_from_where_python_is_called() {
        assert_eq!(path("src:.::../x:$PWD/lib:/opt:$LIB", "web"), ["web/src", "web", "web", "x", "web/lib"]);
    }
}
