//! Transcripts of runs in which the model calls code.

use super::setup;
use super::transcript::{check, check_all, check_log};
use crate::config::Config;

#[test]
fn code_is_run_and_the_model_asked_again_until_it_answers() {
    check_log(
        &setup(),
        r##"
0 > start
0 > user #ops how many?
  < log main.system.input_stream {"channel":"#ops"}
  < log new_thread_run_created {"run":1,"channel":"#ops","inputs":1,"notices":[]}
  < call 1 [sys] [u how many?]
1 > calls 1 Let me see. | a len(list())
  < usage turns=0 tokens=2
  < log code.started {"run":1,"call":"a","source":"len(list())"}
  < code 1 a len(list())
2 > ran 1 a 3
  < log code.completed {"run":1,"call":"a","bytes":1}
  < call 1 [sys] [u how many?] [a Let me see. a=run_code({"code":"len(list())"})] [a: 3]
3 > reply 1 Three.
  < log reply.published {"run":1,"channel":"#ops","text":"Three."}
  < publish #ops: Three.
  < log run.completed {"run":1,"rounds":2,"promptTokens":2,"completionTokens":2}
  < usage turns=1 tokens=4
4 > user #ops and now?
  < log main.system.input_stream {"channel":"#ops"}
  < log new_thread_run_created {"run":2,"channel":"#ops","inputs":1,"notices":[]}
  < call 2 [sys] [u how many?] [a Let me see. a=run_code({"code":"len(list())"})] [a: 3] [a Three.] [u and now?]
"##,
    );
}

#[test]
fn calls_of_one_reply_run_one_at_a_time_in_order() {
    check(
        &setup(),
        r#"
0 > start
0 > notice 1 cm: a
  < call 1 [sys] [u <cm a>]
1 > calls 1 a x = 1; b x
  < usage turns=0 tokens=2
  < code 1 a x = 1
2 > ran 1 b not yet
2 > ran 7 a not mine
2 > reply 1 too early
2 > ran 1 a None
  < code 1 b x
2 > ran 1 a again
3 > ran 1 b 1
  < call 1 [sys] [u <cm a>] [a a=run_code({"code":"x = 1"}) b=run_code({"code":"x"})] [a: None] [b: 1]
4 > reply 1 NO_REPLY
  < usage turns=1 tokens=4
  < seen 1
"#,
    );
}

#[test]
fn a_call_that_cannot_be_run_is_answered_at_once() {
    check(
        &setup(),
        r#"
0 > start
0 > user #ops hi
  < call 1 [sys] [u hi]
1 > calls 1 a other {}; b run_code {"cod; c 1
  < usage turns=0 tokens=2
  < code 1 c 1
2 > ran 1 c 1
  < call 1 [sys] [u hi] [a a=other({}) b=run_code({"code":"{\"cod"}) c=run_code({"code":"1"})] [a: not run: there is no function "other", only run_code; call run_code with {"code": "<Python>"}] [b: not run: the arguments are not JSON (EOF while parsing a string at line 1 column 5); call run_code with {"code": "<Python>"}] [c: 1]
"#,
    );
}

#[test]
fn of_a_reply_that_was_cut_nothing_is_run() {
    check(
        &setup(),
        r#"
0 > start
0 > user #ops hi
  < call 1 [sys] [u hi]
1 > cut-calls 1 a 1; b run_code {"code": "delete(
  < usage turns=0 tokens=2
  < call 1 [sys] [u hi] [a a=run_code({"code":"1"}) b=run_code({"code":"{\"code\": \"delete("})] [a: not run: your reply was cut before it was complete; write less at a time, in several shorter calls] [b: not run: your reply was cut before it was complete; write less at a time, in several shorter calls]
"#,
    );
}

#[test]
fn no_reply_as_code_ends_the_turn() {
    check_log(
        &setup(),
        r##"
0 > start
0 > notice 1 cm: a
  < log main.system.notice_stream {"source":"cm","number":1}
  < log new_thread_run_created {"run":1,"channel":"#all","inputs":0,"notices":[1]}
  < call 1 [sys] [u <cm a>]
1 > calls 1 a print("NO_REPLY"); b delete()
  < usage turns=0 tokens=2
  < log reply.suppressed {"run":1}
  < log run.completed {"run":1,"rounds":1,"promptTokens":1,"completionTokens":1}
  < usage turns=1 tokens=2
  < seen 1
2 > notice 2 cm: b
  < log main.system.notice_stream {"source":"cm","number":2}
  < log new_thread_run_created {"run":2,"channel":"#all","inputs":0,"notices":[2]}
  < call 2 [sys] [u <cm a>] [a a=run_code({"code":"print(\"NO_REPLY\")"}) b=run_code({"code":"delete()"})] [a: the turn ends without a reply] [b: not run: the turn has ended] [a NO_REPLY] [u <cm b>]
"##,
    );
}

#[test]
fn after_its_rounds_the_model_is_told_to_answer_and_then_stopped() {
    let last = "This turn has used all its rounds of run_code. Answer now, from what you have, without calling anything; say what is left undone.";
    let script = format!(
        r#"
0 > start
0 > user #ops hi
  < call 1 [sys] [u hi]
1 > calls 1 a 1
  < usage turns=0 tokens=2
  < code 1 a 1
1 > ran 1 a 1
  < call 1 [sys] [u hi] [a a=run_code({{"code":"1"}})] [a: 1]
2 > calls 1 b 2
  < usage turns=0 tokens=4
  < code 1 b 2
2 > ran 1 b 2
  < call 1 [sys] [u hi] [a a=run_code({{"code":"1"}})] [a: 1] [a b=run_code({{"code":"2"}})] [b: 2] [u {last}]
3 > calls 1 Nearly. | c 3
  < publish #ops: Nearly.\n[stopped: no answer after 2 rounds of code]
  < usage turns=1 tokens=6
4 > user #ops go on
  < call 2 [sys] [u hi] [a a=run_code({{"code":"1"}})] [a: 1] [a b=run_code({{"code":"2"}})] [b: 2] [a Nearly.\n[stopped: no answer after 2 rounds of code]] [u go on]
"#
    );
    check(&Config { max_rounds: 2, ..setup() }, &script);
}

#[test]
fn what_comes_during_rounds_waits_for_the_next_run() {
    check(
        &setup(),
        r#"
0 > start
0 > user #ops hi
  < call 1 [sys] [u hi]
1 > calls 1 a 1
  < usage turns=0 tokens=2
  < code 1 a 1
1 > notice 1 cm: a
1 > user #dev and I?
1 > ran 1 a 1
  < call 1 [sys] [u hi] [a a=run_code({"code":"1"})] [a: 1]
2 > reply 1 Hi.
  < publish #ops: Hi.
  < usage turns=1 tokens=4
  < call 2 [sys] [u hi] [a a=run_code({"code":"1"})] [a: 1] [a Hi.] [u <cm a>] [u and I?]
"#,
    );
}

#[test]
fn a_call_that_fails_between_rounds_runs_no_code_again() {
    check(
        &setup(),
        r#"
0 > start
0 > user #ops hi
  < call 1 [sys] [u hi]
1 > calls 1 a create()
  < usage turns=0 tokens=2
  < code 1 a create()
1 > ran 1 a done
  < call 1 [sys] [u hi] [a a=run_code({"code":"create()"})] [a: done]
2 > fail 1 transient 503
  < publish #ops: The model does not answer, I keep trying: 503
  < wake 3
2 > notice 1 cm: a
3 > wake
  < call 2 [sys] [u hi] [a a=run_code({"code":"create()"})] [a: done] [u <cm a>]
  < wake never
4 > reply 2 Created.
  < publish #ops: Created.
  < usage turns=1 tokens=4
  < seen 1
"#,
    );
}

#[test]
fn a_model_given_up_between_rounds_leaves_what_it_did_in_the_thread() {
    check(
        &setup(),
        r#"
0 > start
0 > user #ops hi
  < call 1 [sys] [u hi]
1 > calls 1 a create()
  < usage turns=0 tokens=2
  < code 1 a create()
1 > ran 1 a done
  < call 1 [sys] [u hi] [a a=run_code({"code":"create()"})] [a: done]
2 > fail 1 too-long 10 tokens
  < publish #ops: I cannot answer, the model failed: 10 tokens
3 > user #ops well?
  < call 2 [sys] [u hi] [a a=run_code({"code":"create()"})] [a: done] [a [no reply: the model failed: 10 tokens]] [u well?]
"#,
    );
}

#[test]
fn the_day_may_end_a_run_and_the_next_goes_on_with_it() {
    check(
        &Config { max_tokens_per_day: 2, ..setup() },
        r#"
0 > start
0 > user #ops hi
  < call 1 [sys] [u hi]
1 > calls 1 a create()
  < usage turns=0 tokens=2
  < code 1 a create()
1 > ran 1 a done
  < throttled tokens/day 2 for 43199
  < publish #ops: my limit of 2 tokens a day is reached; I answer in 720 min.
  < wake 43200
43200 > wake
  < throttled no more
  < call 2 [sys] [u hi] [a a=run_code({"code":"create()"})] [a: done]
  < wake never
43201 > reply 2 Created.
  < publish #ops: Created.
  < usage turns=1 tokens=2
"#,
    );
}

#[test]
fn a_run_that_nobody_asked_for_says_that_the_day_ends_it() {
    check(
        &Config { max_tokens_per_day: 2, ..setup() },
        r"
0 > start
0 > notice 1 cm: a
  < call 1 [sys] [u <cm a>]
1 > calls 1 a create()
  < usage turns=0 tokens=2
  < code 1 a create()
1 > ran 1 a done
  < publish #all: my limit of 2 tokens a day is reached; I answer in 720 min.
  < throttled tokens/day 2 for 43199
  < wake 43200
",
    );
}

#[test]
fn stop_cancels_code_at_its_deadline() {
    check(
        &setup(),
        r"
0 > start
0 > user #ops hi
  < call 1 [sys] [u hi]
1 > calls 1 a while_true()
  < usage turns=0 tokens=2
  < code 1 a while_true()
2 > stop 20
  < wake 20
20 > wake
  < cancel 1
  < publish #ops: I have to stop before I could answer; please ask again later.
  < finished
  < wake never
21 > ran 1 a late
",
    );
}

#[test]
fn pieces_go_to_the_channel_but_not_silence() {
    check(
        &setup(),
        r#"
0 > start
0 > user #ops hi
  < call 1 [sys] [u hi]
1 > delta 1 NO
1 > delta 1 _REPLY?
  < delta 1 #ops: "NO_REPLY?"
1 > calls 1 a 1
  < usage turns=0 tokens=2
  < code 1 a 1
1 > delta 1 late
"#,
    );
}

#[test]
fn all_five_streams_are_logged() {
    check_all(
        &setup(),
        r##"
0 > start
  < log main.system.agent_event_stream {"what":"start"}
0 > user #ops hi
  < log main.system.input_stream {"channel":"#ops"}
  < log main.system.waiting_rule_stream {"rule":"AddMessage"}
  < log main.system.waiting_rule_stream {"rule":"RunThread"}
  < log new_thread_run_created {"run":1,"channel":"#ops","inputs":1,"notices":[]}
  < call 1 [sys] [u hi]
1 > calls 1 a 1
  < log main.system.runtime_stream {"run":1,"what":"reply"}
  < log round.completed {"run":1,"round":1,"calls":1,"promptTokens":1,"completionTokens":1}
  < usage turns=0 tokens=2
  < log code.started {"run":1,"call":"a","source":"1"}
  < code 1 a 1
2 > notice 1 cm: a
  < log main.system.notice_stream {"source":"cm","number":1}
  < log main.system.waiting_rule_stream {"rule":"AddMessage"}
  < log main.system.waiting_rule_stream {"rule":"RunThread"}
  < log run.queued {"run":1}
3 > ran 1 a 1
  < log main.system.runtime_stream {"run":1,"what":"code"}
  < log code.completed {"run":1,"call":"a","bytes":1}
  < call 1 [sys] [u hi] [a a=run_code({"code":"1"})] [a: 1]
4 > fail 1 refused 401
  < log main.system.runtime_stream {"run":1,"what":"failure"}
  < log run.failed {"run":1,"message":"401","attempt":1,"delaySeconds":1}
  < log reply.published {"run":1,"channel":"#ops","text":"The model does not answer, I keep trying: 401"}
  < publish #ops: The model does not answer, I keep trying: 401
  < wake 5
"##,
    );
}
