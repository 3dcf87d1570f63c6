//! What happens of a day: resources change, servers fall ill, people speak, edit and stop things, processes die.

use std::time::Duration;

use asyncai_orchestrator as turns;
use asyncai_watch::{Id, Initial, Origin, Spec};

use crate::model::Mood;
use crate::resource::{Health, Resource, Sort};
use crate::store::Object;
use crate::world::{Answer, Happening, World};

const MINUTE: u64 = 60_000;
const HOUR: u64 = 60 * MINUTE;

impl World {
    /// What there is in the morning.
    pub(crate) fn dawn(&mut self) {
        let sorts = [
            ("kcp://log", Sort::Log(256), 0),
            ("kcp://small", Sort::Log(20), 0),
            ("seed://plain", Sort::Plain(64), 0),
            ("memo://list", Sort::List, 12),
            ("memo://object", Sort::Object, 30),
            ("memo://large", Sort::List, 500),
        ];
        self.resources = sorts.map(|(uri, sort, keys)| Resource::new(uri, sort, keys)).into();
        self.store.persistent = !self.chance.once_in(3);
        if self.chance.once_in(2) {
            self.settings.on_start = Some("Set up monitors.".to_owned());
        }
        self.settings.default_channel = self.chance.once_in(3).then(|| "ops".to_owned());
        self.most_watches = u32::try_from(self.chance.between(3, 9)).expect("a limit");
        for _ in 0..self.chance.between(3, 8) {
            self.make(Origin::Declared);
        }
        for place in 0..self.resources.len() {
            let delay = self.chance.about(10 * MINUTE);
            self.after(delay, Happening::Change(place));
            let delay = self.chance.about(4 * HOUR);
            self.after(delay, Happening::Trouble(place));
        }
        self.after(0, Happening::Start);
        for what in [Happening::Mood, Happening::Person, Happening::Setting, Happening::Edit, Happening::End] {
            let delay = self.chance.about(HOUR);
            self.after(delay, what);
        }
    }

    pub(crate) fn change(&mut self, place: usize) {
        // Each has its quiet hours.
        let quiet = (self.now / HOUR + place as u64).is_multiple_of(4);
        let (times, wait) = match self.chance.below(60) {
            0 => (self.chance.between(100, 1_500), 5 * MINUTE),
            // A flood.
            1 => (30, self.chance.between(50, 400)),
            2..=10 => (self.chance.between(2, 12), self.chance.about(4_000)),
            11 => (0, MINUTE),
            _ => (1, self.chance.about(4 * MINUTE)),
        };
        let resource = &mut self.resources[place];
        if times == 0 {
            resource.bookmark();
        } else {
            resource.change(if resource.is_log() { times } else { times.min(40) }, &mut self.chance);
        }
        self.announce(place);
        let wait = if quiet { wait.max(self.chance.about(40 * MINUTE)) } else { wait };
        self.after(wait, Happening::Change(place));
    }

    /// Every subscriber is told that the resource changed, unless it is about to be.
    fn announce(&mut self, place: usize) {
        let late = match self.resources[place].health {
            Health::Hangs => 60_000,
            Health::Slow => 15_000,
            Health::Up | Health::Refuses | Health::Down => 80,
        };
        for at in 0..self.resources[place].subscribers.len() {
            let delay = self.chance.between(1, late);
            let subscriber = &mut self.resources[place].subscribers[at];
            if !std::mem::replace(&mut subscriber.told, true) {
                let (id, ticket) = (subscriber.id.clone(), subscriber.ticket);
                self.later(delay, Answer::Updated { id, ticket });
            }
        }
    }

    pub(crate) fn trouble(&mut self, place: usize) {
        let kind = self.chance.below(8);
        self.trail(|| format!("trouble {kind} at {place}"));
        match kind {
            0 => self.resources[place].health = Health::Slow,
            1 => self.resources[place].health = Health::Hangs,
            2 => self.resources[place].health = Health::Refuses,
            3 => self.resources[place].lose(),
            4 => self.resources[place].restart(),
            5 => {}
            _ => self.resources[place].health = Health::Down,
        }
        if kind >= 4 {
            self.cut_off(place);
        } else {
            self.announce(place);
        }
        let delay = if self.chance.once_in(4) { self.chance.about(HOUR) } else { self.chance.about(MINUTE) };
        self.after(delay, Happening::Heal(place));
        let delay = delay + self.chance.about(3 * HOUR);
        self.after(delay, Happening::Trouble(place));
    }

    /// The subscriptions end, some of them only when somebody notices.
    fn cut_off(&mut self, place: usize) {
        for subscriber in std::mem::take(&mut self.resources[place].subscribers) {
            let delay =
                if self.chance.once_in(3) { self.chance.between(5_000, 45_000) } else { self.chance.between(1, 200) };
            self.later(delay, Answer::Ended { id: subscriber.id, ticket: subscriber.ticket });
        }
    }

    pub(crate) fn heal(&mut self, place: usize) {
        self.resources[place].health = Health::Up;
    }

    pub(crate) fn mood(&mut self) {
        self.model.mood = match self.chance.below(12) {
            0 => Mood::Slow,
            1 => Mood::Limited,
            2 => Mood::Shaky,
            3 => Mood::Refusing,
            4 => Mood::Gone,
            _ => Mood::Well,
        };
        let mood = self.model.mood;
        self.trail(|| format!("the model is {mood:?}"));
        let delay = if mood == Mood::Well { self.chance.about(2 * HOUR) } else { self.chance.about(15 * MINUTE) };
        self.after(delay, Happening::Mood);
    }

    pub(crate) fn person(&mut self) {
        if self.life.is_some() {
            let channel = self.chance.pick(&["ops", "dev", "console"]);
            let length = usize::try_from(self.chance.about(40)).expect("a length");
            let length = if self.chance.once_in(30) { length * 200 } else { length };
            let text = self.desk.ask(channel, length);
            self.trail(|| format!("> {channel}: {text:.12}"));
            self.feed_turns(turns::Input::User { channel: channel.to_owned(), text });
            self.drain();
        }
        let delay = if self.chance.once_in(3) { self.chance.about(MINUTE) } else { self.chance.about(HOUR) };
        self.after(delay, Happening::Person);
    }

    pub(crate) fn setting(&mut self) {
        // The settings of now are what the engine was told last.
        self.drain();
        let mut another_model = false;
        match self.chance.below(9) {
            0 => self.settings.max_turns_per_hour = u32::try_from(self.chance.between(1, 60)).expect("a limit"),
            1 => self.settings.max_tokens_per_day = self.chance.between(20_000, 3_000_000),
            2 => self.settings.suspend = true,
            3 => self.settings.relay = true,
            4 => self.most_watches = u32::try_from(self.chance.between(1, 9)).expect("a limit"),
            5 => self.settings.max_thread_bytes = self.chance.pick(&[12 << 10, 64 << 10, 256 << 10]),
            6 => {
                another_model = true;
                self.model.context = usize::try_from(self.chance.pick(&[20_000, 60_000, 300_000])).expect("a size");
            }
            _ => {
                (self.settings.suspend, self.settings.relay) = (false, false);
                (self.settings.max_turns_per_hour, self.settings.max_tokens_per_day) = (60, 2_000_000);
            }
        }
        // What has an end is not to last all day.
        let brief = self.settings.suspend || self.settings.relay || self.settings.max_turns_per_hour < 10;
        let delay = self.chance.about(if brief { 20 * MINUTE } else { 2 * HOUR });
        self.after(delay, Happening::Setting);
        if self.life.is_some() {
            self.trail(|| "> settings".to_owned());
            self.configure(another_model);
            self.drain();
        }
    }

    pub(crate) fn edit(&mut self) {
        let delay = self.chance.about(40 * MINUTE);
        self.after(delay, Happening::Edit);
        let ids: Vec<Id> = self.store.objects.keys().cloned().collect();
        if ids.len() < 2 || (ids.len() < 8 && self.chance.once_in(5)) {
            return self.make(Origin::Declared);
        }
        let at = usize::try_from(self.chance.below(ids.len() as u64)).expect("an index");
        let id = ids[at].clone();
        let what = self.chance.below(9);
        if what == 0 {
            return self.remove(&id);
        }
        if what == 1 {
            return self.later(1, Answer::Recheck);
        }
        self.made += 1;
        let uri = self.some_uri();
        let source = self.made;
        let seconds = self.chance.pick(&[1, 3, 10]);
        let most = u32::try_from(self.chance.pick(&[2, 10, 60])).expect("a limit");
        let Some(object) = self.store.objects.get_mut(&id) else { return };
        let spec = &mut object.spec;
        match what {
            2 | 3 if spec.filter.is_some() => spec.filter = Some(format!("filter {source}").into()),
            4 => spec.uri = uri,
            5 => spec.suspend = true,
            6 => spec.debounce = Duration::from_secs(seconds),
            7 => spec.max_notices_per_hour = most,
            _ => spec.suspend = false,
        }
        spec.generation += 1;
        self.tell(id);
    }

    /// A Watch is made; the model's are of the same kinds.
    fn make(&mut self, origin: Origin) {
        self.made += 1;
        let name = format!("w{}", self.made);
        let filter = self.chance.once_in(2).then(|| format!("filter {}", self.made).into());
        let most = u32::try_from(self.chance.pick(&[5, 20, 60])).expect("a limit");
        let spec = Spec {
            id: Id::from(name.as_str()),
            uri: self.some_uri(),
            name,
            server: None,
            filter,
            origin,
            instructions: None,
            initial: if self.chance.once_in(4) { Initial::Deliver } else { Initial::Skip },
            debounce: Duration::from_secs(3),
            max_wait: Duration::from_secs(15),
            max_notices_per_hour: most,
            suspend: false,
            generation: 1,
            created: i64::try_from(self.now / 1_000).expect("a time"),
        };
        let id = spec.id.clone();
        self.store.objects.insert(id.clone(), Object::new(spec));
        self.tell(id);
    }

    /// Code of the model starts a watch.
    pub(crate) fn model_starts(&mut self) {
        if self.store.objects.len() < 9 {
            self.make(Origin::Model);
            let id = Id::from(format!("w{}", self.made));
            if let Some(life) = &mut self.life {
                life.starting.insert(id);
            }
        }
    }

    pub(crate) fn remove(&mut self, id: &Id) {
        self.store.objects.remove(id);
        let delay = self.chance.between(1, 300);
        self.later(delay, Answer::Gone(id.clone()));
    }

    fn tell(&mut self, id: Id) {
        let delay = self.chance.between(1, 300);
        self.later(delay, Answer::Apply(id));
    }

    fn some_uri(&mut self) -> String {
        let place = usize::try_from(self.chance.below(self.resources.len() as u64)).expect("an index");
        self.resources[place].uri.clone()
    }

    pub(crate) fn end(&mut self) {
        let delay = self.chance.about(3 * HOUR);
        self.after(delay, Happening::End);
        let kind = self.chance.below(4);
        let fuse = u32::try_from(self.chance.about(400)).expect("a count");
        if let Some(life) = &mut self.life {
            match kind {
                0 | 1 if !life.stopping => {
                    self.trail(|| "> stop".to_owned());
                    self.stop();
                }
                // Somewhere between two things that it does.
                2 => life.fuse = Some(fuse),
                _ => self.crash(),
            }
        }
    }
}
