//! The program as its users meet it: every command and every refusal, in repositories of its own.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test fails by panicking, and says on standard error what it skipped"
)]

mod accept;
mod agents;
mod amend_spec;
mod approve;
mod architecture;
mod audit;
mod backlog;
mod block;
mod chant_branches;
mod chant_crash;
mod chant_published;
mod chant_race;
mod conformance;
mod context;
mod crash;
mod decision;
mod demo;
#[cfg(unix)]
mod deploy;
#[cfg(unix)]
mod deploy_obstacles;
#[cfg(unix)]
mod deploy_records;
mod doctor;
mod done;
mod existing;
mod govern;
mod govern_health;
mod govern_knowledge;
mod govern_queue;
mod govern_spec_lint;
mod guard;
mod handoff;
mod hook;
mod hook_course;
mod hook_cursor;
mod hook_discipline;
#[cfg(unix)]
mod hook_elsewhere;
mod hook_faults;
mod hook_install;
mod hook_monitors;
mod hook_read_back;
mod hook_sessions;
mod hook_twin;
mod hook_verify;
mod init;
mod lesson;
mod log;
mod migrate;
mod next;
mod pains;
mod phase;
mod plan;
#[cfg(unix)]
mod probe;
mod question;
mod race;
mod receipts;
mod review;
mod run_loop;
mod schema;
mod scratch;
mod skill;
mod spec;
mod start;
mod stats;
mod status;
mod task;
mod update;
mod usage;
mod verify;
mod work;
mod workspace;
mod workspace_check;
mod workspace_init;
mod workspace_ls;
mod workspace_patch;
mod workspace_signers;
mod workspace_verify;
