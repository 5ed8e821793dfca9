//! A folder, an environment and a clock that belong to one test.

use std::cell::Cell;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cairn::Terminal;
use canon::{Clock, Timestamp};
use serde_json::Value;
use store::{Entropy, Env, World};

/// What one command line did.
#[derive(Debug, Clone)]
pub struct Ran {
    /// The exit code.
    pub code: u8,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Ran {
    /// Everything, for a snapshot.
    pub fn all(&self) -> String {
        format!("exit {}\n--- out\n{}--- err\n{}", self.code, self.out, self.err)
    }

    /// The document on standard output.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.all()))
    }

    /// Fails unless the command did what it was asked.
    #[track_caller]
    pub fn ok(self) -> Self {
        assert_eq!(self.code, 0, "{}", self.all());
        self
    }

    /// Fails unless the exit code is `code`, and standard error or the error document holds `text`.
    #[track_caller]
    pub fn refused(self, code: u8, text: &str) -> Self {
        assert_eq!(self.code, code, "{}", self.all());
        assert!(self.err.contains(text) || self.out.contains(text), "{text:?} is not in {}", self.all());
        self
    }
}

/// A folder of a test's own, with `home` and `project` below it.
pub struct Scratch {
    folder: tempfile::TempDir,
    /// Seconds since the test's beginning.
    seconds: Cell<i64>,
    ids: Cell<u32>,
}

/// Where the program of these tests says that it lies.
pub const PROGRAM: &str = "/opt/cairn/bin/cairn";

thread_local! {
    /// What the person at the terminal types.
    static TYPED: std::cell::RefCell<String> = const { std::cell::RefCell::new(String::new()) };
}

/// A terminal at which nobody sits.
fn nobody() -> Terminal {
    Terminal { program: Some(|| Some(PathBuf::from(PROGRAM))), ..Terminal::default() }
}

struct Fixed(i64);

impl Clock for Fixed {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0)
    }
}

struct Counting(Cell<u32>);

impl Entropy for Counting {
    fn fill(&self, bytes: &mut [u8]) {
        let next = self.0.get() + 1;
        self.0.set(next);
        // Spread over the digits, so that display ids differ.
        let word = next.wrapping_mul(0x9E37_79B1).to_be_bytes();
        for (byte, from) in bytes.iter_mut().zip(word.iter().cycle()) {
            *byte = *from;
        }
    }
}

impl Scratch {
    /// An empty folder outside any repository.
    pub fn empty() -> Self {
        let folder = tempfile::Builder::new().prefix("cairn-test-").tempdir().unwrap();
        fs::create_dir(folder.path().join("home")).unwrap();
        fs::create_dir(folder.path().join("project")).unwrap();
        Self { folder, seconds: Cell::new(0), ids: Cell::new(0) }
    }

    /// A git repository with one commit.
    pub fn repository() -> Self {
        let scratch = Self::empty();
        scratch.git(&["init", "-q", "-b", "main"]);
        scratch.write("README", "a project\n");
        scratch.commit("first");
        scratch
    }

    /// A repository with a spine made by `chalk init --bare`, committed.
    pub fn chalk() -> Self {
        let scratch = Self::repository();
        scratch.run(&["chalk", "init", "--bare", "--name", "demo", "--no-agents"]).ok();
        scratch.commit("spine");
        scratch
    }

    /// The project's folder.
    pub fn root(&self) -> PathBuf {
        fs::canonicalize(self.folder.path().join("project")).unwrap()
    }

    /// The home folder.
    pub fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// A path in the project.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    /// The environment: nothing of the machine's configuration but `PATH`.
    pub fn env(&self) -> Env {
        let home = self.home();
        let mut env: Env = [("PATH", std::env::var_os("PATH").unwrap_or_default())].into_iter().collect();
        env.set("HOME", home.as_os_str());
        env.set("XDG_CONFIG_HOME", home.join("config"));
        env.set("XDG_STATE_HOME", home.join("state"));
        env.set("GIT_AUTHOR_NAME", "A");
        env.set("GIT_AUTHOR_EMAIL", "a@example.org");
        env.set("LC_ALL", "C.UTF-8");
        env
    }

    fn world(&self, cwd: &Path) -> World {
        // Each command a second after the one before, and ids that go on.
        self.seconds.set(self.seconds.get() + 1);
        let first = 1_796_083_200_000; // 2026-12-01T00:00:00Z
        let ids = self.ids.get();
        self.ids.set(ids + 1000);
        World {
            cwd: cwd.to_owned(),
            env: self.env(),
            clock: Box::new(Fixed(first + self.seconds.get() * 1000)),
            entropy: Box::new(Counting(Cell::new(ids))),
        }
    }

    /// Lets so many seconds pass.
    pub fn wait(&self, seconds: i64) {
        self.seconds.set(self.seconds.get() + seconds);
    }

    /// Runs a command line in the project; the first word is the name the program is called by, as in
    /// `["chalk", "next"]` or `["cairn", "demo"]`.
    pub fn run(&self, args: &[&str]) -> Ran {
        self.run_in(&self.root(), args)
    }

    /// As [`run`](Self::run), where the program says that it lies at `program`, and can be started.
    pub fn run_built(&self, program: &'static str, args: &[&str]) -> Ran {
        thread_local! {
            static LIES: Cell<&'static str> = const { Cell::new("") };
        }
        LIES.set(program);
        let terminal = Terminal { program: Some(|| Some(PathBuf::from(LIES.get()))), ..Terminal::default() };
        let words: Vec<OsString> = args.iter().map(OsString::from).collect();
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let code = cairn::run(&words, &self.world(&self.root()), terminal, &mut out, &mut err);
        let ran = Ran { code, out: self.clean(&out), err: self.clean(&err) };
        if args.contains(&"--json") {
            check_schema(args, &ran);
        }
        ran
    }

    /// Runs a command line in another folder. A document that it prints is checked against its schema.
    pub fn run_in(&self, cwd: &Path, args: &[&str]) -> Ran {
        let words: Vec<OsString> = args.iter().map(OsString::from).collect();
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let code = cairn::run(&words, &self.world(cwd), nobody(), &mut out, &mut err);
        let ran = Ran { code, out: self.clean(&out), err: self.clean(&err) };
        let is_write =
            |pair: &[&str]| pair[0] == "records" && matches!(pair[1], "new" | "amend" | "review" | "close");
        let is_document = |pair: &[&str]| pair == ["--format", "json"] || is_write(pair);
        if args.contains(&"--json") || args.windows(2).any(is_document) && ran.out.starts_with('{') {
            check_schema(args, &ran);
        }
        ran
    }

    /// Text with the folder's name taken out.
    fn clean(&self, bytes: &[u8]) -> String {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        text.replace(self.root().to_str().unwrap(), "[root]")
            .replace(self.folder.path().to_str().unwrap(), "[scratch]")
    }

    /// Adds a task and gives its whole id.
    pub fn task(&self, title: &str) -> String {
        let ran = self.run(&["chalk", "task", "add", title, "--json"]).ok();
        ran.json()["id"].as_str().unwrap().to_owned()
    }

    /// Runs git in the project.
    #[track_caller]
    pub fn git(&self, args: &[&str]) -> String {
        self.git_in(&self.root(), args)
    }

    /// Runs git in another folder.
    #[track_caller]
    pub fn git_in(&self, dir: &Path, args: &[&str]) -> String {
        let output = Command::new("git")
            .args(["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"])
            .args(args)
            .current_dir(dir)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Commits everything.
    #[track_caller]
    pub fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
    }

    /// Writes a file of the project.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Reads a file of the project.
    #[track_caller]
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// A file of the project as JSON.
    #[track_caller]
    pub fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// Sets a value of `chalk.json` by hand and has it accepted, as a person would.
    #[track_caller]
    pub fn configure(&self, pointer: &str, value: Value) {
        let mut config = self.json(".chalk/chalk.json");
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        config.pointer_mut(parent).unwrap()[key] = value;
        self.write(".chalk/chalk.json", format!("{}\n", canon::json::pretty(&config)));
        self.run(&["chalk", "accept", "--why", "test set-up"]).ok();
    }

    /// Every file of the spine with its content, for "nothing was changed".
    pub fn spine(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        let mut folders = vec![self.path(".chalk")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.push((path.clone(), fs::read(&path).unwrap()));
                }
            }
        }
        files.sort();
        files
    }
}

/// Checks a printed document against the schema that is published for it: `chalk task add` prints
/// `chalk/task-add` or, where that is missing, `chalk/task`.
#[track_caller]
fn check_schema(args: &[&str], ran: &Ran) {
    let document: Value = ran.json();
    let words: Vec<&str> =
        args[1..].iter().copied().filter(|word| *word != "chalk" && !word.starts_with('-')).collect();
    let asks_for_help = args.iter().any(|arg| matches!(*arg, "help" | "--help" | "-h"));
    let workspace = words.iter().position(|word| *word == "workspace").map(|at| &words[at + 1..]);
    // A refusal of no document's own carries its exit.
    let is_refusal = document.pointer("/error/exit").is_some();
    let names = match words[..] {
        _ if workspace.is_some() && !is_refusal && !asks_for_help => match workspace.unwrap_or_default() {
            ["records", ..] if args.contains(&"--since") => vec!["chant/records-since".to_owned()],
            [verb, action, ..] => vec![format!("chant/{verb}-{action}"), format!("chant/{verb}")],
            [verb] => vec![format!("chant/{verb}")],
            [] => vec!["cairn/help".to_owned()],
        },
        _ if asks_for_help => vec!["cairn/help".to_owned()],
        _ if document.get("error").is_some() => vec!["chalk/error".to_owned()],
        ["govern", group, ref rest @ ..] => {
            let action = rest.first().copied().unwrap_or_default();
            vec![
                format!("govern/{group}-{action}"),
                format!("govern/{group}"),
                format!("cairn/govern-{group}"),
            ]
        }
        [verb, action, ..] => {
            let names =
                |protocol: &str| [format!("{protocol}/{verb}-{action}"), format!("{protocol}/{verb}")];
            [names("chalk"), names("cairn")].concat()
        }
        [verb] => vec![format!("chalk/{verb}-list"), format!("chalk/{verb}"), format!("cairn/{verb}")],
        [] => vec!["cairn/help".to_owned()],
    };
    let entry = names.iter().find_map(|name| cairn::schema::ALL.iter().find(|entry| entry.name == name));
    let entry =
        entry.unwrap_or_else(|| panic!("no schema is published for {args:?}, which needs one of {names:?}"));
    conforms(entry.name, &serde_json::to_value((entry.make)()).unwrap(), &document);
    // The short form of `check` is older than the contract, and names no schema.
    let is_short = entry.name == "chant/check" && document.get("$schema").is_none();
    if let Some(schema) = published(entry.name).filter(|_| !is_short) {
        conforms(&format!("published {}", entry.name), &schema, &document);
    }
}

#[track_caller]
fn conforms(name: &str, schema: &Value, document: &Value) {
    let validator = jsonschema::validator_for(schema).unwrap();
    let errors: Vec<String> =
        validator.iter_errors(document).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{name}: {errors:?}\n{document:#}");
}

/// The schema that others have published for a document of Chant; none for our own documents, and where the schemas
/// aren't at hand.
fn published(name: &str) -> Option<Value> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/chant/schemas"));
    let file = folder.join(format!("{}.schema.json", name.strip_prefix("chant/")?));
    Some(serde_json::from_slice(&fs::read(file).ok()?).unwrap())
}

impl Scratch {
    /// A spine in a folder that is no git repository.
    pub fn plain() -> Self {
        let scratch = Self::empty();
        scratch.run(&["chalk", "init", "--bare", "--name", "demo", "--no-agents"]).ok();
        scratch
    }

    /// Writes `tasks.json` by hand and has it accepted.
    #[track_caller]
    pub fn plant(&self, tasks: &Value) {
        self.write(".chalk/tasks.json", format!("{}\n", canon::json::pretty(tasks)));
        self.run(&["chalk", "accept", "--why", "test set-up"]).ok();
    }

    /// A repository with a copy of a spine that the Node implementation wrote; none where the copies aren't
    /// there.
    pub fn node(name: &str) -> Option<Self> {
        let shared = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/chalk")).join(name);
        if !shared.is_dir() {
            eprintln!("skipped: no `{}`", shared.display());
            return None;
        }
        let scratch = Self::empty();
        copy(&shared, &scratch.root());
        scratch.git(&["init", "-q", "-b", "main"]);
        scratch.commit("as it came");
        Some(scratch)
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &to);
        } else {
            // The copies are read-only, and the bytes alone matter.
            fs::write(to, fs::read(&path).unwrap()).unwrap();
        }
    }
}

impl Scratch {
    /// The instant of the last command.
    pub fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_796_083_200_000 + self.seconds.get() * 1000)
    }
}

impl Ran {
    /// As [`all`](Self::all), with durations and places of logs taken out.
    pub fn steady(&self) -> String {
        let mut text = String::new();
        for line in self.all().lines() {
            let line = match line.split_once("whole output: ") {
                Some((before, _)) => format!("{before}whole output: [log]"),
                None => match line.rsplit_once(", ") {
                    Some((before, time)) if is_duration(time) => format!("{before}, [time]"),
                    _ => line.to_owned(),
                },
            };
            text.push_str(&line);
            text.push('\n');
        }
        text
    }
}

fn is_duration(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit()) && (text.ends_with(" ms") || text.ends_with(" s"))
}

impl Scratch {
    /// Adds a task with one criterion and these tests locked, and starts it.
    #[track_caller]
    pub fn started(&self, title: &str, tests: &[&str]) -> String {
        let id = self.task(title);
        let mut spec = vec!["chalk", "spec", &id, "--criterion", "it works"];
        for test in tests {
            spec.extend(["--test", test]);
        }
        self.run(&spec).ok();
        self.run(&["chalk", "start", &id, "--parallel"]).ok();
        id
    }

    /// The records of the chain of results, newest last.
    pub fn results(&self) -> Vec<Value> {
        let log = self.root().join(".git/cairn/chalk/root/results.jsonl");
        let text = fs::read_to_string(log).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

impl Scratch {
    /// As [`run`](Self::run), with one variable of the environment set otherwise.
    pub fn run_with(&self, name: &str, value: impl Into<OsString>, args: &[&str]) -> Ran {
        let words: Vec<OsString> = args.iter().map(OsString::from).collect();
        let mut world = self.world(&self.root());
        world.env.set(name, value);
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let code = cairn::run(&words, &world, nobody(), &mut out, &mut err);
        let ran = Ran { code, out: self.clean(&out), err: self.clean(&err) };
        if args.contains(&"--json") {
            check_schema(args, &ran);
        }
        ran
    }
}

impl Scratch {
    /// As [`run`](Self::run) on a terminal where every question is answered so. What was shown is lost.
    pub fn run_asked(&self, answer: bool, args: &[&str]) -> Ran {
        let words: Vec<OsString> = args.iter().map(OsString::from).collect();
        let ask: fn(&str) -> bool = if answer { |_| true } else { |_| false };
        let terminal = Terminal { ask: Some(ask), ..nobody() };
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let code = cairn::run(&words, &self.world(&self.root()), terminal, &mut out, &mut err);
        Ran { code, out: self.clean(&out), err: self.clean(&err) }
    }

    /// The path of the private SSH key of this name, made when first asked for.
    pub fn key(&self, name: &str) -> String {
        let path = self.folder.path().join(name);
        if !path.exists() {
            let made = Command::new("ssh-keygen")
                .args(["-q", "-N", "", "-t", "ed25519", "-C", name, "-f"])
                .arg(&path)
                .status()
                .unwrap();
            assert!(made.success());
        }
        path.to_str().unwrap().to_owned()
    }

    /// A signers file in which each name has its own key.
    pub fn signers(&self, names: &[&str]) -> String {
        let line = |name: &&str| {
            let public = fs::read_to_string(format!("{}.pub", self.key(name))).unwrap();
            format!("{name}@example.org {public}")
        };
        names.iter().map(line).collect()
    }

    /// Commits everything, signed with the key of this name.
    #[track_caller]
    pub fn commit_as(&self, name: &str, message: &str) {
        let key = format!("user.signingkey={}", self.key(name));
        self.git(&["add", "-A"]);
        self.git(&["-c", "gpg.format=ssh", "-c", &key, "commit", "-q", "--allow-empty", "-S", "-m", message]);
    }
}

impl Scratch {
    /// As [`run`](Self::run) on a terminal where a person answers each question with this word. What was shown is lost.
    pub fn person(&self, word: &str, args: &[&str]) -> Ran {
        self.person_in(self.world(&self.root()), word, args)
    }

    /// The same where an agent that sets this variable started the terminal.
    pub fn person_below(&self, variable: &str, answer: &str, args: &[&str]) -> Ran {
        let mut world = self.world(&self.root());
        world.env.set(variable, "1");
        self.person_in(world, answer, args)
    }

    fn person_in(&self, world: World, answer: &str, args: &[&str]) -> Ran {
        TYPED.with(|typed| answer.clone_into(&mut typed.borrow_mut()));
        let words: Vec<OsString> = args.iter().map(OsString::from).collect();
        let typed: fn(&str) -> String = |_| TYPED.with(|typed| typed.borrow().clone());
        let terminal = Terminal { typed: Some(typed), ..nobody() };
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let code = cairn::run(&words, &world, terminal, &mut out, &mut err);
        let ran = Ran { code, out: self.clean(&out), err: self.clean(&err) };
        if args.contains(&"--json") {
            check_schema(args, &ran);
        }
        ran
    }

    /// What the hook answers a program that speaks the neutral JSON. The folder is added to the payload.
    #[track_caller]
    pub fn hook(&self, mut payload: Value) -> Value {
        payload["cwd"] = self.root().to_str().unwrap().into();
        payload["session"] = "s".into();
        self.hook_of(agents::AgentId::Generic, None, &payload)
    }

    /// What the entry of an agent answers to its payload.
    #[track_caller]
    pub fn hook_of(&self, agent: agents::AgentId, event: Option<&str>, payload: &Value) -> Value {
        let World { cwd, env, .. } = self.world(&self.root());
        let (now, ids) = (self.now().as_millis(), self.ids.get());
        let world =
            World { cwd, env, clock: Box::new(Fixed(now)), entropy: Box::new(Counting(Cell::new(ids))) };
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let input = std::io::Cursor::new(payload.to_string().into_bytes());
        cairn::hook::run(agent, event, world, input, &mut out, &mut err);
        if out.is_empty() {
            return Value::Null;
        }
        serde_json::from_slice(&out).unwrap_or_else(|error| panic!("{error}: {}", self.clean(&out)))
    }

    /// What the hook answers before an edit of this file.
    #[track_caller]
    pub fn edit(&self, path: &str) -> Value {
        let args = serde_json::json!({ "path": path, "old_string": "a", "new_string": "b" });
        self.hook(serde_json::json!({ "event": "pre_tool", "tool": "edit", "args": args }))
    }

    /// The state of the gates.
    pub fn govern(&self) -> PathBuf {
        self.path(".git/cairn/govern/root")
    }
}
