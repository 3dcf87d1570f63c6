//! What the engine wants done.

use crate::log::Event;
use crate::notice::Notice;
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
    /// Run the filter of the watch; the events of one watch in the order given; answer with
    /// [`Filtered`](crate::Input::Filtered).
    Filter {
        /// The watch.
        id: Id,
        /// To give back.
        ticket: u64,
        /// The event as a JSON object.
        event: String,
    },
    /// Tell the agent.
    Notice(Notice),
    /// Save the status.
    Status(Status),
    /// Log what happened.
    Log(Event),
    /// After [`Stop`](crate::Input::Stop): the final reads are done, the last statuses are out.
    Stopped,
}
