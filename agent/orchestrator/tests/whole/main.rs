//! Days of the whole agent in simulated time: both engines, joined as the agent joins them, among servers that fail, a
//! model with moods, people who speak and edit, and processes that die. One seed is one day.
//!
//! `ASYNCAI_SEEDS=1000` runs so many days, `ASYNCAI_SEED=7` that one alone.

#![expect(clippy::disallowed_methods, clippy::expect_used, reason = "a test may fail, and starts at any time")]
#![expect(clippy::similar_names, reason = "a line has a time, a list its last")]

mod chance;
mod desk;
mod ledger;
mod life;
mod links;
mod model;
mod people;
mod reader;
mod resource;
mod store;
mod world;

use std::thread;

use crate::world::{Tally, World};

/// Days that every run of the tests sees.
const SEEDS: u64 = 60;

#[test]
fn every_day_keeps_the_promises() {
    let number = |name| std::env::var(name).ok().map(|text| text.parse::<u64>().expect("a number"));
    let seeds: Vec<u64> = match number("ASYNCAI_SEED") {
        Some(seed) => vec![seed],
        None => (0..number("ASYNCAI_SEEDS").unwrap_or(SEEDS)).collect(),
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let tallies: Vec<Tally> = thread::scope(|scope| {
        let run = |from: usize| {
            let mine: Vec<u64> = seeds.iter().copied().skip(from).step_by(threads).collect();
            scope.spawn(move || mine.into_iter().map(|seed| World::new(seed).run()).collect::<Vec<_>>())
        };
        let running: Vec<_> = (0..threads).map(run).collect();
        running.into_iter().flat_map(|days| days.join().expect("a day that keeps them")).collect()
    });
    let total = Tally::sum(&tallies);
    println!("{} days: {total:?}", tallies.len());
    if tallies.len() >= 20 {
        total.check();
    }
}
