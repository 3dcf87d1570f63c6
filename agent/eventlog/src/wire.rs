//! The body of an event log: its MIME type, how it is written and how it is read.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

#[cfg(test)]
mod tests;

/// The MIME type that marks a resource as an event log.
pub const MIME: &str = "application/vnd.asyncai.events+json";

/// The key of a read request's `_meta` under which a reader says where it stands, as a [`Since`].
pub const SINCE: &str = "asyncai.dev/since";

/// Where a reader stands: the sequence it follows, and the last `seq` of it that it has.
///
/// At `seq` 0, whatever the epoch, it has nothing: a server that can tells it all that exists as if it were new.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Since {
    /// The name of the sequence, as a body gave it.
    pub epoch: String,
    /// The reader has everything up to this one.
    pub seq: u64,
}

/// What a body says about the log besides its events; every part is optional.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent<'a> {
    /// Names the sequence; another one means that the sequence started anew.
    pub epoch: Option<&'a str>,
    /// Every event with a greater `seq` is in the log.
    pub floor: Option<u64>,
    /// The log is complete up to this `seq`.
    pub head: Option<u64>,
}

/// Writes a body around events that are JSON texts already.
pub fn write<'a>(extent: Extent<'_>, events: impl IntoIterator<Item = &'a str>) -> String {
    let mut body = String::from("{");
    if let Some(epoch) = extent.epoch {
        let _ = write!(body, r#""epoch":{},"#, serde_json::Value::from(epoch));
    }
    if let Some(floor) = extent.floor {
        let _ = write!(body, r#""floor":{floor},"#);
    }
    if let Some(head) = extent.head {
        let _ = write!(body, r#""head":{head},"#);
    }
    body.push_str(r#""events":["#);
    for (index, event) in events.into_iter().enumerate() {
        if index > 0 {
            body.push(',');
        }
        body.push_str(event);
    }
    body.push_str("]}");
    body
}

/// A body as a client reads it. It borrows the text; of the events only `seq` has been looked at.
#[derive(Clone, Debug)]
pub struct Body<'a> {
    /// Names the sequence; another one means that the sequence started anew.
    pub epoch: Option<String>,
    /// Every event with a greater `seq` is in the log.
    pub floor: Option<u64>,
    /// The log is complete up to this `seq`.
    pub head: Option<u64>,
    /// The events by rising `seq`; those of one `seq` in the order of the body.
    pub events: Vec<Event<'a>>,
}

/// One event of a body.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// Its place in the sequence; several events may share one.
    pub seq: u64,
    /// The whole event, unparsed.
    pub json: &'a RawValue,
}

/// Why a text is not the body of an event log.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The body is not JSON of the right shape.
    #[error(r#"the body of an event log must be {{"events": [...]}}: {0}"#)]
    Body(#[source] serde_json::Error),
    /// One of the events cannot be placed.
    #[error("events[{index}] of the event log must be an object with an unsigned integer `seq`: {source}")]
    Seq {
        /// The position in the list, from 0.
        index: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}

impl<'a> Body<'a> {
    /// Reads a body without parsing its events.
    pub fn read(text: &'a str) -> Result<Self, Error> {
        #[derive(Deserialize)]
        struct Raw<'a> {
            epoch: Option<String>,
            floor: Option<u64>,
            head: Option<u64>,
            #[serde(borrow)]
            events: Vec<&'a RawValue>,
        }
        let raw: Raw<'a> = serde_json::from_str(text).map_err(Error::Body)?;
        let mut events = Vec::with_capacity(raw.events.len());
        for (index, json) in raw.events.into_iter().enumerate() {
            let seq = seq(json.get()).map_err(|source| Error::Seq { index, source })?;
            events.push(Event { seq, json });
        }
        events.sort_by_key(|event| event.seq);
        Ok(Self { epoch: raw.epoch, floor: raw.floor, head: raw.head, events })
    }
}

fn seq(event: &str) -> Result<u64, serde_json::Error> {
    #[derive(Deserialize)]
    struct Probe {
        seq: u64,
    }
    match leading_seq(event) {
        Some(seq) => Ok(seq),
        None => serde_json::from_str::<Probe>(event).map(|probe| probe.seq),
    }
}

/// `seq` where it is the first member, as servers mostly write it: the rest need not be scanned.
fn leading_seq(event: &str) -> Option<u64> {
    let rest = event.strip_prefix('{')?.trim_start();
    let rest = rest.strip_prefix(r#""seq""#)?.trim_start();
    let rest = rest.strip_prefix(':')?.trim_start();
    let end = rest.find(|c: char| !c.is_ascii_digit())?;
    let (digits, rest) = rest.split_at(end);
    rest.trim_start().starts_with([',', '}']).then(|| digits.parse().ok())?
}
