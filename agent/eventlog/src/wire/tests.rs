//! Bodies: written, read back, and refused with a message that says why.

use super::{Body, Extent, write};
use proptest::prelude::*;

#[test]
fn a_plain_body_needs_events_only() {
    let body = Body::read(r#" {"more": 1, "events": [ {"type":"X" , "seq": 4} ]} "#).expect("body");
    assert_eq!((body.epoch, body.floor, body.head), (None, None, None));
    assert_eq!(body.events[0].seq, 4);
    assert_eq!(body.events[0].json.get(), r#"{"type":"X" , "seq": 4}"#);
}

#[test]
fn the_seq_is_found_wherever_it_stands() {
    for event in
        [r#"{"seq":7}"#, r#"{ "seq" : 7 , "a":1}"#, r#"{"a":{"seq":1},"seq":7}"#, r#"{"a":"\"seq\":1","seq":7}"#]
    {
        let text = write(Extent::default(), [event]);
        assert_eq!(Body::read(&text).expect(event).events[0].seq, 7, "{event}");
    }
}

#[test]
fn events_are_put_in_order_and_those_of_one_seq_stay_as_they_are() {
    let text = r#"{"events":[{"seq":2,"n":"a"},{"seq":1},{"seq":2,"n":"b"}]}"#;
    let events: Vec<_> = Body::read(text).expect("body").events.iter().map(|event| event.json.get()).collect();
    assert_eq!(events, [r#"{"seq":1}"#, r#"{"seq":2,"n":"a"}"#, r#"{"seq":2,"n":"b"}"#]);
}

#[test]
fn a_wrong_body_says_what_is_wrong_and_where() {
    let cases = [
        ("[]", r#"the body of an event log must be {"events": [...]}: invalid length 0"#),
        ("{}", "missing field `events`"),
        (
            r#"{"events":[{"seq":1},{"type":"X"}]}"#,
            "events[1] of the event log must be an object with an unsigned integer `seq`: missing",
        ),
        (
            r#"{"events":[{"seq":-1}]}"#,
            "events[0] of the event log must be an object with an unsigned integer `seq`: invalid value",
        ),
        (r#"{"events":[{"seq":1.5}]}"#, "floating point"),
        (r#"{"events":[{"seq":99999999999999999999}]}"#, "events[0]"),
        (r#"{"events":[7]}"#, "events[0]"),
        (r#"{"events":[{"seq":1]}"#, "line 1 column 20"),
    ];
    for (text, message) in cases {
        let error = Body::read(text).expect_err(text).to_string();
        assert!(error.contains(message), "{text}: {error}");
    }
}

#[test]
fn of_an_old_event_nothing_but_the_seq_is_read() {
    // The string of the second member is no Unicode: whoever decodes it fails.
    let event = r#"{"seq":1,"type":"\ud800"}"#;
    assert!(serde_json::from_str::<serde_json::Value>(event).is_err());
    assert_eq!(Body::read(&write(Extent::default(), [event])).expect("body").events[0].seq, 1);
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        epoch in prop::option::of(any::<String>()),
        floor in prop::option::of(any::<u64>()),
        head in prop::option::of(any::<u64>()),
        events in prop::collection::vec((any::<u64>(), any::<String>(), any::<bool>()), 0..8),
    ) {
        let mut sorted = events.clone();
        sorted.sort_by_key(|event| event.0);
        let json = |(seq, text, first): &(u64, String, bool)| {
            let text = serde_json::Value::from(text.as_str());
            if *first { format!(r#"{{"seq":{seq},"text":{text}}}"#) } else { format!(r#"{{"text":{text},"seq":{seq}}}"#) }
        };
        let texts: Vec<String> = events.iter().map(json).collect();
        let text = write(Extent { epoch: epoch.as_deref(), floor, head }, texts.iter().map(String::as_str));
        let body = Body::read(&text).expect("body");
        prop_assert_eq!((body.epoch, body.floor, body.head), (epoch, floor, head));
        let read: Vec<(u64, String)> = body.events.iter().map(|event| (event.seq, event.json.get().to_owned())).collect();
        prop_assert_eq!(read, sorted.iter().map(|event| (event.0, json(event))).collect::<Vec<_>>());
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in any::<String>(), tail in r#"[\{\}\[\]":,0-9a-z seq]{0,40}"#) {
        let _ = Body::read(&text);
        let _ = Body::read(&format!(r#"{{"events":[{{{tail}"#));
        let _ = Body::read(&format!(r#"{{"events":[{{{tail}}}]}}"#));
    }
}
