//! The worker's side: starts, locks itself in, and takes orders until its input ends.

mod analysis;
mod awaits;
mod check;
mod embed;
mod filter;
mod io;
mod note;
mod printed;
mod python;
mod repl;
mod sandbox;
mod scopes;
mod trace;

use std::process::exit;
use std::thread;
use std::time::Instant;

use crate::alloc;
use crate::limits::WORKER;
use crate::wire::{Order, Report};
use filter::Loaded;
use io::Io;
use repl::Repl;

/// The interpreter recurses: its stack must hold the deepest source.
const STACK: usize = 64 << 20;

/// Serves as worker and exits, if the program was started as one. To be called first in `main`, before any thread.
pub fn serve_if_worker() {
    if std::env::args().nth(1).as_deref() != Some(WORKER) {
        return;
    }
    sandbox::drop_privileges();
    let python = thread::Builder::new().name("python".to_owned()).stack_size(STACK).spawn(serve);
    if let Err(error) = python {
        eprintln!("no thread for Python: {error}");
        exit(1);
    }
    sandbox::wait_for_hang_up();
    exit(0);
}

/// Takes orders. Ends the process with the input, or on input that it cannot understand.
fn serve() {
    let mut io = Io::new();
    let Order::Begin { memory } = io.receive() else { Io::confused("the first order must be begin") };
    alloc::arm(memory);
    if !alloc::counts() {
        eprintln!("the program has another global allocator than asyncai_repl::Allocator: memory has no limit");
    }
    sandbox::lock();
    io.greet();
    let mut repl = Repl::new(memory);
    let mut filter = None;
    loop {
        match io.receive() {
            Order::Names(names) => io.names = names,
            Order::Run { source, most } => {
                let done = repl.run(&mut io, &source, most);
                io.send(&Report::Done(Box::new(done)));
            }
            Order::Load { source } => filter = Some(Loaded::new(&mut io, &source, memory)),
            Order::Event { event, most } => {
                let Some(filter) = &mut filter else { Io::confused("an event without a filter") };
                let begun = Instant::now();
                let mut done = filter.event(&mut io, event.get(), most);
                done.nanos = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
                io.send(&Report::Done(Box::new(done)));
            }
            Order::Check { source, complete } => {
                let problem = check::check(&io.names, &source, complete);
                io.send(&Report::Checked(problem));
            }
            // Of a call that the last run left behind.
            Order::Answer { .. } | Order::Failed { .. } => {}
            Order::Begin { .. } => Io::confused("begun twice"),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
