use std::collections::HashMap;

use super::*;

fn nothing(_: &Path) -> Option<String> {
    None
}

fn family(command: &str) -> Option<&'static str> {
    match agent(command, &nothing)?.family {
        Family::Known(maker) => Some(maker),
        Family::Unknown => None,
    }
}

#[test]
fn agents_behind_launchers() {
    for command in [
        "claude -p",
        "/usr/local/bin/claude --print",
        "env -u X FOO=bar claude -p",
        "env -S 'claude -p'",
        "FOO=1 BAR='a b' claude",
        "npx -y @anthropic-ai/claude-code -p",
        "npx --yes -p @anthropic-ai/claude-code@latest claude -p",
        "bunx @anthropic-ai/claude-code",
        "pnpm dlx @anthropic-ai/claude-code",
        "npm exec -- @anthropic-ai/claude-code -p",
        "timeout -k 5 10m claude -p",
        "nice -n 10 nohup claude",
        "nice -10 claude",
        "sudo -u agent -- claude",
        "time -p claude",
        "exec claude",
        "command claude",
        "sh -c 'cd x && exec claude -p'",
        "bash -lc \"env A=b timeout 10 'claude' -p\"",
        "cd sub && claude -p <prompt.md 2>/dev/null",
        "cat prompt.md - | claude -p --output-format json | jq -r .result",
        "echo \"$(claude -p)\"",
        "(cd x; claude -p)",
        "doppler run --project x -- claude -p",
        "sh -c 'exec \"$@\"' sh claude -p",
        "AGENT=claude; $AGENT -p",
        "if command -v codex; then true; fi; claude -p",
        "env ANTHROPIC_MODEL=sonnet opencode run",
    ] {
        assert_eq!(family(command), Some("anthropic"), "{command}");
    }
    assert_eq!(family("uvx --from aider-chat aider --model gemini/gemini-2.5-pro"), Some("google"));
    assert_eq!(family("python3.12 -m aider --model o3"), Some("openai"));
    assert_eq!(family("codex exec -"), Some("openai"));
    assert_eq!(family("npx @google/gemini-cli"), Some("google"));
}

#[test]
fn the_model_decides_where_the_program_does_not() {
    for (command, expected) in [
        ("cursor-agent -p --model sonnet-4.5", Some("anthropic")),
        ("opencode run -m openai/gpt-5", Some("openai")),
        ("gh copilot --model=gpt-5 -p", Some("openai")),
        ("aider --model gpt-4o --model deepseek/deepseek-chat", Some("deepseek")),
        ("ollama run --verbose qwen3:8b", Some("alibaba")),
        ("llm -m mistral-large", Some("mistral")),
        ("codex exec -c model=\"o3\"", Some("openai")),
        ("codex --oss -m qwen3-coder", Some("alibaba")),
        ("claude --model kimi-k2", Some("moonshot")),
        ("claude --model arn:aws:something", Some("anthropic")),
        ("my-own-agent --model gpt-5", Some("openai")),
        ("ANTHROPIC_BASE_URL=https://host.example claude", None),
        ("export ANTHROPIC_BASE_URL=https://host.example; claude --model glm-4.6", Some("zhipu")),
        ("opencode run -- --model gpt-5", None),
        ("cursor-agent -p", None),
        ("cursor-agent --model auto", None),
        ("claude -p && codex exec", None),
    ] {
        assert_eq!(family(command), expected, "{command}");
    }
}

fn scripts<const N: usize>(scripts: [(&'static str, &'static str); N]) -> impl Fn(&Path) -> Option<String> {
    let scripts = HashMap::from(scripts);
    move |path| scripts.get(path.to_str()?).map(|&text| text.to_owned())
}

#[test]
fn wrapper_scripts_are_read() {
    let read = scripts([
        ("./review.sh", "#!/bin/sh\n# not codex\nset -e\nexport X=1\ncat - >in\nexec claude -p \"$@\" <in\n"),
        ("any", "#!/usr/bin/env bash\nexec \"$@\"\n"),
        ("tools/ask", "codex exec -\n"),
        ("ask.py", "#!/usr/bin/env python3\n# claude would do too\nsubprocess.run([\"gemini\", \"-p\"])\n"),
        ("api.js", "const model = 'claude-sonnet-4-5';\nawait client.create({ model })\n"),
        ("both.py", "run('claude' if x else 'codex')\n"),
        ("direct", "#!/usr/bin/env -S claude -p\nWrite a review.\n"),
        ("loop", "./loop | loop; loop\nloop\n"),
        (
            "glm",
            "#!/bin/sh\nexport ANTHROPIC_BASE_URL=https://host.example ANTHROPIC_MODEL=glm-4.6\nclaude -p\n",
        ),
    ]);
    let find = |command: &str| agent(command, &read).unwrap();
    assert_eq!(find("./review.sh").family, Family::Known("anthropic"));
    assert_eq!(find("bash ./review.sh --model opus").model.as_deref(), Some("opus"));
    assert_eq!(find("any codex exec").family, Family::Known("openai"));
    assert_eq!(find("cd tools && ./ask").program, "tools/./ask");
    assert_eq!(find("tools/ask").family, Family::Known("openai"));
    assert_eq!(find("python3 ask.py").family, Family::Known("google"));
    assert_eq!(find("node api.js").family, Family::Known("anthropic"));
    assert_eq!(find("both.py").family, Family::Unknown);
    assert_eq!(find("direct").family, Family::Known("anthropic"));
    assert_eq!(find("loop").family, Family::Unknown);
    assert_eq!(find("glm").family, Family::Known("zhipu"));
    assert_eq!(compare("claude -p", "sh ./review.sh", &read), Same::Yes);
    assert_eq!(compare("codex exec", "sh ./review.sh", &read), Same::No);
}

#[test]
fn comparisons() {
    for (executor, reviewer, expected) in [
        ("claude", "/usr/bin/claude -p", Same::Yes),
        ("claude --model opus", "claude --model haiku", Same::Yes),
        ("claude", "codex exec", Same::No),
        ("opencode run -m anthropic/claude-opus-4", "claude", Same::Yes),
        ("opencode run", "opencode run", Same::Yes),
        ("opencode run", "opencode run -m gpt-5", Same::CannotTell),
        ("opencode run", "claude", Same::CannotTell),
        ("acme-agent --yes", "acme-agent review", Same::Yes),
        ("acme-agent --model x", "acme-agent --model y", Same::CannotTell),
        ("./one/agent.sh", "./two/agent.sh", Same::CannotTell),
        ("python execute.py", "python review.py", Same::CannotTell),
        ("make execute", "make review", Same::CannotTell),
        ("make agent", "make agent", Same::Yes),
        ("", "", Same::CannotTell),
        ("claude && codex", "claude && codex", Same::CannotTell),
    ] {
        assert_eq!(compare(executor, reviewer, &nothing), expected, "{executor} / {reviewer}");
    }
}

#[test]
fn no_text_takes_for_ever_or_overflows() {
    agent(&"sh -c ".repeat(10_000), &nothing);
    agent(&"env -S ".repeat(10_000), &nothing);
    agent(&"x -- ".repeat(10_000), &nothing);
    agent(&"$(".repeat(10_000), &nothing);
    agent(&"a=$a ".repeat(1_000), &nothing);
    agent("x", &|_: &Path| Some("x\n".repeat(1_000)));
    agent("x y", &|_: &Path| Some(format!("x {}", "$@ ".repeat(1_000))));
    let itself = "sh -c \"$1\" sh \"$1\";".repeat(50);
    assert_eq!(agent(&format!("sh -c '{itself}' sh '{itself}'"), &nothing), None);
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config { failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_command_line_has_an_answer(command in "([ \n'\"\\\\$`(){}#;|<>=-]|claude|env|sh -c|--model|-){0,30}") {
        agent(&command, &|_: &Path| Some(command.clone()));
    }
}
