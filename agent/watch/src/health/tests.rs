//! Delays and what is told; the rules in full are among the transcripts.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use super::{Health, LONGEST, Random, delay};

#[expect(clippy::disallowed_methods, reason = "any time will do")]
fn now() -> Instant {
    Instant::now()
}

#[test]
fn after_five_attempts_the_delay_is_spread_below_a_minute() {
    let mut seen = HashSet::new();
    for seed in 0..200 {
        let mut random = Random::new(seed);
        for attempt in 7..20 {
            let delay = delay(attempt, &mut random);
            assert!(delay >= LONGEST / 2 && delay <= LONGEST, "{delay:?}");
            seen.insert(delay.as_secs());
        }
    }
    assert!(seen.len() > 25, "all of the range is used: {seen:?}");
}

#[test]
fn attempts_do_not_overflow() {
    let (mut health, mut random) = (Health::default(), Random::new(1));
    health.attempt = u32::MAX - 1;
    for _ in 0..3 {
        assert!(health.down(now(), false, &mut random).delay <= LONGEST);
    }
    assert_eq!(health.attempts_made(), 5);
}

#[test]
fn an_answer_in_the_first_start_is_told_once() {
    let (mut health, mut random) = (Health::default(), Random::new(1));
    let now = now();
    let told: Vec<bool> = (0..8).map(|_| health.down(now, true, &mut random).tell).collect();
    assert_eq!(told, [true, false, false, false, false, false, false, false]);
    assert!(health.up(now + Duration::from_secs(9)));
}
