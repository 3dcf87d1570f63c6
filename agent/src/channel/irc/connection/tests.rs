//! Tests of servers that do not answer.

use std::collections::VecDeque;

use tokio::io::{AsyncBufReadExt as _, BufReader, DuplexStream};
use tokio::sync::{mpsc, watch};

use super::*;
use crate::channel::irc::outbox::Outbox;
use crate::channel::spec::Secret;
use crate::channel::state::{Reporter, States};
use crate::channel::{Inbox, Post};

const SHORT: Duration = Duration::from_millis(50);
const LONG: Duration = Duration::from_secs(30);

/// A server that is never impatient with us.
struct Server(BufReader<DuplexStream>);

impl Server {
    async fn line(&mut self) -> String {
        let mut line = String::new();
        timeout(LONG, self.0.read_line(&mut line)).await.unwrap().unwrap();
        line.trim_end().to_owned()
    }

    async fn say(&mut self, line: &str) {
        self.0.write_all(format!("{line}\r\n").as_bytes()).await.unwrap();
    }
}

/// Talks to `server` until the connection is given up; returns why.
async fn check<F: Future<Output = Server>>(
    password: Option<&str>,
    patience: Patience,
    server: impl FnOnce(Server) -> F,
) -> String {
    check_posts(password, patience, Vec::new(), server).await
}

/// As [`check`], with `posts` to be said.
async fn check_posts<F: Future<Output = Server>>(
    password: Option<&str>,
    patience: Patience,
    posts: Vec<Post>,
    server: impl FnOnce(Server) -> F,
) -> String {
    let password = Ok(password.map(|password| Secret(password.to_owned())));
    let (nick, channel) = ("alice".to_owned(), "#ops".to_owned());
    let config = Config { server: "irc".to_owned(), port: 1, tls: false, nick, channel: channel.clone(), password };
    let (_settings, followed) = watch::channel(config.clone());
    let (sender, queue) = mpsc::channel(8);
    for post in posts {
        sender.send(post).await.unwrap();
    }
    let mut irc = Irc {
        config: followed,
        posts: queue,
        held: VecDeque::new(),
        outbox: Outbox::default(),
        inbox: Inbox { channel, events: mpsc::channel(1).0 },
        reporter: Reporter::new(&States::new(mpsc::channel(1).0), "ops"),
        tls: || Err(rustls::Error::General("none".to_owned())),
        patience,
    };
    let (ours, theirs) = tokio::io::duplex(4096);
    let connection = Connection::new(Box::new(ours));
    let (end, _server) =
        tokio::join!(timeout(LONG, connection.hold(&mut irc, config)), server(Server(BufReader::new(theirs))));
    match end.unwrap() {
        End::Lost(reason) => reason,
        End::Done | End::Changed => panic!("it is no longer wanted"),
    }
}

#[tokio::test]
async fn one_that_is_silent_is_asked_and_then_given_up() {
    let patience = Patience { quiet: SHORT, answer: SHORT, ..PATIENCE };
    let reason = check(None, patience, async |mut server| {
        while server.line().await.split(' ').next() != Some("USER") {}
        server.say(":irc 001 alice :Welcome").await;
        assert_eq!(server.line().await, "JOIN #ops");
        assert_eq!(server.line().await, "PING :alive");
        server.say(":irc PONG irc :alive").await;
        assert_eq!(server.line().await, "PING :alive", "an answer is enough for a while");
        server
    });
    assert_eq!(reason.await, "the server has not answered for 0 s");
}

#[tokio::test]
async fn one_that_lets_nobody_in_is_given_up() {
    let patience = Patience { login: SHORT, ..PATIENCE };
    let reason = check(None, patience, async |mut server| {
        assert_eq!(server.line().await, "NICK alice");
        server
    });
    assert_eq!(reason.await, "the server did not let us in within 0 s");
}

#[tokio::test]
async fn one_that_does_not_know_the_question_gets_the_password() {
    let patience = Patience { capabilities: SHORT, ..PATIENCE };
    let reason = check(Some("secret"), patience, async |mut server| {
        assert_eq!(server.line().await, "CAP LS 302");
        assert_eq!(server.line().await, "PASS :secret");
        server.say("ERROR :no").await;
        server
    });
    assert_eq!(reason.await, "the server ended the connection: no");
}

#[tokio::test]
async fn one_whose_lines_have_no_end_is_given_up() {
    let reason = check(None, PATIENCE, async |mut server| {
        let _ = server.0.write_all("x".repeat(20_000).as_bytes()).await;
        server
    });
    assert!(reason.await.contains("this is no IRC server"));
}

#[tokio::test]
async fn a_private_reply_does_not_wait_for_the_channel() {
    let post = |to: Option<&str>, text: &str| Post { to: to.map(str::to_owned), text: text.to_owned() };
    let posts = vec![post(None, "one"), post(None, "two"), post(Some("bob"), "psst")];
    let reason = check_posts(None, PATIENCE, posts, async |mut server| {
        while server.line().await.split(' ').next() != Some("USER") {}
        server.say(":irc 001 alice :Welcome").await;
        assert_eq!(server.line().await, "JOIN #ops");
        server.say(":irc 474 alice #ops :Cannot join channel (+b)").await;
        for (said, ping) in [("bob :psst", "said-1"), ("#ops :one", "said-2"), ("#ops :two", "said-3")] {
            assert_eq!(server.line().await, format!("PRIVMSG {said}"));
            assert_eq!(server.line().await, format!("PING :{ping}"));
            server.say(&format!(":irc PONG irc :{ping}")).await;
            server.say(":alice!alice@here JOIN #ops").await;
        }
        server.say("ERROR :enough").await;
        server
    });
    assert_eq!(reason.await, "the server ended the connection: enough");
}
