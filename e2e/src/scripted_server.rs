//! A watchable MCP server that people's servers are like: it keeps to the contract and to no more.
//!
//! It is written by hand, so that client and server cannot agree on a mistake of a library. Stories run it in a pod
//! of its own (the program `scripted-server`). MCP is on one port:
//!
//! | Resource or tool | What |
//! |---|---|
//! | `memo://notes` | a state: a JSON object |
//! | `log://events` | an event log with nothing but `seq` and `type`: no `epoch`, `floor` or `head` |
//! | `look(key)` | a note; a tool that only reads |
//! | `memo_set(key, value)` | changes a note |
//!
//! What stories tell it comes on another, which answers also while the server is down:
//!
//! | Request | What |
//! |---|---|
//! | `PUT /notes/KEY` | sets a note to the JSON sent |
//! | `POST /events` | appends the events sent, a JSON list, as one update; with `?each=true`, each as one |
//! | `POST /restart` | begins anew: no events, `seq` from 1, every connection broken; the notes stay |
//! | `POST /down`, `POST /up` | from now on, connections are broken off as they come |
//! | `GET /seen[?attempts=N][&listens=N]` | what it has seen; not before there were so many attempts while down, or are so many listens |

use std::sync::Arc;

use tokio::net::TcpListener;

mod control;
mod freeze;
mod mcp;
mod refuse;
mod world;

pub use freeze::freeze;
pub use world::{Called, Seen};

use refuse::Refusing;
use world::World;

/// Serves MCP on one socket and the stories' wishes on another, until it is dropped.
pub async fn serve(mcp: TcpListener, control: TcpListener) -> std::io::Result<()> {
    let world = Arc::new(World::default());
    let mcp = axum::serve(Refusing::new(mcp, Arc::clone(&world)), mcp::router(Arc::clone(&world)));
    let control = axum::serve(control, control::router(world));
    tokio::select! {
        ended = mcp.into_future() => ended,
        ended = control.into_future() => ended,
    }
}
