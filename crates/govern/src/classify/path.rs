//! From a text to the place that it names.

use std::path::{Path, PathBuf};

use super::effects::{Place, Spares, Target};
use super::pattern::escape;
use super::text::{Piece, Text};

/// A folder that relative paths begin in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Base {
    /// This absolute folder.
    Known(String),
    /// Any folder.
    Unknown,
}

impl Base {
    /// The folder, where there is one.
    pub fn of(folder: Option<&Path>) -> Self {
        match folder.map(|folder| forward(&folder.to_string_lossy())) {
            Some(folder) if is_absolute(&folder) => Self::Known(normal(&folder)),
            _ => Self::Unknown,
        }
    }
}

/// The folders that `text` may name when it is entered from `base`.
pub fn bases(base: &Base, text: &Text) -> Vec<Base> {
    let Some(literal) = text.as_literal().map(forward) else {
        return vec![Base::Unknown];
    };
    if is_absolute(&literal) {
        return vec![Base::Known(normal(&literal))];
    }
    match base {
        Base::Known(folder) => vec![Base::Known(normal(&format!("{folder}/{literal}")))],
        Base::Unknown => vec![Base::Unknown],
    }
}

/// What `text` names from each of `bases`. Devices that hold nothing are left out.
pub fn targets(bases: &[Base], text: &Text, tree: bool) -> Vec<Target> {
    let written = text.show();
    if let Some(literal) = text.as_literal() {
        let literal = forward(literal);
        if literal.is_empty() || is_sink(&literal) {
            return Vec::new();
        }
        if is_absolute(&literal) {
            return vec![at_path(&literal, tree, written)];
        }
        let targets = bases.iter().map(|base| match base {
            Base::Known(folder) => at_path(&format!("{folder}/{literal}"), tree, written.clone()),
            Base::Unknown => pattern(&format!("**/{}", escape(&literal)), tree, written.clone()),
        });
        return targets.collect();
    }
    let mut body = String::new();
    for piece in text.pieces() {
        match piece {
            Piece::Literal(text) => body.push_str(&escape(text)),
            Piece::Glob(glob) => body.push_str(glob),
            Piece::Unknown => body.push_str("**"),
        }
    }
    if text.has_unknown() && !ends_in_a_name(text) {
        return vec![Target { tree, ..Target::unknown(written) }];
    }
    let starts_open = matches!(text.pieces().first(), Some(Piece::Unknown));
    if starts_open || is_absolute(&body) {
        return vec![pattern(&body, tree, written)];
    }
    let targets = bases.iter().map(|base| match base {
        Base::Known(folder) => pattern(&format!("{}/{body}", escape(folder)), tree, written.clone()),
        Base::Unknown => pattern(&format!("**/{body}"), tree, written.clone()),
    });
    targets.collect()
}

/// Whether the last name of a text is known although what stands before it is not.
fn ends_in_a_name(text: &Text) -> bool {
    match text.pieces().last() {
        Some(Piece::Literal(last)) => last.rfind('/').is_some_and(|at| {
            let name = &last[at + 1..];
            !name.is_empty() && name != "." && name != ".."
        }),
        _ => false,
    }
}

/// What a process has as its folder or its root, under the names that the kernel gives them.
fn through_process(path: &str) -> Option<(&str, &str)> {
    let (process, rest) = path.strip_prefix("/proc/")?.split_once('/')?;
    let (process, rest) = match rest.strip_prefix("task/").and_then(|rest| rest.split_once('/')) {
        Some((_, rest)) => (process, rest),
        None => (process, rest),
    };
    let (what, rest) = rest.split_once('/').unwrap_or((rest, ""));
    (!process.is_empty() && matches!(what, "cwd" | "root")).then_some((what, rest))
}

fn at_path(path: &str, tree: bool, written: String) -> Target {
    match through_process(&normal(path)) {
        Some(("root", rest)) => return at_path(&format!("/{rest}"), tree, written),
        // Whose folder it is can't be told.
        Some((_, rest)) if !rest.is_empty() => {
            return pattern(&format!("**/{}", escape(rest)), tree, written);
        }
        _ => {}
    }
    // What the kernel shows under these names may be any file of the disk.
    let is_device = path.starts_with("/dev/") && !path.starts_with("/dev/shm/");
    if path == "/proc" || path.starts_with("/proc/") || is_device {
        return Target { tree, ..Target::unknown(written) };
    }
    let normal = normal(path);
    let spelled = leaves_a_named_folder(path).then(|| PathBuf::from(path));
    Target { place: Place::Path(PathBuf::from(normal)), tree, spelled, written, spares: Spares::Nothing }
}

fn pattern(body: &str, tree: bool, written: String) -> Target {
    if body.starts_with("/proc/")
        && let Some((_, rest)) = body.split_once("/cwd/").or_else(|| body.split_once("/root/"))
    {
        return pattern(&format!("**/{rest}"), tree, written);
    }
    let leading = body.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in body.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                if parts.last() != Some(&"**") {
                    parts.pop();
                }
            }
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    let place = Place::Pattern(if leading { format!("/{joined}") } else { joined });
    Target { place, tree, spelled: None, written, spares: Spares::Nothing }
}

fn leaves_a_named_folder(path: &str) -> bool {
    let mut is_named = false;
    for part in path.split('/') {
        match part {
            ".." if is_named => return true,
            "" | "." | ".." => {}
            _ => is_named = true,
        }
    }
    false
}

/// An absolute path without `.`, `..` and doubled slashes.
fn normal(path: &str) -> String {
    let (drive, rest) = match path.as_bytes() {
        [letter, b':', ..] if letter.is_ascii_alphabetic() => path.split_at(2),
        _ => ("", path),
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in rest.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("{drive}/{}", parts.join("/"))
}

/// A path of Windows with slashes.
fn forward(path: &str) -> String {
    let has_drive =
        matches!(path.as_bytes(), [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic());
    if has_drive || cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() }
}

fn is_absolute(path: &str) -> bool {
    path.starts_with('/')
        || matches!(path.as_bytes(), [letter, b':', b'/', ..] if letter.is_ascii_alphabetic())
}

/// Whether a path is a device or stream that keeps nothing.
fn is_sink(path: &str) -> bool {
    matches!(
        path,
        "/dev/null"
            | "/dev/stdin"
            | "/dev/stdout"
            | "/dev/stderr"
            | "/dev/tty"
            | "/dev/zero"
            | "/dev/full"
            | "/dev/random"
            | "/dev/urandom"
    ) || path.strip_prefix("/dev/fd/").is_some_and(|fd| fd.bytes().all(|byte| byte.is_ascii_digit()))
}
