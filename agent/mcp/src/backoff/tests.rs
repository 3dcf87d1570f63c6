//! Tests of delays.

use std::time::Duration;

use super::Backoff;

#[test]
fn delays_double_up_to_a_minute() {
    let mut backoff = Backoff::default();
    for full in [1, 2, 4, 8, 16, 32, 60, 60] {
        let full = Duration::from_secs(full);
        let delay = backoff.failed();
        assert!(full / 2 <= delay && delay <= full, "{delay:?} of {full:?}");
    }
    backoff.reset();
    assert!(backoff.failed() <= Duration::from_secs(1));
}
