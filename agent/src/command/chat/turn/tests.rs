//! Tests of a turn over a connection, with the API at its other end.

use std::time::Duration;

use asyncai_orchestrator as turns;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::*;
use crate::channel::Channels;
use crate::channel::api::Api;
use crate::event::Event;

const LIMIT: Duration = Duration::from_secs(30);

/// A turn whose message is answered by `answer`.
async fn check(text: &str, answer: impl FnOnce(&mut Channels, &str) + Send + 'static) -> Result<End> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, mut events) = mpsc::channel(1);
    let api = Api::serve(listener, "alice", sender.clone());
    let mut channels = Channels::new(sender, mpsc::channel(1).0, Some(api), None);
    tokio::spawn(async move {
        if let Some(Event::Incoming(message)) = events.recv().await {
            channels.observe(&turns::Event::InputStream { channel: message.channel.clone() });
            answer(&mut channels, &message.channel);
        }
        // The loop goes on; without it the test would see the end of the agent.
        std::future::pending::<()>().await;
        drop(channels);
    });
    let stream = TcpStream::connect(address).await.unwrap();
    let turn = timeout(LIMIT, Turn::begin(stream, text)).await.unwrap()?;
    timeout(LIMIT, turn.show(&Screen::default())).await.unwrap()
}

fn created(channels: &mut Channels) {
    channels.observe(&turns::Event::RunCreated { run: 1, channel: None, inputs: 1, notices: Vec::new() });
}

#[tokio::test]
async fn a_reply_ends_it() {
    let end = check("hi", |channels, channel| {
        created(channels);
        channels.delta(1, channel, "hel");
        channels.publish(Some(1), Some(channel), "hello");
    });
    assert_eq!(end.await.unwrap(), End::Replied);
}

#[tokio::test]
async fn silence_ends_it_too() {
    let end = check("hi", |channels, _| {
        created(channels);
        channels.observe(&turns::Event::ReplySuppressed { run: 1 });
    });
    assert_eq!(end.await.unwrap(), End::Silent);
}

#[tokio::test]
async fn a_refusal_is_told_in_the_agents_words() {
    let error = check("", |_, _| {}).await.unwrap_err().to_string();
    assert!(error.starts_with("it answered 400 Bad Request: text is empty"), "{error}");
}
