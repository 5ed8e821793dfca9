//! The names of agents, packages and models, and whose they are. This is the place to extend.

use crate::words::base_name;

/// What is known of an agent's program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Known {
    /// Its usual name.
    pub(super) name: &'static str,
    /// Whose models it runs unless told otherwise; `None` for one that runs anybody's.
    pub(super) maker: Option<&'static str>,
    /// Whether the model is the first argument after this word (`ollama run llama3`).
    pub(super) model_after: Option<&'static str>,
    /// Whether the name means this agent wherever it stands in a script. Common words don't.
    pub(super) distinct: bool,
}

/// The agent of this name: of its program, with or without a path, or of a package that brings it,
/// with or without scope and version (`@openai/codex@latest`).
pub(super) fn agent(name: &str) -> Option<Known> {
    let package = match name.rsplit_once('@') {
        Some((package, _)) if !package.is_empty() => package,
        _ => name,
    };
    let program = base_name(package);
    let program = program.strip_suffix(".exe").or_else(|| program.strip_suffix(".cmd")).unwrap_or(program);
    let known = |name, maker, distinct| Some(Known { name, maker, model_after: None, distinct });
    match program {
        "claude" | "claude-code" => known("claude", Some("anthropic"), true),
        "codex" | "codex-cli" => known("codex", Some("openai"), true),
        "chatgpt" => known("chatgpt", Some("openai"), true),
        "gemini" | "gemini-cli" => known("gemini", Some("google"), true),
        "antigravity" | "agy" => known("antigravity", Some("google"), true),
        "jules" => known("jules", Some("google"), false),
        "qwen" | "qwen-code" => known("qwen", Some("alibaba"), true),
        "vibe" | "mistral-vibe" => known("vibe", Some("mistral"), false),
        "kimi" | "kimi-cli" => known("kimi", Some("moonshot"), true),
        "grok" | "grok-cli" => known("grok", Some("xai"), true),
        "cursor-agent" => known("cursor-agent", None, true),
        "opencode" | "opencode-ai" => known("opencode", None, true),
        "copilot" => known("copilot", None, true),
        "aider" | "aider-chat" => known("aider", None, true),
        "auggie" => known("auggie", None, true),
        "kiro-cli" => known("kiro-cli", None, true),
        "kilocode" => known("kilocode", None, true),
        "openhands" | "openhands-ai" => known("openhands", None, true),
        "gptme" => known("gptme", None, true),
        "aichat" => known("aichat", None, true),
        "plandex" => known("plandex", None, true),
        "crush" => known("crush", None, false),
        "amp" => known("amp", None, false),
        "droid" => known("droid", None, false),
        "goose" => known("goose", None, false),
        "cline" => known("cline", None, false),
        "mods" => known("mods", None, false),
        "sgpt" | "shell-gpt" => known("sgpt", None, false),
        "pi" | "pi-coding-agent" => known("pi", None, false),
        "llm" => known("llm", None, false),
        "openai" => known("openai", None, false),
        "ollama" => Some(Known { name: "ollama", maker: None, model_after: Some("run"), distinct: true }),
        _ => match package {
            "@kilocode/cli" => known("kilocode", None, true),
            "cn" | "@continuedev/cli" => known("cn", None, false),
            _ => None,
        },
    }
}

/// Whose model this is, from its name: `anthropic/claude-sonnet-4`, `gpt-5.1`,
/// `us.anthropic.claude-opus-4-1-v1:0`, `hf.co/Qwen/Qwen3-8B`.
///
/// A provider before the slash doesn't count: `openai/...` is how many tools name any server that
/// speaks OpenAI's protocol.
pub(super) fn maker(model: &str) -> Option<&'static str> {
    let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
    name.split(|c: char| !c.is_ascii_alphanumeric()).find_map(word_maker)
}

fn word_maker(word: &str) -> Option<&'static str> {
    const NAMES: [(&str, &str); 39] = [
        ("claude", "anthropic"),
        ("sonnet", "anthropic"),
        ("opus", "anthropic"),
        ("opusplan", "anthropic"),
        ("haiku", "anthropic"),
        ("gpt", "openai"),
        ("chatgpt", "openai"),
        ("codex", "openai"),
        ("gemini", "google"),
        ("gemma", "google"),
        ("qwen", "alibaba"),
        ("qwq", "alibaba"),
        ("codellama", "meta"),
        ("llama", "meta"),
        ("mistral", "mistral"),
        ("mixtral", "mistral"),
        ("ministral", "mistral"),
        ("magistral", "mistral"),
        ("codestral", "mistral"),
        ("devstral", "mistral"),
        ("pixtral", "mistral"),
        ("deepseek", "deepseek"),
        ("grok", "xai"),
        ("kimi", "moonshot"),
        ("moonshot", "moonshot"),
        ("glm", "zhipu"),
        ("chatglm", "zhipu"),
        ("minimax", "minimax"),
        ("granite", "ibm"),
        ("nemotron", "nvidia"),
        ("commandr", "cohere"),
        ("c4ai", "cohere"),
        ("phi", "microsoft"),
        ("olmo", "allenai"),
        ("starcoder", "bigcode"),
        ("jamba", "ai21"),
        ("hunyuan", "tencent"),
        ("ernie", "baidu"),
        ("doubao", "bytedance"),
    ];
    // OpenAI's o1, o3, o4.
    if let Some(number) = word.strip_prefix('o')
        && number.len() == 1
        && is_version(number)
    {
        return Some("openai");
    }
    let maker = NAMES.iter().find(|(name, _)| word.strip_prefix(name).is_some_and(is_version));
    maker.map(|(_, maker)| *maker)
}

/// Whether this may follow a model's name within one word: `gpt4o`, but not `philosophy`.
fn is_version(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_by_their_usual_names() {
        for (model, expected) in [
            ("sonnet", Some("anthropic")),
            ("opusplan", Some("anthropic")),
            ("claude-opus-4-1[1m]", Some("anthropic")),
            ("openrouter/anthropic/claude-3.7-sonnet:thinking", Some("anthropic")),
            ("us.anthropic.claude-sonnet-4-20250514-v1:0", Some("anthropic")),
            ("gpt-5.1-codex", Some("openai")),
            ("o3", Some("openai")),
            ("o4-mini", Some("openai")),
            ("azure/gpt4o", Some("openai")),
            ("gpt-oss:20b", Some("openai")),
            ("Gemini-2.5-Pro", Some("google")),
            ("hf.co/Qwen/Qwen3-8B-GGUF", Some("alibaba")),
            ("llama3.3:70b", Some("meta")),
            ("meta-llama/Llama-4-Scout", Some("meta")),
            ("devstral", Some("mistral")),
            ("deepseek-r1", Some("deepseek")),
            ("x-ai/grok-code-fast-1", Some("xai")),
            ("z-ai/glm-4.6", Some("zhipu")),
            ("openai/my-own", None),
            ("auto", None),
            ("o", None),
            ("opaque", None),
            ("philosophy", None),
            ("phi4", Some("microsoft")),
            ("", None),
        ] {
            assert_eq!(maker(model), expected, "{model}");
        }
    }

    #[test]
    fn agents_by_program_and_package() {
        let name = |name| agent(name).map(|known| known.name);
        assert_eq!(name("/opt/bin/claude"), Some("claude"));
        assert_eq!(name("@anthropic-ai/claude-code@2.0"), Some("claude"));
        assert_eq!(name("@openai/codex"), Some("codex"));
        assert_eq!(name("@kilocode/cli@latest"), Some("kilocode"));
        assert_eq!(name("codex.exe"), Some("codex"));
        assert_eq!(name("cli"), None);
        assert_eq!(name("@"), None);
    }
}
