//! Client of OpenAI-compatible chat completions.
//!
//! [`Model::complete`] sends a conversation, and the tools that the model may call, and gives back the whole reply, its
//! pieces as they come.
//! `transport` is the HTTP below it (key, retries, errors), `wire` what goes over it, `reply` and `calls` put the
//! pieces together, `retry` says how long to wait, `config`, `message` and `error` are what a caller sees.
//!
//! Of the client crates that are maintained, async-openai is used for its request plumbing and event
//! stream: it allows own types (foreign fields such as `reasoning_content` do no harm) and an own
//! transport service, which replaces its retries, since those have no cap or jitter and give up on
//! errors that are not JSON. genai speaks more protocols than the one we promise, retries nothing, and
//! turns on `preserve_order` of serde_json for the whole program. rig is an agent framework of its own,
//! with a loop like ours, and needs a newer compiler than the one pinned here.

mod calls;
mod config;
mod error;
mod message;
mod model;
mod reply;
mod retry;
mod transport;
mod wire;

pub use config::{ApiKey, Config, Retry};
pub use error::{Error, Kind};
pub use message::{Message, Tool, ToolCall};
pub use model::Model;
pub use reply::{Finish, Reply, Usage};
