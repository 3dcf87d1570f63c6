//! Python in a worker process: filters of watches, and the code that a model writes.
//!
//! The program re-executes itself as a worker: `main` calls [`serve_if_worker`] first. A worker holds no secret, no
//! descriptor but its three streams and no network; the parent binds arguments, calls the tools and kills it at the deadline.

mod alloc;
mod bind;
mod call;
mod catalogue;
mod convert;
mod describe;
mod drive;
mod filter;
mod help;
mod identifier;
mod limits;
mod process;
mod session;
mod validate;
mod wire;
mod worker;

pub use alloc::Allocator;
pub use call::{Call, CallError, Exception, Host};
pub use catalogue::{Catalogue, Function};
pub use describe::describe;
pub use filter::{EventError, Filter};
pub use limits::{Limits, Program};
pub use session::{Outcome, Session};
pub use validate::{Finding, validate};
pub use worker::serve_if_worker;
