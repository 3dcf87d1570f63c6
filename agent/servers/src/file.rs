//! The file server: files and directories below given roots as states, told of by inotify.
//!
//! A file reads as its text, or as base64 if it is not UTF-8; a directory as a JSON list of its entries. While
//! somebody watches a path, nothing being there is a state as well: it reads `null`, so that a file can be watched
//! before it exists and its end is told. To everybody else a path with nothing there is an error.
//!
//! Nothing can be written, and nothing outside the roots can be read: neither by `..` nor through a symbolic link.
//!
//! | File | What |
//! |---|---|
//! | `uri` | pure: paths as URIs |
//! | `roots` | what is served, opened in a way that cannot leave it |
//! | `contents` | what a file or a directory reads as |
//! | `trail` | which directory entries decide where a path leads |
//! | `watches`, `inotify` | one inotify for all watched paths |
//! | `server`, `tools` | the protocol |

mod contents;
mod error;
mod inotify;
mod roots;
mod server;
mod tools;
mod trail;
mod uri;
mod watches;

pub use error::Error;
pub use server::Files;
