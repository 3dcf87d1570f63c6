//! `asyncai`: the agent, and the servers and tools around it.

mod agent;
mod args;
mod channel;
mod command;
mod conditions;
mod driver;
mod event;
mod fleet;
mod follow;
mod lock;
mod manifest;
mod metrics;
mod ndjson;
mod output;
mod python;
mod report;
mod roster;
mod secrets;
mod serve;
mod servers;
mod session;
mod settings;
mod store;
mod telemetry;

use std::process::ExitCode;

use anyhow::{Result, anyhow};
use tokio::runtime::Runtime;

use crate::args::{Cli, Command, Output};
use crate::channel::console::printable;

// musl's allocator is many times slower than the one below this, which limits what Python may hold in a worker.
#[global_allocator]
static ALLOCATOR: asyncai_repl::Allocator = asyncai_repl::Allocator;

fn main() -> ExitCode {
    asyncai_repl::serve_if_worker();
    let command = Cli::given().command;
    let result = Runtime::new().map_err(anyhow::Error::from).and_then(|runtime| {
        let result = runtime.block_on(run(command));
        // A read of the terminal cannot be cancelled, and would keep the program until the next line is typed.
        runtime.shutdown_background();
        result
    });
    match result {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            // A server may have had a say in it.
            eprintln!("asyncai: {}", printable(&format!("{error:#}")));
            ExitCode::FAILURE
        }
    }
}

async fn run(command: Command) -> Result<u8> {
    let for_people = match &command {
        Command::Run(args) => args.output == Output::Text,
        Command::Chat(_) => true,
        Command::Agent(_) | Command::Check(_) | Command::Mcp(_) => false,
    };
    telemetry::init(!for_people);
    rustls::crypto::ring::default_provider()
        .install_default()
        .map_err(|_| anyhow!("a TLS provider was installed twice"))?;
    match command {
        Command::Agent(args) => command::agent::run(args).await,
        Command::Run(args) => command::run::run(args).await,
        Command::Chat(args) => command::chat::run(args).await,
        Command::Check(args) => command::check::run(&args).await,
        Command::Mcp(command) => command::mcp::run(command).await,
    }
}
