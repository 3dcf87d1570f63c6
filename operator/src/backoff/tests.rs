//! Waits grow up to a bound, for each object by itself.

use super::{Backoff, FIRST, LONGEST};

#[test]
fn waits_double_up_to_five_minutes() {
    let backoff = Backoff::default();
    let waits: Vec<_> = (0..64).map(|_| backoff.failed("a")).collect();
    assert!(waits[0] >= FIRST / 2 && waits[0] <= FIRST);
    assert!(waits.windows(2).all(|w| w[1] == w[0] * 2 || w[1] >= LONGEST / 2), "{waits:?}");
    assert!(waits.iter().all(|w| *w <= LONGEST));
}

#[test]
fn objects_do_not_share_their_failures_and_success_starts_anew() {
    let backoff = Backoff::default();
    let first = backoff.failed("a");
    backoff.failed("a");
    assert!(backoff.failed("b") <= FIRST);
    backoff.forget(&"a");
    assert_eq!(backoff.failed("a"), first);
}
