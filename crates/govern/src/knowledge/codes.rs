//! Why something about the vault was not done.

gate::reason_codes! {
    NO_LABEL = "no-label", "The entry does not say what kind of knowledge it is.";
    NO_PROVENANCE = "no-provenance", "Nobody is named who wrote it, or nothing is said of where it comes from.";
    NO_EVIDENCE = "no-evidence", "Nothing is named that shows it.";
    NO_TITLE = "no-title", "The entry says nothing, or too much for one line.";
    HOLDS_SECRET = "holds-secret", "The text holds a credential, which is kept nowhere.";
    NEEDS_PERSON = "needs-person", "Only a person may decide that.";
    KNOWN_ALREADY = "known-already", "An entry says this already.";
    NO_ENTRY = "no-entry", "No entry has this name.";
    AMBIGUOUS = "ambiguous-entry", "Several entries have a name that begins like this.";
    ENTRY_MOVED = "entry-moved", "The entry changed while a person looked at it.";
    WRONG_STATUS = "wrong-status", "The entry's status does not allow it.";
    OVER_BUDGET = "over-budget", "AGENTS.md would be larger than what agents read at once.";
    LESSON_LOST = "lesson-lost", "A lesson would be neither in force nor in the archive afterwards.";
    BLOCK_DAMAGED = "block-damaged", "The markers around what is managed are not one pair.";
    ENTRY_DAMAGED = "entry-damaged", "An entry or a line of evidence can't be read.";
    VAULT_PLACE = "vault-place", "The vault does not lie in a folder of this repository.";
    BUSY = "vault-busy", "Another process writes to the vault.";
    NOT_WRITTEN = "not-written", "A file can't be read or written.";
}
