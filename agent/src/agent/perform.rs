//! Performs what the engines put out, until both have nothing more.

use std::time::{Instant, SystemTime};

use asyncai_orchestrator as turns;
use asyncai_watch as watch;

use super::{LAST_READS, Running, Terminal};
use crate::channel::console;
use crate::conditions;

impl Running {
    /// What one engine puts out may be an input of the other, so they are drained in turns.
    pub(super) async fn drain(&mut self) {
        loop {
            while self.perform_next().await {}
            self.tell_pending();
            if !self.perform_next().await {
                break;
            }
        }
        if self.terminal == Terminal::Waiting && !self.watches.is_busy() {
            self.terminal = Terminal::Open;
            console::spawn(self.sender.clone(), self.sink.screen(), self.history.clone());
        }
        self.metrics.watches.set(i64::try_from(self.roster.len()).unwrap_or(i64::MAX));
        let ready = self.report.servers.iter().filter(|server| server.ready).count();
        self.metrics.servers_ready.set(i64::try_from(ready).unwrap_or(i64::MAX));
        if let Some(status) = self.report.write(Instant::now(), SystemTime::now(), false) {
            self.store.save_agent(status);
        }
    }

    /// Performs one output; false if there is none.
    async fn perform_next(&mut self) -> bool {
        if let Some(output) = self.watches.poll() {
            self.perform_watch(output);
        } else if let Some(output) = self.turns.poll() {
            self.perform_turn(output).await;
        } else {
            return false;
        }
        true
    }

    /// Whether notices may be on their way, before which there is no end.
    pub(super) fn tell_pending(&mut self) {
        let pending = self.calls_typed > 0 || self.watches.is_busy();
        self.turns.handle(Instant::now(), turns::Input::Pending(pending));
    }

    fn perform_watch(&mut self, output: watch::Output) {
        match output {
            watch::Output::Subscribe { id, ticket, uri, server } => {
                self.subscriptions.subscribe(id, ticket, uri, server);
            }
            watch::Output::Unsubscribe(id) => self.subscriptions.unsubscribe(&id),
            watch::Output::Read { id, ticket, uri, server, since } => {
                self.subscriptions.read(id, ticket, uri, server, since);
            }
            watch::Output::Check { id, ticket, source } => self.filters.check(id, ticket, &source),
            watch::Output::Filter { id, ticket, event } => self.filters.run(id, ticket, event),
            watch::Output::EndFilter(id) => self.filters.end(&id),
            watch::Output::Delete(id) => self.discard(&id),
            watch::Output::Restore(notice) => self.tell(restored(notice)),
            watch::Output::Notice(notice) => self.tell(told(notice)),
            watch::Output::Status(status) => {
                self.decide(&status);
                let saved = conditions::time(SystemTime::now()).and_then(|now| self.roster.status(&status, &now));
                self.save(saved);
            }
            watch::Output::Log(event) => self.log_watch(&event),
            watch::Output::Stopped => self.finished = true,
        }
    }

    async fn perform_turn(&mut self, output: turns::Output) {
        let now = Instant::now();
        match output {
            turns::Output::Call { run, messages } => {
                let config = self.settings.model(&self.secrets);
                self.calls.call(run, &messages, &self.catalogue.get(), config);
            }
            turns::Output::RunCode { run, call, source } => {
                self.metrics.code_runs.inc();
                self.code.run(run, call, source);
            }
            turns::Output::Cancel { run } => {
                self.calls.cancel(run);
                self.code.cancel(run);
            }
            turns::Output::Publish { run, channel, text } => self.publish(run, channel.as_deref(), &text),
            turns::Output::Delta { run, channel, text } => self.channels.delta(run, &channel, &text),
            turns::Output::Record(record) => {
                if let Some(session) = &mut self.session {
                    session.append(&record);
                }
            }
            turns::Output::Commit => self.commit().await,
            turns::Output::Seen(numbers) => self.watches.handle(now, watch::Input::Seen(numbers)),
            turns::Output::Usage(usage) => self.report.spent(usage, SystemTime::now()),
            turns::Output::Throttled(throttle) => {
                self.throttled = throttle.is_some();
                self.report.throttled(throttle);
                self.hold();
            }
            turns::Output::Log(event) => self.log_turn(&event),
            turns::Output::Finished => {
                self.watches.handle(now, watch::Input::Stop { deadline: now + LAST_READS });
            }
        }
    }

    /// Waits until the session is on disk: nothing that follows may be done before.
    async fn commit(&mut self) {
        let Some(session) = &mut self.session else { return };
        match session.commit().await {
            Ok(()) => self.report.session = None,
            Err(error) => self.session_fails(&error),
        }
    }

    fn tell(&mut self, notice: turns::Notice) {
        self.turns.handle(Instant::now(), turns::Input::Notice(notice));
    }

    fn log_watch(&mut self, event: &watch::Event) {
        match event {
            watch::Event::Event { kept, .. } => {
                self.metrics.events.with_label_values(&[if *kept { "kept" } else { "dropped" }]).inc();
            }
            watch::Event::Notice { .. } => self.metrics.notices.inc(),
            watch::Event::Resubscribing { .. } => self.metrics.resubscribes.inc(),
            watch::Event::Restored { .. } => self.start(),
            watch::Event::Started { .. }
            | watch::Event::Subscribed { .. }
            | watch::Event::Failed { .. }
            | watch::Event::Stopped { .. } => {}
        }
        self.sink.event(event.name(), event.verbose(), event);
    }

    fn log_turn(&mut self, event: &turns::Event) {
        match event {
            turns::Event::RunCompleted { .. } => self.metrics.turns.with_label_values(&["ok"]).inc(),
            turns::Event::RoundCompleted { prompt_tokens, completion_tokens, .. } => {
                self.metrics.tokens.with_label_values(&["prompt"]).inc_by(*prompt_tokens);
                self.metrics.tokens.with_label_values(&["completion"]).inc_by(*completion_tokens);
            }
            turns::Event::RunFailed { .. } | turns::Event::RunAbandoned { .. } => {
                self.metrics.turns.with_label_values(&["error"]).inc();
            }
            turns::Event::ReplySuppressed { .. } => self.metrics.replies.with_label_values(&["suppressed"]).inc(),
            turns::Event::NoticeStream { .. }
            | turns::Event::InputStream { .. }
            | turns::Event::WaitingRuleStream { .. }
            | turns::Event::AgentEventStream { .. }
            | turns::Event::RuntimeStream { .. }
            | turns::Event::ThreadRestored { .. }
            | turns::Event::NoticeRepeated { .. }
            | turns::Event::CodeStarted { .. }
            | turns::Event::CodeCompleted { .. }
            | turns::Event::Throttled { .. }
            | turns::Event::Unthrottled {}
            | turns::Event::RunCreated { .. }
            | turns::Event::RunQueued { .. }
            | turns::Event::RunDelta { .. }
            | turns::Event::RunCancelled { .. }
            | turns::Event::ThreadShortened { .. }
            | turns::Event::ReplyPublished { .. } => {}
        }
        self.sink.event(event.name(), event.verbose(), event);
        self.channels.observe(event);
    }
}

/// What became of the watches of before, as the turn engine takes it in.
fn restored(notice: watch::RestoreNotice) -> turns::Notice {
    let text = notice.text();
    let plain = turns::Notice::new(watch::RestoreNotice::SOURCE, text);
    turns::Notice { number: Some(notice.number), lines: notice.lines, more: notice.more, ..plain }
}

/// A notice of a watch, as the turn engine takes it in.
fn told(notice: watch::Notice) -> turns::Notice {
    let text = notice.text();
    turns::Notice {
        number: Some(notice.number),
        id: Some(notice.id),
        task: format!("watch-{}", notice.watch),
        description: format!("watch {} {}", notice.watch, notice.uri),
        note: watch::NOTE.to_owned(),
        source: notice.watch,
        text,
        lines: notice.lines,
        more: notice.more,
    }
}
