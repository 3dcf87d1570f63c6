//! What a worker does to the system: after its start it opens, connects and executes nothing.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use asyncai_repl::{Catalogue, Filter, Limits, Session};

use crate::{Echo, program};

fn limits() -> Limits {
    Limits { program: program(), wall: Duration::from_mins(1), ..Limits::code() }
}

/// What a worker may ask of the system: nothing that is not in it already.
const ASKED: &[&str] = &[
    "brk",
    "clock_gettime",
    "exit",
    "exit_group",
    "futex",
    "getrandom",
    "madvise",
    "mmap",
    "mprotect",
    "mremap",
    "munmap",
    "poll",
    "ppoll",
    "read",
    "restart_syscall",
    "rt_sigaction",
    "rt_sigprocmask",
    "sched_yield",
    "sigaltstack",
    "write",
    // Of the allocator: the cores it may use, and names for its memory, which are refused.
    "prctl",
    "sched_getaffinity",
];

/// Code that wants more than it may.
const WISHES: &[&str] = &[
    "import os, random, time, datetime\nrandom.random(), time.time(), datetime.datetime.now()",
    "open('/etc/passwd')",
    "import os\nos.listdir('/')",
    "import pathlib\npathlib.Path('/etc/passwd').read_text()",
    "import socket",
    "import re\n[re.sub('a', 'b', 'a' * n) for n in range(100)][-1][0]",
    "x = ['a' * 1000 for _ in range(20000)]\nlen(x)",
    "def f(): f()\nf()",
];

fn status(child: &str, field: &str) -> String {
    let status = std::fs::read_to_string(format!("/proc/{child}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap_or_default();
    line.split_whitespace().nth(1).unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_worker_is_locked_in() {
    let mut filter =
        Filter::new("import os\ntry:\n  os.listdir('/')\nexcept PermissionError:\n  'no'\n'fine'", limits());
    let line = filter.event("{}", &Catalogue::default(), &Echo).await;
    assert_eq!(line, Ok(Some("fine".to_owned())));
    let child = filter.process().unwrap().to_string();

    assert_eq!(status(&child, "NoNewPrivs:"), "1");
    assert_eq!(status(&child, "Seccomp:"), "2");
    assert_eq!(std::fs::read(format!("/proc/{child}/environ")).unwrap(), b"");
    let mut open: Vec<String> = std::fs::read_dir(format!("/proc/{child}/fd"))
        .unwrap()
        .flatten()
        .map(|fd| fd.file_name().into_string().unwrap())
        .collect();
    open.sort();
    assert_eq!(open, ["0", "1", "2"]);
    let limits_now = std::fs::read_to_string(format!("/proc/{child}/limits")).unwrap();
    for limit in ["Max core file size         0", "Max file size              0", "Max open files             3"] {
        let (name, most) = limit.rsplit_once(' ').unwrap();
        let line = limits_now.lines().find(|line| line.starts_with(name.trim_end())).unwrap();
        assert_eq!(line.strip_prefix(name.trim_end()).unwrap().split_whitespace().next(), Some(most));
    }

    // It goes with its filter.
    drop(filter);
    let gone = async {
        while Path::new(&format!("/proc/{child}/fd/0")).exists() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(5), gone).await.unwrap();
}

/// Runs hostile code in a worker under strace and looks at what it asked of the system once it was locked in.
#[tokio::test]
async fn a_worker_asks_nothing_of_the_system() {
    if Command::new("strace").arg("-V").stdout(Stdio::null()).status().is_err() {
        eprintln!("no strace on this machine: what a worker asks of the system was not looked at");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (log, script) = (folder.path().join("log"), folder.path().join("worker"));
    // The worker's program, started by strace; -D keeps it our own child.
    let own = std::env::current_exe().unwrap();
    let text = format!("#!/bin/sh\nexec strace -D -f -qq -o {} {} \"$@\"\n", log.display(), own.display());
    std::fs::write(&script, text).unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let program = program().with_path(&script);
    let mut session = Session::new(Limits { program, ..limits() });
    for source in WISHES {
        let outcome = session.run(source, &Catalogue::default(), &Echo).await;
        assert!(!outcome.lost, "{source}: {outcome:?}");
    }
    drop(session);
    let log = whole(&log).await;
    let (_, after) = log.split_once("\\\"ready\\\"").unwrap();
    let calls: BTreeSet<&str> = after
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(' ')?.1.trim_start().split_once('(').map(|(call, _)| call))
        .collect();
    let other: Vec<_> = calls.iter().filter(|call| !ASKED.contains(call)).collect();
    assert!(calls.contains("read") && other.is_empty(), "{other:?} of {calls:?}");
}

/// The log when the worker has ended.
async fn whole(log: &Path) -> String {
    let ended = async {
        loop {
            let text = std::fs::read_to_string(log).unwrap();
            if text.contains("+++ killed by SIGKILL +++") || text.contains("+++ exited with") {
                return text;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), ended).await.unwrap()
}
