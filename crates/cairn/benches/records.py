"""Writes a repository with N decision records, as `records.sh` measures it: records.py FOLDER N"""

import pathlib
import subprocess
import sys

KIND = """export const recordKind = {
  name: "decision",
  location: { dir: ".", match: "^[a-z]+-[0-9]+-.+\\\\.md$" },
  format: "markdown-front-matter",
  schema: { id: "urn:bench:decision:1", path: "decision.schema.json" },
  idField: "id",
  stateField: "state",
  states: ["proposed", "decided", "ratified", "superseded"],
  closedStates: ["superseded"],
  approval: { proposed: 0, decided: 1, ratified: 2, superseded: 2 },
  supersedes: { field: "supersedes", key: "decision" },
  pins: { field: "evidence" },
  constrains: { field: "constrains" },
  reviews: { field: "reviews", decider: "decided_by", ratified: "ratified" },
};
"""

SCHEMA = """{
  "$schema": "http://json-schema.org/draft-07/schema#",
  "$id": "urn:bench:decision:1",
  "type": "object",
  "additionalProperties": false,
  "required": ["id", "title", "state", "question", "options", "choice", "decided_by", "decided_on", "reviews"],
  "properties": {
    "id": { "$ref": "#/definitions/id" },
    "title": { "type": "string", "minLength": 1 },
    "state": { "enum": ["proposed", "decided", "ratified", "superseded"] },
    "question": { "type": "string" },
    "options": { "type": "array", "minItems": 2, "items": { "$ref": "#/definitions/option" } },
    "choice": {
      "type": "object",
      "required": ["option", "reason"],
      "properties": { "option": { "pattern": "^[a-z]$" }, "reason": { "type": "string", "minLength": 1 } }
    },
    "supersedes": {
      "type": "array",
      "items": { "type": "object", "required": ["decision"], "properties": { "decision": { "$ref": "#/definitions/id" } } }
    },
    "evidence": {
      "type": "array",
      "items": {
        "type": "object",
        "required": ["title", "path", "sha256"],
        "properties": { "sha256": { "type": "string", "pattern": "^[0-9a-f]{64}$" } }
      }
    },
    "decided_by": { "type": "string" },
    "decided_on": { "type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$" },
    "reviews": {
      "type": "array",
      "items": {
        "type": "object",
        "additionalProperties": false,
        "required": ["reviewer", "verdict", "on"],
        "properties": {
          "reviewer": { "type": "string", "minLength": 1 },
          "verdict": { "enum": ["agree", "dissent", "abstain"] },
          "note": { "type": "string" },
          "on": { "type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$" }
        }
      }
    },
    "constrains": { "type": "array", "items": { "type": "string", "pattern": "^path:[^/].*$" } }
  },
  "definitions": {
    "id": { "type": "string", "pattern": "^[a-z]+-[0-9]{3,}$" },
    "option": {
      "type": "object",
      "additionalProperties": false,
      "required": ["id", "label", "how"],
      "properties": { "id": { "pattern": "^[a-z]$" }, "label": { "type": "string" }, "how": { "type": "string" } }
    }
  }
}
"""

RECORD = """---
id: "dec-{n:05}"
title: "How part {n} is deployed"
state: "decided"
question: "What declares the deployment of part {n}?"
options:
  - id: "a"
    label: "a manifest beside the part"
    how: "The part's own folder says how it is built and where it runs, and the pipeline reads it there."
  - id: "b"
    label: "one manifest at the top"
    how: "A single file lists every part; a change of any part touches it."
choice:
  option: "a"
  reason: "A change of one part is reviewed by those who own it."
supersedes: {supersedes}
evidence:
  - title: "how part {n} runs"
    path: "src/part-{part}.txt"
    sha256: "{sha256}"
decided_by: "ada"
decided_on: "2026-03-04"
reviews:
  - reviewer: "grace"
    verdict: "agree"
    on: "2026-03-05"
  - reviewer: "edsger"
    verdict: "agree"
    note: "The pipeline needs the folder's name."
    on: "2026-03-06"
constrains:
  - "path:src/part-{part}.txt"
---

# How part {n} is deployed

Each part of the system says for itself how it is deployed, so that those who own it review what changes about it.
"""


def main(folder, count):
    import hashlib

    root = pathlib.Path(folder)
    (root / "decisions").mkdir(parents=True)
    (root / "src").mkdir()
    (root / "chant.workspace.json").write_text(
        '{ "name": "bench", "schema": 1, "quorum": 1, "members": [], '
        '"records": [{ "kind": "decisions/decision.kind.mjs" }] }\n'
    )
    (root / "decisions/decision.kind.mjs").write_text(KIND)
    (root / "decisions/decision.schema.json").write_text(SCHEMA)
    hashes = []
    for part in range(100):
        text = f"part {part}\n".encode() * 20
        (root / f"src/part-{part}.txt").write_bytes(text)
        hashes.append(hashlib.sha256(text).hexdigest())
    for n in range(1, count + 1):
        old = f'\n  - decision: "dec-{n - 1:05}"' if n % 10 == 0 else "[]"
        record = RECORD.format(n=n, part=n % 100, sha256=hashes[n % 100], supersedes=old)
        (root / f"decisions/dec-{n:05}-part-{n}.md").write_text(record)
    git = ["git", "-C", folder, "-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "user.name=bench", "-c", "user.email=bench@example.org"]
    subprocess.run(["git", "init", "-q", "-b", "main", folder], check=True)
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "decisions"], check=True)
    subprocess.run([*git, "gc", "-q"], check=True)


main(sys.argv[1], int(sys.argv[2]))
