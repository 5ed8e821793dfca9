// Decisions about cairn that someone could question, as cairn's own records.
//
// cairn workspace records
// cairn workspace records new decision --from fields.json
export const recordKind = {
  name: "decision",
  location: { dir: ".", match: "^d-[0-9]{3,}-.+\\.md$" },
  format: "markdown-front-matter",
  schema: { id: "urn:cairn:decision:1", path: "decision.schema.json" },
  idField: "id",
  stateField: "state",
  states: ["proposed", "decided", "superseded"],
  closedStates: ["superseded"],
  approval: { proposed: 0, decided: 1, superseded: 1 },
  supersedes: { field: "supersedes" },
  constrains: { field: "constrains" },
};
