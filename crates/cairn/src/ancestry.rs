//! From which agent's process this one comes: what an agent takes out of the environment is still seen by who started whom.

use agents::AgentId;

/// How far up it is looked.
const MOST: usize = 64;

/// The programs that run an agent that is a script.
const RUNTIMES: [&str; 4] = ["bun", "deno", "node", "nodejs"];

/// The agent's program that started this process, at any distance; none where none did, where that process is gone or
/// was left by a fork that waits for nobody, and where the system does not tell.
#[cfg(target_os = "linux")]
pub fn agent() -> Option<String> {
    let read = |pid: u32, name: &str| std::fs::read(format!("/proc/{pid}/{name}")).ok();
    above(std::process::id(), read)
}

/// The same where the system has no such files.
#[cfg(not(target_os = "linux"))]
pub fn agent() -> Option<String> {
    None
}

#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "the system does not tell"))]
fn above(pid: u32, read: impl Fn(u32, &str) -> Option<Vec<u8>>) -> Option<String> {
    let mut at = pid;
    for _ in 0..MOST {
        let stat = read(at, "stat")?;
        // The program's name stands in brackets and may hold any letter.
        let end = stat.iter().rposition(|&byte| byte == b')')?;
        let rest = String::from_utf8_lossy(&stat[end + 1..]).into_owned();
        at = rest.split_whitespace().nth(1)?.parse().ok()?;
        if at <= 1 {
            return None;
        }
        let line = read(at, "cmdline")?;
        let words: Vec<String> = line
            .split(|&byte| byte == 0)
            .take(2)
            .map(|word| String::from_utf8_lossy(word).into_owned())
            .collect();
        let names = words.iter().map(|word| plain(word));
        let names: Vec<&str> = names.collect();
        let program = match names.as_slice() {
            [runtime, script] if RUNTIMES.contains(runtime) => script,
            [program, ..] => program,
            [] => continue,
        };
        if AgentId::ALL.iter().any(|agent| agent.programs().contains(program)) {
            return Some((*program).to_owned());
        }
    }
    None
}

/// A program's name without its folder and ending; of a login shell without its dash.
fn plain(word: &str) -> &str {
    let name = word.rsplit('/').next().unwrap_or(word);
    let name = name.strip_prefix('-').unwrap_or(name);
    [".js", ".mjs", ".cjs"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(lines: &[(u32, u32, &str)]) -> Option<String> {
        let find = |pid: u32| lines.iter().find(|(own, ..)| *own == pid);
        above(9, |pid, name| {
            let (_, parent, line) = find(pid)?;
            Some(match name {
                "stat" => format!("{pid} (a) b) S {parent} 1 1 0").into_bytes(),
                _ => line.replace(' ', "\0").into_bytes(),
            })
        })
    }

    #[test]
    fn an_agent_is_seen_through_what_stands_between() {
        let script = [(9, 8, "./k approve x"), (8, 7, "sh -c ./k"), (7, 6, "script -qc ./k"), (6, 5, "bash")];
        let under = |line: &'static str| {
            let mut lines = script.to_vec();
            lines.extend([(5, 4, line), (4, 1, "login")]);
            of(&lines)
        };
        assert_eq!(under("claude --resume").as_deref(), Some("claude"));
        assert_eq!(under("node /usr/lib/node_modules/.bin/gemini.js").as_deref(), Some("gemini"));
        assert_eq!(under("/opt/codex/codex exec").as_deref(), Some("codex"));
        assert_eq!(under("vim claude"), None);
        assert_eq!(under("-zsh"), None);
        assert_eq!(of(&script), None);
    }
}
