//! The allocator of the program: mimalloc, which counts what a worker holds once it is armed there.
#![expect(unsafe_code, reason = "an allocator cannot be written without")]

use std::alloc::{GlobalAlloc, Layout};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use mimalloc::MiMalloc;
use monty_types::{BASELINE_MEMORY, LIVE_MEMORY, OOM_EXIT_CODE, memory_limit_with_headroom};

/// The global allocator. In a worker it keeps the count by which Python's memory is limited, and ends the process that
/// runs past its limit; elsewhere it costs one relaxed load.
///
/// ```
/// #[global_allocator]
/// static GLOBAL: asyncai_repl::Allocator = asyncai_repl::Allocator;
/// ```
pub struct Allocator;

static INNER: MiMalloc = MiMalloc;
static ARMED: AtomicBool = AtomicBool::new(false);
static CEILING: AtomicUsize = AtomicUsize::new(usize::MAX);

/// What was allocated before the count began is freed after it: the count starts so much above zero.
const OFFSET: usize = 1 << 40;

/// Begins to count, and ends the process once Python holds more than `limit` bytes and some headroom.
pub(crate) fn arm(limit: usize) {
    LIVE_MEMORY.store(OFFSET, Relaxed);
    BASELINE_MEMORY.store(OFFSET, Relaxed);
    let budget = memory_limit_with_headroom(Some(limit), false).unwrap_or(limit);
    CEILING.store(OFFSET.saturating_add(budget), Relaxed);
    ARMED.store(true, Relaxed);
}

/// Whether this allocator is the program's; else no memory limit holds. Only after [`arm`].
pub(crate) fn counts() -> bool {
    let before = LIVE_MEMORY.load(Relaxed);
    let probe = std::hint::black_box(Box::new([0_u8; 64]));
    let after = LIVE_MEMORY.load(Relaxed);
    drop(probe);
    after != before
}

fn charge(bytes: usize) {
    let live = LIVE_MEMORY.fetch_add(bytes, Relaxed).wrapping_add(bytes);
    if live > CEILING.load(Relaxed) {
        exhausted();
    }
}

/// A worker has nothing to clean up, and unwinding or exit handlers might allocate.
#[cold]
#[inline(never)]
fn exhausted() -> ! {
    // SAFETY: ends the process at once; no memory is touched.
    unsafe { libc::_exit(OOM_EXIT_CODE) }
}

// SAFETY: every method forwards to mimalloc with the layout as it came; counting touches atomics only.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if ARMED.load(Relaxed) {
            charge(layout.size());
        }
        // SAFETY: the caller's contract is the inner allocator's.
        unsafe { INNER.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if ARMED.load(Relaxed) {
            LIVE_MEMORY.fetch_sub(layout.size(), Relaxed);
        }
        // SAFETY: as above.
        unsafe { INNER.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if ARMED.load(Relaxed) {
            charge(layout.size());
        }
        // SAFETY: as above.
        unsafe { INNER.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if ARMED.load(Relaxed) {
            match size.checked_sub(layout.size()) {
                Some(more) => charge(more),
                None => {
                    LIVE_MEMORY.fetch_sub(layout.size() - size, Relaxed);
                }
            }
        }
        // SAFETY: as above.
        unsafe { INNER.realloc(pointer, layout, size) }
    }
}
