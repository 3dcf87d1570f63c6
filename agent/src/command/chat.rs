//! `asyncai chat`: talks to an agent in a cluster, through a port forwarded to its pod.

use std::env;
use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result};
use tokio::io::AsyncReadExt as _;
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::args::ChatArgs;
use crate::channel::console::{Editor, Screen, Typed};
use crate::command::chat::turn::{End, Turn};
use crate::store::forward::Forward;

mod turn;

/// What the node gets to say why a port is not served.
const SAID: Duration = Duration::from_secs(1);

/// Talks until the end of the input; with input that is no terminal, all of it is one message.
pub(crate) async fn run(args: ChatArgs) -> Result<u8> {
    let forward = Forward::find(args.context.as_deref(), args.namespace.as_deref(), &args.agent).await?;
    if io::stdin().is_terminal() && io::stdout().is_terminal() {
        converse(&forward, &args.agent).await
    } else {
        let mut text = String::new();
        tokio::io::stdin().read_to_string(&mut text).await.context("cannot read the message from stdin")?;
        ask(&forward, &args.agent, text.trim(), &Screen::default()).await
    }
}

/// One message, and its reply. The exit status is 1 if there is none to come.
async fn ask(forward: &Forward, agent: &str, text: &str, screen: &Screen) -> Result<u8> {
    let (stream, said) = forward.open().await?;
    let turn = match Turn::begin(stream, text).await {
        Ok(turn) => turn,
        Err(error) => {
            // The node knows best why nobody is there.
            let said = timeout(SAID, said).await.ok().flatten().map(|said| format!(": {}", said.trim()));
            return Err(error.context(format!("the agent {agent} does not answer{}", said.unwrap_or_default())));
        }
    };
    match turn.show(screen).await.with_context(|| format!("the agent {agent} broke off"))? {
        End::Replied => Ok(0),
        End::Silent => {
            eprintln!("# {agent} has nothing to say");
            Ok(0)
        }
        End::Cut => {
            eprintln!("# {agent} ended before it replied");
            Ok(1)
        }
    }
}

/// A message for each line that is typed, until Ctrl-C or Ctrl-D.
async fn converse(forward: &Forward, agent: &str) -> Result<u8> {
    let screen = Screen::default();
    let (sender, mut typed) = mpsc::channel(16);
    println!("# talking to {agent}; Ctrl-D ends");
    Editor::spawn(screen.clone(), history(), sender);
    // Who types on while a reply comes is heard when it has come; who interrupts is at once.
    let (lines, mut waiting) = mpsc::unbounded_channel();
    let interrupted = async move {
        while let Some(key) = typed.recv().await {
            match key {
                Typed::Line(line) => drop(lines.send(line)),
                Typed::Interrupt => return,
            }
        }
        drop(lines);
        std::future::pending::<()>().await;
    };
    let replies = async {
        while let Some(line) = waiting.recv().await {
            if let Err(error) = ask(forward, agent, line.trim(), &screen).await {
                screen.reply(&format!("# {error:#}"));
            }
        }
    };
    tokio::select! {
        () = interrupted => {}
        () = replies => {}
    }
    Ok(0)
}

/// Where lines are remembered.
fn history() -> Option<PathBuf> {
    let state = env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let state = state.or_else(|| Some(env::home_dir()?.join(".local/state")))?.join("asyncai");
    std::fs::create_dir_all(&state).ok()?;
    Some(state.join("chat-history"))
}
