//! What follows from a reply, from a failure, and from having no model at all.

use std::time::Instant;

use super::{Orchestrator, users};
use crate::budget::Tokens;
use crate::event::Event;
use crate::io::{Failure, FailureKind, Output, Reply};
use crate::reply;
use crate::run::{self, Run};
use crate::thread::{Entry, Origin};

/// Bytes to a token, where an endpoint does not count them: a usual figure for English.
const BYTES_PER_TOKEN: usize = 4;

impl Orchestrator {
    /// The active run has ended. A late reply of another run is none of ours.
    pub(super) fn settle(&mut self, now: Instant, id: u64, result: Result<Reply, Failure>) {
        let Some(run) = self.run.take_if(|run| run.id == id) else { return };
        match result {
            Ok(reply) => self.complete(now, run, &reply),
            Err(failure) => self.fail(now, run, &failure),
        }
    }

    fn complete(&mut self, now: Instant, run: Run, reply: &Reply) {
        self.retry.reset();
        let tokens = reply.tokens.unwrap_or_else(|| self.estimate(&run, reply));
        let usage = self.budget.spend(now, run.started, tokens);
        let notices = run.notices();
        match reply::published(reply) {
            Some(text) => self.publish(Some(run.id), run.channel.clone(), text),
            None => self.log(Event::ReplySuppressed { run: run.id }),
        }
        self.thread.complete(run.claimed, &reply.text);
        let Tokens { prompt: prompt_tokens, completion: completion_tokens } = tokens;
        self.log(Event::RunCompleted { run: run.id, rounds: 1, prompt_tokens, completion_tokens });
        self.outputs.push_back(Output::Usage(usage));
        self.seen(notices);
    }

    /// The claim waits again, together with what has come in since, unless there is no hope.
    fn fail(&mut self, now: Instant, run: Run, failure: &Failure) {
        let again = match failure.kind {
            FailureKind::ContextTooLong => self.shorten(&run),
            FailureKind::Transient | FailureKind::Refused => self.postpone(now, &run, failure),
        };
        if again {
            self.thread.put_back(run.claimed);
            self.queued_run = true;
        } else {
            self.abandon(&run, failure);
        }
    }

    fn shorten(&mut self, run: &Run) -> bool {
        let Some(max_bytes) = self.thread.shorten(&run.claimed) else { return false };
        self.log(Event::ThreadShortened { run: run.id, max_bytes });
        true
    }

    fn postpone(&mut self, now: Instant, run: &Run, failure: &Failure) -> bool {
        let Some(delay) = self.retry.failed(now, failure) else { return false };
        self.log(Event::RunFailed {
            run: run.id,
            message: failure.message.clone(),
            attempt: self.retry.attempts(),
            delay_seconds: delay.as_secs(),
        });
        if self.retry.attempts() == 1 {
            // Who asked is not to wait minutes for a sign of life.
            for channel in users(run.claimed.iter()) {
                let text = format!("The model does not answer, I keep trying: {}", failure.message);
                self.publish(Some(run.id), Some(channel), text);
            }
        }
        true
    }

    /// The model will not answer. People are told that, and the news as it is: so it is told after all.
    fn abandon(&mut self, run: &Run, failure: &Failure) {
        self.retry.reset();
        self.log(Event::RunAbandoned { run: run.id, message: failure.message.clone() });
        let mut channels = users(run.claimed.iter());
        let notices = run.notices();
        let told: Vec<String> = run.claimed.iter().flat_map(relayed).collect();
        if channels.is_empty() {
            self.publish(Some(run.id), run.channel.clone(), format!("The model failed: {}", failure.message));
        }
        while let Some(channel) = channels.pop_first() {
            self.publish(
                Some(run.id),
                Some(channel),
                format!("I cannot answer, the model failed: {}", failure.message),
            );
        }
        for line in told {
            self.publish(Some(run.id), run.channel.clone(), line);
        }
        self.seen(notices);
    }

    /// Publishes what waits as it is.
    pub(super) fn relay(&mut self) {
        let claimed = self.thread.drain();
        self.queued_run = false;
        self.unthrottle();
        let notices = run::numbers(&claimed);
        for channel in users(claimed.iter()) {
            self.publish(None, Some(channel), "I relay notices; there is no model to answer.".to_owned());
        }
        let channel = self.route.reply(&[], self.config.default_channel.as_deref());
        for line in claimed.iter().flat_map(relayed) {
            self.publish(None, channel.clone(), line);
        }
        self.seen(notices);
    }

    fn estimate(&self, run: &Run, reply: &Reply) -> Tokens {
        let messages = self.thread.messages(&self.config.system_prompt, &run.claimed);
        let read: usize = messages.iter().map(|message| message.bytes()).sum();
        let tokens = |bytes: usize| u64::try_from(bytes.div_ceil(BYTES_PER_TOKEN)).unwrap_or(u64::MAX);
        Tokens { prompt: tokens(read), completion: tokens(reply.text.len()) }
    }

    fn seen(&mut self, notices: Vec<u64>) {
        if !notices.is_empty() {
            self.outputs.push_back(Output::Seen(notices));
        }
    }
}

/// The lines of a notice, for people.
fn relayed(entry: &Entry) -> Vec<String> {
    match &entry.origin {
        Origin::Notice(notice) => notice.relayed().collect(),
        Origin::Start | Origin::User { .. } => Vec::new(),
    }
}
