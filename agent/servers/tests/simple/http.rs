//! Over Streamable HTTP.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::Stdio;
use std::time::Duration;

use asyncai_mcp::{Kind, Source};
use asyncai_servers::serve::{Http, PATH, Server};
use asyncai_servers::simple::Simple;
use http::request::Parts;
use rmcp::model::{
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ResourceContents, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::stdio::kill;
use crate::support::{Client, ended, here, program, within};

const LOOPBACK: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// A server in this process.
struct Served {
    addr: SocketAddr,
    cancel: CancellationToken,
    task: JoinHandle<()>,
}

impl Served {
    async fn at(addr: SocketAddr, hosts: &[&str]) -> Self {
        Self::serving(Simple::new(), addr, hosts).await
    }

    async fn serving(server: impl Server, addr: SocketAddr, hosts: &[&str]) -> Self {
        let hosts: Vec<_> = hosts.iter().map(ToString::to_string).collect();
        let http = Http::bind(addr, &hosts).await.expect("a free port");
        let addr = http.addr().expect("an address");
        let cancel = CancellationToken::new();
        let stop = cancel.clone();
        let task = tokio::spawn(async move {
            http.serve(server, stop).await.expect("it serves");
        });
        Self { addr, cancel, task }
    }

    async fn new() -> Self {
        Self::at(LOOPBACK, &[]).await
    }

    fn source(&self) -> Source {
        source(&format!("http://{}{PATH}", self.addr), Duration::from_secs(30))
    }

    async fn stop(self) {
        self.cancel.cancel();
        within("the end of the server", self.task).await.expect("no panic");
    }

    /// The status of a POST with these headers.
    async fn status(&self, headers: &str) -> u16 {
        let body = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
        let mut stream = TcpStream::connect(self.addr).await.expect("a connection");
        let request = format!(
            "POST {PATH} HTTP/1.1\r\n{headers}Connection: close\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).await.expect("sent");
        let mut head = [0; 12];
        within("a status line", stream.read_exact(&mut head)).await.expect("a status line");
        let head = std::str::from_utf8(&head).expect("text");
        head.strip_prefix("HTTP/1.1 ").expect("HTTP").parse().expect("a status")
    }
}

pub(crate) fn source(url: &str, timeout: Duration) -> Source {
    Source::Http { url: url.to_owned(), headers: vec![("X-Test".to_owned(), "1".to_owned())], timeout }
}

/// A server program and the URL that it prints.
pub(crate) async fn spawn(command: &mut Command) -> (Child, String) {
    let command = command.stdout(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().expect("a program");
    let mut stdout = BufReader::new(child.stdout.take().expect("piped")).lines();
    let url = within("the URL of a server", stdout.next_line()).await.expect("stdout");
    (child, url.expect("a URL"))
}

#[tokio::test]
async fn a_change_is_pushed_and_can_be_read() {
    let served = Served::new().await;
    Client::new(served.source()).hears_changes().await;
    served.stop().await;
}

#[tokio::test]
async fn a_stopped_server_ends_its_watches_gracefully_and_may_come_back() {
    let served = Served::new().await;
    let addr = served.addr;
    let mut client = Client::new(served.source());
    let mut subscription = client.listen().await;
    served.stop().await;
    assert_eq!(ended(&mut subscription).await, "the server ended the subscription");
    // The next request finds it out.
    client.servers.listen(asyncai_servers::simple::NOTES, None).await.expect_err("it is down");
    client.until(|status| !status.ready).await;
    let served = Served::at(addr, &[]).await;
    client.until(|status| status.ready).await;
    client.hears_changes().await;
    served.stop().await;
}

#[tokio::test]
async fn a_killed_server_ends_its_watches() {
    let (mut child, url) = spawn(Command::new(program()).args(["--http", "0"])).await;
    let client = Client::new(source(&url, Duration::from_secs(30)));
    let mut subscription = client.listen().await;
    child.kill().await.expect("killed");
    ended(&mut subscription).await;
}

/// A stopped process keeps its connections open; only its silence gives it away.
#[tokio::test]
async fn a_stopped_process_is_noticed() {
    let (child, url) = spawn(Command::new(program()).args(["--http", "0", "100"])).await;
    let pid = i32::try_from(child.id().expect("running")).expect("a pid");
    let patience = Duration::from_secs(2);
    let client = Client::impatient(source(&url, patience), patience);
    let mut subscription = client.listen().await;
    client.hears_changes().await;
    kill("-STOP", pid);
    ended(&mut subscription).await;
    kill("-CONT", pid);
}

#[tokio::test]
async fn a_foreign_host_or_origin_is_forbidden_before_any_session() {
    let served = Served::at(LOOPBACK, &["memo.demo.svc"]).await;
    for (headers, status) in [
        ("Host: localhost\r\n", 200),
        ("Host: 127.0.0.1:9\r\n", 200),
        ("Host: [::1]:9\r\n", 200),
        ("Host: memo.demo.svc:8080\r\n", 200),
        ("Host: localhost\r\nOrigin: http://localhost:3000\r\n", 200),
        ("Host: memo.demo.svc\r\nOrigin: https://memo.demo.svc\r\n", 200),
        ("Host: evil.example\r\n", 403),
        ("Host: localhost.evil.example\r\n", 403),
        ("Host: localhost\r\nOrigin: https://evil.example\r\n", 403),
        ("Host: localhost\r\nOrigin: null\r\n", 403),
    ] {
        assert_eq!(served.status(headers).await, status, "{headers}");
    }
    served.stop().await;
}

#[tokio::test]
async fn a_port_in_use_is_named() {
    let served = Served::new().await;
    let error = Http::bind(served.addr, &[]).await.err().expect("it is taken");
    assert_eq!(error.to_string(), format!("cannot listen on {}", served.addr));
    served.stop().await;
}

/// Answers reads with a header of the request, or with more than is accepted.
#[derive(Clone)]
struct Odd;

impl ServerHandler for Odd {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_resources().build())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let parts = context.extensions.get::<Parts>();
        let header = parts.and_then(|parts| parts.headers.get("x-test")?.to_str().ok());
        let text = match request.uri.as_str() {
            "odd://large" => "x".repeat(17 << 20),
            _ => header.unwrap_or("none").to_owned(),
        };
        Ok(ReadResourceResult::new(vec![ResourceContents::text(text, request.uri)]).into())
    }
}

impl Server for Odd {
    fn close(&self) {}
}

#[tokio::test]
async fn headers_of_the_source_are_sent() {
    let served = Served::serving(Odd, LOOPBACK, &[]).await;
    let client = Client::new(served.source());
    let read = within("a read", client.servers.read("odd://header", Some("s"), None)).await;
    assert_eq!(read.expect("a header").text, "1");
    served.stop().await;
}

#[tokio::test]
async fn an_answer_over_the_bound_is_an_error_and_harms_nothing_else() {
    let served = Served::serving(Odd, LOOPBACK, &[]).await;
    let client = Client::new(served.source());
    let read = within("a read", client.servers.read("odd://large", Some("s"), None)).await;
    let error = read.expect_err("17 MiB");
    assert_eq!(error.kind(), Kind::SourceError);
    assert!(error.to_string().contains("more than 16777216 bytes"), "{error}");
    let read = within("a read", client.servers.read("odd://header", Some("s"), None)).await;
    read.expect("the connection still works");
    served.stop().await;

    let client = Client::impatient(here(Odd), Duration::from_secs(3));
    let read = within("a read", client.servers.read("odd://large", Some("s"), None)).await;
    let error = read.expect_err("17 MiB");
    assert!(error.to_string().contains("one of more than 16 MiB is dropped"), "{error}");
    let read = within("a read", client.servers.read("odd://header", Some("s"), None)).await;
    read.expect("the connection still works");
}
