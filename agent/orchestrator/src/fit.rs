//! Cuts a turn that is too long for one call, so that every message stays and says what it lacks.

use crate::message::Message;

/// What stays of a message, where the limit allows that much.
const STUB: usize = 256;
/// About as long is the note that says what was cut.
const NOTE: usize = 40;

/// Cuts `messages` to about `limit` bytes in all: the results of calls first, the oldest before the others, then
/// what the model wrote, then what was asked. Calls and results stay, so that they pair up.
pub(crate) fn fit(mut messages: Vec<Message>, limit: usize) -> Vec<Message> {
    let bytes: usize = messages.iter().map(Message::bytes).sum();
    let mut over = bytes.saturating_sub(limit);
    let stub = STUB.min(limit / 8);
    for is_next in [is_result, is_written, is_asked] {
        for message in messages.iter_mut().filter(|message| is_next(message)) {
            if over == 0 {
                return messages;
            }
            over = over.saturating_sub(shrink(message, over, stub));
        }
    }
    messages
}

fn is_result(message: &Message) -> bool {
    matches!(message, Message::Tool { .. })
}

fn is_written(message: &Message) -> bool {
    matches!(message, Message::Assistant { .. })
}

fn is_asked(message: &Message) -> bool {
    matches!(message, Message::User(_))
}

/// Takes up to `over` bytes out of a message, but leaves `stub`. How many were taken.
fn shrink(message: &mut Message, over: usize, stub: usize) -> usize {
    let before = message.bytes();
    let shorter = |text: &str| cut(text, text.len().saturating_sub(over + NOTE).max(stub));
    match message {
        Message::System(_) => {}
        Message::User(text) | Message::Tool { text, .. } => *text = shorter(text),
        Message::Assistant { text, calls } => {
            for call in calls.iter_mut().filter(|call| call.arguments.len() > stub.max(NOTE)) {
                // Half of a call would be no JSON any more.
                call.arguments = format!(r##"{{"code":"# [… {} bytes left out]"}}"##, call.arguments.len());
            }
            *text = shorter(text);
        }
    }
    before.saturating_sub(message.bytes())
}

/// `text` with its middle left out, and that said, if it is longer than `limit` bytes.
pub(crate) fn cut(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let head = text.floor_char_boundary(limit / 2);
    let tail = text.ceil_char_boundary(text.len() - limit.div_ceil(2));
    let left_out = tail - head;
    format!("{}\n[… {left_out} bytes left out]\n{}", &text[..head], &text[tail..])
}

#[cfg(test)]
mod tests;
