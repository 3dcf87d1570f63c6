//! The file server as a program: `file ROOT` over stdio, `file ROOT --http ADDR`.

use std::io::Write as _;
use std::path::PathBuf;

use asyncai_servers::file::Files;
use asyncai_servers::serve::{self, Http, PATH};
use tokio_util::sync::CancellationToken;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let cancel = CancellationToken::new();
    let files = |root: &String| Files::new([PathBuf::from(root)]);
    match arguments.as_slice() {
        [root] => serve::stdio(files(root), cancel).await?,
        [root, flag, addr] if flag == "--http" => {
            let http = Http::bind(serve::address(addr)?, &[]).await?;
            writeln!(std::io::stdout(), "http://{}{PATH}", http.addr()?)?;
            http.serve(files(root), cancel).await?;
        }
        _ => return Err("usage: file ROOT [--http ADDR]".into()),
    }
    Ok(())
}
