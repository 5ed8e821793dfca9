//! The paths that git's commands are given, and what of them it shows.

use crate::classify::Spares;
use crate::classify::shell::Shell;
use crate::classify::text::{Piece, Text};

use super::options::Options;

impl Shell<'_> {
    /// What git shows of files by its commands that show content.
    pub(super) fn git_shows(&mut self, command: &str, rest: &[Text], options: &Options) {
        let counts = ["--stat", "--name-only", "--name-status", "--numstat", "--shortstat", "--quiet"];
        let patches = options.has(&["-p", "-u", "--patch"]);
        let shows = match command {
            "show" | "diff" | "diff-tree" | "diff-index" | "diff-files" => patches || !options.has(&counts),
            "log" | "whatchanged" => patches || options.has(&["-L"]),
            "blame" | "annotate" | "cat-file" | "archive" => true,
            _ => false,
        };
        if !shows {
            return;
        }
        let lines = options.values(&["-L"]).filter_map(|range| range.as_literal()?.rsplit_once(':'));
        let lines: Vec<Text> = lines.map(|(_, file)| Text::literal(file)).collect();
        let behind = rest.iter().position(|word| word.as_literal() == Some("--")).map(|at| &rest[at + 1..]);
        for word in options.operands.iter().chain(behind.unwrap_or_default()).chain(&lines) {
            let at = word.known_start().find(':');
            match at.map(|at| (word.skip(at + 1), word.known_start()[..at].is_empty())) {
                None => self.mentions(word),
                Some((path, is_index)) => {
                    // `:0:path` is a stage of the index; `:!path` is left out.
                    let start = path.known_start();
                    let path =
                        if is_index && start.as_bytes().get(1) == Some(&b':') { path.skip(2) } else { path };
                    if left_out(word.known_start()).is_some() {
                        continue;
                    }
                    if path.known_start().starts_with('.') && path.known_start().contains("./") {
                        self.mentions(&path);
                    }
                    let path = if path.known_start().starts_with('/') { path.skip(1) } else { path };
                    for top in self.tops() {
                        self.mentions(&top.join(&path));
                    }
                }
            }
        }
    }

    /// The top of the repository, or of each that is open.
    pub(super) fn tops(&self) -> Vec<Text> {
        let tops: Vec<Text> =
            self.context.roots.iter().map(|root| Text::literal(root.to_string_lossy())).collect();
        if tops.is_empty() { vec![Text::literal(".")] } else { tops }
    }

    /// Writes or deletes what a pathspec names: its wildcards go across folders.
    pub(super) fn pathspec(&mut self, spec: &Text, is_deleted: bool, spares: &Spares) {
        let (writes, deletes) = (self.effects.writes.len(), self.effects.deletes.len());
        self.pathspec_of_any(spec, is_deleted);
        let effects = &mut self.effects;
        for target in effects.writes[writes..].iter_mut().chain(&mut effects.deletes[deletes..]) {
            target.spares = spares.clone();
        }
    }

    fn pathspec_of_any(&mut self, spec: &Text, is_deleted: bool) {
        let start = spec.known_start();
        let at_top = match start {
            _ if start.starts_with(":/") => Some(spec.skip(2)),
            _ if start.starts_with(":(top)") => Some(spec.skip(6)),
            _ if start.starts_with(':') => {
                self.opaque();
                return;
            }
            _ => None,
        };
        let is_anywhere = at_top.is_some();
        let inner = at_top.unwrap_or_else(|| spec.clone());
        let mut globbing = Text::default();
        if is_anywhere {
            globbing.push(Piece::Glob("**".to_owned()));
            globbing.push_literal("/");
        }
        for piece in inner.with_globs().pieces() {
            globbing.push(match piece {
                Piece::Glob(glob) => Piece::Glob(glob.replace('*', "**")),
                other => other.clone(),
            });
        }
        if is_anywhere && inner.as_literal() == Some("") {
            self.opaque();
        } else if is_deleted {
            self.deletes(&globbing, true);
        } else {
            self.writes(&globbing, true);
        }
    }
}

/// What a pathspec leaves out.
pub(super) fn left_out(spec: &str) -> Option<&str> {
    let rest = spec.strip_prefix(":!").or_else(|| spec.strip_prefix(":^"));
    rest.or_else(|| spec.strip_prefix(":(exclude)")).map(|rest| rest.trim_start_matches('/'))
}
