//! Hostile Python: whatever it does, it ends in an error in time, and the same filter and session work again.

use std::time::{Duration, Instant};

use asyncai_repl::{Filter, Limits, Session};
use futures::stream::{self, StreamExt as _};

use crate::snippets::snippets;
use crate::{Echo, catalogue, program};

/// How many run at the same time.
const TOGETHER: usize = 2;
const WALL: Duration = Duration::from_secs(2);
/// How long after the deadline an error may come.
const LATE: Duration = Duration::from_millis(500);

fn filter(source: &str, wall: Duration) -> Filter {
    Filter::new(source, Limits { program: program(), wall, ..Limits::filter() })
}

/// The part of a source that is shown.
fn head(source: &str) -> String {
    source.chars().take(70).collect::<String>().replace('\n', "\\n")
}

fn judge(source: &str, ends: &str, error: Option<String>, took: Duration, start: Duration) -> Option<String> {
    let head = head(source);
    let Some(error) = error else { return Some(format!("{head}: no error")) };
    if busy() {
        // Anything may take too long then; how it ends is still looked at, but for that.
        let as_said = ends.split('|').chain(["stopped after"]).any(|word| error.contains(word));
        return (!as_said).then(|| format!("{head}: not {ends}: {error}"));
    }
    if took > WALL + LATE + start {
        return Some(format!("{head}: took {took:?}, starting takes {start:?}: {error}"));
    }
    if ends.split('|').any(|word| error.contains(word)) { None } else { Some(format!("{head}: not {ends}: {error}")) }
}

/// Whether so much else runs on this machine that no time can be judged.
fn busy() -> bool {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load: f64 = load.split_whitespace().next().and_then(|load| load.parse().ok()).unwrap_or_default();
    let cores = std::thread::available_parallelism().ok().and_then(|cores| u32::try_from(cores.get()).ok());
    load > 3.0 * f64::from(cores.unwrap_or(1))
}

/// How long it takes to start a worker now, on this machine.
async fn start() -> Duration {
    let begun = Instant::now();
    let mut filter = filter("1", Duration::from_mins(1));
    assert_eq!(filter.event("{}", &catalogue(), &Echo).await, Ok(Some("1".to_owned())));
    begun.elapsed()
}

async fn as_filter(source: &str, ends: &str) -> Option<String> {
    let start = start().await;
    let mut filter = filter(source, WALL);
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
    let mut session = Session::new(Limits { program: program(), source: 64 << 10, ..Limits::filter() });
    let begun = Instant::now();
    let outcome = session.run(source, &catalogue(), &Echo).await;
    let wrong = judge(source, ends, outcome.error.clone(), begun.elapsed(), start);
    let mut after = session.run("40 + 2", &catalogue(), &Echo).await;
    while after.lost && busy() {
        after = session.run("40 + 2", &catalogue(), &Echo).await;
    }
    let again = (after.value.as_deref() != Some("42") || !after.text().starts_with("42\n\nnames: "))
        .then(|| format!("{}: afterwards {after:?}", head(source)));
    let room = (outcome.text().len() > 16 << 10).then(|| format!("{}: {} bytes", head(source), outcome.text().len()));
    wrong.or(again).or(room)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
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
