//! The reference MCP servers.
//!
//! | File | What |
//! |---|---|
//! | [`simple`] | `memo://notes`, a JSON object, and the tool that changes it |
//! | [`kcp`] | Kubernetes and kcp objects as event logs |
//! | [`file`] | files and directories as states |
//! | [`subscriptions`] | who listens to which URI; used by every server |
//! | [`serve`] | one server over stdio, Streamable HTTP or an in-memory pipe |
//! | `similar` | did you mean |
//!
//! Servers know the protocol library and their change source; nothing here knows a client.

pub mod file;
pub mod kcp;
pub mod serve;
pub mod simple;
pub mod subscriptions;

mod similar;
