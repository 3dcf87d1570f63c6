//! What a worker does to the system: after its start it opens, connects and executes nothing.

use std::process::{Command, Stdio};

use asyncai_repl::{Catalogue, Filter, Limits, Session};

use crate::{Echo, program};

fn limits(limits: Limits) -> Limits {
    Limits { program: program(), ..limits }
}

fn status(child: &str, field: &str) -> String {
    let status = std::fs::read_to_string(format!("/proc/{child}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap_or_default();
    line.split_whitespace().nth(1).unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_worker_is_locked_in() {
    let mut filter = Filter::new(
        "import os\ntry:\n  os.listdir('/')\nexcept PermissionError:\n  'no'\n'fine'",
        limits(Limits::filter()),
    );
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
        while std::path::Path::new(&format!("/proc/{child}/fd/0")).exists() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(5), gone).await.unwrap();
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
    let mut session = Session::new(Limits { program, ..Limits::code() });
    for source in [
        "import os, random, time, datetime\nrandom.random(), time.time(), datetime.datetime.now()",
        "open('/etc/passwd')",
        "import os\nos.listdir('/')",
        "import pathlib\npathlib.Path('/etc/passwd').read_text()",
        "import socket",
        "import re\n[re.sub('a', 'b', 'a' * n) for n in range(100)][-1][0]",
        "x = ['a' * 1000 for _ in range(20000)]\nlen(x)",
        "def f(): f()\nf()",
    ] {
        let outcome = session.run(source, &Catalogue::default(), &Echo).await;
        assert!(!outcome.lost, "{source}: {outcome:?}");
    }
    drop(session);
    let whole = async {
        loop {
            let text = std::fs::read_to_string(&log).unwrap();
            if text.contains("+++ killed by SIGKILL +++") || text.contains("+++ exited with") {
                return text;
            }
            tokio::task::yield_now().await;
        }
    };
    let log = tokio::time::timeout(std::time::Duration::from_secs(10), whole).await.unwrap();
    let (_, after) = log.split_once("\\\"ready\\\"").expect("it was ready");
    let calls: std::collections::BTreeSet<&str> = after
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(' ')?.1.trim_start().split_once('(').map(|(call, _)| call))
        .collect();
    let allowed = [
        "read",
        "write",
        "mmap",
        "munmap",
        "mremap",
        "madvise",
        "mprotect",
        "brk",
        "futex",
        "clock_gettime",
        "getrandom",
        "rt_sigprocmask",
        "rt_sigaction",
        "sigaltstack",
        "sched_getaffinity",
        "sched_yield",
        "poll",
        "ppoll",
        "restart_syscall",
        "exit",
        "exit_group",
    ];
    let other: Vec<_> = calls.iter().filter(|call| !allowed.contains(call)).collect();
    assert!(calls.contains("read") && other.is_empty(), "{other:?} of {calls:?}");
}
