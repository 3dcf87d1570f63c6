//! Tests of how fast lines are said.

use super::*;

#[test]
fn a_burst_goes_at_once_and_then_one_a_second() {
    let start = Instant::now() + Duration::from_mins(1);
    let mut bucket = Bucket::new(start);
    let mut now = start;
    let waits = (0..8).map(|_| {
        now = now.max(bucket.ready());
        bucket.take(now);
        (now - start).as_secs()
    });
    assert_eq!(waits.collect::<Vec<_>>(), [0, 0, 0, 0, 0, 1, 2, 3]);
    let later = now + Duration::from_secs(2);
    assert!(bucket.ready() <= later, "silence fills it again");
}
