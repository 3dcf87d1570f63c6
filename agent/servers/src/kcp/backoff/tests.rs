//! Delays grow and are bounded.

use super::*;

#[test]
fn delays_double_up_to_a_minute_and_start_anew() {
    let mut backoff = Backoff::default();
    let seconds: Vec<u64> = (0..8).map(|_| backoff.next(0.5).as_secs()).collect();
    assert_eq!(seconds, [1, 2, 4, 8, 16, 32, 60, 60]);
    backoff.reset();
    assert_eq!(backoff.next(0.5), FIRST);
}

#[test]
fn the_spread_is_a_quarter_each_way() {
    let mut backoff = Backoff::default();
    assert_eq!(backoff.next(0.0), Duration::from_millis(750));
    assert_eq!(backoff.next(1.0), Duration::from_millis(2500));
}
