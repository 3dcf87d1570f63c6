//! Transcripts of the engine: what goes in (`>`), and what comes out of it (`<`).

use super::*;

mod model;
mod records;
mod rounds;
mod transcript;

use transcript::{check, check_log};

fn setup() -> Config {
    Config { default_channel: Some("#all".into()), system_prompt: "sys".into(), ..Config::default() }
}

#[test]
fn input_makes_a_run_and_its_reply_goes_where_it_came_from() {
    check(
        &setup(),
        "
0 > start
1 > user #ops what is new?
  < call 1 [sys] [u what is new?]
2 > reply 1 Nothing.
  < publish #ops: Nothing.
  < usage turns=1 tokens=2
",
    );
}

#[test]
fn a_notice_goes_through_the_same_rule_and_is_seen_when_its_turn_has_ended() {
    check(
        &setup(),
        "
0 > start
1 > notice 7 cm: added default/a
  < call 1 [sys] [u <cm added default/a>]
2 > reply 1 `a` appeared.
  < publish #all: `a` appeared.
  < usage turns=1 tokens=2
  < seen 7
",
    );
}

#[test]
fn notices_during_a_run_make_one_run_more() {
    check(
        &setup(),
        "
0 > start
1 > user #ops hello
  < call 1 [sys] [u hello]
2 > notice 1 cm: added default/a
2 > notice 2 cm: added default/b
2 > notice 3 pods: DELETED default/p
3 > reply 1 Hi.
  < publish #ops: Hi.
  < usage turns=1 tokens=2
  < call 2 [sys] [u hello] [a Hi.] [u <cm added default/a>] [u <cm added default/b>] [u <pods DELETED default/p>]
4 > reply 2 Three changes.
  < publish #ops: Three changes.
  < usage turns=2 tokens=4
  < seen 1 2 3
",
    );
}

#[test]
fn a_run_claims_all_input_and_replies_to_the_latest_channel() {
    check(
        &setup(),
        "
0 > start
1 > user #ops one
  < call 1 [sys] [u one]
1 > user #dev two
1 > notice 1 cm: added default/a
1 > user #qa three
1 > notice 2 cm: added default/b
2 > reply 1 First.
  < publish #ops: First.
  < usage turns=1 tokens=2
  < call 2 [sys] [u one] [a First.] [u two] [u <cm added default/a>] [u three] [u <cm added default/b>]
3 > reply 2 All.
  < publish #qa: All.
  < usage turns=2 tokens=4
  < seen 1 2
",
    );
}

#[test]
fn notices_go_to_the_channel_that_addressed_the_agent_last() {
    check(
        &setup(),
        "
0 > start
0 > notice 1 cm: a
  < call 1 [sys] [u <cm a>]
0 > reply 1 A.
  < publish #all: A.
  < usage turns=1 tokens=2
  < seen 1
1 > user #ops hello
  < call 2 [sys] [u <cm a>] [a A.] [u hello]
1 > reply 2 NO_REPLY
  < usage turns=2 tokens=4
2 > notice 2 cm: b
  < call 3 [sys] [u <cm a>] [a A.] [u hello] [a NO_REPLY] [u <cm b>]
2 > reply 3 B.
  < publish #ops: B.
  < usage turns=3 tokens=6
  < seen 2
",
    );
}

#[test]
fn a_private_message_is_answered_there_and_draws_no_notices() {
    check(
        &setup(),
        "
0 > start
0 > user ops/bob psst
  < call 1 [sys] [u psst]
0 > reply 1 Yes?
  < publish ops/bob: Yes?
  < usage turns=1 tokens=2
1 > notice 1 cm: a
  < call 2 [sys] [u psst] [a Yes?] [u <cm a>]
1 > reply 2 A.
  < publish #all: A.
  < usage turns=2 tokens=4
  < seen 1
2 > user #ops hello
  < call 3 [sys] [u psst] [a Yes?] [u <cm a>] [a A.] [u hello]
2 > reply 3 NO_REPLY
  < usage turns=3 tokens=6
3 > user api/7 status?
  < call 4 [sys] [u psst] [a Yes?] [u <cm a>] [a A.] [u hello] [a NO_REPLY] [u status?]
3 > reply 4 Fine.
  < publish api/7: Fine.
  < usage turns=4 tokens=8
4 > notice 2 cm: b
  < call 5 [sys] [u psst] [a Yes?] [u <cm a>] [a A.] [u hello] [a NO_REPLY] [u status?] [a Fine.] [u <cm b>]
4 > reply 5 B.
  < publish #ops: B.
  < usage turns=5 tokens=10
  < seen 2
",
    );
}

#[test]
fn without_channels_replies_are_published_to_none() {
    check(
        &Config::default(),
        "
0 > start
0 > notice 1 cm: a
  < call 1 [u <cm a>]
0 > reply 1 A.
  < publish -: A.
  < usage turns=1 tokens=2
  < seen 1
",
    );
}

#[test]
fn no_reply_publishes_nothing_and_the_notice_is_seen() {
    check_log(
        &setup(),
        r##"
0 > start
0 > notice 1 cm: a
  < log main.system.notice_stream {"source":"cm","number":1}
  < log new_thread_run_created {"run":1,"channel":"#all","inputs":0,"notices":[1]}
  < call 1 [sys] [u <cm a>]
1 > reply 1 That is nothing new.\nNO_REPLY
  < log reply.suppressed {"run":1}
  < log run.completed {"run":1,"rounds":1,"promptTokens":1,"completionTokens":1}
  < usage turns=1 tokens=2
  < seen 1
"##,
    );
}

#[test]
fn a_cut_reply_says_so() {
    check(
        &setup(),
        r"
0 > start
0 > user #ops report
  < call 1 [sys] [u report]
1 > cut 1 The first part
  < publish #ops: The first part\n[reply cut at the token limit]
  < usage turns=1 tokens=2
2 > user #ops go on
  < call 2 [sys] [u report] [a The first part] [u go on]
",
    );
}

#[test]
fn on_start_is_the_first_turn_and_takes_in_what_came_before() {
    let config = Config { on_start: Some("set up monitors".into()), ..setup() };
    check(
        &config,
        "
0 > notice 1 restore: cm failed
0 > user #ops hello
1 > start
  < call 1 [sys] [u set up monitors] [u <restore cm failed>] [u hello]
2 > reply 1 Two watches.
  < publish #ops: Two watches.
  < usage turns=1 tokens=2
  < seen 1
3 > start
",
    );
}

#[test]
fn relay_publishes_each_line_and_needs_no_start() {
    check(
        &Config { relay: true, on_start: Some("ignored".into()), ..setup() },
        "
0 > notice 1 cm: added a; added b x2 +3
  < publish #all: cm: added a
  < publish #all: cm: added b x2
  < publish #all: cm: +3 more
  < seen 1
1 > start
2 > user #ops hello
  < publish #ops: I relay notices; there is no model to answer.
3 > notice 2 cm: added c
  < publish #ops: cm: added c
  < seen 2
",
    );
}

#[test]
fn the_hourly_limit_merges_what_comes_into_one_later_run() {
    check(
        &Config { max_turns_per_hour: 1, ..setup() },
        "
0 > start
0 > notice 1 cm: a
  < call 1 [sys] [u <cm a>]
10 > reply 1 NO_REPLY
  < usage turns=1 tokens=2
  < seen 1
20 > notice 2 cm: b
  < throttled turns/h 1 for 3580
  < wake 3600
30 > notice 3 cm: c
1800 > user #ops hello?
  < publish #ops: my limit of 1 turns an hour is reached; I answer in 30 min.
1900 > user #ops hello??
3600 > wake
  < throttled no more
  < call 2 [sys] [u <cm a>] [a NO_REPLY] [u <cm b>] [u <cm c>] [u hello?] [u hello??]
  < wake never
3601 > reply 2 Yes.
  < publish #ops: Yes.
  < usage turns=2 tokens=4
  < seen 2 3
",
    );
}

#[test]
fn the_daily_limit_ends_at_midnight() {
    check(
        &Config { max_tokens_per_day: 2, ..setup() },
        "
0 > start
0 > notice 1 cm: a
  < call 1 [sys] [u <cm a>]
0 > reply 1 NO_REPLY
  < usage turns=1 tokens=2
  < seen 1
0 > notice 2 cm: b
  < throttled tokens/day 2 for 43200
  < wake 43200
43200 > wake
  < throttled no more
  < call 2 [sys] [u <cm a>] [a NO_REPLY] [u <cm b>]
  < wake never
43200 > reply 2 NO_REPLY
  < usage turns=1 tokens=2
  < seen 2
",
    );
}

#[test]
fn a_raised_limit_counts_at_once() {
    check(
        &Config { max_turns_per_hour: 0, ..setup() },
        "
0 > start
0 > user #ops hello
  < throttled turns/h 0 for ever
  < publish #ops: my limit of 0 turns an hour is reached; I cannot answer before it is raised.
1 > config turns=60
  < throttled no more
  < call 1 [sys] [u hello]
",
    );
}

#[test]
fn what_comes_while_suspended_is_told_on_resume() {
    check(
        &setup(),
        "
0 > start
0 > user #ops hello
  < call 1 [sys] [u hello]
1 > config suspend=true
2 > reply 1 Hi.
  < publish #ops: Hi.
  < usage turns=1 tokens=2
3 > notice 1 cm: a
4 > notice 2 cm: b
5 > config suspend=false
  < call 2 [sys] [u hello] [a Hi.] [u <cm a>] [u <cm b>]
",
    );
}

#[test]
fn a_failed_run_is_tried_again_with_what_came_since() {
    check(
        &setup(),
        "
0 > start
0 > notice 1 cm: a
  < call 1 [sys] [u <cm a>]
1 > fail 1 transient 503
  < wake 2
1 > notice 2 cm: b
2 > wake
  < call 2 [sys] [u <cm a>] [u <cm b>]
  < wake never
3 > fail 2 transient 503
  < wake 5
5 > wake
  < call 3 [sys] [u <cm a>] [u <cm b>]
  < wake never
6 > reply 3 A and B.
  < publish #all: A and B.
  < usage turns=1 tokens=2
  < seen 1 2
",
    );
}

#[test]
fn who_asked_is_told_once_that_the_model_fails() {
    check(
        &setup(),
        "
0 > start
0 > user #ops a
  < call 1 [sys] [u a]
1 > fail 1 transient 503
  < publish #ops: The model does not answer, I keep trying: 503
  < wake 2
2 > wake
  < call 2 [sys] [u a]
  < wake never
3 > fail 2 transient 503
  < wake 5
",
    );
}

#[test]
fn an_endpoint_gets_the_time_it_asks_for() {
    check(
        &setup(),
        "
0 > start
0 > notice 1 cm: a
  < call 1 [sys] [u <cm a>]
0 > fail 1 after=700 429
  < wake 700
699 > wake
700 > wake
  < call 2 [sys] [u <cm a>]
  < wake never
",
    );
}

#[test]
fn a_model_that_stays_away_is_given_up_and_the_news_told_as_it_is() {
    check(
        &setup(),
        "
0 > start
0 > notice 1 cm: added a; added b +3
  < call 1 [sys] [u <cm added a; added b>]
0 > user #ops hello
1 > fail 1 refused 401 wrong key
  < wake 2
2 > wake
  < call 2 [sys] [u <cm added a; added b>] [u hello]
  < wake never
2 > fail 2 refused 401 wrong key
  < wake 4
4 > wake
  < call 3 [sys] [u <cm added a; added b>] [u hello]
  < wake never
5 > notice 2 cm: later
5 > fail 3 refused 401 wrong key
  < publish #ops: I cannot answer, the model failed: 401 wrong key
  < publish #ops: cm: added a
  < publish #ops: cm: added b
  < publish #ops: cm: +3 more
  < seen 1
  < call 4 [sys] [u <cm later>]
",
    );
}

#[test]
fn failures_in_a_row_are_counted_anew_after_a_reply() {
    let mut script = vec!["0 > start\n0 > notice 1 cm: a\n  < call 1 [u <cm a>]".to_owned()];
    let mut at = 0;
    for (run, delay) in [(1, 1), (2, 2), (3, 4), (4, 8), (5, 16), (6, 32), (7, 60)] {
        script.push(format!("{at} > fail {run} transient 503\n  < wake {}", at + delay));
        at += delay;
        script.push(format!("{at} > wake\n  < call {} [u <cm a>]\n  < wake never", run + 1));
    }
    script.push(format!("{at} > reply 8 NO_REPLY\n  < usage turns=1 tokens=2\n  < seen 1"));
    script.push(format!("{at} > notice 2 cm: b\n  < call 9 [u <cm a>] [a NO_REPLY] [u <cm b>]"));
    script.push(format!("{at} > fail 9 transient 503\n  < wake {}\n", at + 1));
    check(&Config::default(), &script.join("\n"));
}

#[test]
fn an_unreachable_model_is_given_up_after_eight_attempts() {
    let mut script = vec!["0 > start\n0 > notice 1 cm: a\n  < call 1 [u <cm a>]".to_owned()];
    let mut at = 0;
    for (run, delay) in (1..8).zip([1, 2, 4, 8, 16, 32, 60]) {
        script.push(format!("{at} > fail {run} transient 503\n  < wake {}", at + delay));
        at += delay;
        script.push(format!("{at} > wake\n  < call {} [u <cm a>]\n  < wake never", run + 1));
    }
    script.push(format!("{at} > fail 8 transient 503\n  < publish -: The model failed: 503\n  < publish -: cm: a"));
    script.push("  < seen 1\n".to_owned());
    check(&Config::default(), &script.join("\n"));
}

#[test]
fn another_model_is_tried_at_once() {
    check(
        &setup(),
        "
0 > start
0 > notice 1 cm: a
  < call 1 [sys] [u <cm a>]
1 > fail 1 after=3000 429
  < wake 3001
2 > config turns=50
3 > model-changed
  < call 2 [sys] [u <cm a>]
  < wake never
",
    );
}

#[test]
fn a_conversation_too_long_is_shortened_and_goes_on() {
    let long = "x".repeat(2000);
    let script = format!(
        "
0 > start
0 > user #ops {long}
  < call 1 [sys] [u {long}]
0 > reply 1 Read.
  < publish #ops: Read.
  < usage turns=1 tokens=2
1 > user #ops and {long}
  < call 2 [sys] [u {long}] [a Read.] [u and {long}]
2 > fail 2 too-long 4000 tokens
  < call 3 [sys] [u [earlier turns left out]] [u and {long}]
3 > reply 3 And.
  < publish #ops: And.
  < usage turns=2 tokens=4
"
    );
    check(&setup(), &script);
}

#[test]
fn a_context_too_small_for_anything_is_given_up() {
    check_log(
        &setup(),
        r##"
0 > start
0 > notice 1 cm: a
  < log main.system.notice_stream {"source":"cm","number":1}
  < log new_thread_run_created {"run":1,"channel":"#all","inputs":0,"notices":[1]}
  < call 1 [sys] [u <cm a>]
1 > fail 1 too-long 10 tokens
  < log run.abandoned {"run":1,"message":"10 tokens"}
  < log reply.published {"run":1,"channel":"#all","text":"The model failed: 10 tokens"}
  < publish #all: The model failed: 10 tokens
  < log reply.published {"run":1,"channel":"#all","text":"cm: a"}
  < publish #all: cm: a
  < seen 1
"##,
    );
}

#[test]
fn late_news_of_another_run_is_ignored() {
    check_log(
        &setup(),
        r##"
0 > start
0 > user #ops a
  < log main.system.input_stream {"channel":"#ops"}
  < log new_thread_run_created {"run":1,"channel":"#ops","inputs":1,"notices":[]}
  < call 1 [sys] [u a]
0 > delta 7 nothing
0 > reply 7 nothing
1 > delta 1 piece
  < log run.delta {"run":1,"text":"piece"}
  < delta 1 #ops: "piece"
2 > fail 1 transient 503
  < log run.failed {"run":1,"message":"503","attempt":1,"delaySeconds":1}
  < log reply.published {"run":1,"channel":"#ops","text":"The model does not answer, I keep trying: 503"}
  < publish #ops: The model does not answer, I keep trying: 503
  < wake 3
2 > reply 1 late
"##,
    );
}

#[test]
fn a_queued_run_is_logged_once() {
    check_log(
        &setup(),
        r##"
0 > start
0 > user #ops a
  < log main.system.input_stream {"channel":"#ops"}
  < log new_thread_run_created {"run":1,"channel":"#ops","inputs":1,"notices":[]}
  < call 1 [sys] [u a]
1 > notice 1 cm: a
  < log main.system.notice_stream {"source":"cm","number":1}
  < log run.queued {"run":1}
1 > notice 2 cm: b
  < log main.system.notice_stream {"source":"cm","number":2}
2 > reply 1 A.
  < log reply.published {"run":1,"channel":"#ops","text":"A."}
  < publish #ops: A.
  < log run.completed {"run":1,"rounds":1,"promptTokens":1,"completionTokens":1}
  < usage turns=1 tokens=2
  < log new_thread_run_created {"run":2,"channel":"#ops","inputs":0,"notices":[1,2]}
  < call 2 [sys] [u a] [a A.] [u <cm a>] [u <cm b>]
"##,
    );
}

#[test]
fn at_the_end_of_input_it_finishes_when_idle() {
    check(
        &setup(),
        "
0 > start
0 > user #ops a
  < call 1 [sys] [u a]
0 > user #ops b
1 > eof
2 > reply 1 A.
  < publish #ops: A.
  < usage turns=1 tokens=2
  < call 2 [sys] [u a] [a A.] [u b]
3 > reply 2 B.
  < publish #ops: B.
  < usage turns=2 tokens=4
  < finished
4 > user #ops c
",
    );
}

#[test]
fn it_waits_for_notices_that_are_on_their_way() {
    check(
        &setup(),
        "
0 > pending true
0 > start
0 > eof
1 > notice 1 cm: a
  < call 1 [sys] [u <cm a>]
1 > pending false
2 > reply 1 A.
  < publish #all: A.
  < usage turns=1 tokens=2
  < seen 1
  < finished
",
    );
}

#[test]
fn it_does_not_finish_before_it_has_started() {
    let config = Config { on_start: Some("go".into()), ..setup() };
    check(
        &config,
        "0 > eof\n1 > start\n  < call 1 [sys] [u go]\n2 > reply 1 NO_REPLY\n  < usage turns=1 tokens=2\n  < finished\n",
    );
}

#[test]
fn at_the_end_of_input_it_does_not_wait_for_what_cannot_come() {
    let suspended = Config { suspend: true, ..setup() };
    let stopping = "I have to stop before I could answer; please ask again later.";
    check(&suspended, &format!("0 > start\n0 > user #ops a\n1 > eof\n  < publish #ops: {stopping}\n  < finished\n"));
}

#[test]
fn stop_lets_the_turn_end_but_begins_none() {
    check(
        &setup(),
        "
0 > start
0 > notice 1 cm: a
  < call 1 [sys] [u <cm a>]
0 > notice 2 cm: b
0 > user #ops hello
1 > stop 20
  < wake 20
2 > reply 1 A.
  < publish #all: A.
  < usage turns=1 tokens=2
  < seen 1
  < publish #ops: I have to stop before I could answer; please ask again later.
  < finished
  < wake never
",
    );
}

#[test]
fn stop_cancels_a_turn_at_its_deadline_and_its_notices_stay_unseen() {
    check_log(
        &setup(),
        r##"
0 > start
0 > notice 1 cm: a
  < log main.system.notice_stream {"source":"cm","number":1}
  < log new_thread_run_created {"run":1,"channel":"#all","inputs":0,"notices":[1]}
  < call 1 [sys] [u <cm a>]
1 > stop 20
  < wake 20
20 > wake
  < cancel 1
  < log run.cancelled {"run":1}
  < finished
  < wake never
21 > reply 1 late
"##,
    );
}

#[test]
fn stop_does_not_wait_for_a_retry() {
    check(
        &setup(),
        "
0 > start
0 > notice 1 cm: a
  < call 1 [sys] [u <cm a>]
1 > fail 1 transient 503
  < wake 2
1 > stop 20
  < finished
  < wake never
",
    );
}

#[test]
fn without_a_count_tokens_are_estimated() {
    check(
        &setup(),
        "
0 > start
0 > user #ops 123456789
  < call 1 [sys] [u 123456789]
1 > uncounted 1 12345
  < publish #ops: 12345
  < usage turns=1 tokens=5
",
    );
}
