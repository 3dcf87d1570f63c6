//! A server that is a child process: started, its stderr logged.

use std::collections::BTreeMap;
use std::io;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::transport::TokioChildProcess;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};
use tokio::process::Command;
use tokio_util::sync::CancellationToken;

#[cfg(test)]
mod tests;

/// What a child takes over from our environment; the rest might not be meant for it.
const INHERITED: [&str; 10] = ["HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];
const LINE: usize = 2000;
const LAST_WORDS: usize = 200;
const LINGERING: Duration = Duration::from_secs(1);

/// The last line that a child wrote to stderr; often the reason why it died.
#[derive(Clone, Default)]
pub(crate) struct LastWords {
    line: Arc<Mutex<String>>,
    /// Triggered when stderr is closed; none where there is no stderr.
    closed: Option<CancellationToken>,
}

impl LastWords {
    /// `what` with the last words, if there were any.
    pub(crate) fn explain(&self, what: &str) -> String {
        let line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        if line.is_empty() { what.to_owned() } else { format!("{what}: {line}") }
    }

    /// Waits until a dead child's stderr is read to its end; not for ever, since a child of its
    /// own may keep that open.
    pub(crate) async fn complete(&self) {
        if let Some(closed) = &self.closed {
            let _ = tokio::time::timeout(LINGERING, closed.cancelled()).await;
        }
    }

    fn set(&self, line: &str) {
        let line = line.chars().take(LAST_WORDS).collect();
        *self.line.lock().unwrap_or_else(PoisonError::into_inner) = line;
    }
}

/// Starts `command`; must be called within a runtime.
pub(crate) fn spawn(
    server: &str,
    command: &[String],
    env: &BTreeMap<String, String>,
) -> io::Result<(TokioChildProcess, LastWords)> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(io::Error::other("the command is empty"));
    };
    let inherited = INHERITED.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
    let mut child = Command::new(program);
    child.args(arguments).env_clear().envs(inherited).envs(env).kill_on_drop(true);
    let (process, stderr) = TokioChildProcess::builder(child)
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| io::Error::new(error.kind(), format!("cannot start {program}: {error}")))?;
    let closed = CancellationToken::new();
    let last = LastWords { closed: Some(closed.clone()), ..LastWords::default() };
    let (server, words) = (server.to_owned(), last.clone());
    tokio::spawn(async move {
        let _closed = closed.drop_guard();
        if let Some(stderr) = stderr {
            log(server, stderr, words).await;
        }
    });
    Ok((process, last))
}

/// Logs each line, cut to a bounded length, until the stream ends.
async fn log(server: String, stderr: impl AsyncRead + Unpin, last: LastWords) {
    let mut stderr = BufReader::with_capacity(2 * LINE, stderr);
    let mut line = Vec::new();
    loop {
        let (used, complete) = match stderr.fill_buf().await {
            Ok([]) | Err(_) => break,
            Ok(bytes) => {
                let end = bytes.iter().position(|byte| *byte == b'\n');
                let part = &bytes[..end.unwrap_or(bytes.len())];
                line.extend(part.iter().take(LINE - line.len().min(LINE)));
                (end.map_or(bytes.len(), |end| end + 1), end.is_some())
            }
        };
        stderr.consume(used);
        if complete {
            report(&server, &line, &last);
            line.clear();
        }
    }
    report(&server, &line, &last);
}

fn report(server: &str, line: &[u8], last: &LastWords) {
    let line = String::from_utf8_lossy(line);
    let line = line.trim_end();
    if !line.is_empty() {
        tracing::info!(target: "mcp", server, "{line}");
        last.set(line.trim());
    }
}
