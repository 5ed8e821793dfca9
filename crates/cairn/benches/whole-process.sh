#!/usr/bin/env bash
# Times whole processes with hyperfine over spines of 10, 1,000 and 10,000 tasks with 20,000 events, next to
# `git status` and `git --version` in the same run, and measures peak memory. Needs hyperfine and GNU time where they are there.
set -euo pipefail
cd "$(dirname "$0")/../../.."
cargo build --release --quiet --bin cairn
cargo build --quiet --package cairn --example spine
cairn=$PWD/target/release/cairn
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work/home
mkdir -p "$HOME" "$work/bin"
ln -s "$cairn" "$work/bin/chalk"
PATH=$work/bin:$PATH
for tasks in 10 1000 10000; do
  mkdir -p "$work/$tasks"
  git -C "$work/$tasks" init -q
  target/debug/examples/spine "$work/$tasks" "$tasks" 20000
  git -C "$work/$tasks" add -A
  git -C "$work/$tasks" -c user.name=b -c user.email=b@example.org commit -qm spine
  # The first write records the state, so that what follows is the usual case.
  (cd "$work/$tasks" && chalk update "first write" >/dev/null)
  echo "== $tasks tasks"
  (cd "$work/$tasks" && hyperfine -N --warmup 5 --min-runs 40 --style none --export-json "$work/$tasks.json" \
    'git status --porcelain' 'git --version' 'chalk --version' 'chalk next' 'chalk status' 'chalk log' 'chalk task add one-more' >/dev/null 2>&1)
  python3 - "$work/$tasks.json" <<'PY'
import json, sys
rows = json.load(open(sys.argv[1]))["results"]
base = rows[0]["median"]
for row in rows:
    print(f'{row["command"]:28} {row["median"]*1000:7.2f} ms   {row["median"]/base:5.2f} x git status')
PY
  if [ -x /usr/bin/time ]; then
    for command in next status "task add one-more"; do
      (cd "$work/$tasks" && /usr/bin/time -f "peak of chalk $command: %M KiB" chalk $command >/dev/null)
    done
  fi
done
