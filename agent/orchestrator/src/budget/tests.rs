//! Tests of the account.

use super::*;

const NOON: Duration = Duration::from_secs(20_000 * DAY_SECONDS + DAY_SECONDS / 2);

/// A budget at noon, and a clock that counts minutes from then.
fn budget(used: Usage) -> (Budget, impl Fn(u64) -> Instant) {
    // Any moment will do: only distances matter.
    #[expect(clippy::disallowed_methods, reason = "an Instant cannot be made otherwise")]
    let noon = Instant::now();
    let minute = move |minutes: u64| noon + Duration::from_secs(60 * minutes);
    (Budget::new(noon, SystemTime::UNIX_EPOCH + NOON, used), minute)
}

/// A turn of one reply.
fn spend(budget: &mut Budget, now: Instant, began: Instant, tokens: Tokens) -> Usage {
    budget.spend(now, tokens);
    budget.count_turn(now, began);
    budget.usage()
}

fn config(turns: u32, tokens: u64) -> Config {
    Config { max_turns_per_hour: turns, max_tokens_per_day: tokens, ..Config::default() }
}

fn tokens(prompt: u64, completion: u64) -> Tokens {
    Tokens { prompt, completion }
}

#[test]
fn the_hour_slides() {
    let (mut budget, minute) = budget(Usage::default());
    let config = config(2, 1000);
    spend(&mut budget, minute(0), minute(0), tokens(1, 0));
    assert_eq!(budget.blocked(minute(29), &config), None);
    spend(&mut budget, minute(30), minute(30), tokens(1, 0));
    let (throttle, until) = budget.blocked(minute(40), &config).expect("two turns are spent");
    assert_eq!(throttle.limit, Limit::TurnsPerHour(2));
    assert_eq!(until, Some(minute(60)));
    assert_eq!(throttle.until, Some(SystemTime::UNIX_EPOCH + NOON + HOUR));
    assert_eq!(budget.blocked(minute(60), &config), None);
}

#[test]
fn a_lowered_limit_counts_what_was_spent_before() {
    let (mut budget, minute) = budget(Usage::default());
    for at in [0, 10, 20] {
        spend(&mut budget, minute(at), minute(at), Tokens::default());
    }
    let until = |budget: &mut Budget, turns| budget.blocked(minute(30), &config(turns, 1000)).map(|(_, until)| until);
    assert_eq!(until(&mut budget, 4), None);
    assert_eq!(until(&mut budget, 3), Some(Some(minute(60))));
    assert_eq!(until(&mut budget, 1), Some(Some(minute(80))));
    assert_eq!(until(&mut budget, 0), Some(None));
}

#[test]
fn the_day_ends_at_midnight() {
    let (mut budget, minute) = budget(Usage { day: 20_000, turns: 7, tokens: 900 });
    assert_eq!(budget.blocked(minute(0), &config(60, 1000)), None);
    let usage = spend(&mut budget, minute(1), minute(0), tokens(90, 10));
    assert_eq!(usage, Usage { day: 20_000, turns: 8, tokens: 1000 });
    let (throttle, until) = budget.blocked(minute(1), &config(60, 1000)).expect("the tokens are spent");
    assert_eq!((throttle.limit, until), (Limit::TokensPerDay(1000), Some(minute(12 * 60))));
    assert_eq!(budget.blocked(minute(12 * 60), &config(60, 1000)), None);
    let usage = spend(&mut budget, minute(12 * 60), minute(12 * 60), tokens(1, 1));
    assert_eq!(usage, Usage { day: 20_001, turns: 1, tokens: 2 });
}

#[test]
fn what_was_used_on_another_day_does_not_count() {
    let (mut budget, minute) = budget(Usage { day: 19_999, turns: 7, tokens: 5000 });
    assert_eq!(budget.blocked(minute(0), &config(60, 1000)), None);
}

#[test]
fn no_tokens_at_all_is_for_ever() {
    let (mut budget, minute) = budget(Usage::default());
    let (throttle, until) = budget.blocked(minute(0), &config(60, 0)).expect("none are allowed");
    assert_eq!((throttle.until, until), (None, None));
}

#[test]
fn the_next_day_begins_at_one_moment_whenever_it_is_asked_for() {
    let (mut budget, minute) = budget(Usage { day: 20_000, turns: 0, tokens: 1000 });
    let first = budget.blocked(minute(1) + Duration::from_millis(100), &config(60, 1000));
    let later = budget.blocked(minute(2) + Duration::from_millis(700), &config(60, 1000));
    assert_eq!(first, later, "a throttle that differs would be told anew");
}
