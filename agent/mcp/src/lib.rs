//! MCP client: connections, routing, subscriptions and reads.
//!
//! | File | What |
//! |---|---|
//! | [`servers`](Servers) | the registry: which servers there are, and what is asked of them |
//! | `entry` | one server's state, and who is told when it changes |
//! | `supervise`, `feed` | one server's life: connect, list, hear of new lists, connect again |
//! | `connect`, `source`, `child`, `http` | how a server is reached, newest protocol first |
//! | `catalogue`, `route`, `uri` | what the servers offer, and which of them a URI belongs to |
//! | `subscribe`, `read`, `tools` | one watch, one read, one tool call |
//! | `value` | what code sees of an answer |
//! | [`check`] | what a server lacks to be watchable |
//! | `error` | what can go wrong, and whose fault it is |
//! | `backoff`, `limits` | delays between attempts, and bounds that several files hold to |
//!
//! Data flows from `servers` down; only `connect` and `http` know how the library is configured.

pub mod check;

mod backoff;
mod catalogue;
mod child;
mod connect;
mod entry;
mod error;
mod feed;
mod http;
mod limits;
mod read;
mod route;
mod servers;
mod source;
mod subscribe;
mod supervise;
mod tools;
mod uri;
mod value;

pub use catalogue::{Resource, Tool};
pub use connect::Timeouts;
pub use entry::Event;
pub use error::{Error, Kind};
pub use read::Contents;
pub use servers::{ServerStatus, Servers};
pub use source::Source;
pub use subscribe::{Change, Subscription};
pub use tools::ToolResult;
