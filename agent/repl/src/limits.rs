//! What Python may use, and which program serves it.

use std::path::PathBuf;
use std::time::Duration;

/// The limits of a worker.
#[derive(Debug, Clone)]
pub struct Limits {
    /// For one event or one run, Python and the host's answers together; then the worker is killed. A little earlier,
    /// calls without an answer raise `TimeoutError`, and then Python is stopped, so that its names are kept.
    pub wall: Duration,
    /// What Python may hold, in bytes.
    pub memory: usize,
    /// Calls of tools in one event or one run.
    pub calls: usize,
    /// The longest source, in bytes.
    pub source: usize,
    /// The program that serves as worker.
    pub program: Program,
}

impl Limits {
    /// Of a watch's filter: 2 s and 10 calls an event, 64 MB, 16 KiB of source.
    pub fn filter() -> Self {
        Self {
            wall: Duration::from_secs(2),
            memory: 64 << 20,
            calls: 10,
            source: 16 << 10,
            program: Program::current(),
        }
    }

    /// Of code mode: 60 s and 1000 calls a run, 256 MB, 64 KB of source.
    pub fn code() -> Self {
        Self {
            wall: Duration::from_mins(1),
            memory: 256 << 20,
            calls: 1000,
            source: 64 << 10,
            program: Program::current(),
        }
    }
}

/// The first argument of a worker.
pub(crate) const WORKER: &str = "__python";

/// A program that calls [`serve_if_worker`](crate::serve_if_worker).
#[derive(Debug, Clone)]
pub struct Program {
    pub(crate) path: PathBuf,
    pub(crate) arguments: Vec<String>,
}

impl Program {
    /// This very program, as it was started, even if its file was replaced since.
    pub fn current() -> Self {
        let path = if cfg!(target_os = "linux") {
            PathBuf::from("/proc/self/exe")
        } else {
            std::env::current_exe().unwrap_or_default()
        };
        Self { path, arguments: vec![WORKER.to_owned()] }
    }

    /// This test program: `test` is the path of a test whose body is `asyncai_repl::serve_if_worker()`, as in
    /// `driver::tests::python_worker`.
    pub fn test(test: &str) -> Self {
        let mut program = Self::current();
        program.arguments.extend([test, "--exact", "--nocapture", "--test-threads=1"].map(str::to_owned));
        program
    }

    /// The same arguments for another program.
    #[must_use]
    pub fn with_path(self, path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), ..self }
    }
}
