#!/usr/bin/env bash
# Times the hook of an agent in a large repository, next to git in the same run, and its peak memory:
#   hook.sh [CAIRN] [FILES] [TASKS] [LOCKED] [RECEIPTS] [ROUNDS]
# CAIRN is a program that was built before; without one, or with `-`, the release build of this tree is measured. What the
# program is measured in is made by `examples/governed.rs` of this tree; GOVERNED names one that was built before.
# Needs git and python3.
set -euo pipefail
cairn=${1:--}
files=${2:-100000} tasks=${3:-10000} locked=${4:-1000} receipts=${5:-50000} rounds=${6:-100}
[ "$cairn" = - ] || cairn=$(realpath "$cairn")
[ -z "${GOVERNED:-}" ] || GOVERNED=$(realpath "$GOVERNED")
cd "$(dirname "$0")/../../.."
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
if [ "$cairn" = - ]; then
  cargo build --release --quiet --bin cairn
  cairn=$target/release/cairn
fi
if [ -z "${GOVERNED:-}" ]; then
  cargo build --release --quiet --package cairn --example governed
  GOVERNED=$target/release/examples/governed
fi
bench=$PWD/crates/cairn/benches/hook.py
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Nothing of the person's own settings takes part.
export HOME=$work/home XDG_CONFIG_HOME=$work/home/config XDG_STATE_HOME=$work/home/state
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
mkdir -p "$HOME" "$work/repository"
git -C "$work/repository" init -q
"$GOVERNED" repository "$work/repository" "$files" "$tasks" "$locked"
git -C "$work/repository" add -A
git -C "$work/repository" -c user.name=b -c user.email=b@example.org commit -qm made
git -C "$work/repository" status --porcelain >/dev/null
(cd "$work/repository" && "$cairn" chalk accept --why "made for a benchmark" >/dev/null)
"$GOVERNED" receipts "$work/repository" "$receipts"
# What changed within the last moments is not trusted to its times.
sleep 2
echo "== $files files, $tasks tasks, $locked of them with a locked test, $receipts receipts, $rounds rounds"
python3 "$bench" "$cairn" "$work/repository" "$rounds"
(cd "$work/repository" && "$cairn" receipts verify)
