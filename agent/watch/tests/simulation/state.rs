//! A state under random changes: what the filter sees, put together, makes the state that the server has.

use std::collections::BTreeMap;
use std::time::{Duration, Instant, UNIX_EPOCH};

use asyncai_watch::{Contents, Cursor, Id, Initial, Input, Origin, Output, Resume, Set, Spec, Status};
use proptest::prelude::*;
use serde_json::Value;

/// Something that happens to the state, the connection, the agent or the process.
#[derive(Clone, Debug)]
enum Step {
    Put(String, u8),
    Delete(String),
    Read,
    Answer,
    Seen,
    Pass(u64),
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => ("[a-e]", 0_u8..3).prop_map(|(key, value)| Step::Put(key, value)),
        2 => "[a-e]".prop_map(Step::Delete),
        3 => Just(Step::Read),
        4 => Just(Step::Answer),
        2 => Just(Step::Seen),
        2 => (0_u64..20_000).prop_map(Step::Pass),
        1 => Just(Step::Restart),
    ]
}

/// The state by key.
type Entries = BTreeMap<String, Value>;

/// The engine, the server's state, and the copy that is made of the events.
struct Run {
    list: bool,
    set: Set,
    now: Instant,
    state: Entries,
    copy: Entries,
    /// The copy after each event, by the number of the event: what was not seen is forgotten with the process.
    copies: BTreeMap<u64, Entries>,
    seq: u64,
    status: Option<Status>,
    subscription: u64,
    filters: Vec<u64>,
    notices: Vec<u64>,
}

impl Run {
    fn new(list: bool, state: Entries) -> Self {
        let now = Instant::now();
        let mut run = Self {
            list,
            set: Set::new(now, UNIX_EPOCH, 1),
            now,
            copies: BTreeMap::from([(0, state.clone())]),
            seq: 0,
            copy: state.clone(),
            state,
            status: None,
            subscription: 0,
            filters: Vec::new(),
            notices: Vec::new(),
        };
        run.start();
        run
    }

    fn start(&mut self) {
        let spec = Spec {
            id: id(),
            name: "w".into(),
            uri: "sim://state".into(),
            server: None,
            filter: Some("valid".into()),
            origin: Origin::Declared,
            instructions: None,
            initial: Initial::Skip,
            debounce: Duration::from_secs(3),
            max_wait: Duration::from_secs(15),
            max_notices_per_hour: 60,
            suspend: false,
            generation: 1,
            created: 0,
        };
        let resume = self.status.clone().map(|status| Resume {
            uri: Some(spec.uri.clone()),
            server: status.server,
            cursor: status.cursor,
            baseline: status.baseline,
            counts: status.counts,
            last_event: status.last_event,
            last_notice: status.last_notice,
        });
        self.set = Set::new(self.now, UNIX_EPOCH, 1);
        (self.filters, self.notices) = (Vec::new(), Vec::new());
        self.seq = self.cursor().map_or(0, |cursor| cursor.seq);
        self.copy = self.copies[&self.seq].clone();
        self.handle(Input::Apply { spec, resume });
        self.handle(Input::Acknowledged { id: id(), ticket: self.subscription, server: "server".into() });
    }

    fn apply(&mut self, step: Step) {
        match step {
            Step::Put(key, value) => _ = self.state.insert(key, value.into()),
            Step::Delete(key) => _ = self.state.remove(&key),
            Step::Read => self.handle(Input::Updated { id: id(), ticket: self.subscription }),
            Step::Answer => {
                if !self.filters.is_empty() {
                    let ticket = self.filters.remove(0);
                    let result = Ok(ticket.is_multiple_of(2).then(|| format!("told {ticket}")));
                    self.handle(Input::Filtered { id: id(), ticket, result });
                }
            }
            Step::Seen => {
                let seen = std::mem::take(&mut self.notices);
                self.handle(Input::Seen(seen));
            }
            Step::Pass(millis) => {
                let until = self.now + Duration::from_millis(millis);
                while let Some(wake) = self.set.next_wake().filter(|wake| *wake <= until) {
                    self.now = self.now.max(wake);
                    self.handle(Input::Wake);
                }
                self.now = until;
            }
            Step::Restart => self.start(),
        }
    }

    fn handle(&mut self, input: Input) {
        self.set.handle(self.now, input);
        while let Some(output) = self.set.poll() {
            match output {
                Output::Subscribe { ticket, .. } => self.subscription = ticket,
                Output::Read { ticket, .. } => {
                    let contents = Contents { mime: None, text: self.text() };
                    self.set.handle(self.now, Input::Read { id: id(), ticket, result: Ok(contents) });
                }
                Output::Check { id, ticket, .. } => {
                    self.set.handle(self.now, Input::Checked { id, ticket, result: Ok(()) });
                }
                Output::Filter { ticket, event, .. } => {
                    self.copy_event(&serde_json::from_str(&event).expect("an event is JSON"));
                    self.filters.push(ticket);
                }
                Output::Notice(notice) => self.notices.push(notice.number),
                Output::Status(status) => self.status = Some(status),
                Output::Unsubscribe(_)
                | Output::EndFilter(_)
                | Output::Delete(_)
                | Output::Restore(_)
                | Output::Log(_)
                | Output::Stopped => {}
            }
        }
    }

    fn cursor(&self) -> Option<Cursor> {
        self.status.as_ref()?.cursor.clone()
    }

    fn text(&self) -> String {
        if self.list {
            let items = self.state.iter().map(|(key, value)| serde_json::json!({"id": key, "v": value}));
            items.collect::<Value>().to_string()
        } else {
            self.state.clone().into_iter().collect::<Value>().to_string()
        }
    }

    fn copy_event(&mut self, event: &Value) {
        let key = event["key"].as_str().expect("a key").to_owned();
        let value = |value: &Value| if self.list { value["v"].clone() } else { value.clone() };
        let new = value(&event[if self.list { "item" } else { "new" }]);
        match event["type"].as_str() {
            Some("ADDED") => assert_eq!(self.copy.insert(key, new), None, "it was not there"),
            Some("MODIFIED") => assert_eq!(self.copy.insert(key, new), Some(value(&event["old"])), "it was so before"),
            Some("DELETED") => assert!(self.copy.remove(&key).is_some(), "it was there"),
            Some("CHANGED") if new.is_null() => _ = self.copy.remove(&key),
            Some("CHANGED") => _ = self.copy.insert(key, new),
            other => panic!("{other:?} is no difference between states"),
        }
        self.seq += 1;
        self.copies.insert(self.seq, self.copy.clone());
    }

    fn finish(&mut self) {
        self.apply(Step::Read);
        while !self.filters.is_empty() {
            self.apply(Step::Answer);
        }
        self.apply(Step::Pass(20_000));
        self.apply(Step::Seen);
        self.apply(Step::Pass(6_000));
        assert_eq!(self.copy, self.state, "the events make the state");
        let before = self.cursor();
        assert_eq!(before.as_ref().map(|cursor| cursor.seq), Some(self.seq), "all was seen");
        self.apply(Step::Restart);
        assert_eq!(self.filters, [] as [u64; 0], "once all was seen, a restart tells nothing");
        assert_eq!(self.cursor(), before);
    }
}

fn id() -> Id {
    Id::from("w")
}

proptest! {
    #[test]
    fn the_events_of_a_state_make_the_state(
        list in any::<bool>(),
        state in prop::collection::btree_map("[a-e]", (0_u8..3).prop_map(Value::from), 0..5),
        steps in prop::collection::vec(step(), 1..60),
    ) {
        let mut run = Run::new(list, state);
        for step in steps {
            run.apply(step);
        }
        run.finish();
    }
}
