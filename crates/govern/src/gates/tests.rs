use std::path::{Path, PathBuf};

use canon::{Sha256, Timestamp};
use gate::event::{Call, Moment, Todo, Tool};
use gate::protected::{Access, Guard, Protected, Scope};
use serde_json::Value;

use super::*;
use crate::classify::{Argv, Context, Place, classify};
use crate::session::{Entry, Plan, Read};

/// A repository at `/w` in the mind alone.
struct World {
    policy: Policy,
    session: Session,
    files: Vec<(&'static str, &'static str)>,
    fold: bool,
    cwd: &'static str,
    locks: bool,
}

impl World {
    fn new(policy: &str) -> Self {
        let policy = Policy::read(policy.as_bytes()).unwrap();
        let files = vec![("/w/src/a.rs", "one\ntwo\nthree\nfour\n"), ("/w/tests/t.py", "assert 1\n")];
        Self { policy, session: Session::default(), files, fold: false, cwd: "/w", locks: true }
    }

    fn learn(&mut self, entry: Entry) {
        self.session.learn(entry);
    }

    fn read(&mut self, path: &str, first: u64, last: Option<u64>, content: &str) {
        let content = Some(Sha256::of(content));
        self.learn(Entry::Read(Read {
            path: path.into(),
            first,
            last,
            content,
            by: None,
            compactions: None,
        }));
    }

    fn plan(&mut self, todos: &[(&str, &str, &str)]) {
        let todo = |(content, status, priority): &(&str, &str, &str)| Todo {
            content: Some((*content).into()),
            status: Some((*status).into()),
            priority: Some((*priority).into()),
        };
        let plan =
            Plan { todos: todos.iter().map(todo).collect(), text: None, at: Timestamp::from_millis(0) };
        self.learn(Entry::Plan(plan));
    }

    /// Each finding as `gate rule decision`.
    fn judge(&self, tool: Tool) -> Vec<String> {
        let found = self.found(tool).into_iter();
        found.map(|found| format!("{} {} {:?}", found.gate, found.rule, found.decision)).collect()
    }

    fn found(&self, tool: Tool) -> Vec<Found> {
        let root = Path::new("/w");
        let cwd = Path::new(self.cwd);
        let roots = [PathBuf::from("/w")];
        let effects =
            classify(&tool, Context { cwd: Some(cwd), roots: &roots, home: Some(Path::new("/home/me")) });
        let event = Event { cwd: Some(cwd.into()), ..about(tool) };
        let changes: Vec<Touched<'_>> = effects.changes().map(touched).collect();
        let reads: Vec<Touched<'_>> = effects.reads.iter().map(touched).collect();
        let mentions: Vec<Touched<'_>> = effects.mentions.iter().map(touched).collect();
        let walks: Vec<Vec<PathBuf>> =
            effects.recursive_reads.iter().map(|walk| touched(&walk.root).paths).collect();
        let act = Act {
            event: &event,
            effects: &effects,
            changes: &changes,
            reads: &reads,
            mentions: &mentions,
            walks: &walks,
        };
        let mut rules = Protected::new();
        let guard = |scope, access, rule: &str| Guard {
            scope,
            access,
            rule: rule.into(),
            fact: "it is kept".into(),
            next: "leave it".into(),
            ticket: false,
        };
        if self.locks {
            rules.push(guard(Scope::Path("tests/t.py".into()), Access::Write, "locked"));
        }
        rules.push(guard(Scope::Below(".chalk/regression".into()), Access::Any, "held-out"));
        for (name, rule) in
            [(".git", gate::protected::GIT_FOLDER), (".claude/settings.json", "cairn:settings")]
        {
            rules.push(guard(Scope::Below(name.into()), Access::Write, rule));
        }
        rules.extend(self.policy.protected());
        let (index, lines) = rules.keep(self.fold);
        let file = |path: &Path| {
            self.files
                .iter()
                .find(|(name, _)| Path::new(name) == path)
                .map(|(_, text)| text.as_bytes().to_vec())
        };
        let known = Known {
            root,
            rules: &Kept::new(&index, &lines),
            policy: &self.policy,
            session: &self.session,
            fold: self.fold,
            file: &file,
            is_occupied: &|folder| folder.extension().is_none_or(|end| end != "json"),
        };
        judge(&act, &known).unwrap()
    }

    fn shell(&self, command: &str) -> Vec<String> {
        self.judge(shell(command))
    }

    fn edit(&self, path: &str, replaced: &str) -> Vec<String> {
        self.judge(Tool::Edit { path: path.into(), replaced: vec![replaced.into()] })
    }
}

fn shell(command: &str) -> Tool {
    Tool::Shell { command: command.into(), cwd: None, shell: "bash".into(), background: false }
}

/// What `ask` says of a shell command in `/w`.
fn acted<T>(command: &str, ask: impl FnOnce(&Act<'_>) -> T) -> T {
    let root = Path::new("/w");
    let tool = shell(command);
    let effects = classify(&tool, Context { cwd: Some(root), roots: &[root.into()], home: None });
    let event = about(tool);
    let reads: Vec<Touched<'_>> = effects.reads.iter().map(touched).collect();
    let walks: Vec<Vec<PathBuf>> =
        effects.recursive_reads.iter().map(|walk| touched(&walk.root).paths).collect();
    ask(&Act { event: &event, effects: &effects, changes: &[], reads: &reads, mentions: &[], walks: &walks })
}

/// A call that is about to be made.
fn about(tool: Tool) -> Event {
    Event {
        agent: "test".into(),
        event: Moment::PreTool,
        session: Some("s".into()),
        subagent: None,
        cwd: Some("/w".into()),
        call: Some(Call { id: None, name: "t".into(), tool, input: Value::Null }),
        outcome: None,
        text: None,
        source: None,
        stop_refused_before: false,
    }
}

fn touched(target: &Target) -> Touched<'_> {
    let paths = match &target.place {
        Place::Path(path) => vec![path.clone()],
        _ => Vec::new(),
    };
    Touched { target, paths }
}

const DEFAULT: &str = r#"{ "schema": 1 }"#;

#[test]
fn protected_paths_are_shut_whatever_the_tool() {
    let world = World::new(DEFAULT);
    let locked = ["protected locked Deny"];
    assert_eq!(world.edit("/w/tests/t.py", "1"), locked);
    for command in [
        "echo x > tests/t.py",
        "sed -i s/1/2/ tests/t.py",
        "cp a tests/t.py",
        "rm -rf tests",
        "cd tests && tee t.py",
        "git checkout HEAD~ -- tests/t.py",
        "mv tests old",
    ] {
        assert_eq!(world.shell(command), locked, "{command}");
    }
    for command in
        ["cat tests/t.py", "ls -R", "git status", "grep -r x src", "echo x > src/b.rs", "cargo test"]
    {
        assert_eq!(world.shell(command), [""; 0], "{command}");
    }
}

/// A rule with a capital in it shut nothing where names are compared without regard to case.
#[test]
fn a_name_that_the_system_takes_for_a_protected_one_is_protected() {
    let policy = r#"{ "schema": 1, "protect": [{ "path": "Specs/**", "because": "x" }, { "path": "R\u00e9sum\u00e9.md", "because": "x" }] }"#;
    let mut world = World::new(policy);
    let others = [
        "/w/specs/a.md",
        "/w/SPECS/A.md",
        "/w/r\u{e9}sum\u{e9}.MD",
        "/w/Re\u{301}sume\u{301}.md",
        "/w/TESTS/t.PY",
    ];
    for (fold, count) in [(false, 0), (true, 1)] {
        world.fold = fold;
        for path in ["/w/Specs/A.md", "/w/R\u{e9}sum\u{e9}.md", "/w/tests/t.py"] {
            assert_eq!(world.edit(path, "1").len(), 1, "{fold} {path}");
        }
        for path in others {
            assert_eq!(world.edit(path, "1").len(), count, "{fold} {path}");
        }
    }
    let mut world = World::new(r#"{ "schema": 1, "protect": [{ "path": "Specs/**", "because": "x" }] }"#);
    for fold in [false, true] {
        world.fold = fold;
        for command in ["rm -r specs", "echo x > SPEC*/a.md"] {
            let found = world.shell(command);
            let is_shut = found.iter().any(|found| found.starts_with("protected "));
            assert_eq!(is_shut, fold, "{fold} {command}: {found:?}");
        }
    }
}

/// What was read of a file with a capital in its name was looked up in lower case, and never found.
#[test]
fn what_was_read_is_known_whatever_the_case_of_its_name() {
    let mut world = World::new(r#"{ "schema": 1, "gates": { "gain": true } }"#);
    world.files.push(("/w/src/Big.rs", "one\n"));
    for fold in [false, true] {
        world.fold = fold;
        let before = world.edit("/w/src/Big.rs", "one");
        world.read("src/Big.rs", 1, None, "one\n");
        assert_ne!(world.edit("/w/src/Big.rs", "one"), before, "{fold}: having read it makes a difference");
        world.session = Session::default();
    }
}

#[test]
fn the_held_out_set_is_not_read() {
    let world = World::new(DEFAULT);
    let hidden = ["protected held-out Deny"];
    for command in
        ["cat .chalk/regression/t.py", "grep -r x .", "grep -r x .chalk", "tar c .", "cp -r . /elsewhere/x"]
    {
        let found = world.shell(command);
        assert!(found.contains(&hidden[0].to_owned()), "{command}: {found:?}");
    }
    for command in ["grep -r --exclude-dir=regression x .", "rg x", "ls .chalk/regression", "grep -r x src"] {
        assert_eq!(world.shell(command), [""; 0], "{command}");
    }
    assert_eq!(
        world.judge(Tool::Read { path: "/w/.chalk/regression/t.py".into(), first: None, lines: None }),
        hidden
    );
}

/// A pattern without a folder in it shut every folder.
#[test]
fn a_pattern_shuts_no_folder_in_which_nothing_can_match() {
    for hidden in [true, false] {
        let policy = format!(
            r#"{{ "schema": 1, "protect": [{{ "path": "secret.txt", "hidden": {hidden}, "because": "x" }},
                {{ "path": "*.pem", "hidden": {hidden}, "because": "x" }}] }}"#
        );
        let world = World::new(&policy);
        for command in ["grep -rn x src", "rm -rf build", "cp -r docs docs2", "rm src/*.pem", "rm src/*"] {
            assert_eq!(world.shell(command), [""; 0], "{hidden} {command}");
        }
        assert_eq!(world.judge(search(Some("src"))), [""; 0], "{hidden}");
        for command in ["rm secret.txt", "rm *.pem", "rm a*.pem", "echo x > old.pem", "rm secret*", "rm -r *"]
        {
            let found = world.shell(command);
            assert!(found.contains(&"protected policy:protect Deny".to_owned()), "{command}: {found:?}");
        }
        let all = world.shell("grep -rn --exclude-dir=.chalk x .");
        assert_eq!(all.contains(&"protected policy:protect Deny".to_owned()), hidden, "{all:?}");
    }
}

/// What git and a wildcard leave alone counted as touched.
#[test]
fn gits_own_folder_is_said_of_what_can_touch_it() {
    let mut world = World::new(DEFAULT);
    world.locks = false;
    let gits = "protected cairn:git Deny".to_owned();
    for command in [
        "git checkout .",
        "git checkout -- .",
        "git checkout HEAD .",
        "git checkout HEAD -- .",
        "git restore .",
        "git restore --source HEAD .",
        "rm -rf ./*",
        "rm -rf *",
        "sed -i s/a/b/ *",
        "mv * ../x",
        "for f in *; do rm -rf \"$f\"; done",
        "find . -name '*.pyc' -delete",
        "find . -name \"*.pyc\" -exec rm {} +",
        "find . -name __pycache__ -exec rm -rf {} +",
        "find . -name .DS_Store -delete",
        "find . -name '*.py' -exec sed -i s/a/b/ {} +",
    ] {
        let found = world.shell(command);
        let others = found.iter().filter(|found| *found != "protected policy:knowledge Deny");
        let others: Vec<_> = others.filter(|found| *found != "protected held-out Deny").collect();
        assert_eq!(others, [""; 0], "{command}");
        assert!(!command.starts_with("git") || found.len() < 3, "{command}: {found:?}");
    }
    for command in [
        "rm -rf .",
        "rm -rf .*",
        "rm -rf .git/*",
        "rm -rf {*,.*}",
        "rm -rf */../.git",
        "find . -delete",
        "find . -name config -delete",
        "find . -name 'c*' -delete",
        "find . -name '*.lock' -delete",
        "find . -name main -delete",
        "find .git -name '*.sample' -delete",
        "shopt -s dotglob; rm -rf *",
        "shopt -s dot\"glob\"; rm -rf *",
        "setopt GLOB_DOTS && rm -rf *",
        "bash -O dotglob -c 'rm -rf *'",
        "GLOBIGNORE=x; rm -rf *",
        "mv .git x",
    ] {
        let found = world.shell(command);
        assert!(found.contains(&gits), "{command}: {found:?}");
    }
    world.locks = true;
    for command in ["git checkout .", "git restore .", "git checkout HEAD -- tests", "rm -rf *"] {
        let found = world.shell(command);
        assert!(found.contains(&"protected locked Deny".to_owned()), "{command}: {found:?}");
        assert!(!found.contains(&gits), "{command}: {found:?}");
    }
    world.files.push(("/w/.claude/settings.json", "{}"));
    let found = world.shell("git checkout HEAD~3 -- .");
    assert!(found.contains(&"protected cairn:settings Deny".to_owned()), "an older state: {found:?}");
}

/// The held-out set was taken away with what git ignores, unnoticed.
#[test]
fn what_takes_ignored_files_away_takes_the_held_out_set() {
    let mut world = World::new(DEFAULT);
    let held_out = "protected held-out Deny".to_owned();
    for command in [
        "git clean -fdx",
        "git clean -xdf",
        "git clean -fdX",
        "git clean -ffdx .",
        "git clean -fdx .chalk",
        "git clean -fx -- .chalk/regression",
        "git -C .chalk clean -fdx",
        "git clean -fdX -e .chalk/regression",
        "git clean -fdx -e node_modules",
        "git stash -a",
        "git stash --all",
        "git stash push --all -m x",
        "cd src && git stash -a",
    ] {
        assert_eq!(world.shell(command), [held_out.as_str()], "{command}");
    }
    for command in [
        "git clean -fd",
        "git clean -n",
        "git clean -ndx",
        "git clean -fdx --dry-run",
        "git clean -fdx src",
        "git clean -fdx -e .chalk/regression",
        "git clean -fdx -e .chalk",
        "git clean -fdx --exclude=regression/",
        "git stash",
        "git stash -u",
        "git stash push -a -- src",
        "git stash apply",
    ] {
        assert_eq!(world.shell(command), [""; 0], "{command}");
    }
    world.files.push(("/w/.gitignore", "# none\n/tests/*.py\n"));
    let both = world.shell("git clean -fdx");
    assert_eq!(both, [held_out.as_str(), "protected locked Deny"]);
    world.files.push(("/w/tests/.gitignore", "!t.py\n"));
    assert_eq!(world.shell("git clean -fdx"), [held_out.as_str()]);
}

/// Git and code read what the command names, and nobody looked at it.
#[test]
fn what_is_hidden_is_not_read_by_another_reader() {
    let world = World::new(
        r#"{ "schema": 1, "protect": [{ "path": "secret.txt", "hidden": true, "because": "x" }] }"#,
    );
    for path in ["secret.txt", ".chalk/regression/t.py"] {
        for command in [
            "git diff --no-index /dev/null P",
            "perl -ne print P",
            "git show HEAD:P",
            "git show :P",
            "git show :0:P",
            "git cat-file -p HEAD:P",
            "git blame P",
            "git log -p -- P",
            "git log -L1,5:P",
            "git diff HEAD -- P",
            "git archive HEAD P",
            "cd src && git show HEAD:P",
            "cd src && git show HEAD:../P",
            "python3 -c \"print(open('P').read())\"",
            "node -e 'require(\"fs\").readFileSync(\"P\")'",
            "perl -e 'open F, \"P\"; print <F>'",
            "ruby -e 'puts File.read(\"P\")'",
            "python3 <<'EOF'\nprint(open('P').read())\nEOF",
            "unheard-of-reader P",
            "unheard-of-reader --deep ./P",
        ] {
            let command = command.replace('P', path);
            let found = world.shell(&command);
            assert!(found.iter().any(|found| found.ends_with("Deny")), "{command}: {found:?}");
        }
        for command in [
            "git log --oneline -- P",
            "git diff --stat -- P",
            "git status P",
            "git ls-files P",
            "git stash show -p",
            "pytest --ignore P",
            "pytest --ignore=P tests",
            "git show HEAD:src/a.rs",
            "git diff -- src",
            "chalk held-out lock P",
            "python3 -c 'print(\"a/b\", 1.5)'",
            "node -e 'x.secret.txt'",
            "cargo test secret",
            "make all",
            "git commit -m 'move P away'",
        ] {
            let command = command.replace('P', path);
            assert_eq!(world.shell(&command), [""; 0], "{command}");
        }
    }
}

/// The next step was told in the words of a shell to a tool that takes none.
#[test]
fn the_way_past_the_held_out_set_is_in_the_words_of_the_tool() {
    let world = World::new(DEFAULT);
    let next = |tool: Tool| world.found(tool).remove(0).next;
    assert!(next(search(None)).starts_with("give the search the path of a folder"));
    let shell = |command: &str| Tool::Shell {
        command: command.into(),
        cwd: None,
        shell: "bash".into(),
        background: false,
    };
    assert!(next(shell("grep -r x .")).contains("--exclude-dir=regression"));
    assert!(next(shell("git grep x")).contains("git grep x -- . ':!.chalk/regression'"));
    assert_eq!(world.shell("git grep x -- . ':!.chalk/regression'"), [""; 0]);
    assert_eq!(world.shell("git grep x -- ':!.chalk/regression'"), [""; 0]);
    assert_eq!(world.shell("git grep x -- ':!docs'"), ["protected held-out Deny"]);
}

fn search(path: Option<&str>) -> Tool {
    Tool::Search { path: path.map(str::to_owned), pattern: "x".into(), content: true }
}

#[test]
fn whoever_is_judged_does_not_judge() {
    let world = World::new(DEFAULT);
    for command in [
        "cairn approve t-1",
        "cairn hook pause --for 10m",
        "cairn --json govern deploy approve --target x",
        "cairn govern deploy rollback",
        "cairn govern deploy mend",
        "sh -c 'cairn hook uninstall claude'",
        "/usr/bin/cairn approve x",
        "cairn govern knowledge promote x --why y",
        "cairn --json govern knowledge release x",
        "cairn govern knowledge erase --scope shared --why y",
        "tmux new -d 'cairn govern deploy approve'",
        "screen -dm cairn --json hook pause --for 10m",
        "expect -c 'spawn cairn govern deploy approve'",
        "script -qc 'cairn govern deploy approve' /dev/null",
        "unbuffer cairn approve x",
        "nohup setsid cairn approve x",
        "echo approve | xargs cairn govern deploy",
        "cat list | xargs cairn govern queue",
        "python3 -c \"import pty; pty.spawn(['cairn', 'govern', 'deploy', 'approve'])\"",
        "perl -e 'exec qw(cairn hook uninstall claude)'",
        "cairn govern queue resolve x -- --help",
        "echo \"import os; os.system('cairn approve X')\" | python3",
        "printf '%s\\n' 'import os' \"os.system('cairn approve X')\" | timeout 5 python3 -",
        "printf 'import os\\nos.system(\"cairn hook pause\")' | python3",
        "echo -e 'require(1)\\nrun(\"cairn hook uninstall claude\")' | node",
        "python3 <<'EOF'\nimport os\nos.system('cairn approve X')\nEOF",
        "python3 - <<EOF\nimport os\nos.system('cairn approve $ID')\nEOF",
        "cat <<'EOF' | perl\nsystem('cairn', 'approve', 'x');\nEOF",
        "ruby <<< 'system \"cairn approve x\"'",
        "ID=x; echo \"cairn approve $ID\" | bash",
        "echo 'cairn approve x' | sh",
        "bash <<EOF\ncairn approve x\nEOF",
        "bash <<EOF\ncairn approve $(cat id)\nEOF",
        "echo \"cairn approve $(cat id)\" | bash",
        "echo 'approve x' | xargs cairn",
        "$(which cairn) approve x",
        "./k approve 0a1b2c3d",
        "script -qc './k approve 0a1b2c3d' /dev/null",
        "printf 'a:\n\tcairn approve x\n' | make -f -",
        "git -c alias.a='!cairn approve x' a",
        "git rebase -x 'cairn approve x' main",
    ] {
        let found = world.shell(command);
        assert!(found.contains(&"protected person-only Deny".to_owned()), "{command}: {found:?}");
    }
    for command in [
        "git commit --no-verify -m x",
        "git commit --no-veri -m x",
        "git -c include.path=f commit -m x",
        "git config include.path f",
        "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/dev/null git commit -m x",
        "env GIT_CONFIG_GLOBAL=f git commit -m x",
        "git commit -anm x",
        "git config core.hooksPath /dev/null",
        "git -c core.hooksPath=/dev/null commit -m x",
    ] {
        let found = world.shell(command);
        assert!(found.contains(&"protected git-hooks Deny".to_owned()), "{command}: {found:?}");
    }
    for command in [
        "cairn next",
        "cairn govern knowledge add 'promote it' --label fact",
        "cairn hook status claude",
        "cairn hook pause --help",
        "cairn govern deploy approve --help",
        "cairn govern deploy plan --target $HOME/x",
        "echo 'ask for cairn approve x'",
        "echo 'ask for cairn approve x' | cat",
        "echo 'ask for cairn approve x' | grep cairn",
        "cat <<'EOF'\nask for cairn approve x\nEOF",
        "echo '# not cairn approve x' | bash",
        "git commit -m 'no -n here'",
        "GIT_CONFIG_GLOBAL=/dev/null git status",
        "git commit -m 'ask for cairn approve x'",
        "gh pr review --approve 12",
        "git config core.hooksPath",
        "git config --get core.hooksPath",
    ] {
        assert_eq!(world.shell(command), [""; 0], "{command}");
    }
}

/// A denial quoted `cairn hook pause 10m x`, which nobody can run.
#[test]
fn a_person_only_command_is_shown_as_it_was_typed() {
    let argv = |words: &[&str]| Argv(words.iter().map(|word| Some((*word).to_owned())).collect());
    let found = commands::person_only(&argv(&["cairn", "hook", "pause", "--for", "10m", "--why", "a b"]));
    assert_eq!(found.unwrap().fact, "`cairn hook pause --for 10m --why 'a b'` is for a person at a terminal");
}

#[test]
fn an_unparsable_command_is_denied() {
    assert_eq!(World::new(DEFAULT).shell("echo 'unfinished")[0], "shell understood Deny");
}

#[test]
fn the_plan_gate_judges_as_its_table_says() {
    let strict = r#"{ "schema": 1, "gates": { "plan": true }, "planSpec": "src/a.rs" }"#;
    let good = ("write the parser first", "pending", "high");
    let rule = |todos: &[(&str, &str, &str)], is_read: bool| {
        let mut world = World::new(strict);
        world.plan(todos);
        if is_read {
            world.learn(Entry::Mark { name: PLAN_SPEC_READ.into(), value: String::new() });
        }
        let found = world.shell("touch x");
        found.first().map(|found| found.split(' ').nth(1).unwrap().to_owned()).unwrap_or_default()
    };
    assert_eq!(World::new(strict).shell("touch x"), ["plan PL-001 Deny"]);
    assert_eq!(rule(&[good], true), "");
    assert_eq!(rule(&[], true), "PL-003");
    assert_eq!(
        rule(
            &[("write the parser first", "completed", "low"), ("write the tests", "cancelled", "low")],
            true
        ),
        "PL-004"
    );
    assert_eq!(rule(&[("write the parser first", "doing", "low")], true), "PL-004");
    assert_eq!(rule(&[("fix", "pending", "low")], true), "PL-005");
    for placeholder in ["TODO: TBD", "placeholder text", "<describe>", "step 1 todo", "Task 12 - todo"] {
        assert_eq!(rule(&[(placeholder, "pending", "low")], true), "PL-006", "{placeholder}");
    }
    assert_eq!(rule(&[(" 1234567 ", "pending", "low")], true), "PL-005");
    assert_eq!(rule(&[(" 1234567a ", "pending", "low")], true), "");
    assert_eq!(rule(&[good], false), "PL-009");
    assert_eq!(rule(&[("write the parser first", "pending", "urgent")], true), "PL-010");
    // Reads pass, and so do the commands that make a plan.
    for command in [
        "ls",
        "grep -r x src",
        "cairn plan show",
        "cairn plan set --from plan.json",
        "echo '[{}]' | cairn plan set --from -",
        "printf '%s' '[{}]' | cairn plan set --from -",
        "cat plan.json | cairn plan set --from -",
        "cairn plan set --from - <<'END'\n[{}]\nEND",
        "cat <<'END' | cairn plan set --from -\n[{}]\nEND",
    ] {
        assert_eq!(World::new(strict).shell(command), [""; 0], "{command}");
    }
    // What does more than print a plan is no making of one.
    for command in [
        "echo x",
        "echo '[{}]' > plan.json | cairn plan set --from -",
        "echo $(touch x) | cairn plan set --from -",
        "touch x | cairn plan set --from -",
        "echo '[{}]' | tee plan.json | cairn plan set --from -",
        "echo '[{}]' | cairn plan set --from - && touch x",
    ] {
        let found = World::new(strict).shell(command);
        let is_harmless = command == "echo x";
        assert_eq!(
            found.iter().any(|found| found.starts_with("plan PL-001")),
            !is_harmless,
            "{command}: {found:?}"
        );
    }
    // Where the text is not there, nobody could read it.
    let mut world = World::new(&strict.replace("src/a.rs", "PLANNING.md"));
    world.plan(&[good]);
    let verdict = world.found(shell("touch x"))[0].verdict();
    assert_eq!(
        (verdict.rule.as_deref(), verdict.message.as_deref()),
        (
            Some("PL-009"),
            Some(
                "plan (PL-009): the policy names PLANNING.md as the text that says how to plan, and no such file is \
                 there. Next: say so to the person, who puts it there, or takes `planSpec` out of the policy and commits \
                 that"
            )
        )
    );
    // The plan of the turn before counts no more.
    let mut world = World::new(strict);
    world.plan(&[good]);
    world.learn(Entry::PlanEnded);
    assert_eq!(world.shell("touch x"), ["plan PL-001 Deny"]);
}

#[test]
fn a_file_is_read_before_it_is_changed() {
    let gain = r#"{ "schema": 1, "gates": { "gain": true } }"#;
    let content = "one\ntwo\nthree\nfour\n";
    let mut world = World::new(gain);
    assert_eq!(world.edit("/w/src/new.rs", ""), [""; 0]);
    assert_eq!(world.edit("/w/src/a.rs", "two"), ["G1 G1-2 Deny"]);
    world.read("src/a.rs", 1, Some(2), content);
    assert_eq!(world.edit("/w/src/a.rs", "two"), ["G1 G1-5 Deny"]);
    assert_eq!(world.shell("rm src/a.rs")[0], "G1 G1-6 Deny");
    world.learn(Entry::Mark { name: format!("{SEARCHED}mod a"), value: String::new() });
    assert_eq!(world.edit("/w/src/a.rs", "two"), [""; 0]);
    assert_eq!(world.edit("/w/src/a.rs", "three\nfour"), ["G1 G1-4 Deny"]);
    world.learn(Entry::Compacted);
    assert_eq!(world.edit("/w/src/a.rs", "two"), ["G1 G1-2 Deny"]);
    world.read("src/a.rs", 1, None, "another content");
    assert_eq!(world.edit("/w/src/a.rs", "two"), ["G1 G1-7 Deny"]);
    world.read("src/a.rs", 1, None, content);
    assert_eq!(world.edit("/w/src/a.rs", "two"), [""; 0]);
    assert_eq!(world.shell("rm src/a.rs"), [""; 0]);
}

#[test]
fn what_no_check_is_about_is_read_back() {
    let verify = r#"{ "schema": 1, "gates": { "verify": true },
        "checks": { "code": { "paths": ["src/**"], "command": ["cargo", "test"] } } }"#;
    let mut world = World::new(verify);
    let changed = ["src/a.rs", "tests/t.py", "/elsewhere/x"].map(str::to_owned);
    assert_eq!(read_back::unchecked(&world.policy, &changed), ["tests/t.py"]);
    let mark = |path: &str| Entry::Mark { name: read_back::mark(path), value: String::new() };
    world.learn(mark("tests/t.py"));
    assert_eq!(world.shell("touch x"), ["G2 G2-1 Deny"]);
    assert_eq!(world.shell("cat tests/t.py"), [""; 0]);
    world.learn(Entry::Unmark { name: read_back::mark("tests/t.py") });
    assert_eq!(world.shell("touch x"), [""; 0]);
    // Of what is gone there is nothing to read; a folder of this world is always occupied.
    world.learn(mark("gone.csv"));
    assert_eq!(world.shell("touch x"), [""; 0]);
    world.learn(mark("new/"));
    assert_eq!(world.shell("touch x"), ["G2 G2-1 Deny"]);
    let off = verify.replace("true }", "true, \"readBack\": false }");
    let world = World { policy: Policy::read(off.as_bytes()).unwrap(), ..world };
    assert_eq!(world.shell("touch x"), [""; 0]);
    assert_eq!(read_back::unchecked(&world.policy, &changed), [""; 0]);
}

#[test]
fn a_read_back_is_what_shows_the_file() {
    let shows =
        |command: &str, name: &str| acted(command, |act| read_back::shows(act, Path::new("/w"), name));
    for command in [
        "cat data/a.csv",
        "head -n 3 data/a.csv 2>/dev/null",
        "sed -n 1,20p data/a.csv",
        "cd data && cat a.csv",
        "cat data/*.csv",
        "cat README data/?.csv | head",
        "grep -n x data/a.csv",
        "rg x data/a.csv",
        "wc -l data/a.csv",
    ] {
        assert!(shows(command, "data/a.csv"), "{command}");
    }
    for command in [
        "cat data/b.csv",
        "ls data",
        "ls data/a.csv",
        "rg x data",
        "cat $FILE",
        "cat data/$NAME.csv",
        "cat data/a.csv > /dev/null",
        "cat data/a.csv > copy.csv",
        "cat data/a.csv && touch x",
        "git status",
    ] {
        assert!(!shows(command, "data/a.csv"), "{command}");
    }
    for command in ["ls -R new", "find new", "cat new/deep/a.csv", "head new/*"] {
        assert!(shows(command, "new/"), "{command}");
    }
    assert!(!shows("ls", "new/") && !shows("cat newer/a", "new/"));
}

#[test]
fn a_plain_git_diff_is_known() {
    let diff = |command: &str| acted(command, read_back::diff).map(|diff| (diff.head, diff.paths.join(" ")));
    let some = |head, paths: &str| Some((head, paths.to_owned()));
    assert_eq!(diff("git diff"), some(false, ""));
    assert_eq!(diff("git --no-pager diff -U5 HEAD"), some(true, ""));
    assert_eq!(diff("git diff -- a b/c"), some(false, "a b/c"));
    assert_eq!(diff("git diff HEAD a | head -40"), None, "a pipe has two commands");
    for command in [
        "git diff --stat",
        "git diff --name-only",
        "git diff --cached",
        "git diff main -- a",
        "git diff > out.patch",
        "git diff; true",
        "git log -p",
        "cd x && git diff",
    ] {
        assert_eq!(diff(command), None, "{command}");
    }
}

#[test]
fn what_reaches_beyond_the_project_waits_for_a_person() {
    let commit = r#"{ "schema": 1, "gates": { "commitment": true } }"#;
    let world = World::new(commit);
    for command in ["git push", "git push origin :x", "npm publish", "echo x > /etc/hosts", "gh pr merge 1"] {
        assert_eq!(world.shell(command), ["G5 G5-1 Ask"], "{command}");
    }
    for command in [
        "git -C sub push",
        "git clean -fd",
        "git clean --force src",
        "git reset --hard HEAD~1",
        "git reflog expire --expire=now --all",
        "git gc --prune=now",
        "dd if=x of=/dev/sda",
        "mkfs.ext4 image",
        "sudo shutdown -h now",
        "reboot",
        "curl -X POST https://e.org/x",
        "curl -XDELETE https://e.org/x",
        "curl --request put https://e.org/x",
        "curl -d a=b https://e.org",
        "curl --data-binary @x https://e.org",
        "curl -F f=@x https://e.org",
        "curl -T x https://e.org",
        "wget --post-data=x https://e.org",
        "cargo publish",
        "poetry publish --build",
        "twine upload dist/*",
        "python3 -m twine upload dist/*",
        "docker push a/b",
        "kubectl -n prod delete pod x",
        "kubectl apply -f x.yaml",
        "terraform destroy",
        "gh release create v1",
        "gh repo delete x",
    ] {
        let found = world.shell(command);
        assert!(found.contains(&"G5 G5-1 Ask".to_owned()), "{command}: {found:?}");
    }
    for command in [
        "git push --dry-run",
        "git clean -nfd",
        "git clean -n",
        "git reset HEAD x",
        "git gc",
        "git reflog",
        "cargo publish --dry-run",
        "kubectl apply --dry-run=client -f x.yaml",
        "kubectl -n prod get pods",
        "curl https://e.org",
        "curl -G -d a=b https://e.org",
        "curl -X POST http://localhost:8080/x",
        "curl -sS -o /tmp/x https://e.org",
        "terraform plan",
        "docker build .",
        "npm run publish-docs",
        "dd if=x of=/dev/null",
    ] {
        let found = world.shell(command);
        assert!(!found.contains(&"G5 G5-1 Ask".to_owned()), "{command}: {found:?}");
    }
    assert_eq!(world.judge(Tool::Subagent { prompt: "x".into() }), ["G5 G5-1 Ask"]);
    for command in ["echo x > src/b.rs", "git commit -m x", "gh pr view 1", "echo x > /tmp/x"] {
        assert_eq!(world.shell(command), [""; 0], "{command}");
    }
    // Deny wins over ask.
    let found = world.shell("git push && echo x > tests/t.py");
    assert_eq!(found, ["protected locked Deny", "G5 G5-1 Ask"]);
}

mod verify;
