//! A reply that is shown as it comes, line by line, so that it never mixes with what is typed.

#[cfg(test)]
mod tests;

/// What was said of a reply that is not complete yet.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    /// All of it.
    text: String,
    /// How much of that was shown.
    shown: usize,
}

impl Stream {
    /// One more piece. The lines that it completes, to be shown now; a reply that may turn out to be silence is not.
    pub(crate) fn piece(&mut self, piece: &str) -> Option<String> {
        self.text.push_str(piece);
        let complete = self.text.rfind('\n').filter(|end| *end >= self.shown)?;
        let lines = self.text[self.shown..complete].to_owned();
        if lines.trim().is_empty() || self.text.lines().any(|line| line.trim() == SILENCE) {
            return None;
        }
        self.shown = complete + 1;
        Some(lines)
    }

    /// The reply is complete: what of it is still to be shown.
    pub(crate) fn finish(&mut self, reply: &str) -> Option<String> {
        let Self { text, shown } = std::mem::take(self);
        let shown = text[..shown].trim();
        let rest = match reply.strip_prefix(shown) {
            Some(rest) if !shown.is_empty() => rest.trim_start_matches('\n').trim_end(),
            _ => reply,
        };
        (!rest.is_empty()).then(|| rest.to_owned())
    }

    /// It was no reply, but what the model said before it did something else: the rest of that.
    pub(crate) fn aside(&mut self) -> Option<String> {
        let Self { text, shown } = std::mem::take(self);
        let rest = text[shown..].trim_end();
        (!rest.is_empty() && rest.trim() != SILENCE).then(|| rest.to_owned())
    }
}

/// The word by which a model says nothing.
const SILENCE: &str = "NO_REPLY";
