//! Hostile Python: whatever it does, it ends in an error in time, and the same filter and session work again.

use std::time::{Duration, Instant};

use asyncai_repl::{Filter, Limits, Session};
use futures::stream::{self, StreamExt as _};

use crate::snippets::snippets;
use crate::{Echo, catalogue, program};

/// How many run at the same time.
const TOGETHER: usize = 4;
const WALL: Duration = Duration::from_secs(2);
/// How long after the deadline an error may come.
const LATE: Duration = Duration::from_millis(500);

fn limits(limits: Limits) -> Limits {
    Limits { program: program(), wall: WALL, ..limits }
}

/// The part of a source that is shown.
fn head(source: &str) -> String {
    source.chars().take(70).collect::<String>().replace('\n', "\\n")
}

fn judge(source: &str, ends: &str, error: Option<String>, took: Duration, start: Duration) -> Option<String> {
    let head = head(source);
    let Some(error) = error else { return Some(format!("{head}: no error")) };
    if took > WALL + LATE + start {
        return Some(format!("{head}: took {took:?}, starting takes {start:?}: {error}"));
    }
    if ends.split('|').any(|word| error.contains(word)) { None } else { Some(format!("{head}: not {ends}: {error}")) }
}

/// How long it takes to start a worker now, on this machine.
async fn start() -> Duration {
    let begun = Instant::now();
    let mut filter = Filter::new("1", limits(Limits::filter()));
    assert_eq!(filter.event("{}", &catalogue(), &Echo).await, Ok(Some("1".to_owned())));
    begun.elapsed()
}

async fn as_filter(source: &str, ends: &str) -> Option<String> {
    let start = start().await;
    let mut filter = Filter::new(source, limits(Limits::filter()));
    let begun = Instant::now();
    let error = filter.event("{}", &catalogue(), &Echo).await.err();
    let wrong = judge(source, ends, error.map(|error| error.to_string()), begun.elapsed(), start);
    // The same again: no worse than at first.
    let begun = Instant::now();
    let error = filter.event("{}", &catalogue(), &Echo).await.err();
    wrong.or(judge(source, ends, error.map(|error| error.to_string()), begun.elapsed(), start))
}

async fn as_code(source: &str, ends: &str) -> Option<String> {
    let start = start().await;
    let mut session = Session::new(Limits { calls: 10, memory: 64 << 20, ..limits(Limits::code()) });
    let begun = Instant::now();
    let outcome = session.run(source, &catalogue(), &Echo).await;
    let wrong = judge(source, ends, outcome.error.clone(), begun.elapsed(), start);
    let after = session.run("40 + 2", &catalogue(), &Echo).await;
    let again = (after.value.as_deref() != Some("42") || !after.text().starts_with("42\n\nnames: "))
        .then(|| format!("{}: afterwards {after:?}", head(source)));
    let room = (outcome.text().len() > 16 << 10).then(|| format!("{}: {} bytes", head(source), outcome.text().len()));
    wrong.or(again).or(room)
}

#[tokio::test]
async fn every_filter_ends_in_an_error_in_time() {
    let all = snippets();
    assert!(all.len() >= 60, "{}", all.len());
    let wrong: Vec<String> = stream::iter(&all)
        .map(|(source, ends)| as_filter(source, ends))
        .buffer_unordered(TOGETHER)
        .filter_map(|wrong| async { wrong })
        .collect()
        .await;
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), all.len(), wrong.join("\n"));
}

#[tokio::test]
async fn every_run_ends_in_an_error_in_time_and_the_session_goes_on() {
    let all = snippets();
    let wrong: Vec<String> = stream::iter(&all)
        .map(|(source, ends)| as_code(source, ends))
        .buffer_unordered(TOGETHER)
        .filter_map(|wrong| async { wrong })
        .collect()
        .await;
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), all.len(), wrong.join("\n"));
}
