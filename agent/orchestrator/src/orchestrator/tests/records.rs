//! What is put on record, and what a restart makes of it.

use super::setup;
use super::transcript::{check, check_restored};
use crate::config::Config;

fn persistent() -> Config {
    Config { persistent: true, ..setup() }
}

/// A question, answered after one round of code.
const ANSWERED: &str = r##"
{"type":"turn_begin","run":1,"channel":"#ops","addressed":"#ops"}
{"type":"user","run":1,"channel":"#ops","text":"how many?"}
{"type":"assistant","run":1,"text":"","calls":[{"id":"a","name":"run_code","arguments":"{\"code\":\"1\"}"}]}
{"type":"tool_result","run":1,"call":"a","text":"3"}
{"type":"assistant","run":1,"text":"Three."}
{"type":"turn_end","run":1,"outcome":"completed","usage":{"prompt":2,"completion":2}}
"##;

#[test]
fn what_happens_is_recorded_and_durable_before_it_has_consequences() {
    check(
        &persistent(),
        r##"
0 > start
0 > user #ops how many?
  < record {"type":"turn_begin","run":1,"channel":"#ops","addressed":"#ops"}
  < record {"type":"user","run":1,"channel":"#ops","text":"how many?"}
  < commit
  < call 1 [sys] [u how many?]
1 > calls 1 a 1
  < usage turns=0 tokens=2
  < record {"type":"assistant","run":1,"text":"","calls":[{"id":"a","name":"run_code","arguments":"{\"code\":\"1\"}"}]}
  < commit
  < code 1 a 1
2 > ran 1 a 3
  < record {"type":"tool_result","run":1,"call":"a","text":"3"}
  < commit
  < call 1 [sys] [u how many?] [a a=run_code({"code":"1"})] [a: 3]
3 > reply 1 Three.
  < record {"type":"assistant","run":1,"text":"Three."}
  < record {"type":"turn_end","run":1,"outcome":"completed","usage":{"prompt":2,"completion":2}}
  < commit
  < publish #ops: Three.
  < usage turns=1 tokens=4
"##,
    );
}

#[test]
fn a_notice_is_a_monitor_event_and_no_user_record() {
    check(
        &persistent(),
        r##"
0 > start
0 > notice 7 cm#u/1-2: added a
  < record {"type":"queue-operation","operation":"enqueue","taskId":"watch-cm","description":"watch cm memo://cm","note":"Do.","noticeId":"u/1-2","text":"<cm added a>"}
  < record {"type":"turn_begin","run":1,"channel":"#all","addressed":null}
  < record {"type":"queue-operation","operation":"dequeue","taskId":"watch-cm","description":"watch cm memo://cm","note":"Do.","noticeId":"u/1-2"}
  < record {"type":"attachment","run":1,"taskId":"watch-cm","description":"watch cm memo://cm","note":"Do.","noticeId":"u/1-2","text":"<cm added a>"}
  < commit
  < call 1 [sys] [u <cm added a>]
1 > reply 1 NO_REPLY
  < record {"type":"assistant","run":1,"text":"NO_REPLY"}
  < record {"type":"turn_end","run":1,"outcome":"suppressed","usage":{"prompt":1,"completion":1}}
  < commit
  < usage turns=1 tokens=2
  < seen 7
"##,
    );
}

#[test]
fn input_that_no_run_claims_yet_is_durable_at_once() {
    check(
        &persistent(),
        r##"
0 > start
0 > user #ops a
  < record {"type":"turn_begin","run":1,"channel":"#ops","addressed":"#ops"}
  < record {"type":"user","run":1,"channel":"#ops","text":"a"}
  < commit
  < call 1 [sys] [u a]
1 > user #dev b
  < record {"type":"queue-operation","operation":"enqueue","channel":"#dev","text":"b"}
  < commit
2 > fail 1 transient 503
  < publish #ops: The model does not answer, I keep trying: 503
  < record {"type":"turn_end","run":1,"outcome":"retried","usage":{"prompt":0,"completion":0}}
  < wake 3
3 > wake
  < record {"type":"turn_begin","run":2,"channel":"#dev","addressed":"#dev"}
  < record {"type":"queue-operation","operation":"dequeue","channel":"#ops","text":"a"}
  < record {"type":"user","run":2,"channel":"#ops","text":"a"}
  < record {"type":"queue-operation","operation":"dequeue","channel":"#dev","text":"b"}
  < record {"type":"user","run":2,"channel":"#dev","text":"b"}
  < commit
  < call 2 [sys] [u a] [u b]
  < wake never
"##,
    );
}

#[test]
fn relayed_and_abandoned_turns_are_recorded() {
    check(
        &Config { relay: true, ..persistent() },
        r##"
0 > notice 1 cm#i: a
  < record {"type":"queue-operation","operation":"enqueue","taskId":"watch-cm","description":"watch cm memo://cm","note":"Do.","noticeId":"i","text":"<cm a>"}
  < record {"type":"turn_begin","run":1,"channel":"#all","addressed":null}
  < record {"type":"queue-operation","operation":"dequeue","taskId":"watch-cm","description":"watch cm memo://cm","note":"Do.","noticeId":"i"}
  < record {"type":"attachment","run":1,"taskId":"watch-cm","description":"watch cm memo://cm","note":"Do.","noticeId":"i","text":"<cm a>"}
  < record {"type":"turn_end","run":1,"outcome":"relayed","usage":{"prompt":0,"completion":0}}
  < commit
  < publish #all: cm: a
  < seen 1
"##,
    );
    check(
        &persistent(),
        r##"
0 > start
0 > user #ops a
  < record {"type":"turn_begin","run":1,"channel":"#ops","addressed":"#ops"}
  < record {"type":"user","run":1,"channel":"#ops","text":"a"}
  < commit
  < call 1 [sys] [u a]
1 > fail 1 too-long 10 tokens
  < record {"type":"turn_end","run":1,"outcome":"abandoned","usage":{"prompt":0,"completion":0}}
  < commit
  < publish #ops: I cannot answer, the model failed: 10 tokens
"##,
    );
}

#[test]
fn a_conversation_goes_on_after_a_restart() {
    check_restored(
        &persistent(),
        ANSWERED,
        r##"
0 > start
1 > notice 1 cm#i: a
  < record {"type":"queue-operation","operation":"enqueue","taskId":"watch-cm","description":"watch cm memo://cm","note":"Do.","noticeId":"i","text":"<cm a>"}
  < record {"type":"turn_begin","run":2,"channel":"#ops","addressed":"#ops"}
  < record {"type":"queue-operation","operation":"dequeue","taskId":"watch-cm","description":"watch cm memo://cm","note":"Do.","noticeId":"i"}
  < record {"type":"attachment","run":2,"taskId":"watch-cm","description":"watch cm memo://cm","note":"Do.","noticeId":"i","text":"<cm a>"}
  < commit
  < call 2 [sys] [u how many?] [a a=run_code({"code":"1"})] [a: 3] [a Three.] [u [the agent was restarted: what run_code had defined is gone]] [u <cm a>]
"##,
    );
}

#[test]
fn a_question_whose_turn_was_interrupted_is_asked_again_and_its_code_not_run_again() {
    let records = ANSWERED.lines().take(4).collect::<Vec<_>>().join("\n");
    check_restored(
        &setup(),
        &records,
        r#"
0 > start
  < call 2 [sys] [u how many?] [a a=run_code({"code":"1"})] [a: the agent was restarted while this ran; whether it took effect is unknown, check before running it again] [u [the agent was restarted: what run_code had defined is gone]]
1 > reply 2 Three, I think.
  < publish #ops: Three, I think.
  < usage turns=1 tokens=2
"#,
    );
    let records = ANSWERED.lines().take(5).collect::<Vec<_>>().join("\n");
    check_restored(
        &setup(),
        &records,
        "0 > start\n  < call 2 [sys] [u how many?] [a a=run_code({\"code\":\"1\"})] [a: 3] [u [the agent was restarted: what run_code had defined is gone]]\n",
    );
    let records = ANSWERED.lines().take(3).collect::<Vec<_>>().join("\n");
    check_restored(&setup(), &records, "0 > start\n  < call 2 [sys] [u how many?]\n");
}

#[test]
fn what_ends_an_interrupted_turn_is_recorded() {
    let records = ANSWERED.lines().take(4).collect::<Vec<_>>().join("\n");
    check_restored(
        &persistent(),
        &records,
        r#"
0 > pending false
  < record {"type":"tool_result","run":1,"call":"a","text":"the agent was restarted while this ran; whether it took effect is unknown, check before running it again"}
  < record {"type":"turn_end","run":1,"outcome":"interrupted","usage":{"prompt":0,"completion":0}}
  < commit
"#,
    );
}

/// A turn for one person, as a version on record that still took it for the place of everybody's news.
const PRIVATE: &str = r#"
{"type":"turn_begin","run":1,"channel":"ops/bob","addressed":"ops/bob"}
{"type":"user","run":1,"channel":"ops/bob","text":"psst"}
{"type":"assistant","run":1,"text":"Yes?"}
{"type":"turn_end","run":1,"outcome":"completed","usage":{"prompt":1,"completion":1}}
{"type":"queue-operation","operation":"enqueue","channel":"ops/bob","text":"well"}
"#;

#[test]
fn after_a_restart_a_private_message_draws_no_notices_either() {
    check_restored(
        &setup(),
        PRIVATE,
        "
0 > start
  < call 2 [sys] [u psst] [a Yes?] [u well]
1 > reply 2 Well.
  < publish ops/bob: Well.
  < usage turns=1 tokens=2
2 > notice 1 cm: a
  < call 3 [sys] [u psst] [a Yes?] [u well] [a Well.] [u <cm a>]
2 > reply 3 A.
  < publish #all: A.
  < usage turns=2 tokens=4
  < seen 1
",
    );
}

/// A turn of a notice alone that code was run for.
const NOTICE: &str = r##"
{"type":"queue-operation","operation":"enqueue","taskId":"watch-cm","description":"watch cm memo://cm","note":"Do.","noticeId":"i","text":"<cm a>"}
{"type":"turn_begin","run":1,"channel":"#all","addressed":null}
{"type":"attachment","run":1,"taskId":"watch-cm","description":"watch cm memo://cm","note":"Do.","noticeId":"i","text":"<cm a>"}
{"type":"assistant","run":1,"text":"","calls":[{"id":"a","name":"run_code","arguments":"{\"code\":\"1\"}"}]}
{"type":"tool_result","run":1,"call":"a","text":"3"}
{"type":"assistant","run":1,"text":"NO_REPLY"}
{"type":"turn_end","run":1,"outcome":"suppressed","usage":{"prompt":2,"completion":2}}
"##;

#[test]
fn a_notice_that_was_dealt_with_is_seen_without_a_turn() {
    check_restored(&setup(), NOTICE, "0 > start\n1 > notice 1 cm#i: a\n  < seen 1\n");
    // A source that has lost its place may give an id twice.
    let script = format!(
        "0 > start\n1 > notice 1 cm#i: b\n  < call 2 [sys] {} [u <cm b>]\n",
        concat!(
            r#"[u <cm a>] [a a=run_code({"code":"1"})] [a: 3] [a NO_REPLY] "#,
            "[u [the agent was restarted: what run_code had defined is gone]]",
        )
    );
    check_restored(&setup(), NOTICE, &script);
}

#[test]
fn a_notice_whose_turn_was_interrupted_waits_until_it_is_told_again() {
    let records = NOTICE.lines().take(6).collect::<Vec<_>>().join("\n");
    check_restored(
        &setup(),
        &records,
        r#"
0 > start
1 > notice 1 cm#i: a
  < call 2 [sys] [u <cm a>] [a a=run_code({"code":"1"})] [a: 3] [a [no reply: the agent was restarted]] [u [the agent was restarted: what run_code had defined is gone]] [u [told again: a restart interrupted its turn, above]\n<cm a>]
2 > reply 2 A.
  < publish #all: A.
  < usage turns=1 tokens=2
  < seen 1
"#,
    );
    let records = NOTICE.lines().take(4).collect::<Vec<_>>().join("\n");
    check_restored(&setup(), &records, "0 > start\n1 > notice 1 cm#i: a\n  < call 2 [sys] [u <cm a>]\n");
}

#[test]
fn a_notice_that_a_restored_turn_deals_with_makes_no_other() {
    let question = r##"{"type":"user","run":1,"channel":"#ops","text":"well?"}"##;
    let mut records: Vec<&str> = NOTICE.lines().take(6).collect();
    records.insert(3, question);
    let thread = r#"[u well?] [u <cm a>] [a a=run_code({"code":"1"})] [a: 3] [u [the agent was restarted: what run_code had defined is gone]]"#;
    let script = format!(
        "
0 > start
  < call 2 [sys] {thread}
1 > notice 1 cm#i: a
1 > notice 2 cm#j: b
2 > reply 2 A.
  < publish #ops: A.
  < usage turns=1 tokens=2
  < seen 1
  < call 3 [sys] {thread} [a A.] [u <cm b>]
3 > notice 3 cm#i: a
  < seen 3
"
    );
    check_restored(&setup(), &records.join("\n"), &script);
}

#[test]
fn input_that_waited_is_answered_after_a_restart() {
    let records = format!(
        "{}\n{}",
        ANSWERED.lines().take(3).collect::<Vec<_>>().join("\n"),
        r##"{"type":"queue-operation","operation":"enqueue","channel":"#dev","text":"b"}"##
    );
    check_restored(
        &setup(),
        &records,
        "0 > start\n  < call 2 [sys] [u how many?] [u b]\n1 > reply 2 Hm.\n  < publish #dev: Hm.\n  < usage turns=1 tokens=2\n",
    );
}

#[test]
fn a_run_that_was_to_be_tried_again_is_so_after_a_restart() {
    let records = r##"
{"type":"turn_begin","run":4,"channel":"#ops","addressed":"#ops"}
{"type":"user","run":4,"channel":"#ops","text":"a"}
{"type":"turn_end","run":4,"outcome":"retried","usage":{"prompt":0,"completion":0}}
"##;
    check_restored(&setup(), records, "0 > start\n  < call 5 [sys] [u [earlier turns left out]] [u a]\n");
}

#[test]
fn on_start_is_the_first_turn_after_each_start_but_once() {
    let config = Config { on_start: Some("set up".into()), ..setup() };
    check_restored(
        &config,
        ANSWERED,
        r#"
0 > notice 1 restore: cm failed
1 > start
  < call 2 [sys] [u how many?] [a a=run_code({"code":"1"})] [a: 3] [a Three.] [u [the agent was restarted: what run_code had defined is gone]] [u set up] [u <restore cm failed>]
"#,
    );
    let records = r#"
{"type":"turn_begin","run":1,"channel":null,"addressed":null}
{"type":"start","run":1,"text":"set up"}
{"type":"assistant","run":1,"text":"","calls":[{"id":"a","name":"run_code","arguments":"{\"code\":\"1\"}"}]}
{"type":"tool_result","run":1,"call":"a","text":"3"}
"#;
    check_restored(
        &config,
        records,
        "0 > start\n  < call 2 [sys] [u set up] [a a=run_code({\"code\":\"1\"})] [a: 3] [u [the agent was restarted: what run_code had defined is gone]]\n",
    );
}

#[test]
fn who_waits_at_the_end_is_told_that_the_answer_comes_later() {
    check(
        &Config { suspend: true, ..persistent() },
        r##"
0 > start
0 > user #ops a
  < record {"type":"queue-operation","operation":"enqueue","channel":"#ops","text":"a"}
  < commit
1 > stop 20
  < publish #ops: I have to stop before I could answer; I answer when I am back.
  < finished
"##,
    );
}

#[test]
fn stop_in_the_middle_of_code_leaves_whole_records() {
    check(
        &persistent(),
        r##"
0 > start
0 > user #ops a
  < record {"type":"turn_begin","run":1,"channel":"#ops","addressed":"#ops"}
  < record {"type":"user","run":1,"channel":"#ops","text":"a"}
  < commit
  < call 1 [sys] [u a]
1 > calls 1 a 1
  < usage turns=0 tokens=2
  < record {"type":"assistant","run":1,"text":"","calls":[{"id":"a","name":"run_code","arguments":"{\"code\":\"1\"}"}]}
  < commit
  < code 1 a 1
2 > stop 2
  < cancel 1
  < record {"type":"tool_result","run":1,"call":"a","text":"the agent was restarted while this ran; whether it took effect is unknown, check before running it again"}
  < record {"type":"turn_end","run":1,"outcome":"interrupted","usage":{"prompt":1,"completion":1}}
  < commit
  < publish #ops: I have to stop before I could answer; I answer when I am back.
  < finished
"##,
    );
}

#[test]
fn records_that_lack_some_still_make_whole_calls() {
    // As after a line that could not be read.
    for (lacks, expected) in [
        (
            "turn_begin",
            "[u how many?] [a a=run_code({\"code\":\"1\"})] [a: 3] [a Three.] [u [the agent was restarted: what run_code had defined is gone]]",
        ),
        ("\"calls\"", "[u how many?] [a Three.]"),
        (
            "tool_result",
            "[u how many?] [a a=run_code({\"code\":\"1\"})] [a: the agent was restarted while this ran; whether it took effect is unknown, check before running it again] [a Three.] [u [the agent was restarted: what run_code had defined is gone]]",
        ),
    ] {
        let records = ANSWERED.lines().filter(|line| !line.contains(lacks)).collect::<Vec<_>>().join("\n");
        check_restored(&setup(), &records, &format!("0 > start\n1 > user #dev b\n  < call 2 [sys] {expected} [u b]\n"));
    }
}
