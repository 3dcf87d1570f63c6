//! The kcp server: collections of Kubernetes objects as event logs, by one native watch for each URI.
//!
//! `seq` is the `resourceVersion`; `epoch` names the cluster, with `~` and a version appended once its versions went
//! back. A read with a place (`_meta."asyncai.dev/since"`) is answered from there: by the recent events, else by the
//! difference to a list at that version, else by a `GAP`. At `seq` 0 it is told everything there is, as `ADDED`.
//!
//! | File | What |
//! |---|---|
//! | `uri` | what a URI may say |
//! | `server`, `tools` | the protocol: resources, templates, subscriptions; tools that look, and those that write |
//! | `watcher`, `backoff` | one watch: seed, follow, come back |
//! | `resume` | a reader whose past the log does not reach |
//! | `source`, `collection`, `discovery`, `client`, `upstream`, `frames` | requests to API servers |
//! | `live` | a log while it is filled |
//! | `log`, `known`, `pack` | pure: events, differences, objects at rest |
//! | `object`, `redact`, `catalog` | pure: what is shown of an object, names |

mod backoff;
mod catalog;
mod client;
mod collection;
mod discovery;
mod error;
#[cfg(test)]
mod fake;
mod frames;
mod known;
mod live;
mod log;
mod object;
mod pack;
mod redact;
mod resume;
mod server;
mod source;
mod tools;
mod upstream;
mod uri;
mod watcher;

pub use client::{Credentials, ServiceAccount, client};
pub use error::{Error, Status};
pub use object::Error as ObjectError;
pub use server::{Access, Kcp, Options};
pub use uri::Invalid;
