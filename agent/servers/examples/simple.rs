//! The simple server as a program: `simple` over stdio, `simple --http ADDR [KEEP-ALIVE-MS]`.

use std::io::Write as _;
use std::time::Duration;

use asyncai_servers::serve::{self, Http, PATH};
use asyncai_servers::simple::Simple;
use tokio_util::sync::CancellationToken;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let cancel = CancellationToken::new();
    match arguments.as_slice() {
        [] => serve::stdio(Simple::new(), cancel).await?,
        [flag, addr, rest @ ..] if flag == "--http" => {
            let mut http = Http::bind(serve::address(addr)?, &[]).await?;
            if let [millis] = rest {
                http = http.keep_alive(Duration::from_millis(millis.parse()?));
            }
            writeln!(std::io::stdout(), "http://{}{PATH}", http.addr()?)?;
            http.serve(Simple::new(), cancel).await?;
        }
        _ => return Err("usage: simple [--http ADDR [KEEP-ALIVE-MS]]".into()),
    }
    Ok(())
}
