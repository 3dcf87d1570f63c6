//! One connection to an IRC server, from its opening until it breaks or is no longer wanted.

use std::io;
use std::time::Duration;

use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, ReadHalf, WriteHalf};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_rustls::TlsConnector;
use tracing::warn;

use crate::channel::backoff::Backoff;
use crate::channel::irc::bucket::Bucket;
use crate::channel::irc::lines::Lines;
use crate::channel::irc::outbox::Next;
use crate::channel::irc::session::{Output, Session};
use crate::channel::irc::{Config, Irc, Tls};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
const GOODBYE: Duration = Duration::from_secs(2);
/// What a channel that was closed gets to say what waits.
const LAST_WORDS: Duration = Duration::from_secs(20);

/// How long a server is waited for.
#[derive(Clone, Copy)]
pub(super) struct Patience {
    /// To say what it can do.
    pub(super) capabilities: Duration,
    /// To let us in.
    pub(super) login: Duration,
    /// One that says nothing for so long is asked whether it is there,
    pub(super) quiet: Duration,
    /// and then has to answer.
    pub(super) answer: Duration,
}

/// The patience that servers meet.
pub(super) const PATIENCE: Patience = Patience {
    capabilities: Duration::from_secs(10),
    login: Duration::from_mins(1),
    quiet: Duration::from_mins(1),
    answer: Duration::from_secs(30),
};

#[cfg(test)]
mod tests;

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// An open connection.
pub(super) struct Connection {
    lines: Lines<ReadHalf<Box<dyn Stream>>>,
    writer: WriteHalf<Box<dyn Stream>>,
}

/// How a connection ended.
pub(super) enum End {
    /// All is said, and no more will be.
    Done,
    /// The settings are others now.
    Changed,
    /// It broke, for this reason.
    Lost(String),
}

/// The times of a connection at which something is due.
struct Due {
    patience: Patience,
    /// Until then the server must let us in.
    login: Option<Instant>,
    capabilities: Option<Instant>,
    /// When the server is asked whether it is there, or counts as gone.
    alive: Instant,
    asked: bool,
    /// When we ask again to be let into the channel.
    join: Option<Instant>,
    /// When a channel that was closed has had its time.
    close: Option<Instant>,
}

impl Connection {
    /// Connects, with TLS if the settings say so.
    ///
    /// # Errors
    /// A sentence that says what failed.
    pub(super) async fn open(config: &Config, tls: Tls) -> Result<Self, String> {
        let address = format!("{}:{}", config.server, config.port);
        if let Err(missing) = &config.password {
            return Err(missing.clone());
        }
        let stream = timeout(CONNECT_TIMEOUT, stream(config, tls)).await;
        let stream = stream.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
        let stream = stream.map_err(|error| format!("cannot connect to {address}: {error}"))?;
        Ok(Self::new(stream))
    }

    fn new(stream: Box<dyn Stream>) -> Self {
        let (reader, writer) = tokio::io::split(stream);
        Self { lines: Lines::new(reader), writer }
    }

    /// Talks to the server.
    pub(super) async fn hold(mut self, irc: &mut Irc, config: Config) -> End {
        let end = match self.talk(irc, config).await {
            Ok(end) => end,
            Err(reason) => End::Lost(reason),
        };
        irc.outbox.broken();
        let goodbye = async {
            self.send("QUIT").await?;
            self.writer.shutdown().await.map_err(|error| error.to_string())
        };
        // One that broke hears none.
        let _ = timeout(GOODBYE, goodbye).await;
        end
    }

    async fn talk(&mut self, irc: &mut Irc, config: Config) -> Result<End, String> {
        let channel = config.channel.clone();
        let mut session = Session::new(config);
        let now = Instant::now();
        let mut bucket = Bucket::new(now);
        let mut backoff = Backoff::default();
        let mut due = Due::new(now, irc.patience);
        loop {
            self.perform(irc, &mut session, &mut due, &mut backoff).await?;
            irc.load(&session, &channel);
            let may_say = if irc.outbox.is_private() { session.is_in() } else { session.is_joined() };
            if due.close.is_some() && irc.is_done() {
                return Ok(End::Done);
            }
            if may_say && !irc.outbox.wants_line() {
                self.say(irc, &mut bucket).await?;
            }
            let says = may_say && irc.outbox.wants_line();
            tokio::select! {
                line = self.lines.next() => {
                    let line = line.map_err(|error| format!("the connection broke: {error}"))?;
                    let line = line.ok_or("the server closed the connection")?;
                    due.heard();
                    session.line(&line);
                }
                // The agent's words wait for their turn, never what the protocol asks for.
                () = sleep_until(bucket.ready()), if says => self.say(irc, &mut bucket).await?,
                Some(post) = irc.posts.recv(), if irc.takes() && session.is_in() => irc.held.push_back(post),
                changed = irc.config.changed(), if due.close.is_none() => match changed {
                    Ok(()) => return Ok(End::Changed),
                    Err(_) => due.close = Some(Instant::now() + LAST_WORDS),
                },
                () = sleep_until(due.next()) => self.on_time(&mut session, &mut due).await?,
            }
        }
    }

    /// Does what the session asks for.
    async fn perform(
        &mut self,
        irc: &mut Irc,
        session: &mut Session,
        due: &mut Due,
        backoff: &mut Backoff,
    ) -> Result<(), String> {
        while let Some(output) = session.poll() {
            match output {
                Output::Send(line) => self.send(&line).await?,
                Output::Heard { from, private, text } => irc.inbox.take(&from, private, text).await,
                Output::Joined => {
                    due.join = None;
                    backoff.reset();
                    let wanted = &irc.config.borrow().nick;
                    let other = (session.nick() != wanted).then(|| format!("as {}: {wanted} is taken", session.nick()));
                    irc.reporter.set(true, other);
                }
                Output::Left(reason) => {
                    due.join = Some(Instant::now() + backoff.failed());
                    irc.reporter.set(false, Some(reason));
                }
                Output::Confirmed(token) => irc.outbox.confirmed(&token),
                Output::Refused(reason) => {
                    warn!(
                        channel = irc.reporter.name(),
                        "the server did not pass on a reply, which is in the log: {reason}"
                    );
                }
                Output::End(reason) => return Err(reason),
            }
        }
        if session.is_in() {
            due.let_in();
        }
        Ok(())
    }

    async fn say(&mut self, irc: &mut Irc, bucket: &mut Bucket) -> Result<(), String> {
        match irc.outbox.next() {
            Some(Next::Line(line)) => {
                bucket.take(Instant::now());
                self.send(&line).await
            }
            Some(Next::Ping(token)) => self.send(&format!("PING :{token}")).await,
            None => Ok(()),
        }
    }

    async fn on_time(&mut self, session: &mut Session, due: &mut Due) -> Result<(), String> {
        let now = Instant::now();
        if due.login.is_some_and(|at| at <= now) {
            return Err(format!("the server did not let us in within {} s", due.patience.login.as_secs()));
        }
        if due.capabilities.take_if(|at| *at <= now).is_some() {
            session.no_capabilities();
        }
        if due.join.take_if(|at| *at <= now).is_some() {
            session.join();
        }
        if due.close.is_some_and(|at| at <= now) {
            return Err("the channel was closed".to_owned());
        }
        if due.alive <= now {
            if due.asked {
                let Patience { quiet, answer, .. } = due.patience;
                return Err(format!("the server has not answered for {} s", (quiet + answer).as_secs()));
            }
            due.asked = true;
            due.alive = now + due.patience.answer;
            self.send("PING :alive").await?;
        }
        Ok(())
    }

    async fn send(&mut self, line: &str) -> Result<(), String> {
        let writing = async {
            self.writer.write_all(format!("{line}\r\n").as_bytes()).await?;
            self.writer.flush().await
        };
        let written = timeout(WRITE_TIMEOUT, writing).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
        written.map_err(|error| format!("the connection broke: {error}"))
    }
}

impl Due {
    fn new(now: Instant, patience: Patience) -> Self {
        Self {
            patience,
            login: Some(now + patience.login),
            capabilities: Some(now + patience.capabilities),
            alive: now + patience.quiet,
            asked: false,
            join: None,
            close: None,
        }
    }

    fn next(&self) -> Instant {
        [self.login, self.capabilities, self.join, self.close].into_iter().flatten().fold(self.alive, Instant::min)
    }

    fn heard(&mut self) {
        self.alive = Instant::now() + self.patience.quiet;
        self.asked = false;
    }

    fn let_in(&mut self) {
        self.login = None;
        self.capabilities = None;
    }
}

async fn stream(config: &Config, tls: Tls) -> io::Result<Box<dyn Stream>> {
    let tcp = TcpStream::connect((config.server.as_str(), config.port)).await?;
    tcp.set_nodelay(true)?;
    if !config.tls {
        return Ok(Box::new(tcp));
    }
    let connector = TlsConnector::from(tls().map_err(io::Error::other)?);
    let name = ServerName::try_from(config.server.clone()).map_err(io::Error::other)?;
    Ok(Box::new(connector.connect(name, tcp).await?))
}
