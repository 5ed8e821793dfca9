//! What a gate is, whichever protocol asks.
//!
//! - [`ReasonCode`] and [`Refusal`]: the answer of a gate that stays shut, with one code of a closed list,
//!   one sentence and the one command that comes next;
//! - [`Finding`]: what a check saw, where it does not decide by itself;
//! - [`contract`]: what the governance workflow needs of an agent, C-1 to C-9;
//! - [`event`]: what a coding agent does, in no agent's own words, and the verdict on it;
//! - [`protected`]: what may not be written or read, in one form for every layer;
//! - [`run`](mod@run): the command runner, with a process group, a deadline and the output in a file;
//! - [`sensitive`]: credentials and personal data in text that is about to be kept;
//! - [`template`]: command templates whose values never reach a shell as text;
//! - [`words`]: the words of a shell command line, read without a shell;
//! - [`family`]: whether two configured agents are of one model family.
//!
//! Nothing here knows a protocol or prints.

mod code;
pub mod contract;
pub mod event;
pub mod family;
mod finding;
mod progress;
pub mod protected;
mod refusal;
pub mod run;
pub mod sensitive;
pub mod template;
pub mod words;

pub use code::ReasonCode;
pub use finding::{Finding, Level};
pub use progress::{Progress, Silent};
pub use refusal::{Exit, Location, Refusal};
