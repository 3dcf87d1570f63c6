//! Which records a restart needs: the latest turns, and what waits.

use std::collections::VecDeque;

use crate::record::{Operation, Outcome, Queued, Record};

/// The indexes of the records to keep of `records`, each given with its length: the latest whole turns, as many as
/// fit in `most` bytes but at least the last one, and before them what was queued and no run has claimed.
pub fn compact(records: &[(Record, usize)], most: usize) -> Vec<usize> {
    let from = first_kept(records, most);
    let waiting = waiting(records);
    (0..records.len()).filter(|at| *at >= from || waiting.contains(at)).collect()
}

/// Where the kept turns begin.
fn first_kept(records: &[(Record, usize)], most: usize) -> usize {
    let total: usize = records.iter().map(|(_, bytes)| bytes).sum();
    let mut before = 0;
    let mut closed = true;
    let mut last = None;
    for (at, (record, bytes)) in records.iter().enumerate() {
        match record {
            Record::TurnBegin { .. } => {
                // A run may go on with the turn of one before, which is kept with it.
                if std::mem::take(&mut closed) {
                    last = Some(at);
                    if total - before <= most {
                        return at;
                    }
                }
            }
            Record::TurnEnd { outcome, .. } => closed = !matches!(outcome, Outcome::Retried | Outcome::Interrupted),
            Record::Start { .. }
            | Record::User { .. }
            | Record::QueueOperation { .. }
            | Record::Attachment { .. }
            | Record::Assistant { .. }
            | Record::ToolResult { .. } => {}
        }
        before += bytes;
    }
    last.unwrap_or(0)
}

/// What was queued and not claimed.
fn waiting(records: &[(Record, usize)]) -> VecDeque<usize> {
    let mut waiting: VecDeque<(usize, Key)> = VecDeque::new();
    for (at, (record, _)) in records.iter().enumerate() {
        if let Record::QueueOperation { operation: Operation::Enqueue, queued } = record {
            let key = match queued {
                Queued::Monitor(monitor) => Key::Notice(monitor.notice_id.as_deref().unwrap_or(&monitor.text)),
                Queued::Input { channel, text } => Key::Input(channel, text),
            };
            waiting.push_back((at, key));
        } else if let Some(claimed) = claimed(record)
            && let Some(place) = waiting.iter().position(|(_, key)| *key == claimed)
        {
            waiting.remove(place);
        }
    }
    waiting.into_iter().map(|(at, _)| at).collect()
}

#[derive(PartialEq, Eq)]
enum Key<'a> {
    Notice(&'a str),
    Input(&'a str, &'a str),
}

fn claimed(record: &Record) -> Option<Key<'_>> {
    match record {
        Record::Attachment { monitor, .. } => Some(Key::Notice(monitor.notice_id.as_deref().unwrap_or(&monitor.text))),
        Record::User { channel, text, .. } => Some(Key::Input(channel, text)),
        Record::TurnBegin { .. }
        | Record::Start { .. }
        | Record::QueueOperation { .. }
        | Record::Assistant { .. }
        | Record::ToolResult { .. }
        | Record::TurnEnd { .. } => None,
    }
}

#[cfg(test)]
mod tests;
