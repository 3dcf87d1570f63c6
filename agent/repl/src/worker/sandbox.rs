//! Locks the worker in: it keeps its three streams and can open nothing, whatever the interpreter might be talked into.
#![expect(unsafe_code, reason = "these system calls have no safe wrapper")]

use std::io;

/// Before any thread: no dump, no new rights, no descriptor but the three streams, no files.
///
/// No death signal: that one follows the parent's thread, not the parent. [`wait_for_hang_up`] does it.
pub(super) fn drop_privileges() {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: plain calls with integers; a refusal leaves things as they are.
        unsafe {
            libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0);
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
            // A worker holds far less than one huge page.
            libc::prctl(libc::PR_SET_THP_DISABLE, 1, 0, 0, 0);
            libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, 0_u32);
        }
        for (resource, most) in [(libc::RLIMIT_CORE, 0), (libc::RLIMIT_FSIZE, 0), (libc::RLIMIT_NOFILE, 3)] {
            let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
            // SAFETY: the pointer is to a live local.
            unsafe {
                libc::setrlimit(resource, &raw const limit);
            }
        }
    }
}

/// Returns when the parent has closed our input or is gone, even while Python runs on.
pub(super) fn wait_for_hang_up() {
    let mut input = libc::pollfd { fd: 0, events: 0, revents: 0 };
    loop {
        // SAFETY: one live descriptor record, and its count.
        let ready = unsafe { libc::poll(&raw mut input, 1, -1) };
        if ready > 0 || (ready < 0 && io::Error::last_os_error().kind() != io::ErrorKind::Interrupted) {
            return;
        }
    }
}

/// From here on only the system calls that running Python needs; all others fail with EPERM. Where the kernel refuses
/// that, the worker goes on and says so.
pub(super) fn lock() {
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
    if let Err(error) = filter::install() {
        eprintln!("no seccomp filter: {error}");
    }
}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod filter {
    use std::collections::BTreeMap;

    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
        apply_filter_all_threads,
    };

    const ALLOWED: &[libc::c_long] = &[
        libc::SYS_brk,
        libc::SYS_clock_gettime,
        libc::SYS_clock_nanosleep,
        libc::SYS_exit,
        libc::SYS_exit_group,
        libc::SYS_futex,
        libc::SYS_getpid,
        libc::SYS_getrandom,
        libc::SYS_gettid,
        libc::SYS_madvise,
        libc::SYS_mremap,
        libc::SYS_munmap,
        libc::SYS_ppoll,
        libc::SYS_read,
        libc::SYS_restart_syscall,
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        // Asked for by allocators; refused, they would look into files.
        libc::SYS_sched_getaffinity,
        libc::SYS_sched_yield,
        libc::SYS_sigaltstack,
        libc::SYS_tgkill,
        libc::SYS_tkill,
        libc::SYS_write,
        libc::SYS_writev,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_poll,
    ];

    pub(super) fn install() -> Result<(), Box<dyn std::error::Error>> {
        let mut rules: BTreeMap<i64, Vec<SeccompRule>> = ALLOWED.iter().map(|call| (*call, Vec::new())).collect();
        // Memory that can be executed is not needed.
        let executable = u64::try_from(libc::PROT_EXEC)?;
        for call in [libc::SYS_mmap, libc::SYS_mprotect] {
            let plain = SeccompCondition::new(2, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(executable), 0)?;
            rules.insert(call, vec![SeccompRule::new(vec![plain])?]);
        }
        let denied = SeccompAction::Errno(u32::try_from(libc::EPERM)?);
        let filter = SeccompFilter::new(rules, denied, SeccompAction::Allow, std::env::consts::ARCH.try_into()?)?;
        let program: BpfProgram = filter.try_into()?;
        Ok(apply_filter_all_threads(&program)?)
    }
}
