#!/usr/bin/env bash
# Times `workspace ls` and `workspace records` over 10,000 records with hyperfine, next to git in the same run, and
# the hook's answer before a tool call. Needs hyperfine, python3 and GNU time where it is there.
set -euo pipefail
cd "$(dirname "$0")/../../.."
cargo build --release --quiet --bin cairn
cairn=$(realpath "${CARGO_TARGET_DIR:-target}")/release/cairn
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work/home
mkdir -p "$HOME"
python3 crates/cairn/benches/records.py "$work/records" 10000
cd "$work/records"
# What changed within the last moments is not trusted to its times.
sleep 5
records=".git/cairn/records"
printf '%s' '{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Edit","tool_use_id":"t","cwd":"'"$PWD"'","tool_input":{"file_path":"'"$PWD"'/src/part-1.txt","old_string":"a","new_string":"b"}}' >"$work/edit.json"
run() {
  hyperfine -N --warmup 3 --min-runs 20 --style none --export-json "$work/$1.json" "${@:2}" >/dev/null 2>&1
  python3 - "$work/$1.json" <<'PY'
import json, sys
rows = json.load(open(sys.argv[1]))["results"]
base = rows[0]["median"]
for row in rows:
    times = sorted(row["times"])
    p95 = times[int(len(times) * 0.95)]
    name = row["command"].replace(sys.argv[1].rsplit("/", 1)[0], "")[-60:]
    print(f'{name:60} {row["median"]*1000:7.2f} ms  p95 {p95*1000:7.2f} ms  {row["median"]/base:6.2f} x')
PY
}
echo "== ls"
run ls 'git rev-parse HEAD' "$cairn workspace ls --json"
echo "== records, read anew each time"
run cold --prepare "rm -rf $records" 'git status --porcelain' "$cairn workspace records --json" "$cairn workspace records --json --at HEAD"
echo "== records, remembered"
"$cairn" workspace records --json >/dev/null
"$cairn" workspace records --json >/dev/null
run warm 'git status --porcelain' "$cairn workspace records --json"
echo "== hook before a call"
python3 - "$cairn" "$work/edit.json" <<'PY'
import subprocess, sys, time
def times(argv):
    found = []
    for _ in range(150):
        with open(sys.argv[2]) as event:
            begun = time.perf_counter()
            subprocess.run(argv, stdin=event, stdout=subprocess.DEVNULL)
            found.append(time.perf_counter() - begun)
    found = sorted(found[10:])
    return found[len(found) // 2] * 1000, found[int(len(found) * 0.95)] * 1000
git = times(["git", "rev-parse", "HEAD"])
hook = times([sys.argv[1], "hook", "claude", "pre-tool"])
print("git rev-parse HEAD: p50 %.2f ms, p95 %.2f ms" % git)
print("hook, before a call: p50 %.2f ms, p95 %.2f ms, %.2f x" % (*hook, hook[0] / git[0]))
PY
