//! Performs what the watch engine puts out: subscriptions, reads, filters and saved statuses, with all that goes wrong.

use asyncai_orchestrator as turns;
use asyncai_watch::{self as watch, Contents, Failure, FailureKind, FilterError, Id, Input, Output, Phase};

use crate::ledger::Verdict;
use crate::life::{restored, told};
use crate::resource::{Health, Subscriber};
use crate::store::Saved;
use crate::world::{Answer, Happening, World};

impl World {
    pub(crate) fn perform_watch(&mut self, output: Output) {
        let Some(life) = &mut self.life else { return };
        match output {
            Output::Subscribe { id, ticket, .. } => {
                self.trail(|| format!("< subscribe {id}"));
                self.subscribe(id, ticket);
            }
            Output::Unsubscribe(id) => {
                let link = life.links.entry(id.clone()).or_default();
                (link.subscription, link.reading) = (None, None);
                for resource in &mut self.resources {
                    resource.subscribers.retain(|subscriber| subscriber.id != id);
                }
            }
            Output::Read { id, ticket, since, .. } => {
                let link = life.links.entry(id.clone()).or_default();
                assert!(link.acknowledged && link.subscription.is_some(), "{id} reads what it is not subscribed to");
                assert_eq!(link.reading, None, "{id} reads twice at once");
                link.reading = Some(ticket);
                let delay = self.latency(&id);
                self.later(delay, Answer::ReadAt { id, ticket, since });
            }
            Output::Check { id, ticket, source } => {
                let link = life.links.entry(id.clone()).or_default();
                (link.check, link.invalid) = (Some(ticket), false);
                assert_eq!(
                    self.ledgers[&id].spec.filter.as_ref(),
                    Some(&source),
                    "what is checked is the filter of now"
                );
                let delay = self.chance.between(20, 2_500);
                self.later(delay, Answer::Checked { id, ticket, valid: is_valid(&source) });
            }
            Output::Filter { id, ticket, .. } => self.filter(id, ticket),
            Output::EndFilter(_) => {}
            Output::Delete(id) => {
                self.trail(|| format!("< delete {id}"));
                self.remove(&id);
            }
            Output::Restore(notice) => {
                let notice = restored(notice);
                self.desk.told(None, &notice);
                self.feed_turns(turns::Input::Notice(notice));
            }
            Output::Notice(notice) => self.notice(&notice),
            Output::Status(status) => self.status(status),
            Output::Log(event) => self.log_watch(&event),
            Output::Stopped => life.stopped = true,
        }
    }

    fn subscribe(&mut self, id: Id, ticket: u64) {
        let Some(life) = &mut self.life else { return };
        let link = life.links.entry(id.clone()).or_default();
        assert_eq!(link.subscription, None, "{id} has one subscription at most");
        assert!(!link.invalid, "{id} is subscribed with a filter that is not valid");
        (link.subscription, link.acknowledged) = (Some(ticket), false);
        assert!(!self.ledgers[&id].spec.suspend, "{id} is subscribed while suspended");
        let delay = self.latency(&id);
        self.later(delay, Answer::SubscribeAt { id, ticket });
    }

    /// The subscription reaches the server.
    pub(crate) fn subscribe_at(&mut self, id: Id, ticket: u64) {
        if !self.is_subscription(&id, ticket) {
            return;
        }
        let delay = self.latency(&id);
        let place = self.ledgers[&id].resource;
        match self.resources[place].health {
            Health::Down => self.later(delay, Answer::SubscribeFailed { id, ticket, kind: FailureKind::ServerDown }),
            Health::Hangs => self.later(60_000, Answer::SubscribeFailed { id, ticket, kind: FailureKind::ServerDown }),
            Health::Refuses if self.chance.once_in(2) => {
                self.later(delay, Answer::SubscribeFailed { id, ticket, kind: FailureKind::SourceError });
            }
            Health::Up | Health::Slow | Health::Refuses => {
                let subscriber = Subscriber { id: id.clone(), ticket, told: false };
                self.resources[place].subscribers.push(subscriber);
                self.later(delay, Answer::Acknowledged { id, ticket });
            }
        }
    }

    /// The read reaches the server.
    pub(crate) fn read_at(&mut self, id: Id, ticket: u64, since: Option<&watch::Cursor>) {
        if self.link(&id).is_none_or(|link| link.reading != Some(ticket)) {
            return;
        }
        let delay = self.latency(&id);
        let resource = &self.resources[self.ledgers[&id].resource];
        let failure = |kind| Err(Failure { kind, message: "the server says no".to_owned() });
        let (delay, found) = match resource.health {
            Health::Down => (delay, failure(FailureKind::ServerDown)),
            Health::Hangs => (60_000, failure(FailureKind::ServerDown)),
            Health::Refuses => (delay, failure(FailureKind::SourceError)),
            Health::Up | Health::Slow if self.on && self.chance.once_in(500) && resource.is_log() => {
                let mime = Some(asyncai_eventlog::MIME.to_owned());
                let torn = Contents { mime, text: "{\"events\":[".to_owned() };
                return self.later(delay, Answer::Read { id, ticket, found: Ok((None, torn)) });
            }
            Health::Up | Health::Slow => (delay, Ok((Some(resource.view()), resource.contents(since)))),
        };
        self.later(delay, Answer::Read { id, ticket, found });
    }

    fn filter(&mut self, id: Id, ticket: u64) {
        let Some(life) = &mut self.life else { return };
        let link = life.links.entry(id.clone()).or_default();
        assert!(link.check.is_none() && !link.invalid, "{id}: no filter sees an event before it is accepted");
        let ledger = self.ledgers.get_mut(&id).expect("an account");
        let fails = ledger.spec.filter.as_ref().is_some_and(|source| number(source) % 5 == 4);
        let (delay, verdict) = match self.chance.below(200) {
            _ if fails => (self.chance.between(1, 10), Verdict::Fail),
            // It hangs until it is killed.
            0 => (2_000, Verdict::Fail),
            1..=4 => (self.chance.between(1, 10), Verdict::Fail),
            5..=100 => (self.chance.between(1, 10), Verdict::Drop),
            _ => (self.chance.between(1, 40), Verdict::Tell(ticket)),
        };
        ledger.verdicts.push_back(verdict.clone());
        link.busy_until = link.busy_until.max(self.now) + delay;
        let wait = link.busy_until - self.now;
        self.later(wait, Answer::Filtered { id, ticket, verdict });
    }

    fn notice(&mut self, notice: &watch::Notice) {
        self.tally.notices += 1;
        let id = Id::from(notice.watch.as_str());
        self.trail(|| format!("< notice {} {}, {} lines", notice.number, notice.id, notice.lines.len() + notice.more));
        if let Some(ledger) = self.ledgers.get_mut(&id) {
            ledger.notice(self.now, notice);
        }
        let notice = told(notice);
        self.desk.told(Some(id), &notice);
        self.feed_turns(turns::Input::Notice(notice));
    }

    fn status(&mut self, status: watch::Status) {
        let id = status.id.clone();
        self.trail(|| format!("< status {id} {:?} {:?}", status.phase, status.cursor));
        let values = self.ledgers.get_mut(&id).and_then(|ledger| ledger.status(&status));
        let Some(life) = &mut self.life else { return };
        let failed = !matches!(status.phase, Phase::Connecting | Phase::Resubscribing { .. });
        let hopeless =
            matches!(status.phase, Phase::InvalidFilter { .. } | Phase::Refused { .. } | Phase::Failed { .. });
        if failed && life.starting.remove(&id) && hopeless {
            self.remove(&id);
            return;
        }
        let life = life.number;
        let Some(object) = self.store.objects.get_mut(&id) else { return };
        object.writes.push_back(Saved { uri: self.ledgers[&id].spec.uri.clone(), status, values });
        let mut delay = self.chance.between(10, 500);
        if self.chance.once_in(50) {
            delay = self.chance.between(5_000, 120_000);
        }
        self.after(delay, Happening::Save(life, id));
    }

    fn log_watch(&mut self, event: &watch::Event) {
        match event {
            watch::Event::Event { watch, seq, kind, kept } => {
                self.tally.events += 1;
                self.tally.gaps += u64::from(kind == "GAP");
                let (now, life) = (self.now, self.lives);
                if let Some(ledger) = self.ledgers.get_mut(&Id::from(watch.as_str())) {
                    ledger.event(now, life, *seq, kind, *kept);
                }
            }
            watch::Event::Restored { .. } => self.feed_turns(turns::Input::Start),
            _ => {}
        }
    }

    /// An answer arrives at the watch engine.
    pub(crate) fn answer_watch(&mut self, answer: Answer) {
        let input = match answer {
            Answer::SubscribeFailed { id, ticket, kind } => {
                self.unlink(&id, ticket);
                let failure = Failure { kind, message: "cannot subscribe".to_owned() };
                Input::SubscribeFailed { id, ticket, failure }
            }
            Answer::Acknowledged { id, ticket } => {
                if let Some(link) = self.link(&id).filter(|link| link.subscription == Some(ticket)) {
                    link.acknowledged = true;
                }
                Input::Acknowledged { id, ticket, server: "server".to_owned() }
            }
            Answer::Updated { id, ticket } => {
                let subscribers = self.resources.iter_mut().flat_map(|resource| &mut resource.subscribers);
                let told = subscribers.filter(|subscriber| subscriber.ticket == ticket && subscriber.id == id);
                told.for_each(|subscriber| subscriber.told = false);
                Input::Updated { id, ticket }
            }
            Answer::Ended { id, ticket } => {
                self.unlink(&id, ticket);
                Input::Ended { id, ticket, message: "the connection was lost".to_owned() }
            }
            Answer::Read { id, ticket, found } => {
                if let Some(link) = self.link(&id).filter(|link| link.reading == Some(ticket)) {
                    link.reading = None;
                    if let (Ok((Some(view), _)), Some(ledger)) = (&found, self.ledgers.get_mut(&id)) {
                        ledger.read(&self.resources[ledger.resource].history, view);
                    }
                }
                Input::Read { id, ticket, result: found.map(|(_, contents)| contents) }
            }
            Answer::Checked { id, ticket, valid } => {
                if let Some(link) = self.link(&id).filter(|link| link.check == Some(ticket)) {
                    (link.check, link.invalid) = (None, !valid);
                }
                let result = if valid { Ok(()) } else { Err("SyntaxError: line 1, column 2".to_owned()) };
                Input::Checked { id, ticket, result }
            }
            Answer::Filtered { id, ticket, verdict } => {
                let result = match verdict {
                    Verdict::Tell(ticket) => Ok(Some(format!("told {ticket}"))),
                    Verdict::Drop => Ok(None),
                    Verdict::Fail => {
                        Err(FilterError { message: "boom".to_owned(), traceback: "Traceback: boom".to_owned() })
                    }
                };
                Input::Filtered { id, ticket, result }
            }
            _ => return,
        };
        self.feed_watches(input);
    }

    fn link(&mut self, id: &Id) -> Option<&mut crate::life::Link> {
        self.life.as_mut()?.links.get_mut(id)
    }

    fn is_subscription(&mut self, id: &Id, ticket: u64) -> bool {
        self.link(id).is_some_and(|link| link.subscription == Some(ticket))
    }

    fn unlink(&mut self, id: &Id, ticket: u64) {
        if let Some(link) = self.link(id).filter(|link| link.subscription == Some(ticket)) {
            (link.subscription, link.reading) = (None, None);
        }
    }

    /// How long the way to the server of a watch is.
    fn latency(&mut self, id: &Id) -> u64 {
        match self.ledgers.get(id).map(|ledger| self.resources[ledger.resource].health) {
            Some(Health::Slow) => self.chance.between(1_000, 20_000),
            _ => self.chance.between(1, 120),
        }
    }
}

/// The number of a filter's source, from which all else of it follows.
pub(crate) fn number(source: &str) -> u64 {
    source.rsplit_once(' ').and_then(|(_, number)| number.parse().ok()).expect("a number")
}

fn is_valid(source: &str) -> bool {
    number(source) % 7 != 6
}
