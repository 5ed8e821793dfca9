//! PowerShell, read with caution: what is not plain is not read at all.

use super::effects::{Alone, Certainty, Effects, Walk};
use super::path::{self, Base};
use super::text::{Piece, Text};
use super::{Argv, Context, own};

/// The longest script that is read, in bytes.
const LONGEST: usize = 64 * 1024;

/// What `command` touches when PowerShell runs it from one of `folders`.
pub fn classify(command: &str, folders: Vec<Base>, context: Context<'_>) -> Effects {
    let start = folders.clone();
    let mut reader = Reader { folders, context, effects: Effects::default() };
    let read = statements(command);
    let alone = read.as_ref().ok().and_then(|statements| alone(command, statements, &start));
    match read.and_then(|statements| statements.into_iter().try_for_each(|words| reader.run(words))) {
        Ok(()) => {
            reader.effects.settle();
            reader.effects.alone = alone;
            reader.effects
        }
        Err(why) => Effects::unparsable(
            why.to_owned(),
            "use plain cmdlets with literal paths, one a call, or change files with a file tool".to_owned(),
        ),
    }
}

/// The one command that the script is, each of its words known.
fn alone(command: &str, statements: &[Vec<Word>], folders: &[Base]) -> Option<Alone> {
    if command.trim_end().contains(['|', ';', '&', '>', '\n']) {
        return None;
    }
    let [words] = statements else { return None };
    let word = |word: &Word| match word {
        Word::Text(text) => text.as_literal().map(str::to_owned),
        Word::Into => None,
    };
    let folder = match folders {
        [Base::Known(folder)] => Some(folder.into()),
        _ => None,
    };
    Some(Alone { folder, words: words.iter().map(word).collect::<Option<_>>()? })
}

/// One word of a statement.
#[derive(Debug, Clone, PartialEq)]
enum Word {
    Text(Text),
    /// A redirection to the next word.
    Into,
}

/// The statements of a script as words.
fn statements(script: &str) -> Result<Vec<Vec<Word>>, &'static str> {
    if script.len() > LONGEST {
        return Err("the command is too long");
    }
    let mut statements = vec![Vec::new()];
    let mut word: Option<Text> = None;
    let mut characters = script.chars().peekable();
    while let Some(character) = characters.next() {
        let mut ends = false;
        let mut breaks = false;
        match character {
            '\'' | '‘' | '’' => {
                let text = word.get_or_insert_default();
                text.push_literal("");
                loop {
                    match characters.next().ok_or("a quote is not closed")? {
                        '\'' | '‘' | '’' => {
                            if characters.next_if(|next| matches!(next, '\'' | '‘' | '’')).is_none() {
                                break;
                            }
                            text.push_literal("'");
                        }
                        other => text.push_literal(other.encode_utf8(&mut [0; 4])),
                    }
                }
            }
            '"' | '“' | '”' => {
                let text = word.get_or_insert_default();
                text.push_literal("");
                loop {
                    match characters.next().ok_or("a quote is not closed")? {
                        '"' | '“' | '”' => {
                            if characters.next_if(|next| matches!(next, '"' | '“' | '”')).is_none() {
                                break;
                            }
                            text.push_literal("\"");
                        }
                        '`' => text.push_literal(
                            characters.next().ok_or("a quote is not closed")?.encode_utf8(&mut [0; 4]),
                        ),
                        '$' if characters.peek() == Some(&'(') => {
                            return Err("a subexpression can't be read");
                        }
                        '$' => {
                            variable(&mut characters);
                            text.push(Piece::Unknown);
                        }
                        other => text.push_literal(other.encode_utf8(&mut [0; 4])),
                    }
                }
            }
            '`' => match characters.next() {
                Some('\n') => ends = true,
                Some(next) => word.get_or_insert_default().push_literal(next.encode_utf8(&mut [0; 4])),
                None => return Err("a backtick ends the command"),
            },
            '$' => {
                if matches!(characters.peek(), Some('(' | '{')) {
                    return Err("a subexpression can't be read");
                }
                variable(&mut characters);
                word.get_or_insert_default().push(Piece::Unknown);
            }
            '(' | ')' | '{' | '}' | '[' | ']' | '@' | '<' => {
                return Err("an expression or script block can't be read");
            }
            '#' if word.is_none() => while characters.next_if(|next| *next != '\n').is_some() {},
            '>' => {
                // The number of a stream stands before it.
                if word
                    .as_ref()
                    .and_then(Text::as_literal)
                    .is_some_and(|text| matches!(text, "1" | "2" | "3" | "4" | "5" | "6" | "*"))
                {
                    word = None;
                }
                push(&mut statements, word.take().map(Word::Text));
                characters.next_if_eq(&'>');
                if characters.next_if_eq(&'&').is_some() {
                    characters.next();
                } else {
                    push(&mut statements, Some(Word::Into));
                }
            }
            ';' | '\n' | '|' | '&' => breaks = true,
            ' ' | '\t' | '\r' | ',' => ends = true,
            '*' | '?' => word.get_or_insert_default().push(Piece::Glob(character.to_string())),
            other => word.get_or_insert_default().push_literal(other.encode_utf8(&mut [0; 4])),
        }
        if ends || breaks {
            push(&mut statements, word.take().map(Word::Text));
        }
        if breaks {
            statements.push(Vec::new());
        }
    }
    push(&mut statements, word.map(Word::Text));
    Ok(statements)
}

fn push(statements: &mut [Vec<Word>], word: Option<Word>) {
    if let Some(last) = statements.last_mut() {
        last.extend(word);
    }
}

fn variable(characters: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    while characters.next_if(|next| next.is_alphanumeric() || matches!(next, '_' | ':')).is_some() {}
}

struct Reader<'a> {
    folders: Vec<Base>,
    context: Context<'a>,
    effects: Effects,
}

impl Reader<'_> {
    fn run(&mut self, words: Vec<Word>) -> Result<(), &'static str> {
        let mut arguments = Vec::new();
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            match word {
                Word::Text(text) => arguments.push(text),
                Word::Into => match words.next() {
                    Some(Word::Text(file)) if file.as_literal() == Some("") => {}
                    Some(Word::Text(file)) if file.has_unknown() && file.show() == "…" => {
                        self.write(&file, false);
                    }
                    Some(Word::Text(file)) => self.write(&file, false),
                    _ => return Err("a redirection names no file"),
                },
            }
        }
        let Some((program, rest)) = arguments.split_first() else {
            return Ok(());
        };
        let known = arguments.iter().map(|word| word.as_literal().map(str::to_owned)).collect();
        self.effects.commands.push(Argv(known));
        let Some(name) = program.as_literal() else {
            self.effects.certainty = Certainty::Opaque;
            return Ok(());
        };
        let name = name.to_lowercase();
        let parameters = Parameters::read(rest);
        match name.as_str() {
            "get-content" | "gc" | "cat" | "type" | "select-string" | "sls" | "get-item" | "gi"
            | "test-path" | "resolve-path" | "get-filehash" => {
                if rest.iter().any(|word| word.known_start().eq_ignore_ascii_case("-recurse")) {
                    self.walk(&parameters, true);
                }
                for path in &parameters.paths {
                    self.effects.reads.extend(path::targets(&self.folders, path, false));
                }
            }
            "get-childitem" | "gci" | "ls" | "dir" => self.walk(&parameters, false),
            "write-output" | "write-host" | "echo" | "write" | "get-location" | "pwd" | "gl"
            | "get-command" | "gcm" | "get-help" | "get-date" | "get-process" | "gps" | "ps"
            | "measure-object" | "measure" | "sort-object" | "sort" | "select-object" | "select"
            | "format-table" | "ft" | "format-list" | "fl" | "out-string" | "out-host" | "out-null"
            | "convertfrom-json" | "convertto-json" | "get-member" | "gm" | "join-path" | "split-path"
            | "compare-object" | "start-sleep" | "sleep" | "write-error" | "write-verbose" => {}
            "set-location" | "cd" | "sl" | "chdir" | "push-location" | "pushd" => {
                let to = parameters.paths.first().cloned().unwrap_or_else(Text::unknown);
                let mut folders: Vec<Base> =
                    self.folders.iter().flat_map(|base| path::bases(base, &slashes(&to))).collect();
                folders.extend(self.folders.iter().cloned());
                self.folders = folders;
            }
            "set-content" | "sc" | "add-content" | "ac" | "out-file" | "clear-content" | "clc"
            | "tee-object" | "tee" | "export-csv" | "epcsv" | "export-clixml" | "new-item" | "ni"
            | "mkdir" | "md" | "set-item" | "si" | "set-itemproperty" | "sp" | "set-acl"
            | "start-transcript" | "attrib" | "icacls" => {
                for path in &parameters.all {
                    self.write(path, false);
                }
            }
            "remove-item" | "ri" | "rm" | "del" | "erase" | "rd" | "rmdir" => {
                for path in &parameters.all {
                    self.delete(path);
                }
            }
            "move-item" | "mi" | "mv" | "move" | "rename-item" | "rni" | "ren" => {
                for path in &parameters.all {
                    self.delete(path);
                    self.write(path, true);
                }
                self.arrive(&parameters);
            }
            "copy-item" | "cpi" | "cp" | "copy" => {
                for path in parameters.all.iter().skip(1) {
                    self.write(path, false);
                }
                self.arrive(&parameters);
            }
            "cairn" | "chalk" | "chant" => {
                let words: Option<Vec<&str>> = rest.iter().map(Text::as_literal).collect();
                if !words.is_some_and(|words| own::looks(&name, &words)) {
                    self.effects.certainty = Certainty::Opaque;
                }
            }
            "git" => {
                // Read as a shell reads it, where no word holds what a shell expands.
                let words: Option<Vec<&str>> = arguments.iter().map(Text::as_literal).collect();
                match words {
                    Some(words) => {
                        let line: Vec<String> = words.iter().map(|word| gate::words::quote(word)).collect();
                        let other =
                            super::shell::classify(&line.join(" "), self.folders.clone(), self.context);
                        self.take(other);
                    }
                    None => self.effects.certainty = Certainty::Opaque,
                }
            }
            _ => self.effects.certainty = Certainty::Opaque,
        }
        Ok(())
    }

    fn take(&mut self, other: Effects) {
        self.effects.writes.extend(other.writes);
        self.effects.deletes.extend(other.deletes);
        self.effects.reads.extend(other.reads);
        self.effects.mentions.extend(other.mentions);
        self.effects.recursive_reads.extend(other.recursive_reads);
        self.effects.network |= other.network;
        self.effects.acts |= other.acts;
        if other.certainty != Certainty::Known {
            self.effects.certainty = Certainty::Opaque;
        }
    }

    fn write(&mut self, path: &Text, tree: bool) {
        self.effects.writes.extend(path::targets(&self.folders, &slashes(path), tree));
    }

    fn delete(&mut self, path: &Text) {
        self.effects.deletes.extend(path::targets(&self.folders, &slashes(path), true));
    }

    /// What is copied into a folder keeps its name.
    fn arrive(&mut self, parameters: &Parameters) {
        if let Some((to, sources)) = parameters.all.split_last() {
            for source in sources {
                match slashes(source).file_name() {
                    Some(name) => self.write(&slashes(to).join(&name), true),
                    None => self.write(&Text::unknown(), true),
                }
            }
        }
    }

    fn walk(&mut self, parameters: &Parameters, content: bool) {
        let here = [Text::literal(".")];
        let roots = if parameters.paths.is_empty() { &here[..] } else { &parameters.paths };
        for root in roots {
            for root in path::targets(&self.folders, &slashes(root), true) {
                let walk =
                    Walk { root, excludes: Vec::new(), content, skips_hidden: true, skips_ignored: false };
                self.effects.recursive_reads.push(walk);
            }
        }
    }
}

/// What a cmdlet was given.
struct Parameters {
    /// The words that no parameter but one of a path takes.
    paths: Vec<Text>,
    /// Every word that is no parameter's name.
    all: Vec<Text>,
}

impl Parameters {
    fn read(words: &[Text]) -> Self {
        let mut parameters = Self { paths: Vec::new(), all: Vec::new() };
        let mut takes_other = false;
        for word in words {
            let start = word.known_start();
            if start.starts_with('-') {
                if let Some(at) = start.find(':') {
                    parameters.all.push(word.skip(at + 1));
                    parameters.paths.push(word.skip(at + 1));
                    takes_other = false;
                    continue;
                }
                let name = start.to_lowercase();
                let is_switch = ["-recurse", "-force", "-nonewline", "-append", "-raw", "-passthru"]
                    .contains(&name.as_str());
                let is_path = "-path".starts_with(&name)
                    || ["-literalpath", "-filepath", "-destination"]
                        .iter()
                        .any(|known| known.starts_with(&name));
                takes_other = !is_switch && !is_path;
            } else {
                parameters.all.push(word.clone());
                if !takes_other {
                    parameters.paths.push(word.clone());
                }
                takes_other = false;
            }
        }
        parameters
    }
}

/// A path with its backslashes as slashes, and without the name of its provider.
fn slashes(path: &Text) -> Text {
    let mut plain = Text::default();
    for piece in path.pieces() {
        match piece {
            Piece::Literal(text) => {
                let text = text.replace('\\', "/");
                plain.push_literal(text.strip_prefix("FileSystem::").unwrap_or(&text));
            }
            other => plain.push(other.clone()),
        }
    }
    plain
}
