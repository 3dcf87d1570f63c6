//! The rounds of a run: the model calls code, which is run, and is asked again.

use std::time::Instant;

use super::{Orchestrator, throttled_text};
use crate::budget::Limit;
use crate::event::Event;
use crate::io::{Finish, Output, Reply};
use crate::message::Message;
use crate::record::Outcome;
use crate::run::Run;
use crate::tool::{self, Call};

/// Ends the last call of a run that has used all its rounds.
const LAST_CALL: &str = "This turn has used all its rounds of run_code. Answer now, from what you have, without calling anything; say what is left undone.";
/// The result of calls of a reply that is not complete, any of which may be cut.
const CUT: &str = "not run: your reply was cut before it was complete; write less at a time, in several shorter calls";
/// The result of calls after the one that ended the turn.
const ENDED: &str = "not run: the turn has ended";

impl Orchestrator {
    /// Asks the model.
    pub(super) fn ask(&mut self, mut run: Run) {
        let mut messages = self.thread.messages(&self.config.system_prompt, &run.turn);
        if run.rounds >= self.config.max_rounds {
            messages.push(Message::User(LAST_CALL.to_owned()));
        }
        run.sent = messages.iter().map(Message::bytes).sum();
        run.shown = crate::reply::Shown::default();
        self.commit();
        self.outputs.push_back(Output::Call { run: run.id, messages });
        self.run = Some(run);
    }

    /// The model wants code to be run.
    pub(super) fn begin_round(&mut self, now: Instant, mut run: Run, reply: Reply) {
        let cut = matches!(reply.finish, Finish::Length | Finish::Filtered);
        let read = |call| if cut { Call::Refused(CUT.to_owned()) } else { tool::read(call) };
        run.pending = reply.calls.iter().map(|call| (call.id.clone(), read(call))).collect();
        let calls = reply.calls.into_iter().map(tool::presentable).collect();
        self.say(&mut run, Message::Assistant { text: reply.text, calls });
        self.next_call(now, run);
    }

    /// Runs the next of the pending calls; after the last, the model is asked again.
    fn next_call(&mut self, now: Instant, mut run: Run) {
        while let Some((call, what)) = run.pending.pop_front() {
            match what {
                Call::Refused(text) => self.say(&mut run, Message::Tool { call, text }),
                Call::Silence => {
                    self.say(&mut run, Message::Tool { call, text: "the turn ends without a reply".to_owned() });
                    while let Some((call, _)) = run.pending.pop_front() {
                        self.say(&mut run, Message::Tool { call, text: ENDED.to_owned() });
                    }
                    self.complete(now, run, crate::reply::NO_REPLY, None);
                    return;
                }
                Call::Run(source) => {
                    // What happens to the code must not be forgotten with the process.
                    self.commit();
                    self.log(Event::CodeStarted { run: run.id, call: call.clone(), source: source.clone() });
                    self.outputs.push_back(Output::RunCode { run: run.id, call: call.clone(), source: source.clone() });
                    run.pending.push_front((call, Call::Run(source)));
                    self.run = Some(run);
                    return;
                }
            }
        }
        self.end_round(now, run);
    }

    /// Code has run. That of another call is none of ours.
    pub(super) fn code_ran(&mut self, now: Instant, id: u64, call: &str, text: String) {
        let awaited = |run: &mut Run| run.id == id && run.pending.front().is_some_and(|(pending, _)| pending == call);
        let Some(mut run) = self.run.take_if(awaited) else { return };
        run.pending.pop_front();
        self.log(Event::RuntimeStream { run: id, what: "code" });
        self.log(Event::CodeCompleted { run: id, call: call.to_owned(), bytes: text.len() });
        self.say(&mut run, Message::Tool { call: call.to_owned(), text });
        self.next_call(now, run);
    }

    fn end_round(&mut self, now: Instant, mut run: Run) {
        run.rounds += 1;
        match self.budget.exhausted(now, &self.config) {
            None => self.ask(run),
            Some((throttle, until)) => self.suspend_run(now, run, throttle.limit, until),
        }
    }

    /// The day's tokens are spent: a run of the next day goes on.
    fn suspend_run(&mut self, now: Instant, run: Run, limit: Limit, until: Option<Instant>) {
        self.record_end(&run, Outcome::Retried);
        self.commit();
        if run.turn.channels().is_empty() {
            // Who waits for an answer is told with all others who do.
            let text = throttled_text(limit, until.map(|until| until.saturating_duration_since(now)));
            self.publish(Some(run.id), run.channel.clone(), text);
        }
        self.thread.put_back(run.turn);
        self.queued_run = true;
    }

    /// The model calls code although it was told to answer.
    pub(super) fn stop_rounds(&mut self, now: Instant, run: Run, reply: &Reply) {
        let text = reply.text.trim();
        let note = format!("[stopped: no answer after {} rounds of code]", run.rounds);
        let text = if text.is_empty() { note } else { format!("{text}\n{note}") };
        self.complete(now, run, &text, Some(text.clone()));
    }
}
