//! Planned edits of the agents' settings.
