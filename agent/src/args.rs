//! The command line of `asyncai`.

use std::path::PathBuf;

use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};

/// Under this name kubectl runs it as a plugin.
const PLUGIN: &str = "kubectl-asyncai";

/// LLM agents that are woken by pushed changes.
#[derive(Debug, Parser)]
#[command(
    name = "asyncai",
    version,
    arg_required_else_help = true,
    after_help = "Example:\n  \
    asyncai run -f agent.yaml   # then type /help"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// The command line as it was given; one that is wrong ends the program.
    pub(crate) fn given() -> Self {
        let program = std::env::args_os().next().map(PathBuf::from).unwrap_or_default();
        let plugin = program.file_name().is_some_and(|name| name == PLUGIN);
        let command = Self::command();
        let mut command = if plugin { command.bin_name("kubectl asyncai") } else { command };
        let matches = command.get_matches_mut();
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.format(&mut command).exit())
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Runs an agent in a cluster, configured by its Agent resource.
    #[command(after_help = "Exit status: 0 ended in order, 1 it cannot start.\n\n\
        Example:\n  asyncai agent --name alice --namespace default")]
    Agent(AgentArgs),
    /// Runs an agent without a cluster, from the same manifests.
    #[command(
        after_help = "Exit status: 0 ended in order, 1 a manifest is wrong or the agent cannot start, 2 the command line \
        names what is not there.\n\nExamples:\n  asyncai run -f agent.yaml -f watches/ --state-dir state\n  \
        asyncai run -f agent.yaml -c '#alice' -c console\n  \
        echo '/call memo memo_set {\"key\":\"a\",\"value\":\"b\"}' | asyncai run -f memo.yaml"
    )]
    Run(RunArgs),
    /// Validates manifests offline, for a pre-commit hook or CI.
    #[command(after_help = "Exit status: 0 valid, 1 findings, 2 a file cannot be read.\n\n\
        Example:\n  asyncai check -f fleet/")]
    Check(CheckArgs),
    /// Talks to an agent in a cluster, by a port forwarded to its pod; as `kubectl-asyncai` also a plugin of kubectl.
    #[command(after_help = "Input that is no terminal is one message; its reply goes to stdout.\n\n\
        Exit status: 0 the agent replied or chose to be silent, 1 not.\n\n\
        Examples:\n  asyncai chat alice -n bidder\n  echo 'how is the bidder?' | kubectl asyncai chat alice")]
    Chat(ChatArgs),
    /// Serves one of the reference MCP servers, or checks a foreign one.
    #[command(subcommand)]
    Mcp(Mcp),
}

#[derive(Debug, Args)]
pub(crate) struct AgentArgs {
    /// Name of the Agent resource.
    #[arg(long, env = asyncai_crds::contract::AGENT_NAME_ENV)]
    pub(crate) name: String,
    /// Namespace of the Agent resource.
    #[arg(long, env = asyncai_crds::contract::AGENT_NAMESPACE_ENV)]
    pub(crate) namespace: String,
    /// Writes every event to stdout, not only notices and replies.
    #[arg(long)]
    pub(crate) verbose: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// Manifests: YAML files, or folders of them.
    #[arg(short, long = "filename", value_name = "PATH", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Keeps here what the next run goes on with: status, the conversation, watches that the model made.
    #[arg(long, value_name = "DIR")]
    pub(crate) state_dir: Option<PathBuf>,
    /// What stdout carries.
    #[arg(long, value_enum, default_value_t = Output::Text)]
    pub(crate) output: Output,
    /// Writes every event, not only notices and replies.
    #[arg(long)]
    pub(crate) verbose: bool,
    /// Restricts the agent to these channels of its spec, the default one first: each by its name or by that of its IRC
    /// channel. `console` is the terminal.
    #[arg(short, long = "channel", value_name = "CHANNEL")]
    pub(crate) channels: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ChatArgs {
    /// Name of the Agent.
    pub(crate) agent: String,
    /// Its namespace; else that of the context.
    #[arg(short, long)]
    pub(crate) namespace: Option<String>,
    /// Context of the kubeconfig; else the current one.
    #[arg(long)]
    pub(crate) context: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Manifests: YAML files, or folders of them.
    #[arg(short, long = "filename", value_name = "PATH", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// How findings are printed.
    #[arg(long, value_enum, default_value_t = Report::Text)]
    pub(crate) output: Report,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// For people.
    Text,
    /// One JSON object a line.
    Ndjson,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Report {
    /// `file:line: field: message`, one finding a line.
    Text,
    /// One JSON array.
    Json,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Mcp {
    /// A memo of keys and values: resource `memo://notes`, tool `memo_set`.
    #[command(after_help = "Example:\n  asyncai mcp simple --http 127.0.0.1:8931")]
    Simple(Listen),
    /// Objects of Kubernetes and kcp as event logs.
    #[command(after_help = "Example:\n  asyncai mcp kcp --access read-only --kubeconfig ~/.kube/config")]
    Kcp(KcpArgs),
    /// Files and directories as states: resources `file://…`, tools `read_file` and `list_dir`.
    #[command(after_help = "Example:\n  asyncai mcp file --root /data --root /etc/hosts")]
    File(FileArgs),
    /// Tells what a server lacks to be watchable.
    #[command(after_help = "Exit status: 0 watchable, 1 not.\n\nExamples:\n  \
        asyncai mcp check asyncai mcp simple\n  asyncai mcp check http://127.0.0.1:8931/mcp")]
    Check {
        /// A command with its arguments, or a URL.
        #[arg(required = true, trailing_var_arg = true, value_name = "CMD...|URL")]
        target: Vec<String>,
    },
}

#[derive(Clone, Debug, Args)]
pub(crate) struct Listen {
    /// Serves Streamable HTTP at this address, endpoint /mcp, instead of stdio.
    #[arg(long, value_name = "ADDR")]
    pub(crate) http: Option<String>,
    /// With --http: answers requests for this host name too; loopback names always are.
    #[arg(long, value_name = "HOST", requires = "http")]
    pub(crate) allow_host: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct KcpArgs {
    /// What the server may do.
    #[arg(long, value_enum)]
    pub(crate) access: Access,
    /// Kubeconfig file; without it the usual places, or the pod's own account.
    #[arg(long, value_name = "PATH")]
    pub(crate) kubeconfig: Option<PathBuf>,
    /// Name by which a URI's `kcp=` picks this server.
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Acts as this account, with a token minted anew at each connection.
    #[arg(long, value_name = "NS/NAME")]
    pub(crate) service_account: Option<String>,
    #[command(flatten)]
    pub(crate) listen: Listen,
}

#[derive(Debug, Args)]
pub(crate) struct FileArgs {
    /// A directory, or a single file, that is served read-only; nothing else is.
    #[arg(long, value_name = "PATH", required = true, num_args = 1..)]
    pub(crate) root: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) listen: Listen,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Access {
    /// Reads and watches.
    ReadOnly,
    /// Reads, watches and writes.
    ReadWrite,
}
