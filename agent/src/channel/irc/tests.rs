//! Tests against a real IRC server, Debian's ngircd, with a second client of our own.
//!
//! `ASYNCAI_IRC` is the directory that `e2e/irc/setup.sh` prints. Without it these tests do nothing, and say so;
//! `make test` sets it.

use std::fs;
use std::io::Write as _;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Stdio;

use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::process::{Child, Command};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::*;
use crate::channel::Incoming;
use crate::channel::state::{States, Status};
use crate::event::Event;

mod sasl;

const LIMIT: Duration = Duration::from_mins(1);
const PASSWORD: &str = "s3cret of the server";

fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("ASYNCAI_IRC").map(PathBuf::from);
    if folder.is_none() {
        // Not eprintln, which the test harness hides.
        let _ = writeln!(std::io::stderr(), "IRC test skipped: ASYNCAI_IRC is not set; run e2e/irc/setup.sh");
    }
    folder
}

async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    timeout(LIMIT, future).await.unwrap_or_else(|_| panic!("{what} does not come"))
}

/// A server that can be stopped and started again.
struct Server {
    folder: PathBuf,
    settings: TempDir,
    plain: u16,
    tls: u16,
    child: Option<Child>,
}

impl Server {
    async fn start(folder: PathBuf, password: Option<&str>) -> Self {
        Self::with(folder, password, "").await
    }

    /// It makes parameters of its own for TLS, which takes seconds.
    async fn with_tls(folder: PathBuf, password: Option<&str>) -> Self {
        let tls = "[SSL]\nCertFile = DIR/certificate.pem\nKeyFile = DIR/key.pem\nPorts = TLS\n";
        Self::with(folder, password, tls).await
    }

    async fn with(folder: PathBuf, password: Option<&str>, more: &str) -> Self {
        let (plain, tls) = (free_port(), free_port());
        let settings = tempfile::tempdir().unwrap();
        let password = password.map(|password| format!("Password = {password}\n")).unwrap_or_default();
        let more = more.replace("DIR", &settings.path().display().to_string()).replace("TLS", &tls.to_string());
        let text = format!(
            "[Global]\nName = irc.test\nInfo = test\nListen = 127.0.0.1\nPorts = {plain}\n{password}\
             [Limits]\nMaxConnectionsIP = 0\nMaxNickLength = 20\n[Options]\nDNS = no\nIdent = no\nPAM = no\n{more}"
        );
        fs::write(settings.path().join("ngircd.conf"), text).unwrap();
        for file in ["certificate.pem", "key.pem"] {
            fs::copy(folder.join(file), settings.path().join(file)).unwrap();
        }
        let mut server = Self { folder, settings, plain, tls, child: None };
        server.up().await;
        server
    }

    /// Starts it, and waits until it says that it is ready.
    async fn up(&mut self) {
        let mut command = Command::new(self.folder.join("ngircd"));
        command.arg("-n").arg("-f").arg(self.settings.path().join("ngircd.conf")).kill_on_drop(true);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut said = BufReader::new(child.stdout.take().unwrap()).lines();
        within("the server", async {
            while !said.next_line().await.unwrap().expect("the server ended").contains("ready.") {}
        })
        .await;
        // Or else it stops when the pipe is full.
        tokio::spawn(async move { while let Ok(Some(_)) = said.next_line().await {} });
        self.child = Some(child);
    }

    /// Ends it as a crash would.
    async fn down(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().await.unwrap();
        }
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Somebody else on the server.
struct Person {
    lines: Lines<BufReader<OwnedReadHalf>>,
    writer: OwnedWriteHalf,
}

impl Person {
    async fn join(server: &Server, nick: &str, password: Option<&str>) -> Self {
        let (reader, writer) = TcpStream::connect(("127.0.0.1", server.plain)).await.unwrap().into_split();
        let mut person = Self { lines: BufReader::new(reader).lines(), writer };
        if let Some(password) = password {
            person.send(&format!("PASS :{password}")).await;
        }
        person.send(&format!("NICK {nick}\r\nUSER {nick} 0 * :{nick}\r\nJOIN #ops")).await;
        person.line(" 366 ").await;
        person
    }

    async fn send(&mut self, line: &str) {
        self.writer.write_all(format!("{line}\r\n").as_bytes()).await.unwrap();
    }

    /// The next line that holds `part`.
    async fn line(&mut self, part: &str) -> String {
        within(part, async {
            loop {
                let line = self.lines.next_line().await.unwrap().expect("the server closed the connection");
                if line.starts_with("PING") {
                    self.send(&line.replacen('I', "O", 1)).await;
                }
                if line.contains(part) {
                    return line;
                }
            }
        })
        .await
    }

    /// What `nick` says next, to the channel or to this person.
    async fn said(&mut self, nick: &str) -> String {
        let line = self.line(" PRIVMSG ").await;
        assert!(line.starts_with(&format!(":{nick}!")), "{line}");
        line.split_once(" :").unwrap().1.to_owned()
    }
}

/// The agent's channel, and the loop's end of it.
struct Agent {
    settings: watch::Sender<Config>,
    posts: mpsc::Sender<Post>,
    events: mpsc::Receiver<Event>,
    states: States,
    changes: mpsc::Receiver<()>,
}

impl Agent {
    fn start(config: Config) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let (told, changes) = mpsc::channel(1);
        let states = States::new(told);
        let reporter = Reporter::new(&states, "ops");
        let (sender, events) = mpsc::channel(16);
        let inbox = Inbox { channel: "ops".to_owned(), events: sender };
        let (settings, config) = watch::channel(config);
        let (posts, queue) = mpsc::channel(16);
        let outbox = Outbox::default();
        let held = VecDeque::new();
        tokio::spawn(
            Irc { config, posts: queue, held, outbox, inbox, reporter, tls: trusting, patience: PATIENCE }.run(),
        );
        Self { settings, posts, events, states, changes }
    }

    /// Waits until the status is as `wanted`, and returns its message.
    async fn status(&mut self, connected: bool, says: &str) -> String {
        within(says, async {
            loop {
                if let [Status { connected: now, message, .. }] = self.states.status().as_slice() {
                    let message = message.clone().unwrap_or_default();
                    if *now == connected && message.contains(says) {
                        return message;
                    }
                }
                self.changes.recv().await.unwrap();
            }
        })
        .await
    }

    async fn post(&self, to: Option<&str>, text: &str) {
        self.posts.send(Post { to: to.map(str::to_owned), text: text.to_owned() }).await.unwrap();
    }

    async fn heard(&mut self) -> Incoming {
        match within("a message", self.events.recv()).await {
            Some(Event::Incoming(message)) => message,
            _ => panic!("something else"),
        }
    }
}

/// TLS that trusts the server's certificate and no other.
fn trusting() -> Result<Arc<ClientConfig>, rustls::Error> {
    let mut roots = RootCertStore::empty();
    let certificate = folder().unwrap().join("certificate.pem");
    roots.add(CertificateDer::from_pem_file(certificate).unwrap())?;
    Ok(Arc::new(ClientConfig::builder().with_root_certificates(roots).with_no_client_auth()))
}

fn config(port: u16, tls: bool, password: Option<&str>) -> Config {
    Config {
        server: "localhost".to_owned(),
        port,
        tls,
        nick: "alice".to_owned(),
        channel: "#ops".to_owned(),
        password: Ok(password.map(|password| Secret(password.to_owned()))),
    }
}

#[tokio::test]
async fn who_addresses_the_agent_is_heard_and_answered() {
    let Some(folder) = folder() else { return };
    let server = Server::with_tls(folder, None).await;
    let mut agent = Agent::start(config(server.tls, true, None));
    agent.status(true, "").await;
    let mut bob = Person::join(&server, "bob", None).await;
    bob.send("PRIVMSG #ops :not for you\r\nPRIVMSG #ops :Alice, how are you?").await;
    let message = Incoming { channel: "ops".to_owned(), from: Some("bob".to_owned()), text: "how are you?".to_owned() };
    assert_eq!(agent.heard().await, message);
    agent.post(None, "Well.\n\nAnd \u{2}you\u{2}?").await;
    assert_eq!(bob.said("alice").await, "Well.");
    assert_eq!(bob.said("alice").await, "And you?");
    bob.send("PRIVMSG alice :between us").await;
    assert_eq!(agent.heard().await.channel, "ops/bob");
    agent.post(Some("bob"), "fine").await;
    assert!(bob.line("fine").await.contains("PRIVMSG bob "), "to him alone");
}

#[tokio::test]
async fn a_long_reply_arrives_whole_in_lines_that_fit() {
    let Some(folder) = folder() else { return };
    let server = Server::start(folder, None).await;
    let mut agent = Agent::start(config(server.plain, false, None));
    agent.status(true, "").await;
    let mut bob = Person::join(&server, "bob", None).await;
    let words = (1..=220).map(|word| format!("wörd-{word}")).collect::<Vec<_>>();
    agent.post(None, &words.join(" ")).await;
    let mut heard = Vec::new();
    while heard.len() < words.len() {
        heard.extend(bob.said("alice").await.split(' ').map(str::to_owned));
    }
    assert_eq!(heard, words);
}

#[tokio::test]
async fn what_waits_while_the_server_is_down_is_said_when_it_is_back() {
    let Some(folder) = folder() else { return };
    let mut server = Server::start(folder, None).await;
    let (port, way) = forward(0, server.plain).await;
    let mut agent = Agent::start(config(port, false, None));
    agent.status(true, "").await;
    server.down().await;
    drop(way);
    agent.status(false, "connect").await;
    agent.post(None, "one").await;
    agent.post(None, "two").await;
    server.up().await;
    let mut bob = Person::join(&server, "bob", None).await;
    let (_, _way) = forward(port, server.plain).await;
    assert_eq!(bob.said("alice").await, "one");
    assert_eq!(bob.said("alice").await, "two");
}

/// A way to a port that others cannot use; it breaks with the second value.
async fn forward(port: u16, to: u16) -> (u16, JoinSet<()>) {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut way = JoinSet::new();
    way.spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((mut from, _)) = listener.accept().await {
            connections.spawn(async move {
                let mut to = TcpStream::connect(("127.0.0.1", to)).await.unwrap();
                let _ = tokio::io::copy_bidirectional(&mut from, &mut to).await;
            });
        }
    });
    (port, way)
}

#[tokio::test]
async fn a_kick_is_told_and_the_agent_comes_back() {
    let Some(folder) = folder() else { return };
    let server = Server::start(folder, None).await;
    let mut bob = Person::join(&server, "bob", None).await;
    let mut agent = Agent::start(config(server.plain, false, None));
    agent.status(true, "").await;
    bob.send("KICK #ops alice :enough").await;
    agent.status(false, "bob kicked us out of #ops: enough").await;
    agent.post(None, "sorry").await;
    agent.status(true, "").await;
    assert_eq!(bob.said("alice").await, "sorry");
}

#[tokio::test]
async fn another_nick_is_taken_until_the_own_one_is_free() {
    let Some(folder) = folder() else { return };
    let server = Server::start(folder, None).await;
    let mut other = Person::join(&server, "alice", None).await;
    let mut bob = Person::join(&server, "bob", None).await;
    let mut agent = Agent::start(config(server.plain, false, None));
    agent.status(true, "as alice_: alice is taken").await;
    bob.send("PRIVMSG #ops :alice_: are you there?").await;
    assert_eq!(agent.heard().await.text, "are you there?");
    other.send("QUIT").await;
    bob.line(":alice_!~alice@127.0.0.1 NICK :alice").await;
    while !agent.status(true, "").await.is_empty() {
        within("the own nick", agent.changes.recv()).await.unwrap();
    }
}

#[tokio::test]
async fn a_server_password_is_sent_and_a_wrong_one_is_said() {
    let Some(folder) = folder() else { return };
    let server = Server::with_tls(folder, Some(PASSWORD)).await;
    let mut agent = Agent::start(config(server.tls, true, Some("wrong")));
    let said = agent.status(false, "password").await;
    assert!(!said.contains("wrong"), "{said}");
    agent.settings.send(config(server.tls, true, Some(PASSWORD))).unwrap();
    agent.status(true, "").await;
}

#[tokio::test]
async fn a_certificate_that_nobody_trusts_is_refused() {
    let Some(folder) = folder() else { return };
    let server = Server::with_tls(folder, None).await;
    let mut agent = Agent::start(Config { server: "127.0.0.1".to_owned(), ..config(server.tls, true, None) });
    agent.status(false, "certificate").await;
}

#[tokio::test]
async fn a_channel_that_is_closed_says_what_waits_and_leaves() {
    let Some(folder) = folder() else { return };
    let server = Server::start(folder, None).await;
    let mut bob = Person::join(&server, "bob", None).await;
    let mut agent = Agent::start(config(server.plain, false, None));
    agent.status(true, "").await;
    agent.post(None, "goodbye").await;
    drop((agent.posts, agent.settings));
    assert_eq!(bob.said("alice").await, "goodbye");
    bob.line(":alice!~alice@127.0.0.1 QUIT").await;
}
