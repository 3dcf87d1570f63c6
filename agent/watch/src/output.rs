//! What the engine wants done.

use std::sync::Arc;

use crate::log::Event;
use crate::notice::Notice;
use crate::restore::RestoreNotice;
use crate::spec::Id;
use crate::status::{Cursor, Status};

/// Something to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// Subscribe to the resource in place of any subscription that the watch has; answer with
    /// [`Acknowledged`](crate::Input::Acknowledged) or [`SubscribeFailed`](crate::Input::SubscribeFailed), then with
    /// [`Updated`](crate::Input::Updated) until it [`Ended`](crate::Input::Ended).
    Subscribe {
        /// The watch.
        id: Id,
        /// To give back.
        ticket: u64,
        /// The resource.
        uri: String,
        /// The server, if the spec names it.
        server: Option<String>,
    },
    /// Cancel the subscription.
    Unsubscribe(Id),
    /// Read the resource; answer with [`Read`](crate::Input::Read).
    Read {
        /// The watch.
        id: Id,
        /// To give back.
        ticket: u64,
        /// The resource.
        uri: String,
        /// The server that acknowledged.
        server: Option<String>,
        /// Where the reader stands, for a server that named the epoch; `seq` 0 without an epoch: it has nothing and wants
        /// all.
        since: Option<Cursor>,
    },
    /// Check the source of the watch's filter; answer with [`Checked`](crate::Input::Checked), once it is known what the
    /// filter may use. One that is valid takes the place of the one before, with a scope of its own, after the events
    /// that were given before.
    Check {
        /// The watch.
        id: Id,
        /// To give back.
        ticket: u64,
        /// The filter.
        source: Arc<str>,
    },
    /// Run the filter of the watch that was accepted last; the events of one watch in the order given; answer with
    /// [`Filtered`](crate::Input::Filtered).
    Filter {
        /// The watch.
        id: Id,
        /// To give back.
        ticket: u64,
        /// The event as a JSON object.
        event: String,
    },
    /// End what runs the filter of the watch, once the events that it was given are answered. Its variables are lost; the
    /// source stays accepted, and may be used again.
    EndFilter(Id),
    /// Tell the agent.
    Notice(Notice),
    /// Tell the agent, before its first turn, what it must know of the watches that an earlier process left. Comes before
    /// [`Event::Restored`].
    Restore(RestoreNotice),
    /// Delete the watch, which the model made and which can never start. It is told of by [`Output::Restore`].
    Delete(Id),
    /// Save the status.
    Status(Status),
    /// Log what happened.
    Log(Event),
    /// After [`Stop`](crate::Input::Stop): the final reads are done, the last statuses are out.
    Stopped,
}
