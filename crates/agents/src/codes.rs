//! Why a planned change of an agent's settings is refused.

gate::reason_codes! {
    SETTINGS_UNREADABLE = "settings-unreadable", "The agent's settings file is not the JSON that the agent reads.";
    SETTINGS_SHAPE = "settings-shape", "A value in the agent's settings file is of another kind than the agent takes.";
    SETTINGS_FOREIGN = "settings-foreign", "The file that would be written belongs to someone else.";
    NOT_INSTALLABLE = "not-installable", "This agent has no settings of its own that cairn can write.";
}
