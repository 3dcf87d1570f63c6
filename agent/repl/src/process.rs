//! The parent's side of a worker: starts it, speaks with it, ends it and tells how it ended.

use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use monty_types::OOM_EXIT_CODE;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use crate::catalogue::Catalogue;
use crate::limits::Limits;
use crate::wire::{ARGUMENTS, Order, Report};

/// How long a worker may take to start, on a busy machine.
const START: Duration = Duration::from_secs(30);
/// The longest line that is read from a worker: a call with all its arguments, at most.
const LINE: usize = 2 * ARGUMENTS;
/// How much is kept of what a worker says before it dies.
const LAST_WORDS: usize = 2 << 10;

/// What came of a step.
pub(crate) enum Step {
    /// A report, and in how many bytes it came.
    Report(Report, usize),
    /// Something was read or written.
    Moved,
    /// The worker has ended.
    Ended,
}

/// A running worker. Dropped, it is killed, and reaped when it is gone.
pub(crate) struct Worker {
    child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
    /// Read, not yet parsed; lines before `parsed` are done with.
    input: Vec<u8>,
    parsed: usize,
    /// To be written, from `written` on.
    output: Vec<u8>,
    written: usize,
    last_words: Arc<Mutex<Vec<u8>>>,
    memory: usize,
    /// What it was told that it may call.
    pub(crate) catalogue: Option<Catalogue>,
}

impl Worker {
    /// Starts a worker and waits until it is locked in.
    pub(crate) async fn start(limits: &Limits) -> Result<Self, String> {
        let cannot = |why: String| format!("Python cannot be started: {why}");
        let mut command = Command::new(&limits.program.path);
        // Ctrl-C on a terminal is for the parent, which may have an event to finish.
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command
            .args(&limits.program.arguments)
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| cannot(format!("{}: {error}", limits.program.path.display())))?;
        let (Some(stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(cannot("it has no pipes".to_owned()));
        };
        let last_words = Arc::new(Mutex::new(Vec::new()));
        tokio::spawn(listen(stderr, Arc::clone(&last_words)));
        let mut worker = Self {
            child,
            stdin,
            stdout,
            input: Vec::new(),
            parsed: 0,
            output: Vec::new(),
            written: 0,
            last_words,
            memory: limits.memory,
            catalogue: None,
        };
        worker.send(&Order::Begin { memory: limits.memory });
        match timeout(START, worker.ready()).await {
            Ok(true) => Ok(worker),
            Ok(false) => Err(cannot(worker.end().await)),
            Err(_) => Err(cannot(format!("it is not ready after {} s", START.as_secs()))),
        }
    }

    /// A test program says other things first.
    async fn ready(&mut self) -> bool {
        loop {
            match self.line() {
                Some(line) if matches!(serde_json::from_slice(&line), Ok(Report::Ready)) => return true,
                Some(_) => {}
                None if self.exchange().await => {}
                None => return false,
            }
        }
    }

    /// Puts an order into the queue, which [`Worker::step`] empties.
    pub(crate) fn send(&mut self, order: &Order) {
        // A worker that reads more slowly than is sent would never empty it.
        if self.written > self.unread() {
            self.output.drain(..self.written);
            self.written = 0;
        }
        // Orders hold no map with keys other than strings: this cannot fail.
        if serde_json::to_writer(&mut self.output, order).is_ok() {
            self.output.push(b'\n');
        }
    }

    /// What it has not read yet of the orders, in bytes.
    pub(crate) fn unread(&self) -> usize {
        self.output.len() - self.written
    }

    /// Gives the next report that was read, else writes some of what is queued or reads some. Can be cancelled.
    pub(crate) async fn step(&mut self) -> Step {
        let Some(line) = self.line() else {
            return if self.exchange().await { Step::Moved } else { Step::Ended };
        };
        match serde_json::from_slice(&line) {
            Ok(report) => Step::Report(report, line.len()),
            Err(error) => {
                tracing::warn!(target: "python", %error, "a worker is not understood");
                Step::Ended
            }
        }
    }

    /// The next whole line of what was read.
    fn line(&mut self) -> Option<Vec<u8>> {
        let Some(end) = self.input[self.parsed..].iter().position(|byte| *byte == b'\n') else {
            self.input.drain(..self.parsed);
            self.parsed = 0;
            return None;
        };
        let line = self.input[self.parsed..self.parsed + end].to_vec();
        self.parsed += end + 1;
        if self.parsed == self.input.len() {
            self.input.clear();
            self.parsed = 0;
        }
        Some(line)
    }

    /// Writes or reads some; false at the end. Both at once, else two full pipes would wait for each other.
    async fn exchange(&mut self) -> bool {
        if self.input.len() > LINE {
            return false;
        }
        let pending = &self.output[self.written..];
        tokio::select! {
            biased;
            written = self.stdin.write(pending), if !pending.is_empty() => match written {
                Ok(count) => {
                    self.written += count;
                    if self.written == self.output.len() {
                        self.output.clear();
                        self.output.shrink_to(64 << 10);
                        self.written = 0;
                    }
                    true
                }
                Err(_) => false,
            },
            read = self.stdout.read_buf(&mut self.input) => matches!(read, Ok(count) if count > 0),
        }
    }

    /// Says how it ended.
    pub(crate) async fn end(mut self) -> String {
        let exited = match self.child.try_wait() {
            Ok(Some(status)) => Some(status),
            // Its pipe closes a moment before it is gone.
            _ => match timeout(Duration::from_millis(200), self.child.wait()).await {
                Ok(status) => status.ok(),
                Err(_) => None,
            },
        };
        let Some(status) = exited else { return "it does not speak any more".to_owned() };
        let words = String::from_utf8_lossy(&self.words()).trim().to_owned();
        let words = if words.is_empty() { words } else { format!(": {words}") };
        format!("{}{words}", self.cause(status))
    }

    /// Its process id, while it lives.
    pub(crate) fn id(&self) -> Option<u32> {
        self.child.id()
    }

    fn words(&self) -> Vec<u8> {
        self.last_words.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn cause(&self, status: ExitStatus) -> String {
        if status.code() == Some(OOM_EXIT_CODE) {
            return format!("it used more than {} MB of memory", self.memory >> 20);
        }
        #[cfg(unix)]
        if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
            return match signal {
                libc::SIGSEGV | libc::SIGABRT | libc::SIGBUS => {
                    format!("the interpreter crashed (signal {signal}), as it does on code that is nested too deeply")
                }
                libc::SIGKILL => "it was killed, as the system does when memory is short".to_owned(),
                _ => format!("it ended by signal {signal}"),
            };
        }
        format!("it ended by itself ({status})")
    }
}

/// Keeps the last of what a worker writes to its standard error.
async fn listen(mut stderr: ChildStderr, last_words: Arc<Mutex<Vec<u8>>>) {
    let mut buffer = [0; 1024];
    while let Ok(count @ 1..) = stderr.read(&mut buffer).await {
        let text = String::from_utf8_lossy(&buffer[..count]);
        tracing::warn!(target: "python", "{}", text.trim_end());
        let mut words = last_words.lock().unwrap_or_else(PoisonError::into_inner);
        words.extend_from_slice(&buffer[..count]);
        let surplus = words.len().saturating_sub(LAST_WORDS);
        words.drain(..surplus);
    }
}
