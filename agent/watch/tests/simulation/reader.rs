//! A reader that knows the server's history, and so what the engine must make of each read.

use asyncai_watch::Cursor;

use crate::server::Server;

/// Where the reader stands.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reader {
    New,
    /// It knows the history before `next`, the last of it in this epoch, which is all there was up to `complete`.
    At {
        epoch: u32,
        next: usize,
        complete: u64,
    },
}

/// What is to be processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Gap,
    Event(usize),
}

impl Reader {
    /// The reader of a process that starts with a saved cursor.
    pub(crate) fn resume(server: &Server, cursor: Option<&Cursor>) -> Self {
        let Some(cursor) = cursor else { return Self::New };
        let epoch = cursor.epoch.strip_prefix("epoch-").map_or(1, |epoch| epoch.parse().expect("an epoch"));
        let known = |event: &crate::server::Event| (event.epoch, event.seq) <= (epoch, cursor.seq);
        Self::At { epoch, next: server.history.partition_point(known), complete: cursor.seq }
    }

    pub(crate) fn read(&mut self, server: &Server) -> Vec<Step> {
        let end = server.history.len();
        let all = || (server.held..end).map(Step::Event);
        let steps = match *self {
            Self::New => Vec::new(),
            Self::At { epoch, .. } if epoch != server.epoch => [Step::Gap].into_iter().chain(all()).collect(),
            Self::At { next, complete, .. } if complete < server.floor => {
                // The last unit may have grown before it was evicted; if not, the gap is only feared.
                let known = next.saturating_sub(server.held);
                [Step::Gap].into_iter().chain(all().skip(known)).collect()
            }
            Self::At { next, .. } => (next..end).map(Step::Event).collect(),
        };
        *self = Self::At { epoch: server.epoch, next: end, complete: server.head };
        steps
    }
}
