//! Tests of the log of a child's stderr.

use super::{LAST_WORDS, LINE, LastWords, log};

async fn last_words(stderr: &[u8]) -> String {
    let last = LastWords::default();
    log("s".to_owned(), stderr, last.clone()).await;
    last.explain("")
}

#[tokio::test]
async fn the_last_line_that_says_something_is_kept() {
    assert_eq!(last_words(b"one\ntwo\n\n  \n").await, ": two");
    assert_eq!(last_words(b"one\nunfinished").await, ": unfinished");
    assert_eq!(last_words(b"").await, "");
}

#[tokio::test]
async fn a_line_without_end_is_cut() {
    let endless = vec![b'x'; 100 * LINE];
    let words = last_words(&endless).await;
    assert_eq!(words.len(), ": ".len() + LAST_WORDS);
    let mut then = endless;
    then.extend(b"\nnext\n");
    assert_eq!(last_words(&then).await, ": next");
}
