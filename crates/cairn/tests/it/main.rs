//! The program as its users meet it: every command and every refusal, in repositories of its own.

mod decision;
mod scratch;
