//! Calls, put together from the pieces of a stream.

use std::collections::BTreeSet;

use crate::message::ToolCall;
use crate::wire::CallPiece;

/// Calls of one reply; what an endpoint sends beyond is a loop of its model.
const MOST: usize = 64;

/// What has come so far, in order of appearance.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    calls: Vec<Partial>,
}

#[derive(Debug)]
struct Partial {
    index: Option<usize>,
    call: ToolCall,
}

impl Calls {
    /// Takes in a piece.
    pub(crate) fn absorb(&mut self, piece: CallPiece) {
        let id = piece.id.unwrap_or_default();
        let function = piece.function.unwrap_or_default();
        let name = function.name.unwrap_or_default();
        let Some(call) = self.place(piece.index, &id, &name) else { return };
        if !id.is_empty() {
            call.id = id;
        }
        // Some endpoints repeat the name with each piece; none sends it in pieces.
        if !name.is_empty() {
            call.name = name;
        }
        if let Some(arguments) = function.arguments {
            call.arguments.push_str(&arguments.into_text());
        }
    }

    /// The call that a piece belongs to: that of its index, unless it brings another id, by which endpoints that give
    /// every call the index 0 tell them apart. Without an index, one that brings an id or a name is a new call.
    fn place(&mut self, index: Option<usize>, id: &str, name: &str) -> Option<&mut ToolCall> {
        let found = match index {
            Some(_) => self.calls.iter().rposition(|partial| partial.index == index),
            None if id.is_empty() && name.is_empty() => self.calls.len().checked_sub(1),
            None => self.calls.iter().rposition(|partial| !id.is_empty() && partial.call.id == id),
        };
        let other = |at: &usize| !id.is_empty() && !self.calls[*at].call.id.is_empty() && self.calls[*at].call.id != id;
        let at = match found.filter(|at| !other(at)) {
            Some(at) => at,
            None if self.calls.len() == MOST => return None,
            None => {
                let call = ToolCall { id: String::new(), name: String::new(), arguments: String::new() };
                self.calls.push(Partial { index, call });
                self.calls.len() - 1
            }
        };
        self.calls.get_mut(at).map(|partial| &mut partial.call)
    }

    /// The whole calls. One without an id, or with that of another, gets an id of its own.
    pub(crate) fn finish(self) -> Vec<ToolCall> {
        let mut taken = BTreeSet::new();
        let mut calls: Vec<ToolCall> = self.calls.into_iter().map(|partial| partial.call).collect();
        for (at, call) in calls.iter_mut().enumerate() {
            if call.id.is_empty() || taken.contains(&call.id) {
                call.id = format!("call_{at}_{:08x}", fastrand::u32(..));
            }
            taken.insert(call.id.clone());
        }
        calls
    }
}

#[cfg(test)]
mod tests;
