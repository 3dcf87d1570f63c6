//! What it costs: one run, one table, each figure beside an anchor measured in the same run. It is no test.
//!
//! Needs a cluster (`KUBECONFIG`), and for the requests of the idle its audit log and for the memory its processes, which
//! the embedded cluster shows: `make bench`. `BENCH_IDLE_MINUTES` (5) says how long the idle are watched.

mod event_log;
mod idle;
mod image;
mod latency;
mod memory;
mod setup;
mod stats;
mod table;

use anyhow::Result;
use asyncai_e2e::story::story;

use crate::table::Table;

#[tokio::main]
async fn main() -> Result<()> {
    let mut table = Table::default();
    table.extend(event_log::rows());
    table.extend(image::rows()?);
    story("bench", async |story| {
        setup::agent(story).await?;
        table.extend(latency::rows(story).await?);
        setup::further_watches(story).await?;
        table.extend(idle::rows(story).await?);
        setup::filtered_watches(story).await?;
        table.extend(memory::rows(story).await?);
        Ok(())
    })
    .await?;
    println!("{table}");
    Ok(())
}
