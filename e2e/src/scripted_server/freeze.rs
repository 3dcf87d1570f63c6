//! Stops the server's process, so that nothing at all comes from it, and lets it go on.

use std::{fs, io};

use rustix::process::{Pid, Signal, kill_process};

/// Freezes, or thaws, the other processes of this program in the pod.
pub fn freeze(frozen: bool) -> io::Result<()> {
    let own = fs::read("/proc/self/comm")?;
    let signal = if frozen { Signal::STOP } else { Signal::CONT };
    for process in fs::read_dir("/proc")? {
        let name = process?.file_name();
        let pid = name.to_str().and_then(|name| name.parse().ok()).and_then(Pid::from_raw);
        let Some(pid) = pid.filter(|pid| *pid != rustix::process::getpid()) else { continue };
        if fs::read(format!("/proc/{}/comm", pid.as_raw_nonzero())).is_ok_and(|comm| comm == own) {
            kill_process(pid, signal)?;
        }
    }
    Ok(())
}
