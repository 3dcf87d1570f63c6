//! What follows from a reply, from a failure, and from having no model at all.

use std::time::Instant;

use super::Orchestrator;
use crate::budget::Tokens;
use crate::event::Event;
use crate::io::{Failure, FailureKind, Output, Reply};
use crate::message::{Message, ToolCall};
use crate::record::Outcome;
use crate::reply;
use crate::run::Run;
use crate::turn::{Entry, Turn};

/// Bytes to a token, where an endpoint does not count them: a usual figure for English.
const BYTES_PER_TOKEN: usize = 4;

impl Orchestrator {
    /// The call of the active run has ended. A late reply of another run is none of ours.
    pub(super) fn settle(&mut self, now: Instant, id: u64, result: Result<Reply, Failure>) {
        let Some(run) = self.run.take_if(|run| run.id == id && run.is_asking()) else { return };
        let what = if result.is_ok() { "reply" } else { "failure" };
        self.log(Event::RuntimeStream { run: id, what });
        match result {
            Ok(reply) => self.replied(now, run, reply),
            Err(failure) => self.fail(now, run, &failure),
        }
    }

    fn replied(&mut self, now: Instant, mut run: Run, reply: Reply) {
        self.retry.reset();
        let tokens = reply.tokens.unwrap_or_else(|| estimate(&run, &reply));
        run.tokens = run.tokens.plus(tokens);
        self.budget.spend(now, tokens);
        let Tokens { prompt: prompt_tokens, completion: completion_tokens } = tokens;
        let (round, calls) = (run.rounds + 1, reply.calls.len());
        self.log(Event::RoundCompleted { run: run.id, round, calls, prompt_tokens, completion_tokens });
        if reply.calls.is_empty() {
            self.complete(now, run, &reply.text, reply::published(&reply));
        } else if run.rounds >= self.config.max_rounds {
            self.stop_rounds(now, run, &reply);
        } else {
            self.outputs.push_back(Output::Usage(self.budget.usage()));
            self.begin_round(now, run, reply);
        }
    }

    /// The turn ends: the model has said `said`, of which `told` is published.
    pub(super) fn complete(&mut self, now: Instant, mut run: Run, said: &str, told: Option<String>) {
        // A message without content is refused by some endpoints.
        if !said.trim().is_empty() {
            self.say(&mut run, Message::said(said));
        }
        self.record_end(&run, if told.is_some() { Outcome::Completed } else { Outcome::Suppressed });
        self.commit();
        self.budget.count_turn(now, run.started);
        match told {
            Some(text) => self.publish(Some(run.id), run.channel.clone(), text),
            None => self.log(Event::ReplySuppressed { run: run.id }),
        }
        self.thread.complete(&run.turn);
        let Tokens { prompt: prompt_tokens, completion: completion_tokens } = run.tokens;
        self.log(Event::RunCompleted { run: run.id, rounds: run.rounds + 1, prompt_tokens, completion_tokens });
        self.outputs.push_back(Output::Usage(self.budget.usage()));
        self.dealt_with(&run.turn);
    }

    /// The claim waits again, together with what has come in since, unless there is no hope.
    fn fail(&mut self, now: Instant, run: Run, failure: &Failure) {
        let again = match failure.kind {
            FailureKind::ContextTooLong => self.shorten(&run),
            FailureKind::Transient | FailureKind::Refused => self.postpone(now, &run, failure),
        };
        if again {
            self.record_end(&run, Outcome::Retried);
            self.thread.put_back(run.turn);
            self.queued_run = true;
        } else {
            self.abandon(run, failure);
        }
    }

    fn shorten(&mut self, run: &Run) -> bool {
        let Some(max_bytes) = self.thread.shorten(&run.turn) else { return false };
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
            for channel in run.turn.channels() {
                let text = format!("The model does not answer, I keep trying: {}", failure.message);
                self.publish(Some(run.id), Some(channel), text);
            }
        }
        true
    }

    /// The model will not answer. People are told that, and the news as it is: so it is told after all.
    fn abandon(&mut self, mut run: Run, failure: &Failure) {
        self.retry.reset();
        if run.turn.has_begun() {
            self.say(&mut run, Message::said(format!("[no reply: the model failed: {}]", failure.message)));
            self.thread.complete(&run.turn);
        }
        self.record_end(&run, Outcome::Abandoned);
        self.commit();
        self.log(Event::RunAbandoned { run: run.id, message: failure.message.clone() });
        let channels = run.turn.channels();
        if channels.is_empty() {
            self.publish(Some(run.id), run.channel.clone(), format!("The model failed: {}", failure.message));
        }
        for channel in channels {
            let text = format!("I cannot answer, the model failed: {}", failure.message);
            self.publish(Some(run.id), Some(channel), text);
        }
        for line in run.turn.asked().flat_map(relayed) {
            self.publish(Some(run.id), run.channel.clone(), line);
        }
        self.dealt_with(&run.turn);
    }

    /// Publishes what waits as it is.
    pub(super) fn relay(&mut self, now: Instant) {
        self.queued_run = false;
        self.unthrottle();
        let claim = self.thread.claim_all();
        if claim.turn.is_empty() {
            return;
        }
        self.last_run += 1;
        let channel = self.route.reply([].iter(), self.config.default_channel.as_deref());
        self.record_begin(self.last_run, channel.clone(), &claim);
        let run = Run::new(self.last_run, now, claim.turn, channel);
        self.record_end(&run, Outcome::Relayed);
        self.commit();
        for channel in run.turn.channels() {
            self.publish(None, Some(channel), "I relay notices; there is no model to answer.".to_owned());
        }
        for line in run.turn.asked().flat_map(relayed) {
            self.publish(None, run.channel.clone(), line);
        }
        if run.turn.has_begun() {
            self.thread.complete(&run.turn);
        }
        self.dealt_with(&run.turn);
    }

    /// Nothing of this turn is to be told again. What a restart made the sources repeat in the meantime is neither.
    fn dealt_with(&mut self, turn: &Turn) {
        let restored = turn.asked().filter(|entry| entry.as_notice().is_some_and(|notice| notice.number.is_none()));
        self.told.extend(restored.filter_map(Entry::key));
        let mut seen = turn.numbers();
        self.thread.waiting_mut().retain(|entry| {
            let told = entry.key().is_some_and(|key| self.told.contains(&key));
            seen.extend(entry.as_notice().and_then(|notice| notice.number).filter(|_| told));
            !told
        });
        self.queued_run &= self.thread.unanswered().next().is_some();
        self.seen(seen);
    }
}

fn estimate(run: &Run, reply: &Reply) -> Tokens {
    let written = reply.text.len() + reply.calls.iter().map(ToolCall::bytes).sum::<usize>();
    let tokens = |bytes: usize| u64::try_from(bytes.div_ceil(BYTES_PER_TOKEN)).unwrap_or(u64::MAX);
    Tokens { prompt: tokens(run.sent), completion: tokens(written) }
}

/// The lines of a notice, for people.
fn relayed(entry: &Entry) -> Vec<String> {
    entry.as_notice().map(|notice| notice.relayed().collect()).unwrap_or_default()
}
