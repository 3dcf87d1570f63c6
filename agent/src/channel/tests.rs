//! Tests of what the loop sees of channels.

use super::*;
use crate::channel::spec::Secret;

fn webhook(name: &str, url: &str) -> Spec {
    Spec { name: name.to_owned(), kind: Kind::Webhook(webhook::Config { url: Ok(Secret(url.to_owned())) }) }
}

/// Channels of which nobody posts: the tasks are as good as stuck.
fn channels(names: &[&str]) -> (Channels, Vec<mpsc::Receiver<Post>>) {
    let mut channels = Channels::new(mpsc::channel(1).0, mpsc::channel(1).0, None, None);
    let mut queues = Vec::new();
    for name in names {
        let (posts, queue) = mpsc::channel(2);
        let settings = Settings::Webhook(watch::channel(webhook::Config { url: Err(String::new()) }).0);
        let task = tokio::spawn(std::future::pending());
        channels.open.push(Open { name: (*name).to_owned(), settings, posts, missed: 0, task });
        queues.push(queue);
    }
    (channels, queues)
}

fn posted(queue: &mut mpsc::Receiver<Post>) -> Vec<(Option<String>, String)> {
    std::iter::from_fn(|| queue.try_recv().ok()).map(|post| (post.to, post.text)).collect()
}

#[tokio::test]
async fn a_reply_goes_to_its_channel_or_to_the_one_who_asked_there() {
    let (mut channels, mut queues) = channels(&["ops", "dev"]);
    channels.publish(Some(1), Some("dev"), "one");
    channels.publish(Some(2), Some("dev/bob"), "two");
    channels.publish(None, None, "nowhere");
    channels.publish(None, Some("console"), "on the screen");
    let expected = [(None, "one".to_owned()), (Some("bob".to_owned()), "two".to_owned())];
    assert_eq!(posted(&mut queues[1]), expected);
    assert_eq!(posted(&mut queues[0]), []);
}

#[tokio::test]
async fn a_reply_for_a_channel_that_is_gone_goes_to_the_default_one() {
    let (mut channels, mut queues) = channels(&["ops", "dev"]);
    channels.publish(None, Some("old"), "news");
    assert_eq!(posted(&mut queues[0]), [(None, "news".to_owned())]);
    self::channels(&[]).0.publish(None, Some("ops"), "nobody is there, and that is no error");
}

#[tokio::test]
async fn a_private_reply_whose_channel_or_request_is_gone_goes_nowhere() {
    let (mut channels, mut queues) = channels(&["ops", "dev"]);
    channels.publish(Some(1), Some("api/7"), "one");
    channels.publish(Some(2), Some("old/bob"), "two");
    channels.publish(None, Some("old/bob"), "three");
    assert_eq!((posted(&mut queues[0]), posted(&mut queues[1])), (Vec::new(), Vec::new()));
}

#[tokio::test]
async fn when_too_many_replies_wait_the_oldest_stay_and_the_rest_is_counted() {
    let (mut channels, mut queues) = channels(&["ops"]);
    for text in ["1", "2", "3", "4"] {
        channels.publish(None, Some("ops"), text);
    }
    assert_eq!(posted(&mut queues[0]), [(None, "1".to_owned()), (None, "2".to_owned())]);
    channels.publish(None, Some("ops"), "5");
    let told = posted(&mut queues[0]);
    assert!(told[0].1.starts_with("[2 replies before this one are in the agent's log only"), "{told:?}");
    assert_eq!(told[1].1, "5");
}

#[tokio::test]
async fn a_change_of_settings_keeps_the_channel_and_one_of_its_kind_replaces_it() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut channels = Channels::new(mpsc::channel(1).0, mpsc::channel(1).0, None, None);
    let task = |channels: &Channels, name: &str| {
        channels.open.iter().find(|open| open.name == name).map(|open| open.task.id())
    };
    channels.apply(vec![webhook("a", "http://127.0.0.1:1/"), webhook("b", "http://127.0.0.1:1/")]);
    let (a, b) = (task(&channels, "a"), task(&channels, "b"));
    channels.apply(vec![webhook("b", "http://127.0.0.1:2/"), webhook("a", "http://127.0.0.1:1/")]);
    assert_eq!((task(&channels, "a"), task(&channels, "b")), (a, b));
    assert_eq!(channels.open[0].name, "b", "the first of the settings is the default");
    let config = irc::Config {
        server: "127.0.0.1".to_owned(),
        port: 1,
        tls: false,
        nick: "alice".to_owned(),
        channel: "#ops".to_owned(),
        password: Ok(None),
    };
    channels.apply(vec![Spec { name: "a".to_owned(), kind: Kind::Irc(config) }]);
    assert_ne!(task(&channels, "a"), a);
    let names = channels.status().into_iter().map(|status| status.name).collect::<Vec<_>>();
    assert_eq!(names, ["a"]);
    channels.close(Duration::from_secs(5)).await;
}

#[test]
fn the_model_is_told_who_speaks() {
    let message = |from: Option<&str>| Incoming {
        channel: "ops".to_owned(),
        from: from.map(str::to_owned),
        text: "hi".to_owned(),
    };
    let text = |message: Incoming| match message.input() {
        turns::Input::User { channel, text } => (channel, text),
        other => panic!("{other:?}"),
    };
    assert_eq!(text(message(Some("bob"))), ("ops".to_owned(), "<bob> hi".to_owned()));
    assert_eq!(text(message(None)), ("ops".to_owned(), "hi".to_owned()));
}
