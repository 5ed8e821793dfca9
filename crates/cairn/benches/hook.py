"""Measures the hook as an agent meets it, in a repository that `hook.sh` made: hook.py CAIRN FOLDER ROUNDS

Every figure is of a whole process, from its start to its end. In each round all of them run once, in turn, so that what
the machine does meanwhile falls on all alike; the ratios are to git in the same rounds. Every answer is checked. Peak memory
is of rounds of its own, under GNU time, where it is there: of a child of this program the system counts this program too.
"""

import json
import os
import pathlib
import statistics
import sys
import time

cairn, folder, rounds = os.path.abspath(sys.argv[1]), os.path.realpath(sys.argv[2]), int(sys.argv[3])
work = pathlib.Path(folder).parent / "measured"
work.mkdir(exist_ok=True)
os.chdir(folder)


TIME = "/usr/bin/time"
is_weighed = False


def run(argv, document=None):
    """Runs a program; the seconds that it took or its peak memory in KiB, its exit code and what it printed."""
    given, printed = work / "given", work / "printed"
    given.write_text(json.dumps(document) if document else "")
    if is_weighed:
        argv = [TIME, "-f", "%M", "-o", str(work / "weight"), *argv]
    files = [
        (os.POSIX_SPAWN_OPEN, 0, str(given), os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, str(printed), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
    ]
    begun = time.perf_counter()
    pid = os.posix_spawnp(argv[0], argv, os.environ, file_actions=files)
    _, status = os.waitpid(pid, 0)
    figure = time.perf_counter() - begun
    if is_weighed:
        figure = int((work / "weight").read_text().split()[-1])
    return figure, os.waitstatus_to_exitcode(status), printed.read_text()


def event(name, tool, given, call):
    payload = {
        "session_id": "measured", "transcript_path": "/t", "cwd": folder, "permission_mode": "default",
        "hook_event_name": name, "tool_name": tool, "tool_input": given, "tool_use_id": call,
    }
    if name == "PostToolUse":
        payload["tool_response"] = {"stdout": "", "exit": 0}
    return payload


def hook(word, payload, decision=None):
    figure, code, printed = run([cairn, "hook", "claude", word], payload)
    said = json.loads(printed)["hookSpecificOutput"] if printed else {}
    if code != 0 or said.get("permissionDecision") != decision:
        sys.exit(f"{word} of {payload['tool_use_id']}: expected {decision or 'nothing said'}, got {code}: {printed}")
    return figure


def git(*words):
    figure, code, printed = run(["git", *words])
    if code != 0:
        sys.exit(f"git {words} failed: {printed}")
    return figure


free = {"file_path": f"{folder}/src/d0000/f0.txt", "content": "changed\n"}
locked = {"file_path": f"{folder}/a.test.sh", "content": "changed\n"}
listing = {"command": "ls src > list.txt"}


def round_of(n):
    yield "git rev-parse HEAD", lambda: git("rev-parse", "HEAD")
    yield "git status", lambda: git("status", "--porcelain")
    yield "before a call, allowed", lambda: hook("pre-tool", event("PreToolUse", "Write", free, f"w{n}"))
    yield "after a file tool", lambda: hook("post-tool", event("PostToolUse", "Write", free, f"w{n}"))
    yield "before a call, denied", lambda: hook("pre-tool", event("PreToolUse", "Write", locked, f"l{n}"), "deny")
    hook("pre-tool", event("PreToolUse", "Bash", listing, f"b{n}"))
    yield "after a shell", lambda: hook("post-tool", event("PostToolUse", "Bash", listing, f"b{n}"))


# The first call makes what later ones find.
first, _, _ = run([cairn, "hook", "claude", "pre-tool"], event("PreToolUse", "Write", free, "first"))
print(f"the first call, which makes the kept rules: {first * 1000:.2f} ms")


def measured(kind, count):
    found = {}
    for n in range(count):
        for name, measure in round_of(f"{kind}-{n}"):
            found.setdefault(name, []).append(measure())
    return found


measured("warm", 3)
found = measured("timed", rounds)
peak = {}
if os.access(TIME, os.X_OK):
    is_weighed = True
    peak = {name: max(runs) for name, runs in measured("weighed", 3).items()}

half = {name: statistics.median(runs) for name, runs in found.items()}
print(f"{'':24} {'p50 ms':>8} {'p95 ms':>8} {'x rev-parse':>12} {'x status':>9} {'peak KiB':>9}")
for name, runs in found.items():
    times = sorted(runs)
    p95 = times[min(len(times) - 1, int(len(times) * 0.95))]
    print(
        f"{name:24} {half[name] * 1000:8.2f} {p95 * 1000:8.2f} {half[name] / half['git rev-parse HEAD']:12.2f} "
        f"{half[name] / half['git status']:9.2f} {peak.get(name, '-'):>9}"
    )
